"""Agreement of pairs of labelings, from the counts of their common samples."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel, parallel_kernel

NMI, ARI, NMI_MAX = 0, 1, 2  # measures
_DENSE_CELLS = 1 << 16  # a table of 512 kB: about the size of a core's cache


@kernel
def _term(x, adjusted):
    """Pairs in a group of x samples, or its term x log x of the entropy."""
    if adjusted:
        return 0.5 * x * (x - 1.0)
    return x * np.log(x)


@kernel
def _sum_cells_dense(p, q, counts, k, adjusted):
    """Sum the terms of the cells, and count these, with a table of k[0] x k[1]."""
    table = np.zeros(k[0] * k[1], dtype=np.int64)
    for s in range(len(counts)):
        if p[s] >= 0 and q[s] >= 0:
            table[p[s] * k[1] + q[s]] += counts[s]
    total, n_cells = 0.0, 0
    for cell in range(len(table)):
        if table[cell] > 0:
            total += _term(float(table[cell]), adjusted)
            n_cells += 1
    return total, n_cells


@kernel
def _sum_cells_sparse(p, q, counts, k, adjusted):
    """Do the same one cluster of p at a time; time and memory O(u + k[0] + k[1])."""
    start = np.zeros(k[0] + 1, dtype=np.int64)
    for s in range(len(counts)):
        if p[s] >= 0 and q[s] >= 0:
            start[p[s] + 1] += 1
    start = np.cumsum(start)
    order = np.empty(start[-1], dtype=np.int64)  # samples sorted by their cluster in p
    fill = start[:-1].copy()
    for s in range(len(counts)):
        if p[s] >= 0 and q[s] >= 0:
            order[fill[p[s]]] = s
            fill[p[s]] += 1
    row = np.zeros(k[1], dtype=np.int64)  # one row of the table
    total, n_cells = 0.0, 0
    for c in range(k[0]):
        for at in range(start[c], start[c + 1]):
            row[q[order[at]]] += counts[order[at]]
        for at in range(start[c], start[c + 1]):
            cell = q[order[at]]
            if row[cell] > 0:
                total += _term(float(row[cell]), adjusted)
                n_cells += 1
                row[cell] = 0
    return total, n_cells


@kernel
def _sum_sizes(sizes, adjusted):
    """Sum the terms of the clusters that are not empty, and count these."""
    total, n_clusters = 0.0, 0
    for c in range(len(sizes)):
        if sizes[c] > 0:
            total += _term(float(sizes[c]), adjusted)
            n_clusters += 1
    return total, n_clusters


@kernel
def _agree(p, q, counts, k, measure):
    """Agreement of labelings p and q on the samples that both assign."""
    adjusted = measure == ARI
    p_sizes = np.zeros(k[0], dtype=np.int64)
    q_sizes = np.zeros(k[1], dtype=np.int64)
    n = 0
    for s in range(len(counts)):
        if p[s] >= 0 and q[s] >= 0:
            p_sizes[p[s]] += counts[s]
            q_sizes[q[s]] += counts[s]
            n += counts[s]
    if n == 0:
        return 0.0  # nothing in common, no evidence of agreement
    if k[0] * k[1] <= max(_DENSE_CELLS, 2 * len(counts)):
        both, n_cells = _sum_cells_dense(p, q, counts, k, adjusted)
    else:
        both, n_cells = _sum_cells_sparse(p, q, counts, k, adjusted)
    in_p, n_p = _sum_sizes(p_sizes, adjusted)
    in_q, n_q = _sum_sizes(q_sizes, adjusted)
    if n_cells == n_p and n_cells == n_q:
        return 1.0  # exactly the same partition
    if n_p == 1 or n_q == 1:
        return 0.0
    if adjusted:
        chance = in_p * (in_q / _term(float(n), True))
        return (both - chance) / (0.5 * (in_p + in_q) - chance)
    every = _term(float(n), False)
    information = every - in_p - in_q + both  # n I(p; q)
    if measure == NMI_MAX:
        entropy = max(every - in_p, every - in_q)
    else:
        entropy = np.sqrt((every - in_p) * (every - in_q))
    return min(1.0, max(0.0, information / entropy))


@parallel_kernel("pairs")
def pair_agreement(begin, end, columns, counts, sizes, pairs, measure, out):
    """Write the agreement of pairs of labelings.

    Parameters
    ----------
    columns : ndarray of shape (M, u), int32, C-order
        Labelings of u groups of samples; -1 = not assigned.
    counts : ndarray of shape (u,), int64
        Number of samples in each group.
    sizes : ndarray of shape (M,), int64
        Number of clusters of each labeling.
    pairs : ndarray of shape (P, 2), int64
        Which labelings to compare.
    measure : int
        NMI (over the geometric mean of the entropies), ARI, or NMI_MAX (over the larger
        entropy).
    out : ndarray of shape (P,), float64
        Agreement on the samples that both assign; 0 if there are none.
    """
    for r in range(begin, end):
        i, j = pairs[r, 0], pairs[r, 1]
        k = (sizes[i], sizes[j])
        out[r] = _agree(columns[i], columns[j], counts, k, measure)
