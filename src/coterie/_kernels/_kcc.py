"""k-means on one-hot label rows, which are never built."""

from numba import prange

from coterie._kernels._jit import parallel_kernel


@parallel_kernel
def nearest_profile(rows, offsets, costs, scale, base, labels, distances):
    """Assign each row to the cluster of smallest cost.

    ``costs`` (C, k): the cost in each final cluster of being in a base cluster; the
    cost of a row is the sum over its base clusters, plus ``scale`` (u,) times ``base``
    (k,).
    """
    n_rows, n_members = rows.shape
    k = costs.shape[1]
    for i in prange(n_rows):
        total = scale[i] * base
        for j in range(n_members):
            code = rows[i, j]
            if code >= 0:
                g = offsets[j] + code
                for c in range(k):
                    total[c] += costs[g, c]
        best = 0
        for c in range(1, k):
            if total[c] < total[best]:
                best = c
        labels[i] = best
        distances[i] = total[best]


@parallel_kernel
def profile_counts(columns, offsets, counts, labels, table):
    """Count the samples of each base cluster in each final cluster: (C, k), zeros."""
    n_members, n_rows = columns.shape
    for j in prange(n_members):
        for i in range(n_rows):
            code = columns[j, i]
            if code >= 0:
                table[offsets[j] + code, labels[i]] += counts[i]


@parallel_kernel
def distances_to_row(rows, member_weights, chosen, out):
    """Weighted squared distance of each one-hot row to one of them."""
    n_rows, n_members = rows.shape
    for i in prange(n_rows):
        total = 0.0
        for j in range(n_members):
            a = rows[i, j]
            b = rows[chosen, j]
            if a >= 0 and b >= 0 and a != b:
                total += 2.0 * member_weights[j]
        out[i] = total
