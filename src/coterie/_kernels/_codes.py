"""Kernels for codes: for each sample a cluster in each of many clusterings.

Codes are unsigned arrays (n, V). Two samples are as similar as the number of
clusterings in which their codes agree. Where rows are compared whole they are padded
with zeros to a multiple of ``LANES``: loops of a fixed length become vector
instructions, some thirty times as fast.
"""

from __future__ import annotations

import numpy as np
from numba import prange

from coterie._kernels._jit import kernel, parallel_kernel

LANES = 64
_ROWS = 16  # whose agreements with one centroid are computed together
_DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)


def _bit_of() -> np.ndarray:
    """Return the place of the lowest set bit for each product with the constant."""
    table = np.zeros(64, dtype=np.int64)
    for bit in range(64):
        table[((int(_DEBRUIJN) << bit) % 2**64) >> 58] = bit
    return table


_BIT_OF = _bit_of()


@kernel
def _agreement(a, b):
    """Count the equal codes of two padded rows."""
    total = 0
    for c in range(a.size // LANES):
        part = np.uint8(0)  # at most 64: a byte, so that 32 are added at a time
        for v in range(LANES):
            part = np.uint8(part + np.uint8(a[c * LANES + v] == b[c * LANES + v]))
        total += part
    return total


@kernel
def shuffle_draws(steps, n):
    """Turn random numbers into draws without repetition, in place.

    Parameters
    ----------
    steps : int32 array of shape (V, k)
        ``steps[v, t]`` is uniform on [t, n); becomes the t-th sample of draw v.
    n : int
    """
    order = np.arange(n, dtype=np.int32)
    for v in range(steps.shape[0]):
        for t in range(steps.shape[1]):
            s = steps[v, t]
            order[t], order[s] = order[s], order[t]
            steps[v, t] = order[t]


@kernel
def posting_lists(columns, n_fit, starts, members):
    """List the samples of each code of each clustering.

    Parameters
    ----------
    columns : array of shape (V, n)
        The codes, transposed.
    n_fit : int
        Samples that are listed: the first ones.
    starts : int32 array of shape (V, k + 1)
    members : int32 array of shape (V, n_fit)
        ``members[v, starts[v, c] : starts[v, c + 1]]`` is filled with the samples.

    Returns
    -------
    n_pairs : int
        Number of (sample, sample, clustering) that agree.
    """
    k = starts.shape[1] - 1
    n_pairs = 0
    place = np.empty(k, dtype=np.int32)
    for v in range(starts.shape[0]):
        starts[v] = 0
        for i in range(n_fit):
            starts[v, columns[v, i] + 1] += 1
        for c in range(k):
            size = np.int64(starts[v, c + 1])
            n_pairs += size * size
            starts[v, c + 1] += starts[v, c]
            place[c] = starts[v, c]
        for i in range(n_fit):
            c = columns[v, i]
            members[v, place[c]] = i
            place[c] += 1
    return n_pairs


@kernel
def mark_draws(draws, bits, position):
    """Note for each sample in which draws it is (a bit for each), and at which place.

    Parameters
    ----------
    draws : int32 array of shape (W, k)
    bits : uint64 array of shape (n_fit, (W + 63) // 64), zero
    position : array of shape (n_fit, W)
        Set where the bit is set.
    """
    for v in range(draws.shape[0]):
        bit = np.uint64(1) << np.uint64(v % 64)
        for p in range(draws.shape[1]):
            j = draws[v, p]
            bits[j, v // 64] |= bit
            position[j, v] = p


@kernel
def _rank(counts, touched, n_touched, n_codes, least, ranked, ends):
    """Sort the best candidates by falling count: at least so many, and whole ties.

    ``ends[c]`` becomes the end of those with at least c agreements in ``ranked``.
    Return the least count that was sorted in.
    """
    for c in range(n_codes + 2):
        ends[c] = 0
    for t in range(n_touched):
        ends[counts[touched[t]]] += 1
    lowest = n_codes
    for c in range(n_codes - 1, -1, -1):
        if ends[c + 1] < least:
            lowest = c
        ends[c] += ends[c + 1]
    # ends[c + 1] is where count c begins; filling moves it to where it ends
    for t in range(n_touched):
        j = touched[t]
        c = counts[j]
        if c >= lowest:
            ranked[ends[c + 1]] = j
            ends[c + 1] += 1
    for c in range(lowest, n_codes + 1):
        ends[c] = ends[c + 1]
    return lowest


@kernel
def _walk(ranked, ends, n_codes, lowest, bits, position, remaining, found, out):
    """Give a sample its centroid in every draw, going down the ranked candidates.

    Among candidates with the same agreement the first drawn wins. Draws in which no
    centroid agrees at all get their first centroid, as the largest of equal zeros.
    Return how many draws are left below the lowest count that was ranked.
    """
    n_draws = out.size
    n_words = remaining.size
    for w in range(n_words):
        remaining[w] = ~np.uint64(0)
    if n_draws % 64:
        remaining[n_words - 1] = (np.uint64(1) << np.uint64(n_draws % 64)) - np.uint64(
            1
        )
    out[:] = 0
    left = n_draws
    start = 0
    for c in range(n_codes, max(lowest, 1) - 1, -1):
        end = ends[c]
        if end == start:
            continue
        if end == start + 1:  # no tie: what is found needs no comparison
            j = ranked[start]
            for w in range(n_words):
                hits = bits[j, w] & remaining[w]
                remaining[w] ^= hits
                while hits:
                    lowest_bit = hits & (~hits + np.uint64(1))
                    v = w * 64 + _BIT_OF[(lowest_bit * _DEBRUIJN) >> np.uint64(58)]
                    out[v] = position[j, v]
                    left -= 1
                    hits ^= lowest_bit
            if left == 0:
                break
            start = end
            continue
        found[:] = 0
        for r in range(start, end):
            j = ranked[r]
            for w in range(n_words):
                hits = bits[j, w] & remaining[w]
                while hits:
                    lowest_bit = hits & (~hits + np.uint64(1))
                    v = w * 64 + _BIT_OF[(lowest_bit * _DEBRUIJN) >> np.uint64(58)]
                    p = position[j, v]
                    if not found[w] & lowest_bit:
                        found[w] |= lowest_bit
                        out[v] = p
                        left -= 1
                    elif p < out[v]:
                        out[v] = p
                    hits ^= lowest_bit
        for w in range(n_words):
            remaining[w] &= ~found[w]
        if left == 0:
            break
        start = end
    return left


@kernel
def _place(
    counts, touched, n_touched, n_codes, least, ranked, ends, bits, position, words, out
):
    """Rank candidates and walk down; all of them if the best do not suffice."""
    while True:
        lowest = _rank(counts, touched, n_touched, n_codes, least, ranked, ends)
        left = _walk(
            ranked, ends, n_codes, lowest, bits, position, words[0], words[1], out
        )
        if left == 0 or lowest <= 1:
            return
        least = n_touched


@kernel
def layer_by_lists(codes, starts, members, least, bits, position, out):
    """Code every sample in every draw, candidates counted along the posting lists.

    Fast where clusters are small: the work for a sample is the sum of the sizes of its
    clusters. ``least`` is how many candidates mostly suffice. Exact.
    """
    n, n_codes = codes.shape[0], starts.shape[0]
    n_fit = members.shape[1]
    counts = np.zeros(n_fit, dtype=np.int32)
    touched = np.empty(n_fit, dtype=np.int32)
    ranked = np.empty(n_fit, dtype=np.int32)
    ends = np.empty(n_codes + 2, dtype=np.int32)
    words = np.empty((2, bits.shape[1]), dtype=np.uint64)
    for i in range(n):
        n_touched = 0
        for v in range(n_codes):
            c = codes[i, v]
            for t in range(starts[v, c], starts[v, c + 1]):
                j = members[v, t]
                if counts[j] == 0:
                    touched[n_touched] = j
                    n_touched += 1
                counts[j] += 1
        _place(
            counts,
            touched,
            n_touched,
            n_codes,
            least,
            ranked,
            ends,
            bits,
            position,
            words,
            out[i],
        )
        for t in range(n_touched):
            counts[touched[t]] = 0


@kernel
def _agreements(codes, first, n_rows, union, n_pad, counts):
    """Count the agreements of some rows with the drawn samples."""
    for t in range(union.size):
        for r in range(n_rows):
            counts[r, t] = _agreement(codes[first + r], codes[union[t]]) - n_pad


@kernel
def layer_by_rank(codes, n_pad, union, least, bits, position, out):
    """Code every sample in every draw, candidates counted by comparing rows.

    ``union`` lists the samples that are drawn at all; ``bits`` and ``position`` are in
    its order. Codes are padded by ``n_pad`` columns; ``least`` is how many candidates
    mostly suffice.
    """
    n, n_codes = codes.shape[0], codes.shape[1] - n_pad
    u = union.size
    counts = np.empty((_ROWS, u), dtype=np.int32)
    touched = np.arange(u, dtype=np.int32)
    ranked = np.empty(u, dtype=np.int32)
    ends = np.empty(n_codes + 2, dtype=np.int32)
    words = np.empty((2, bits.shape[1]), dtype=np.uint64)
    for s in range(0, n, _ROWS):
        n_rows = min(_ROWS, n - s)
        _agreements(codes, s, n_rows, union, n_pad, counts)
        for r in range(n_rows):
            _place(
                counts[r],
                touched,
                u,
                n_codes,
                least,
                ranked,
                ends,
                bits,
                position,
                words,
                out[s + r],
            )


@kernel
def layer_by_columns(codes, n_pad, union, slots, out):
    """Code every sample in every draw by looking at each of its k columns.

    ``slots`` (W, k) are the places of the drawn samples in ``union``.
    """
    n, k = codes.shape[0], slots.shape[1]
    counts = np.empty((_ROWS, union.size), dtype=np.int32)
    for s in range(0, n, _ROWS):
        n_rows = min(_ROWS, n - s)
        _agreements(codes, s, n_rows, union, n_pad, counts)
        for r in range(n_rows):
            for v in range(slots.shape[0]):
                # Count and place in one number: the largest is the first of the best.
                best = np.int64(0)
                for p in range(slots.shape[1]):
                    best = max(best, (np.int64(counts[r, slots[v, p]]) << 32) | (k - p))
                out[s + r, v] = k - (best & 0xFFFFFFFF)


@kernel
def nearest_code(codes, draw, out):
    """Give each sample the drawn sample whose (padded) codes agree most with its own.

    The first drawn of several.
    """
    centroids = codes[draw]
    for i in range(codes.shape[0]):
        best, where = -1, 0
        for p in range(draw.size):
            agree = _agreement(codes[i], centroids[p])
            if agree > best:
                best, where = agree, p
        out[i] = where


@parallel_kernel
def agreement_rows(codes, first, n_pad, out):
    """Fill ``out`` (b, n) with the agreements of rows ``first...`` with all rows."""
    n = codes.shape[0]
    for t in prange((n + _ROWS - 1) // _ROWS):
        for r in range(out.shape[0]):
            for j in range(t * _ROWS, min(n, (t + 1) * _ROWS)):
                out[r, j] = _agreement(codes[first + r], codes[j]) - n_pad


@kernel
def sum_by_code(codes, B, sums):
    """Add the rows of B up by the codes of one clustering: sums[c] += B[i]."""
    for i in range(codes.size):
        c = codes[i]
        for t in range(B.shape[1]):
            sums[c, t] += B[i, t]


@kernel
def add_by_code(codes, table, out):
    """Add to each row of ``out`` the row of the table that its code names."""
    for i in range(codes.size):
        c = codes[i]
        for t in range(out.shape[1]):
            out[i, t] += table[c, t]
