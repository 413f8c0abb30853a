"""Random graphs with given degrees: pairs of links exchange their ends."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel

_EMPTY = -1


@kernel
def _home(key, mask):
    """Return where a key belongs in a table (Fibonacci hashing)."""
    mixed = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mixed >> np.uint64(24)) & mask


@kernel
def _find(table, key):
    """Return the place of a key, or the empty one where it would go."""
    mask = table.size - 1
    place = _home(key, mask)
    while table[place] != _EMPTY and table[place] != key:
        place = (place + 1) & mask
    return place


@kernel
def _remove(table, key):
    """Remove a key, and close the gap that it leaves."""
    mask = table.size - 1
    gap = _find(table, key)
    place = (gap + 1) & mask
    while table[place] != _EMPTY:
        home = _home(table[place], mask)
        if ((place - home) & mask) >= ((place - gap) & mask):
            table[gap] = table[place]
            gap = place
        place = (place + 1) & mask
    table[gap] = _EMPTY


@kernel
def _key(a, b, n):
    return np.int64(min(a, b)) * n + np.int64(max(a, b))


@kernel
def fill_links(heads, tails, n, table):
    """Put all links into a table of links, which is empty (all -1).

    Parameters
    ----------
    heads, tails : int32 arrays of shape (m,)
        The nodes that each link joins.
    n : int
        Number of nodes.
    table : int64 array
        At least twice as long as there are links, a power of two.
    """
    for e in range(heads.size):
        key = _key(heads[e], tails[e], n)
        table[_find(table, key)] = key


@kernel
def exchange_ends(heads, tails, n, table, pairs):
    """Let pairs of links exchange an end, where no link is then there twice.

    No self-link is made either. All nodes keep their number of links.

    Parameters
    ----------
    heads, tails : int32 arrays of shape (m,)
        The nodes that each link joins; changed in place.
    n : int
        Number of nodes.
    table : int64 array
        All links, from ``fill_links``; changed in place.
    pairs : int array of shape (n_tries, 2)
        Numbers of links; the second is doubled, and one more if the head is exchanged.
    """
    for t in range(pairs.shape[0]):
        e, f = pairs[t, 0], pairs[t, 1] >> 1
        a, b, c, d = heads[e], tails[e], heads[f], tails[f]
        if pairs[t, 1] & 1:
            c, d = d, c
        if a in (c, d) or b in (c, d):
            continue
        first, second = _key(a, d, n), _key(c, b, n)
        if table[_find(table, first)] == first or table[_find(table, second)] == second:
            continue
        _remove(table, _key(a, b, n))
        _remove(table, _key(c, d, n))
        table[_find(table, first)] = first
        table[_find(table, second)] = second
        tails[e] = d
        heads[f], tails[f] = c, b
