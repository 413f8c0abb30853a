"""The inner loops of k-means: nearest centres, sums of rows, seeding.

Scores come from BLAS, whose last bits change with the number of threads and with the
shape of the tile. They only rule out centres that are clearly not the nearest; the rest
is decided by ``own_sqdist``, which sums in a fixed order. So labels depend only on the
row and the centres.

The loops over iterations are in Python: kernels that call kernels compile slowly, as
each caller optimises a copy of what it calls.
"""

import numpy as np

from coterie._kernels._jit import inlined, kernel, sum_kernel

TILE = 512  # rows, at most, whose values of one feature lie together


@kernel
def own_sqdist(X, rows, centers, labels, out):
    """Squared distances of some rows to one centre each.

    Eight sums, added in a fixed order.
    """
    n_features = X.shape[1]
    n_whole = n_features - n_features % 8
    for i in range(rows.shape[0]):
        x, y = X[rows[i]], centers[labels[i]]
        s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = X.dtype.type(0)
        for f in range(0, n_whole, 8):
            d0 = x[f] - y[f]
            d1 = x[f + 1] - y[f + 1]
            d2 = x[f + 2] - y[f + 2]
            d3 = x[f + 3] - y[f + 3]
            d4 = x[f + 4] - y[f + 4]
            d5 = x[f + 5] - y[f + 5]
            d6 = x[f + 6] - y[f + 6]
            d7 = x[f + 7] - y[f + 7]
            s0 += d0 * d0
            s1 += d1 * d1
            s2 += d2 * d2
            s3 += d3 * d3
            s4 += d4 * d4
            s5 += d5 * d5
            s6 += d6 * d6
            s7 += d7 * d7
        for f in range(n_whole, n_features):
            d0 = x[f] - y[f]
            s0 += d0 * d0
        out[i] = ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7))


@kernel
def nearest_two(
    scores, center_sq, row_sq, rate, which, best, second, found, ties, labels, upper,
    lower,
):  # fmt: skip
    """Label some rows by their lowest score, and bound their distances.

    Parameters
    ----------
    scores : float array of shape (k, r)
        -2 x.c of the rows ``which``; the loop over rows uses vector registers.
    center_sq, row_sq : float arrays of shape (k,) and (n,)
    rate : float
        Error of scores, relative to the largest |x|^2 + |c|^2.
    which : int64 array of shape (r,)
    best, second, found, ties : arrays of shape (r,) or longer
        The two lowest of |c|^2 - 2 x.c, and the centre with the lowest; then the
        positions of rows whose two lowest are too close to call.
    labels, upper, lower : arrays of shape (n,)
        Changed for the rows ``which``: the centre; bounds of the distances to this
        centre and to the nearest other one.

    Returns the number of ties.
    """
    n_rows = scores.shape[1]
    largest = 0.0
    for i in range(n_rows):
        best[i] = np.inf
        second[i] = np.inf
        found[i] = 0
    for j in range(scores.shape[0]):
        offset = center_sq[j]
        largest = offset if offset > largest else largest
        row = scores[j]
        label = np.int32(j)
        for i in range(n_rows):
            score = offset + row[i]
            lowest = best[i]
            second[i] = min(max(score, lowest), second[i])
            best[i] = min(score, lowest)
            found[i] = label if score < lowest else found[i]
    n_ties = 0
    for i in range(n_rows):
        row_at = which[i]
        slack = rate * (row_sq[row_at] + largest)
        close = second[i] <= best[i] + slack
        ties[n_ties] = i
        n_ties += close
        high = row_sq[row_at] + best[i]
        low = row_sq[row_at] + (best[i] if close else second[i]) - slack
        labels[row_at] = found[i]
        upper[row_at] = np.sqrt((high if high > 0.0 else 0.0) + 2.0 * slack)
        lower[row_at] = np.sqrt(low if low > 0.0 else 0.0)
    return n_ties


@kernel
def loosen(labels, drift, row_sq, rate, largest, upper, lower, which):
    """Widen the bounds by the shift of the centres; list rows that may change.

    A row keeps its centre while the others are farther by more than the error of a
    distance (G. Hamerly, "Making k-means even faster", SDM 2010, with one lower bound).
    Returns the number of rows listed.
    """
    farthest, most, next_most = -1, 0.0, 0.0
    for j in range(drift.shape[0]):
        if drift[j] > most:
            farthest, most, next_most = j, drift[j], most
        elif drift[j] > next_most:
            next_most = drift[j]
    n_open = 0
    for i in range(labels.shape[0]):
        j = labels[i]
        high = upper[i] + drift[j]
        low = lower[i] - (next_most if j == farthest else most)
        low = low if low > 0.0 else 0.0
        upper[i] = high
        lower[i] = low
        if high * high + rate * (row_sq[i] + largest) >= low * low:
            which[n_open] = i
            n_open += 1
    return n_open


