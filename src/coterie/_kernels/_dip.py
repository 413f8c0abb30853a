"""The dip, valleys between clusters, and k-means on halves of the data."""

import numpy as np

from coterie._kernels._jit import kernel, sum_kernel

_FEWEST = 4  # samples of two clusters, below which nothing can be seen between them


@kernel
def hull(x, y, first, last, sign, corners):
    """Write the corners of the convex minorant (sign 1) or concave majorant (-1).

    Of the points ``first`` to ``last``, whose ``x`` rise. Returns how many there are.
    """
    count = 0
    for i in range(first, last + 1):
        while count > 1:
            a, b = corners[count - 2], corners[count - 1]
            left = (y[b] - y[a]) * (x[i] - x[b])
            right = (y[i] - y[b]) * (x[b] - x[a])
            if sign * left < sign * right:
                break
            count -= 1
        corners[count] = i
        count += 1
    return count


@kernel
def _between(x, y, corners, count, out):
    """Write the values of the polygon through the corners at all points."""
    for c in range(count - 1):
        a, b = corners[c], corners[c + 1]
        slope = (y[b] - y[a]) / (x[b] - x[a])
        for i in range(a, b):
            out[i] = y[a] + slope * (x[i] - x[a])
    out[corners[count - 1]] = y[corners[count - 1]]


@kernel
def modal_interval(x, below, upto, slack):
    """Return the dip of a distribution function, and the ends of its modal interval.

    With ``slack`` the interval is the widest in which the function differs from a
    straight one by no more than that; the dip is then not narrowed down.

    Parameters
    ----------
    x : (u,) float64
        The distinct values, rising.
    below, upto : (u,) float64
        Share of the sample that is smaller, and that is not larger.
    """
    lo, hi = 0, x.size - 1
    minor, major = np.empty(x.size, np.int64), np.empty(x.size, np.int64)
    under, over = np.empty(x.size), np.empty(x.size)
    dip = np.max(upto - below)  # twice: a continuous function misses half of a jump
    while lo < hi:
        n_minor = hull(x, below, lo, hi, 1.0, minor)
        n_major = hull(x, upto, lo, hi, -1.0, major)
        _between(x, below, minor, n_minor, under)
        _between(x, upto, major, n_major, over)
        widest, new_lo, new_hi = -1.0, lo, hi
        at = 0
        for c in range(n_minor):
            i = minor[c]
            while major[at] < i:
                at += 1
            if over[i] - under[i] > widest:
                widest, new_lo, new_hi = over[i] - under[i], i, major[at]
        at = n_minor - 1
        for c in range(n_major - 1, -1, -1):
            i = major[c]
            while minor[at] > i:
                at -= 1
            if over[i] - under[i] > widest:
                widest, new_lo, new_hi = over[i] - under[i], minor[at], i
        if widest <= max(dip, slack):
            break
        for i in range(lo, new_lo + 1):
            dip = max(dip, upto[i] - under[i])
        for i in range(new_hi, hi + 1):
            dip = max(dip, over[i] - below[i])
        if new_lo == lo and new_hi == hi:
            break
        lo, hi = new_lo, new_hi
    return 0.5 * dip, lo, hi


@kernel
def _dip_of(values):
    """Return the dip of sorted values."""
    n = values.size
    x, below, upto = np.empty(n), np.empty(n), np.empty(n)
    u = 0
    for i in range(n):
        if i == 0 or values[i] > values[i - 1]:
            x[u], below[u] = values[i], i / n
            u += 1
        upto[u - 1] = (i + 1) / n
    return modal_interval(x[:u], below[:u], upto[:u], 0.0)[0]


@kernel
def valleys(points, labels, centers, out):
    """Write how deep the valley between each two neighbouring clusters is.

    The dip of the samples of both on the line through their centres, times the root of
    their number. Clusters are neighbours if no third centre lies in the ball whose
    diameter joins their own.

    Parameters
    ----------
    points : (n, d) float64, labels : (n,) int, centers : (k, d) float64
    out : (k, k) float64
        Filled above the diagonal; -1 where clusters are no neighbours.
    """
    k, d = centers.shape
    values = np.empty(points.shape[0])
    for a in range(k):
        for b in range(a + 1, k):
            out[a, b] = -1.0
            middle = 0.5 * (centers[a] + centers[b])
            radius = np.sum((centers[a] - middle) ** 2)
            is_free = True
            for c in range(k):
                if c != a and c != b:
                    is_free &= np.sum((centers[c] - middle) ** 2) > radius
            if not is_free:
                continue
            count = 0
            for i in range(points.shape[0]):
                if labels[i] == a or labels[i] == b:
                    value = 0.0
                    for j in range(d):
                        value += points[i, j] * (centers[b, j] - centers[a, j])
                    values[count] = value
                    count += 1
            if count >= _FEWEST:
                out[a, b] = np.sqrt(count) * _dip_of(np.sort(values[:count]))


