"""Kernel for the largest one-to-one matching of two sets."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel


@kernel
def largest_matching(starts, partners, n_second):
    """Match as many items of two sets as possible, by augmenting paths.

    Parameters
    ----------
    starts : int array of shape (n_first + 1,)
    partners : int array
        Item i of the first set may be matched with the items ``starts[i]`` to
        ``starts[i + 1] - 1`` of ``partners``; the earlier ones are tried first.
    n_second : int

    Returns
    -------
    int64 array of shape (n_first,)
        The partner of each item of the first set; -1 for none.
    """
    n_first = starts.size - 1
    match = np.full(n_first, -1, dtype=np.int64)
    matched_with = np.full(n_second, -1, dtype=np.int64)
    path = np.empty(n_first, dtype=np.int64)
    link = np.empty(n_first, dtype=np.int64)  # from each item on the path
    place = np.empty(n_first, dtype=np.int64)
    grown = True
    while grown:
        grown = False
        seen = np.zeros(n_second, dtype=np.bool_)  # a dead end stays one in this pass
        for root in range(n_first):
            if match[root] >= 0:
                continue
            depth = 0
            path[0] = root
            place[root] = starts[root]
            while depth >= 0:
                a = path[depth]
                if place[a] == starts[a + 1]:
                    depth -= 1
                    continue
                b = partners[place[a]]
                place[a] += 1
                if seen[b]:
                    continue
                seen[b] = True
                link[depth] = b
                if matched_with[b] >= 0:
                    depth += 1
                    path[depth] = matched_with[b]
                    place[path[depth]] = starts[path[depth]]
                    continue
                for d in range(depth + 1):
                    match[path[d]] = link[d]
                    matched_with[link[d]] = path[d]
                grown = True
                break
    return match
