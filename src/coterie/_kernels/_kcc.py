"""k-means on one-hot label rows, which are never built."""

from coterie._kernels._jit import parallel_kernel


@parallel_kernel("rows")
def nearest_profile(begin, end, rows, offsets, costs, scale, base, labels, distances):
    """Assign each row to the cluster of smallest cost.

    ``costs`` (C, k): the cost in each final cluster of being in a base cluster; the
    cost of a row is the sum over its base clusters, plus ``scale`` (u,) times ``base``
    (k,).
    """
    n_members = rows.shape[1]
    k = costs.shape[1]
    for i in range(begin, end):
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


@parallel_kernel("columns")
def profile_counts(begin, end, columns, offsets, counts, labels, table):
    """Count the samples of each base cluster in each final cluster: (C, k), zeros."""
    n_rows = columns.shape[1]
    for j in range(begin, end):
        for i in range(n_rows):
            code = columns[j, i]
            if code >= 0:
                table[offsets[j] + code, labels[i]] += counts[i]


@parallel_kernel("rows")
def distances_to_row(begin, end, rows, member_weights, chosen, out):
    """Weighted squared distance of each one-hot row to one of them."""
    n_members = rows.shape[1]
    for i in range(begin, end):
        total = 0.0
        for j in range(n_members):
            a = rows[i, j]
            b = rows[chosen, j]
            if a >= 0 and b >= 0 and a != b:
                total += 2.0 * member_weights[j]
        out[i] = total
