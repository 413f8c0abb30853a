"""Consensus by balanced partitioning of graphs: CSPA, MCLA and HGPA."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import block_array, csr_array

from coterie._docs import fill_doc
from coterie._linalg import Partition, partition_graph, partition_hypergraph
from coterie._linalg._partition import available_backend
from coterie._linalg._strongest import n_kept, strongest_graph
from coterie._memory import check_memory
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._products import gather, jaccard
from coterie.consensus._sizes import warn_of_balance
from coterie.ensemble._coassociation import coassociation_rows

_ENTRY_BYTES = 52  # of the graph, its mirror image and METIS's copies; measured
IMBALANCE = [Interval(Real, 0, None, closed="left")]
BACKEND = [StrOptions({"auto", "metis", "mtkahypar"})]
N_NEIGHBORS = [Interval(Integral, 1, None, closed="left"), StrOptions({"auto"}), None]
Similarity = Callable[[int, int], np.ndarray]  # rows from start to stop, (n, N)


class GraphPartitioning(BaseConsensus):
    """Partitions a graph into parts of equal size."""

    imbalance: float
    backend: str
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "imbalance": IMBALANCE,
        "backend": BACKEND,
    }

    def _partition(self, graph: Any, task: Task, sizes: Any = None) -> Partition:
        return partition_graph(
            graph,
            task.n_clusters,
            rng=task.rng,
            vertex_weights=sizes,
            imbalance=self.imbalance,
            backend=self.backend,
        )


class SimilarityPartitioning(GraphPartitioning):
    """Partitions the graph of the samples, weighted by a similarity of them."""

    n_neighbors: Any
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neighbors": N_NEIGHBORS,
        **GraphPartitioning._parameter_constraints,
    }

    def _combine(self, task: Task) -> ConsensusResult:
        N = task.ensemble.n_samples
        kept = n_kept(N, self.n_neighbors, available_backend(self.backend))
        check_memory(
            _ENTRY_BYTES * N * (kept or N),
            f"{type(self).__name__}: the graph of {N:,} samples",
            None,
            "Set a smaller n_neighbors, use lwgp or hbgf, or raise memory_limit.",
        )
        found = self._partition(strongest_graph(self._similarity(task), N, kept), task)
        return partition_result(self, task, found, found.labels)

    def _similarity(self, task: Task) -> Similarity:
        raise NotImplementedError(f"{type(self).__name__} must implement _similarity.")


class BipartitePartitioning(GraphPartitioning):
    """Partitions the graph of samples and clusters, weighted by ``_edges``, (N, C)."""

    def _combine(self, task: Task) -> ConsensusResult:
        P = csr_array(self._edges(task).astype(np.float32))
        found = self._partition(bipartite_graph(P), task)
        return partition_result(self, task, found, found.labels[: P.shape[0]])

    def _edges(self, task: Task) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must implement _edges.")


@fill_doc
class CSPA(SimilarityPartitioning):
    """Cluster-based similarity partitioning.

    The co-association graph of the samples is partitioned into parts of equal size with
    a small cut [1]_. For clusters of similar size; :class:`EAC` and
    :class:`CoassociationSpectral` use the same graph without that constraint.

    Parameters
    ----------
    %(n_neighbors)s
    %(imbalance)s
    %(backend)s

    Notes
    -----
    Parts have equal size even if that separates samples with the same label row.

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
    summary = "partitions the co-association graph into parts of equal size"
    cost = "time N^2, memory N^2; memory linear beyond N = 5,000"
    paper = "strehl2002"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})

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

    def _similarity(self, task: Task) -> Similarity:
        ensemble, index = task.ensemble, task.ensemble.core.index
        rows = coassociation_rows(ensemble, task.weights, ensemble.labels)
        return lambda start, stop: rows(start, stop)[:, index]


@fill_doc
class MCLA(GraphPartitioning):
    r"""Meta-clustering: group the clusters of all members, then assign the samples.

    The graph of all clusters, weighted by the Jaccard index

    .. math:: S_{ab} = |C_a \cap C_b| \, / \, |C_a \cup C_b|,

    is partitioned into k meta-clusters of equal size; a sample joins the one in which
    the largest share of clusters contains it [1]_. Cheap: the graph has a vertex for
    each cluster, not for each sample.

    Parameters
    ----------
    %(imbalance)s
    %(backend)s

    Notes
    -----
    As in the paper, a cluster counts by its number of samples when meta-clusters are
    balanced. Ties are broken at random, the same way for samples with the same label
    row. A meta-cluster that no sample joins is empty: there may be fewer clusters than
    asked for.

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
    summary = "groups clusters into meta-clusters of equal size, then samples vote"
    cost = "time N M^2, memory C^2"
    paper = "strehl2002"

    def __init__(self, *, imbalance: float = 0.03, backend: str = "auto") -> None:
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        sizes = task.ensemble.cluster_sizes
        found = self._partition(self._similarity(task), task, sizes)
        labels = strongest_participation(task, found.labels)
        return partition_result(self, task, found, labels)

    def _similarity(self, task: Task) -> np.ndarray:
        """Return the Jaccard index of all clusters, (C, C)."""
        core, w = task.ensemble.core, task.weights.samples
        on_rows = None if w is None else np.bincount(core.index, w, minlength=len(core))
        return jaccard(task.ensemble, on_rows)


@fill_doc
class HGPA(BaseConsensus):
    """Hypergraph partitioning.

    Samples are vertices, and each cluster of each member is a hyperedge that contains
    its samples; the vertices are partitioned into parts of equal size so that few
    hyperedges are cut [1]_. Linear in time and memory.

    Parameters
    ----------
    imbalance : float, default=0.05
        How much larger than the mean a cluster may be.

    Notes
    -----
    The hypergraph is partitioned by Mt-KaHyPar (``pip install mtkahypar``), which
    charges a hyperedge for each further part that it touches; the paper uses hMETIS,
    which charges it once. Samples with the same label row are one vertex, weighted by
    their number, and are never separated. If members err at random, nearly every
    cluster touches every part anyway, and the objective says little: :class:`MCLA` and
    :class:`HBGF` tolerate much more noise.

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
    summary = "partitions the hypergraph of clusters into parts of equal size"
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
        return partition_result(self, task, found, found.labels[core.index])


def partition_result(
    consensus: Any, task: Task, found: Partition, labels: np.ndarray
) -> ConsensusResult:
    """Return the labels, with the cut as the objective and the balance as a detail.

    Warns if the members speak against equal sizes.
    """
    warn_of_balance(consensus, task, labels)
    return ConsensusResult(
        labels, objective=found.cut, details={"balance": np.array(found.balance)}
    )


def bipartite_graph(P: csr_array) -> csr_array:
    """Return the graph of n rows and c columns, (n + c, n + c)."""
    return csr_array(block_array([[None, P], [P.T, None]], format="csr"))


def strongest_participation(task: Task, meta: np.ndarray) -> np.ndarray:
    """Return each sample's meta-cluster, in which most clusters contain it.

    Parameters
    ----------
    task : Task
        Its random numbers break ties.
    meta : (C,) int array
        The meta-cluster of each cluster.
    """
    share = np.zeros((meta.size, task.n_clusters))
    share[np.arange(meta.size), meta] = 1.0 / np.bincount(meta)[meta]
    votes = gather(task.ensemble, share)
    best = votes >= votes.max(axis=1, keepdims=True) * (1.0 - 1e-12)
    chosen = np.where(best, task.rng.random(votes.shape), -1.0).argmax(axis=1)
    return chosen[task.ensemble.core.index]
