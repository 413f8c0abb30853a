"""Inference in a mixed-membership model of label rows."""

import numpy as np

from coterie._kernels._jit import kernel, parallel_kernel


@kernel
def digamma(x):
    """Return the derivative of log gamma at x > 0."""
    shift = 0.0
    while x < 6.0:
        shift -= 1.0 / x
        x += 1.0
    r = 1.0 / (x * x)
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r / 132))))
    return shift + np.log(x) - 0.5 / x - series


@parallel_kernel("rows")
def infer_memberships(
    begin, end, rows, offsets, beta, alpha, max_iter, tol, gamma, geometric
):
    """Fit the Dirichlet of each row: ``gamma`` (u, k), initialised by the caller.

    ``beta`` (C, k): probability of a base cluster, given the final one. ``geometric``
    (u, k) receives exp(E log theta).
    """
    n_members = rows.shape[1]
    k = beta.shape[1]
    for i in range(begin, end):
        share = np.empty(k)
        for _ in range(max_iter):
            total = digamma(gamma[i].sum())
            for h in range(k):
                geometric[i, h] = np.exp(digamma(gamma[i, h]) - total)
            new = alpha.copy()
            for j in range(n_members):
                code = rows[i, j]
                if code >= 0:
                    g = offsets[j] + code
                    norm = 0.0
                    for h in range(k):
                        share[h] = geometric[i, h] * beta[g, h]
                        norm += share[h]
                    for h in range(k):
                        new[h] += share[h] / norm
            moved = np.abs(new - gamma[i]).max()
            gamma[i] = new
            if moved < tol:
                break
        total = digamma(gamma[i].sum())
        for h in range(k):
            geometric[i, h] = np.exp(digamma(gamma[i, h]) - total)


@parallel_kernel("columns")
def expected_counts(
    begin, end, columns, offsets, counts, beta, geometric, table, evidence
):
    """Count the expected samples of each pair of base and final cluster: (C, k), zeros.

    ``evidence`` (M,) receives each member's part of the bound.
    """
    n_rows = columns.shape[1]
    k = beta.shape[1]
    for j in range(begin, end):
        share = np.empty(k)
        total = 0.0
        for i in range(n_rows):
            code = columns[j, i]
            if code >= 0:
                g = offsets[j] + code
                norm = 0.0
                for h in range(k):
                    share[h] = geometric[i, h] * beta[g, h]
                    norm += share[h]
                total += counts[i] * np.log(norm)
                for h in range(k):
                    table[g, h] += counts[i] * share[h] / norm
        evidence[j] = total
