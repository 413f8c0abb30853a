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
def modal_interval(x, below, upto, u, slack, corners, polygons):
    """Return the dip of a distribution function, and the ends of its modal interval.

    With ``slack`` the interval is the widest in which the function differs from a
    straight line by no more than that; the dip is then not refined.

    Parameters
    ----------
    x : float64 array, at least (u,)
        The distinct values, ascending.
    below, upto : float64 arrays, at least (u,)
        Share of the sample below each value, and up to it.
    corners, polygons : int64 and float64 arrays, at least (2, u)
        Scratch.
    """
    lo, hi = np.int64(0), u - 1
    minor, major = corners[0], corners[1]
    under, over = polygons[0], polygons[1]
    dip = 0.0  # twice: a continuous function misses half of a jump
    for i in range(u):
        jump = upto[i] - below[i]
        dip = jump if jump > dip else dip
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
        if widest <= dip or widest <= slack:
            break
        for i in range(lo, new_lo + 1):
            gap = upto[i] - under[i]
            dip = gap if gap > dip else dip
        for i in range(new_hi, hi + 1):
            gap = over[i] - below[i]
            dip = gap if gap > dip else dip
        if new_lo == lo and new_hi == hi:
            break
        lo, hi = new_lo, new_hi
    return 0.5 * dip, lo, hi


@inlined
def _sort(values, n):
    """Sort the first n by Shell's method: ``np.sort`` takes a second to compile."""
    gap = 1
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
def valleys(points, labels, centers, corners, curves, out):
    """Write the depth of the valley between each pair of neighbouring clusters.

    The dip of the samples of both on the line through their centres, times the root of
    their number. Clusters are neighbours if no third centre lies in the ball whose
    diameter joins their own.

    Parameters
    ----------
    points : (n, d) float64, labels : (n,) int, centers : (k, d) float64
    corners, curves : (2, n) int64, (6, n) float64
        Scratch.
    out : (k, k) float64
        Filled above the diagonal; -1 for clusters that are not neighbours.
    """
    k, d = centers.shape
    values, x, below, upto = curves[2], curves[3], curves[4], curves[5]
    for a in range(k):
        for b in range(a + 1, k):
            out[a, b] = -1.0
            radius, nearest = 0.0, np.inf  # of the middle from a, and from the others
            for c in range(k):
                distance = 0.0
                for j in range(d):
                    middle = 0.5 * (centers[a, j] + centers[b, j])
                    way = centers[c, j] - middle
                    distance += way * way
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
            if count < _FEWEST:
                continue
            _sort(values, count)
            u = np.int64(0)  # not a literal: ``modal_interval`` has one version
            for i in range(count):
                if i == 0 or values[i] > values[i - 1]:
                    x[u], below[u] = values[i], i / count
                    u += 1
                upto[u - 1] = (i + 1) / count
            dip, _, _ = modal_interval(x, below, upto, u, 0.0, corners, curves)
            out[a, b] = np.sqrt(count) * dip
