"""Graphs of the most similar rows: squared distances, and the k best of each row.

Row i of D holds the squared distances of row ``rows[i]`` of the data to its candidates:
those listed in ``ids[i]``, or all rows if ``ids`` is empty. Kernels ending in
``_dense`` and ``_csr`` are twins for the two kinds of data.
"""

import numpy as np

from coterie._kernels._jit import kernel, parallel_kernel, sum_kernel

BLOCK = 64  # rows and columns that are mirrored together
FEW = 32  # columns that are scanned together
MANY = 128  # columns that are ruled out together
LANES = 64  # whose lowest values bound the k-th smallest


@sum_kernel
def _sqdist(x, y):
    """Squared distance of two dense rows."""
    total = x.dtype.type(0)
    for f in range(x.shape[0]):
        difference = x[f] - y[f]
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


@kernel
def mirror_dense(X, products, sq, first_row, first_col, slack, D):
    """Write a tile of -2 x.y as squared distances, on both sides of the diagonal.

    Where |x|^2 + |y|^2 - 2 x.y cancels, the coordinates themselves are compared.
    """
    n_rows, n_cols = products.shape
    for top in range(0, n_rows, BLOCK):
        bottom = min(top + BLOCK, n_rows)
        for left in range(0, n_cols, BLOCK):
            right = min(left + BLOCK, n_cols)
            col_sq = sq[first_col + left : first_col + right]
            for i in range(top, bottom):
                row = first_row + i
                out = D[row, first_col + left : first_col + right]
                tile = products[i, left:right]
                n_near = 0
                for j in range(right - left):
                    both = sq[row] + col_sq[j]
                    out[j] = both + tile[j]
                    n_near += out[j] <= slack * both
                if n_near:
                    for j in range(right - left):
                        if out[j] <= slack * (sq[row] + col_sq[j]):
                            out[j] = _sqdist(X[row], X[first_col + left + j])
            if first_col > first_row:
                for j in range(first_col + left, first_col + right):
                    for i in range(first_row + top, first_row + bottom):
                        D[j, i] = D[i, j]


@kernel
def mirror_csr(
    data, indices, indptr, products, sq, first_row, first_col, slack, D
):  # fmt: skip
    """``mirror_dense`` for CSR."""
    n_rows, n_cols = products.shape
    for i in range(n_rows):
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


@sum_kernel
def _four_sqdist(x, a, b, c, d):
    """Squared distances of a row to four others: it is loaded once for all of them."""
    zero = x.dtype.type(0)
    to_a = to_b = to_c = to_d = zero
    for f in range(x.shape[0]):
        value = x[f]
        of_a, of_b, of_c, of_d = value - a[f], value - b[f], value - c[f], value - d[f]
        to_a += of_a * of_a
        to_b += of_b * of_b
        to_c += of_c * of_c
        to_d += of_d * of_d
    return to_a, to_b, to_c, to_d


@parallel_kernel("ids")
def listed_dense(begin, end, X, rows, ids, D):
    """Squared distances of some rows to the rows listed for them."""
    width = ids.shape[1]
    for i in range(begin, end):
        mine, out, x = ids[i], D[i], X[rows[i]]
        for c in range(0, width - 3, 4):
            out[c], out[c + 1], out[c + 2], out[c + 3] = _four_sqdist(
                x, X[mine[c]], X[mine[c + 1]], X[mine[c + 2]], X[mine[c + 3]]
            )
        for c in range(width - width % 4, width):
            out[c] = _sqdist(x, X[mine[c]])


@parallel_kernel("ids")
def listed_once_dense(begin, end, X, ids, mirror, D):
    """``listed_dense`` of all rows, where rows that list each other are compared once.

    ``mirror[i, c]`` is the position of i in the list of ``ids[i, c]``, or -1. What the
    other row has is left to ``copy_mirrored``.
    """
    width = ids.shape[1]
    for i in range(begin, end):
        mine, out, x = ids[i], D[i], X[i]
        own = np.empty(width, dtype=np.int32)
        n_own = 0
        for c in range(width):
            other_has_it = mine[c] < i and 0 <= mirror[i, c] < width
            if not other_has_it:
                own[n_own] = c
                n_own += 1
        for t in range(0, n_own - 3, 4):
            a, b, c, d = own[t], own[t + 1], own[t + 2], own[t + 3]
            out[a], out[b], out[c], out[d] = _four_sqdist(
                x, X[mine[a]], X[mine[b]], X[mine[c]], X[mine[d]]
            )
        for t in range(n_own - n_own % 4, n_own):
            out[own[t]] = _sqdist(x, X[mine[own[t]]])


