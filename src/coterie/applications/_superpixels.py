"""Superpixels: small connected pieces of an image, with features and neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from coterie._linalg._regions import region_tree
from coterie._validation import require
from coterie.applications._pixels import Picture

_COMPACTNESS = 10.0  # of SLIC: colours in CIELAB units against place
_SAME = 1e-3  # squared distance in CIELAB below which nobody sees a difference
_SCALES = (1, 2, 4)  # of texture and outlines, in pixels
_TEXTURE_SCALES = (2, 4)  # of outlines between textures
_TEXTURE = 0.3  # how much these count


@dataclass(frozen=True, eq=False)
class Superpixels:
    """Small pieces of an image: n of them.

    Attributes
    ----------
    labels : (...) int array
        The superpixel of each pixel; -1 where the image is transparent.
    sizes : (n,) float64 array
        Pixels in each.
    edges : (n_edges, 2) int array
        Pairs of superpixels that share a side of a pixel.
    features : dict of str to (n, n_features) array
        ``color``, ``hue`` (for RGB only), ``texture`` and ``place``, scaled so that
        differences that people see are of the order of one.
    """

    labels: np.ndarray
    sizes: np.ndarray
    edges: np.ndarray
    features: dict[str, np.ndarray]

    def means(self, values: np.ndarray) -> np.ndarray:
        """Return the mean of pixel values (..., n_features) in each superpixel."""
        seen = self.labels >= 0
        where = self.labels[seen]
        columns = values[seen].T
        sums = [np.bincount(where, column, self.sizes.size) for column in columns]
        return np.stack(sums, axis=1) / self.sizes[:, None]


def superpixels(picture: Picture, n_superpixels: int) -> Superpixels:
    """Cut a picture into about ``n_superpixels`` pieces by SLIC.

    Neighbours of the same colour are one piece.
    """
    measure = require("skimage.measure")
    lab = lab_colors(picture)
    pieces = _slic(lab, n_superpixels) + 1
    pieces[~picture.visible] = 0
    found = _connected(measure.label(pieces, background=0, connectivity=1) - 1)
    colors = found.means(lab)
    tree = region_tree(colors, found.sizes, found.edges, power=0.0)
    labels = np.append(tree.cut_below(_SAME), -1)[found.labels]
    found = _connected(labels)
    found.features["color"] = found.means(lab) / 20
    if picture.is_rgb:
        found.features["hue"] = found.means(_hue(picture.channels)) * 2
    found.features["texture"] = np.log1p(found.means(_texture(lab[..., 0])))
    places = np.moveaxis(np.indices(labels.shape), 0, -1) / max(labels.shape)
    found.features["place"] = found.means(places) * 2
    return found


def _connected(labels: np.ndarray) -> Superpixels:
    """Return superpixels without features."""
    sizes = np.bincount(labels[labels >= 0]).astype(np.float64)
    return Superpixels(labels, sizes, neighbours(labels), {})


def lab_colors(picture: Picture) -> np.ndarray:
    """Return CIELAB for RGB and grey (lightness alone); stacks run from 0 to 100."""
    color = require("skimage.color")
    if picture.is_rgb:
        return color.rgb2lab(picture.channels)
    if picture.channels.shape[-1] == 1:
        return color.rgb2lab(picture.rgb())[..., :1]
    return picture.channels * 100.0


def neighbours(labels: np.ndarray) -> np.ndarray:
    """Return the pairs of labels that share a side of a pixel, (n_edges, 2)."""
    sides = [keys for keys, _ in _sides(labels)]
    n = int(labels.max()) + 1
    return np.stack(np.divmod(np.unique(np.concatenate(sides)), n), axis=1)


def _sides(labels: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield, by axis, the sides of pixels that separate labels.

    Keys of the pairs of labels, (n_sides,), and which of all sides these are.
    """
    n = int(labels.max()) + 1
    for axis in range(labels.ndim):
        ends = np.moveaxis(labels, axis, 0).astype(np.int64)
        a, b = ends[:-1], ends[1:]
        differ = (a != b) & (a >= 0) & (b >= 0)
        a, b = a[differ], b[differ]
        yield np.minimum(a, b) * n + np.maximum(a, b), differ


