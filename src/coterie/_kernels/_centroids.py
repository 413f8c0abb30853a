"""Kernels for the nearest drawn sample: among candidates, sparse, in a graph."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel, sum_kernel


@sum_kernel
def _sqdist(a, b):
    total = a.dtype.type(0)
    for t in range(a.size):
        d = a[t] - b[t]
        total += d * d
    return total


@kernel
def nearest_candidate(view, rows, candidates, position, out):
    """Assign each row to the nearest of its candidates that is drawn.

    Parameters
    ----------
    view : array of shape (n, d)
    rows : int array of shape (m,)
        The rows to assign.
    candidates : int32 array of shape (n, L)
    position : int32 array of shape (n,)
        Position in the draw, -1 for samples that are not drawn.
    out : int32 array of shape (m,)
        Filled with the position of the nearest; -1 if no candidate is drawn.
    """
    for r in range(rows.size):
        i = rows[r]
        best, where = np.inf, -1
        for t in range(candidates.shape[1]):
            p = position[candidates[i, t]]
            if p < 0:
                continue
            d = _sqdist(view[i], view[candidates[i, t]])
            if d < best or (d == best and p < where):
                best, where = d, p
        out[r] = where


@kernel
def nearest_sparse(
    data, indices, indptr, kept, list_start, list_place, list_value, scale, shift, out
):
    """Assign each sparse row to the centroid of largest ``scale * x.c - shift``.

    Ties go to the first. The centroids are given by feature: those with feature f, at
    ``list_start[f] : list_start[f + 1]``, and their values.

    Parameters
    ----------
    data, indices, indptr : CSR arrays of the rows
    kept : bool array of shape (D,)
        The features to use.
    list_start, list_place, list_value : arrays
    scale, shift : float64 arrays of shape (k,)
    out : int array of shape (n,)
    """
    k = scale.size
    dots = np.zeros(k)
    for i in range(indptr.size - 1):
        for t in range(indptr[i], indptr[i + 1]):
            f = indices[t]
            if not kept[f]:
                continue
            x = data[t]
            for q in range(list_start[f], list_start[f + 1]):
                dots[list_place[q]] += x * list_value[q]
        best, where = -np.inf, 0
        for p in range(k):
            score = scale[p] * dots[p] - shift[p]
            if score > best:
                best, where = score, p
            dots[p] = 0.0
        out[i] = where


@kernel
def strongest_link(data, indices, indptr, position, k, out):
    """Assign each node of a graph to the drawn node that it is most similar to.

    Parameters
    ----------
    data, indices, indptr : CSR arrays of similarities
        Entries not stored are zero.
    position : int32 array of shape (n_nodes,)
        The position of each node in a random order, of which the first k are drawn.
    k : int
    out : int32 array of shape (n,)
        Filled with the position of the strongest drawn node; ties go to the first
        drawn. A node linked to none takes its strongest other node, whose position
        counts modulo k; an isolated node takes 0.
    """
    for i in range(indptr.size - 1):
        best, where = 0.0, 0
        is_drawn = False
        for t in range(indptr[i], indptr[i + 1]):
            s = data[t]
            p = position[indices[t]]
            if s <= 0 or (is_drawn and p >= k):
                continue
            better = s > best or (s == best and p < where)
            if better or (p < k and not is_drawn):
                best, where = s, p
                is_drawn = p < k
        out[i] = where % k
