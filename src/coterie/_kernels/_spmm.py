"""Kernels for products of sparse matrices with blocks of vectors."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel, parallel_kernel, sum_kernel


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


@parallel_kernel("out")
def csr_matvec(begin, end, indptr, indices, data, v, out):
    """Write A @ v into out, for A (n, m) in CSR form and one vector."""
    for i in range(begin, end):
        total = v.dtype.type(0)
        for p in range(indptr[i], indptr[i + 1]):
            total += data[p] * v[indices[p]]
        out[i] = total


@parallel_kernel(lambda indptr, indices, data, blocks, *_: blocks.shape[2], n_blocks=1)
def csr_chebyshev_steps(
    begin, end, indptr, indices, data, blocks, center, scales, weights
):
    """Repeat ``chebyshev_step`` for A in CSR form, without storing A V.

    ``blocks`` (2, n, b) are V_before and V; they are swapped at each step. Vectors do
    not meet, so each thread takes some of them through all steps.
    """
    n, n_vectors = blocks.shape[1], end - begin
    for step in range(scales.shape[0]):
        V_before, V = blocks[step % 2], blocks[(step + 1) % 2]
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


@kernel
def chebyshev_step(AV, V, V_before, center, scale, weight):
    """Overwrite V_before by scale * (A V - center V) - weight * V_before.

    The scalars have the arrays' dtype, so float32 stays float32. Memory-bound: a second
    thread would gain little.
    """
    n, n_vectors = V.shape
    for i in range(n):
        for c in range(n_vectors):
            V_before[i, c] = (
                scale * (AV[i, c] - center * V[i, c]) - weight * V_before[i, c]
            )


@sum_kernel
def _dot(x, y):
    total = x.dtype.type(0)
    for i in range(x.shape[0]):
        total += x[i] * y[i]
    return total


@kernel
def lanczos_step(basis, step, v):
    """Make v, which is A times row ``step`` of the basis, orthogonal to rows so far.

    Returns the product of the row and A v, and the norm of the remainder of v.
    """
    alpha = _dot(basis[step], v)
    for t in range(step, -1, -1):
        part = alpha if t == step else _dot(basis[t], v)
        for i in range(v.shape[0]):
            v[i] -= part * basis[t, i]
    return alpha, np.sqrt(_dot(v, v))


@kernel
def residual_norms(AV, V, values, out):
    """Norms of the columns of A V - V diag(values), summed in float64."""
    n, n_vectors = V.shape
    out[:] = 0
    for i in range(n):
        for c in range(n_vectors):
            difference = AV[i, c] - V[i, c] * values[c]
            out[c] += np.float64(difference * difference)
    for c in range(n_vectors):
        out[c] = np.sqrt(out[c])


@kernel
def project_out(values, group, n_groups, V):
    """Subtract from V, in place, its projection on vectors without common entries.

    Entry i belongs to vector ``group[i]`` and is ``values[i]``; the vectors have length
    one.
    """
    n, n_vectors = V.shape
    parts = np.zeros((n_groups, n_vectors), dtype=V.dtype)
    for i in range(n):
        part, value, row = parts[group[i]], values[i], V[i]
        for c in range(n_vectors):
            part[c] += value * row[c]
    for i in range(n):
        part, value, row = parts[group[i]], values[i], V[i]
        for c in range(n_vectors):
            row[c] -= value * part[c]


@kernel
def components(indptr, indices):
    """Return the connected component of each node of a symmetric graph."""
    n = indptr.shape[0] - 1
    found = np.full(n, -1, dtype=np.int64)
    waiting = np.empty(n, dtype=np.int64)
    n_found = 0
    for first in range(n):
        if found[first] >= 0:
            continue
        found[first] = n_found
        waiting[0] = first
        n_waiting = 1
        while n_waiting:
            n_waiting -= 1
            node = waiting[n_waiting]
            for p in range(indptr[node], indptr[node + 1]):
                other = indices[p]
                if found[other] < 0:
                    found[other] = n_found
                    waiting[n_waiting] = other
                    n_waiting += 1
        n_found += 1
    return found
