"""Kernels for codes: for each sample a cluster in each of many clusterings.

Codes are unsigned arrays (n, V). The similarity of two samples is the number of
clusterings in which their codes agree. Samples that are compared with many others stand
in blocks of ``BLOCK``, transposed, ``blocks[b, v, t]``; the last block is padded.
"""

from __future__ import annotations

import numpy as np

from coterie._kernels._equal import BLOCK, MOST_AT_ONCE, ROWS, add_equal, at_least
from coterie._kernels._jit import kernel, parallel_kernel

_ROWS = 8 * ROWS  # whose codes are in the fastest cache
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
def shuffle_draws(steps, order):
    """Turn random numbers into draws without replacement, in place.

    Parameters
    ----------
    steps : int32 array of shape (V, k)
        ``steps[v, t]`` is uniform on [t, n); becomes the t-th sample of draw v.
    order : int32 array of shape (n,)
        0 to n - 1; destroyed.
    """
    for v in range(steps.shape[0]):
        for t in range(steps.shape[1]):
            s = steps[v, t]
            order[t], order[s] = order[s], order[t]
            steps[v, t] = order[t]


@kernel
def posting_lists(columns, starts, place, members):
    """List the samples of each code of each clustering.

    Parameters
    ----------
    columns : array of shape (V, n)
        The codes, transposed.
    starts : int32 array of shape (V, k + 1)
    place : int32 array of shape (k,)
        Work space.
    members : int32 array of shape (V, n)
        ``members[v, starts[v, c] : starts[v, c + 1]]`` is filled with the samples.

    Returns
    -------
    n_pairs : int
        Number of (sample, sample, clustering) that agree.
    """
    n_codes, n = members.shape
    k = starts.shape[1] - 1
    n_pairs = 0
    for v in range(n_codes):
        for c in range(k + 1):
            starts[v, c] = 0
        for i in range(n):
            starts[v, columns[v, i] + 1] += 1
        for c in range(k):
            size = np.int64(starts[v, c + 1])
            n_pairs += size * size
            starts[v, c + 1] += starts[v, c]
            place[c] = starts[v, c]
        for i in range(n):
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
    bits : uint64 array of shape (n, (W + 63) // 64), zero
    position : array of shape (n, W)
        Set where the bit is set: the first one.
    """
    for v in range(draws.shape[0]):
        bit = np.uint64(1) << np.uint64(v % 64)
        for p in range(draws.shape[1] - 1, -1, -1):
            j = draws[v, p]
            bits[j, v // 64] |= bit
            position[j, v] = p


@kernel
def _search(
    counts,
    i,
    n_touched,
    lowest,
    least,
    touched,
    ranked,
    ends,
    remaining,
    found,
    winner,
    bits,
    position,
    row,
    out,
):
    """Find a sample's centroid in every draw by scanning the best candidates.

    ``touched`` lists all candidates with counts from ``lowest`` on. They are sorted by
    descending count, at least ``least`` of them, ties included. Among those with the
    same agreement the first drawn wins. Draws in which no centroid agrees at all get
    their first centroid, the first of equal zeros. Return whether the candidates
    sufficed.
    """
    n_codes = ends.size - 2
    for c in range(n_codes + 2):
        ends[c] = 0
    for t in range(n_touched):
        ends[counts[i, touched[t]]] += 1
    enough = n_codes
    for c in range(n_codes - 1, -1, -1):
        if ends[c + 1] < least:
            enough = c
        ends[c] += ends[c + 1]
    # ends[c + 1] is where count c begins; filling moves it to where it ends
    for t in range(n_touched):
        j = touched[t]
        c = counts[i, j]
        if c >= enough:
            ranked[ends[c + 1]] = j
            ends[c + 1] += 1
    lowest = max(lowest, 1, enough)

    n_draws = out.shape[1]
    n_words = remaining.size
    for w in range(n_words):
        remaining[w] = ~np.uint64(0)
    if n_draws % 64:
        remaining[n_words - 1] >>= np.uint64(64 - n_draws % 64)
    for v in range(n_draws):
        winner[v] = -1
    left = n_draws
    start = 0
    for c in range(n_codes, lowest - 1, -1):
        end = ends[c + 1]
        if end == start:
            continue
        for w in range(n_words):
            found[w] = 0
        for r in range(start, end):
            j = ranked[r]
            for w in range(n_words):
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
        for w in range(n_words):
            remaining[w] &= ~found[w]
        if left == 0:
            break
        start = end
    for v in range(n_draws):  # all at once: distant memory is fetched together
        out[row, v] = position[winner[v], v] if winner[v] >= 0 else 0
    return left == 0 or lowest == 1


@kernel
def layer_by_lists(
    codes,
    starts,
    members,
    least,
    spans,
    counts,
    touched,
    ranked,
    ends,
    remaining,
    found,
    winner,
    bits,
    position,
    out,
):
    """Code every sample in every draw, candidates counted along the posting lists.

    Fast for many samples in small clusters: the work for a sample is the sum of the
    sizes of its clusters. The lists are of the first samples, those that are drawn.
    ``least`` candidates usually suffice; the result is exact. ``spans`` (V, 2) int64
    and ``counts`` (1, number of these), zero, are work space, as are the arrays after
    it: see ``work_space``. The return value only keeps the compiler from removing a
    prefetch.
    """
    n_codes, n_drawn = members.shape
    seen = 0
    one, first = np.int64(1), np.int64(0)  # typed: a literal would be compiled apart
    for i in range(codes.shape[0]):
        n_touched = first
        for v in range(n_codes):
            c = codes[i, v]
            spans[v, 0], spans[v, 1] = starts[v, c], starts[v, c + 1]
        # lists are far apart in memory: touching each one prefetches them together
        for v in range(n_codes):
            seen += members[v, min(spans[v, 0], n_drawn - 1)]
        for v in range(n_codes):
            for t in range(spans[v, 0], spans[v, 1]):
                j = members[v, t]
                touched[n_touched] = j
                n_touched += counts[0, j] == 0
                counts[0, j] += 1
        for attempt in range(2):
            if _search(
                counts,
                first,
                n_touched,
                one,
                least if attempt == 0 else n_touched,
                touched,
                ranked,
                ends,
                remaining,
                found,
                winner,
                bits,
                position,
                i,
                out,
            ):
                break
        for t in range(n_touched):
            counts[0, touched[t]] = 0
    return seen


@kernel
def layer_by_rank(
    counts,
    first,
    least,
    touched,
    ranked,
    ends,
    remaining,
    found,
    winner,
    bits,
    position,
    out,
):
    """Code some samples in every draw, candidates counted by comparing rows.

    ``counts`` (b, >= u) are the agreements of the samples from ``first`` on with those
    that are drawn at all, in whose order ``bits`` and ``position`` are. ``least``
    candidates usually suffice; the result is exact. For the other arrays see
    ``work_space``.
    """
    u = bits.shape[0]
    n_codes = ends.size - 2
    stride = max(1, u // _SAMPLE)
    for i in range(min(counts.shape[0], out.shape[0] - first)):
        for attempt in range(2):
            enough = least if attempt == 0 else u
            # candidates from a count on, about as many as needed, by a sample
            for c in range(n_codes + 1):
                ends[c] = 0
            for j in range(0, u, stride):
                ends[counts[i, j]] += 1
            floor, above = n_codes, ends[n_codes]
            while floor > 1 and above * stride < enough + enough // 4 + 4 * stride:
                floor -= 1
                above += ends[floor]
            n_touched = np.int64(0)
            for b in range((u + BLOCK - 1) // BLOCK):
                hits = at_least(counts, i, b, floor)
                if u - b * BLOCK < BLOCK:  # the rest of the block is padding
                    hits &= (np.uint64(1) << np.uint64(u - b * BLOCK)) - np.uint64(1)
                while hits:
                    bit = hits & (~hits + np.uint64(1))
                    at = _BIT_OF[(bit * _DEBRUIJN) >> np.uint64(58)]
                    touched[n_touched] = b * BLOCK + at
                    n_touched += 1
                    hits ^= bit
            if _search(
                counts,
                i,
                n_touched,
                floor,
                enough,
                touched,
                ranked,
                ends,
                remaining,
                found,
                winner,
                bits,
                position,
                first + i,
                out,
            ):
                break


def work_space(n, n_codes, n_draws):
    """Return the arrays that the search needs for n candidates.

    These are ``touched`` (n + 1,) and ``ranked`` (n,), ``ends`` (n_codes + 2,),
    ``remaining`` and ``found``, a bit for each draw, and ``winner`` (n_draws,).
    """
    n_words = -(-n_draws // 64)
    return (
        np.empty(n + 1, dtype=np.int32),
        np.empty(n, dtype=np.int32),
        np.empty(n_codes + 2, dtype=np.int32),
        np.empty(n_words, dtype=np.uint64),
        np.empty(n_words, dtype=np.uint64),
        np.empty(n_draws, dtype=np.int32),
    )


@kernel
def layer_by_columns(counts, first, slots, out):
    """Code some samples in every draw by scanning each of its k columns.

    ``counts`` (b, >= u) are the agreements of the samples from ``first`` on with those
    that are drawn at all; ``slots`` (W, k) are the places of each draw among these.
    """
    n_draws, k = slots.shape
    for i in range(min(counts.shape[0], out.shape[0] - first)):
        for v in range(n_draws):
            # count and position in one number: the largest is the first best
            best = np.int64(0)
            for p in range(k):
                best = max(best, (np.int64(counts[i, slots[v, p]]) << 32) | (k - p))
            out[first + i, v] = k - (best & 0xFFFFFFFF)


@kernel
def nearest_code(counts, k, first, out):
    """Name for some samples the centroid whose codes agree most, the first of equals.

    ``counts`` (b, >= k) are the agreements of the samples from ``first`` on with the
    centroids.
    """
    for i in range(min(counts.shape[0], out.size - first)):
        best, where = np.int64(-1), 0
        for p in range(k):
            if counts[i, p] > best:
                best, where = np.int64(counts[i, p]), p
        out[first + i] = where


@parallel_kernel("blocks")
def agreement_rows(begin, end, blocks, codes, first, out):
    """Count equal codes of some rows and those in the blocks.

    ``out[r, BLOCK * b + t]`` are the agreements of row ``first + r`` and of row t of
    block b. There are a multiple of ``ROWS`` of the former.
    """
    n_codes = codes.shape[1]
    for start in range(0, out.shape[0], _ROWS):
        stop = min(start + _ROWS, out.shape[0])
        for b in range(begin, end):
            for r in range(start, stop, ROWS):
                for v in range(0, n_codes, MOST_AT_ONCE):
                    most = min(v + MOST_AT_ONCE, n_codes)
                    add_equal(codes, first + r, blocks, b, v, most, out, r)


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
