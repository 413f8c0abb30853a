"""Consensus of clusters that each have their own feature weights."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import weighted_sqdist
from coterie._memory import check_memory
from coterie.consensus._base import Task
from coterie.consensus._partitioning import (
    BipartitePartitioning,
    Similarity,
    SimilarityPartitioning,
)
from coterie.consensus._weighted_objects import (
    checked_data,
    mean_cosine,
    weighted_centers,
)
from coterie.ensemble import Ensemble


@fill_doc
class WSPA(SimilarityPartitioning):
    r"""Weighted similarity partitioning, for clusters with feature weights.

    With :math:`d_{il}` the distance of sample i to the centre of cluster l under that
    cluster's feature weights, and :math:`D_i` the largest of a member,

    .. math:: P_{il} = \frac{D_i - d_{il} + 1}{k D_i + k - \sum_l d_{il}},

    the similarity of samples is the cosine of their :math:`P_i`, averaged over the
    members, and its graph is partitioned into parts of equal size [1]_. Made for the
    members of :class:`~coterie.generation.LocallyAdaptiveKMeans`.

    Parameters
    ----------
    %(n_neighbors)s
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    Members without feature weights weight all features equally; members without centres
    (made from labels only) use the cluster means of X.

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
    summary = "partitions the samples by proximity to locally weighted centres"
    cost = "time N^2 C, memory N^2; memory linear beyond N = 5,000"
    paper = "domeniconi2009wce"
    needs_X: ClassVar[bool] = True

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

    def _similarity(self, task: Task) -> Similarity:
        P = cluster_likelihoods(task.ensemble, task.X, "WSPA")
        return mean_cosine(P, task.ensemble.offsets)


@fill_doc
class WBPA(BipartitePartitioning):
    r"""Weighted bipartite partitioning, for clusters with feature weights.

    The bipartite graph of samples and clusters, weighted by the :math:`P_{il}` of
    :class:`WSPA`, is partitioned into parts of equal size [1]_. It has N times C edges;
    :class:`WSPA` has N squared.

    Parameters
    ----------
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    See :class:`WSPA`.

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
    summary = "partitions the graph of samples and locally weighted clusters"
    cost = "time N C D, memory N C"
    paper = "domeniconi2009wce"
    needs_X: ClassVar[bool] = True

    def __init__(self, *, imbalance: float = 0.001, backend: str = "auto") -> None:
        self.imbalance = imbalance
        self.backend = backend

    def _edges(self, task: Task) -> np.ndarray:
        return cluster_likelihoods(task.ensemble, task.X, "WBPA")


def cluster_likelihoods(ensemble: Ensemble, X: Any, who: str) -> np.ndarray:
    """Return the likelihood of each cluster for each sample, (N, C); rows sum to M.

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
    advice = "Use MCLA or HBGF, which need only labels, or fewer members."
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
