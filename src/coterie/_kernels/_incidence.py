"""Products with the incidence matrix B (rows x clusters), which is never built."""

import numpy as np
from numba import prange

from coterie._kernels._jit import parallel_kernel


@parallel_kernel
def gather(labels, offsets, U, out):
    """``out = B U``: for each row the sum of its clusters' rows of U (C, b)."""
    n_rows, n_members = labels.shape
    width = U.shape[1]
    for i in prange(n_rows):
        total = np.zeros(width, dtype=out.dtype)
        for j in range(n_members):
            code = labels[i, j]
            if code >= 0:
                g = offsets[j] + code
                for t in range(width):
                    total[t] += U[g, t]
        out[i] = total


@parallel_kernel
def scatter(columns, offsets, V, out):
    """``out = B^T V``: for each cluster the sum of its rows of V (u, b).

    ``columns`` (M, u) holds one member per row. Each member writes its own clusters, so
    threads never collide. ``out`` (C, b) must be zero.
    """
    n_members, n_rows = columns.shape
    width = V.shape[1]
    for j in prange(n_members):
        for i in range(n_rows):
            code = columns[j, i]
            if code >= 0:
                g = offsets[j] + code
                for t in range(width):
                    out[g, t] += V[i, t]