@sum_kernel
def _distances(columns, point, out):
    """Write the squared distance of each sample to a point; samples are columns."""
    out[:] = 0.0
    for f in range(columns.shape[0]):
        values, at = columns[f], point[f]
        for i in range(out.shape[0]):
            away = values[i] - at
            out[i] += away * away


@sum_kernel
def _shorten(distances, closest, out):
    """Write the smaller of the two; return the sum."""
    total = 0.0
    for i in range(closest.shape[0]):
        out[i] = min(distances[i], closest[i])
        total += out[i]
    return total


@kernel
def _seed(columns, uniform, centers):
    """Draw first centres by greedy k-means++, from (k, candidates) random numbers."""
    n, (k, n_candidates) = columns.shape[1], uniform.shape
    closest, heap = np.full(n, np.inf), np.arange(1.0, n + 1.0)
    distances, trial, best = np.empty(n), np.empty(n), np.empty(n)
    for c in range(k):
        if c > 0:
            heap = np.cumsum(closest)
        least = np.inf
        for t in range(n_candidates if c > 0 else 1):
            at = np.searchsorted(heap, uniform[c, t] * heap[-1], side="right")
            at = min(at, n - 1)
            _distances(columns, columns[:, at], distances)
            potential = _shorten(distances, closest, trial)
            if potential < least:
                least = potential
                centers[c] = columns[:, at]
                best, trial = trial, best
        closest[:] = best


@kernel
def _assign(columns, centers, labels, nearest):
    """Write the nearest centre of each sample and its distance; return who moved."""
    n_moved = 0
    before = labels.copy()
    distances = np.empty(labels.shape[0])
    nearest[:] = np.inf
    for c in range(centers.shape[0]):
        _distances(columns, centers[c], distances)
        for i in range(labels.shape[0]):
            if distances[i] < nearest[i]:
                nearest[i], labels[i] = distances[i], c
    for i in range(labels.shape[0]):
        n_moved += labels[i] != before[i]
    return n_moved


@kernel
def _lloyd(columns, centers, max_iter):
    """Move the centres to the means of their samples until none moves.

    Returns the sum of squared distances to the centres.
    """
    d, n = columns.shape
    k = centers.shape[0]
    labels, nearest = np.full(n, -1, np.int32), np.empty(n)
    for _ in range(max_iter):
        if _assign(columns, centers, labels, nearest) == 0:
            break
        sums, sizes = np.zeros((d, k)), np.zeros(k)
        for i in range(n):
            sizes[labels[i]] += 1.0
        for f in range(d):
            for i in range(n):
                sums[f, labels[i]] += columns[f, i]
        for c in range(k):
            if sizes[c] > 0:  # a cluster that lost all its samples stays where it was
                centers[c] = sums[:, c] / sizes[c]
    return nearest.sum()


@kernel
def divide_halves(points, orders, uniform, max_iter, labels, depths):
    """Cluster both halves of the rows by k-means, and look at the other half.

    Parameters
    ----------
    points : (n, d) float64
    orders : (r, n) int64
        Permutations of the rows: the first half of each, and the rest.
    uniform : (2 r, starts, k, candidates) float64
        Random numbers for k-means++; the best of the starts is kept.
    max_iter : int
    labels : (n, 2 r) int32
        The nearest centre of all rows; columns 2 i and 2 i + 1 come from order i.
    depths : (2 r,) float64
        The deepest valley between neighbouring clusters in the other half.
    """
    n, k = points.shape[0], uniform.shape[2]
    columns = np.ascontiguousarray(points.T)
    for member in range(uniform.shape[0]):
        order = orders[member // 2]
        one, other = order[: n // 2], order[n // 2 :]
        if member % 2 == 1:
            one, other = other, one
        seen = np.ascontiguousarray(points[one].T)
        centers, least = np.empty((k, points.shape[1])), np.inf
        for start in range(uniform.shape[1]):
            tried = np.empty((k, points.shape[1]))
            _seed(seen, uniform[member, start], tried)
            inertia = _lloyd(seen, tried, max_iter)
            if inertia < least:
                centers, least = tried, inertia
        found = np.zeros(n, np.int32)
        _assign(columns, centers, found, np.empty(n))
        labels[:, member] = found
        out = np.full((k, k), -1.0)
        valleys(points[other], found[other], centers, out)
        depths[member] = max(0.0, out.max())
