"""Nearest neighbours: lists filled from tiles of scores, then exact distances.

A score is |y|^2 - 2 x.y, which ranks the rows y as their distance to x does, up to the
rounding of BLAS. Each query keeps a list of the lowest scores, and whenever it is full,
a limit that drops some of them; the exact distances of the lowest decide. If scores
that were dropped are too close to call, ``refine`` goes through all rows again. So the
result does not depend on tiles or threads. Kernels ending in ``_dense`` and ``_csr``
are twins for the two kinds of matrix.
"""

import numpy as np

from coterie._kernels._jit import inlined, kernel, parallel_kernel

BLOCK = 16  # scores that are ruled out together
TRIES = 16  # of some scores as limits, before
HALVINGS = 40  # of an interval, until few scores are left in it, or ties


@kernel
def _drop_highest(scores, ids, n, most, least):
    """Keep the lowest of the first n scores; return their number and a limit.

    At most ``most`` are kept, and no score that is dropped is below the limit. Where
    that is possible, at least ``least`` are kept. Scores and ids are changed in place.
    """
    size = -(-n // BLOCK) * BLOCK
    for c in range(n, size):
        scores[c] = np.inf
    tries = TRIES if most > least else 0  # scores of the list as limits
    high, low, limit = scores[0], scores[0], scores[0]
    for attempt in range(tries + HALVINGS):
        if attempt < tries:
            limit = scores[attempt * n // tries]
        else:
            if attempt == tries:
                for c in range(n):
                    high = scores[c] if scores[c] > high else high
                    low = scores[c] if scores[c] < low else low
            limit = low + (high - low) * scores.dtype.type(0.5)
        n_below = np.int32(0)
        for left in range(0, size, BLOCK):
            part = scores[left : left + BLOCK]
            for c in range(BLOCK):
                n_below += np.int32(part[c] < limit)
        if least <= n_below <= most:
            n_kept = 0
            for c in range(n):  # no branch: it could not be predicted
                score, name = scores[c], ids[c]
                scores[n_kept] = score
                ids[n_kept] = name
                n_kept += score < limit
            return n_kept, limit
        if attempt >= tries:
            if n_below > most:
                high = limit
            else:
                low = limit
    n_kept = 0
    for c in range(n):  # there are ties, and some of them stay
        if scores[c] < low:
            scores[n_kept], scores[c] = scores[c], scores[n_kept]
            ids[n_kept], ids[c] = ids[c], ids[n_kept]
            n_kept += 1
    for c in range(n_kept, n):
        if n_kept < least and scores[c] <= high:
            scores[n_kept], scores[c] = scores[c], scores[n_kept]
            ids[n_kept], ids[c] = ids[c], ids[n_kept]
            n_kept += 1
    return n_kept, low


@parallel_kernel("products")
def push_rows(
    begin, end, products, col_sq, lists, first_col, own_cols, width, counts, limits,
    scores, ids,
):  # fmt: skip
    """Offer a tile to the lists of its rows; products are -2 x.y.

    Row i has the list ``lists[i]``. Columns are rows of the data from ``first_col`` on;
    ``own_cols + i`` is the column that row i itself is, if there is one.
    ``counts`` and ``limits`` of the lists are the lengths of the lists, at first zero,
    and what a score must stay below, at first infinity. A list has at least ``width``
    entries as soon as some were dropped, and room for a block more.
    """
    room = scores.shape[1] - BLOCK
    for i in range(begin, end):
        at, own = lists[i], own_cols + i
        mine, names, row = scores[at], ids[at], products[i]
        n, limit = counts[at], limits[at]
        for left in range(0, row.shape[0], BLOCK):
            part, square = row[left : left + BLOCK], col_sq[left : left + BLOCK]
            n_below = np.int32(0)
            if part.shape[0] == BLOCK:
                for c in range(BLOCK):
                    n_below += np.int32(square[c] + part[c] < limit)
                if n_below == 0:
                    continue
            for c in range(part.shape[0]):
                score = square[c] + part[c]
                mine[n] = score
                names[n] = first_col + left + c
                n += score < limit and left + c != own
            if n > room:
                most = width + (room - width) // 2
                n, limit = _drop_highest(mine, names, n, most, width)
        counts[at] = n
        limits[at] = limit


@parallel_kernel("counts")
def settle(begin, end, width, counts, limits, scores, ids, nearest):
    """Fill ``nearest`` with the ``width`` lowest of each list, in any order."""
    for query in range(begin, end):
        n, limit, names = counts[query], limits[query], ids[query]
        if n > width:
            n, limit = _drop_highest(scores[query], names, n, width, width)
        if n < width:  # scores that are no numbers
            limit = -np.inf
            for c in range(width):
                names[c] = c
        limits[query] = limit
        for c in range(width):
            nearest[query, c] = names[c]


@inlined
def _sqdist(x, y):
    """Squared distance of two dense rows: four sums, added in a fixed order."""
    n_features = x.shape[0]
    n_whole = n_features - n_features % 4
    zero = x.dtype.type(0)
    s0 = s1 = s2 = s3 = zero
    for f in range(0, n_whole, 4):
        d0 = x[f] - y[f]
        d1 = x[f + 1] - y[f + 1]
        d2 = x[f + 2] - y[f + 2]
        d3 = x[f + 3] - y[f + 3]
        s0 += d0 * d0
        s1 += d1 * d1
        s2 += d2 * d2
        s3 += d3 * d3
    for f in range(n_whole, n_features):
        d0 = x[f] - y[f]
        s0 += d0 * d0
    return (s0 + s1) + (s2 + s3)


@inlined
def _csr_sqdist(x, x_columns, y, y_columns):
    """Squared distance of two sparse rows whose columns are sorted."""
    total = x.dtype.type(0)
    a = b = 0
    while a < x.shape[0] or b < y.shape[0]:
        if b == y.shape[0] or (a < x.shape[0] and x_columns[a] < y_columns[b]):
            difference = x[a]
            a += 1
        elif a == x.shape[0] or y_columns[b] < x_columns[a]:
            difference = y[b]
            b += 1
        else:
            difference = x[a] - y[b]
            a += 1
            b += 1
        total += difference * difference
    return total


@inlined
def _insert(distance, row, n_kept, sqdist, ids):
    """Insert into a list sorted by distance, then row; return its new length."""
    at = n_kept
    is_full = at == sqdist.shape[0]
    if is_full:
        at -= 1
    if (
        not is_full
        or distance < sqdist[at]
        or (distance == sqdist[at] and row < ids[at])
    ):
        while at > 0 and (
            distance < sqdist[at - 1]
            or (distance == sqdist[at - 1] and row < ids[at - 1])
        ):
            sqdist[at] = sqdist[at - 1]
            ids[at] = ids[at - 1]
            at -= 1
        sqdist[at] = distance
        ids[at] = row
    return n_kept if is_full else n_kept + 1


@parallel_kernel("candidates")
def rank_dense(begin, end, Q, X, candidates, ids, sqdist):
    """Keep the nearest of the candidates, by exact distance."""
    for i in range(begin, end):
        n_kept = 0
        for c in range(candidates.shape[1]):
            row = candidates[i, c]
            distance = _sqdist(Q[i], X[row])
            n_kept = _insert(distance, row, n_kept, sqdist[i], ids[i])


@parallel_kernel("candidates")
def rank_csr(
    begin,
    end,
    q_data,
    q_indices,
    q_indptr,
    data,
    indices,
    indptr,
    candidates,
    ids,
    sqdist,
):
    """``rank_dense`` for CSR."""
    for i in range(begin, end):
        q = slice(q_indptr[i], q_indptr[i + 1])
        n_kept = 0
        for c in range(candidates.shape[1]):
            row = candidates[i, c]
            y = slice(indptr[row], indptr[row + 1])
            distance = _csr_sqdist(q_data[q], q_indices[q], data[y], indices[y])
            n_kept = _insert(distance, row, n_kept, sqdist[i], ids[i])


@parallel_kernel("products")
def refine_dense(
    begin,
    end,
    Q,
    X,
    products,
    col_sq,
    queries,
    first_col,
    skip_self,
    limit,
    kept,
    ids,
    sqdist,
):
    """Rank all rows of a tile whose score is within the limit of their query."""
    for i in range(begin, end):
        query = queries[i]
        own = query - first_col if skip_self else -1
        for j in range(products.shape[1]):
            if col_sq[j] + products[i, j] <= limit[i] and j != own:
                distance = _sqdist(Q[query], X[first_col + j])
                kept[i] = _insert(
                    distance, first_col + j, kept[i], sqdist[query], ids[query]
                )


@parallel_kernel("products")
def refine_csr(
    begin, end, q_data, q_indices, q_indptr, data, indices, indptr, products, col_sq,
    queries, first_col, skip_self, limit, kept, ids, sqdist,
):  # fmt: skip
    """``refine_dense`` for CSR."""
    for i in range(begin, end):
        query = queries[i]
        own = query - first_col if skip_self else -1
        q = slice(q_indptr[query], q_indptr[query + 1])
        for j in range(products.shape[1]):
            if col_sq[j] + products[i, j] <= limit[i] and j != own:
                row = first_col + j
                y = slice(indptr[row], indptr[row + 1])
                distance = _csr_sqdist(q_data[q], q_indices[q], data[y], indices[y])
                kept[i] = _insert(distance, row, kept[i], sqdist[query], ids[query])
