"""Communities of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from coterie._display import MOST_ROWS, count, shortened, table
from coterie._docs import fill_doc
from coterie._seeds import seed_sequence
from coterie._typing import LABEL_DTYPE, Progress, Seed
from coterie.applications._graph_consensus import (
    agreed_communities,
    confidence_of,
    usual_members,
    without_loops,
)
from coterie.applications._graph_kinds import KINDS
from coterie.applications._graph_levels import Level, tree_of, with_number
from coterie.applications._graph_networks import network_communities
from coterie.applications._graph_nulls import p_value_of, usual_nulls
from coterie.applications._graph_picture import draw_communities
from coterie.applications._graph_reading import read_graph
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.metrics import modularity

METHODS = ("consensus", "mbn", "mbn-sd")
_NETWORKS = 10  # members of "mbn"
_MOST_COMMUNITIES = 50  # that "mbn" tries
_LISTED = 8  # nodes printed per community
_USUAL = 1e-6, 1e6  # largest weights that are left as they are


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
    graph : (n_nodes, n_nodes) CSR matrix
        The weights, from :func:`read_graph`.
    confidence : (n_nodes,) array or None
        How far the members agree on the community of each node, from 0 to 1.
    p_value : float or None
        How likely a random graph in which nodes have as many links is as modular; None
        if that was not tested.
    tree : tuple of Level
        Nested communities from coarse to fine, at several resolutions.
    curve : dict of int to float
        The best modularity at each number of communities, with ``method="mbn"``.
    sentence : str
        The answer in words.

    Examples
    --------
    >>> from coterie.applications import communities
    >>> edges = [("a", "b"), ("b", "c"), ("a", "c"), ("d", "e"), ("c", "d")]
    >>> found = communities(edges, 2, random_state=0)
    >>> found.names, found.labels
    (['a', 'b', 'c', 'd', 'e'], array([0, 0, 0, 1, 1], dtype=int32))
    """

    labels: np.ndarray
    modularity: float
    names: list[Any]
    graph: sp.csr_array
    confidence: np.ndarray | None
    p_value: float | None
    tree: tuple[Level, ...]
    curve: dict[int, float]
    sentence: str

    @property
    def n_communities(self) -> int:
        """Number of communities."""
        return int(self.labels.max()) + 1

    def to_frame(self) -> Any:
        """Return a pandas frame with a row per node: name, community, confidence.

        The levels of the tree follow, from coarse to fine.
        """
        import pandas

        return pandas.DataFrame(self.columns())

    def columns(self) -> dict[str, Any]:
        """Return the columns of :meth:`to_frame`."""
        columns: dict[str, Any] = {"node": self.names, "community": self.labels}
        if self.confidence is not None:
            columns["confidence"] = self.confidence
        for level in self.tree:
            columns[f"resolution {level.resolution:g}"] = level.labels
        return columns

    def draw(self, ax: Any = None) -> Any:
        """Draw each community as a disc of its nodes, with the links between them.

        Of up to 30 communities, the node with the most links is named.

        Parameters
        ----------
        ax : matplotlib axes or None, default=None
            None makes new ones.

        Returns
        -------
        matplotlib axes
        """
        return draw_communities(
            _within_range(self.graph), self.labels, self.confidence, self.names, ax
        )

    def __repr__(self) -> str:
        k = self.n_communities
        columns = {
            "community": np.arange(k),
            "size": np.bincount(self.labels),
            "nodes": [self._some_nodes(c) for c in range(min(k, MOST_ROWS))],
        }
        return "\n".join([f"Communities: {self.sentence}", *table(columns, k)])

    def _some_nodes(self, community: int) -> str:
        """Return the first names of a community, as many as fit in a line."""
        nodes = np.flatnonzero(self.labels == community)
        names = ", ".join(str(self.names[i]) for i in nodes[:_LISTED])
        return shortened(names + (", ..." if nodes.size > _LISTED else ""), 60)


