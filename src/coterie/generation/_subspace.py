"""Members on random features or random projections."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import COUNT
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, cluster_view, draw_sorted


@fill_doc
class RandomSubspace(RandomGenerator):
    """Any clusterer on a random share of the features.

    For high-dimensional data whose clusters show in some of the features [1]_.

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

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        features = draw_sorted(X.shape[1], self.feature_ratio, rng)
        view = X[:, features]
        return cluster_view(
            view, self.clusterer, self.n_clusters, rng, features=features
        )


@fill_doc
class RandomProjection(RandomGenerator):
    """Any clusterer on a random linear projection of the data.

    Each member sees ``X @ R``, where R has independent Gaussian entries [1]_: distances
    are preserved on average, but differ enough between members to make them disagree.

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
        **RandomGenerator._parameter_constraints,
        "n_components": [*COUNT, None],
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

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        d = self.n_components or math.ceil(math.sqrt(X.shape[1]))
        R = rng.standard_normal((X.shape[1], d)).astype(X.dtype) / math.sqrt(d)
        return cluster_view(X @ R, self.clusterer, self.n_clusters, rng, embedding=R)
