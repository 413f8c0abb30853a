"""Consensus from the similarity of core clusters, which uses the data."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import squareform

from coterie._docs import fill_doc
from coterie._linalg import spectral_embedding
from coterie._memory import check_memory
from coterie._validation import StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._embedding import EmbeddingConsensus
from coterie.consensus._linkage import cut_core_tree
from coterie.consensus._products import dense_coassociation
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._core_distances import METRICS, core_distances


class _CoreSimilarityConsensus(BaseConsensus):
    """Works on the weighted similarity matrix of the core clusters."""

    similarity: str
    metric: str
    scale: str | None
    unit: str

    clusters_rows: ClassVar[bool] = True
    needs_X: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "similarity": [StrOptions({"exponential", "distance", "membership"})],
        "metric": [StrOptions(set(METRICS))],
        "scale": [StrOptions({"mean"}), None],
        "unit": [StrOptions({"cores", "samples"})],
    }

    def check_inputs(self, weights: frozenset[str], X: Any) -> None:
        """Raise if weights of these kinds would be ignored, or if X is missing."""
        if self.similarity == "membership" and X is None:
            X = ()  # not used
        super().check_inputs(weights, X)

    def _similarities(self, task: Task) -> np.ndarray:
        """Return A (Eq. 16), (u, u), without the factor 1 / k, which has no effect.

        The diagonal holds the similarity of two samples in the same core cluster.
        """
        ensemble, weights = task.ensemble, task.weights
        u = len(ensemble.core)
        check_memory(
            8 * u * u,
            f"The similarities of {u:,} core clusters",
            None,
            "Use a method that does not need them (core-bg, core-mc), or raise the "
            "limit.",
        )
        if self.similarity == "membership":
            return dense_coassociation(ensemble, weights, np.float32)
        A = np.zeros((u, u), dtype=np.float32)
        cluster_weights = weights.per_cluster(ensemble)
        scaled, who = self.scale is not None, type(self).__name__
        for one in core_distances(
            ensemble, task.X, self.metric, scaled=scaled, who=who
        ):
            S = one.distances
            if self.similarity == "exponential":
                S = np.exp(-S)
            w = cluster_weights[one.cluster]
            A[np.ix_(one.cores, one.cores)] += w * S  # Eq. 15
        if ensemble.has_missing:
            A /= np.maximum(_presence(ensemble, weights), np.finfo(np.float32).tiny)
        return A


def _presence(ensemble: Ensemble, weights: Weights) -> np.ndarray:
    """Return the (weighted) share of members that assign both core clusters, (u, u)."""
    M = ensemble.n_members
    members = np.ones(M) if weights.members is None else weights.members
    present = (ensemble.core.rows >= 0).astype(np.float32)
    return present * (members / members.sum()).astype(np.float32) @ present.T


@fill_doc
class CoreLinkage(_CoreSimilarityConsensus):
    r"""Average linkage of core clusters.

    A core cluster is a set of samples that no member separates. Two core clusters are
    similar if members put them together, and more so the closer they are in the
    features that the member saw:

    .. math:: A_{ab} = \sum_{m=1}^{M} w_m \, [c_m(a) = c_m(b)] \,
        \exp(-\mathrm{CCS}_m(o_a, o_b)),

    with the members' weights :math:`w_m` and the mean distance CCS between the samples
    of the two [1]_. Prefer :class:`LWEA` if there are only labels, or many members:
    memory is quadratic in the number of core clusters.

    Parameters
    ----------
    %(core_similarity)s
    unit : {"cores", "samples"}, default="cores"
        Whether a core cluster counts once in the averages, or once for each of its
        samples.

    Notes
    -----
    %(core_similarity_notes)s

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CoreLinkage
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> CoreLinkage().combine(ensemble, 2, X=X).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "core-hc"
    summary = "average linkage of core clusters, weighted by distance"
    cost = "time M N^2 D / K + u^2, memory u^2"
    paper = "huang2022c2swce"
    paper_weighter = ("core-stability", {"levels": "members"})

    def __init__(
        self,
        similarity: str = "exponential",
        *,
        metric: str = "euclidean",
        scale: str | None = "mean",
        unit: str = "cores",
    ) -> None:
        self.similarity = similarity
        self.metric = metric
        self.scale = scale
        self.unit = unit

    def _combine(self, task: Task) -> ConsensusResult:
        S = squareform(self._similarities(task), checks=False)
        sizes = task.ensemble.core.counts if self.unit == "samples" else None
        return cut_core_tree(task, S, "average", max(1.0, S.max()), sizes)  # Eq. 18


@fill_doc
class CoreSpectral(_CoreSimilarityConsensus, EmbeddingConsensus):
    r"""Spectral clustering of core clusters.

    The eigenvectors of the smallest eigenvalues of :math:`I - D^{-1/2} A D^{-1/2}`,
    rows scaled to unit length, then k-means, with the similarities A of
    :class:`CoreLinkage` [1]_. Prefer :class:`CoassociationSpectral` if there are only
    labels, or many members: memory is quadratic in the number of core clusters.

    Parameters
    ----------
    %(core_similarity)s
    unit : {"cores", "samples"}, default="cores"
        Whether a core cluster counts once in D and in k-means, as in the paper, or once
        for each of its samples.
    %(n_init)s

    Notes
    -----
    %(core_similarity_notes)s

    *Unit.* With ``unit="samples"`` the graph is that of the samples, in which two
    samples have the similarity of their core clusters; it is still solved on the core
    clusters. This is better on some of the paper's data and worse on others.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CoreSpectral
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> CoreSpectral().combine(ensemble, 2, X=X, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "core-sc"
    summary = "spectral clustering of core clusters, weighted by distance"
    cost = "time M N^2 D / K + u^2 k, memory u^2"
    paper = "huang2022c2swce"
    paper_weighter = ("core-stability", {"levels": "members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_CoreSimilarityConsensus._parameter_constraints,
        **EmbeddingConsensus._parameter_constraints,
    }

    def __init__(
        self,
        similarity: str = "exponential",
        *,
        metric: str = "euclidean",
        scale: str | None = "mean",
        unit: str = "cores",
        n_init: int = 3,
    ) -> None:
        self.similarity = similarity
        self.metric = metric
        self.scale = scale
        self.unit = unit
        self.n_init = n_init

    def _row_weights(self, ensemble: Ensemble) -> np.ndarray:
        if self.unit == "samples":
            return super()._row_weights(ensemble)
        return np.ones(len(ensemble.core))

    def _embed(self, task: Task) -> np.ndarray:
        A = self._similarities(task)
        if self.unit == "samples":
            # On vectors that are constant on core clusters, the normalised graph of the
            # samples equals this one.
            counts = self._row_weights(task.ensemble)
            A = counts[:, None] * A * counts
        k = task.n_clusters
        return spectral_embedding(A, k, rng=task.rng, dtype=np.float64)  # Eq. 20
