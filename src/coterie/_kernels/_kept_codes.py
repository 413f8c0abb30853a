"""Kernels for new samples in layers of codes that are kept, one sample at a time."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel, parallel_kernel


@kernel
def fill_lists(columns, starts, members):
    """List the samples of each code of each clustering, in little memory.

    Parameters
    ----------
    columns : uint16 array of shape (V, n)
        The codes, transposed.
    starts : uint16 array of shape (V, k + 1), zero
    members : uint16 array of shape (V, n)
        ``members[v, starts[v, c] : starts[v, c + 1]]`` is filled with the samples.
    """
    n_codes, n = columns.shape
    k = starts.shape[1] - 1
    place = np.empty(k, dtype=np.int32)
    for v in range(n_codes):
        for i in range(n):
            starts[v, columns[v, i] + 1] += 1
        for c in range(k):
            starts[v, c + 1] += starts[v, c]
            place[c] = starts[v, c]
        for i in range(n):
            c = columns[v, i]
            members[v, place[c]] = i
            place[c] += 1


@kernel
def fill_draws(draws, ends, entries):
    """List for each sample the draws that it is in, and its position there.

    Parameters
    ----------
    draws : int32 array of shape (W, k)
    ends : int32 array of shape (n + 1,), zero
        Sample j has the entries from ``ends[j]`` to ``ends[j + 1]``.
    entries : uint32 array of shape (W * k,)
        The number of the draw in the upper, the position in the lower 16 bits.
    """
    n_draws, k = draws.shape
    n = ends.size - 1
    for w in range(n_draws):
        for p in range(k):
            ends[draws[w, p] + 1] += 1
    for j in range(n):
        ends[j + 1] += ends[j]
    place = ends[:n].copy()
    for w in range(n_draws):
        for p in range(k):
            j = draws[w, p]
            entries[place[j]] = (w << 16) | p
            place[j] += 1


@kernel
def nearest_in_draws(distances, draws, near, codes, is_certain):
    """Find the nearest sample of each draw.

    Parameters
    ----------
    distances : float32 array of shape (V, n) or (1, n)
    draws : int32 array of shape (V, k)
    near : float
        Distances that differ by less may be in the wrong order.
    codes : uint16 array of shape (V,)
        Positions in the draws; ties go to the first.
    is_certain : bool array of shape (V,)
        Whether no other is near as well.
    """
    one = distances.shape[0] == 1
    for v in range(draws.shape[0]):
        row = distances[0 if one else v]
        best, second, where = np.float32(np.inf), np.float32(np.inf), 0
        for p in range(draws.shape[1]):
            d = row[draws[v, p]]
            if d < best:
                best, second, where = d, best, p
            elif d < second:
                second = d
        codes[v] = where
        is_certain[v] = second - best > near


@kernel
def _count_agreements(row, at, starts, members, size, spans, counts):
    """Count the codes in which each sample agrees with ``row``, along the lists.

    The lists begin at ``starts[at]``. The return value only keeps the compiler from
    removing a prefetch.
    """
    n_codes, n = members.shape
    counts[:] = 0
    for v in range(n_codes):
        t = at + v * (size + 1) + row[v]
        spans[v, 0], spans[v, 1] = starts[t], starts[t + 1]
    # lists are far apart in memory: touching both ends fetches them together
    seen = 0
    for v in range(n_codes):
        seen += members[v, min(spans[v, 0], n - 1)]
        seen += members[v, max(spans[v, 1] - 1, 0)]
    for v in range(n_codes):
        for t in range(spans[v, 0], spans[v, 1]):
            counts[members[v, t]] += 1
    return seen


@kernel
def _by_columns(counts, entries, k, row):
    """Find the best of each draw, whose k samples follow each other in ``entries``."""
    for w in range(row.size):
        # count and position in one number: the largest is the first best
        best = np.int64(0)
        for p in range(k):
            count = np.int64(counts[entries[w * k + p]])
            best = max(best, (count << 32) | (k - p))
        row[w] = k - (best & 0xFFFFFFFF)


@kernel
def _by_rank(counts, ends, entries, least, level, place, ranked, best, row):
    """Find the best of each draw by going through samples by descending agreement.

    ``least`` candidates usually suffice; the result is exact. ``level`` and ``place``
    (V + 2,), ``ranked`` (n,) and ``best`` (V,), all int32, are work space. The return
    value only keeps the compiler from removing a prefetch.
    """
    n, n_codes = counts.size, row.size
    level[:] = 0
    for j in range(n):
        level[counts[j]] += 1
    best[:] = 0  # the agreement of the winner
    row[:] = 0
    seen = np.int64(0)
    left = n_codes
    top = n_codes  # counts above are done
    while left > 0 and top > 0:
        # from a floor on, enough candidates or all, by descending count
        floor, n_ranked = top, level[top]
        while floor > 1 and n_ranked < least:
            floor -= 1
            n_ranked += level[floor]
        place[top] = 0
        for c in range(top - 1, floor - 1, -1):
            place[c] = place[c + 1] + level[c + 1]
        for j in range(n):
            c = counts[j]
            if floor <= c <= top:
                ranked[place[c]] = j
                place[c] += 1
        # entries are far apart in memory: touching those that are likely to be needed
        # fetches them together
        for r in range(min(n_ranked, least // 2)):
            seen += entries[ends[ranked[r]]]
        for r in range(n_ranked):
            j = ranked[r]
            c = counts[j]
            if left == 0 and c < counts[ranked[r - 1]]:
                break
            for t in range(ends[j], ends[j + 1]):
                w, p = entries[t] >> 16, entries[t] & 0xFFFF
                if best[w] == 0:
                    best[w] = c
                    row[w] = p
                    left -= 1
                elif best[w] == c and p < row[w]:
                    row[w] = p
        top = floor - 1
        least = n
    return seen


@parallel_kernel("out")
def code_sample(
    begin,
    end,
    codes,
    first_layer,
    lists_at,
    draws_at,
    sizes,
    drawn,
    starts,
    members,
    ends,
    entries,
    most_columns,
    out,
):
    """Code a new sample in the networks, layer by layer.

    In each draw of a layer it goes to the drawn sample that agrees with it most in the
    layer below. Ties go to the first drawn; a draw in which none agrees gets its first.

    Parameters
    ----------
    codes : uint16 array of shape (V,)
        Codes of the sample in the bottom layer.
    first_layer : int64 array of shape (Z + 1,)
        Network z has the layers from ``first_layer[z]`` to ``first_layer[z + 1]``.
    lists_at, draws_at : int64 arrays of shape (L,)
        Where the lists and the draws of a layer begin.
    sizes, drawn : int64 arrays of shape (L,)
        Clusters of the layer below, and samples in a draw.
    starts, members : uint16 arrays, (V * (k + 1), ...) and (L, V, n)
        The lists of :func:`fill_lists`.
    ends, entries : arrays, (L, n + 1) and (V * k, ...)
        The lists of :func:`fill_draws`; the samples of each draw themselves, if there
        are at most ``most_columns`` in it.
    most_columns : int
    out : uint16 array of shape (Z, V)
        Positions in the draws of the top layers.
    """
    n_codes, n = members.shape[1:]
    counts = np.empty(n, dtype=np.int32)
    ranked = np.empty(n, dtype=np.int32)
    level = np.empty(n_codes + 2, dtype=np.int32)
    place = np.empty(n_codes + 2, dtype=np.int32)
    best = np.empty(n_codes, dtype=np.int32)
    spans = np.empty((n_codes, 2), dtype=np.int64)
    seen = 0
    for z in range(begin, end):
        row = out[z]
        row[:] = codes
        for at in range(first_layer[z], first_layer[z + 1]):
            seen += _count_agreements(
                row, lists_at[at], starts, members[at], sizes[at], spans, counts
            )
            k = drawn[at]
            own = entries[draws_at[at] : draws_at[at] + n_codes * k]
            if k <= most_columns:
                _by_columns(counts, own, k, row)
            else:
                # the last of V draws has its centroid at rank (n / k) log V or so
                least = np.int64(2 * n / k * (1 + np.log(n_codes)))
                seen += _by_rank(
                    counts, ends[at], own, least, level, place, ranked, best, row
                )
    return seen
