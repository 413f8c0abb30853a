"""The inner loops of k-means: nearest centres, sums of rows, seeding.

Scores come from BLAS, whose last bits change with the number of threads and with the
shape of the tile. They only rule out centres that are clearly not the nearest; the rest
is decided by ``_sqdist``, which sums in a fixed order. So labels depend only on the row
and the centres.
"""

import numpy as np

from coterie._kernels._jit import kernel, sum_kernel


@kernel
def _sqdist(x, y):
    """Squared distance of two dense rows: eight sums, added in a fixed order."""
    n_features = x.shape[0]
    n_whole = n_features - n_features % 8
    zero = x.dtype.type(0)
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = zero
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
    return np.float64(((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)))


@kernel
def _squares(Y):
    """Square sums of rows, added one by one in the order of the features."""
    sums = np.zeros(Y.shape[0])
    for j in range(Y.shape[0]):
        for f in range(Y.shape[1]):
            value = np.float64(Y[j, f])
            sums[j] += value * value
    return sums


@kernel
def _best_two(scores, center_sq, best, second, labels):
    """Lowest and second lowest of ``center_sq[j] + scores[j, i]`` over j.

    Scores are (k, r) so that the inner loop runs over rows and uses vector registers.
    """
    best[:] = np.inf
    second[:] = np.inf
    labels[:] = 0
    for j in range(scores.shape[0]):
        offset = center_sq[j]
        row = scores[j]
        label = np.int32(j)
        for i in range(row.shape[0]):
            score = offset + row[i]
            lowest = best[i]
            second[i] = min(max(score, lowest), second[i])
            best[i] = min(score, lowest)
            labels[i] = label if score < lowest else labels[i]


@kernel
def _settle_ties(X, which, centers, scores, center_sq, slack, best, second, labels):
    """Decide rows whose two best scores are too close to call: lowest index wins.

    Scores, slack, best, second and labels are those of the rows ``which``. Of settled
    rows ``second`` becomes ``best``. Returns how many distances had to be computed.
    """
    n_exact = 0
    for i in range(labels.shape[0]):
        limit = best[i] + slack[i]
        if second[i] > limit:
            continue
        second[i] = best[i]
        nearest = np.inf
        for j in range(centers.shape[0]):
            if center_sq[j] + scores[j, i] <= limit:
                n_exact += 1
                distance = _sqdist(X[which[i]], centers[j])
                if distance < nearest:
                    nearest = distance
                    labels[i] = j
    return n_exact


@kernel
def _bound(best, second, slack, row_sq, upper, lower):
    """Bounds of the distances to the own centre and to the nearest other one."""
    for i in range(best.shape[0]):
        high = row_sq[i] + best[i]
        low = row_sq[i] + second[i] - slack[i]
        upper[i] = np.sqrt((high if high > 0.0 else 0.0) + 2.0 * slack[i])
        lower[i] = np.sqrt(low if low > 0.0 else 0.0)


@kernel
def _loosen(labels, drift, slack, upper, lower, which):
    """Widen the bounds by the shift of the centres; list rows that may change.

    A row keeps its centre while the others are farther by more than the error of a
    distance (G. Hamerly, "Making k-means even faster", SDM 2010, with one lower bound).
    """
    farthest = np.argmax(drift)
    most, next_most = drift[farthest], 0.0
    for j in range(drift.shape[0]):
        if j != farthest:
            next_most = max(next_most, drift[j])
    n_open = 0
    for i in range(labels.shape[0]):
        j = labels[i]
        high = upper[i] + drift[j]
        low = max(0.0, lower[i] - (next_most if j == farthest else most))
        upper[i] = high
        lower[i] = low
        if high * high + slack[i] >= low * low:
            which[n_open] = i
            n_open += 1
    return n_open


@kernel
def own_sqdist(X, centers, labels, out):
    """Squared distance of each row to its centre."""
    for i in range(X.shape[0]):
        out[i] = _sqdist(X[i], centers[labels[i]])


@kernel
def _draw(heap, uniform):
    """Return the index at a share of the cumulative sums."""
    found = np.searchsorted(heap, uniform * heap[-1], side="right")
    return min(found, heap.shape[0] - 1)


TILE = 512  # rows, at most, whose values of one feature lie together


@sum_kernel
def _sqdist_to_tile(tile, point, out):
    """Squared distances of the rows of a tile to a point, four features at a time."""
    n_features = tile.shape[0]
    whole = n_features - n_features % 4
    out[:] = 0
    for f in range(0, whole, 4):
        p0, p1, p2, p3 = point[f], point[f + 1], point[f + 2], point[f + 3]
        x0, x1, x2, x3 = tile[f], tile[f + 1], tile[f + 2], tile[f + 3]
        for i in range(out.shape[0]):
            d0, d1, d2, d3 = x0[i] - p0, x1[i] - p1, x2[i] - p2, x3[i] - p3
            out[i] += (d0 * d0 + d1 * d1) + (d2 * d2 + d3 * d3)
    for f in range(whole, n_features):
        p0, x0 = point[f], tile[f]
        for i in range(out.shape[0]):
            d0 = x0[i] - p0
            out[i] += d0 * d0


