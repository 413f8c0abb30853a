"""Consensus on how many core clusters the members' clusters share."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import kmeans, spectral_embedding, unit_rows
from coterie._memory import check_memory
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._linked_cut import (
    gather,
    inverse,
    linked_transfer_cut,
    overlap,
)
from coterie.ensemble import Ensemble


class _CoreJaccardConsensus(BaseConsensus):
    """Works on the graph of all clusters, joined where they overlap."""

    unit: str

    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "unit": [StrOptions({"cores", "samples"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def _multiplicities(self, ensemble: Ensemble) -> np.ndarray:
        """Return how often each core cluster counts, (u,)."""
        if self.unit == "samples":
            return ensemble.core.counts.astype(np.float64)
        return np.ones(len(ensemble.core))

    def _jaccard(self, ensemble: Ensemble) -> np.ndarray:
        """Return Z (Eqs. 23-24), (C, C): what two clusters share, of what they hold."""
        C = ensemble.n_total_clusters
        check_memory(
            4 * 8 * C * C,
            f"The overlaps of {C:,} clusters",
            None,
            "Use a method that does not need them (lwgp, sc), or fewer clusters in "
            "each member.",
        )
        shared = overlap(ensemble, self._multiplicities(ensemble))
        sizes = shared.diagonal()
        return shared / (sizes[:, None] + sizes - shared)


@fill_doc
class CoreBipartite(_CoreJaccardConsensus):
    r"""Normalised cut of the graph of core clusters and clusters.

    A core cluster is a set of samples that no member separates. It has an edge to each
    cluster that holds it, of the weight of this cluster and its member; a cluster has
    an edge to each other cluster, of their Jaccard coefficient. The graph is cut by the
    transfer cut [1]_. With the latter edges it knows which clusters belong together,
    which :class:`LWGP` must infer from the samples.

    Parameters
    ----------
    cluster_edges : bool, default=True
        Whether clusters have edges to clusters; False is :class:`LWGP` on core
        clusters.
    unit : {"cores", "samples"}, default="cores"
        Whether a core cluster counts once, or as often as it has samples.
    %(n_init)s

    Notes
    -----
    The weights of the paper are those of
    :class:`~coterie.weighting.CoreStabilityWeighter`, of members times those of
    clusters (Eq. 26). Members' weights sum to one, as in the paper, which sets how much
    the two kinds of edges count. As in the paper, clusters are placed by k-means along
    with the core clusters, so that a final cluster may hold clusters only: there are
    fewer then, with a warning. The Jaccard coefficient of a cluster with itself is one.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CoreBipartite
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> CoreBipartite().combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "core-bg"
    summary = "normalised cut of core clusters and clusters that overlap"
    cost = "time u M^2 + C^3, memory C^2"
    paper = "huang2022c2swce"
    paper_weighter = ("core-stability", {})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_CoreJaccardConsensus._parameter_constraints,
        "cluster_edges": ["boolean"],
    }

    def __init__(
        self, cluster_edges: bool = True, *, unit: str = "cores", n_init: int = 3
    ) -> None:
        self.cluster_edges = cluster_edges
        self.unit = unit
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        core = task.ensemble.core
        points, counts = self._embed(task)
        points = unit_rows(points)
        found = kmeans(
            points,
            min(task.n_clusters, points.shape[0]),
            rng=task.rng,
            n_init=self.n_init,
            sample_weight=counts,
        )
        return ConsensusResult(
            found.labels[core.index],  # the core clusters come first
            objective=found.inertia,
            n_iter=found.n_iter,
            converged=found.converged,
            details={"embedding": points[core.index]},
        )

    def _embed(self, task: Task) -> tuple[np.ndarray, np.ndarray]:
        """Return the embedding of core clusters and clusters by the transfer cut."""
        ensemble = task.ensemble
        w = task.weights.per_cluster(ensemble)  # (C,), Eq. 26
        counts = self._multiplicities(ensemble)
        Z = self._jaccard(ensemble) if self.cluster_edges else None
        rows, clusters = linked_transfer_cut(
            ensemble, w, counts, Z, task.n_clusters, task.rng
        )
        if clusters is None:
            return rows, counts
        return np.vstack([rows, clusters]), np.append(counts, np.ones(w.size))


@fill_doc
class CoreMetaClusters(_CoreJaccardConsensus):
    r"""Groups of alike clusters, among which core clusters choose.

    The clusters of all members are joined by their Jaccard coefficients and cut into
    groups (meta-clusters) by the normalised cut. A core cluster, a set of samples that
    no member separates, goes to the group of whose clusters the largest share holds it
    [1]_.

    Parameters
    ----------
    unit : {"cores", "samples"}, default="cores"
        Whether the Jaccard coefficient counts core clusters or samples.
    %(n_init)s

    Notes
    -----
    The paper's formulas (Eqs. 29-34) have no weights, although its Table 4 prints
    results with and without; so by default there are none. Weights that are given count
    in the shares. A group that no core cluster chooses is empty: fewer clusters, with a
    warning. Among equal shares the group of more clusters is chosen.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CoreMetaClusters
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> CoreMetaClusters().combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "core-mc"
    summary = "vote of core clusters among groups of clusters that overlap"
    cost = "time u M^2 + C^2 k, memory C^2"
    paper = "huang2022c2swce"

    def __init__(self, unit: str = "cores", *, n_init: int = 3) -> None:
        self.unit = unit
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        Z = self._jaccard(ensemble)  # Eq. 30
        n_groups = min(task.n_clusters, Z.shape[0])
        U = spectral_embedding(Z, n_groups, rng=task.rng, dtype=np.float64)
        found = kmeans(
            unit_rows(U), n_groups, rng=task.rng, n_init=self.n_init
        )  # Eq. 31
        belongs = np.eye(n_groups)[found.labels]  # (C, groups)
        w = task.weights.per_cluster(ensemble)[:, None]
        shares = gather(ensemble, w * belongs * inverse(w.T @ belongs))  # Eq. 33
        largest = shares >= shares.max(axis=1, keepdims=True) * (1 - 1e-9)
        chosen = np.where(largest, belongs.sum(axis=0), 0).argmax(axis=1)  # Eq. 34
        return ConsensusResult(
            chosen[ensemble.core.index],
            objective=found.inertia,
            n_iter=found.n_iter,
            converged=found.converged,
            details={"meta_clusters": found.labels},
        )
