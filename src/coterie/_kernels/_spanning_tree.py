"""Minimum spanning trees of points: Prim's algorithm, and rounds of Borůvka's."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel


@kernel
def _nearest_left(near, source, names, n_left):
    """Return the place of the shortest edge; ties go to the smaller pair of names."""
    best = near[0]
    for p in range(1, n_left):
        best = min(best, near[p])
    place, low, high = -1, 0, 0
    for p in range(n_left):
        if near[p] == best:
            a, b = min(names[p], source[p]), max(names[p], source[p])
            if place < 0 or a < low or (a == low and b < high):
                place, low, high = p, a, b
    return place


@kernel
def prim(columns, ends, sqdist):
    """Find the minimum spanning tree of points, step by step from the first.

    Points that are not in the tree are kept together at the front, so that each step
    is a pass over contiguous memory. Edges of equal length are ordered by their ends:
    the tree is that of this order, wherever the search starts.

    Parameters
    ----------
    columns : float array of shape (d, n)
        The points, one feature per row; destroyed.
    ends : int32 array of shape (n - 1, 2)
        Filled with the edges in the order in which they are found.
    sqdist : float array of shape (n - 1,)
        Filled with their squared lengths.
    """
    d, n = columns.shape
    names = np.arange(n).astype(np.int32)
    near = np.full(n, np.inf, dtype=columns.dtype)
    source = np.full(n, n, dtype=np.int32)
    new = np.empty(n, dtype=columns.dtype)
    place, n_left = 0, n
    for m in range(n):
        v = names[place]
        if m > 0:
            ends[m - 1, 0] = min(v, source[place])
            ends[m - 1, 1] = max(v, source[place])
            sqdist[m - 1] = near[place]
        n_left -= 1
        here = columns[:, place].copy()
        names[place] = names[n_left]
        near[place] = near[n_left]
        source[place] = source[n_left]
        for t in range(d):
            columns[t, place] = columns[t, n_left]
        if n_left == 0:
            break
        for t in range(d):
            column, x = columns[t], here[t]
            if t == 0:
                for p in range(n_left):
                    new[p] = (column[p] - x) * (column[p] - x)
            else:
                for p in range(n_left):
                    new[p] += (column[p] - x) * (column[p] - x)
        for p in range(n_left):
            closer = new[p] < near[p] or (new[p] == near[p] and v < source[p])
            source[p] = v if closer else source[p]
            near[p] = new[p] if closer else near[p]
        place = _nearest_left(near, source, names, n_left)


@kernel
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def shortest_listed(indices, sqdist, component, best, edge, bound):
    """Find the shortest edge out of each component among listed neighbours.

    Parameters
    ----------
    indices : int32 array of shape (n, k)
        The nearest neighbours of each point, nearest first.
    sqdist : float array of shape (n, k)
        Their squared distances.
    component : int32 array of shape (n,)
    best : float array of shape (c,)
        Filled with the squared lengths, infinite if no neighbour is outside.
    edge : int32 array of shape (c, 2)
        Filled with the ends, the one inside first.
    bound : float array of shape (c,)
        Filled with a length that edges which are not listed do not fall below.
    """
    n, k = indices.shape
    best[:] = np.inf
    bound[:] = np.inf
    for i in range(n):
        c = component[i]
        for t in range(k):
            if sqdist[i, t] > best[c]:
                break
            j = indices[i, t]
            if component[j] != c:
                if sqdist[i, t] < best[c]:
                    best[c] = sqdist[i, t]
                    edge[c, 0] = i
                    edge[c, 1] = j
                break
        else:
            bound[c] = min(bound[c], sqdist[i, k - 1])


@kernel
def join_by(order, edge, parent, chosen):
    """Mark the edges that join two trees, in this order, and join these trees.

    ``parent`` of points forms the trees; afterwards it names the root of each point.
    """
    for e in order:
        a, b = _root(parent, edge[e, 0]), _root(parent, edge[e, 1])
        chosen[e] = a != b
        parent[max(a, b)] = min(a, b)
    for i in range(parent.size):
        parent[i] = _root(parent, i)