@parallel_kernel("ids")
def copy_mirrored(begin, end, ids, mirror, D):
    """Copy to each row the distances that rows before it have computed."""
    width = ids.shape[1]
    for i in range(begin, end):
        for c in range(width):
            place = mirror[i, c]
            if ids[i, c] < i and 0 <= place < width:
                D[i, c] = D[ids[i, c], place]


@parallel_kernel("ids")
def mirror_places(begin, end, ids, out):
    """Find the position of each row in the lists of its candidates; -1 if none."""
    width = ids.shape[1]
    for i in range(begin, end):
        for c in range(width):
            theirs = ids[ids[i, c]]
            place = -1
            for t in range(width):
                if theirs[t] == i:
                    place = t
                    break
            out[i, c] = place


@parallel_kernel("ids")
def listed_csr(begin, end, data, indices, indptr, rows, ids, D):
    """``listed_dense`` for CSR."""
    for i in range(begin, end):
        x = slice(indptr[rows[i]], indptr[rows[i] + 1])
        for c in range(ids.shape[1]):
            j = ids[i, c]
            y = slice(indptr[j], indptr[j + 1])
            D[i, c] = _csr_sqdist(data[x], indices[x], data[y], indices[y])


@kernel
def _insert(value, place, n_kept, values, places):
    """Insert into a list sorted by value, then position; return its new length."""
    at = n_kept
    if at == values.shape[0]:
        at -= 1
        if value >= values[at]:  # positions come in ascending order
            return n_kept
    while at > 0 and value < values[at - 1]:
        values[at] = values[at - 1]
        places[at] = places[at - 1]
        at -= 1
    values[at] = value
    places[at] = place
    return min(n_kept + 1, values.shape[0])


@kernel
def _any_upto(values, limit):
    """Whether one of some values is not above the limit; in vector registers."""
    n_below = np.int32(0)
    for c in range(values.shape[0]):
        n_below += np.int32(not values[c] > limit)  # NaN counts
    return n_below > 0


@kernel
def _first_limit(row, k, lowest):
    """Bound the k-th smallest of a long row by that of the lowest in each lane."""
    n_lanes = lowest.shape[0]
    lowest[:] = np.inf
    if 2 * k > n_lanes or 4 * n_lanes > row.shape[0]:
        return lowest[0]
    for left in range(0, row.shape[0] - n_lanes + 1, n_lanes):
        part = row[left : left + n_lanes]
        for lane in range(n_lanes):
            value = part[lane]
            lowest[lane] = value if value < lowest[lane] else lowest[lane]
    limit = row.dtype.type(np.inf)
    for lane in range(n_lanes):
        n_below = np.int32(0)
        for other in range(n_lanes):
            n_below += np.int32(lowest[other] <= lowest[lane])
        if n_below >= k:
            limit = min(limit, lowest[lane])
    return limit


@parallel_kernel("D")
def nearest(begin, end, D, ids, rows, values, places):
    """Find the k smallest of each row of D, ascending, without the row itself."""
    width = D.shape[1]
    k = values.shape[1]
    for i in range(begin, end):
        itself = -1 if ids.size else rows[i]
        n_kept = 0
        limit = _first_limit(D[i], k + 1, np.empty(LANES, dtype=D.dtype))
        for left in range(0, width, FEW):
            block = D[i, left : min(left + FEW, width)]
            if _any_upto(block, limit):
                for c in range(block.shape[0]):
                    if block[c] <= limit and left + c != itself:
                        n_kept = _insert(
                            block[c], left + c, n_kept, values[i], places[i]
                        )
                        if n_kept == k:
                            limit = values[i, k - 1]


@kernel
def _rank(D, both, factor):
    """Return -log W up to a constant, for the density W; -inf for W = inf."""
    total = both + D
    if total <= 0.0:
        return -np.inf
    share = D / total
    return factor * share * share + np.log(total)


@kernel
def _margins(D, mine, others, unit, weight, limit, out):
    """Lower bounds of how far ranks exceed the limit, times a positive number.

    In single precision and without a logarithm: the bits of a float, read as an
    integer, are a lower bound of its log2. ``limit`` is also in units of log2. NaN if
    this is inconclusive: zero distances and infinite densities, or overflow.
    """
    for c in range(D.shape[0]):
        distance = np.float32(D[c] * unit)
        total = np.float32(mine + others[c] + distance)
        log = np.float32(total.view(np.int32)) * np.float32(2.0**-23) - np.float32(127)
        out[c] = total * total * (log - limit) + weight * distance * distance


