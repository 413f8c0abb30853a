"""Members that see the data from different sides: random features, projections."""

from __future__ import annotations

import math
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import Interval
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._draws import (
    CLUSTERER,
    N_CLUSTERS,
    SHARE,
    check_range,
    cluster_view,
    draw_sorted,
)


@fill_doc
class RandomSubspace(BaseGenerator):
    """Any clusterer on a random share of the features.

    For data of many features, where clusters show in some of them [1]_.

    Parameters
    ----------
    %(n_members)s
    %(clusterer)s
    feature_ratio : float, default=0.5
        Share of the features that each member sees.
    %(on_error)s

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from coterie.generation import RandomSubspace
    >>> ensemble = RandomSubspace(10, n_clusters=3).generate(load_wine().data, seed=0)
    >>> ensemble.members[0].features.shape
    (6,)
    """

    name = "subspace"
    summary = "any clusterer on a random share of the features"
    cost = "M times the clusterer's"
    paper = "topchy2005"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "clusterer": CLUSTERER,
        "n_clusters": N_CLUSTERS,
        "feature_ratio": SHARE,
    }

    def __init__(
        self,
        n_members: int = 50,
        *,
        clusterer: Any = None,
        n_clusters: Any = None,
        feature_ratio: float = 0.5,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.feature_ratio = feature_ratio
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        check_range(self.n_clusters, X.shape[0], type(self).__name__)

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        features = draw_sorted(X.shape[1], self.feature_ratio, rng)
        found = cluster_view(X[:, features], self.clusterer, self.n_clusters, rng)
        labels, centers, params = found
        return Draft(labels, params, features=features, centers=centers)


@fill_doc
class RandomProjection(BaseGenerator):
    """Any clusterer on a random linear projection of the data.

    Each member sees ``X @ R`` with R of independent Gaussian entries [1]_: distances
    are kept on average, and differ enough between members to make them disagree.

    Parameters
    ----------
    %(n_members)s
    %(clusterer)s
    n_components : int or None, default=None
        Dimensions of the projection; None is the square root of the number of
        features, rounded up.
    %(on_error)s

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from coterie.generation import RandomProjection
    >>> ensemble = RandomProjection(10, n_clusters=3).generate(load_wine().data, seed=0)
    >>> ensemble.members[0].embedding.shape
    (13, 4)
    """

    name = "projection"
    summary = "any clusterer on a random projection of the data"
    cost = "M times the clusterer's"
    paper = "fern2003projection"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "clusterer": CLUSTERER,
        "n_clusters": N_CLUSTERS,
        "n_components": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        n_members: int = 50,
        *,
        clusterer: Any = None,
        n_clusters: Any = None,
        n_components: int | None = None,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.n_components = n_components
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        check_range(self.n_clusters, X.shape[0], type(self).__name__)

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        d = self.n_components or math.ceil(math.sqrt(X.shape[1]))
        R = rng.standard_normal((X.shape[1], d)).astype(X.dtype) / math.sqrt(d)
        found = cluster_view(X @ R, self.clusterer, self.n_clusters, rng)
        labels, centers, params = found
        return Draft(labels, params, embedding=R, centers=centers)
