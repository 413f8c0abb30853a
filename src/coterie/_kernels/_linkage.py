"""Kernels for hierarchical clustering: the nearest-neighbour chain and its trees."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import inlined, kernel

AVERAGE, SINGLE, COMPLETE = 0, 1, 2

# Each cluster remembers this many nearest others, which avoids most searches.
N_REMEMBERED = 8


@kernel
def _place_of(live, n_live, i):
    """Return how many of the live slots, which are sorted, are before slot i."""
    low, high = np.int64(0), n_live
    while low < high:
        middle = (low + high) // 2
        if live[middle] < i:
            low = middle + 1
        else:
            high = middle
    return low


@kernel
def _remember(near, near_d, i, k, v):
    """Put k into the sorted list of i's nearest others; the last one drops out.

    Return the distance of the last one.
    """
    p = near.shape[1] - 1
    while p > 0 and v < near_d[i, p - 1]:
        near[i, p] = near[i, p - 1]
        near_d[i, p] = near_d[i, p - 1]
        p -= 1
    near[i, p] = k
    near_d[i, p] = v
    return near_d[i, near.shape[1] - 1]


@kernel
def nearest_neighbours(d, bound, near, near_d):
    """Find each item's nearest others; ties go to the smaller index.

    One sequential pass over the condensed matrix; row i also serves the items j > i,
    so no column is ever read. Return False if a distance is infinite or NaN.

    Parameters
    ----------
    d : array of shape (n * (n - 1) / 2,)
    bound : array of shape (n,)
        Infinite; becomes the distance to the last of the nearest others.
    near : int64 array of shape (n, N_REMEMBERED)
        -1; filled with the nearest others by increasing distance, as far as there are.
    near_d : array of shape (n, N_REMEMBERED)
        Infinite; filled with their distances.
    """
    n = near.shape[0]
    finite = True
    p = 0
    for i in range(n - 1):
        bound_i = bound[i]
        for j in range(i + 1, n):
            v = d[p]
            p += 1
            finite &= v - v == 0
            if v < bound_i:
                bound_i = _remember(near, near_d, i, j, v)
            if v < bound[j]:
                bound[j] = _remember(near, near_d, j, i, v)
    return finite


@kernel
def _remember_row(row, live, n_live, i, near, near_d):
    """Remember the nearest of the live clusters, whose distances to i are in row."""
    for p in range(near.shape[1]):
        near[i, p] = -1
        near_d[i, p] = np.inf
    bound = near_d[i, 0]
    for p in range(n_live):
        if row[p] < bound:
            bound = _remember(near, near_d, i, live[p], row[p])


@kernel
def _look_up(d, row_base, forward, i, near, near_d):
    """Return the nearest cluster of slot i, and its distance, from the remembered ones.

    Clusters that i did not remember were at least as far as the last remembered one,
    and so are all their unions. If the remembered ones have moved farther than that,
    return -1 and that distance, a lower bound.
    """
    best = near_d[i, near.shape[1] - 1]
    best_k = np.int64(-1)
    for p in range(near.shape[1]):
        k = near[i, p]
        if k < 0:
            break
        while forward[k] != k:  # the slot that now holds its cluster
            forward[k] = forward[forward[k]]
            k = forward[k]
        v = d[row_base[k] + i] if k < i else d[row_base[i] + k]
        if v < best or (v == best and (best_k < 0 or k < best_k)):
            best = v
            best_k = k
    return best_k, best


@kernel
def _lance_williams(d1, d2, w1, w2, method):
    """Return the distance to the union of two clusters at distances d1 and d2.

    The chain requires that it is no less than the smaller of the two, which rounding
    could violate; hence the bounds. There is no branch on d1 < d2, as nobody could
    predict it.
    """
    lower, upper = d1 if d1 < d2 else d2, d2 if d1 < d2 else d1
    if method == AVERAGE:
        mean = w1 * d1 + w2 * d2
        mean = mean if mean > lower else lower
        return mean if mean < upper else upper
    if method == SINGLE:
        return lower
    return upper


@inlined
def _update(d, row_base, live, n_live, x, y, w1, w2, method, row):
    """Write the distances of the union of slots x < y into x and into row.

    ``live`` no longer holds y. Most of the time goes into fetching columns, one cache
    line per entry; sharing an update between threads gained nothing on a busy machine.
    """
    n_before_x = _place_of(live, n_live, x)
    n_before_y = _place_of(live, n_live, y)
    base_x = row_base[x]
    base_y = row_base[y]
    for p in range(n_before_x):  # column, column
        base = row_base[live[p]]
        row[p] = _lance_williams(d[base + x], d[base + y], w1, w2, method)
        d[base + x] = row[p]
    row[n_before_x] = np.inf
    for p in range(n_before_x + 1, n_before_y):  # row, column
        k = live[p]
        row[p] = _lance_williams(d[base_x + k], d[row_base[k] + y], w1, w2, method)
        d[base_x + k] = row[p]
    for p in range(n_before_y, n_live):  # row, row
        k = live[p]
        row[p] = _lance_williams(d[base_x + k], d[base_y + k], w1, w2, method)
        d[base_x + k] = row[p]


@kernel
def chain_linkage(
    d,
    size,
    near,
    near_d,
    method,
    live,
    node,
    forward,
    chain,
    row_base,
    chain_d,
    row,
    merges,
):
    """Merge reciprocal nearest neighbours until one cluster is left.

    Parameters
    ----------
    d : array of shape (n * (n - 1) / 2,)
        Condensed distances; destroyed.
    size : float64 array of shape (n,)
        Multiplicities; destroyed.
    near, near_d : arrays of shape (n, N_REMEMBERED)
        From `nearest_neighbours`; destroyed.
    method : int
        AVERAGE, SINGLE or COMPLETE.
    live, node, forward, chain : int64 arrays of shape (n,)
        0 to n - 1.
    row_base : int64 array of shape (n,)
        The distance of i and j, i < j, is at ``row_base[i] + j``.
    chain_d, row : arrays of shape (n,)
        Work space, of the dtype of the distances.
    merges : float64 array of shape (n - 1, 4)
        Filled in the order of merging: two node numbers (n + m for merge m), height and
        size. Not sorted, but a child always comes before its parent.
    """
    n = size.size
    n_live = n
    n_chain = 1  # the first slot; chain_d falls strictly
    for m in range(n - 1):
        while True:
            i = chain[n_chain - 1]
            j, d_ij = _look_up(d, row_base, forward, i, near, near_d)
            if j < 0:
                n_before = _place_of(live, n_live, i)
                for p in range(n_before):  # the strided part
                    row[p] = d[row_base[live[p]] + i]
                row[n_before] = np.inf
                for p in range(n_before + 1, n_live):
                    row[p] = d[row_base[i] + live[p]]
                _remember_row(row, live, n_live, i, near, near_d)
                j, d_ij = near[i, 0], near_d[i, 0]
            if n_chain > 1 and d_ij >= chain_d[n_chain - 2]:
                n_chain -= 1
                j = chain[n_chain - 1]  # on ties the chain's own link wins
                break
            # if j does not know its neighbour, it knows at least a lower bound
            _, d_j = _look_up(d, row_base, forward, j, near, near_d)
            if d_j >= d_ij:
                break
            chain_d[n_chain - 1] = d_ij
            chain[n_chain] = j
            n_chain += 1
        n_chain -= 1
        x, y = i if i < j else j, j if i < j else i
        total = size[x] + size[y]
        a, b = node[x], node[y]
        merges[m, 0] = a if a < b else b
        merges[m, 1] = b if a < b else a
        merges[m, 2] = d[row_base[x] + y]
        merges[m, 3] = total
        n_live -= 1
        for p in range(_place_of(live, n_live, y), n_live):
            live[p] = live[p + 1]
        w1, w2 = size[x] / total, size[y] / total
        _update(d, row_base, live, n_live, x, y, w1, w2, method, row)
        _remember_row(row, live, n_live, x, near, near_d)
        forward[y] = x
        size[x] = total
        node[x] = n + m
        if n_chain == 0:
            chain[0] = x  # its neighbour is known
            n_chain = 1
