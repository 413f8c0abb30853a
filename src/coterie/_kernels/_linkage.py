"""Kernels for hierarchical clustering: the nearest-neighbour chain and its trees."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel

AVERAGE, SINGLE, COMPLETE = 0, 1, 2

# Each cluster remembers this many nearest others, which avoids most searches.
N_REMEMBERED = 8


@kernel
def _fill_row_base(row_base):
    """Set row_base such that d(i, j), i < j, is at row_base[i] + j."""
    n = row_base.size
    for i in range(n):
        row_base[i] = (i * (2 * n - i - 3)) // 2 - 1


@kernel
def _remember(near, near_d, k, v):
    """Put k into the sorted list of nearest others; the last one drops out."""
    p = near.size - 1
    while p > 0 and v < near_d[p - 1]:
        near[p] = near[p - 1]
        near_d[p] = near_d[p - 1]
        p -= 1
    near[p] = k
    near_d[p] = v


@kernel
def nearest_neighbours(d, near, near_d):
    """Find each item's nearest others; ties go to the smaller index.

    One sequential pass over the condensed matrix; row i also serves the items j > i,
    so no column is ever read. Return False if a distance is infinite or NaN.

    Parameters
    ----------
    d : array of shape (n * (n - 1) / 2,)
    near : int32 array of shape (n, N_REMEMBERED)
        Filled with the nearest others by increasing distance, -1 if there are fewer.
    near_d : array of shape (n, N_REMEMBERED)
        Filled with their distances, infinite if there are fewer.
    """
    n, n_near = near.shape
    near[:] = -1
    near_d[:] = np.inf
    bound = near_d[:, n_near - 1].copy()  # (n,)
    finite = True
    p = 0
    for i in range(n - 1):
        bound_i = bound[i]
        for j in range(i + 1, n):
            v = d[p]
            p += 1
            finite &= v - v == 0
            if v < bound_i:
                _remember(near[i], near_d[i], j, v)
                bound_i = near_d[i, n_near - 1]
            if v < bound[j]:
                _remember(near[j], near_d[j], i, v)
                bound[j] = near_d[j, n_near - 1]
    return finite


@kernel
def _remember_row(row, live, n_live, near, near_d):
    """Remember the nearest of the live clusters, whose distances are in row."""
    near[:] = -1
    near_d[:] = np.inf
    bound = near_d[near.size - 1]
    for p in range(n_live):
        if row[p] < bound:
            _remember(near, near_d, live[p], row[p])
            bound = near_d[near.size - 1]


@kernel
def _gather(d, row_base, live, n_live, i, row):
    """Copy the distances between slot i and the live clusters into row."""
    n_before = np.searchsorted(live[:n_live], i)
    for p in range(n_before):  # the strided part
        row[p] = d[row_base[live[p]] + i]
    row[n_before] = np.inf
    for p in range(n_before + 1, n_live):
        row[p] = d[row_base[i] + live[p]]


@kernel
def _slot(forward, k):
    """Return the slot that now holds the cluster of slot k."""
    while forward[k] != k:
        forward[k] = forward[forward[k]]
        k = forward[k]
    return k


@kernel
def _look_up(d, row_base, forward, i, near, near_d):
    """Return the nearest cluster of slot i, and its distance, from the remembered ones.

    Clusters that i did not remember were at least as far as the last remembered one,
    and so are all their unions. If the remembered ones have moved farther than that,
    return -1 and that distance, a lower bound.
    """
    bound = near_d[near.size - 1]
    best = bound
    best_k = -1
    for p in range(near.size):
        if near[p] < 0:
            break
        k = _slot(forward, near[p])
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
    lower, upper = min(d1, d2), max(d1, d2)
    if method == AVERAGE:
        return min(max(w1 * d1 + w2 * d2, lower), upper)
    if method == SINGLE:
        return lower
    return upper


@kernel
def _update(d, row_base, live, n_live, x, y, w1, w2, method, row):
    """Write the distances of the union of slots x < y into x and into row.

    ``live`` no longer holds y. Most of the time goes into fetching columns, one cache
    line per entry; sharing an update between threads gained nothing on a busy machine.
    """
    n_before_x = np.searchsorted(live[:n_live], x)
    n_before_y = np.searchsorted(live[:n_live], y)
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
def _remove(live, n_live, y):
    """Remove y from the sorted list of live slots."""
    p = np.searchsorted(live[:n_live], y)
    for q in range(p, n_live - 1):
        live[q] = live[q + 1]


@kernel
def chain_linkage(d, size, near, near_d, method, merges):
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
    merges : float64 array of shape (n - 1, 4)
        Filled in the order of merging: two node numbers (n + m for merge m), height and
        size. Not sorted, but a child always comes before its parent.
    """
    n = size.size
    n_live = n
    live = np.arange(n, dtype=np.int32)
    node = np.arange(n, dtype=np.int32)
    forward = np.arange(n, dtype=np.int32)
    row_base = np.empty(n, dtype=np.int64)
    _fill_row_base(row_base)
    chain = np.empty(n, dtype=np.int32)
    chain_d = np.empty(n, dtype=d.dtype)  # to the next in the chain; strictly falling
    row = np.empty(n, dtype=d.dtype)
    chain[0] = 0
    n_chain = 1
    for m in range(n - 1):
        while True:
            i = chain[n_chain - 1]
            j, d_ij = _look_up(d, row_base, forward, i, near[i], near_d[i])
            if j < 0:
                _gather(d, row_base, live, n_live, i, row)
                _remember_row(row, live, n_live, near[i], near_d[i])
                j, d_ij = near[i, 0], near_d[i, 0]
            if n_chain > 1 and d_ij >= chain_d[n_chain - 2]:
                n_chain -= 1
                j = chain[n_chain - 1]  # on ties the chain's own link wins
                break
            # if j does not know its neighbour, it knows at least a lower bound
            _, d_j = _look_up(d, row_base, forward, j, near[j], near_d[j])
            if d_j >= d_ij:
                break
            chain_d[n_chain - 1] = d_ij
            chain[n_chain] = j
            n_chain += 1
        n_chain -= 1
        x, y = min(i, j), max(i, j)
        total = size[x] + size[y]
        merges[m, 0] = min(node[x], node[y])
        merges[m, 1] = max(node[x], node[y])
        merges[m, 2] = d[row_base[x] + y]
        merges[m, 3] = total
        _remove(live, n_live, y)
        n_live -= 1
        w1, w2 = size[x] / total, size[y] / total
        _update(d, row_base, live, n_live, x, y, w1, w2, method, row)
        _remember_row(row, live, n_live, near[x], near_d[x])
        forward[y] = x
        size[x] = total
        node[x] = n + m
        if n_chain == 0:
            chain[0] = x  # its neighbour is known
            n_chain = 1


