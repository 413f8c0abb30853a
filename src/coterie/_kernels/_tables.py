"""Pairwise tables of members: cluster entropies and the overlap matrix."""

import numpy as np

from coterie._kernels._jit import inlined, kernel, parallel_kernel

TILE = 4096  # rows; one tile of all members' labels stays in the second-level cache


@inlined
def fits_table(k_a, k_b, n_rows):
    """Whether the table of two members is not much larger than the data."""
    cells = k_a * k_b
    return cells <= 65536 or cells <= 4 * n_rows


def _number_of_pairs(columns, *_):
    return len(columns) * (len(columns) - 1) // 2


@inlined
def _larger_of_pair(pair):
    """Return a of the pair (a, b), a > b, row by row of the lower triangle."""
    a = np.int64((1.0 + np.sqrt(1.0 + 8.0 * pair)) / 2.0)
    while a * (a - 1) // 2 > pair:
        a -= 1
    while (a + 1) * a // 2 <= pair:
        a += 1
    return a


@parallel_kernel(_number_of_pairs)
def pair_entropies(begin, end, columns, offsets, counts, nlogn, out):
    """Entropy of every cluster with respect to every member.

    Pairs of members are left out unless their table fits, see :func:`fits_table`.

    Parameters
    ----------
    columns : (M, u) labels, one member per row
    offsets : (M + 1,) int64
    counts : (u,) int64, how often each row occurs
    nlogn : (N + 1,) float64, n log2 n
    out : (C, M) float64, zeros
    """
    n_rows = columns.shape[1]
    for pair in range(begin, end):
        a = _larger_of_pair(pair)
        b = pair - a * (a - 1) // 2
        at_a, at_b = offsets[a], offsets[b]
        k_a, k_b = offsets[a + 1] - at_a, offsets[b + 1] - at_b
        if not fits_table(k_a, k_b, n_rows):
            continue
        table = np.zeros((k_a + 1) * k_b, dtype=np.int64)  # last, the sizes in b
        for i in range(n_rows):
            p, q = columns[a, i], columns[b, i]
            if p >= 0 and q >= 0:
                table[p * k_b + q] += counts[i]
        for p in range(k_a):
            size = 0
            inner = 0.0
            for q in range(k_b):
                n = table[p * k_b + q]
                if n > 0:
                    size += n
                    table[k_a * k_b + q] += n
                    inner += nlogn[n]
                    out[at_b + q, a] -= nlogn[n]
            # -sum p log p = log n - (sum n_q log n_q) / n, Eq. 16 of MDEC
            out[at_a + p, b] = (nlogn[size] - inner) / size if size > 0 else 0.0
        for q in range(k_b):
            size = table[k_a * k_b + q]
            if size > 0:
                out[at_b + q, a] = (out[at_b + q, a] + nlogn[size]) / size


@kernel
def _entropies_by_list(starts, rows, b, counts, scratch, nlogn, h_a):
    """Entropies of clusters (given by lists of rows) with respect to b."""
    for p in range(starts.shape[0] - 1):
        size = 0
        for t in range(starts[p], starts[p + 1]):
            code = b[rows[t]]
            if code >= 0:
                scratch[code] += counts[rows[t]]
                size += counts[rows[t]]
        inner = 0.0
        for t in range(starts[p], starts[p + 1]):
            code = b[rows[t]]
            if code >= 0 and scratch[code] > 0:
                inner += nlogn[scratch[code]]
                scratch[code] = 0
        h_a[p] = (nlogn[size] - inner) / size if size > 0 else 0.0


@parallel_kernel(_number_of_pairs)
def listed_pair_entropies(
    begin, end, columns, offsets, counts, starts, rows, nlogn, out
):
    """``pair_entropies`` of the pairs that it leaves out, in linear memory.

    ``starts`` (C + 1,) int64 and ``rows`` (u * M,) int32 list the rows of each cluster.
    """
    for pair in range(begin, end):
        a = _larger_of_pair(pair)
        b = pair - a * (a - 1) // 2
        k_a = offsets[a + 1] - offsets[a]
        k_b = offsets[b + 1] - offsets[b]
        if fits_table(k_a, k_b, columns.shape[1]):
            continue
        scratch = np.zeros(k_a + k_b, dtype=np.int64)
        of_a = starts[offsets[a] : offsets[a + 1] + 1]
        of_b = starts[offsets[b] : offsets[b + 1] + 1]
        h_a = out[offsets[a] : offsets[a + 1], b]
        h_b = out[offsets[b] : offsets[b + 1], a]
        _entropies_by_list(of_a, rows, columns[b], counts, scratch, nlogn, h_a)
        _entropies_by_list(of_b, rows, columns[a], counts, scratch, nlogn, h_b)


@parallel_kernel(lambda columns, *_: (len(columns) + 1) // 2)
def overlap(begin, end, columns, offsets, row_weights, out):
    """Weighted number of rows that each pair of clusters shares.

    ``columns`` (M, u), ``row_weights`` (u,) float64, ``out`` (C * C,) float64 zeros:
    the matrix, flat, since one unsigned index takes half the time of two signed ones
    (which may count from the end). Each member fills its part of the upper triangle,
    and mirrors it; members are taken in pairs from both ends, to balance the threads.
    """
    n_members, n_rows = columns.shape
    n_clusters = offsets[n_members]
    for t in range(2 * begin, 2 * end):
        a = t // 2 if t % 2 == 0 else n_members - 1 - t // 2
        if t % 2 == 1 and a == t // 2:
            continue  # the middle one of an odd number
        for start in range(0, n_rows, TILE):
            stop = start + TILE if start + TILE < n_rows else n_rows
            n_fours = (n_members - a) // 4  # to read a's labels once for four members
            for b in range(a, a + 4 * n_fours, 4):
                at_0, at_1 = offsets[b], offsets[b + 1]
                at_2, at_3 = offsets[b + 2], offsets[b + 3]
                for i in range(start, stop):
                    p = columns[a, i]
                    if p < 0:
                        continue
                    h, w = (offsets[a] + p) * n_clusters, row_weights[i]
                    q_0, q_1 = columns[b, i], columns[b + 1, i]
                    q_2, q_3 = columns[b + 2, i], columns[b + 3, i]
                    if q_0 >= 0:
                        out[np.uint64(h + (at_0 + q_0))] += w
                    if q_1 >= 0:
                        out[np.uint64(h + (at_1 + q_1))] += w
                    if q_2 >= 0:
                        out[np.uint64(h + (at_2 + q_2))] += w
                    if q_3 >= 0:
                        out[np.uint64(h + (at_3 + q_3))] += w
            for b in range(a + 4 * n_fours, n_members):
                for i in range(start, stop):
                    p, q = columns[a, i], columns[b, i]
                    if p >= 0 and q >= 0:
                        h = (offsets[a] + p) * n_clusters
                        out[np.uint64(h + (offsets[b] + q))] += row_weights[i]
        for h in range(offsets[a + 1], n_clusters):
            for g in range(offsets[a], offsets[a + 1]):
                out[h * n_clusters + g] = out[g * n_clusters + h]
