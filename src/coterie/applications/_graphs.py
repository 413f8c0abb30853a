"""Communities of a graph, found by bootstrap networks on its adjacency."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp

from coterie._display import MOST_ROWS, count, shortened, table
from coterie._docs import fill_doc
from coterie._linalg import code_pca, kmeans
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie._validation import is_sparse
from coterie.choice._auto import AUTO
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.generation import BootstrapNetworks
from coterie.metrics import modularity

_MOST_COMMUNITIES = 50  # with n_communities="auto"
_LISTED = 8  # nodes printed per community
_STARTS = 3  # of k-means; about two hundred runs are compared anyway


@dataclass(frozen=True, eq=False)
class Communities:
    """Communities of a graph.

    Attributes
    ----------
    labels : (n_nodes,) int32 array
        The community of each node, numbered by first appearance.
    modularity : float
        Modularity of the communities.
    names : list
        The names of the nodes, in the order of the labels.
    curve : dict of int to float
        The best modularity found for each number of communities.

    Examples
    --------
    >>> from coterie.applications import communities
    >>> edges = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "e"), ("c", "d")]
    >>> found = communities(edges, (2, 2), n_members=2, n_clusterings=20)
    >>> found.names, found.n_communities
    (['a', 'b', 'c', 'd', 'e'], 2)
    """

    labels: np.ndarray
    modularity: float
    names: list[Any]
    curve: dict[int, float]

    @property
    def n_communities(self) -> int:
        """Number of communities."""
        return int(self.labels.max()) + 1

    def to_frame(self) -> Any:
        """Return a pandas frame with the name and community of each node."""
        import pandas

        return pandas.DataFrame({"node": self.names, "community": self.labels})

    def __repr__(self) -> str:
        k = self.n_communities
        columns = {
            "community": np.arange(k),
            "size": np.bincount(self.labels),
            "nodes": [self._some_nodes(c) for c in range(min(k, MOST_ROWS))],
        }
        title = (
            f"Communities: {count(k, 'community', 'communities')} of "
            f"{count(len(self.names), 'node')}, modularity {self.modularity:.3f}"
        )
        return "\n".join([title, *table(columns, k)])

    def _some_nodes(self, community: int) -> str:
        """Return the first names of a community, as many as fit in a line."""
        nodes = np.flatnonzero(self.labels == community)
        names = ", ".join(str(self.names[i]) for i in nodes[:_LISTED])
        return shortened(names + (", ..." if nodes.size > _LISTED else ""), 60)


@fill_doc
def communities(
    graph: Any,
    n_communities: int | tuple[int, int] | str = "auto",
    *,
    n_members: int = 10,
    n_clusterings: int = 100,
    classes: Sequence[int] = (10, 20, 30, 40),
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Communities:
    """Find the communities of a graph.

    Uses bootstrap networks (fMBN-E) with the adjacency as the similarity: in the bottom
    layer, each clustering draws half of the nodes, and every node goes to one it is
    linked to. The codes are reduced to principal components and clustered by k-means
    for each number of communities; the result with the largest modularity is returned
    [1]_. Modularity does not use known communities.

    Parameters
    ----------
    graph : sparse matrix, networkx or igraph graph, or edges
        A square matrix of weights; a graph; or an array or list of (node, node) or
        (node, node, weight). Edge directions are ignored.
    n_communities : int, (int, int) or "auto", default="auto"
        Number of communities, or a range to choose from; "auto" is (2, 50).
    n_members : int, default=10
        Number of networks.
    n_clusterings : int, default=100
        Clusterings per layer.
    classes : sequence of int, default=(10, 20, 30, 40)
        Sizes c to try: the last layer with at least 1.5 c clusters of each network, and
        c components of its codes.
    random_state : int, SeedSequence, Generator, RandomState or None, default=0
        Makes the result reproducible.
    n_jobs : int or None, default=None
        Networks grown in parallel; -1 = all cores.
    progress : bool, function of (done, total) or None, default=None
        True shows a progress bar.

    Returns
    -------
    Communities
        Labels, modularity, names of nodes and the modularity at each number.

    Notes
    -----
    A node is linked to itself as strongly as to its strongest neighbour; the paper does
    not say. A node without a drawn neighbour goes to one that was not drawn. All sizes
    use layers of the same networks; the paper grows new ones for each. The draw of
    deltas is stratified. The paper has 40 networks of 400 clusterings; the smaller
    defaults save time.

    References
    ----------
    %(paper:zhang2021fmbne)s

    Examples
    --------
    >>> from coterie.applications import communities
    >>> edges = [("a", "b"), ("b", "c"), ("a", "c"), ("x", "y"), ("y", "z"), ("x", "z")]
    >>> found = communities(edges, 2, classes=(2,), n_members=5)
    >>> found.labels
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    >>> found.modularity
    0.5
    """
    A, names = read_graph(graph)
    low, high = _checked_range(n_communities, A.shape[0])
    if not classes or min(classes) < 1:
        raise ValueError(f"communities expects classes of at least 1, got {classes!r}.")
    for_codes, for_rest = seed_sequence(random_state).spawn(2)
    levels = [math.ceil(1.5 * c) for c in classes]
    networks = BootstrapNetworks(
        n_members=n_members,
        n_out=min(levels),
        delta_range=(0.05, 0.95),
        delta_draw="stratified",
        n_clusterings=n_clusterings,
        metric="precomputed",
    )
    grown = networks.generate_levels(
        _with_own_link(A), levels, seed=for_codes, n_jobs=n_jobs, progress=progress
    )
    rng = np.random.default_rng(for_rest)
    best: tuple[float, Any] = (-np.inf, None)
    curve: dict[int, float] = {}
    for c, ensemble in zip(classes, grown, strict=True):
        U = code_pca(ensemble.labels, c, rng=rng).scores
        for k in range(low, high + 1):
            labels = kmeans(U, k, rng=rng, n_init=_STARTS).labels
            Q = modularity(A, labels)
            curve[k] = max(Q, curve.get(k, -np.inf))
            if best[0] < Q:
                best = Q, labels
    return Communities(relabel_by_appearance(best[1]), best[0], names, curve)


def read_graph(graph: Any) -> tuple[sp.csr_matrix, list[Any]]:
    """Return the symmetric adjacency of a graph, and the names of its nodes.

    Parameters
    ----------
    graph : sparse matrix, networkx or igraph graph, or edges
        As in :func:`communities`. In a list of edges, the weights of repeated edges, in
        either direction, are summed; an asymmetric matrix is added to its transpose.

    Returns
    -------
    A : (n, n) CSR matrix
        Weights, with self-loops counted twice.
    names : list
        The nodes, in the order of the matrix.

    Examples
    --------
    >>> from coterie.applications import read_graph
    >>> A, names = read_graph([("a", "b"), ("b", "c")])
    >>> names, A.toarray()
    (['a', 'b', 'c'], array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]]))
    """
    module = type(graph).__module__.split(".")[0]
    if module == "networkx":
        names = list(graph.nodes)
        ids = {name: i for i, name in enumerate(names)}
        links = [(ids[a], ids[b], w or 1.0) for a, b, w in graph.edges(data="weight")]
        return _adjacency(links, len(names)), names
    if module == "igraph":
        n = graph.vcount()
        has_names = "name" in graph.vs.attributes()
        names = list(graph.vs["name"]) if has_names else list(range(n))
        has_weights = "weight" in graph.es.attributes()
        weights = graph.es["weight"] if has_weights else [1.0] * graph.ecount()
        ends = graph.get_edgelist()
        links = [(a, b, w) for (a, b), w in zip(ends, weights, strict=True)]
        return _adjacency(links, n), names
    if is_sparse(graph) or _is_square(graph):
        A = sp.csr_matrix(graph, dtype=np.float64)
        if A.shape[0] != A.shape[1]:
            raise ValueError(
                f"A graph given as a matrix must be square, got shape {A.shape}."
            )
        _check_weights(A.data)
        if abs(A - A.T).sum() > 0:
            A = A + A.T
        return sp.csr_matrix(A), list(range(A.shape[0]))
    return _from_edges(graph)


def _is_square(graph: Any) -> bool:
    return (
        isinstance(graph, np.ndarray)
        and graph.ndim == 2
        and graph.shape[0] == graph.shape[1]
        and graph.shape[1] > 3
    )


def _from_edges(edges: Any) -> tuple[sp.csr_matrix, list[Any]]:
    rows = edges.tolist() if hasattr(edges, "tolist") else list(edges)
    if not rows:
        raise ValueError("The graph has no edges, so it has no communities.")
    odd = [len(row) for row in rows if len(row) not in (2, 3)]
    if odd:
        raise ValueError(
            "Edges are expected as (node, node) or (node, node, weight), got one with "
            f"{odd[0]} values."
        )
    ids: dict[Any, int] = {}
    links = []
    for row in rows:
        a, b = (ids.setdefault(end, len(ids)) for end in row[:2])
        links.append((a, b, float(row[2]) if len(row) == 3 else 1.0))
    return _adjacency(links, len(ids)), list(ids)


def _adjacency(links: list[tuple[int, int, float]], n: int) -> sp.csr_matrix:
    if n == 0:
        raise ValueError("The graph has no nodes.")
    ends = np.array([link[:2] for link in links], dtype=np.int64).reshape(-1, 2)
    weights = np.array([link[2] for link in links], dtype=np.float64)
    _check_weights(weights)
    half = sp.csr_matrix((weights, (ends[:, 0], ends[:, 1])), shape=(n, n))
    return sp.csr_matrix(half + half.T)


def _check_weights(weights: np.ndarray) -> None:
    if weights.size and not (np.isfinite(weights).all() and weights.min() >= 0):
        raise ValueError(
            "Edge weights must be finite and not negative, got "
            f"{weights[~(weights >= 0) | ~np.isfinite(weights)][0]}."
        )


def _with_own_link(A: sp.csr_matrix) -> sp.csr_matrix:
    """Put the strongest link of each node on the diagonal."""
    strongest = A.max(axis=1).toarray().ravel()
    S = A - sp.diags(A.diagonal()) + sp.diags(np.where(strongest > 0, strongest, 1.0))
    return sp.csr_matrix(S)


def _checked_range(span: Any, n: int) -> tuple[int, int]:
    if isinstance(span, str) and span == AUTO:
        span = (min(2, n), _MOST_COMMUNITIES)
    ends: Any = tuple(span) if isinstance(span, tuple | list) else (span, span)
    whole = len(ends) == 2 and all(isinstance(end, Integral) for end in ends)
    if not whole or not 1 <= ends[0] <= ends[1]:
        raise ValueError(
            "communities expects n_communities as a whole number, a range (low, high) "
            f'with 1 <= low <= high, or "auto"; got {span!r}.'
        )
    low, high = ends
    if low > n:
        raise ValueError(
            f"communities was asked for {low} communities in a graph of {n} nodes."
        )
    return low, min(high, n)
