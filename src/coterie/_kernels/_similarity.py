"""Graphs of the most similar rows: squared distances, and the k best of each row.

Row i of D holds the squared distances of row ``rows[i]`` of the data to its candidates:
those listed in ``ids[i]``, or all rows if ``ids`` is empty. Kernels ending in
``_dense`` and ``_csr`` are twins for the two kinds of data.
"""

import numpy as np

from coterie._kernels._jit import inlined, kernel, parallel_kernel, sum_kernel

BLOCK = 64  # rows and columns that are mirrored together
FEW = 32  # columns that are scanned together
MANY = 128  # columns that are ruled out together
LANES = 64  # whose lowest values bound the k-th smallest
HALVINGS = 40  # of an interval, until one number is left in it or there are ties
LARGE = 1e4  # an exponent whose exponential is infinite


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
        bottom = top + BLOCK if top + BLOCK < n_rows else n_rows
        for left in range(0, n_cols, BLOCK):
            right = left + BLOCK if left + BLOCK < n_cols else n_cols
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
def listed_dense(begin, end, X, rows, ids, mirror, scratch, D):
    """Squared distances of some rows to the rows listed for them.

    If ``mirror`` is not empty, the rows are all rows of X, and rows that list each
    other are compared once: ``mirror[i, c]`` is the position of i in the list of
    ``ids[i, c]``, or -1. ``scratch`` (rows, 2, width + 4) is of integers.
    """
    width = ids.shape[1]
    mirrors = mirror.shape[0] > 0
    own, given = scratch[begin, 0], scratch[begin, 1]  # a block's own
    for i in range(begin, end):
        mine, out, x = ids[i], D[i], X[rows[i]]
        n_own = n_given = 0  # what is compared here, and what others need to know
        if mirrors:
            for c in range(width):  # no branch: it could not be predicted
                both = 0 <= mirror[i, c] < width
                own[n_own] = c
                n_own += not (both and mine[c] < i)
                given[n_given] = c
                n_given += both and mine[c] > i
        else:
            for c in range(width):
                own[c] = c
            n_own = width
        for more in range(3):
            own[n_own + more] = own[n_own - 1 if n_own > 0 else 0]
        for first in range(0, n_own, 4):
            p0, p1, p2, p3 = own[first], own[first + 1], own[first + 2], own[first + 3]
            out[p0], out[p1], out[p2], out[p3] = _four_sqdist(
                x, X[mine[p0]], X[mine[p1]], X[mine[p2]], X[mine[p3]]
            )
        for at in range(n_given):
            c = given[at]
            D[mine[c], mirror[i, c]] = out[c]


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


@inlined
def _insert(value, place, n_kept, values, places):
    """Insert into a list sorted by value, then position; return its new length."""
    at = n_kept
    is_full = at == values.shape[0]
    if is_full:
        at -= 1
    # positions come in ascending order: a later one of equal value stays outside
    if not is_full or value < values[at]:
        while at > 0 and value < values[at - 1]:
            values[at] = values[at - 1]
            places[at] = places[at - 1]
            at -= 1
        values[at] = value
        places[at] = place
    return n_kept if is_full else n_kept + 1


@inlined
def _any_upto(values, limit):
    """Whether one of some values is not above the limit; in vector registers."""
    n_below = np.int32(0)
    for c in range(values.shape[0]):
        n_below += np.int32(not values[c] > limit)  # NaN counts
    return n_below > 0


@inlined
def _first_limit(row, k, lowest):
    """Bound the k-th smallest of a long row by that of the lowest in each lane."""
    limit = row.dtype.type(np.inf)
    if 2 * k <= LANES and row.shape[0] >= 4 * LANES:
        for lane in range(LANES):
            lowest[lane] = np.inf
        for left in range(0, row.shape[0] - LANES + 1, LANES):
            part = row[left : left + LANES]
            for lane in range(LANES):
                value = part[lane]
                lowest[lane] = value if value < lowest[lane] else lowest[lane]
        for lane in range(LANES):
            n_below = np.int32(0)
            for other in range(LANES):
                n_below += np.int32(lowest[other] <= lowest[lane])
            if n_below >= k and lowest[lane] < limit:
                limit = lowest[lane]
    return limit