@sum_kernel
def _shorten_tile(distances, closest, weights, out):
    """Write min(closest, distance); return the weighted sum."""
    potential = 0.0
    for i in range(closest.shape[0]):
        nearest = np.float64(distances[i])
        nearest = nearest if nearest < closest[i] else closest[i]
        out[i] = nearest
        potential += weights[i] * nearest
    return potential


@kernel
def turned(X):
    """Return X with each tile of rows transposed, (tiles, d, rows of a tile)."""
    n, d = X.shape
    tiles = np.zeros(((n + TILE - 1) // TILE, d, min(TILE, n)), dtype=X.dtype)
    for i in range(n):
        columns, at = tiles[i // TILE], i % TILE
        for f in range(d):
            columns[f, at] = X[i, f]
    return tiles


@kernel
def seed(X, tiles, weights, uniform, chosen):
    """Draw rows by greedy k-means++; return their number.

    ``tiles`` come from ``turned``, ``uniform`` (k, candidates) are random numbers.
    Fewer than k rows are found if all others coincide with them.
    """
    n = X.shape[0]
    k, n_candidates = uniform.shape
    heap = np.cumsum(weights)
    closest = np.full(n, np.inf)
    options = np.empty((n_candidates, n))  # closest with each candidate
    distances = np.empty(tiles.shape[2], dtype=X.dtype)
    candidates = np.empty(n_candidates, dtype=np.int64)
    for c in range(k):
        if c > 0:
            total = 0.0
            for i in range(n):
                total += weights[i] * closest[i]
                heap[i] = total
            if total <= 0.0:
                return c
        n_tried = n_candidates if c > 0 else 1
        potentials = np.zeros(n_tried)
        for t in range(n_tried):
            candidates[t] = _draw(heap, uniform[c, t])
        for tile in range(tiles.shape[0]):
            here = slice(tile * TILE, min((tile + 1) * TILE, n))
            for t in range(n_tried):
                _sqdist_to_tile(tiles[tile], X[candidates[t]], distances)
                potentials[t] += _shorten_tile(
                    distances, closest[here], weights[here], options[t, here]
                )
        winner = np.argmin(potentials)
        chosen[c] = candidates[winner]
        closest[:] = options[winner]
    return k


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


SETTLED, UNSETTLED, EMPTY, BLURRED = 0, 1, 2, 3  # why ``lloyd`` ended
ROWS_AT_ONCE = 64, 1024  # at least, at most
SCORES_AT_ONCE = 65536  # reread while still in the cache
SHARE_OF_TIES = 0.1  # above this, more accurate scores are cheaper


@kernel
def _place(X, scored, row_sq, which, centers, rate, labels, upper, lower):
    """Find the nearest centres of some rows.

    Returns how many labels changed, and whether the scores were too inaccurate.
    """
    exact_sq = _squares(centers)
    center_sq = exact_sq.astype(scored.dtype)
    minus_two = (centers * -2.0).astype(scored.dtype)  # (k, d)
    largest = exact_sq.max()
    at_once = max(SCORES_AT_ONCE // centers.shape[0], ROWS_AT_ONCE[0])
    at_once = min(at_once, ROWS_AT_ONCE[1])
    n_changed = n_exact = 0
    bounds = np.empty((3, min(at_once, which.shape[0])))
    for s in range(0, which.shape[0], at_once):
        here = which[s : s + at_once]
        size = here.shape[0]
        own_sq, high, low = bounds[0, :size], bounds[1, :size], bounds[2, :size]
        slack = np.empty(size, dtype=scored.dtype)
        taken = np.empty((size, X.shape[1]), dtype=scored.dtype)
        for i in range(size):
            own_sq[i] = row_sq[here[i]]
            slack[i] = rate * (own_sq[i] + largest)
            for f in range(X.shape[1]):
                taken[i, f] = scored[here[i], f]
        scores = np.dot(minus_two, taken.T)  # (k, size)
        best, second = np.empty_like(slack), np.empty_like(slack)
        found = np.empty(size, dtype=labels.dtype)
        _best_two(scores, center_sq, best, second, found)
        n_exact += _settle_ties(
            X, here, centers, scores, center_sq, slack, best, second, found
        )
        _bound(best, second, slack, own_sq, high, low)
        for i in range(size):
            row = here[i]
            n_changed += labels[row] != found[i]
            labels[row] = found[i]
            upper[row] = high[i]
            lower[row] = low[i]
    blurred = n_exact > SHARE_OF_TIES * which.shape[0] * centers.shape[0]
    return n_changed, blurred and scored.itemsize < X.itemsize


@kernel
def assign(X, scored, row_sq, centers, rate, labels):
    """Find the nearest centres of all rows; return whether scores were inaccurate."""
    n = X.shape[0]
    labels[:] = -1
    bounds = np.empty((2, n))
    return _place(
        X, scored, row_sq, np.arange(n), centers, rate, labels, bounds[0], bounds[1]
    )[1]


@kernel
def _any_empty(labels, weights, k):
    counts = np.zeros(k, dtype=np.int64)
    for i in range(labels.shape[0]):
        counts[labels[i]] += weights[i] > 0
    return counts.min() == 0


@kernel
def _center(sums, weights, labels, centers, drift):
    """Move the centres to the means of their rows; return their squared shift."""
    totals = np.zeros(centers.shape[0])
    for i in range(labels.shape[0]):
        totals[labels[i]] += weights[i]
    shift = 0.0
    for j in range(centers.shape[0]):
        drift[j] = 0.0
        if totals[j] == 0.0:
            continue  # an empty cluster keeps its centre
        way = 0.0
        for f in range(centers.shape[1]):
            before = np.float64(centers[j, f])
            centers[j, f] = sums[j, f] / totals[j]
            step = np.float64(centers[j, f]) - before
            way += step * step
        shift += way
        drift[j] = np.sqrt(way) * (1.0 + 1e-9)
    return shift


@kernel
def lloyd(X, scored, row_sq, weights, rate, max_iter, tolerance, centers, labels):
    """Run Lloyd's algorithm in one call, as long as no cluster is empty.

    Changes centers and labels. Returns the number of iterations and the reason for
    stopping.
    """
    n, k = X.shape[0], centers.shape[0]
    upper, lower, drift = np.empty(n), np.empty(n), np.empty(k)
    which = np.arange(n)
    labels[:] = -1
    summed = labels.copy()  # the labels that sums is of
    sums = np.zeros(centers.shape)
    n_changed, blurred = _place(
        X, scored, row_sq, which, centers, rate, labels, upper, lower
    )
    for n_iter in range(1, max_iter + 1):
        if blurred:
            return n_iter - 1, BLURRED
        if _any_empty(labels, weights, k):
            return n_iter - 1, EMPTY
        if n_changed > n // 4:  # cheaper to start over, and without rounding errors
            sums[:] = 0.0
            summed[:] = -1
        move_rows(X, weights, summed, labels, sums)
        summed[:] = labels
        shift = _center(sums, weights, labels, centers, drift)
        slack = rate * (row_sq + _squares(centers).max())
        n_open = _loosen(labels, drift, slack, upper, lower, which)
        n_changed, blurred = _place(
            X, scored, row_sq, which[:n_open], centers, rate, labels, upper, lower
        )
        if n_changed == 0:
            return n_iter, SETTLED
        if shift <= tolerance and not _any_empty(labels, weights, k):
            return n_iter, SETTLED
    return max_iter, UNSETTLED


@kernel
def _assign_turned(tiles, centers, labels):
    """Find the nearest centres of all rows; return number of changes and inertia.

    For few features and few centres: no scores, no bounds, just all distances.
    """
    n_changed, inertia = 0, 0.0
    width = tiles.shape[2]
    distances, nearest = np.empty(width), np.empty(width)
    found = np.empty(width, dtype=labels.dtype)
    for tile in range(tiles.shape[0]):
        nearest[:] = np.inf
        found[:] = 0
        for j in range(centers.shape[0]):
            _sqdist_to_tile(tiles[tile], centers[j], distances)
            label = np.int32(j)
            for i in range(width):
                found[i] = label if distances[i] < nearest[i] else found[i]
                nearest[i] = min(distances[i], nearest[i])
        start = tile * TILE
        for i in range(min(TILE, labels.shape[0] - start)):
            n_changed += labels[start + i] != found[i]
            labels[start + i] = found[i]
            inertia += nearest[i]
    return n_changed, inertia


@kernel
def _lloyd_turned(X, tiles, weights, max_iter, centers):
    """Run Lloyd's algorithm; an empty cluster keeps its centre. Returns the inertia."""
    labels = np.full(X.shape[0], -1, dtype=np.int32)
    summed = labels.copy()  # the labels that sums is of
    sums, drift = np.zeros(centers.shape), np.empty(centers.shape[0])
    inertia = 0.0
    for _ in range(max_iter):
        n_changed, inertia = _assign_turned(tiles, centers, labels)
        if n_changed == 0:
            break
        move_rows(X, weights, summed, labels, sums)
        summed[:] = labels
        _center(sums, weights, labels, centers, drift)
    return inertia


@kernel
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
    n_members, n_starts, k, _ = uniform.shape
    middle = points.shape[0] // 2
    all_tiles = turned(points)
    chosen = np.empty(k, dtype=np.int64)
    for member in range(n_members):
        order = orders[member // 2]
        seen = points[order[:middle] if member % 2 == 0 else order[middle:]]
        tiles, ones = turned(seen), np.ones(seen.shape[0])
        least = np.inf
        for start in range(n_starts):
            n_drawn = seed(seen, tiles, ones, uniform[member, start], chosen)
            chosen[n_drawn:] = 0  # all rows coincide with centres: any others will do
            tried = seen[chosen]
            inertia = _lloyd_turned(seen, tiles, ones, max_iter, tried)
            if inertia < least:
                centers[member] = tried
                least = inertia
        _assign_turned(all_tiles, centers[member], labels[member])
