"""Kernels of self-paced consensus: all that runs over pairs of label rows.

The pairs (g, h) that some member puts together are listed in CSR form, both (g, h) and
(h, g). What a member says of a pair is read from the two label rows each time, so
that the members' matrices are never stored. ``share`` is what each member counts,
divided by its alpha; pairs are divided by the part of the members (by weight) that
assign both, so that a label that is missing says nothing.
"""

import numpy as np
from numba import prange

from coterie._kernels._jit import kernel, parallel_kernel, sum_kernel


@kernel
def _together(a, b):
    """Whether some member puts two rows together."""
    found = False
    for i in range(a.shape[0]):
        found |= (a[i] == b[i]) & (a[i] >= 0)
    return found


@parallel_kernel
def count_pairs(labels, counts):
    """Write how many other rows each row shares a cluster with."""
    for g in prange(labels.shape[0]):
        n_pairs = 0
        for h in range(labels.shape[0]):
            if h != g and _together(labels[g], labels[h]):
                n_pairs += 1
        counts[g] = n_pairs


@parallel_kernel
def list_pairs(labels, indptr, indices):
    """Write the rows that each row shares a cluster with."""
    for g in prange(labels.shape[0]):
        at = indptr[g]
        for h in range(labels.shape[0]):
            if h != g and _together(labels[g], labels[h]):
                indices[at] = h
                at += 1


@sum_kernel
def _evidence(a, b, share, weights, total, missing):
    """Return what the members say of a pair of rows.

    The shares that put it together, the shares that assign both, the factor for
    members that do not, and whether the rows are equal: then the pair is certain.
    """
    together = 0.0
    if not missing:
        n_same = 0
        for i in range(a.shape[0]):
            same = a[i] == b[i]
            together += share[i] if same else 0.0
            n_same += same
        return together, total, 1.0, n_same == a.shape[0]
    observed, weight, whole, n_same = 0.0, 0.0, 0.0, 0
    for i in range(a.shape[0]):
        whole += weights[i]
        n_same += a[i] == b[i]
        if a[i] >= 0 and b[i] >= 0:
            observed += share[i]
            weight += weights[i]
            together += share[i] if a[i] == b[i] else 0.0
    return together, observed, whole / weight, n_same == a.shape[0]


@parallel_kernel
def mean_similarity(labels, weights, missing, indptr, indices, S):
    """Write the co-association of the pairs (Eq. 2)."""
    total = weights.sum()
    for g in prange(labels.shape[0]):
        for p in range(indptr[g], indptr[g + 1]):
            together, observed, _, certain = _evidence(
                labels[g], labels[indices[p]], weights, weights, total, missing
            )
            S[p] = 1.0 if certain else together / observed


@parallel_kernel
def pair_weights(labels, share, weights, missing, indptr, indices, S, age, W):
    """Write the weights of the pairs (Eq. 13)."""
    total = share.sum()
    for g in prange(labels.shape[0]):
        for p in range(indptr[g], indptr[g + 1]):
            together, observed, factor, certain = _evidence(
                labels[g], labels[indices[p]], share, weights, total, missing
            )
            s = S[p]
            loss = factor * ((1 - s) ** 2 * together + s**2 * (observed - together))
            easy = certain or 2 * loss <= age
            W[p] = 1.0 if easy else age / (2 * loss)


@sum_kernel
def _squared_distance(a, b):
    total = 0.0
    for i in range(a.shape[0]):
        total += (a[i] - b[i]) * (a[i] - b[i])
    return total


@kernel
def _add_residuals(a, b, missing, together, apart, out):
    """Add to each member's residual what it differs by from S at a pair."""
    if not missing:
        for i in range(a.shape[0]):
            out[i] += together if a[i] == b[i] else apart
        return
    for i in range(a.shape[0]):
        if a[i] >= 0 and b[i] >= 0:
            out[i] += together if a[i] == b[i] else apart


@parallel_kernel
def update_similarity(
    labels,
    counts,
    share,
    weights,
    missing,
    indptr,
    indices,
    W,
    Y,
    rho,
    gamma,
    S,
    residuals,
    sums,
):
    """Overwrite S by the minimum of Eq. 15 (Eqs. 16, 17).

    Parameters
    ----------
    labels : (u, m), counts : (u,) float64
    share, weights : (m,) float64
    indptr, indices, W, S : the pairs
    Y : (u, c) float64
    residuals : (u, m) float64
        Row sums of ||(S - S^(i)) W||^2 for each member i.
    sums : (u, 2, 3) float64
        Row sums with S before and after: the weighted loss, the number of entries that
        are not zero, and ||y_p - y_q||^2 S_pq.
    """
    total = share.sum()
    for g in prange(labels.shape[0]):
        own = labels[g]
        row = residuals[g]
        row[:] = 0.0
        before, after = sums[g, 0], sums[g, 1]
        before[:] = 0.0
        after[:] = 0.0
        for p in range(indptr[g], indptr[g + 1]):
            h = indices[p]
            together, observed, factor, certain = _evidence(
                own, labels[h], share, weights, total, missing
            )
            distance = _squared_distance(Y[g], Y[h])
            n_pairs = counts[g] * counts[h]
            weight = factor * W[p] * W[p]
            scale = n_pairs * weight
            apart = observed - together
            s = S[p]
            before[0] += scale * ((1 - s) ** 2 * together + s**2 * apart)
            before[1] += n_pairs if s > 0 else 0.0
            before[2] += n_pairs * s * distance
            s = 1.0
            if not certain:
                center = (together - rho * distance / (2 * weight)) / observed
                threshold = np.sqrt(gamma / (weight * observed))
                s = min(center, 1.0) if center >= threshold else 0.0
            S[p] = s
            after[0] += scale * ((1 - s) ** 2 * together + s**2 * apart)
            after[1] += n_pairs if s > 0 else 0.0
            after[2] += n_pairs * s * distance
            _add_residuals(
                own, labels[h], missing, scale * (1 - s) ** 2, scale * s**2, row
            )


@kernel
def pair_components(indptr, indices, S, component):
    """Write the component of each row in the graph of the entries above zero."""
    n_rows = component.shape[0]
    component[:] = -1
    stack = np.empty(n_rows, dtype=np.int64)
    n_found = 0
    for first in range(n_rows):
        if component[first] >= 0:
            continue
        component[first] = n_found
        stack[0] = first
        height = 1
        while height > 0:
            height -= 1
            g = stack[height]
            for p in range(indptr[g], indptr[g + 1]):
                h = indices[p]
                if S[p] > 0 and component[h] < 0:
                    component[h] = n_found
                    stack[height] = h
                    height += 1
        n_found += 1
