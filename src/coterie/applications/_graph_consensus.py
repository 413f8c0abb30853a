"""The consensus of many partitions of a graph, found on its links."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.sparse import coo_array, csr_array, diags_array

from coterie._engine import run_members
from coterie._linalg import climb, contracted, leiden, split_by_links
from coterie._typing import LABEL_DTYPE, Progress
from coterie.applications._graph_kinds import EVERY, other_member
from coterie.metrics import modularity

FINEST = 2.0  # members use resolutions up to this multiple
_ROUNDS = 5  # of agreeing; nearly all graphs need two or three
_SLACK = 0.001  # modularity that may be given for agreement
_MOST_MEMBERS, _FEWEST_MEMBERS, _MEMBERS_OF_LARGE = 40, 10, 6
_MEMBER_LINKS = 1_000_000  # members times links, between the first two
_LARGE = 1_000_000  # links from which there are as few members as in the third
_WHOLE = 2  # members of a large graph that see all of its nodes
_SMALL, _MEMBERS_OF_SMALL = 1_000, 100  # links; members are cheap below
_ROUNDS_OF_LEIDEN, _ROUNDS_OF_LARGE = 10, 1


@dataclass(frozen=True, eq=False)
class Agreed:
    """The partition on which members agree.

    Attributes
    ----------
    labels : (n,) int32 array
        Communities from 0, all connected.
    members : list of (n,) int32 arrays
        The partitions that were combined.
    """

    labels: np.ndarray
    members: list[np.ndarray]


def usual_members(graph: csr_array) -> int:
    """Return how many members a graph gets: fewer, the more links it has."""
    if _is_large(graph):
        return _MEMBERS_OF_LARGE
    if graph.nnz < 2 * _SMALL:
        return _MEMBERS_OF_SMALL
    fitting = 2 * _MEMBER_LINKS // max(graph.nnz, 1)
    return int(np.clip(fitting, _FEWEST_MEMBERS, _MOST_MEMBERS))


def agreed_communities(
    graph: csr_array,
    n_members: int,
    resolution: float,
    *,
    also: Sequence[str] = (),
    seed: np.random.SeedSequence,
    n_jobs: int | None,
    progress: Progress,
) -> Agreed:
    """Make members, and find the partition on which they agree.

    Every second member has the resolution asked for; the others are finer, up to
    twice that resolution, which separates communities that a large modularity would
    merge. In a graph of a million links, two members see all nodes, and the others
    groups of nodes that these two keep together. Of the members' agreement, this
    agreement after each node has moved to where the modularity is larger, and the best
    member, the first is taken whose modularity is within .001 of the best.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
        With at least one link between two nodes.
    also : sequence of str
        Other kinds of members: one member in four is of these, in turn.
    """
    for_members, for_rest = seed.spawn(2)
    plain = without_loops(graph)
    steps = np.linspace(0.0, 1.0, max(n_members // 2, 1) + 1)[1:]
    resolutions = np.full(n_members, resolution)
    resolutions[1::2] *= FINEST ** steps[: n_members // 2]
    n_whole = min(_WHOLE, n_members) if _is_large(graph) else n_members
    made = run_members(
        partial(_member, plain, resolutions, tuple(also)),
        n_whole,
        who="communities",
        seed=for_members,
        n_jobs=n_jobs,
        progress=progress,
    )
    members = [labels for _, labels in made]
    rng = np.random.default_rng(for_rest)
    if n_whole < n_members:
        members += _rough_members(plain, members, resolutions[n_whole:], rng)
    joint = agreement(plain, members, resolution, rng=rng)
    scores = [_quality(graph, labels, resolution) for labels in members[::2]]
    best = members[2 * int(np.argmax(scores))]
    candidates = [
        split_by_links(graph, joint),
        *(
            split_by_links(graph, climb(graph, start, resolution, rng=rng))
            for start in (joint, best)
        ),
    ]
    found = [_quality(graph, labels, resolution) for labels in candidates]
    least = max(found) - _SLACK
    labels = next(
        labels for labels, Q in zip(candidates, found, strict=True) if least <= Q
    )
    return Agreed(labels, members)


def _is_large(graph: csr_array) -> bool:
    return graph.nnz >= 2 * _LARGE


def _member(
    graph: csr_array,
    resolutions: np.ndarray,
    also: tuple[str, ...],
    number: int,
    rng: np.random.Generator,
) -> np.ndarray:
    resolution = float(resolutions[number])
    if also and number % EVERY == 2:
        return other_member(also[number // EVERY % len(also)], graph, resolution, rng)
    if not _is_large(graph):
        return leiden(graph, resolution, rng=rng, n_rounds=_ROUNDS_OF_LEIDEN)
    found = leiden(graph, resolution, rng=rng, n_rounds=_ROUNDS_OF_LARGE)
    return climb(graph, found, resolution, rng=rng)


def _rough_members(
    graph: csr_array,
    members: list[np.ndarray],
    resolutions: np.ndarray,
    rng: np.random.Generator,
) -> list[np.ndarray]:
    """Return further members by Louvain's algorithm that see groups of nodes.

    A group is joined by links whose ends no member so far has separated. So these
    members cost little, however large the graph is.
    """
    groups = _joined(graph, link_agreement(graph, members) >= 1.0)
    small = contracted(graph, groups)
    alone = np.arange(small.shape[0])
    return [climb(small, alone, float(r), rng=rng)[groups] for r in resolutions]


def _joined(graph: csr_array, kept: np.ndarray) -> np.ndarray:
    """Return the connected parts of the graph with some of its links alone."""
    links = csr_array((kept, graph.indices, graph.indptr), shape=graph.shape)
    return split_by_links(links, np.zeros(graph.shape[0], LABEL_DTYPE))


def agreement(
    graph: csr_array,
    members: list[np.ndarray],
    resolution: float,
    *,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return the partition on which members agree, looking at links alone.

    The weight of each link is multiplied by the share of members that keep its two ends
    together. Nodes joined by links that all of them keep become one node, which leaves
    a small graph; that is partitioned as often as there are members, by Louvain's
    algorithm, and so on until all partitions are the same [1]_.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
    members : list of (n,) int arrays
    resolution : float
    rng : numpy.random.Generator

    References
    ----------
    .. [1] A. Lancichinetti, S. Fortunato, "Consensus clustering in complex networks",
       Scientific Reports 2, 336, 2012. :doi:`10.1038/srep00336`
    """
    n_members = len(members)
    place = np.arange(graph.shape[0])
    for last in [False] * (_ROUNDS - 1) + [True]:
        links = coo_array(graph)
        share = link_agreement(graph, members)
        kept = share > 0
        ends = links.row[kept], links.col[kept]
        joint = csr_array((links.data[kept] * share[kept], ends), shape=graph.shape)
        cores = _joined(graph, share >= 1.0)
        graph, place = contracted(joint, cores), cores[place]
        if np.all(share[kept] >= 1.0):
            break
        alone = np.arange(graph.shape[0])
        members = [
            climb(graph, alone, resolution, rng=rng)
            for _ in range(1 if last else n_members)
        ]
        if last:
            place = members[0][place]
    return place.astype(LABEL_DTYPE)


