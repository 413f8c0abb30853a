"""Partitions of graphs that gain modularity, and random graphs to compare with.

Graphs are symmetric CSR matrices of weights, with twice the weight of a self-link on
the diagonal.
"""

from __future__ import annotations

import heapq

import numpy as np
from scipy.sparse import coo_array, csr_array, triu
from scipy.sparse.csgraph import connected_components

from coterie._typing import LABEL_DTYPE

_TRIES = 3  # exchanges tried for each link
_LEAST_TRIES = 500  # in a graph of few links, most are not possible
_AT_ONCE = 2**20  # random pairs of links drawn at once


def contracted(graph: csr_array, labels: np.ndarray) -> csr_array:
    """Return the graph whose nodes are communities and whose links are sums.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
    labels : (n,) int array
        Communities from 0, none of them empty.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from coterie._linalg import contracted
    >>> path = csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    >>> contracted(path, np.array([0, 0, 1, 1])).toarray()
    array([[2., 1.],
           [1., 2.]])
    """
    n, k = labels.size, int(labels.max()) + 1
    belongs = csr_array((np.ones(n), labels, np.arange(n + 1)), shape=(n, k))
    small = csr_array(belongs.T @ (graph @ belongs))
    small.sort_indices()
    return small


def climb(
    graph: csr_array,
    start: np.ndarray,
    resolution: float,
    *,
    rng: np.random.Generator,
    bounds: np.ndarray | None = None,
) -> np.ndarray:
    """Improve a partition until no node and no community gains by moving.

    Nodes move first, then whole communities, as in Louvain's algorithm; then nodes
    again, until nothing moves. The modularity never falls.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
    start : (n,) int array
        Communities from 0 to start from.
    resolution : float
        Larger ones give more communities.
    rng : numpy.random.Generator
        For the order in which nodes are looked at.
    bounds : (n,) int array or None, default=None
        Nodes of different numbers never join.

    Returns
    -------
    (n,) int32 array
        Communities from 0, in no particular order.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import block_diag, csr_array
    >>> from coterie._linalg import climb
    >>> graph = csr_array(block_diag([np.ones((3, 3)) - np.eye(3)] * 2))
    >>> climb(graph, np.arange(6), 1.0, rng=np.random.default_rng(0))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    labels = _packed(start)
    if graph.sum() <= 0:
        return labels
    bounds = np.zeros(labels.size, LABEL_DTYPE) if bounds is None else bounds
    while True:
        labels, _ = _moved(graph, labels, resolution, bounds, rng)
        within = np.empty(int(labels.max()) + 1, dtype=LABEL_DTYPE)
        within[labels] = bounds
        if within.size == labels.size:
            return labels
        small = contracted(graph, labels)
        alone = np.arange(within.size, dtype=LABEL_DTYPE)
        joined, n_joined = _moved(small, alone, resolution, within, rng)
        if not n_joined:
            return labels
        labels = climb(small, joined, resolution, rng=rng, bounds=within)[labels]


def _moved(
    graph: csr_array,
    labels: np.ndarray,
    resolution: float,
    bounds: np.ndarray,
    rng: np.random.Generator,
    keep_number: bool = False,
) -> tuple[np.ndarray, int]:
    """Move single nodes until none gains; return the partition, and how many moved."""
    from coterie._kernels._graph_moves import move_nodes

    labels = labels.astype(LABEL_DTYPE, copy=True)
    indptr = graph.indptr.astype(np.int64, copy=False)
    indices = graph.indices.astype(np.int32, copy=False)
    degrees = np.asarray(graph.sum(axis=1), dtype=np.float64).ravel()
    bounds = bounds.astype(LABEL_DTYPE, copy=False)
    n_moves = 0
    while True:
        order = rng.permutation(labels.size).astype(np.int32)
        new = move_nodes(
            indptr,
            indices,
            graph.data,
            degrees,
            float(resolution),
            bounds,
            order,
            keep_number,
            labels,
        )
        if not new:
            return _packed(labels), n_moves
        n_moves += new


def _packed(labels: np.ndarray) -> np.ndarray:
    """Return labels without gaps, in the same order."""
    used = np.bincount(labels) > 0
    return (np.cumsum(used) - 1)[labels].astype(LABEL_DTYPE)


def merged(graph: csr_array, n_communities: int, resolution: float) -> np.ndarray:
    """Join the nodes of a small graph, the best pair first, down to a number.

    Where no links are left between communities, the two smallest are joined.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
    n_communities : int
        At most n.
    resolution : float

    Returns
    -------
    (n,) int32 array
        Communities from 0.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from coterie._linalg import merged
    >>> path = csr_array(np.eye(4, k=1) + np.eye(4, k=-1))
    >>> merged(path, 2, 1.0)
    array([0, 0, 1, 1], dtype=int32)
    """
    n = graph.shape[0]
    mass = [float(degree) for degree in np.asarray(graph.sum(axis=1)).ravel()]
    price = resolution / max(float(graph.sum()), np.finfo(float).tiny)
    links: list[dict[int, float]] = [{} for _ in range(n)]
    above = coo_array(triu(graph, 1))
    for a, b, w in zip(
        above.row.tolist(), above.col.tolist(), above.data.tolist(), strict=True
    ):
        links[a][b] = links[b][a] = w
    stamp = [0] * n  # a pair on the heap is out of date if one of its ends has changed

    def offer(a: int, b: int) -> tuple[float, int, int, int, int]:
        loss = price * mass[a] * mass[b] - links[a][b]
        return loss, a, b, stamp[a], stamp[b]

    heap = [offer(a, b) for a in range(n) for b in links[a] if a < b]
    heapq.heapify(heap)
    smallest: list[tuple[float, int, int]] = [(mass[a], a, 0) for a in range(n)]
    heapq.heapify(smallest)
    into = np.arange(n)
    for _ in range(n - n_communities):
        while heap and [stamp[heap[0][1]], stamp[heap[0][2]]] != list(heap[0][3:]):
            heapq.heappop(heap)
        if heap:
            _, a, b, _, _ = heapq.heappop(heap)
        else:
            a, b = sorted(_pop_current(smallest, stamp) for _ in range(2))
        into[b] = a
        stamp[b] = -1
        stamp[a] += 1
        mass[a] += mass[b]
        for c, w in links[b].items():
            del links[c][b]
            if c != a:
                links[a][c] = links[c][a] = links[a].get(c, 0.0) + w
        links[b] = {}
        for c in links[a]:
            heapq.heappush(heap, offer(min(a, c), max(a, c)))
        heapq.heappush(smallest, (mass[a], a, stamp[a]))
    for b in range(n):  # ends point to smaller numbers
        into[b] = into[into[b]]
    return _packed(into)


def _pop_current(heap: list[tuple[float, int, int]], stamp: list[int]) -> int:
    while True:
        _, a, version = heapq.heappop(heap)
        if stamp[a] == version:
            return a


def settled(
    graph: csr_array, labels: np.ndarray, resolution: float, *, rng: np.random.Generator
) -> np.ndarray:
    """Move nodes while the modularity grows, and keep the number of communities.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
    labels : (n,) int array
        Communities from 0.
    resolution : float
    rng : numpy.random.Generator
    """
    free = np.zeros(labels.size, dtype=LABEL_DTYPE)
    return _moved(graph, _packed(labels), resolution, free, rng, keep_number=True)[0]


def split_by_links(graph: csr_array, labels: np.ndarray) -> np.ndarray:
    """Split communities into their connected parts, which never lowers modularity.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
    labels : (n,) int array

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from coterie._linalg import split_by_links
    >>> path = csr_array(np.eye(3, k=1) + np.eye(3, k=-1))
    >>> split_by_links(path, np.array([0, 1, 0]))
    array([0, 1, 2], dtype=int32)
    """
    links = coo_array(graph)
    kept = (labels[links.row] == labels[links.col]) & (links.data > 0)
    ends = links.row[kept], links.col[kept]
    within = csr_array((np.ones(kept.sum()), ends), shape=graph.shape)
    return connected_components(within, directed=False)[1].astype(LABEL_DTYPE)


def rewired(graph: csr_array, *, rng: np.random.Generator) -> csr_array:
    """Return a random graph in which each node has as many links as before.

    Pairs of links exchange ends, at least three tries for each link; an exchange
    that would make a self-link or a link that is there already is not made. Self-links
    stay, and links take their weights along.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
    rng : numpy.random.Generator

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_array
    >>> from coterie._linalg import rewired
    >>> ring = np.roll(np.eye(9), 1, axis=0) + np.roll(np.eye(9), 1, axis=1)
    >>> other = rewired(csr_array(ring), rng=np.random.default_rng(0))
    >>> other.sum(axis=0)
    array([2., 2., 2., 2., 2., 2., 2., 2., 2.])
    """
    from coterie._kernels._rewiring import exchange_ends, fill_links

    n = graph.shape[0]
    links = coo_array(triu(graph, 1))
    m = links.nnz
    heads, tails = links.row.astype(np.int32), links.col.astype(np.int32)
    table = np.full(2 ** int(np.ceil(np.log2(max(2 * m, 2)))), -1, dtype=np.int64)
    fill_links(heads, tails, n, table)
    n_tries = max(_TRIES * m, _LEAST_TRIES) if m else 0
    for first in range(0, n_tries, _AT_ONCE):
        n_pairs = min(_AT_ONCE, n_tries - first)
        pairs = rng.integers([m, 2 * m], size=(n_pairs, 2))
        exchange_ends(heads, tails, n, table, pairs)
    loops = graph.diagonal()
    at = np.flatnonzero(loops)
    rows = np.concatenate([heads, tails, at])
    columns = np.concatenate([tails, heads, at])
    weights = np.concatenate([links.data, links.data, loops[at]])
    return csr_array((weights, (rows, columns)), shape=(n, n))
