"""Nodes of a graph that move between communities while modularity grows."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel

_ROUNDING = 1e-12  # of a node's degree; a gain below it is a rounding error


@kernel
def move_nodes(
    indptr, indices, data, degrees, resolution, bounds, order, keep_number, labels
):
    """Move nodes to the community of a neighbour, or to one of their own.

    All nodes are looked at once, and a node whose neighbour has moved again.

    Parameters
    ----------
    indptr, indices, data : CSR arrays of a symmetric graph
        The diagonal has self-links, twice their weight.
    degrees : float64 array of shape (n,)
        The sums of rows.
    resolution : float
    bounds : int32 array of shape (n,)
        A node may only join nodes of the same number.
    order : int32 array of shape (n,)
        The nodes in the order in which they are first looked at.
    keep_number : bool
        Whether no community may vanish and none may be founded.
    labels : int32 array of shape (n,)
        Communities below n, where to start; changed in place.

    Returns
    -------
    int
        How many times a node has moved.
    """
    n = labels.size
    total = degrees.sum()
    mass = np.zeros(n)
    sizes = np.zeros(n, dtype=np.int64)
    for i in range(n):
        mass[labels[i]] += degrees[i]
        sizes[labels[i]] += 1
    free = np.empty(n + 1, dtype=np.int32)
    n_free = 0
    for c in range(n - 1, -1, -1):
        if sizes[c] == 0:
            free[n_free] = c
            n_free += 1
    queue = order.copy()
    waiting = np.ones(n, dtype=np.bool_)
    head, n_waiting = 0, n
    linked = np.zeros(n)  # weight of a node's links into each community
    near = np.empty(n, dtype=np.int32)
    n_moves = 0
    while n_waiting:
        i = queue[head]
        head = head + 1 if head + 1 < n else 0
        n_waiting -= 1
        waiting[i] = False
        own = labels[i]
        if keep_number and sizes[own] == 1:
            continue
        n_near = 0
        for t in range(indptr[i], indptr[i + 1]):
            j = indices[t]
            if j == i or bounds[j] != bounds[i] or data[t] <= 0.0:
                continue
            c = labels[j]
            if linked[c] == 0.0:
                near[n_near] = c
                n_near += 1
            linked[c] += data[t]
        mass[own] -= degrees[i]
        price = resolution * degrees[i] / total
        best, best_gain = own, linked[own] - price * mass[own]
        least = _ROUNDING * degrees[i]
        for s in range(n_near):
            c = near[s]
            gain = linked[c] - price * mass[c]
            if gain > best_gain + least:
                best, best_gain = c, gain
        if best_gain < -least and sizes[own] > 1 and not keep_number:
            best = free[n_free - 1]
        for s in range(n_near):
            linked[near[s]] = 0.0
        mass[best] += degrees[i]
        if best == own:
            continue
        n_moves += 1
        labels[i] = best
        if sizes[best] == 0:
            n_free -= 1
        sizes[best] += 1
        sizes[own] -= 1
        if sizes[own] == 0:
            mass[own] = 0.0
            free[n_free] = own
            n_free += 1
        for t in range(indptr[i], indptr[i + 1]):
            j = indices[t]
            if labels[j] != best and not waiting[j] and bounds[j] == bounds[i]:
                waiting[j] = True
                tail = head + n_waiting
                queue[tail if tail < n else tail - n] = j
                n_waiting += 1
    return n_moves