def link_agreement(graph: csr_array, members: list[np.ndarray]) -> np.ndarray:
    """Return the share of members that keep the ends of each stored link together.

    Parameters
    ----------
    graph : CSR matrix of shape (n, n)
    members : list of (n,) int arrays

    Returns
    -------
    (nnz,) float array
        In the order of the matrix's data.
    """
    links = coo_array(graph)
    together = np.zeros(links.nnz, dtype=np.int32)
    for labels in members:
        together += labels[links.row] == labels[links.col]
    return together / len(members)


def confidence_of(labels: np.ndarray, members: list[np.ndarray]) -> np.ndarray:
    """Return how sure the community of each node is, from 0 to 1.

    For each member, it is the share of the nodes around a node, in that member's
    community, that are in the node's own community of the result; the mean over
    members is returned.
    """
    n, k = labels.size, int(labels.max()) + 1
    total = np.zeros(n)
    for member in members:
        pairs, at, counts = np.unique(
            member.astype(np.int64) * k + labels,
            return_inverse=True,
            return_counts=True,
        )
        sizes = np.bincount(member)
        total += (counts / sizes[pairs // k])[at.ravel()]
    return total / len(members)


def without_loops(graph: csr_array) -> csr_array:
    """Return the graph without self-links, which the Leiden program ignores."""
    if not graph.diagonal().any():
        return graph
    plain = csr_array(graph - diags_array(graph.diagonal()))
    plain.eliminate_zeros()
    return plain


def _quality(graph: csr_array, labels: np.ndarray, resolution: float) -> float:
    return modularity(graph, labels, resolution=resolution)
