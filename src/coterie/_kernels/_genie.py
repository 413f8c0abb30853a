"""Genie: merging along a spanning tree while cluster sizes stay even enough."""

from __future__ import annotations

import numpy as np

from coterie._kernels._jit import kernel


@kernel
def _root(parent, i):
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@kernel
def _differences(values, counts, n_values, size):
    """Return the sum of |c - size| over all cluster sizes c."""
    total = 0
    for t in range(n_values):
        total += counts[t] * abs(values[t] - size)
    return total


@kernel
def _change(values, counts, n_values, size, by):
    """Change the number of clusters of a size; return how many sizes there are."""
    p = 0
    while p < n_values and values[p] < size:
        p += 1
    if p == n_values or values[p] != size:
        for t in range(n_values, p, -1):
            values[t] = values[t - 1]
            counts[t] = counts[t - 1]
        values[p], counts[p] = size, 0
        n_values += 1
    counts[p] += by
    if counts[p] == 0:
        n_values -= 1
        for t in range(p, n_values):
            values[t] = values[t + 1]
            counts[t] = counts[t + 1]
    return n_values


@kernel
def genie(ends, threshold, n_clusters, parent, size, ahead, values, counts, labels):
    """Merge clusters along the edges of a tree until ``n_clusters`` are left.

    An edge that touches no cluster of the smallest size will not do so until the
    smallest size grows, since clusters only grow; only then does the search begin anew.
    There are at most some sqrt(2 n) different sizes, and as many smallest ones: time is
    at most n^1.5, with a small constant.

    Parameters
    ----------
    ends : int64 array of shape (n - 1, 2)
        The edges, from short to long.
    threshold : float
        Gini index of the cluster sizes above which the smallest are merged first.
    n_clusters : int
    parent, size, ahead : int64 arrays of shape (n,)
        0 to n - 1, ones, and 0 to n - 1: trees of samples, the size of each cluster,
        and trees of edges, whose roots are the next ones that are not used.
    values, counts : int64 arrays
        Work space for sqrt(2 n) + 3 different sizes.
    labels : int32 array of shape (n,)
        Filled with the clusters, numbered by first appearance.
    """
    n = labels.size
    one, first = np.int64(1), np.int64(0)  # typed: a literal would be compiled apart
    values[0], counts[0], n_values = 1, n, one
    differences = 0  # sum of |c - c'| over pairs of clusters
    here, smallest = first, one  # all edges before this one touch no smallest cluster
    for m in range(n, n_clusters, -1):
        e = _root(ahead, first)
        if differences > threshold * (m - 1) * n:
            if values[0] > smallest:
                here, smallest = e, values[0]
            e = _root(ahead, here)
            while (
                size[_root(parent, ends[e, 0])] != smallest
                and size[_root(parent, ends[e, 1])] != smallest
            ):
                e = _root(ahead, e + 1)
            here = e
        ahead[e] = e + 1
        a, b = _root(parent, ends[e, 0]), _root(parent, ends[e, 1])
        if b < a:
            a, b = b, a
        differences += abs(size[a] - size[b])  # counted by both of the next lines
        differences -= _differences(values, counts, n_values, size[a])
        differences -= _differences(values, counts, n_values, size[b])
        n_values = _change(values, counts, n_values, size[a], -one)
        n_values = _change(values, counts, n_values, size[b], -one)
        parent[b] = a
        size[a] += size[b]
        differences += _differences(values, counts, n_values, size[a])
        n_values = _change(values, counts, n_values, size[a], one)
    number = 0
    for i in range(n):
        root = _root(parent, i)
        if root == i:
            labels[i] = number
            number += 1
        else:
            labels[i] = labels[root]
