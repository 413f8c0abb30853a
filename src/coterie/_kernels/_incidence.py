"""Products with the incidence matrix B (rows x clusters), which is never built."""

from coterie._kernels._jit import parallel_kernel


@parallel_kernel("labels")
def gather(begin, end, labels, offsets, U, out):
    """``out = B U``: for each row the sum of its clusters' rows of U (C, b)."""
    n_members = labels.shape[1]
    width = U.shape[1]
    for i in range(begin, end):
        for t in range(width):
            out[i, t] = 0.0
        for j in range(n_members):
            code = labels[i, j]
            if code >= 0:
                g = offsets[j] + code
                for t in range(width):
                    out[i, t] += U[g, t]


@parallel_kernel("columns")
def scatter(begin, end, columns, offsets, V, out):
    """``out = B^T V``: for each cluster the sum of its rows of V (u, b).

    ``columns`` (M, u) holds one member per row. Each member writes its own clusters, so
    threads never collide. ``out`` (C, b) must be zero.
    """
    n_rows = columns.shape[1]
    width = V.shape[1]
    for j in range(begin, end):
        for i in range(n_rows):
            code = columns[j, i]
            if code >= 0:
                g = offsets[j] + code
                for t in range(width):
                    out[g, t] += V[i, t]
