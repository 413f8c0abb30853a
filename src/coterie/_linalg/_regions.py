"""Trees of regions: neighbours are merged one pair at a time."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from coterie._kernels._regions import (
    AGREEMENT,
    DISTANCE,
    merge_along_borders,
    merge_regions,
)


@dataclass(frozen=True, eq=False)
class RegionTree:
    """The merges of n regions, in order.

    Attributes
    ----------
    sizes : (n,) float64 array
        The size of each region.
    pairs : (n_merges, 2) int64 array
        In each merge, the first region takes in the second. There are fewer than
        n - 1 merges if not all regions are connected.
    heights : (n_merges,) float64 array
        How far apart the two were.
    """

    sizes: np.ndarray
    pairs: np.ndarray
    heights: np.ndarray

    def after(self, n_merges: int) -> np.ndarray:
        """Return the labels 0, 1, ... of the regions after the first merges, (n,)."""
        owner = np.arange(self.sizes.size)
        owner[self.pairs[:n_merges, 1]] = self.pairs[:n_merges, 0]
        while True:
            further = owner[owner]
            if np.array_equal(further, owner):
                return np.unique(owner, return_inverse=True)[1]
            owner = further

    def cut_at(self, n_regions: int) -> np.ndarray:
        """Return the labels for a number of regions, or for the fewest there can be."""
        return self.after(max(0, self.sizes.size - n_regions))

    def cut_below(self, height: float) -> np.ndarray:
        """Return the labels after the merges up to the first one above a height."""
        above = np.flatnonzero(self.heights > height)
        return self.after(int(above[0]) if above.size else len(self.heights))

    def large_regions(self, least: float) -> np.ndarray:
        """Return how many regions have the least size, after 0, 1, ... merges."""
        sizes = self.sizes.copy()
        counts = [int((sizes >= least).sum())]
        for a, b in self.pairs:
            both = sizes[a] + sizes[b]
            before = int(sizes[a] >= least) + int(sizes[b] >= least)
            counts.append(counts[-1] + int(both >= least) - before)
            sizes[a] = both
        return np.array(counts)


def region_tree(
    features: np.ndarray, sizes: np.ndarray, edges: np.ndarray, power: float | None
) -> RegionTree:
    """Merge neighbouring regions, the closest pair first.

    Parameters
    ----------
    features : (n, n_features) array
        The mean features of the regions.
    sizes : (n,) array
    edges : (n_edges, 2) int array
        Pairs of neighbours.
    power : float or None
        How much size counts, from 0 (centroid linkage) to 1 (Ward's); None is average
        linkage where the product of two rows is how far the two regions agree.
    """
    n = len(sizes)
    touch = np.zeros((n, n), dtype=np.bool_)
    touch[edges[:, 0], edges[:, 1]] = touch[edges[:, 1], edges[:, 0]] = True
    most = max(n - 1, 0)
    pairs, heights = np.empty((most, 2), dtype=np.int64), np.empty(most)
    n_merges = merge_regions(
        np.array(features, dtype=np.float64),
        np.array(sizes, dtype=np.float64),
        touch,
        AGREEMENT if power is None else DISTANCE,
        0.0 if power is None else float(power),
        pairs,
        heights,
    )
    return RegionTree(
        np.array(sizes, dtype=np.float64), pairs[:n_merges], heights[:n_merges]
    )


def border_tree(
    strengths: np.ndarray,
    lengths: np.ndarray,
    sizes: np.ndarray,
    edges: np.ndarray,
    power: float,
) -> RegionTree:
    """Merge neighbouring regions, those with the weakest border between them first.

    Parameters
    ----------
    strengths, lengths : (n_edges,) arrays
        The summed strength along the border of each pair, and how long it is. A border
        is as strong as it is on average.
    sizes : (n,) array
    edges : (n_edges, 2) int array
        Pairs of neighbours, each once.
    power : float
        How much size counts, from 0 on.
    """
    most = max(len(sizes) - 1, 0)
    pairs, heights = np.empty((most, 2), dtype=np.int64), np.empty(most)
    n_merges = merge_along_borders(
        np.array(edges, dtype=np.int64),
        np.array(strengths, dtype=np.float64),
        np.array(lengths, dtype=np.float64),
        np.array(sizes, dtype=np.float64),
        float(power),
        pairs,
        heights,
    )
    return RegionTree(
        np.array(sizes, dtype=np.float64), pairs[:n_merges], heights[:n_merges]
    )
