"""k-means: initial centres, iterations, distances to centres.

Scores come from BLAS, whose last bits change with the number of threads and with the
shape of the tile. They only rule out centres that are clearly not the nearest; the rest
is decided by ``_sqdist``, which sums in a fixed order. So labels depend only on the row
and the centres.

The loops over iterations are flat and are handed their scratch arrays: each helper of
numba's that they would pull in is compiled while a new user waits.
"""

import numpy as np

from coterie._kernels._jit import kernel, sum_kernel

TILE = 512  # rows, at most, whose values of one feature lie together
SETTLED, UNSETTLED, EMPTY, BLURRED = 0, 1, 2, 3  # why ``lloyd`` returned
_DRIFT_ERROR = 1e-9  # relative, of the distance by which a centre moved


@kernel
def _sqdist(x, y):
    """Squared distance of two rows: eight sums, added in a fixed order."""
    n_features = x.shape[0]
    n_whole = n_features - n_features % 8
    s0 = s1 = s2 = s3 = s4 = s5 = s6 = s7 = x.dtype.type(0)
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
def own_sqdist(X, centers, labels, out):
    """Squared distance of each row to its centre."""
    for i in range(X.shape[0]):
        out[i] = _sqdist(X[i], centers[labels[i]])


def turned(X):
    """Return X with each tile of rows transposed, (tiles, d, rows of a tile).

    The last tile is filled with zeros.
    """
    n, d = X.shape
    width = min(TILE, n)
    tiles = np.zeros((-(-n // width), width, d), dtype=X.dtype)
    tiles.reshape(-1, d)[:n] = X
    return np.ascontiguousarray(tiles.transpose(0, 2, 1))


@sum_kernel
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
def seed(X, tiles, weights, uniform, mass, closest, options, potentials, distances,
         chosen):  # fmt: skip
    """Draw rows by greedy k-means++; return their number.

    Each step draws several candidates and keeps the one that leaves the smallest cost.

    Parameters
    ----------
    X : float array of shape (n, d)
    tiles : float array of shape (tiles, d, w)
        From ``turned``.
    weights : float64 array of shape (n,)
    uniform : float64 array of shape (k, t)
        Random numbers; only one of the first row is used.
    mass, closest : float64 arrays of shape (n,)
        The cumulated weights; infinities.
    options, potentials, distances : arrays of shape (t, n), (t,) or longer, (w,)
        Scratch; distances in the dtype of X.
    chosen : int64 array of shape (k + t,)
        Filled with k rows, or fewer if all others coincide with them.
    """
    n = X.shape[0]
    for c in range(uniform.shape[0]):
        total = mass[n - 1]
        if total <= 0.0:
            return c
        n_tried = uniform.shape[1] if c > 0 else 1
        for t in range(n_tried):
            mark, at, last = uniform[c, t] * total, 0, n - 1
            while at < last:  # the first sum above the mark
                middle = (at + last) // 2
                if mass[middle] <= mark:
                    at = middle + 1
                else:
                    last = middle
            chosen[c + t] = at
            potentials[t] = 0.0
        for at in range(tiles.shape[0]):
            tile, start = tiles[at], at * TILE
            n_rows = n - start if n - start < TILE else TILE
            for t in range(n_tried):
                option = options[t]
                _sqdist_to_tile(tile, X[chosen[c + t]], n_rows, distances)
                potential = 0.0
                for i in range(n_rows):
                    nearest = np.float64(distances[i])
                    before = closest[start + i]
                    nearest = nearest if nearest < before else before
                    option[start + i] = nearest
                    potential += weights[start + i] * nearest
                potentials[t] += potential
        winner = 0
        for t in range(1, n_tried):
            winner = t if potentials[t] < potentials[winner] else winner
        chosen[c] = chosen[c + winner]
        total = 0.0
        for i in range(n):
            closest[i] = options[winner, i]
            total += weights[i] * closest[i]
            mass[i] = total
    return uniform.shape[0]


@kernel
def lloyd(
    X, scored, row_sq, weights, rate, tolerance, most_exact, n_iter, max_iter, centers,
    labels, summed, sums, which, bounds, means, minus_two, taken, scores, lowest, found,
):  # fmt: skip
    """Run Lloyd's algorithm; return the number of iterations and why it ended.

    A row keeps its centre unseen while the others are farther by more than the error of
    a distance (G. Hamerly, "Making k-means even faster", SDM 2010, with one lower
    bound). After BLURRED, it can be continued with the same arrays and more accurate
    scores.

    Parameters
    ----------
    X, scored : float arrays of shape (n, d)
        The rows, and the rows from which scores are computed.
    row_sq, weights : float64 arrays of shape (n,)
    rate : float
        Error of scores, relative to the largest |x|^2 + |c|^2.
    tolerance : float
        Squared shift of the centres at which to stop.
    most_exact : float
        Share of distances computed exactly, above which scores are BLURRED.
    n_iter, max_iter : int
        Iterations done and allowed.
    centers : float array of shape (k, d)
        Changed.
    labels, summed : int32 arrays of shape (n,)
        The nearest centres, changed; the labels that ``sums`` is of, -1 for none.
    sums : float64 array of shape (k, d)
    which : int64 array of shape (n,)
        Scratch.
    bounds : float64 array of shape (2, n)
        Of the distances to the own centre and to the nearest other one; infinity and
        zero at first.
    means : float64 array of shape (3, k)
        Scratch: weights, shifts and squares of the clusters; shifts are zero at first.
    minus_two, taken, scores, lowest : arrays of the dtype of ``scored``
        Scratch of shapes (k, d), (r, d), (k, r) and (2, r). ``taken`` is finite.
    found : int32 array of shape (r,)
        Scratch.
    """
    n, d = X.shape
    k, at_once = scores.shape
    upper, lower = bounds[0], bounds[1]
    totals, drift, squares = means[0], means[1], means[2]
    best, second = lowest[0], lowest[1]
    shift, most, next_most, farthest = np.inf, 0.0, 0.0, -1
    while True:
        largest = 0.0
        for j in range(k):
            square = 0.0
            for f in range(d):
                value = np.float64(centers[j, f])
                square += value * value
                minus_two[j, f] = -2.0 * value
            squares[j] = square
            largest = square if square > largest else largest

        n_open = 0  # rows that may change
        for i in range(n):
            j = labels[i]
            high = upper[i] + drift[j]
            low = lower[i] - (next_most if j == farthest else most)
            low = low if low > 0.0 else 0.0
            upper[i] = high
            lower[i] = low
            which[n_open] = i
            n_open += high * high + rate * (row_sq[i] + largest) >= low * low

        n_exact = 0
        for start in range(0, n_open, at_once):
            size = n_open - start if n_open - start < at_once else at_once
            for i in range(size):
                at = which[start + i]
                for f in range(d):
                    taken[i, f] = scored[at, f]
                best[i] = np.inf
                second[i] = np.inf
                found[i] = 0
            np.dot(minus_two, taken.T, scores)
            for j in range(k):  # the loop over rows uses vector registers
                offset = scored.dtype.type(squares[j])
                label = np.int32(j)
                for i in range(size):
                    score = offset + scores[j, i]
                    lead = best[i]
                    after = score if score > lead else lead
                    second[i] = after if after < second[i] else second[i]
                    best[i] = score if score < lead else lead
                    found[i] = label if score < lead else found[i]
            for i in range(size):
                at = which[start + i]
                slack = rate * (row_sq[at] + largest)
                limit = best[i] + slack
                high = row_sq[at] + best[i]
                low = row_sq[at] + second[i] - slack
                if second[i] <= limit:  # too close to call
                    low = high - slack
                    nearest = np.inf
                    for j in range(k):
                        if squares[j] + scores[j, i] <= limit:
                            n_exact += 1
                            distance = _sqdist(X[at], centers[j])
                            if distance < nearest:
                                nearest = distance
                                found[i] = j
                labels[at] = found[i]
                upper[at] = np.sqrt((high if high > 0.0 else 0.0) + 2.0 * slack)
                lower[at] = np.sqrt(low if low > 0.0 else 0.0)

        for j in range(k):
            totals[j] = 0.0
        n_changed = 0
        for i in range(n):
            totals[labels[i]] += weights[i]
            n_changed += labels[i] != summed[i]
        n_empty = 0
        for j in range(k):
            n_empty += totals[j] == 0.0
        if n_iter > 0 and (n_changed == 0 or (shift <= tolerance and n_empty == 0)):
            return n_iter, SETTLED
        if n_iter == max_iter:
            return n_iter, UNSETTLED
        if n_empty > 0:
            return n_iter, EMPTY
        if n_exact > most_exact * n_open * k:
            return n_iter, BLURRED

        if n_changed > n // 4:  # cheaper to start over, and without rounding errors
            for j in range(k):
                for f in range(d):
                    sums[j, f] = 0.0
            for i in range(n):
                summed[i] = -1
        for i in range(n):
            before, after = summed[i], labels[i]
            if before == after:
                continue
            weight = weights[i]
            if before >= 0:
                for f in range(d):
                    sums[before, f] -= weight * X[i, f]
            for f in range(d):
                sums[after, f] += weight * X[i, f]
            summed[i] = after

        shift, most, next_most, farthest = 0.0, 0.0, 0.0, -1
        for j in range(k):
            way = 0.0
            for f in range(d):
                step = np.float64(centers[j, f])
                centers[j, f] = sums[j, f] / totals[j]
                step -= centers[j, f]
                way += step * step
            shift += way
            drift[j] = np.sqrt(way) * (1.0 + _DRIFT_ERROR)
            if drift[j] > most:
                farthest, most, next_most = j, drift[j], most
            elif drift[j] > next_most:
                next_most = drift[j]
        n_iter += 1


@sum_kernel
def _assign_tiles(tiles, centers, distances, nearest, found, labels):
    """Find the nearest centres of all rows; return number of changes and inertia.

    For few features and few centres: no scores, no bounds, just all distances.
    """
    n = labels.shape[0]
    n_changed, inertia = 0, 0.0
    for at in range(tiles.shape[0]):
        start = at * TILE
        n_rows = n - start if n - start < TILE else TILE
        for i in range(n_rows):
            nearest[i] = np.inf
            found[i] = 0
        for j in range(centers.shape[0]):
            _sqdist_to_tile(tiles[at], centers[j], n_rows, distances)
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


@kernel
def best_of_starts(
    X, tiles, weights, uniform, max_iter, mass, closest, options, potentials, distances,
    chosen, nearest, found, labels, summed, tried, sums, centers, all_tiles, placed,
):  # fmt: skip
    """Fill ``centers`` with the best of some runs of k-means on few samples.

    An empty cluster keeps its centre. ``placed`` is filled with the nearest centres of
    all samples, of which X may be a part.

    Parameters
    ----------
    X, tiles, weights
        As for ``seed``; the weights are one.
    uniform : float64 array of shape (starts, k, t)
    mass, closest, options, potentials, distances, chosen
        As for ``seed``.
    nearest, found : float64 and int32 array of shape (w,)
        Scratch.
    labels, summed : int32 arrays of shape (n,)
        Scratch.
    tried, sums, centers : float64 arrays of shape (k, d)
        Scratch, scratch, and the result.
    all_tiles : float64 array of shape (tiles, d, w)
        All samples, from ``turned``.
    placed : int32 array with an entry for each of these
    """
    n, d = X.shape
    k = centers.shape[0]
    least = np.inf
    for start in range(uniform.shape[0]):
        for i in range(n):
            mass[i] = i + 1.0
            closest[i] = np.inf
            labels[i] = -1
            summed[i] = -1
        n_drawn = seed(
            X, tiles, weights, uniform[start], mass, closest, options, potentials,
            distances, chosen,
        )  # fmt: skip
        for j in range(k):
            at = chosen[j] if j < n_drawn else 0  # all rows coincide with centres
            for f in range(d):
                tried[j, f] = X[at, f]
                sums[j, f] = 0.0
        inertia = 0.0
        for _ in range(max_iter):
            n_changed, inertia = _assign_tiles(
                tiles, tried, distances, nearest, found, labels
            )
            if n_changed == 0:
                break
            for j in range(k):
                potentials[j] = 0.0
            for i in range(n):
                before, after = summed[i], labels[i]
                potentials[after] += 1.0
                if before == after:
                    continue
                row, entered = X[i], sums[after]
                if before >= 0:
                    left = sums[before]
                    for f in range(d):
                        left[f] -= row[f]
                for f in range(d):
                    entered[f] += row[f]
                summed[i] = after
            for j in range(k):
                if potentials[j] > 0.0:
                    for f in range(d):
                        tried[j, f] = sums[j, f] / potentials[j]
        if inertia < least:
            least = inertia
            for j in range(k):
                for f in range(d):
                    centers[j, f] = tried[j, f]
    _assign_tiles(all_tiles, centers, distances, nearest, found, placed)
