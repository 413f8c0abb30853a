"""Consensus from the core clusters that the members' clusters share."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._embedding import (
    cluster_directions,
    kmeans_result,
    meta_clusters,
)
from coterie.consensus._linked_cut import linked_transfer_cut
from coterie.consensus._products import check_cluster_memory, gather, inverse, jaccard
from coterie.ensemble import Ensemble


class _CoreJaccardConsensus(BaseConsensus):
    """Works on the graph of all clusters, with edges where they overlap."""

    unit: str

    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "unit": [StrOptions({"cores", "samples"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def _multiplicities(self, ensemble: Ensemble) -> np.ndarray:
        """Return the multiplicity of each core cluster, (u,)."""
        if self.unit == "samples":
            return ensemble.core.counts.astype(np.float64)
        return np.ones(len(ensemble.core))

    def _jaccard(self, ensemble: Ensemble) -> np.ndarray:
        """Return the Jaccard coefficients Z of all clusters (Eqs. 23-24), (C, C)."""
        check_cluster_memory(ensemble, 4)
        Z = jaccard(ensemble, self._multiplicities(ensemble))
        np.fill_diagonal(Z, 1.0)
        return Z


@fill_doc
class CoreBipartite(_CoreJaccardConsensus):
    r"""Normalised cut of the graph of core clusters and clusters.

    A core cluster is a set of samples that no member separates. It has an edge to each
    cluster that contains it, weighted by that cluster and its member; any two clusters
    have an edge weighted by their Jaccard coefficient. The graph is partitioned by the
    transfer cut [1]_. The edges between clusters show which clusters belong together;
    :class:`LWGP` must infer it from the samples.

    Parameters
    ----------
    cluster_edges : bool, default=True
        Whether there are edges between clusters; False is :class:`LWGP` on core
        clusters.
    unit : {"cores", "samples"}, default="cores"
        Whether a core cluster counts once, or once for each of its samples.
    %(n_init)s

    Notes
    -----
    The paper uses the weights of :class:`~coterie.weighting.CoreStabilityWeighter`, of
    members times those of clusters (Eq. 26). Members' weights sum to one, as in the
    paper, which sets the balance between the two kinds of edges. As in the paper,
    k-means places clusters along with the core clusters, so a final cluster may contain
    no samples: the result then has fewer clusters, with a warning. The Jaccard
    coefficient of a cluster with itself is one.

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
    summary = "normalised cut of the graph of core clusters and clusters"
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
        ensemble = task.ensemble
        w = task.weights.per_cluster(ensemble)  # (C,), Eq. 26
        counts = self._multiplicities(ensemble)
        Z = self._jaccard(ensemble) if self.cluster_edges else None
        points, clusters = linked_transfer_cut(task, w, counts, Z)
        if clusters is not None:
            points = np.vstack([points, clusters])
            counts = np.append(counts, np.ones(w.size))
        return cluster_directions(points, task, self.n_init, counts)


@fill_doc
class CoreMetaClusters(_CoreJaccardConsensus):
    r"""Groups of similar clusters, one of which each core cluster joins.

    The graph of all members' clusters, weighted by their Jaccard coefficients, is
    partitioned into groups (meta-clusters) by the normalised cut. A core cluster, a set
    of samples that no member separates, joins the group in which the largest share of
    clusters contains it [1]_.

    Parameters
    ----------
    unit : {"cores", "samples"}, default="cores"
        Whether the Jaccard coefficient counts core clusters or samples.
    %(n_init)s

    Notes
    -----
    The paper's formulas (Eqs. 29-34) have no weights, although its Table 4 prints
    results with and without; the default is none. Weights, if given, count in the
    shares. A group that no core cluster joins is empty: the result has fewer clusters,
    with a warning. Ties go to the group with more clusters.

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
    summary = "groups overlapping clusters, then core clusters vote"
    cost = "time u M^2 + C^2 k, memory C^2"
    paper = "huang2022c2swce"

    def __init__(self, unit: str = "cores", *, n_init: int = 3) -> None:
        self.unit = unit
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        found = meta_clusters(self._jaccard(ensemble), task, self.n_init)  # Eqs. 30, 31
        belongs = np.eye(len(found.centers))[found.labels]  # (C, groups)
        w = task.weights.per_cluster(ensemble)[:, None]
        shares = gather(ensemble, w * belongs * inverse(w.T @ belongs))  # Eq. 33
        largest = shares >= shares.max(axis=1, keepdims=True) * (1 - 1e-9)
        chosen = np.where(largest, belongs.sum(axis=0), 0).argmax(axis=1)  # Eq. 34
        index = ensemble.core.index
        return kmeans_result(found, chosen[index], meta_clusters=found.labels)
