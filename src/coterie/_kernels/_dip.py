"""The dip, and valleys between clusters."""

import numpy as np

from coterie._kernels._jit import inlined, kernel

_FEWEST = 4  # samples of two clusters needed to see a valley between them


@kernel
def hull(x, y, first, last, sign, corners):
    """Write the corners of the convex minorant (sign 1) or concave majorant (-1).

    For the points ``first`` to ``last``, with ascending ``x``. Returns their number.
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
    straight line by no more than that; the dip is then not refined.

    Parameters
    ----------
    x : (u,) float64
        The distinct values, ascending.
    below, upto : (u,) float64
        Share of the sample below each value, and up to it.
    """
    lo, hi = 0, x.size - 1
    minor, major = np.zeros(x.size, np.int64), np.zeros(x.size, np.int64)
    under, over = np.empty(x.size), np.empty(x.size)
    dip = 0.0  # twice: a continuous function misses half of a jump
    for i in range(x.size):
        dip = max(dip, upto[i] - below[i])
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


@inlined
def _sort(values):
    """Sort in place by Shell's method: ``np.sort`` takes a second to compile."""
    n, gap = values.size, 1
    while gap < n // 3:
        gap = 3 * gap + 1
    while gap > 0:
        for i in range(gap, n):
            value, at = values[i], i
            while at >= gap and values[at - gap] > value:
                values[at] = values[at - gap]
                at -= gap
            values[at] = value
        gap //= 3


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
    """Write the depth of the valley between each pair of neighbouring clusters.

    The dip of the samples of both on the line through their centres, times the root of
    their number. Clusters are neighbours if no third centre lies in the ball whose
    diameter joins their own.

    Parameters
    ----------
    points : (n, d) float64, labels : (n,) int, centers : (k, d) float64
    out : (k, k) float64
        Filled above the diagonal; -1 for clusters that are not neighbours.
    """
    k, d = centers.shape
    values = np.empty(points.shape[0])
    for a in range(k):
        for b in range(a + 1, k):
            out[a, b] = -1.0
            radius, nearest = 0.0, np.inf  # of the middle from a, and from the others
            for c in range(k):
                distance = 0.0
                for j in range(d):
                    middle = 0.5 * (centers[a, j] + centers[b, j])
                    distance += (centers[c, j] - middle) ** 2
                if c == a:
                    radius = distance
                elif c != b and distance < nearest:
                    nearest = distance
            if nearest <= radius:
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
                between = values[:count]
                _sort(between)
                out[a, b] = np.sqrt(count) * _dip_of(between)
