"""Consensus on the similarity of core clusters, which looks at the data."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import squareform

from coterie._docs import fill_doc
from coterie._linalg import cut_tree, kmeans, linkage, spectral_embedding, unit_rows
from coterie._memory import check_memory
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import core_coassociation
from coterie.ensemble._core_distances import METRICS, core_distances

_SIMILARITIES = ("exponential", "distance", "membership")
_UNITS = ("cores", "samples")


class _CoreSimilarityConsensus(BaseConsensus):
    """Works on the weighted similarity matrix of the core clusters."""

    similarity: str
    metric: str
    scale: str | None
    unit: str

    needs_X: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "similarity": [StrOptions(set(_SIMILARITIES))],
        "metric": [StrOptions(set(METRICS))],
        "scale": [StrOptions({"mean"}), None],
        "unit": [StrOptions(set(_UNITS))],
    }

    def check_inputs(self, weights: frozenset[str], X: Any) -> None:
        """Raise if weights of these kinds would be ignored, or if X is missing."""
        if self.similarity == "membership" and X is None:
            X = ()  # not looked at
        super().check_inputs(weights, X)

    def _similarities(self, ensemble: Ensemble, weights: Weights, X: Any) -> np.ndarray:
        """Return A (Eq. 16), (u, u), without the factor 1 / k, which changes nothing.

        On the diagonal is the similarity of two samples of the same core cluster.
        """
        u = len(ensemble.core)
        check_memory(
            8 * u * u,
            f"The similarities of {u:,} core clusters",
            None,
            "Use a method that does not need them (core-bg, core-mc), or raise the "
            "limit.",
        )
        if self.similarity == "membership":
            S = core_coassociation(ensemble, weights)
            A = squareform(S.condensed)
            np.fill_diagonal(A, S.self_similarity)
            return A
        A = np.zeros((u, u), dtype=np.float32)
        cluster_weights = weights.per_cluster(ensemble)
        scaled, who = self.scale is not None, type(self).__name__
        for one in core_distances(ensemble, X, self.metric, scaled=scaled, who=who):
            S = one.distances
            if self.similarity == "exponential":
                S = np.exp(-S)
            A[np.ix_(one.cores, one.cores)] += (
                cluster_weights[one.cluster] * S
            )  # Eq. 15
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

    A core cluster is a set of samples that no member separates. Two of them are similar
    if members put them together, the more so the closer they are in the features that
    the member saw:

    .. math:: A_{ab} = \sum_{m=1}^{M} w_m \, [c_m(a) = c_m(b)] \,
        \exp(-\mathrm{CCS}_m(o_a, o_b)),

    with the members' weights :math:`w_m` and the mean distance CCS between the samples
    of the two [1]_. Choose :class:`LWEA` where there are labels only, or many members:
    memory is quadratic in the number of core clusters.

    Parameters
    ----------
    %(core_similarity)s
    unit : {"cores", "samples"}, default="cores"
        Whether a core cluster counts once in the averages, or as often as it has
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
    summary = "average linkage of core clusters, near ones the more alike"
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
        core = task.ensemble.core
        if task.n_clusters >= len(
            core
        ):  # nothing tells samples of a core cluster apart
            return ConsensusResult(core.index)
        A = self._similarities(task.ensemble, task.weights, task.X)
        distances = squareform(A, checks=False)
        np.subtract(max(1.0, distances.max()), distances, out=distances)
        sizes = core.counts if self.unit == "samples" else None
        Z = linkage(distances, "average", sizes=sizes, overwrite=True)  # Eq. 18
        labels = cut_tree(Z, task.n_clusters)[core.index]
        return ConsensusResult(labels, details={"core_linkage": Z})


@fill_doc
class CoreSpectral(_CoreSimilarityConsensus):
    r"""Spectral clustering of core clusters.

    The eigenvectors of the smallest eigenvalues of :math:`I - D^{-1/2} A D^{-1/2}`,
    rows scaled to unit length, then k-means, with the similarities A of
    :class:`CoreLinkage` [1]_. Choose :class:`CoassociationSpectral` where there are
    labels only, or many members: memory is quadratic in the number of core clusters.

    Parameters
    ----------
    %(core_similarity)s
    unit : {"cores", "samples"}, default="cores"
        Whether a core cluster counts once in D and in k-means, as in the paper, or as
        often as it has samples.
    %(n_init)s

    Notes
    -----
    %(core_similarity_notes)s

    *Unit.* With ``unit="samples"`` the graph is that of the samples, where two have the
    similarity of their core clusters; it is solved on the core clusters all the same.
    On the paper's data that is better for some and worse for others.

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
    summary = "spectral clustering of core clusters, near ones the more alike"
    cost = "time M N^2 D / K + u^2 k, memory u^2"
    paper = "huang2022c2swce"
    paper_weighter = ("core-stability", {"levels": "members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_CoreSimilarityConsensus._parameter_constraints,
        "n_init": [Interval(Integral, 1, None, closed="left")],
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

    def _combine(self, task: Task) -> ConsensusResult:
        n_clusters = task.n_clusters
        core = task.ensemble.core
        if n_clusters >= len(core):  # nothing tells samples of a core cluster apart
            return ConsensusResult(core.index)
        A = self._similarities(task.ensemble, task.weights, task.X)
        counts = np.ones(len(core))
        if self.unit == "samples":
            # On vectors that are constant on core clusters, the normalised graph of the
            # samples is that of this one.
            counts = core.counts.astype(np.float64)
            A = counts[:, None] * A * counts
        U = spectral_embedding(A, n_clusters, rng=task.rng, dtype=np.float64)  # Eq. 20
        points = unit_rows(U)
        found = kmeans(
            points, n_clusters, rng=task.rng, n_init=self.n_init, sample_weight=counts
        )
        return ConsensusResult(
            found.labels[core.index],
            objective=found.inertia,
            n_iter=found.n_iter,
            converged=found.converged,
            details={"embedding": points[core.index]},
        )
