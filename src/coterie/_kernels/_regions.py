"""Kernels that merge neighbouring regions of an image, the closest pair first."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel, sum_kernel

DISTANCE, AGREEMENT = 0, 1


@sum_kernel
def _apart(means, sizes, a, b, linkage, power):
    """Return how far apart two regions are."""
    total = 0.0
    if linkage == AGREEMENT:
        for t in range(means.shape[1]):
            total += means[a, t] * means[b, t]
        return 1.0 - total
    for t in range(means.shape[1]):
        difference = means[a, t] - means[b, t]
        total += difference * difference
    return total * (sizes[a] * sizes[b] / (sizes[a] + sizes[b])) ** power


@kernel
def _find_nearest(means, sizes, touch, a, linkage, power, nearest, height):
    """Find the neighbour to which a region is closest; ties go to the first."""
    nearest[a] = -1
    height[a] = np.inf
    for b in range(touch.shape[0]):
        if touch[a, b]:
            d = _apart(means, sizes, a, b, linkage, power)
            if d < height[a]:
                height[a] = d
                nearest[a] = b


@kernel
def merge_regions(means, sizes, touch, linkage, power, pairs, heights):
    """Merge touching regions until none touch; return the number of merges.

    With ``linkage=DISTANCE`` two regions are apart by the squared distance of their
    means, times the ``power`` of s t / (s + t) for their sizes s and t: 0 is centroid
    linkage and 1 is Ward's. With ``linkage=AGREEMENT`` they are apart by one minus the
    product of their means: for rows of an ensemble's incidence matrix, each divided by
    the root of the number of members, this is average linkage on the co-association.

    Parameters
    ----------
    means : float64 array of shape (n, n_features)
        The features of the regions; overwritten.
    sizes : float64 array of shape (n,)
        Overwritten.
    touch : bool array of shape (n, n)
        Which regions are neighbours: symmetric, False on the diagonal; overwritten.
    pairs : int64 array of shape (n - 1, 2)
        Filled with the merges: the first region of each takes in the second.
    heights : float64 array of shape (n - 1,)
        Filled with how far apart they were.
    """
    n = sizes.size
    nearest = np.empty(n, dtype=np.int64)
    height = np.empty(n)
    for a in range(n):
        _find_nearest(means, sizes, touch, a, linkage, power, nearest, height)
    for step in range(n - 1):
        a = np.argmin(height)
        b = nearest[a]
        if b < 0:
            return step
        heights[step] = height[a]
        a, b = min(a, b), max(a, b)
        pairs[step, 0], pairs[step, 1] = a, b
        size = sizes[a] + sizes[b]
        for t in range(means.shape[1]):
            means[a, t] = (sizes[a] * means[a, t] + sizes[b] * means[b, t]) / size
        sizes[a] = size
        height[b] = np.inf
        nearest[b] = -1
        for c in range(n):
            if touch[b, c]:
                touch[b, c] = touch[c, b] = False
                if c != a:
                    touch[a, c] = touch[c, a] = True
        _find_nearest(means, sizes, touch, a, linkage, power, nearest, height)
        for c in range(n):
            if not touch[a, c]:
                continue
            if nearest[c] == a or nearest[c] == b:
                _find_nearest(means, sizes, touch, c, linkage, power, nearest, height)
            else:
                d = _apart(means, sizes, a, c, linkage, power)
                if d < height[c] or (d == height[c] and a < nearest[c]):
                    height[c] = d
                    nearest[c] = a
    return heights.size


@kernel
def merge_along_borders(edges, strengths, lengths, sizes, power, pairs, heights):
    """Merge regions along the weakest border until none is left; return how often.

    Two regions are apart by the mean strength of their common border, times the
    ``power`` of s t / (s + t) for their sizes s and t.

    Parameters
    ----------
    edges : int64 array of shape (n_edges, 2)
        Pairs of neighbours, each once; overwritten.
    strengths, lengths : float64 arrays of shape (n_edges,)
        The summed strength along each border, and how long it is; overwritten.
    sizes : float64 array of shape (n,)
        Overwritten.
    pairs : int64 array of shape (n - 1, 2)
        Filled with the merges: the first region of each takes in the second.
    heights : float64 array of shape (n - 1,)
        Filled with how far apart they were.
    """
    n_edges = lengths.size
    apart = np.empty(n_edges)
    changed = np.ones(sizes.size, dtype=np.bool_)
    place = np.full(sizes.size, -1)  # of the edge from the merged region to each other
    for step in range(heights.size):
        nearest = -1
        for e in range(n_edges):
            x, y = edges[e]
            if changed[x] or changed[y]:
                size = sizes[x] * sizes[y] / (sizes[x] + sizes[y])
                apart[e] = strengths[e] / lengths[e] * size**power
            if nearest < 0 or apart[e] < apart[nearest]:
                nearest = e
        if nearest < 0:
            return step
        changed[:] = False
        a, b = min(edges[nearest]), max(edges[nearest])
        pairs[step, 0], pairs[step, 1] = a, b
        heights[step] = apart[nearest]
        sizes[a] += sizes[b]
        changed[a] = True
        place[:] = -1
        kept = 0
        for e in range(n_edges):
            x, y = edges[e]
            x, y = a if x == b else x, a if y == b else y
            if x == y:
                continue
            if x == a or y == a:
                other = y if x == a else x
                if place[other] >= 0:
                    strengths[place[other]] += strengths[e]
                    lengths[place[other]] += lengths[e]
                    continue
                place[other] = kept
            edges[kept, 0], edges[kept, 1] = x, y
            strengths[kept], lengths[kept] = strengths[e], lengths[e]
            apart[kept] = apart[e]
            kept += 1
        n_edges = kept
    return heights.size
