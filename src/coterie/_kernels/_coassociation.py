"""Co-association of label rows, by inverted lists into a condensed matrix."""

import numpy as np

from coterie._kernels._jit import inlined, kernel, parallel_kernel


@parallel_kernel(lambda labels, *_: (len(labels) + 1) // 2)
def condensed_coassociation(
    begin, end, labels, offsets, weights, starts, rows, positions, out
):
    """Sum the weights of the clusters that each pair of rows shares.

    Parameters
    ----------
    labels : (u, M) int32, offsets : (M + 1,) int64
    weights : (C,) float32
    starts, rows, positions : inverted lists, see ``inverted_lists``
    out : (u * (u - 1) / 2,) float32, zeros
    """
    n_rows, n_members = labels.shape
    # row i has n - i - 1 entries: pairing rows from both ends balances the threads
    for t in range(2 * begin, 2 * end):
        i = t // 2 if t % 2 == 0 else n_rows - 1 - t // 2
        if t % 2 == 1 and i == t // 2:
            continue  # the middle one of an odd number
        base = i * n_rows - i * (i + 1) // 2 - i - 1  # out[base + j]: the pair (i, j)
        for j in range(n_members):
            code = labels[i, j]
            if code >= 0:
                g = offsets[j] + code
                weight = weights[g]
                for r in range(positions[i, j] + 1, starts[g + 1]):
                    out[base + rows[r]] += weight


@parallel_kernel("out")
def coassociation_tile(begin, end, labels, offsets, weights, starts, rows, first, out):
    """Sum the weights of the clusters that some rows share with each listed row.

    ``labels`` (n, M) need not be the rows of the inverted lists. ``out`` (b, u)
    float32, zeros, is for the rows of labels from ``first`` on.
    """
    for i in range(begin, end):
        for j in range(labels.shape[1]):
            code = labels[first + i, j]
            if code >= 0:
                g = offsets[j] + code
                for t in range(starts[g], starts[g + 1]):
                    out[i, rows[t]] += weights[g]


@inlined
def _similarity(condensed, self_similarity, p, q):
    """Co-association of two samples of the rows p and q."""
    if p == q:
        found = self_similarity[p]
    else:
        low = np.int64(p if p < q else q)  # rows are 32 bits wide, pairs are not
        high = np.int64(q if p < q else p)
        n_rows = self_similarity.shape[0]
        found = condensed[low * n_rows - low * (low + 1) // 2 - low - 1 + high]
    return found


@parallel_kernel("index")
def expand_condensed(begin, end, condensed, self_similarity, index, out):
    """Write the (N, N) matrix of N samples from the condensed one of their u rows.

    Two samples of the same row get the row's self-similarity; the diagonal is one.
    """
    for i in range(begin, end):
        for j in range(index.shape[0]):
            out[i, j] = _similarity(condensed, self_similarity, index[i], index[j])
        out[i, i] = 1.0


@parallel_kernel("index")
def repeat_condensed(begin, end, condensed, self_similarity, index, out):
    """Write the condensed matrix of N samples from that of their u rows."""
    n_samples = index.shape[0]
    for i in range(begin, end):
        base = i * n_samples - i * (i + 1) // 2 - i - 1
        for j in range(i + 1, n_samples):
            out[base + j] = _similarity(condensed, self_similarity, index[i], index[j])


@kernel
def count_levels(condensed, counts, out):
    """Count the pairs of samples that 0, 1, ..., M members put together.

    Parameters
    ----------
    condensed : (u * (u - 1) / 2,) float32
        Shares of the members between the u distinct label rows.
    counts : (u,) int64
        Samples of each row.
    out : (M + 1,) int64, zeros
    """
    top = out.shape[0] - 1
    at = 0
    for i in range(counts.shape[0]):
        out[top] += counts[i] * (counts[i] - 1) // 2
        for j in range(i + 1, counts.shape[0]):
            out[np.int64(condensed[at] * top + 0.5)] += counts[i] * counts[j]
            at += 1
