"""The nearest of many landmarks, found via groups of landmarks."""

import numpy as np

from coterie._kernels._jit import kernel, parallel_kernel


@kernel
def _sqdist(x, y):
    total = 0.0
    for t in range(x.shape[0]):
        difference = x[t] - y[t]
        total += difference * difference
    return total


@parallel_kernel("X")
def nearest_of_groups(begin, end, X, L, centers, starts, listed, near, indices, sqdist):
    """Find landmarks near each row: nearest group, its nearest landmark, its vicinity.

    Parameters
    ----------
    X : (n, d), L : (p, d), centers : (g, d) floats of one dtype
    starts : (g + 1,), listed : (p,) int64
        The landmarks of each group, none empty.
    near : (p, c) int32
        The landmarks around each landmark, itself first; c >= K.
    indices : (n, K) int32, sqdist : (n, K) float64
        Results, the nearest first.
    """
    n_near = indices.shape[1]
    for i in range(begin, end):
        x = X[i]
        group, best = 0, np.inf
        for g in range(centers.shape[0]):
            d = _sqdist(x, centers[g])
            if d < best:
                group, best = g, d
        landmark, best = listed[starts[group]], np.inf
        for at in range(starts[group], starts[group + 1]):
            d = _sqdist(x, L[listed[at]])
            if d < best:
                landmark, best = listed[at], d
        for t in range(n_near):
            sqdist[i, t] = np.inf
        for c in range(near.shape[1]):
            candidate = near[landmark, c]
            d = _sqdist(x, L[candidate])
            if d < sqdist[i, n_near - 1]:
                t = n_near - 1
                while t > 0 and sqdist[i, t - 1] > d:
                    sqdist[i, t] = sqdist[i, t - 1]
                    indices[i, t] = indices[i, t - 1]
                    t -= 1
                sqdist[i, t] = d
                indices[i, t] = candidate