def borders(pieces: Superpixels, strength: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the summed strength along each border and its length, (n_edges,) each.

    ``strength`` is a map of the pixels; a side of a pixel is as strong as the stronger
    of the pixels on both sides. The order is that of ``pieces.edges``.
    """
    keys, values = [], []
    for axis, (found, differ) in enumerate(_sides(pieces.labels)):
        ends = np.moveaxis(strength, axis, 0)
        keys.append(found)
        values.append(np.maximum(ends[:-1], ends[1:])[differ])
    at = np.unique(np.concatenate(keys), return_inverse=True)[1].ravel()
    sums = np.bincount(at, np.concatenate(values), len(pieces.edges))
    return sums, np.bincount(at, minlength=len(pieces.edges)).astype(np.float64)


def outline_strength(picture: Picture) -> np.ndarray:
    """Return how strongly colour and texture change at each pixel."""
    lab = lab_colors(picture)
    texture = np.log1p(_texture(lab[..., 0]))
    strength = np.zeros(lab.shape[:-1])
    for scale in _SCALES:
        strength += _gradient(lab / 20, scale)
    for scale in _TEXTURE_SCALES:
        strength += _TEXTURE * _gradient(texture, scale)
    return strength


def _gradient(values: np.ndarray, scale: int) -> np.ndarray:
    """Return the length of the gradient over all channels, at a scale in pixels."""
    from scipy.ndimage import gaussian_filter

    n_axes = values.ndim - 1
    squares = np.zeros(values.shape[:-1])
    for channel in np.moveaxis(values, -1, 0):
        for axis in range(n_axes):
            orders = [int(a == axis) for a in range(n_axes)]
            squares += gaussian_filter(channel, scale, order=orders) ** 2
    return scale * np.sqrt(squares)


def _slic(lab: np.ndarray, n_superpixels: int) -> np.ndarray:
    shape = lab.shape[:-1]
    n_pixels = int(np.prod(shape))
    if n_pixels <= n_superpixels:
        return np.arange(n_pixels).reshape(shape)
    segmentation = require("skimage.segmentation")
    span = float(np.ptp(lab)) or 1.0
    n_pieces = max(1, min(n_superpixels, n_pixels // 16))
    spacing = (n_pixels / n_pieces) ** (1 / len(shape))
    return segmentation.slic(
        (lab - lab.min()) / span,  # as slic would do, and then not undo
        n_segments=n_pieces,
        compactness=_COMPACTNESS / span,
        sigma=min(1.0, spacing / 10),
        convert2lab=False,
        enforce_connectivity=True,
        start_label=0,
        channel_axis=-1,
    )


def _hue(rgb: np.ndarray) -> np.ndarray:
    """Return HSV with the hue as a point on a circle, so that both reds are near."""
    hsv = require("skimage.color").rgb2hsv(rgb)
    angle = 2 * np.pi * hsv[..., 0]
    return np.stack(
        [hsv[..., 1] * np.cos(angle), hsv[..., 1] * np.sin(angle), hsv[..., 2]], axis=-1
    )


def _texture(lightness: np.ndarray) -> np.ndarray:
    """Return the local energy of first and second derivatives at several scales."""
    from scipy.ndimage import gaussian_filter

    energies = []
    for scale in _SCALES:
        for axis in range(lightness.ndim):
            for order in (1, 2):
                orders = [order if a == axis else 0 for a in range(lightness.ndim)]
                response = gaussian_filter(lightness, scale, order=orders)
                response *= scale**order
                energy = gaussian_filter(response**2, 2 * scale + 1)
                energies.append(np.sqrt(np.maximum(energy, 0.0)))
    return np.stack(energies, axis=-1)
