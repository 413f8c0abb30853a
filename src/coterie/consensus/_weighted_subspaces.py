"""Consensus of clusters that weigh the features each in its own way."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import weighted_sqdist
from coterie._linalg._partition import available_backend
from coterie._memory import check_memory
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._partitioning import BACKEND, IMBALANCE, N_NEIGHBORS
from coterie.consensus._weighted_objects import (
    checked_data,
    cut_bipartite,
    cut_by_cosine,
    unit_descriptions,
    weighted_centers,
)
from coterie.ensemble import Ensemble


@fill_doc
class WSPA(BaseConsensus):
    r"""Weighted similarity partitioning, for clusters with weights of features.

    With :math:`d_{il}` the distance of sample i to the centre of cluster l, each
    feature counting as it does in that cluster, and :math:`D_i` the largest of a
    member,

    .. math:: P_{il} = \frac{D_i - d_{il} + 1}{k D_i + k - \sum_l d_{il}},

    samples are alike by the cosine of their :math:`P_i`, averaged over the members, and
    the graph of that is cut into parts of equal size [1]_. Made for the members of
    :class:`~coterie.generation.LocallyAdaptiveKMeans`.

    Parameters
    ----------
    %(n_neighbors)s
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    Members without weights of features weigh them alike; members without centres (made
    of labels only) have the means of X in their clusters.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import WSPA
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> WSPA().combine(ensemble, 2, X=[[0.0], [1.0], [5.0], [6.0]], seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "wspa"
    summary = "graph of nearness to centres in their own metrics, equal parts"
    cost = "time N^2 C, memory N^2; memory linear beyond N = 5,000"
    paper = "domeniconi2009wce"
    needs_X: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neighbors": N_NEIGHBORS,
        "imbalance": IMBALANCE,
        "backend": BACKEND,
    }

    def __init__(
        self,
        n_neighbors: Any = "auto",
        *,
        imbalance: float = 0.001,
        backend: str = "auto",
    ) -> None:
        self.n_neighbors = n_neighbors
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        backend = available_backend(self.backend)
        P = cluster_likelihoods(task.ensemble, task.X, "WSPA")
        Q = unit_descriptions(P, task.ensemble.offsets).astype(np.float32)
        del P
        return cut_by_cosine(
            Q, task.n_clusters, self.n_neighbors, self.imbalance, backend, task.rng
        )


@fill_doc
class WBPA(BaseConsensus):
    r"""Weighted bipartite partitioning, for clusters with weights of features.

    The bipartite graph of samples and clusters with the :math:`P_{il}` of :class:`WSPA`
    on its edges is cut into parts of equal size [1]_. N times C edges, where
    :class:`WSPA` has N squared.

    Parameters
    ----------
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    Those of :class:`WSPA`.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import WBPA
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> WBPA().combine(ensemble, 2, X=[[0.0], [1.0], [5.0], [6.0]], seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "wbpa"
    summary = "graph of samples and clusters, near in their own metrics, equal parts"
    cost = "time N C D, memory N C"
    paper = "domeniconi2009wce"
    needs_X: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "imbalance": IMBALANCE,
        "backend": BACKEND,
    }

    def __init__(self, *, imbalance: float = 0.001, backend: str = "auto") -> None:
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        P = cluster_likelihoods(task.ensemble, task.X, "WBPA")
        return cut_bipartite(P, task.n_clusters, self.imbalance, self.backend, task.rng)


def cluster_likelihoods(ensemble: Ensemble, X: Any, who: str) -> np.ndarray:
    """Return how likely each cluster is for each sample, (N, C); rows sum to M.

    Parameters
    ----------
    ensemble : Ensemble
    X : (N, D) array or CSR matrix
    who : str
        Named in errors.
    """
    X = checked_data(X, ensemble, who)
    N, C = ensemble.n_samples, ensemble.n_total_clusters
    what = f"{who}: the likelihoods of {C:,} clusters for {N:,} samples"
    advice = "Use MCLA or HBGF, which need labels only, or fewer members."
    check_memory(16 * N * C, what, None, advice)
    P = np.empty((N, C))
    for j, member in enumerate(ensemble.members):
        own = slice(ensemble.offsets[j], ensemble.offsets[j + 1])
        view, centers = member.view(X), member.centers
        if centers is None:
            centers = weighted_centers(ensemble.subset([j]), np.ones(N), view)
        weights = member.feature_weights
        if weights is None:
            weights = np.full(centers.shape, 1.0 / centers.shape[1])
        d = np.sqrt(weighted_sqdist(view, centers, weights))  # (N, k)
        near = d.max(axis=1, keepdims=True) - d + 1.0
        P[:, own] = near / near.sum(axis=1, keepdims=True)
    return P
