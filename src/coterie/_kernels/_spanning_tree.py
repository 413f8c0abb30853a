"""Minimum spanning trees of points: Prim's algorithm, and rounds of Borůvka's."""

from __future__ import annotations

from coterie._kernels._jit import inlined, kernel


@kernel
def prim(columns, here, names, source, near, new, ends, sqdist):
    """Find the minimum spanning tree of points, step by step from the first.

    Points that are not in the tree are kept together at the front, so that each step
    is a pass over contiguous memory. Edges of equal length are ordered by their ends:
    the tree is that of this order, wherever the search starts.

    Parameters
    ----------
    columns : float array of shape (d, n)
        The points, one feature per row; destroyed.
    here : float array of shape (d,)
        Work space.
    names, source : int32 arrays of shape (n,)
        0 to n - 1, and n for all: points, and their nearest ones in the tree.
    near, new : float arrays of shape (n,)
        Infinite: squared distances to these; and work space.
    ends : int32 array of shape (n - 1, 2)
        Filled with the edges in the order in which they are found.
    sqdist : float array of shape (n - 1,)
        Filled with their squared lengths.
    """
    d, n = columns.shape
    place, n_left = 0, n
    for m in range(n):
        v = names[place]
        if m > 0:
            w = source[place]
            ends[m - 1, 0] = v if v < w else w
            ends[m - 1, 1] = w if v < w else v
            sqdist[m - 1] = near[place]
        n_left -= 1
        names[place] = names[n_left]
        near[place] = near[n_left]
        source[place] = source[n_left]
        for t in range(d):
            here[t] = columns[t, place]
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
        best = near[0]
        for p in range(1, n_left):
            best = near[p] if near[p] < best else best
        place, low, high = -1, 0, 0
        for p in range(n_left):
            if near[p] == best:  # ties go to the smaller pair of names
                a, b = names[p], source[p]
                if b < a:
                    a, b = b, a
                if place < 0 or a < low or (a == low and b < high):
                    place, low, high = p, a, b


@inlined
def _root(parent, i):
    at = i
    while parent[at] != at:
        parent[at] = parent[parent[at]]
        at = parent[at]
    return at


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
        Infinite; filled with the squared lengths, where a neighbour is outside.
    edge : int32 array of shape (c, 2)
        Filled with the ends, the one inside first.
    bound : float array of shape (c,)
        Infinite; filled with a length below which there are only listed edges.
    """
    n, k = indices.shape
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
            last = sqdist[i, k - 1]
            bound[c] = last if last < bound[c] else bound[c]


@kernel
def join_by(order, edge, parent, chosen):
    """Mark the edges that join two trees, in this order, and join these trees.

    ``parent`` of points forms the trees; afterwards it names the root of each point.
    """
    for t in range(order.shape[0]):
        e = order[t]
        a, b = _root(parent, edge[e, 0]), _root(parent, edge[e, 1])
        chosen[e] = a != b
        if a < b:
            parent[b] = a
        else:
            parent[a] = b
    for i in range(parent.size):
        parent[i] = _root(parent, i)