@parallel_kernel("D")
def nearest(begin, end, D, ids, rows, scratch, values, places):
    """Find the k smallest of each row of D, ascending, without the row itself.

    ``scratch`` (rows of D, LANES) has the dtype of D.
    """
    width, k = D.shape[1], values.shape[1]
    listed = ids.shape[0] > 0
    lowest = scratch[begin]  # a block's own
    for i in range(begin, end):
        row, best, at = D[i], values[i], places[i]
        itself = -1 if listed else rows[i]
        n_kept = 0
        limit = _first_limit(row, k + 1, lowest)
        for left in range(0, width, FEW):
            block = row[left : left + FEW]
            if _any_upto(block, limit):
                for c in range(block.shape[0]):
                    if block[c] <= limit and left + c != itself:
                        n_kept = _insert(block[c], left + c, n_kept, best, at)
                        if n_kept == k:
                            limit = best[k - 1]


@inlined
def _rank(D, both, factor):
    """Return -log W up to a constant, for the density W; -inf for W = inf."""
    total = both + D
    share = D / total
    return -np.inf if total <= 0.0 else factor * share * share + np.log(total)


@inlined
def _in_log2(limit, unit):
    """Return a limit of ranks for ``densest``, with some room for rounding."""
    return np.float32((limit + np.log(unit)) / np.log(2.0) + 1e-3)


@parallel_kernel("D")
def densest(begin, end, D, rows, rho, small_rho, unit, mu, near, scratch, best, places):
    """Find the k columns of each row of largest density, in descending order.

    The columns of D are all rows of the data. ``small_rho`` is ``rho`` times ``unit``
    in single precision, such that squares stay in range. ``near`` has the k nearest:
    the least dense of them is a first limit, which rules out most others at little
    cost. ``scratch`` is of shape (rows of D, MANY).

    Candidates are ruled out in single precision and without a logarithm: margins are
    lower bounds of how far ranks exceed the limit, times a positive number. The bits of
    a float, read as an integer, are a lower bound of its log2, and so is the limit in
    units of log2. They are NaN if this is inconclusive: zero distances and infinite
    densities, or overflow.
    """
    factor = 4.5 / (mu * mu)
    weight = np.float32(factor / np.log(2.0))
    width, k = D.shape[1], best.shape[1]
    zero, one = np.float32(0.0), np.float32(2.0**-23)
    margins = scratch[begin]  # a block's own
    for i in range(begin, end):
        row, mine, itself = D[i], rho[rows[i]], rows[i]
        small = np.float32(mine * unit)
        limit = -np.inf
        for c in range(near.shape[1]):
            j = near[i, c]
            rank = _rank(np.float64(row[j]), mine + rho[j], factor)
            limit = rank if rank > limit else limit
        low = _in_log2(limit, unit)
        n_kept = 0
        for left in range(0, width, MANY):
            part = row[left : left + MANY]
            others = small_rho[left : left + MANY]
            for c in range(part.shape[0]):
                distance = np.float32(part[c] * unit)
                total = np.float32(small + others[c] + distance)
                log = np.float32(total.view(np.int32)) * one - np.float32(127)
                margins[c] = total * total * (log - low) + weight * distance * distance
            for first in range(0, part.shape[0], FEW):
                stop = first + FEW if first + FEW < part.shape[0] else part.shape[0]
                few = margins[first:stop]
                if not _any_upto(few, zero):
                    continue
                for t in range(few.shape[0]):
                    if few[t] > zero:
                        continue
                    c = left + first + t
                    rank = _rank(np.float64(row[c]), mine + rho[c], factor)
                    if rank <= limit and c != itself:
                        n_kept = _insert(rank, c, n_kept, best[i], places[i])
                        if n_kept == k and best[i, k - 1] < limit:
                            limit = best[i, k - 1]
                            low = _in_log2(limit, unit)


