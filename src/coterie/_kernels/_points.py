"""The nearest-neighbour chain on centroids: trees of points in linear memory."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel, sum_kernel

AVERAGE, WARD = 0, 1


@sum_kernel
def _sqdist(a, b):
    total = 0.0
    for t in range(a.size):
        d = a[t] - b[t]
        total += d * d
    return total


@kernel
def _distance(centers, size, spread, a, b, method):
    """Return the distance of two clusters from their centroids."""
    d = _sqdist(centers[a], centers[b])
    if method == WARD:
        return 2.0 * d * size[a] * size[b] / (size[a] + size[b])
    return d + spread[a] + spread[b]


@kernel
def chain_points(centers, size, spread, method, merges):
    """Merge reciprocal nearest neighbours until one cluster is left.

    Live clusters are kept together at the front, so that a search is one pass over
    contiguous memory.

    Parameters
    ----------
    centers : float64 array of shape (n, d)
        The points; destroyed.
    size : float64 array of shape (n,)
        Their multiplicities; destroyed.
    spread : float64 array of shape (n,)
        Mean squared distances to the centroid, zero at first; destroyed.
    method : int
        AVERAGE (of squared distances) or WARD.
    merges : float64 array of shape (n - 1, 4)
        Filled in the order of merging; a child always comes before its parent.
    """
    n = size.size
    n_live = n
    node = np.arange(n)
    chain = np.empty(n, dtype=np.int64)  # places of live clusters
    n_chain = 0
    for m in range(n - 1):
        if n_chain == 0:
            chain[0] = 0
            n_chain = 1
        while True:
            a = chain[n_chain - 1]
            before = chain[n_chain - 2] if n_chain > 1 else -1
            best, b = np.inf, before
            if before >= 0:  # on ties the chain's own link wins
                best = _distance(centers, size, spread, a, before, method)
            for c in range(n_live):
                if c == a:
                    continue
                d = _distance(centers, size, spread, a, c, method)
                if d < best:
                    best, b = d, c
            if b == before:
                break
            chain[n_chain] = b
            n_chain += 1
        n_chain -= 2
        x, y = min(a, b), max(a, b)
        total = size[x] + size[y]
        merges[m, 0] = min(node[x], node[y])
        merges[m, 1] = max(node[x], node[y])
        merges[m, 2] = best
        merges[m, 3] = total
        wx, wy = size[x] / total, size[y] / total
        spread[x] = (
            wx * spread[x] + wy * spread[y] + wx * wy * _sqdist(centers[x], centers[y])
        )
        for t in range(centers.shape[1]):
            centers[x, t] = wx * centers[x, t] + wy * centers[y, t]
        size[x] = total
        node[x] = n + m
        # the last live cluster moves to the free position
        last = n_live - 1
        if y != last:
            centers[y] = centers[last]
            size[y] = size[last]
            spread[y] = spread[last]
            node[y] = node[last]
            for t in range(n_chain):
                if chain[t] == last:
                    chain[t] = y
        n_live = last
