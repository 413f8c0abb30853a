"""Spectral clustering through landmarks: U-SPEC and LSC."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from coterie._docs import fill_doc
from coterie._linalg import (
    cluster_unit_rows,
    draw_landmarks,
    landmark_affinity,
    landmark_spectral,
    matrix_transfer_cut,
    nearest_landmarks,
)
from coterie._linalg._landmarks import limit_landmarks
from coterie._validation import COUNT, StrOptions
from coterie.clusterers._base import BaseClusterer

_NOTHING = 1e-12  # eigenvalues below this are zero; the largest is one


@fill_doc
class USPEC(BaseClusterer):
    r"""Ultra-scalable spectral clustering, for up to millions of samples.

    Samples are linked to their nearest landmarks, the centres of a random subsample,
    and the graph of samples and landmarks is partitioned by the normalised cut [1]_.
    Finds clusters of any shape, in time and memory linear in the number of samples.
    :class:`~coterie.USENC` is an ensemble of it, slower but more stable.

    Parameters
    ----------
    %(system_n_clusters)s
    %(landmark_parameters)s
    %(n_init)s
    %(random_state)s

    Attributes
    ----------
    %(labels_attributes)s
    landmarks_ : (n_landmarks, n_features) array
        The landmarks.
    %(seen_attributes)s

    Notes
    -----
    As in the authors' program, eigenvectors are extended to the samples without the
    factor of their eigenvalues in the text, and rows are scaled to unit length before
    k-means.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie.clusterers import USPEC
    >>> from coterie.metrics import ari
    >>> X, y = make_moons(3000, noise=0.05, random_state=0)
    >>> ari(y, USPEC(n_clusters=2, n_landmarks=200, random_state=0).fit_predict(X))
    1.0
    """

    name = "uspec"
    summary = "normalised cut of samples and landmarks, for millions of samples"
    cost = "time N (D + k), memory N (D + k)"
    paper = "huang2020usenc"
    group = "reason"
    take_if = "one spectral clustering of millions of samples"
    accepts_sparse: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseClusterer._parameter_constraints,
        "n_landmarks": COUNT,
        "n_neighbors": COUNT,
        "n_init": COUNT,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        n_init: int = 3,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.n_init = n_init
        self.random_state = random_state

    def _cluster(self, X: Any, rng: np.random.Generator) -> np.ndarray:
        labels, self.landmarks_ = landmark_spectral(
            X,
            self.n_clusters_,
            rng=rng,
            n_landmarks=self.n_landmarks,
            n_neighbors=self.n_neighbors,
            n_init=self.n_init,
        )
        return labels


@fill_doc
class LSC(BaseClusterer):
    r"""Landmark-based spectral clustering.

    Each sample is written as a weighted mean of its nearest landmarks,

    .. math:: z_{ij} = \frac{K(x_i, l_j)}{\sum_{j' \in N(i)} K(x_i, l_{j'})},
        \qquad K(x, l) = \exp(-\lVert x - l \rVert^2 / (2 \sigma^2)),

    and the left singular vectors of Z, with columns divided by the square roots of
    their sums, are clustered by k-means [1]_. :class:`USPEC` is its successor: it
    chooses and searches landmarks faster.

    Parameters
    ----------
    %(system_n_clusters)s
    %(landmark_parameters)s
    landmarks : {"kmeans", "random"}, default="kmeans"
        Centres of k-means (LSC-K), or random samples (LSC-R).
    first_vector : {"keep", "drop"}, default="keep"
        Whether to use the first k singular vectors, as the paper says, or to drop the
        first one, which is constant, and use the next k.
    %(n_init)s
    %(random_state)s

    Attributes
    ----------
    %(labels_attributes)s
    landmarks_ : (n_landmarks, n_features) array
        The landmarks.
    %(seen_attributes)s

    Notes
    -----
    The width :math:`\sigma` is the mean distance of samples to their nearest landmarks,
    and rows are scaled to unit length before k-means. Both, and
    ``first_vector="drop"``, are from memory of the authors' program, which we could not
    consult; dropping fails if the graph is disconnected. The k-means that makes
    landmarks stops after 20 iterations.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie.clusterers import LSC
    >>> X, _ = make_moons(500, noise=0.05, random_state=0)
    >>> LSC(n_clusters=2, n_landmarks=100, random_state=0).fit_predict(X).shape
    (500,)
    """

    name = "lsc"
    summary = "spectral clustering by a landmark representation"
    cost = "time N p D (p landmarks), memory N (D + k)"
    paper = "chen2011lsc"
    accepts_sparse: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseClusterer._parameter_constraints,
        "n_landmarks": COUNT,
        "n_neighbors": COUNT,
        "landmarks": [StrOptions({"kmeans", "random"})],
        "first_vector": [StrOptions({"keep", "drop"})],
        "n_init": COUNT,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_landmarks: int = 1000,
        n_neighbors: int = 5,
        landmarks: str = "kmeans",
        first_vector: str = "keep",
        n_init: int = 3,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_landmarks = n_landmarks
        self.n_neighbors = n_neighbors
        self.landmarks = landmarks
        self.first_vector = first_vector
        self.n_init = n_init
        self.random_state = random_state

    def _cluster(self, X: Any, rng: np.random.Generator) -> np.ndarray:
        p = limit_landmarks(self.n_landmarks, X.shape[0], self.n_clusters_ + 1)
        self.landmarks_ = draw_landmarks(X, p, rng=rng, method=self.landmarks)
        n_near = min(self.n_neighbors, p)
        near = nearest_landmarks(X, self.landmarks_, n_near, rng=rng, exact=True)
        return cluster_unit_rows(
            self._embed(landmark_affinity(near, p), rng),
            self.n_clusters_,
            rng=rng,
            n_init=self.n_init,
            max_iter=100,
        )

    def _embed(self, B: csr_array, rng: np.random.Generator) -> np.ndarray:
        """Return the left singular vectors of the normalised Z.

        Z has rows of sum one, and its Gram matrix is that of the transfer cut.
        """
        B = B[:, np.flatnonzero(np.bincount(B.indices, minlength=B.shape[1]))]
        Z = csr_array(B / B.sum(axis=1)[:, None])
        dropped = int(self.first_vector == "drop")
        n_components = min(self.n_clusters_ + dropped, B.shape[1])
        U, values, _ = matrix_transfer_cut(Z, n_components, rng=rng)
        U = U[:, values > _NOTHING]
        U = U[:, min(dropped, U.shape[1] - 1) :]
        return U / np.linalg.norm(U, axis=0)
