"""Members learned from some of the samples."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import assign_to_centers
from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED
from coterie._validation import StrOptions
from coterie.generation._base import Draft, cluster_means
from coterie.generation._draws import RandomGenerator, cluster_view, draw_sorted

_REST = [StrOptions({"nearest", "missing"})]


@fill_doc
class SubsampledKMeans(RandomGenerator):
    """k-means on a share of the samples; the rest go to the nearest centre.

    Cheaper than :class:`RandomKMeans` for many samples. Its members are learned from
    different samples, which shows how stable the clusters are.

    Parameters
    ----------
    %(n_members)s
    %(n_clusters_range)s
    sample_ratio : float, default=0.7
        Share of the samples that each member sees.
    rest : {"nearest", "missing"}, default="nearest"
        Whether the other samples go to the nearest centre or have no label (-1).
    %(on_error)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import SubsampledKMeans
    >>> SubsampledKMeans(10, rest="missing").generate(load_iris().data, seed=0)
    Ensemble of 10 members on 150 samples: ... 450 labels missing
    """

    name = "subsample"
    summary = "k-means on a subsample, the rest assigned to the nearest centre"
    cost = "time M N D k, memory N M"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "rest": _REST,
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

    def _n_seen(self, n_samples: int) -> int:
        return max(1, round(self.sample_ratio * n_samples))

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        drawn = draw_sorted(X.shape[0], self.sample_ratio, rng)
        found = cluster_view(X[drawn], None, self.n_clusters, rng)
        labels = _complete(X, drawn, found.labels, found.centers, self.rest)
        return replace(found, labels=labels)


@fill_doc
class Bootstrap(RandomGenerator):
    """Any clusterer on bootstrap samples, drawn with replacement.

    Each member clusters n_samples draws from the samples; those that were not drawn
    (about 37%) go to the cluster with the nearest mean, or have no label [1]_.

    Parameters
    ----------
    %(n_members)s
    %(clusterer)s
    rest : {"nearest", "missing"}, default="nearest"
        Whether samples that were not drawn go to the nearest mean or have no label
        (-1).
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
    summary = "any clusterer on bootstrap samples"
    cost = "M times the clusterer's"
    paper = "dudoit2003bagging"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "rest": _REST,
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

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        n_samples = X.shape[0]
        draws = np.sort(rng.integers(n_samples, size=n_samples))
        found = cluster_view(X[draws], self.clusterer, self.n_clusters, rng)
        # A sample drawn twice may be in two clusters: the first one counts.
        drawn, first = np.unique(draws, return_index=True)
        values, codes = np.unique(found.labels[first], return_inverse=True)
        coded = codes - int(values[0] == NOT_ASSIGNED)  # without gaps; -1 stays
        centers = cluster_means(X[drawn], coded)
        return Draft(_complete(X, drawn, coded, centers, self.rest), found.params)


def _complete(
    X: Any, drawn: np.ndarray, labels: np.ndarray, centers: Any, rest: str
) -> np.ndarray:
    """Extend the labels of the drawn samples to all samples."""
    completed = np.full(X.shape[0], NOT_ASSIGNED, dtype=LABEL_DTYPE)
    completed[drawn] = labels
    if rest == "nearest" and drawn.size < X.shape[0]:
        left_out = np.setdiff1d(np.arange(X.shape[0]), drawn)
        completed[left_out] = assign_to_centers(X[left_out], centers)[0]
    return completed
