"""Kernels of self-paced consensus: everything that runs over pairs of label rows.

The pairs (g, h) that some member puts together are listed in CSR form, both (g, h) and
(h, g). A member's vote on a pair is read from the two label rows each time, so the
members' matrices are never stored. ``share`` is the weight of each member, divided by
its alpha; pairs are divided by the share of the members (by weight) that assign both,
so a missing label has no influence.
"""

import numpy as np

from coterie._kernels._jit import kernel, parallel_kernel, sum_kernel


@kernel
def _together(labels, g, h):
    """Whether some member puts two rows together."""
    found = False
    for i in range(labels.shape[1]):
        found |= (labels[g, i] == labels[h, i]) & (labels[g, i] >= 0)
    return found


@parallel_kernel("labels")
def count_pairs(begin, end, labels, counts, below):
    """Count the other rows that each row shares a cluster with, and those below it."""
    for g in range(begin, end):
        n_pairs, n_below = 0, 0
        for h in range(labels.shape[0]):
            if h != g and _together(labels, g, h):
                n_pairs += 1
                n_below += h < g
        counts[g], below[g] = n_pairs, n_below


@parallel_kernel("labels")
def list_pairs(begin, end, labels, indptr, indices):
    """Write the rows that each row shares a cluster with."""
    for g in range(begin, end):
        at = indptr[g]
        for h in range(labels.shape[0]):
            if h != g and _together(labels, g, h):
                indices[at] = h
                at += 1


@kernel
def mirror_pairs(indptr, middle, indices, values):
    """Copy the values of (g, h) with g < h to (h, g).

    The entries of row h left of its middle are met in the order of their columns.
    """
    at = indptr[:-1].copy()
    for g in range(middle.shape[0]):
        for p in range(middle[g], indptr[g + 1]):
            h = indices[p]
            values[at[h]] = values[p]
            at[h] += 1


@sum_kernel
def _evidence(labels, g, h, share, weights, total, missing):
    """Return the members' votes on a pair of rows.

    The shares that put it together, the shares that assign both, the factor for
    members that do not, and whether the rows are equal: then the pair is certain.
    """
    n_members = labels.shape[1]
    together, n_same = 0.0, 0
    if not missing:
        for i in range(n_members):
            same = labels[g, i] == labels[h, i]
            together += share[i] if same else 0.0
            n_same += same
        return together, total, 1.0, n_same == n_members
    observed, weight, whole = 0.0, 0.0, 0.0
    for i in range(n_members):
        a, b = labels[g, i], labels[h, i]
        whole += weights[i]
        n_same += a == b
        if a >= 0 and b >= 0:
            observed += share[i]
            weight += weights[i]
            together += share[i] if a == b else 0.0
    return together, observed, whole / weight, n_same == n_members


@parallel_kernel("labels")
def mean_similarity(begin, end, labels, weights, missing, indptr, indices, S):
    """Write the co-association of the pairs (Eq. 2)."""
    total = weights.sum()
    for g in range(begin, end):
        for p in range(indptr[g], indptr[g + 1]):
            together, observed, _, certain = _evidence(
                labels, g, indices[p], weights, weights, total, missing
            )
            S[p] = 1.0 if certain else together / observed


@parallel_kernel("labels")
def pair_weights(
    begin, end, labels, share, weights, missing, indptr, indices, S, age, W
):
    """Write the weights of the pairs (Eq. 13)."""
    total = share.sum()
    for g in range(begin, end):
        for p in range(indptr[g], indptr[g + 1]):
            together, observed, factor, certain = _evidence(
                labels, g, indices[p], share, weights, total, missing
            )
            s = S[p]
            loss = factor * ((1 - s) ** 2 * together + s**2 * (observed - together))
            easy = certain or 2 * loss <= age
            W[p] = 1.0 if easy else age / (2 * loss)


@sum_kernel
def _squared_distance(Y, g, h):
    total = 0.0
    for i in range(Y.shape[1]):
        total += (Y[g, i] - Y[h, i]) * (Y[g, i] - Y[h, i])
    return total


@kernel
def _add_residuals(labels, g, h, missing, together, apart, out):
    """Add to each member's residual its difference from S at a pair."""
    n_members = labels.shape[1]
    if not missing:
        for i in range(n_members):
            out[g, i] += together if labels[g, i] == labels[h, i] else apart
        return
    for i in range(n_members):
        a, b = labels[g, i], labels[h, i]
        if a >= 0 and b >= 0:
            out[g, i] += together if a == b else apart


@parallel_kernel("labels")
def update_similarity(
    begin,
    end,
    labels,
    counts,
    share,
    weights,
    missing,
    indptr,
    middle,
    indices,
    W,
    Y,
    rho,
    gamma,
    S,
    residuals,
    sums,
):
    """Overwrite S at the pairs g < h by the minimum of Eq. 15 (Eqs. 16, 17).

    Parameters
    ----------
    labels : (u, m), counts : (u,) float64
    share, weights : (m,) float64
    indptr, middle, indices, W, S : the pairs; from ``middle`` on a row has g < h
    Y : (u, c) float64
    residuals : (u, m) float64
        Row sums, over h > g, of ||(S - S^(i)) W||^2 for each member i.
    sums : (u, 2, 3) float64
        Row sums with S before and after: the weighted loss, the number of nonzero
        entries, and ||y_p - y_q||^2 S_pq.
    """
    total = share.sum()
    for g in range(begin, end):
        residuals[g, :] = 0.0
        loss_0, n_0, cut_0, loss_1, n_1, cut_1 = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        for p in range(middle[g], indptr[g + 1]):
            h = indices[p]
            together, observed, factor, certain = _evidence(
                labels, g, h, share, weights, total, missing
            )
            distance = _squared_distance(Y, g, h)
            n_pairs = counts[g] * counts[h]
            weight = factor * W[p] * W[p]
            scale = n_pairs * weight
            apart = observed - together
            s = S[p]
            loss_0 += scale * ((1 - s) ** 2 * together + s**2 * apart)
            n_0 += n_pairs if s > 0 else 0.0
            cut_0 += n_pairs * s * distance
            s = 1.0
            if not certain:
                center = (together - rho * distance / (2 * weight)) / observed
                threshold = np.sqrt(gamma / (weight * observed))
                s = min(center, 1.0) if center >= threshold else 0.0
            S[p] = s
            loss_1 += scale * ((1 - s) ** 2 * together + s**2 * apart)
            n_1 += n_pairs if s > 0 else 0.0
            cut_1 += n_pairs * s * distance
            on, off = scale * (1 - s) ** 2, scale * s**2
            _add_residuals(labels, g, h, missing, on, off, residuals)
        sums[g, 0, 0], sums[g, 0, 1], sums[g, 0, 2] = loss_0, n_0, cut_0
        sums[g, 1, 0], sums[g, 1, 1], sums[g, 1, 2] = loss_1, n_1, cut_1


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