@kernel
def cut(children, n_clusters, labels):
    """Label the leaves of a tree by its n_clusters highest subtrees.

    Parameters
    ----------
    children : int64 array of shape (n - 1, 2)
        Node numbers of the merges, by height.
    n_clusters : int
    labels : int32 array of shape (n,)
        Filled with labels by first appearance.
    """
    n = labels.size
    n_merges = n - n_clusters
    root = np.arange(n + n_merges)
    for m in range(n_merges - 1, -1, -1):  # parents come first
        root[children[m, 0]] = root[n + m]
        root[children[m, 1]] = root[n + m]
    label_of = np.full(n + n_merges, -1, dtype=np.int32)
    n_labels = 0
    for i in range(n):
        r = root[i]
        if label_of[r] < 0:
            label_of[r] = n_labels
            n_labels += 1
        labels[i] = label_of[r]


@kernel
def expand(Z, index, self_distance, merges):
    """Put the merges of identical samples below a tree of unique rows.

    Parameters
    ----------
    Z : float64 array of shape (u - 1, 4)
    index : int64 array of shape (n,)
        The unique row of each sample; each row occurs.
    self_distance : float64 array of shape (u,)
    merges : float64 array of shape (n - 1, 4)
        Filled in an order with children before parents and heights that never fall
        from child to parent; not sorted by height.
    """
    n = index.size
    u = self_distance.size
    node = np.full(2 * u - 1, -1, dtype=np.int64)  # in the full tree
    size = np.zeros(2 * u - 1)
    height = np.full(2 * u - 1, -np.inf)
    m = 0
    for i in range(n):
        g = index[i]
        size[g] += 1
        if node[g] < 0:
            node[g] = i
            continue
        height[g] = self_distance[g]
        merges[m, 0] = min(node[g], i)
        merges[m, 1] = max(node[g], i)
        merges[m, 2] = height[g]
        merges[m, 3] = size[g]
        node[g] = n + m
        m += 1
    for r in range(u - 1):
        a, b = int(Z[r, 0]), int(Z[r, 1])
        node[u + r] = n + m
        size[u + r] = size[a] + size[b]
        height[u + r] = max(Z[r, 2], height[a], height[b])
        merges[m, 0] = min(node[a], node[b])
        merges[m, 1] = max(node[a], node[b])
        merges[m, 2] = height[u + r]
        merges[m, 3] = size[u + r]
        m += 1
