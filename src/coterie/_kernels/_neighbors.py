"""Nearest neighbours: heaps filled from tiles of scores, then exact distances.

A score is |y|^2 - 2 x.y, which ranks the rows y as their distance to x does, up to the
rounding of BLAS. Each query keeps the few lowest scores in a heap (the highest of them
on top); their exact distances decide. If discarded scores are too close to call,
``refine`` goes through all rows again. So the result does not depend on tiles or
threads. Kernels ending in ``_dense`` and ``_csr`` are twins for the two kinds of
matrix.
"""

from coterie._kernels._jit import inlined, parallel_kernel


@inlined
def _replace_top(scores, ids, score, row):
    """Replace the highest score of a heap."""
    width = scores.shape[0]
    at = 0
    child = 1
    while child < width:
        if child + 1 < width and scores[child + 1] > scores[child]:
            child += 1
        if scores[child] <= score:
            break
        scores[at] = scores[child]
        ids[at] = ids[child]
        at = child
        child = 2 * at + 1
    scores[at] = score
    ids[at] = row


@parallel_kernel("products")
def push_rows(begin, end, products, col_sq, queries, first_col, skip_self, scores, ids):
    """Offer a tile to the heaps of its rows; products are -2 x.y."""
    for i in range(begin, end):
        query = queries[i]
        own = query - first_col if skip_self else -1
        mine = scores[query]
        highest = mine[0]
        row = products[i]
        for j in range(row.shape[0]):
            score = col_sq[j] + row[j]
            if score < highest and j != own:
                _replace_top(mine, ids[query], score, first_col + j)
                highest = mine[0]


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