@kernel
def _in_log2(limit, unit):
    """Return a limit of ranks for ``_margins``, with some room for rounding."""
    return np.float32((limit + np.log(unit)) / np.log(2.0) + 1e-3)


@parallel_kernel("D")
def densest(begin, end, D, ids, rows, own_rho, rho, mu, near, best, places):
    """Find the k candidates of each row of largest density, in descending order.

    ``own_rho`` is that of the rows of D, ``rho`` that of all rows of the data.
    ``near`` has the positions of the k nearest: the least dense of them is a first
    limit, which rules out most others at little cost.
    """
    factor = 4.5 / (mu * mu)
    weight = np.float32(factor / np.log(2.0))
    width = D.shape[1]
    listed = ids.size > 0
    zero = np.float32(0.0)
    scale = rho.mean()
    largest = 1e38 if D.itemsize == 4 else 1e300
    unit = D.dtype.type(min(1.0 / scale, largest) if scale > 0.0 else 1.0)
    small_rho = (rho * unit).astype(np.float32)  # of mean one: squares stay in range
    for i in range(begin, end):
        mine, itself = own_rho[i], rows[i]
        limit = -np.inf
        for c in range(near.shape[1]):
            place = near[i, c]
            j = ids[i, place] if listed else place
            limit = max(limit, _rank(np.float64(D[i, place]), mine + rho[j], factor))
        low = _in_log2(limit, unit)
        n_kept = 0
        margins = np.empty(MANY, dtype=np.float32)
        gathered = np.empty(MANY, dtype=np.float32)
        for left in range(0, width, MANY):
            right = min(left + MANY, width)
            others = small_rho[left:right]
            if listed:
                others = gathered[: right - left]
                for c in range(left, right):
                    others[c - left] = small_rho[ids[i, c]]
            small = np.float32(mine * unit)
            _margins(D[i, left:right], small, others, unit, weight, low, margins)
            for first in range(left, right, FEW):
                stop = min(first + FEW, right)
                if not _any_upto(margins[first - left : stop - left], zero):
                    continue
                for c in range(first, stop):
                    if margins[c - left] > zero:
                        continue
                    j = ids[i, c] if listed else c
                    rank = _rank(np.float64(D[i, c]), mine + rho[j], factor)
                    if rank <= limit and j != itself:
                        n_kept = _insert(rank, c, n_kept, best[i], places[i])
                        if n_kept == best.shape[1] and best[i, n_kept - 1] < limit:
                            limit = best[i, n_kept - 1]
                            low = _in_log2(limit, unit)


@kernel
def _sort_row(ids, values):
    """Sort a short list by id, in place."""
    for c in range(1, ids.shape[0]):
        row, value = ids[c], values[c]
        at = c
        while at > 0 and ids[at - 1] > row:
            ids[at] = ids[at - 1]
            values[at] = values[at - 1]
            at -= 1
        ids[at] = row
        values[at] = value


@kernel
def union(ids, W):
    """Join each row to its list and to the rows that list it, by the larger weight.

    Returns the parts of a CSR matrix with sorted columns, without zeros. Sorts ids and
    W by id.
    """
    n, k = ids.shape
    start = np.zeros(n + 1, dtype=np.int64)  # of the rows that list a row
    for i in range(n):
        _sort_row(ids[i], W[i])
        for c in range(k):
            start[ids[i, c] + 1] += 1
    start = np.cumsum(start)
    listing = np.empty(n * k, dtype=np.int32)
    listed_at = np.empty(n * k, dtype=W.dtype)
    end = start[:n].copy()
    for i in range(n):
        for c in range(k):
            at = end[ids[i, c]]
            listing[at] = i
            listed_at[at] = W[i, c]
            end[ids[i, c]] += 1
    indptr = np.zeros(n + 1, dtype=np.int32)
    indices = np.empty(2 * n * k, dtype=np.int32)
    data = np.empty(2 * n * k, dtype=W.dtype)
    size = 0
    for i in range(n):
        c, at, stop = 0, start[i], start[i + 1]
        while c < k or at < stop:
            own = ids[i, c] if c < k else n
            other = listing[at] if at < stop else n
            weight = W.dtype.type(0)
            if own <= other:
                weight = W[i, c]
                c += 1
            if other <= own:
                weight = max(weight, listed_at[at])
                at += 1
            if weight > 0:
                indices[size] = min(own, other)
                data[size] = weight
                size += 1
        indptr[i + 1] = size
    return indptr, indices[:size].copy(), data[:size].copy()