@kernel
def move_rows(X, weights, before, after, sums):
    """Move rows from the sum of cluster ``before`` to that of ``after`` (-1: none)."""
    for i in range(X.shape[0]):
        old, new = before[i], after[i]
        if old == new:
            continue
        row = X[i]
        weight = weights[i]
        if old >= 0:
            from_sum = sums[old]
            for f in range(row.shape[0]):
                from_sum[f] -= weight * row[f]
        if new >= 0:
            to_sum = sums[new]
            for f in range(row.shape[0]):
                to_sum[f] += weight * row[f]


def turned(X):
    """Return X with each tile of rows transposed, (tiles, d, rows of a tile).

    The last tile is filled with zeros.
    """
    n, d = X.shape
    width = min(TILE, n)
    tiles = np.zeros((-(-n // width), width, d), dtype=X.dtype)
    tiles.reshape(-1, d)[:n] = X
    return np.ascontiguousarray(tiles.transpose(0, 2, 1))


@inlined
def _sqdist_to_tile(tile, point, n_rows, out):
    """Squared distances of the rows of a tile to a point, four features at a time."""
    n_features = tile.shape[0]
    whole = n_features - n_features % 4
    for i in range(n_rows):
        out[i] = 0
    for f in range(0, whole, 4):
        p0, p1, p2, p3 = point[f], point[f + 1], point[f + 2], point[f + 3]
        x0, x1, x2, x3 = tile[f], tile[f + 1], tile[f + 2], tile[f + 3]
        for i in range(n_rows):
            d0, d1, d2, d3 = x0[i] - p0, x1[i] - p1, x2[i] - p2, x3[i] - p3
            out[i] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
    for f in range(whole, n_features):
        p0, x0 = point[f], tile[f]
        for i in range(n_rows):
            d0 = x0[i] - p0
            out[i] += d0 * d0


@sum_kernel
def shorten(tiles, points, weights, closest, distances, options, potentials):
    """Try points as further centres.

    Parameters
    ----------
    tiles : float array of shape (tiles, d, w)
        From ``turned``.
    points : float array of shape (t, d)
    weights, closest : float64 arrays of shape (n,)
        Of each row; ``closest`` is its squared distance to the centres so far.
    distances : float array of shape (w,)
        Scratch.
    options : float64 array of shape (t, n) or longer
        Filled with what ``closest`` becomes with each point.
    potentials : float64 array of shape (t,) or longer
        Filled with the weighted sums of these.
    """
    n = closest.shape[0]
    for t in range(points.shape[0]):
        potentials[t] = 0.0
    for at in range(tiles.shape[0]):
        tile, start = tiles[at], at * TILE
        n_rows = n - start if n - start < TILE else TILE
        for t in range(points.shape[0]):
            point, option = points[t], options[t]
            _sqdist_to_tile(tile, point, n_rows, distances)
            potential = 0.0
            for i in range(n_rows):
                nearest = np.float64(distances[i])
                before = closest[start + i]
                nearest = nearest if nearest < before else before
                option[start + i] = nearest
                potential += weights[start + i] * nearest
            potentials[t] += potential


@kernel
def keep(option, weights, closest, mass):
    """Take an option of ``shorten`` as ``closest``; fill ``mass`` with running sums."""
    total = 0.0
    for i in range(closest.shape[0]):
        closest[i] = option[i]
        total += weights[i] * option[i]
        mass[i] = total


@sum_kernel
def _assign_tiles(tiles, centers, distances, nearest, found, labels):
    """Find the nearest centres of all rows; return number of changes and inertia.

    For few features and few centres: no scores, no bounds, just all distances.
    """
    n = labels.shape[0]
    n_changed, inertia = 0, 0.0
    for at in range(tiles.shape[0]):
        tile, start = tiles[at], at * TILE
        n_rows = n - start if n - start < TILE else TILE
        for i in range(n_rows):
            nearest[i] = np.inf
            found[i] = 0
        for j in range(centers.shape[0]):
            _sqdist_to_tile(tile, centers[j], n_rows, distances)
            label = np.int32(j)
            for i in range(n_rows):
                closer = distances[i] < nearest[i]
                found[i] = label if closer else found[i]
                nearest[i] = distances[i] if closer else nearest[i]
        for i in range(n_rows):
            n_changed += labels[start + i] != found[i]
            labels[start + i] = found[i]
            inertia += nearest[i]
    return n_changed, inertia


@inlined
def _seed(rows, tiles, ones, uniform, heap, closest, distances, options, tried):
    """Draw centres by greedy k-means++, as ``DenseSamples.seed`` does, into ``tried``.

    If all rows coincide with centres, the rest is the first row.
    """
    n, d = rows.shape
    total = np.float64(n)
    for i in range(n):
        heap[i] = i + 1.0
        closest[i] = np.inf
    for c in range(uniform.shape[0]):
        n_tried = uniform.shape[1] if c > 0 and total > 0.0 else 1
        candidates = tried[c : c + n_tried]
        for t in range(n_tried):
            mark, at, last = uniform[c, t] * total, 0, n - 1
            while at < last and total > 0.0:  # the first sum above the mark
                middle = (at + last) // 2
                if heap[middle] <= mark:
                    at = middle + 1
                else:
                    last = middle
            for f in range(d):
                candidates[t, f] = rows[at, f]
        potentials = heap[n : n + n_tried]
        shorten(tiles, candidates, ones, closest, distances, options, potentials)
        winner = 0
        for t in range(1, n_tried):
            winner = t if potentials[t] < potentials[winner] else winner
        for f in range(d):
            tried[c, f] = candidates[winner, f]
        total = 0.0
        for i in range(n):
            closest[i] = options[winner, i]
            total += closest[i]
            heap[i] = total


@kernel
def fill_halves(
    points, tiles, orders, uniform, max_iter, labels, centers, seen, seen_tiles, ones,
    heap, closest, distances, nearest, options, tried, sums, totals, found, own, summed,
):  # fmt: skip
    """``divide_halves`` with work space."""
    n, d = points.shape
    n_members, n_starts, k, _ = uniform.shape
    middle = n // 2
    for member in range(n_members):
        order = orders[member // 2]
        first, size = (0, middle) if member % 2 == 0 else (middle, n - middle)
        rows, now, before = seen[:size], own[:size], summed[:size]
        for i in range(size):
            for f in range(d):
                rows[i, f] = points[order[first + i], f]
                seen_tiles[i // TILE, f, i % TILE] = rows[i, f]
        least = np.inf
        for start in range(n_starts):
            _seed(
                rows, seen_tiles, ones[:size], uniform[member, start], heap,
                closest[:size], distances, options, tried,
            )  # fmt: skip
            for i in range(size):
                now[i] = -1
                before[i] = -1
            for j in range(k):
                for f in range(d):
                    sums[j, f] = 0.0
            inertia = 0.0
            for _ in range(max_iter):
                n_changed, inertia = _assign_tiles(
                    seen_tiles, tried[:k], distances, nearest, found, now
                )
                if n_changed == 0:
                    break
                move_rows(rows, ones[:size], before, now, sums)
                for j in range(k):
                    totals[j] = 0.0
                for i in range(size):
                    before[i] = now[i]
                    totals[now[i]] += 1.0
                for j in range(k):
                    if totals[j] > 0.0:  # an empty cluster keeps its centre
                        for f in range(d):
                            tried[j, f] = sums[j, f] / totals[j]
            if inertia < least:
                least = inertia
                for j in range(k):
                    for f in range(d):
                        centers[member, j, f] = tried[j, f]
        _assign_tiles(tiles, centers[member], distances, nearest, found, labels[member])


def divide_halves(points, orders, uniform, max_iter, labels, centers):
    """Cluster both halves of the rows by k-means.

    Parameters
    ----------
    points : (n, d) float64
    orders : (r, n) int64
        Permutations of the rows: the first half of each, and the rest.
    uniform : (2 r, starts, k, candidates) float64
        Random numbers for k-means++; the best of the starts is kept.
    max_iter : int
    labels : (2 r, n) int32
        The nearest centre of all rows; 2 i and 2 i + 1 come from order i.
    centers : (2 r, k, d) float64
    """
    n, d = points.shape
    k, n_candidates = uniform.shape[2:]
    largest = n - n // 2
    labels[:] = -1
    fill_halves(
        points, turned(points), orders, uniform, max_iter, labels, centers,
        np.empty((largest, d)), np.empty((-(-largest // TILE), d, TILE)),
        np.ones(largest), np.empty(largest + n_candidates), np.empty(largest),
        *np.empty((2, TILE)), np.empty((n_candidates, largest)),
        np.empty((k + n_candidates, d)), np.empty((k, d)), np.empty(k),
        np.empty(TILE, dtype=np.int32), *np.empty((2, largest), dtype=np.int32),
    )  # fmt: skip