@inlined
def _log(x):
    """Natural logarithm of a positive number, as in fdlibm, but without a branch."""
    bits = np.float64(x).view(np.int64)
    power = (bits >> 52) - 1023
    word = (bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000
    mantissa = np.int64(word).view(np.float64)
    is_high = mantissa > 1.4142135623730951
    power += is_high
    f = (0.5 * mantissa if is_high else mantissa) - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = w * (0.3999999999940941908 + w * (0.2222219843214978396
          + w * 0.1531383769920937332))  # fmt: skip
    even = z * (0.6666666666666735130 + w * (0.2857142874366239149
           + w * (0.1818357216161805012 + w * 0.1479819860511658591)))  # fmt: skip
    half = 0.5 * f * f
    low = s * (half + odd + even) + power * 1.90821492927058770002e-10
    return power * 6.93147180369123816490e-01 - ((half - low) - f)


@kernel
def _smallest(keys, n_keys, k, low, chosen):
    """Find the positions of the k smallest keys.

    Keys are at least ``low``, and infinite beyond ``n_keys``, up to a multiple of
    ``LANES``. A limit that exactly k of them do not exceed is searched for by halving:
    nearly all instructions are comparisons of vectors. ``chosen`` has k + 1 entries.
    """
    high = keys[0]
    for c in range(1, k):
        high = keys[c] if keys[c] > high else high
    limit = high
    for _ in range(HALVINGS):
        n_below = 0
        for left in range(0, n_keys, LANES):
            part = keys[left : left + LANES]
            for lane in range(LANES):
                n_below += part[lane] <= limit
        if n_below == k:
            n_kept = 0
            for c in range(n_keys):
                chosen[n_kept] = c
                n_kept += keys[c] <= limit
            return
        if n_below > k:
            high = limit
        else:
            low = limit
        limit = low + 0.5 * (high - low)
    # ties, infinite keys or NaN: of equal ones the first
    n_kept = 0
    for c in range(n_keys):
        if n_kept < k or keys[c] < keys[chosen[n_kept - 1]]:
            at = n_kept if n_kept < k else k - 1
            n_kept = at + 1
            while at > 0 and keys[c] < keys[chosen[at - 1]]:
                chosen[at] = chosen[at - 1]
                at -= 1
            chosen[at] = c


@parallel_kernel("D")
def mean_nearest(begin, end, D, scratch, chosen, rho):
    """Mean of the k smallest of each row, which is not long.

    ``scratch`` (rows, 2, width) is of float64, its width at least that of D and a
    multiple of ``LANES``; ``chosen`` (rows, k + 1) is of integers.
    """
    keys, found, k = scratch[begin, 0], chosen[begin], chosen.shape[1] - 1
    width = D.shape[1]
    for c in range(width, keys.shape[0]):
        keys[c] = np.inf
    for i in range(begin, end):
        row = D[i]
        for c in range(width):
            keys[c] = row[c]
        _smallest(keys, width, k, -1.0, found)
        total = 0.0
        for c in range(k):
            total += keys[found[c]]
        rho[i] = total / k


@parallel_kernel("D")
def densest_listed(begin, end, D, ids, own_rho, rho, mu, scratch, chosen, best):
    """``densest`` for rows that are not long, with the candidates in the given order.

    ``chosen`` (rows, k + 1) is filled with their positions; ``scratch`` is that of
    ``mean_nearest``.
    """
    factor = 4.5 / (mu * mu)
    k, width = best.shape[1], D.shape[1]
    ranks, others = scratch[begin, 0], scratch[begin, 1]  # a block's own
    for c in range(width, ranks.shape[0]):
        ranks[c] = np.inf
    for i in range(begin, end):
        row, mine, found = D[i], own_rho[i], chosen[i]
        for c in range(width):
            others[c] = rho[ids[i, c]]
        for c in range(width):
            distance = np.float64(row[c])
            total = mine + others[c] + distance
            share = distance / total
            rank = factor * share * share + _log(total)
            rank = rank if total > 0.0 else -LARGE
            ranks[c] = rank if distance < np.inf else np.inf
        _smallest(ranks, width, k, _log(mine) - 1.0 if mine > 0.0 else -LARGE, found)
        for c in range(k):
            best[i, c] = ranks[found[c]]
