"""Connected triples of a weighted graph."""

from coterie._kernels._jit import parallel_kernel


@parallel_kernel("W")
def connected_triples(begin, end, W, weights, low, high, out):
    """Sum, over the common neighbours k of nodes i and j, of the weaker of two edges.

    ``out[i, j] = sum_k weights[k] min(W[i, k], W[k, j])`` for j from ``low[i]`` to
    ``high[i]``. W (C, C) is symmetric and nonnegative; ``out`` (C, C) must be zero.
    """
    n = W.shape[0]
    for i in range(begin, end):
        for k in range(n):
            edge = W[i, k]
            if edge > 0:
                for j in range(low[i], high[i]):
                    out[i, j] += weights[k] * min(edge, W[k, j])
