"""How many nearest neighbours two samples have in common."""

from __future__ import annotations

from coterie._kernels._jit import kernel


@kernel
def jaccard(indices, seen_by, overlap):
    """Compare the neighbourhood of each sample with those of its neighbours.

    A neighbourhood is the sample and its neighbours.

    Parameters
    ----------
    indices : int32 array of shape (n, k)
        The nearest neighbours of each sample.
    seen_by : int32 array of shape (n,)
        All -1; the last sample whose neighbourhood has this one.
    overlap : float64 array of shape (n, k)
        Filled with the share of their union that is in both neighbourhoods.
    """
    n, k = indices.shape
    for i in range(n):
        seen_by[i] = i
        for t in range(k):
            seen_by[indices[i, t]] = i
        for t in range(k):
            j = indices[i, t]
            n_common = 1  # j itself
            for s in range(k):
                n_common += seen_by[indices[j, s]] == i
            overlap[i, t] = n_common / (2.0 * (k + 1) - n_common)
