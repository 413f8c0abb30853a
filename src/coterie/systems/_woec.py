"""WOEC: weighted-object ensemble clustering, and weighted-object k-means."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from sklearn.preprocessing import StandardScaler
from sklearn.utils.validation import check_is_fitted

from coterie._docs import fill_doc
from coterie._linalg import assign_to_centers
from coterie._typing import Progress, Seed
from coterie._validation import StrOptions, check_parameters, is_sparse
from coterie.consensus import WOHB, WOKM, WOMC, WOSP
from coterie.consensus._weighted_objects import weighted_centers
from coterie.ensemble import Ensemble
from coterie.generation import MixedKMeans
from coterie.systems._base import BaseSystem, Parts
from coterie.weighting import DifficultyWeighter

CONSENSUS = ("meta", "similarity", "bipartite")


class _StandardizedSystem(BaseSystem):
    """A system whose paper standardises the features."""

    standardize: bool

    def _prepared(self, X: Any, *, reset: bool) -> Any:
        if not self.standardize:
            return X
        if reset:  # a constant feature keeps its scale
            self.scaler_ = StandardScaler(with_mean=not is_sparse(X)).fit(X)
        return self.scaler_.transform(X)


@fill_doc
class WOEC(_StandardizedSystem):
    """Weighted-object ensemble clustering: hard samples get larger weights.

    k-means members on random samples or features disagree about some samples more than
    about others; these get larger weights, which pull the centres of the members'
    clusters towards them, or make clusters that agree on them more similar [1]_. The
    resulting graph is cut into clusters **of equal size**: use it for classes of
    similar size, or with ``partition="spectral"``.

    Parameters
    ----------
    %(system_n_clusters)s
    consensus : {"similarity", "bipartite", "meta"}, default="similarity"
        "similarity" (WOSP) cuts the graph of samples, "bipartite" (WOHB) that of
        samples and clusters, "meta" (WOMC) that of clusters.
    n_members : int, default=40
        Number of clusterings to make, R in the paper.
    weighted : bool, default=True
        Whether hard samples get larger weights (False: equal weights).
    standardize : bool, default=True
        Whether features are scaled to mean 0 and variance 1 first, as in the paper.
    member_clusters : int, (int, int) or None, default=None
        Clusters of each member; None is ``n_clusters``, as in the paper.
    sample_ratio : float, default=0.7
        Share of the samples that each member of the first kind sees.
    feature_ratio : float, default=0.7
        Share of the features that each member of the second kind sees.
    bandwidth : {"member", "first"} or float, default="member"
        The number t of Eq. 7, for "similarity" and "bipartite": the mean squared
        distance to each member's centres (the text), that of the first member (the
        authors' program), or a number.
    partition : {"metis", "spectral"}, default="metis"
        How the graph is cut: into parts of equal size, as in the paper, or by the
        normalised cut, for clusters of different sizes.
    imbalance : float, default=0.001
        For "metis": how much larger than the mean a cluster may be; see
        :class:`~coterie.consensus.WOSP`.
    backend : {"auto", "metis", "mtkahypar"}, default="auto"
        The graph partitioner; "auto" is METIS if installed, otherwise Mt-KaHyPar (``pip
        install mtkahypar``).
    %(system_parameters)s

    Attributes
    ----------
    %(system_attributes)s
    scaler_ : StandardScaler
        The scaler fitted with ``standardize``.

    Notes
    -----
    See :class:`~coterie.generation.MixedKMeans` for the members,
    :class:`~coterie.weighting.DifficultyWeighter` for the weights, and
    :class:`~coterie.consensus.WOSP`, :class:`~coterie.consensus.WOHB` and
    :class:`~coterie.consensus.WOMC` for the three ways to combine.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import WOEC
    >>> model = WOEC(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.labels_.shape, model.weights_.samples.shape
    ((150,), (150,))
    """

    name = "woec"
    summary = "k-means members, hard samples weighted up, clusters of equal size"
    cost = "time M N D k + N^2 C, memory N^2 + C k; memory linear in N beyond N = 5,000"
    paper = "ren2017woec"
    group = "reason"
    take_if = "clusters that must have equal sizes"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "consensus": [StrOptions(set(CONSENSUS))],
        "weighted": ["boolean"],
        "standardize": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        consensus: str = "similarity",
        n_members: int = 40,
        weighted: bool = True,
        standardize: bool = True,
        member_clusters: Any = None,
        sample_ratio: float = 0.7,
        feature_ratio: float = 0.7,
        bandwidth: Any = "member",
        partition: str = "metis",
        imbalance: float = 0.001,
        backend: str = "auto",
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.consensus = consensus
        self.n_members = n_members
        self.weighted = weighted
        self.standardize = standardize
        self.member_clusters = member_clusters
        self.sample_ratio = sample_ratio
        self.feature_ratio = feature_ratio
        self.bandwidth = bandwidth
        self.partition = partition
        self.imbalance = imbalance
        self.backend = backend
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        check_parameters(self)  # also of one that was changed after fit
        generator = MixedKMeans(
            self.n_members,
            n_clusters=_members_k(self, n_samples),
            sample_ratio=self.sample_ratio,
            feature_ratio=self.feature_ratio,
        )
        cut = {
            "partition": self.partition,
            "imbalance": self.imbalance,
            "backend": self.backend,
        }
        consensus = {
            "meta": lambda: WOMC(**cut),
            "similarity": lambda: WOSP(self.bandwidth, **cut),
            "bipartite": lambda: WOHB(self.bandwidth, **cut),
        }[self.consensus]()
        weighter = DifficultyWeighter() if self.weighted else None
        return Parts(generator, weighter, consensus)


@fill_doc
class WOKMeans(_StandardizedSystem):
    """Weighted-object k-means: hard samples attract the centres.

    An ensemble shows how hard each sample is to cluster; k-means with these weights
    moves its centres towards the uncertain regions [1]_. Needs no partitioner, and is
    linear in time and memory; :class:`WOEC` is usually more accurate.

    Parameters
    ----------
    %(system_n_clusters)s
    ensemble : Ensemble, or anything that makes one, or None, default=None
        Clusterings of the same samples, for the weights; None makes them.
    n_members : int, default=40
        Number of clusterings to make if ``ensemble`` is None.
    n_init : int, default=10
        Starts of k-means; the best is kept. The paper uses one.
    max_iter : int, default=100
        Maximum number of iterations per start.
    standardize : bool, default=True
        Whether features are scaled to mean 0 and variance 1 first, as in the paper.
    member_clusters : int, (int, int) or None, default=None
        Clusters of each member; None is ``n_clusters``, as in the paper.
    %(system_parameters)s

    Attributes
    ----------
    cluster_centers_ : (n_clusters, n_features) array
        The weighted centres, in scaled features if ``standardize``.
    n_iter_ : int
        Iterations of the best start.
    %(system_attributes)s
    scaler_ : StandardScaler
        The scaler fitted with ``standardize``.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import WOKMeans
    >>> model = WOKMeans(n_clusters=3, random_state=0).fit(load_iris().data)
    >>> model.cluster_centers_.shape
    (3, 4)
    """

    name = "wokmeans"
    summary = "k-means whose centres move towards hard samples"
    cost = "time M N D k, memory N (M + D)"
    paper = "ren2017woec"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "standardize": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        ensemble: Any = None,
        n_members: int = 40,
        n_init: int = 10,
        max_iter: int = 100,
        standardize: bool = True,
        member_clusters: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.ensemble = ensemble
        self.n_members = n_members
        self.n_init = n_init
        self.max_iter = max_iter
        self.standardize = standardize
        self.member_clusters = member_clusters
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        generator: Any = _Given(self.ensemble)
        if self.ensemble is None:
            k = _members_k(self, n_samples)
            generator = MixedKMeans(self.n_members, n_clusters=k)
        consensus = WOKM(self.n_init, max_iter=self.max_iter)
        return Parts(generator, DifficultyWeighter(), consensus)

    def _combine(self, X: Any, parts: Parts) -> None:
        super()._combine(X, parts)
        found = self.consensus_
        self.n_iter_ = found.n_iter or 1
        centers = found.details.get("centers")
        if centers is None:  # a single cluster needs no k-means
            alone = Ensemble(self.labels_[:, None])
            centers = weighted_centers(alone, self.weights_.samples, X)
        self.cluster_centers_ = centers

    def predict(self, X: Any) -> np.ndarray:
        """Assign samples to the nearest centre.

        ``predict_confidence`` is the members' vote for that cluster.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
        """
        check_is_fitted(self, "consensus_")
        return assign_to_centers(self._place(X), self.cluster_centers_)[0]

    def _chosen(self, X: Any, votes: np.ndarray) -> np.ndarray:
        return self.predict(X)

    @property
    def predict_agreement_(self) -> float:
        """The share of samples of ``fit`` that are nearest to their own centre."""
        check_is_fitted(self, "consensus_")
        chosen = assign_to_centers(self._fit_points, self.cluster_centers_)[0]
        return float(np.mean(chosen == self.labels_))


def _members_k(system: Any, n_samples: int | None) -> Any:
    """Return the members' number of clusters, at most the samples that one sees."""
    if system.member_clusters is not None or n_samples is None:
        return system.member_clusters
    share = getattr(system, "sample_ratio", 0.7)
    wanted = getattr(system, "n_clusters_", system.n_clusters)
    # Members with one cluster would not show which samples are hard.
    return min(max(wanted, 2), max(1, round(share * n_samples)))


class _Given:
    """A generator of members that exist already."""

    accepts_sparse: ClassVar[bool] = True

    def __init__(self, ensemble: Any) -> None:
        self.ensemble = ensemble

    def generate(
        self,
        X: Any,
        *,
        seed: Seed = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> Ensemble:
        """Return the ensemble, after checking its number of samples."""
        ensemble = Ensemble(self.ensemble)
        if ensemble.n_samples != X.shape[0]:
            raise ValueError(
                f"WOKMeans got an ensemble of {ensemble.n_samples} samples and data of "
                f"{X.shape[0]}. Pass an ensemble of the same samples, or None."
            )
        return ensemble
