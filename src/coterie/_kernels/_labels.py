"""Coding of label columns and search for unique label rows."""

import numpy as np

from coterie._kernels._jit import kernel, parallel_kernel


@kernel
def code_columns(values, first, column, low, starts, table, coded, n_codes):
    """Code some rows of some columns by first appearance; -1 stays -1.

    The rows that follow are coded by further calls with the same table.

    Parameters
    ----------
    values : (n, m) int64
        Integers; -1 = not assigned.
    first, column : int
        Where these rows and columns begin in ``coded``.
    low, starts : (m,) int64
        Smallest value of each column, and where its part of the table begins.
    table : int32
        The code of each value, plus one; zeros before the first call.
    coded : (N, M) int32, n_codes : (m,) int64
        Outputs; ``n_codes`` is zero before the first call.
    """
    for i in range(values.shape[0]):
        row, codes = values[i], coded[first + i]
        for j in range(values.shape[1]):
            value = row[j]
            if value == -1:
                codes[column + j] = -1
                continue
            place = starts[j] + (value - low[j])
            if table[place] == 0:
                n_codes[j] += 1
                table[place] = n_codes[j]
            codes[column + j] = table[place] - 1


@parallel_kernel("labels")
def hash_rows(begin, end, labels, hashes):
    """Write a 64-bit hash of each label row (FNV-1a over words, then a final mix)."""
    for i in range(begin, end):
        h = np.uint64(14695981039346656037)
        for j in range(labels.shape[1]):
            h = (h ^ np.uint64(labels[i, j] + 1)) * np.uint64(1099511628211)
            h = h ^ (h >> np.uint64(29))
        h = (h ^ (h >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
        hashes[i] = h ^ (h >> np.uint64(29))


@kernel
def group_rows(labels, hashes, slots, first, index, counts):
    """Code the distinct rows by first appearance; return their number.

    ``slots`` is a table of -1, int32, whose size is a power of two above N. ``first``
    (N,) receives the first row of each group, ``index`` (N,) the group of
    each row, ``counts`` (N,) the size of each group. Rows are compared in full: equal
    hashes alone never join two rows.
    """
    n_rows, n_columns = labels.shape
    mask = np.uint64(slots.size - 1)
    n_groups = 0
    for i in range(n_rows):
        slot = hashes[i] & mask
        while True:
            group = slots[slot]
            if group < 0:
                slots[slot] = n_groups
                first[n_groups] = i
                counts[n_groups] = 1
                index[i] = n_groups
                n_groups += 1
                break
            other = first[group]
            same = hashes[other] == hashes[i]
            if same:
                for j in range(n_columns):
                    if labels[other, j] != labels[i, j]:
                        same = False
                        break
            if same:
                counts[group] += 1
                index[i] = group
                break
            slot = (slot + np.uint64(1)) & mask
    return n_groups


@parallel_kernel(lambda labels, *_: labels.shape[1])
def inverted_lists(begin, end, labels, offsets, ends, rows, positions):
    """List the rows of each cluster in ascending order.

    ``ends`` (C,) is where the list of each cluster begins in ``rows``, and becomes
    where it ends. ``positions[i, j]`` is the index of row i in the list of its cluster
    in member j (-1 if it has none).
    """
    n_rows = labels.shape[0]
    for j in range(begin, end):
        for i in range(n_rows):
            code = labels[i, j]
            if code < 0:
                positions[i, j] = -1
                continue
            place = ends[offsets[j] + code]
            rows[place] = i
            positions[i, j] = place
            ends[offsets[j] + code] = place + 1
