"""k-means members on a share of the samples or of the features."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import assign_to_centers, kmeans
from coterie._validation import StrOptions
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, draw_n_clusters, draw_sorted


@fill_doc
class MixedKMeans(RandomGenerator):
    """k-means on a share of the samples, alternating with a share of the features.

    Half of the members are learned from a random share of the samples (the rest go to
    the nearest centre), the other half from all samples and a random share of the
    features [1]_. Members differ in their data and in their initial centres.

    Parameters
    ----------
    %(n_members)s
    %(n_clusters_range)s
    sample_ratio : float, default=0.7
        Share of the samples that the first, third, ... member sees.
    feature_ratio : float, default=0.7
        Share of the features that the second, fourth, ... member sees, rounded up.
    init : {"random", "k-means++"}, default="random"
        How the initial centres are drawn.
    max_iter : int, default=100
        Maximum number of iterations.
    %(on_error)s

    Notes
    -----
    The paper makes the first half of the members from samples and the second half from
    features; here they alternate, so the first members of a large ensemble are a valid
    small one. The paper does not say how 70% of few features is rounded; rounding up
    (both of two) reproduces the printed figures, rounding down does not.

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
    summary = "k-means on random samples and on random features, alternating"
    cost = "time M N D k, memory N M"
    paper = "ren2017woec"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "init": [StrOptions({"random", "k-means++"})],
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

    def _n_seen(self, n_samples: int) -> int:
        return max(1, round(self.sample_ratio * n_samples))

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

    def _cluster(self, view: Any, rng: np.random.Generator) -> tuple[Any, Any]:
        k = draw_n_clusters(self.n_clusters, view.shape[0], rng)
        found = kmeans(
            view, k, rng=rng, init=self.init, max_iter=self.max_iter, tol=0.0
        )
        return found, {"n_clusters": k}
