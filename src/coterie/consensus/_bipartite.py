"""Consensus by partitioning the bipartite graph of samples and clusters."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import ConsensusResult, Task
from coterie.consensus._by_blocks import combine_by_rule, cut_rule
from coterie.consensus._embedding import EmbeddingConsensus, membership_embedding
from coterie.consensus._linked_cut import linked_transfer_cut
from coterie.consensus._links import connected_triples
from coterie.consensus._partitioning import (
    GraphPartitioning,
    bipartite_graph,
    partition_result,
)
from coterie.consensus._products import check_cluster_memory, jaccard


class _BipartiteConsensus(EmbeddingConsensus):
    """Embedding by the transfer cut of the bipartite graph."""

    def _embed(self, task: Task) -> np.ndarray:
        return membership_embedding(task)

    def _combine_blocks(self, task: Task) -> ConsensusResult:
        return combine_by_rule(cut_rule(task, self.n_init), task)


@fill_doc
class HBGF(_BipartiteConsensus, GraphPartitioning):
    """Hybrid bipartite graph formulation.

    Samples and clusters are the two sides of a graph with an edge for each membership;
    the graph is partitioned with a small normalised cut, or with a small cut into parts
    of equal size [1]_. Time and memory are linear in the number of samples: the choice
    for large data.

    Parameters
    ----------
    %(n_init)s
    partition : {"spectral", "metis"}, default="spectral"
        How to partition the graph: "spectral" for a small normalised cut, "metis" for
        parts of equal size.
    imbalance : float, default=0.03
        For "metis": how much larger than the mean a part may be.
    backend : {"auto", "metis", "mtkahypar"}, default="auto"
        For "metis": the library that partitions the graph; "auto" is METIS if
        installed, otherwise Mt-KaHyPar (``pip install mtkahypar``).

    Notes
    -----
    Spectral: the transfer cut gives the eigenvectors of the bipartite graph exactly;
    k-means runs on the samples only, while the paper also places the clusters. METIS:
    as in the paper, samples and clusters each count one when parts are balanced.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import HBGF
    >>> HBGF().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "hbgf"
    summary = "normalised cut of the graph of samples and clusters"
    cost = "time N M^2 or N M k, memory N M"
    paper = "fern2004hbgf"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EmbeddingConsensus._parameter_constraints,
        **GraphPartitioning._parameter_constraints,
        "partition": [StrOptions({"spectral", "metis"})],
    }

    def __init__(
        self,
        n_init: int = 3,
        *,
        partition: str = "spectral",
        imbalance: float = 0.03,
        backend: str = "auto",
    ) -> None:
        super().__init__(n_init)
        self.partition = partition
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        if self.partition == "spectral":
            return super()._combine(task)
        B = ensemble.incidence() * task.weights.per_cluster(ensemble)[None, :]  # (N, C)
        found = self._partition(bipartite_graph(B.tocsr()), task)
        return partition_result(self, task, found, found.labels[: ensemble.n_samples])

    def _combine_blocks(self, task: Task) -> ConsensusResult:
        if self.partition == "spectral":
            return super()._combine_blocks(task)
        return self._combine(task)


@fill_doc
class LWGP(_BipartiteConsensus):
    """Locally weighted graph partitioning.

    :class:`HBGF` in which an edge to a cluster has the cluster's weight [1]_. Time and
    memory are linear in the number of samples.

    Parameters
    ----------
    %(n_init)s

    Notes
    -----
    The paper uses the weights of :class:`~coterie.weighting.EntropyWeighter`;
    ``coterie.combine(consensus="lwgp")`` computes them, while this class uses the
    weights it is given.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import LWGP
    >>> from coterie.weighting import EntropyWeighter
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> weights = EntropyWeighter().weigh(ensemble)
    >>> LWGP().combine(ensemble, 2, weights=weights, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "lwgp"
    summary = "normalised cut of samples and clusters, weighted by entropy"
    cost = "time N M^2 or N M k, memory N M"
    paper = "huang2018lwe"
    group = "reason"
    take_if = "as lwea, for more than 20,000 samples"
    paper_weighter = ("entropy", {})
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})


@fill_doc
class GPMGLA(EmbeddingConsensus):
    r"""Graph partitioning with multi-granularity link analysis.

    :class:`HBGF` with two more kinds of information [1]_. An edge from a sample to a
    cluster has the member's weight :math:`I_m` times a factor :math:`\alpha`. There are
    also edges between clusters, based on the clusters that overlap with both: with the
    Jaccard coefficients w (:math:`w_{aa} = 1`) and the member m(c) of cluster c,

    .. math:: \mathrm{SACT}_{ab} = \sum_c I_{m(c)} \min(w_{ac}, w_{bc})

    divided by its largest value. Time and memory are linear in the number of samples,
    and cubic and quadratic in the number of clusters.

    Parameters
    ----------
    %(n_init)s
    alpha : float, default=0.5
        Weight of edges between samples and clusters relative to those between clusters.

    Notes
    -----
    The paper uses the weights of :class:`~coterie.weighting.AgreementWeighter` with
    ``measure="nmi_max"`` and ``power=2``; ``coterie.combine(consensus="gp-mgla")``
    computes them, while this class uses the weights it is given, divided by the
    largest. The final k-means places only samples, as in the authors' program.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import GPMGLA
    >>> GPMGLA().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "gp-mgla"
    summary = "normalised cut of samples and clusters, with links between clusters"
    cost = "time N M^2 + C^3, memory N M + C^2"
    paper = "huang2015crowd"
    paper_weighter = ("agreement", {"measure": "nmi_max", "power": 2.0})
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EmbeddingConsensus._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, n_init: int = 3, *, alpha: float = 0.5) -> None:
        super().__init__(n_init)
        self.alpha = alpha

    def _embed(self, task: Task) -> np.ndarray:
        ensemble = task.ensemble
        check_cluster_memory(ensemble, 6)
        w = task.weights.per_cluster(ensemble)
        w = w / w.max()  # of each cluster's member, (C,)
        J = jaccard(ensemble)
        np.fill_diagonal(J, 1.0)
        Z = connected_triples(ensemble, J, w, within=False)
        Z /= Z.max()
        np.fill_diagonal(Z, 1.0)
        counts = ensemble.core.counts.astype(np.float64)
        return linked_transfer_cut(task, self.alpha * w, counts, Z)[0]
