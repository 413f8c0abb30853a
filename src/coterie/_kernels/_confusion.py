"""How much the members disagree about each label row (WOEC, Eqs. 1-3)."""

import numpy as np

from coterie._kernels._jit import parallel_kernel


@parallel_kernel("labels")
def confusion_by_overlap(begin, end, labels, offsets, sizes, overlap, out):
    """Sum ``A (1 - A)`` over all samples for each row, from the clusters' overlaps.

    The sums of A and of A * A over the samples are sums of the sizes of the row's
    clusters and of their pairwise overlaps, over M and M^2.

    Parameters
    ----------
    labels : (u, M) int32, no label missing, offsets : (M + 1,) int64
    sizes : (C,) float64, overlap : (C, C) float64, numbers of samples
    out : (u,) float64
    """
    n_members = labels.shape[1]
    for i in range(begin, end):
        linear = 0.0
        square = 0.0
        for a in range(n_members):
            g = offsets[a] + labels[i, a]
            linear += sizes[g]
            square += sizes[g]
            for b in range(a):
                square += 2.0 * overlap[g, offsets[b] + labels[i, b]]
        # integers below 2^53: exact
        out[i] = (n_members * linear - square) / (n_members * n_members)


@parallel_kernel("labels")
def confusion_by_lists(begin, end, labels, offsets, counts, starts, rows, missing, out):
    """Sum ``A (1 - A)`` over all samples for each row, from inverted lists.

    ``A`` is the share of members that put two samples together, among those that assign
    both. ``missing`` tells whether any label is missing. ``out`` (u,) float64.
    """
    n_rows, n_members = labels.shape
    for i in range(begin, end):
        together = np.zeros(n_rows, dtype=np.int32)
        for j in range(n_members):
            code = labels[i, j]
            if code >= 0:
                g = offsets[j] + code
                for t in range(starts[g], starts[g + 1]):
                    together[rows[t]] += 1
        total = 0.0
        for q in range(n_rows):
            if together[q] > 0:
                both = n_members
                if missing:
                    both = 0
                    for j in range(n_members):
                        if labels[i, j] >= 0 and labels[q, j] >= 0:
                            both += 1
                share = together[q] / both
                total += counts[q] * share * (1.0 - share)
        out[i] = total
