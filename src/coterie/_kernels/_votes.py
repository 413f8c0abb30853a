"""Counting which final cluster the samples of each base cluster went to."""

from numba import prange

from coterie._kernels._jit import parallel_kernel

MEMBERS_AT_ONCE = 16  # of int32 labels: one cache line of a label row


@parallel_kernel
def count_votes(labels, offsets, final, counts):
    """Count for each cluster its samples in each final cluster: ``counts`` (C, k)."""
    n_samples, n_members = labels.shape
    for block in prange((n_members + MEMBERS_AT_ONCE - 1) // MEMBERS_AT_ONCE):
        start = block * MEMBERS_AT_ONCE
        stop = min(start + MEMBERS_AT_ONCE, n_members)
        for i in range(n_samples):
            for j in range(start, stop):
                code = labels[i, j]
                if code >= 0:
                    counts[offsets[j] + code, final[i]] += 1.0
