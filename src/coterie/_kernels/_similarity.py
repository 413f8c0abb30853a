"""Graphs of the most similar rows: distances, kernels, the k best, their union.

A row's candidates are all rows (``ids`` empty, column j of D is row j) or those listed
in ``ids`` (N, L). Kernels ending in ``_dense`` and ``_csr`` are twins that differ in
how they take the data.
"""

import numpy as np
from numba import prange

from coterie._kernels._jit import kernel, parallel_kernel

BLOCK = 64  # rows and columns that are mirrored together


@kernel
def _sqdist(x, y):
    """Squared distance of two dense rows, in float64."""
    total = 0.0
    for f in range(x.shape[0]):
        difference = np.float64(x[f]) - np.float64(y[f])
        total += difference * difference
    return total


@kernel
def _csr_sqdist(x, x_columns, y, y_columns):
    """Squared distance of two sparse rows whose columns are sorted, in float64."""
    total = 0.0
    a = b = 0
    while a < x.shape[0] or b < y.shape[0]:
        if b == y.shape[0] or (a < x.shape[0] and x_columns[a] < y_columns[b]):
            difference = np.float64(x[a])
            a += 1
        elif a == x.shape[0] or y_columns[b] < x_columns[a]:
            difference = np.float64(y[b])
            b += 1
        else:
            difference = np.float64(x[a]) - np.float64(y[b])
            a += 1
            b += 1
        total += difference * difference
    return total


@parallel_kernel
def mirror_dense(X, products, sq, first_row, first_col, slack, D):
    """Write a tile of -2 x.y as squared distances, on both sides of the diagonal.

    Where |x|^2 + |y|^2 - 2 x.y cancels, the coordinates themselves are compared.
    """
    n_rows, n_cols = products.shape
    for block in prange((n_rows + BLOCK - 1) // BLOCK):
        for left in range(0, n_cols, BLOCK):
            for i in range(block * BLOCK, min((block + 1) * BLOCK, n_rows)):
                row = first_row + i
                for j in range(left, min(left + BLOCK, n_cols)):
                    col = first_col + j
                    both = sq[row] + sq[col]
                    distance = both + products[i, j]
                    if distance <= slack * both:
                        distance = D.dtype.type(_sqdist(X[row], X[col]))
                    D[row, col] = distance
                    D[col, row] = distance


@parallel_kernel
def mirror_csr(
    data, indices, indptr, products, sq, first_row, first_col, slack, D
):  # fmt: skip
    """``mirror_dense`` for CSR."""
    n_rows, n_cols = products.shape
    for i in prange(n_rows):
        row = first_row + i
        x = slice(indptr[row], indptr[row + 1])
        for j in range(n_cols):
            col = first_col + j
            both = sq[row] + sq[col]
            distance = both + products[i, j]
            if distance <= slack * both:
                y = slice(indptr[col], indptr[col + 1])
                distance = _csr_sqdist(data[x], indices[x], data[y], indices[y])
            D[row, col] = distance
            D[col, row] = distance


@parallel_kernel
def listed_dense(X, ids, D):
    """Squared distances to the rows listed."""
    for i in prange(ids.shape[0]):
        for c in range(ids.shape[1]):
            D[i, c] = _sqdist(X[i], X[ids[i, c]])


@parallel_kernel
def listed_csr(data, indices, indptr, ids, D):
    """``listed_dense`` for CSR."""
    for i in prange(ids.shape[0]):
        x = slice(indptr[i], indptr[i + 1])
        for c in range(ids.shape[1]):
            j = ids[i, c]
            y = slice(indptr[j], indptr[j + 1])
            D[i, c] = _csr_sqdist(data[x], indices[x], data[y], indices[y])


@kernel
def _insert(value, place, n_kept, values, places):
    """Insert into a list that rises by value, then place; return its new length."""
    at = n_kept
    if at == values.shape[0]:
        at -= 1
        if value >= values[at]:  # places come in rising order
            return n_kept
    while at > 0 and value < values[at - 1]:
        values[at] = values[at - 1]
        places[at] = places[at - 1]
        at -= 1
    values[at] = value
    places[at] = place
    return min(n_kept + 1, values.shape[0])


@parallel_kernel
def nearest(D, listed, values, places):
    """The k smallest of each row of D, in rising order; without lists, not itself."""
    for i in prange(D.shape[0]):
        n_kept = 0
        limit = np.inf
        k = values.shape[1]
        for c in range(D.shape[1]):
            if D[i, c] < limit and (listed or c != i):
                n_kept = _insert(D[i, c], c, n_kept, values[i], places[i])
                if n_kept == k:
                    limit = values[i, k - 1]


@kernel
def _rank(D, both, factor):
    """What falls as the density W rises: -log W up to a constant; -inf for W = inf."""
    total = both + D
    if total <= 0.0:
        return -np.inf
    share = D / total
    return factor * share * share + np.log(total)


@parallel_kernel
def densest(D, ids, rho, mu, best, places):
    """The k candidates of each row whose density W is largest, in falling order."""
    factor = 4.5 / (mu * mu)
    listed = ids.size > 0
    for i in prange(D.shape[0]):
        n_kept = 0
        for c in range(D.shape[1]):
            j = ids[i, c] if listed else c
            if j != i:
                rank = _rank(np.float64(D[i, c]), rho[i] + rho[j], factor)
                n_kept = _insert(rank, c, n_kept, best[i], places[i])