@fill_doc
def communities(
    graph: Any,
    n_communities: int | tuple[int, int] | None = None,
    *,
    method: str = "consensus",
    resolution: float = 1.0,
    n_members: int | None = None,
    also: str | Sequence[str] = (),
    n_null: int | None = None,
    alpha: float = 0.01,
    n_clusterings: int = 100,
    classes: Sequence[int] = (10, 20, 30, 40),
    bottom_layer: Literal["nearest", "columns"] = "nearest",
    random_state: Seed = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> Communities:
    r"""Find the communities of a graph, how sure they are, and whether there are any.

    Leiden's algorithm [1]_ partitions the graph many times, with several seeds and
    resolutions. The weight of each link is multiplied by the share of partitions that
    keep its two ends together, and the graph with these weights is partitioned again,
    until all partitions agree [2]_. Nodes then move to where the modularity

    .. math:: Q = \sum_c \left[ \frac{w_c}{w}
        - \gamma \left( \frac{d_c}{2 w} \right)^2 \right]

    is larger (:func:`coterie.metrics.modularity`), if the agreement alone is more than
    .001 below the best one found. The result is steadier than one run of Leiden's
    algorithm, and about as modular as the best of ten.

    Parameters
    ----------
    graph : matrix, networkx or igraph graph, frame, or edges
        As in :func:`read_graph`. Edge directions are ignored: the weights of the two
        directions are summed.
    n_communities : int, (int, int) or None, default=None
        None lets the modularity decide, and answers "none" if random graphs are as
        modular. A number is met exactly. With a range, the number nearest to that of
        None is used.
    method : {"consensus", "mbn", "mbn-sd"}, default="consensus"
        "mbn" is fMBN-E as printed [3]_, and "mbn-sd" its selection of networks: k-means
        on the codes of bootstrap networks, for 2 to 50 communities or the range given.
        Both are much slower and have a smaller modularity.
    resolution : float, default=1.0
        Larger ones give more communities: :math:`\gamma`.
    n_members : int or None, default=None
        Number of partitions. None is 100 below 1,000 links, 40 from there, fewer from
        25,000 links, 10 from 100,000, and 6 from a million; for "mbn", 10 networks.
    also : str or sequence of str, default=()
        Other kinds of members for the consensus: one member in four is of these, in
        turn. "louvain", "mbn" (one bootstrap network; slow from some 10,000 nodes), or,
        by igraph, "infomap", "label propagation" and "walktrap". They take part in
        graphs of fewer than a million links. The page on communities compares them.
    n_null : int or None, default=None
        Random graphs to compare with; 0 skips the test. None is 19, fewer
        from 100,000 links, and 2 from a million.
    alpha : float, default=0.01
        Level of the test: with a larger p-value, the answer is "none".
    n_clusterings : int, default=100
        Clusterings per layer, for "mbn".
    classes : sequence of int, default=(10, 20, 30, 40)
        Sizes c to try, for "mbn": the last layer with at least 1.5 c clusters of each
        network, and c components of its codes.
    bottom_layer : {"nearest", "columns"}, default="nearest"
        For "mbn": whether the bottom layer assigns each node to a drawn neighbour, or
        hands on a sample of the columns of the adjacency, as the paper's text has it.
    random_state : int, SeedSequence, Generator, RandomState or None, default=None
        Makes the result reproducible.
    n_jobs : int or None, default=None
        Members computed in parallel; -1 = all cores.
    progress : bool, function of (done, total) or None, default=None
        True shows a progress bar.

    Returns
    -------
    Communities
        Labels, modularity, confidence, p-value and a tree of levels.

    Notes
    -----
    If the answer is "none", the labels are those of the connected components, and the
    tree still has the partitions that were found. In the random graphs of the test,
    links have exchanged their ends, so that each node has as many as before, and no
    link is there twice. The p-value assumes that their modularities are normal. A graph
    of a few nodes cannot pass the test: give ``n_communities`` or ``n_null=0``.

    From a million links, the tree has one finer level instead of two. Leiden's
    algorithm makes one round instead of five, for two members and for the random
    graphs; the other members see groups of nodes that these two keep together.

    Communities are connected, except where a number is asked for. Self-links count in
    the modularity; Leiden's algorithm and the test leave them out.

    The paper on "mbn" does not say how strongly a node is linked to itself: here as
    strongly as to its strongest neighbour. A node without a drawn neighbour goes to one
    that was not drawn. All sizes use layers of the same networks; the paper grows new
    ones for each. The draw of deltas is stratified. The paper has 40 networks of 400
    clusterings; the smaller defaults save time.

    References
    ----------
    .. [1] V. A. Traag, L. Waltman, N. J. van Eck, "From Louvain to Leiden: guaranteeing
       well-connected communities", Scientific Reports 9, 5233, 2019.
       :doi:`10.1038/s41598-019-41695-z`
    .. [2] A. Lancichinetti, S. Fortunato, "Consensus clustering in complex networks",
       Scientific Reports 2, 336, 2012. :doi:`10.1038/srep00336`
    .. [3] X.-L. Zhang, "fMBN-E: efficient unsupervised network structure ensemble and
       selection for clustering", 2021. arXiv:2107.02071

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.applications import communities
    >>> rng = np.random.default_rng(0)
    >>> group = np.repeat([0, 1, 2], 20)
    >>> chance = np.where(group[:, None] == group, 0.5, 0.02)
    >>> found = communities(np.triu(rng.random((60, 60)) < chance, 1), random_state=0)
    >>> found.n_communities, found.p_value < 0.01
    (3, True)
    >>> np.array_equal(found.labels, group)
    True
    """
    given, names = read_graph(graph)
    A = _within_range(given)
    _check_settings(method, resolution, n_members, n_null, alpha)
    _check_networks(n_clusterings, classes, bottom_layer)
    also = _checked_kinds(also)
    resolution = float(resolution)
    span = _checked_range(n_communities, len(names))
    seed = seed_sequence(random_state)
    if not without_loops(A).nnz:
        alone = np.arange(len(names), dtype=LABEL_DTYPE)
        labels = alone if span is None else alone % span[1]
        return _result(given, names, labels, none=span is None)
    if method != "consensus":
        grown = network_communities(
            A,
            span or (min(2, len(names)), min(_MOST_COMMUNITIES, len(names))),
            n_members=n_members or _NETWORKS,
            n_clusterings=n_clusterings,
            classes=classes,
            bottom_layer=bottom_layer,
            select=method == "mbn-sd",
            seed=seed,
            n_jobs=n_jobs,
            progress=progress,
        )
        return _result(given, names, grown.labels, curve=grown.curve)
    for_members, for_null, for_levels = seed.spawn(3)
    found = agreed_communities(
        A,
        n_members or usual_members(A),
        resolution,
        also=also,
        seed=for_members,
        n_jobs=n_jobs,
        progress=progress,
    )
    n_null = usual_nulls(A) if n_null is None else n_null
    p_value = None
    if n_null:
        p_value = p_value_of(A, n_null, resolution, seed=for_null, n_jobs=n_jobs)
    rng = np.random.default_rng(for_levels)
    tree = tree_of(A, found.labels, resolution, rng=rng)
    labels, k = found.labels, int(found.labels.max()) + 1
    if span is not None and not span[0] <= k <= span[1]:
        wanted = int(np.clip(k, *span))
        labels = with_number(A, tree, wanted, resolution, rng=rng)
    none = span is None and p_value is not None and p_value > alpha
    if none:
        labels = connected_components(A, directed=False)[1].astype(LABEL_DTYPE)
    confidence = confidence_of(labels, found.members)
    return _result(given, names, labels, confidence, p_value, tree, none=none)


def _result(
    A: sp.csr_array,
    names: list[Any],
    labels: np.ndarray,
    confidence: np.ndarray | None = None,
    p_value: float | None = None,
    tree: tuple[Level, ...] = (),
    curve: dict[int, float] | None = None,
    none: bool = False,
) -> Communities:
    labels = relabel_by_appearance(labels)
    Q = modularity(_within_range(A), labels)
    sentence = _sentence(labels, Q, p_value, none)
    return Communities(
        labels, Q, names, A, confidence, p_value, tree, curve or {}, sentence
    )


def _within_range(A: sp.csr_array) -> sp.csr_array:
    """Return the graph in another unit if its weights or their squares may overflow.

    Communities do not depend on the unit.
    """
    largest = float(A.data.max(initial=0.0))
    if largest == 0.0 or _USUAL[0] <= largest <= _USUAL[1]:
        return A
    unit = -np.frexp(largest)[1]
    return sp.csr_array((np.ldexp(A.data, unit), A.indices, A.indptr), shape=A.shape)


def _sentence(labels: np.ndarray, Q: float, p_value: float | None, none: bool) -> str:
    """Return the answer in words, with its certainty."""
    k = int(labels.max()) + 1
    if none and p_value is None:
        alone = "the node is alone" if k == 1 else f"each of {k:,} nodes is alone"
        return f"no communities: there are no links between different nodes; {alone}"
    if none:
        whole = "it is connected" if k == 1 else f"it has {k:,} connected components"
        return (
            f"no evidence of communities (p = {p_value:.2g}): random graphs in which "
            f"nodes have as many links are about as modular; {whole}"
        )
    text = (
        f"{count(k, 'community', 'communities')} of {count(labels.size, 'node')}, "
        f"modularity {Q:.3f}"
    )
    return text if p_value is None else f"{text}, p = {p_value:.2g}"


def _check_settings(
    method: str,
    resolution: float,
    n_members: int | None,
    n_null: int | None,
    alpha: float,
) -> None:
    rules = [
        ("method", method, "one of " + ", ".join(METHODS), method in METHODS),
        ("resolution", resolution, "a number above 0", _is_above(resolution, 0)),
        (
            "n_members",
            n_members,
            "a whole number from 1, or None",
            n_members is None or (_is_whole(n_members) and n_members >= 1),
        ),
        (
            "n_null",
            n_null,
            "a whole number from 2, 0 for no test, or None",
            n_null is None or (_is_whole(n_null) and (n_null == 0 or n_null >= 2)),
        ),
        ("alpha", alpha, "a number between 0 and 1", _is_above(alpha, 0) and alpha < 1),
    ]
    _check(rules)


def _check_networks(n_clusterings: Any, classes: Any, bottom_layer: Any) -> None:
    """Check the settings of "mbn"."""
    layers = ("nearest", "columns")
    is_list = isinstance(classes, Sequence | np.ndarray) and len(classes) > 0
    _check(
        [
            (
                "n_clusterings",
                n_clusterings,
                "a whole number from 1",
                _is_whole(n_clusterings) and n_clusterings >= 1,
            ),
            (
                "classes",
                classes,
                "sizes of at least 1, such as (10, 20)",
                is_list and all(_is_whole(c) and c >= 1 for c in classes),
            ),
            (
                "bottom_layer",
                bottom_layer,
                f"one of {', '.join(layers)}",
                bottom_layer in layers,
            ),
        ]
    )


def _check(rules: list[tuple[str, Any, str, bool]]) -> None:
    """Raise for the first setting (name, value, what is expected, whether it is)."""
    for name, value, expected, fine in rules:
        if not fine:
            raise ValueError(
                f"communities expects {name} as {expected}; got {value!r}."
            )


def _checked_kinds(also: Any) -> tuple[str, ...]:
    kinds = tuple(also) if isinstance(also, list | tuple | set) else (also,)
    for kind in kinds:
        if kind not in KINDS:
            raise ValueError(
                f"communities expects also as kinds among {', '.join(KINDS)}; got "
                f"{kind!r}."
            )
    return kinds


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _is_above(value: Any, least: float) -> bool:
    return isinstance(value, Real) and least < float(value) < np.inf


def _checked_range(span: Any, n: int) -> tuple[int, int] | None:
    """Return the least and the largest number of communities, or None."""
    if span is None:
        return None
    ends: Any = tuple(span) if isinstance(span, tuple | list) else (span, span)
    whole = len(ends) == 2 and all(_is_whole(end) for end in ends)
    if not whole or not 1 <= ends[0] <= ends[1]:
        raise ValueError(
            "communities expects n_communities as a whole number, a range (low, high) "
            f"with 1 <= low <= high, or None; got {span!r}."
        )
    if ends[0] > n:
        raise ValueError(
            f"communities was asked for {ends[0]} communities in a graph of {n} nodes."
        )
    return int(ends[0]), min(int(ends[1]), n)
