"""Kernels for codes: for each sample a cluster in each of many clusterings.

Codes are unsigned arrays (n, V). The similarity of two samples is the number of
clusterings in which their codes agree. For comparison of whole rows these are padded
with zeros to a multiple of ``LANES``, the width of vector instructions.
"""

from __future__ import annotations

import numpy as np

from coterie._kernels._equal import ROWS, count_equal, count_equal_rows
from coterie._kernels._jit import kernel, parallel_kernel

LANES = 64
_ROWS = 4 * ROWS  # whose agreements with one centroid are computed together
_GROUP, _TILE = 32, 1024  # clusterings and rows whose sums are in the cache
_SAMPLE = 512  # counts from which the best ones are estimated
_DEBRUIJN = np.uint64(0x03F79D71B4CB0A89)


def _bit_of() -> np.ndarray:
    """Return the place of the lowest set bit for each product with the constant."""
    table = np.zeros(64, dtype=np.int64)
    for bit in range(64):
        table[((int(_DEBRUIJN) << bit) % 2**64) >> 58] = bit
    return table


_BIT_OF = _bit_of()


@kernel
def shuffle_draws(steps, n):
    """Turn random numbers into draws without replacement, in place.

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
    """Record in which draws each sample is (a bit for each), and at which position.

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
    """Sort the best candidates by descending count: at least ``least``, ties included.

    ``ends[c]`` becomes the end of those with at least c agreements in ``ranked``.
    Return the smallest count included.
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
def _walk(ranked, ends, n_codes, lowest, bits, position, words, winner, out):
    """Find a sample's centroid in every draw by scanning the ranked candidates.

    Among candidates with the same agreement the first drawn wins. Draws in which no
    centroid agrees at all get their first centroid, the first of equal zeros. Return
    how many draws remain below the lowest count that was ranked.
    """
    n_draws = out.size
    remaining, found = words[0], words[1]
    remaining[:] = ~np.uint64(0)
    if n_draws % 64:
        remaining[-1] = (np.uint64(1) << np.uint64(n_draws % 64)) - np.uint64(1)
    winner[:] = -1
    left = n_draws
    start = 0
    for c in range(n_codes, lowest - 1, -1):
        end = ends[c]
        if end == start:
            continue
        found[:] = 0
        for r in range(start, end):
            j = ranked[r]
            for w in range(remaining.size):
                hits = bits[j, w] & remaining[w]
                while hits:
                    lowest_bit = hits & (~hits + np.uint64(1))
                    v = w * 64 + _BIT_OF[(lowest_bit * _DEBRUIJN) >> np.uint64(58)]
                    if not found[w] & lowest_bit:
                        found[w] |= lowest_bit
                        winner[v] = j
                        left -= 1
                    elif position[j, v] < position[winner[v], v]:
                        winner[v] = j
                    hits ^= lowest_bit
        for w in range(remaining.size):
            remaining[w] &= ~found[w]
        if left == 0:
            break
        start = end
    for v in range(n_draws):  # all at once: distant memory is fetched together
        out[v] = position[winner[v], v] if winner[v] >= 0 else 0
    return left


@kernel
def _place(
    counts,
    touched,
    n_touched,
    floor,
    bottom,
    n_codes,
    least,
    ranked,
    ends,
    bits,
    position,
    words,
    winner,
    out,
):
    """Rank candidates, scan them, and return whether they sufficed.

    ``touched`` lists all candidates with counts from ``floor`` on, perhaps others;
    ``bottom`` is the smallest count that is an agreement.
    """
    lowest = _rank(counts, touched, n_touched, n_codes, least, ranked, ends)
    lowest = max(lowest, floor, bottom)
    left = _walk(ranked, ends, n_codes, lowest, bits, position, words, winner, out)
    return left == 0 or lowest == bottom


@kernel
def layer_by_lists(codes, starts, members, least, bits, position, out):
    """Code every sample in every draw, candidates counted along the posting lists.

    Fast for small clusters: the work for a sample is the sum of the sizes of its
    clusters. ``least`` candidates usually suffice; the result is exact. The return
    value only keeps the compiler from removing a prefetch.
    """
    n, n_codes = codes.shape[0], starts.shape[0]
    n_fit = members.shape[1]
    seen = 0
    spans = np.empty((n_codes, 2), dtype=np.int64)
    counts = np.zeros(n_fit, dtype=np.int32)
    touched = np.empty(n_fit, dtype=np.int32)
    ranked = np.empty(n_fit, dtype=np.int32)
    ends = np.empty(n_codes + 2, dtype=np.int32)
    words = np.empty((2, bits.shape[1]), dtype=np.uint64)
    winner = np.empty(out.shape[1], dtype=np.int32)
    for i in range(n):
        n_touched = 0
        for v in range(n_codes):
            c = codes[i, v]
            spans[v, 0], spans[v, 1] = starts[v, c], starts[v, c + 1]
        # lists are far apart in memory: touching each one prefetches them together
        for v in range(n_codes):
            seen += members[v, min(spans[v, 0], n_fit - 1)]
        for v in range(n_codes):
            for t in range(spans[v, 0], spans[v, 1]):
                j = members[v, t]
                if counts[j] == 0:
                    touched[n_touched] = j
                    n_touched += 1
                counts[j] += 1
        for enough in (least, n_touched):
            if _place(
                counts,
                touched,
                n_touched,
                1,
                1,
                n_codes,
                enough,
                ranked,
                ends,
                bits,
                position,
                words,
                winner,
                out[i],
            ):
                break
        for t in range(n_touched):
            counts[touched[t]] = 0
    return seen


@kernel
def _agreements(codes, first, n_rows, union, counts):
    """Count the agreements of some rows with the drawn samples."""
    whole = n_rows - n_rows % ROWS
    for t in range(union.size):
        centroid = codes[union[t]]
        for r in range(0, whole, ROWS):
            count_equal_rows(codes, first + r, centroid, counts[r : r + ROWS], t)
        for r in range(whole, n_rows):
            count_equal(codes, first + r, centroid, counts[r : r + 1], t)


@kernel
def _shortlist(counts, n_codes, least, ends, touched):
    """List the candidates with the largest counts, about as many as needed.

    Return how many are listed, and the smallest count that is listed completely.
    """
    u = counts.size
    stride = max(1, u // _SAMPLE)
    for c in range(n_codes + 1):
        ends[c] = 0
    for j in range(0, u, stride):
        ends[counts[j]] += 1
    floor, above = n_codes, ends[n_codes]
    while floor > 0 and above * stride < least + least // 4 + 4 * stride:
        floor -= 1
        above += ends[floor]
    n_listed = 0
    for j in range(u):
        touched[n_listed] = j
        n_listed += counts[j] >= floor
    return n_listed, floor


@kernel
def layer_by_rank(codes, n_pad, union, least, bits, position, out):
    """Code every sample in every draw, candidates counted by comparing rows.

    ``union`` lists the samples that are drawn at all; ``bits`` and ``position`` are in
    its order. Codes are padded by ``n_pad`` columns, which agree in all rows; ``least``
    candidates usually suffice. The result is exact.
    """
    n, n_codes = codes.shape
    u = union.size
    counts = np.empty((_ROWS, u), dtype=np.int32)
    touched = np.empty(u, dtype=np.int32)
    ranked = np.empty(u, dtype=np.int32)
    ends = np.empty(n_codes + 2, dtype=np.int32)
    words = np.empty((2, bits.shape[1]), dtype=np.uint64)
    winner = np.empty(out.shape[1], dtype=np.int32)
    for s in range(0, n, _ROWS):
        n_rows = min(_ROWS, n - s)
        _agreements(codes, s, n_rows, union, counts)
        for r in range(n_rows):
            for enough in (least, u):
                n_listed, floor = _shortlist(counts[r], n_codes, enough, ends, touched)
                if _place(
                    counts[r],
                    touched,
                    n_listed,
                    floor,
                    n_pad + 1,
                    n_codes,
                    enough,
                    ranked,
                    ends,
                    bits,
                    position,
                    words,
                    winner,
                    out[s + r],
                ):
                    break


@kernel
def layer_by_columns(codes, union, slots, out):
    """Code every sample in every draw by scanning each of its k columns.

    ``slots`` (W, k) are the positions of the drawn samples in ``union``.
    """
    n, k = codes.shape[0], slots.shape[1]
    counts = np.empty((_ROWS, union.size), dtype=np.int32)
    for s in range(0, n, _ROWS):
        n_rows = min(_ROWS, n - s)
        _agreements(codes, s, n_rows, union, counts)
        for r in range(n_rows):
            for v in range(slots.shape[0]):
                # count and position in one number: the largest is the first best
                best = np.int64(0)
                for p in range(slots.shape[1]):
                    best = max(best, (np.int64(counts[r, slots[v, p]]) << 32) | (k - p))
                out[s + r, v] = k - (best & 0xFFFFFFFF)


@kernel
def nearest_code(codes, draw, out):
    """Assign each sample to the drawn sample whose (padded) codes agree most.

    Ties go to the first drawn.
    """
    centroids = codes[draw]
    counts = np.empty((draw.size, 1), dtype=np.int32)
    whole = draw.size - draw.size % ROWS
    for i in range(codes.shape[0]):
        for p in range(0, whole, ROWS):
            count_equal_rows(centroids, p, codes[i], counts[p : p + ROWS], 0)
        for p in range(whole, draw.size):
            count_equal(centroids, p, codes[i], counts[p : p + 1], 0)
        best, where = np.int32(-1), 0
        for p in range(draw.size):
            if counts[p, 0] > best:
                best, where = counts[p, 0], p
        out[i] = where


@parallel_kernel("codes")
def agreement_rows(begin, end, codes, first, out):
    """Count equal codes of the rows from ``first`` on and all rows, (b, n) int32."""
    n_rows = out.shape[0]
    whole = n_rows - n_rows % ROWS
    for j in range(begin, end):
        for r in range(0, whole, ROWS):
            count_equal_rows(codes, first + r, codes[j], out[r : r + ROWS], j)
        for r in range(whole, n_rows):
            count_equal(codes, first + r, codes[j], out[r : r + 1], j)


@parallel_kernel(lambda columns, *_: -(-len(columns) // _GROUP))
def sum_by_code(begin, end, columns, starts, B, sums):
    """Sum the rows of B by their codes in each clustering.

    ``sums[starts[v] + columns[v, i]] += B[i]``, for some clusterings and rows at a
    time, so that both stay in the cache.
    """
    n_codes, n = columns.shape
    for group in range(begin, end):
        last = min((group + 1) * _GROUP, n_codes)
        for top in range(0, n, _TILE):
            for v in range(group * _GROUP, last):
                for i in range(top, min(top + _TILE, n)):
                    total, row = sums[starts[v] + columns[v, i]], B[i]
                    for t in range(row.shape[0]):
                        total[t] += row[t]


@parallel_kernel(lambda columns, *_: -(-columns.shape[1] // _TILE))
def add_by_code(begin, end, columns, starts, table, out):
    """Add to each row of ``out`` the table rows given by its codes."""
    n_codes, n = columns.shape
    for tile in range(begin, end):
        last = min((tile + 1) * _TILE, n)
        for v in range(n_codes):
            for i in range(tile * _TILE, last):
                row, named = out[i], table[starts[v] + columns[v, i]]
                for t in range(row.shape[0]):
                    row[t] += named[t]
