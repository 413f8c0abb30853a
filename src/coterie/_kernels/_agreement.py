"""Sums over the common samples of pairs of labelings, for NMI and ARI."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import inlined, kernel, parallel_kernel

_DENSE_CELLS = 1 << 16  # a table of 512 kB: about the size of a core's cache


@inlined
def _term(x, adjusted):
    """Pairs in a group of x samples, or its term x log x of the entropy."""
    return 0.5 * x * (x - 1.0) if adjusted else x * np.log(x)


@kernel
def _sum_terms(table, first, last, adjusted):
    """Sum the terms of the groups that are not empty, and count these."""
    total, n_groups = 0.0, 0
    for c in range(first, last):
        if table[c] > 0:
            total += _term(np.float64(table[c]), adjusted)
            n_groups += 1
    return total, n_groups


@inlined
def _fits_table(k_p, k_q, u):
    """Whether the table of two labelings is not much larger than the labelings."""
    cells = k_p * k_q
    return cells <= _DENSE_CELLS or cells <= 2 * u


@parallel_kernel("pairs")
def pair_sums(begin, end, columns, counts, sizes, pairs, adjusted, sums, numbers):
    """Write the sums of which agreements of pairs of labelings are made.

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
    adjusted : bool
        Whether the term of x samples is their number of pairs, or x log x.
    sums : ndarray of shape (P, 4), float64
        Sums of the terms of the clusters of one labeling, of the other, and of the
        cells of their table, for the samples that both assign; the term of all these.
    numbers : ndarray of shape (P, 4), int64
        How many clusters, clusters and cells are not empty; how many samples.
    """
    u = counts.size
    for r in range(begin, end):
        i, j = pairs[r, 0], pairs[r, 1]
        k_p, k_q = sizes[i], sizes[j]
        dense = _fits_table(k_p, k_q, u)
        n_cells = k_p * k_q if dense else 0
        groups = np.zeros(k_p + k_q + n_cells, dtype=np.int64)  # then the cells
        start, first = np.int64(0), k_p + k_q
        n = 0
        for s in range(u):
            p, q = columns[i, s], columns[j, s]
            if p >= 0 and q >= 0:
                groups[p] += counts[s]
                groups[k_p + q] += counts[s]
                n += counts[s]
                if dense:
                    groups[first + p * k_q + q] += counts[s]
        sums[r, 0], numbers[r, 0] = _sum_terms(groups, start, k_p, adjusted)
        sums[r, 1], numbers[r, 1] = _sum_terms(groups, k_p, first, adjusted)
        sums[r, 2], numbers[r, 2] = _sum_terms(groups, first, groups.size, adjusted)
        sums[r, 3], numbers[r, 3] = _term(np.float64(n), adjusted), n


@parallel_kernel("pairs")
def sum_cells(begin, end, columns, counts, sizes, pairs, adjusted, sums, numbers):
    """Add what ``pair_sums`` leaves out: the cells of tables that are too large.

    One cluster at a time: time and memory O(u + k).
    """
    u = counts.size
    for r in range(begin, end):
        i, j = pairs[r, 0], pairs[r, 1]
        if _fits_table(sizes[i], sizes[j], u):
            continue
        n_groups = 0
        start = np.zeros(sizes[i] + 2, dtype=np.int64)
        for s in range(u):
            if columns[i, s] >= 0 and columns[j, s] >= 0:
                start[columns[i, s] + 2] += 1
                n_groups += 1
        for c in range(sizes[i]):
            start[c + 2] += start[c + 1]
        # start[c + 1] is where cluster c begins; filling moves it to where it ends
        order = np.zeros(n_groups, dtype=np.int64)
        for s in range(u):
            p = columns[i, s]
            if p >= 0 and columns[j, s] >= 0:
                order[start[p + 1]] = s
                start[p + 1] += 1
        row = np.zeros(sizes[j], dtype=np.int64)  # one row of the table
        total, n_cells = 0.0, 0
        for c in range(sizes[i]):
            for at in range(start[c], start[c + 1]):
                row[columns[j, order[at]]] += counts[order[at]]
            for at in range(start[c], start[c + 1]):
                q = columns[j, order[at]]
                if row[q] > 0:
                    total += _term(np.float64(row[q]), adjusted)
                    n_cells += 1
                    row[q] = 0
        sums[r, 2], numbers[r, 2] = total, n_cells


def all_pair_sums(columns, counts, sizes, pairs, adjusted, sums, numbers):
    """Call ``pair_sums``, and ``sum_cells`` only if a table is too large."""
    pair_sums(columns, counts, sizes, pairs, adjusted, sums, numbers)
    k = sizes.max(initial=0)
    if not _fits_table.py_func(int(k), int(k), counts.size):
        sum_cells(columns, counts, sizes, pairs, adjusted, sums, numbers)
