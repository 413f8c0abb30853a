"""Consensus by balanced partitions of graphs: CSPA, MCLA and HGPA."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import block_array, csr_array

from coterie._docs import fill_doc
from coterie._linalg import Partition, partition_graph, partition_hypergraph
from coterie._linalg._partition import available_backend
from coterie._linalg._strongest import n_kept, strongest_graph
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.ensemble import Ensemble
from coterie.ensemble._coassociation import coassociation_rows

IMBALANCE = [Interval(Real, 0, None, closed="left")]
BACKEND = [StrOptions({"auto", "metis", "mtkahypar"})]
N_NEIGHBORS = [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None]


@fill_doc
class CSPA(BaseConsensus):
    """Cluster-based similarity partitioning.

    The graph of how often samples go together is cut into parts of equal size, so that
    little similarity is cut [1]_. For clusters of similar size; :class:`EAC` and
    :class:`CoassociationSpectral` take the same graph without that constraint.

    Parameters
    ----------
    %(n_neighbors)s
    %(imbalance)s
    %(backend)s

    Notes
    -----
    Parts are of equal size even where that separates samples of the same label row.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CSPA
    >>> CSPA().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "cspa"
    summary = "graph of how often samples go together, cut into equal parts"
    cost = "time N^2, memory N^2; memory linear beyond N = 5,000"
    paper = "strehl2002"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neighbors": N_NEIGHBORS,
        "imbalance": IMBALANCE,
        "backend": BACKEND,
    }

    def __init__(
        self,
        n_neighbors: Any = "auto",
        *,
        imbalance: float = 0.03,
        backend: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        N = ensemble.n_samples
        backend = available_backend(self.backend)
        kept = n_kept(N, self.n_neighbors, backend)
        rows = coassociation_rows(ensemble, task.weights, ensemble.labels)
        index = ensemble.core.index
        found = partition_graph(
            strongest_graph(lambda i, j: rows(i, j)[:, index], N, kept),
            task.n_clusters,
            rng=task.rng,
            imbalance=self.imbalance,
            backend=backend,
        )
        return partition_result(found, found.labels)


@fill_doc
class MCLA(BaseConsensus):
    r"""Meta-clustering: clusters of all members are clustered, then samples choose.

    The graph of all clusters, with the Jaccard index

    .. math:: S_{ab} = |C_a \cap C_b| \, / \, |C_a \cup C_b|

    on its edges, is cut into k meta-clusters of equal size; a sample goes to the one in
    which it is in the largest share of the clusters [1]_. Cheap: the graph has a vertex
    for each cluster, not for each sample.

    Parameters
    ----------
    %(imbalance)s
    %(backend)s

    Notes
    -----
    A cluster weighs as many samples as it has when meta-clusters are balanced, as in
    the paper. Ties are broken at random, the same way for samples of the same label
    row. A meta-cluster that no sample prefers is empty: there may be fewer clusters
    than asked for.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import MCLA
    >>> MCLA().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "mcla"
    summary = "clusters of clusters of equal size, then samples choose"
    cost = "time N M^2, memory C^2"
    paper = "strehl2002"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "imbalance": IMBALANCE,
        "backend": BACKEND,
    }

    def __init__(self, *, imbalance: float = 0.03, backend: str = "auto") -> None:
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        S = jaccard(ensemble, np.ones(ensemble.n_samples))
        found = partition_graph(
            S,
            task.n_clusters,
            rng=task.rng,
            vertex_weights=ensemble.cluster_sizes,
            imbalance=self.imbalance,
            backend=self.backend,
        )
        labels = strongest_participation(
            ensemble, found.labels, task.n_clusters, task.rng
        )
        return partition_result(found, labels)


@fill_doc
class HGPA(BaseConsensus):
    """Hypergraph partitioning.

    Samples are vertices, each cluster of each member is a hyperedge that holds its
    samples; the vertices are cut into parts of equal size so that few hyperedges are
    cut [1]_. Linear in time and memory.

    Parameters
    ----------
    imbalance : float, default=0.05
        How much larger than the mean a cluster may be.

    Notes
    -----
    The hypergraph is cut by Mt-KaHyPar (``pip install mtkahypar``), which
    charges a hyperedge for each further part that it touches; the paper uses hMETIS,
    which charges it once. Samples of the same label row are one vertex, with their
    number as its weight, and are never separated. Where members err at random, nearly
    every cluster touches every part anyway, and the objective says little:
    :class:`MCLA` and :class:`HBGF` stand much more noise.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import HGPA
    >>> HGPA().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "hgpa"
    summary = "hypergraph of clusters, cut into equal parts"
    cost = "time N M, memory N M"
    paper = "strehl2002"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {"imbalance": IMBALANCE}

    def __init__(self, imbalance: float = 0.05) -> None:
        self.imbalance = imbalance

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        core = ensemble.core
        _, first = np.unique(core.index, return_index=True)
        found = partition_hypergraph(
            ensemble.incidence()[first],
            task.n_clusters,
            rng=task.rng,
            edge_weights=task.weights.per_cluster(ensemble),
            vertex_weights=core.counts,
            imbalance=self.imbalance,
        )
        return partition_result(found, found.labels[core.index])


def partition_result(found: Partition, labels: np.ndarray) -> ConsensusResult:
    """Return the labels, with the cut as the objective and the balance beside it."""
    return ConsensusResult(
        labels, objective=found.cut, details={"balance": np.array(found.balance)}
    )


def bipartite_graph(P: csr_array) -> csr_array:
    """Return the graph of n rows and c columns, (n + c, n + c)."""
    return csr_array(block_array([[None, P], [P.T, None]], format="csr"))


def jaccard(ensemble: Ensemble, samples: np.ndarray) -> np.ndarray:
    """Return the weighted Jaccard index of each two clusters, (C, C), diagonal zero."""
    from coterie._kernels._tables import overlap

    core = ensemble.core
    C = ensemble.n_total_clusters
    on_rows = np.bincount(core.index, samples, minlength=len(core))
    both = np.zeros((C, C))
    overlap(core.columns, ensemble.offsets, on_rows, both)
    own = both.diagonal().copy()
    either = own[:, None] + own - both
    S = np.divide(both, either, out=both, where=either > 0)  # Eq. 5 of WOEC
    np.fill_diagonal(S, 0.0)
    return S


def strongest_participation(
    ensemble: Ensemble, meta: np.ndarray, n_clusters: int, rng: np.random.Generator
) -> np.ndarray:
    """Return for each sample the meta-cluster that holds it in most of its clusters.

    Parameters
    ----------
    ensemble : Ensemble
    meta : (C,) int array
        The meta-cluster of each cluster.
    n_clusters : int
    rng : numpy.random.Generator
        Breaks ties.
    """
    from coterie._kernels._incidence import gather

    sizes = np.bincount(meta, minlength=n_clusters)
    share = np.zeros((meta.size, n_clusters))
    share[np.arange(meta.size), meta] = 1.0 / sizes[meta]
    rows = ensemble.core.rows
    votes = np.empty((rows.shape[0], n_clusters))
    gather(rows, ensemble.offsets, share, votes)
    best = votes >= votes.max(axis=1, keepdims=True) * (1.0 - 1e-12)
    chosen = np.where(best, rng.random(votes.shape), -1.0).argmax(axis=1)
    return chosen[ensemble.core.index]
