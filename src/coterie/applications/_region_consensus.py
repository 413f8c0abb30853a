"""Segments as the consensus of segmentations of several kinds, on superpixels.

Members of the first kind merge neighbouring superpixels by colour, hue, texture and
place in several proportions, down to several numbers of regions. Members of the second
kind merge along the weakest borders, and those of the third kind are Felzenszwalb's
segmentations at several scales. The consensus merges neighbouring superpixels again,
those first on which the members agree most. Nothing is drawn at random.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from coterie._linalg._regions import border_tree, region_tree
from coterie._validation import require
from coterie.applications._pixels import Picture
from coterie.applications._superpixels import (
    Superpixels,
    borders,
    lab_colors,
    outline_strength,
    superpixels,
)
from coterie.applications._volume_regions import regions_of_volume

# How much colour, hue, texture and place count in a tree.
_VIEWS = (
    {"color": 1},
    {"hue": 1},
    {"color": 1, "hue": 1, "texture": 1},
    {"color": 1, "hue": 1, "texture": 1, "place": 0.7},
    {"color": 1, "place": 0.5},
    {"color": 0.5, "hue": 0.5, "texture": 1},
)
_POWERS = (0.25, 0.5, 1.0)  # from pieces of unequal size to Ward's
_REGIONS = (4, 6, 9, 14, 20, 30)
_BORDER_POWERS = (0.1, 0.25, 0.5)  # the same where borders are weak
_SCALES, _SMOOTHINGS = (400, 800), (0.8,)  # of Felzenszwalb's segmentations
_APART = 0.55  # regions are merged while they are apart in fewer members


@dataclass(frozen=True, eq=False)
class RegionConsensus:
    """Segments of a reduced image.

    Attributes
    ----------
    labels : (...) int array
        The segment of each pixel; -1 where the image is transparent.
    confidence : (...) float32 array
        How sure its segment is, from 0 to 1; NaN where the image is transparent.
    """

    labels: np.ndarray
    confidence: np.ndarray


def consensus_of_regions(
    picture: Picture, n_segments: int | None, min_size: float, n_superpixels: int
) -> RegionConsensus:
    """Return the segments on which segmentations of several kinds agree.

    ``min_size`` is the least size of a segment as a share of the visible pixels.
    """
    pieces = superpixels(picture, n_superpixels)
    if not pieces.sizes.size:
        nothing = np.full(pieces.labels.shape, np.nan, dtype=np.float32)
        return RegionConsensus(pieces.labels, nothing)
    kinds = [
        tree_members(pieces),
        border_members(picture, pieces),
        scale_members(picture, pieces),
    ]
    return agreed_regions(pieces, kinds, n_segments, min_size)


def agreed_regions(
    pieces: Superpixels,
    kinds: list[list[np.ndarray]],
    n_segments: int | None,
    min_size: float,
) -> RegionConsensus:
    """Merge superpixels while the members of several kinds agree.

    Each kind is a list of members, (n,) label arrays; an empty one does not count.
    """
    profiles = profiles_of(kinds)
    least = min_size * pieces.sizes.sum()
    tree = region_tree(profiles, pieces.sizes, pieces.edges, power=None)
    if n_segments is None:
        found = tree.cut_below(_APART)
    else:
        enough = np.flatnonzero(tree.large_regions(least) >= n_segments)
        found = tree.after(int(enough[-1])) if enough.size else tree.cut_at(n_segments)
    found = _without_small(found, profiles, pieces, least, n_segments)
    sure = _confidence(found, profiles, pieces).astype(np.float32)
    return RegionConsensus(
        np.append(found, -1)[pieces.labels], np.append(sure, np.nan)[pieces.labels]
    )


def tree_members(pieces: Superpixels) -> list[np.ndarray]:
    """Return members that merge neighbours by how they look and where they are."""
    members = []
    for view in _VIEWS:
        columns = [
            weight * pieces.features[name]
            for name, weight in view.items()
            if name in pieces.features
        ]
        if not columns:
            continue
        for power in _POWERS:
            tree = region_tree(np.hstack(columns), pieces.sizes, pieces.edges, power)
            members += [tree.cut_at(k) for k in _REGIONS]
    return members


def border_members(picture: Picture, pieces: Superpixels) -> list[np.ndarray]:
    """Return members that merge neighbours where their border is weak."""
    strengths, lengths = borders(pieces, outline_strength(picture))
    trees = [
        border_tree(strengths, lengths, pieces.sizes, pieces.edges, power)
        for power in _BORDER_POWERS
    ]
    return [tree.cut_at(k) for tree in trees for k in _REGIONS]


def scale_members(
    picture: Picture,
    pieces: Superpixels,
    scales: Sequence[float] = _SCALES,
    smoothings: Sequence[float] = _SMOOTHINGS,
) -> list[np.ndarray]:
    """Return Felzenszwalb's segmentations, by majority in each superpixel."""
    is_flat = pieces.labels.ndim == 2
    segmentation = require("skimage.segmentation")
    spaces = [_three_channels(picture.channels)]
    if picture.is_rgb:
        spaces.append(lab_colors(picture) / 100)
    n_pixels = pieces.labels.size
    least = max(1, n_pixels // 1500)  # about as small as a superpixel
    members = []
    for space in spaces:
        for scale, sigma in product(scales, smoothings):
            scale = min(scale, n_pixels / 40)  # in tiny images all would be one
            found = (
                segmentation.felzenszwalb(space, scale, sigma, least, channel_axis=-1)
                if is_flat
                else regions_of_volume(space, scale, sigma, least)
            )
            members.append(majority(found, pieces))
    return members


def _three_channels(channels: np.ndarray) -> np.ndarray:
    """Return up to three channels: the principal components of a longer stack."""
    if channels.shape[-1] <= 3:
        return channels
    points = channels.reshape(-1, channels.shape[-1])
    points = points - points.mean(axis=0)
    axes = np.linalg.eigh(points.T @ points)[1][:, -3:]
    return (points @ axes).reshape(*channels.shape[:-1], 3)


def majority(labels: np.ndarray, pieces: Superpixels) -> np.ndarray:
    """Return the commonest label in each superpixel, (n,)."""
    seen = pieces.labels >= 0
    n_labels = int(labels.max()) + 1
    keys = pieces.labels[seen].astype(np.int64) * n_labels + labels[seen]
    cells, counts = np.unique(keys, return_counts=True)
    piece, label = np.divmod(cells, n_labels)
    order = np.lexsort((-counts, piece))
    firsts = np.unique(piece[order], return_index=True)[1]
    return np.unique(label[order][firsts], return_inverse=True)[1]


def profiles_of(kinds: list[list[np.ndarray]]) -> np.ndarray:
    """Return rows whose products are the members' agreement, (n, n_clusters).

    Each kind counts the same, however many members it has.
    """
    blocks = []
    kinds = [members for members in kinds if members]
    for members in kinds:
        weight = 1 / np.sqrt(len(kinds) * len(members))
        blocks += [weight * np.eye(int(one.max()) + 1)[one] for one in members]
    return np.hstack(blocks)


def _region_means(
    labels: np.ndarray, profiles: np.ndarray, sizes: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean profiles and the sizes of regions of superpixels."""
    totals = np.bincount(labels, weights=sizes)
    belongs = np.zeros((totals.size, labels.size))
    belongs[labels, np.arange(labels.size)] = sizes
    sums = belongs @ profiles
    return sums / totals[:, None], totals


def _without_small(
    labels: np.ndarray,
    profiles: np.ndarray,
    pieces: Superpixels,
    least: float,
    most: int | None,
) -> np.ndarray:
    """Give small regions, the smallest first, to the neighbour they agree with most.

    Small ones together may become a large one too many: further regions are given away
    while there are more than ``most``.
    """
    means, totals = _region_means(labels, profiles, pieces.sizes)
    owner = np.arange(totals.size)
    edges = labels[pieces.edges]
    n_left = totals.size
    while True:
        edges = owner[edges]
        edges = edges[edges[:, 0] != edges[:, 1]]
        small = np.unique(edges)  # the others have no neighbour
        if most is None or n_left <= most:
            small = small[totals[small] < least]
        if not small.size:
            return np.unique(owner[labels], return_inverse=True)[1]
        region = small[totals[small].argmin()]
        near = np.unique(edges[(edges == region).any(axis=1)])
        near = near[near != region]
        heir = near[(means[near] @ means[region]).argmax()]
        both = totals[heir] + totals[region]
        means[heir] = (
            totals[heir] * means[heir] + totals[region] * means[region]
        ) / both
        totals[heir] = both
        owner[owner == region] = heir
        n_left -= 1


def _confidence(
    labels: np.ndarray, profiles: np.ndarray, pieces: Superpixels
) -> np.ndarray:
    """Return the agreement with the own region beside that with the next best, (n,)."""
    means, _ = _region_means(labels, profiles, pieces.sizes)
    agreement = profiles @ means.T  # (n, n_regions)
    rows = np.arange(labels.size)
    own = agreement[rows, labels]
    agreement[rows, labels] = 0.0
    return own / (own + agreement.max(axis=1))
