"""k-means members with random starts and random numbers of clusters."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import kmeans
from coterie._validation import StrOptions
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, draw_n_clusters


@fill_doc
class RandomKMeans(RandomGenerator):
    """k-means from random starts, each member with its own number of clusters.

    The usual ensemble of evidence accumulation [1]_: fast, on all features and samples.
    :class:`RandomSubspace` gives more diverse members where few features are
    informative or features are unscaled.

    Parameters
    ----------
    %(n_members)s
    %(n_clusters_range)s
    init : {"k-means++", "random"}, default="k-means++"
        How the initial centres are drawn; ``"random"`` gives more diverse members.
    max_iter : int, default=100
        Maximum number of iterations.
    %(on_error)s

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import RandomKMeans
    >>> RandomKMeans(n_members=20, n_clusters=(3, 8)).generate(load_iris().data, seed=0)
    Ensemble of 20 members on 150 samples: ...
    """

    name = "kmeans"
    summary = "k-means from random starts with random numbers of clusters"
    cost = "time M N D k, memory N M"
    paper = "fred2005eac"
    group = "reason"
    take_if = "many quick members"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "init": [StrOptions({"k-means++", "random"})],
    }

    def __init__(
        self,
        n_members: int = 50,
        *,
        n_clusters: Any = None,
        init: str = "k-means++",
        max_iter: int = 100,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.init = init
        self.max_iter = max_iter
        self.on_error = on_error

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        k = draw_n_clusters(self.n_clusters, X.shape[0], rng)
        found = kmeans(X, k, rng=rng, init=self.init, max_iter=self.max_iter)
        return Draft(found.labels, {"n_clusters": k}, centers=found.centers)
