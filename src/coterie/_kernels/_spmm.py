"""Kernels for products of sparse matrices with blocks of vectors."""

from __future__ import annotations

from coterie._kernels._jit import parallel_kernel, sum_kernel


@parallel_kernel("out")
def csr_matmat(begin, end, indptr, indices, data, V, out):
    """Write A @ V into out, for A (n, m) in CSR form.

    V (m, b) and out (n, b) are C-ordered. Four entries of a row are processed at once,
    so the row of out is loaded and stored a quarter as often. Each row belongs to one
    thread.
    """
    n_vectors = out.shape[1]
    for i in range(begin, end):
        row = out[i]
        for c in range(n_vectors):
            row[c] = 0
        start, stop = indptr[i], indptr[i + 1]
        whole = start + (stop - start) // 4 * 4
        for p in range(start, whole, 4):
            a0, a1, a2, a3 = data[p], data[p + 1], data[p + 2], data[p + 3]
            v0, v1 = V[indices[p]], V[indices[p + 1]]
            v2, v3 = V[indices[p + 2]], V[indices[p + 3]]
            for c in range(n_vectors):
                row[c] += (a0 * v0[c] + a1 * v1[c]) + (a2 * v2[c] + a3 * v3[c])
        for p in range(whole, stop):
            a, v = data[p], V[indices[p]]
            for c in range(n_vectors):
                row[c] += a * v[c]


@parallel_kernel(lambda indptr, indices, data, V_before, *_: V_before.shape[1], 1)
def csr_chebyshev_steps(
    begin, end, indptr, indices, data, V_before, V, center, scales, weights
):
    """Overwrite V_before by scale * (A V - center V) - weight * V_before; swap; repeat.

    For A in CSR form, without storing A V. V_before and V are (n, b). Vectors do not
    meet, so each thread takes some of them through all steps.
    """
    n, n_vectors = V.shape[0], end - begin
    for step in range(scales.shape[0]):
        factor, weight = scales[step], weights[step]
        shift = -factor * center
        for i in range(n):
            row, own = V_before[i, begin:end], V[i, begin:end]
            for c in range(n_vectors):
                row[c] = shift * own[c] - weight * row[c]
            start, stop = indptr[i], indptr[i + 1]
            whole = start + (stop - start) // 4 * 4
            for p in range(start, whole, 4):
                a0, a1 = factor * data[p], factor * data[p + 1]
                a2, a3 = factor * data[p + 2], factor * data[p + 3]
                v0 = V[indices[p], begin:end]
                v1 = V[indices[p + 1], begin:end]
                v2 = V[indices[p + 2], begin:end]
                v3 = V[indices[p + 3], begin:end]
                for c in range(n_vectors):
                    row[c] += (a0 * v0[c] + a1 * v1[c]) + (a2 * v2[c] + a3 * v3[c])
            for p in range(whole, stop):
                a, v = factor * data[p], V[indices[p], begin:end]
                for c in range(n_vectors):
                    row[c] += a * v[c]
        V_before, V = V, V_before


@sum_kernel
def dot(x, y):
    """Return the product of two vectors; for one thread and any BLAS the same."""
    total = x.dtype.type(0)
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total
