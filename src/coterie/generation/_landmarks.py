"""Landmark-based spectral clustering members."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import landmark_spectral
from coterie._validation import COUNT
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, draw_n_clusters

_LOW, _HIGH = 20, 60  # clusters of a member in the paper


@fill_doc
class LandmarkSpectral(RandomGenerator):
    """Landmark-based spectral clustering, with different landmarks for each member.

    Members differ in their landmarks, the centres of a random subsample, and in their
    number of clusters [1]_. Finds clusters of any shape in up to millions of samples;
    :class:`RandomKMeans` is faster for round clusters.

    Parameters
    ----------
    n_members : int, default=20
        Number of clusterings to make.
    n_clusters : int, (int, int) or None, default=None
        Clusters of each member: a number, a range to draw from (both ends included), or
        None for 20 to 60, as in the paper; with fewer than 3,600 samples, from half
        their square root to their square root.
    %(landmark_parameters)s
    max_iter : int, default=5
        Maximum number of iterations of the final k-means, which has a single start. A
        low limit keeps the members diverse.
    %(on_error)s

    Notes
    -----
    See :class:`~coterie.clusterers.USPEC` for where we depart from the paper.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie.generation import LandmarkSpectral
    >>> X, _ = make_moons(1000, noise=0.05, random_state=0)
    >>> LandmarkSpectral(5, n_landmarks=100).generate(X, seed=0)
    Ensemble of 5 members on 1,000 samples: ...
    """

    name = "landmarks"
    summary = "spectral clustering through random landmarks"
    cost = "time M N (D + k), memory N (D + k)"
    paper = "huang2020usenc"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "n_landmarks": COUNT,
    }

    def __init__(
        self,
        n_members: int = 20,
        *,
        n_clusters: Any = None,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        max_iter: int = 5,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.max_iter = max_iter
        self.on_error = on_error

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        span = _usual(X.shape[0]) if self.n_clusters is None else self.n_clusters
        k = draw_n_clusters(span, X.shape[0], rng)
        labels, _ = landmark_spectral(
            X,
            k,
            rng=rng,
            n_landmarks=self.n_landmarks,
            n_neighbors=self.n_neighbors,
            n_init=1,
            max_iter=self.max_iter,
        )
        return Draft(labels, {"n_clusters": k})


def _usual(n_samples: int) -> tuple[int, int]:
    high = min(_HIGH, math.ceil(math.sqrt(n_samples)))
    return min(_LOW, max(2, high // 2)), high
