"""Members that see some of the samples only."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import assign_to_centers
from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED
from coterie._validation import Interval, StrOptions
from coterie.generation._base import BaseGenerator, Draft, cluster_means
from coterie.generation._draws import (
    CLUSTERER,
    N_CLUSTERS,
    SHARE,
    check_range,
    cluster_view,
    draw_sorted,
)

_REST = StrOptions({"nearest", "missing"})


@fill_doc
class SubsampledKMeans(BaseGenerator):
    """k-means on a share of the samples; the rest go to the nearest centre.

    Cheaper than :class:`RandomKMeans` for many samples, and its members differ by what
    they saw, which shows how stable clusters are.

    Parameters
    ----------
    %(n_members)s
    %(n_clusters_range)s
    sample_ratio : float, default=0.7
        Share of the samples that each member sees.
    rest : {"nearest", "missing"}, default="nearest"
        Whether the other samples go to the nearest centre or stay unassigned (-1).
    %(on_error)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import SubsampledKMeans
    >>> SubsampledKMeans(10, rest="missing").generate(load_iris().data, seed=0)
    Ensemble of 10 members on 150 samples: ... 450 labels missing
    """

    name = "subsample"
    summary = "k-means on a share of the samples, the rest to the nearest centre"
    cost = "time M N D k, memory N M"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": N_CLUSTERS,
        "sample_ratio": SHARE,
        "rest": [_REST],
    }

    def __init__(
        self,
        n_members: int = 50,
        *,
        n_clusters: Any = None,
        sample_ratio: float = 0.7,
        rest: str = "nearest",
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.sample_ratio = sample_ratio
        self.rest = rest
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        n_drawn = max(1, round(self.sample_ratio * X.shape[0]))
        check_range(self.n_clusters, n_drawn, type(self).__name__)

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        drawn = draw_sorted(X.shape[0], self.sample_ratio, rng)
        labels, centers, params = cluster_view(X[drawn], None, self.n_clusters, rng)
        completed = _complete(X, drawn, labels, centers, self.rest)
        return Draft(completed, params, centers=centers)


@fill_doc
class Bootstrap(BaseGenerator):
    """Any clusterer on samples drawn with repetition.

    Each member clusters n_samples draws from the samples; those that were not drawn
    (some 37%) go to the cluster with the nearest mean, or stay unassigned [1]_.

    Parameters
    ----------
    %(n_members)s
    %(clusterer)s
    rest : {"nearest", "missing"}, default="nearest"
        Whether the samples that were not drawn go to the nearest mean or stay
        unassigned (-1).
    %(on_error)s

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.cluster import AgglomerativeClustering
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import Bootstrap
    >>> Bootstrap(5, clusterer=AgglomerativeClustering(3)).generate(load_iris().data)
    Ensemble of 5 members on 150 samples: 15 clusters (3 in each), ...
    """

    name = "bootstrap"
    summary = "any clusterer on samples drawn with repetition"
    cost = "M times the clusterer's"
    paper = "dudoit2003bagging"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "clusterer": CLUSTERER,
        "n_clusters": N_CLUSTERS,
        "rest": [_REST],
    }

    def __init__(
        self,
        n_members: int = 50,
        *,
        clusterer: Any = None,
        n_clusters: Any = None,
        rest: str = "nearest",
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.rest = rest
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        check_range(self.n_clusters, X.shape[0], type(self).__name__)

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        n_samples = X.shape[0]
        draws = np.sort(rng.integers(n_samples, size=n_samples))
        labels, _, params = cluster_view(X[draws], self.clusterer, self.n_clusters, rng)
        # A sample drawn twice may be put into two clusters: its first place counts.
        drawn, first = np.unique(draws, return_index=True)
        coded = _coded(labels[first])
        centers = cluster_means(X[drawn], coded)
        return Draft(_complete(X, drawn, coded, centers, self.rest), params)


def _coded(labels: np.ndarray) -> np.ndarray:
    """Code the labels 0, 1, ... without gaps; -1 stays."""
    values, codes = np.unique(labels, return_inverse=True)
    return codes - int(values[0] == NOT_ASSIGNED)


def _complete(
    X: Any, drawn: np.ndarray, labels: np.ndarray, centers: Any, rest: str
) -> np.ndarray:
    """Return labels for all samples from those of the drawn ones."""
    completed = np.full(X.shape[0], NOT_ASSIGNED, dtype=LABEL_DTYPE)
    completed[drawn] = labels
    if rest == "nearest" and drawn.size < X.shape[0]:
        left_out = np.setdiff1d(np.arange(X.shape[0]), drawn)
        completed[left_out] = assign_to_centers(X[left_out], centers)[0]
    return completed
