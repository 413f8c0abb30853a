"""Members that see some of the samples, or some of the features."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import assign_to_centers, kmeans
from coterie._validation import Interval, StrOptions
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._draws import (
    N_CLUSTERS,
    SHARE,
    check_range,
    draw_n_clusters,
    draw_sorted,
)


@fill_doc
class MixedKMeans(BaseGenerator):
    """k-means on a share of the samples by turns with k-means on a share of features.

    Half of the members see a random share of the samples (the rest go to the nearest
    centre), the other half all samples in a random share of the features [1]_. Members
    differ by what they saw and by their starts.

    Parameters
    ----------
    %(n_members)s
    %(n_clusters_range)s
    sample_ratio : float, default=0.7
        Share of the samples that the first, third, ... member sees.
    feature_ratio : float, default=0.7
        Share of the features that the second, fourth, ... member sees, rounded up.
    init : {"random", "k-means++"}, default="random"
        How the first centres are drawn.
    max_iter : int, default=100
        Most iterations of a member.
    %(on_error)s

    Notes
    -----
    The paper makes the first half of the members from samples and the second from
    features; here they take turns, so that the first members of a larger ensemble are
    a smaller one. The paper does not say how 70% of few features are rounded; rounded
    up (both of two) the members fit the printed figures, rounded down they do not.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from coterie.generation import MixedKMeans
    >>> ensemble = MixedKMeans(10, n_clusters=3).generate(load_wine().data, seed=0)
    >>> ensemble.members[0].features is None, ensemble.members[1].features.shape
    (True, (10,))
    """

    name = "mixed"
    summary = "k-means on a share of the samples or of the features, by turns"
    cost = "time M N D k, memory N M"
    paper = "ren2017woec"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": N_CLUSTERS,
        "sample_ratio": SHARE,
        "feature_ratio": SHARE,
        "init": [StrOptions({"random", "k-means++"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_members: int = 50,
        *,
        n_clusters: Any = None,
        sample_ratio: float = 0.7,
        feature_ratio: float = 0.7,
        init: str = "random",
        max_iter: int = 100,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.sample_ratio = sample_ratio
        self.feature_ratio = feature_ratio
        self.init = init
        self.max_iter = max_iter
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        n_drawn = max(1, round(self.sample_ratio * X.shape[0]))
        check_range(self.n_clusters, n_drawn, type(self).__name__)

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        if number % 2 == 0:
            drawn = draw_sorted(X.shape[0], self.sample_ratio, rng)
            found, params = self._cluster(X[drawn], rng)
            labels = assign_to_centers(X, found.centers)[0]
            return Draft(labels, params, centers=found.centers)
        n_features = X.shape[1]
        count = min(n_features, math.ceil(self.feature_ratio * n_features - 1e-9))
        features = np.sort(rng.choice(n_features, size=count, replace=False))
        found, params = self._cluster(X[:, features], rng)
        return Draft(found.labels, params, features=features, centers=found.centers)

    def _cluster(
        self, view: Any, rng: np.random.Generator
    ) -> tuple[Any, dict[str, int]]:
        k = draw_n_clusters(self.n_clusters, view.shape[0], rng)
        found = kmeans(
            view, k, rng=rng, init=self.init, max_iter=self.max_iter, tol=0.0
        )
        return found, {"n_clusters": k}
