"""k-means on label rows by moving one row at a time."""

import numpy as np

from coterie._kernels._jit import kernel


@kernel
def coordinate_sweep(rows, offsets, counts, values, labels, sums, sizes, squares):
    """Move each row once to the cluster that lowers the cost most; count the moves.

    ``values`` (C,): the entry of a row at each of its clusters; ``sums`` (C, k), sizes
    (k,) and ``squares`` (k,): sums of the rows of each final cluster, their weights,
    and the squared lengths of the sums. All are kept up to date.
    """
    n_rows, n_members = rows.shape
    k = sizes.size
    dots = np.empty(k)
    n_moves = 0
    for i in range(n_rows):
        m, n = labels[i], counts[i]
        if sizes[m] <= n:  # alone in its cluster
            continue
        dots[:] = 0.0
        own = 0.0
        for j in range(n_members):
            code = rows[i, j]
            if code >= 0:
                g = offsets[j] + code
                own += values[g] * values[g]
                for c in range(k):
                    dots[c] += values[g] * sums[g, c]
        left = squares[m] - 2.0 * n * dots[m] + n * n * own
        best, best_gain = m, squares[m] / sizes[m] - left / (sizes[m] - n)
        for c in range(k):
            if c != m:
                joined = squares[c] + 2.0 * n * dots[c] + n * n * own
                gain = joined / (sizes[c] + n)
                if sizes[c] > 0:
                    gain -= squares[c] / sizes[c]
                if gain > best_gain * (1.0 + 1e-12):
                    best, best_gain = c, gain
        if best == m:
            continue
        squares[best] += 2.0 * n * dots[best] + n * n * own
        squares[m] = left
        sizes[best] += n
        sizes[m] -= n
        for j in range(n_members):
            code = rows[i, j]
            if code >= 0:
                g = offsets[j] + code
                sums[g, best] += n * values[g]
                sums[g, m] -= n * values[g]
        labels[i] = best
        n_moves += 1
    return n_moves
