"""Spectral clustering of many samples via few landmarks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from coterie._docs import fill_doc
from coterie._linalg._kmeans import kmeans, kmeans_from_sample
from coterie._linalg._neighbors import Neighbors, nearest_neighbors
from coterie._linalg._spectral import unit_rows
from coterie._linalg._transfer_cut import matrix_transfer_cut
from coterie._validation import is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie._typing import FloatArray, LabelArray

_CANDIDATES = 10  # drawn for each landmark
_VICINITY = 10  # landmarks searched for each neighbour
_FEW_ITER = 20  # iterations of the k-means that makes landmarks and their groups
_TILE_BYTES = 32 * 2**20
_SAMPLE_ROWS, _SAMPLE_PER_CLUSTER = 5000, 50  # on which k-means tries its starts


@fill_doc
def landmark_spectral(
    X: Any,
    n_clusters: int,
    *,
    rng: np.random.Generator,
    n_landmarks: int = 1000,
    n_neighbors: int = 5,
    n_init: int = 3,
    max_iter: int = 100,
) -> tuple[LabelArray, FloatArray]:
    r"""Cluster samples by the normalised cut of their graph with landmarks (U-SPEC).

    Landmarks are the centres of a random sample (:func:`draw_landmarks`). Each sample
    is joined to its nearest ones with the weight
    :math:`\exp(-d^2 / (2 \sigma^2))`, where :math:`\sigma` is the mean of these
    distances, and the bipartite graph is cut by the transfer cut [1]_. Time and memory
    are linear in the number of samples.

    Parameters
    ----------
    X : array or CSR matrix of shape (n_samples, n_features)
        The samples.
    n_clusters : int
        Number of clusters.
    rng : numpy.random.Generator
        Source of all random draws.
    n_landmarks : int, default=1000
        Number of landmarks; at most a third of the samples, at least one per cluster.
    n_neighbors : int, default=5
        Landmarks that each sample is joined to.
    n_init : int, default=3
        Starts of the final k-means.
    max_iter : int, default=100
        Its maximum number of iterations.

    Returns
    -------
    labels : ndarray of int32, shape (n_samples,)
        The clusters.
    landmarks : ndarray of shape (n_landmarks, n_features)
        The landmarks.

    Notes
    -----
    The search for landmarks goes through the nearest group of them, the nearest one in
    it and the ten times ``n_neighbors`` around that one, as in the paper; for sparse X
    it is exact. For many samples, the starts of the final k-means are tried on a
    subsample, and the best continues on all rows. The paper's data are large; limiting
    landmarks to a third of the samples is ours: with more, few samples share a
    landmark, and the graph falls apart.

    References
    ----------
    %(paper:huang2020usenc)s

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import landmark_spectral
    >>> X = np.array([[0.0], [0.1], [0.2], [9.0], [9.1], [9.2]])
    >>> labels, _ = landmark_spectral(
    ...     X, 2, rng=np.random.default_rng(0), n_neighbors=2
    ... )
    >>> bool(labels[0] == labels[2] != labels[3] == labels[5])
    True
    """
    p = limit_landmarks(n_landmarks, X.shape[0], n_clusters)
    landmarks = draw_landmarks(X, p, rng=rng)
    near = nearest_landmarks(X, landmarks, min(n_neighbors, p), rng=rng)
    B = landmark_affinity(near, p)
    B = B[:, np.flatnonzero(np.bincount(B.indices, minlength=p))]  # with samples
    n_components = min(n_clusters, B.shape[1])
    U = matrix_transfer_cut(B, n_components, rng=rng, dtype=np.float32).embedding
    labels = cluster_unit_rows(U, n_clusters, rng=rng, n_init=n_init, max_iter=max_iter)
    return labels, landmarks


def limit_landmarks(n_landmarks: int, n_samples: int, n_clusters: int) -> int:
    """Limit the number of landmarks to a third of the samples, but one per cluster."""
    return min(n_samples, max(n_clusters, min(n_landmarks, n_samples // 3)))


def draw_landmarks(
    X: Any, n_landmarks: int, *, rng: np.random.Generator, method: str = "hybrid"
) -> FloatArray:
    """Choose points that represent many samples, (n_landmarks, n_features).

    ``method``: "hybrid", the centres of k-means on ten times as many random samples;
    "random", random samples; "kmeans", the centres of k-means on all samples.
    """
    n = X.shape[0]
    if n_landmarks >= n:
        return _dense(X).copy()
    if method == "random":
        return _dense(X[np.sort(rng.choice(n, size=n_landmarks, replace=False))])
    if method == "hybrid" and _CANDIDATES * n_landmarks < n:
        size = _CANDIDATES * n_landmarks
        X = X[np.sort(rng.choice(n, size=size, replace=False))]
    found = kmeans(X, n_landmarks, rng=rng, init="random", max_iter=_FEW_ITER)
    return found.centers


def nearest_landmarks(
    X: Any,
    landmarks: FloatArray,
    n_neighbors: int,
    *,
    rng: np.random.Generator,
    exact: bool = False,
) -> Neighbors:
    """Find the landmarks near each sample; exactly if ``exact`` or X is sparse.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import nearest_landmarks
    >>> X, landmarks = np.array([[0.0], [4.0]]), np.array([[0.0], [5.0]])
    >>> nearest_landmarks(X, landmarks, 1, rng=np.random.default_rng(0)).indices.ravel()
    array([0, 1], dtype=int32)
    """
    if is_sparse(X):
        return _nearest_of_sparse(X, landmarks, n_neighbors)
    if exact:
        return nearest_neighbors(landmarks, n_neighbors, queries=X)
    return landmark_index(landmarks, n_neighbors, rng=rng).nearest(X)


@dataclass(frozen=True, eq=False)
class LandmarkIndex:
    """Finds landmarks near samples, through groups of landmarks.

    Attributes
    ----------
    landmarks : ndarray of shape (p, n_features)
        The landmarks.
    n_neighbors : int
        Landmarks to find for each sample.
    groups : ndarray of shape (g, n_features)
        Centres of groups of landmarks; empty for an exact search.
    starts, order : ndarray of int
        The landmarks of each group.
    near : ndarray of int32
        The landmarks around each landmark, itself first.
    """

    landmarks: FloatArray
    n_neighbors: int
    groups: FloatArray
    starts: NDArray[np.int64]
    order: NDArray[np.int64]
    near: NDArray[np.int32]

    def nearest(self, X: FloatArray) -> Neighbors:
        """Return landmarks near each sample, the nearest first."""
        from coterie._kernels._landmarks import nearest_of_groups

        if not len(self.groups):
            return nearest_neighbors(self.landmarks, self.n_neighbors, queries=X)
        indices = np.empty((X.shape[0], self.n_neighbors), dtype=np.int32)
        sqdist = np.empty((X.shape[0], self.n_neighbors))
        nearest_of_groups(
            np.ascontiguousarray(X),
            self.landmarks,
            self.groups,
            self.starts,
            self.order,
            self.near,
            indices,
            sqdist,
        )
        return Neighbors(indices, sqdist)


def landmark_index(
    landmarks: FloatArray, n_neighbors: int, *, rng: np.random.Generator
) -> LandmarkIndex:
    """Prepare the search for the ``n_neighbors`` landmarks near dense samples."""
    p = landmarks.shape[0]
    vicinity = min(_VICINITY * n_neighbors, p - 1)
    if vicinity == p - 1:
        none = np.empty(0, dtype=np.int64)
        near = np.empty((0, 0), dtype=np.int32)
        return LandmarkIndex(landmarks, n_neighbors, landmarks[:0], none, none, near)
    groups = kmeans(
        landmarks, int(np.sqrt(p)), rng=rng, init="random", max_iter=_FEW_ITER
    )
    order = np.argsort(groups.labels, kind="stable")
    sizes = np.bincount(groups.labels, minlength=groups.centers.shape[0])
    starts = np.concatenate([[0], np.cumsum(sizes[sizes > 0])])
    around = nearest_neighbors(landmarks, vicinity).indices
    near = np.hstack([np.arange(p, dtype=np.int32)[:, None], around])
    centers = groups.centers[sizes > 0]
    return LandmarkIndex(landmarks, n_neighbors, centers, starts, order, near)


def landmark_affinity(
    near: Neighbors, n_landmarks: int, sigma: float | None = None
) -> scipy.sparse.csr_array:
    r"""Return the weights :math:`\exp(-d^2 / (2 \sigma^2))`, (n_samples, n_landmarks).

    ``sigma=None`` is the mean distance. No weight is zero.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import landmark_affinity, nearest_landmarks
    >>> X, landmarks = np.array([[0.0], [4.0]]), np.array([[0.0], [5.0]])
    >>> near = nearest_landmarks(X, landmarks, 1, rng=np.random.default_rng(0))
    >>> landmark_affinity(near, 2).toarray().round(2)
    array([[1.  , 0.  ],
           [0.  , 0.14]])
    """
    n, K = near.indices.shape
    if sigma is None:
        sigma = mean_distance(near)
    exponent = near.sqdist.astype(np.float64).ravel()
    if sigma > 0:
        exponent /= -2.0 * sigma * sigma
    weights = np.maximum(np.exp(exponent), np.finfo(np.float64).eps)
    indptr = np.arange(n + 1, dtype=np.int64) * K
    shape = (n, n_landmarks)
    return scipy.sparse.csr_array((weights, near.indices.ravel(), indptr), shape=shape)


def mean_distance(near: Neighbors) -> float:
    """Return the mean distance of samples to the landmarks near them."""
    return float(np.sqrt(near.sqdist).mean(dtype=np.float64))


def cluster_unit_rows(
    U: FloatArray,
    n_clusters: int,
    *,
    rng: np.random.Generator,
    n_init: int,
    max_iter: int,
) -> LabelArray:
    """Cluster the rows of an embedding, scaled to unit length, by k-means.

    For many rows, the ``n_init`` starts are tried on a subsample.
    """
    size = max(_SAMPLE_ROWS, _SAMPLE_PER_CLUSTER * n_clusters)
    return kmeans_from_sample(
        unit_rows(U), n_clusters, size, rng=rng, n_init=n_init, max_iter=max_iter
    ).labels


def _nearest_of_sparse(X: Any, landmarks: FloatArray, n_neighbors: int) -> Neighbors:
    n, p = X.shape[0], landmarks.shape[0]
    indices = np.empty((n, n_neighbors), dtype=np.int32)
    sqdist = np.empty((n, n_neighbors))
    row_sq = np.asarray(X.multiply(X).sum(axis=1), dtype=np.float64).ravel()
    column_sq = np.einsum("pd,pd->p", landmarks, landmarks, dtype=np.float64)
    step = max(1, _TILE_BYTES // (8 * p))
    for start in range(0, n, step):
        rows = slice(start, start + step)
        D = np.asarray(X[rows] @ landmarks.T, dtype=np.float64) * -2.0
        D += row_sq[rows, None] + column_sq
        np.maximum(D, 0.0, out=D)
        nearest = np.argsort(D, axis=1, kind="stable")[:, :n_neighbors]
        indices[rows] = nearest
        sqdist[rows] = np.take_along_axis(D, nearest, axis=1)
    return Neighbors(indices, sqdist)


def _dense(X: Any) -> Any:
    return X.toarray() if is_sparse(X) else np.ascontiguousarray(X)
