"""Locally adaptive clustering: each cluster weighs the features in its own way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from coterie._docs import fill_doc
from coterie._typing import LABEL_DTYPE
from coterie._validation import check_data, check_n_clusters, is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie._typing import LabelArray


@dataclass(frozen=True, eq=False)
class AdaptiveResult:
    """A clustering with feature weights for each cluster, in rows that sum to one."""

    labels: LabelArray
    centers: NDArray[np.float64]
    feature_weights: NDArray[np.float64]
    n_iter: int
    converged: bool


def weighted_sqdist(X: Any, centers: Any, feature_weights: Any) -> NDArray[np.float64]:
    r"""Return :math:`d_{ij} = \sum_s w_{js} (x_{is} - c_{js})^2`.

    X is an array or CSR matrix; each centre has its own feature weights.
    """
    C, W = np.asarray(centers, dtype=np.float64), np.asarray(feature_weights)
    if is_sparse(X):
        squares = X.multiply(X).tocsr()
    else:
        origin = C.mean(axis=0)  # keeps digits in the products below
        X, C = X - origin, C - origin
        squares = X * X
    D = squares @ W.T
    D -= 2.0 * (X @ (W * C).T)
    D += (W * C * C).sum(axis=1)
    return np.maximum(D, 0.0)


@fill_doc
def lac(
    X: Any,
    n_clusters: int,
    *,
    h: float,
    rng: np.random.Generator,
    init: str = "scattered",
    max_iter: int = 100,
) -> AdaptiveResult:
    r"""Cluster samples where each cluster lies in directions of its own.

    Alternately, samples go to the nearest centre in its own metric, and features with
    little spread in a cluster gain weight there [1]_,

    .. math::

        w_{js} = \exp(-V_{js} / h) \Bigl/ \sum_t \exp(-V_{jt} / h), \qquad
        V_{js} = \frac{1}{|S_j|} \sum_{i \in S_j} (c_{js} - x_{is})^2 .

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The samples; features should be of similar scale.
    n_clusters : int
        Number of clusters.
    h : float
        The smaller, the fewer features matter in a cluster.
    rng : numpy.random.Generator
        Source of all random draws.
    init : {"scattered", "random"}, default="scattered"
        The first centres: one random sample, then repeatedly the sample farthest from
        all of them; or random samples.
    max_iter : int, default=100
        Maximum number of iterations.

    Notes
    -----
    A cluster that loses all its samples takes the sample farthest from its centre.

    References
    ----------
    %(paper:domeniconi2007lac)s

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import lac
    >>> X = np.array([[0, 0], [0.1, 1], [0, 2], [5, 0], [5.1, 1], [5, 2]])
    >>> found = lac(X, 2, h=0.2, rng=np.random.default_rng(0))
    >>> found.labels.tolist()
    [1, 1, 1, 0, 0, 0]
    >>> found.feature_weights.round(2).tolist()  # only the first separates them
    [[0.97, 0.03], [0.97, 0.03]]
    """
    X = check_data(X, "lac", accept_sparse=True)
    k = check_n_clusters(n_clusters, X.shape[0], "lac")
    if not is_sparse(X):
        origin = X.mean(axis=0, dtype=np.float64)
        X = X - origin
    else:
        origin = np.zeros(X.shape[1])
    centers = _first_centers(X, k, init, rng)
    weights = np.full(centers.shape, 1.0 / X.shape[1])
    labels = np.full(X.shape[0], -1, dtype=LABEL_DTYPE)
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        nearest = _assign(X, centers, weights)
        weights = _feature_weights(X, nearest, centers, h)
        nearest = _assign(X, centers, weights)
        centers = _means(X, nearest, k)
        converged = bool(np.array_equal(nearest, labels))
        labels = nearest
    return AdaptiveResult(labels, centers + origin, weights, n_iter, converged)


def _first_centers(
    X: Any, k: int, init: str, rng: np.random.Generator
) -> NDArray[np.float64]:
    n, d = X.shape
    if init == "random":
        return _rows(X, rng.choice(n, k, replace=False))
    chosen = [int(rng.integers(n))]
    equal = np.full((1, d), 1.0)
    nearest = weighted_sqdist(X, _rows(X, chosen), equal)[:, 0]
    while len(chosen) < k:
        nearest[chosen] = -1.0  # duplicates of a centre come before the centre itself
        chosen.append(int(nearest.argmax()))
        far = weighted_sqdist(X, _rows(X, chosen[-1:]), equal)[:, 0]
        nearest = np.minimum(nearest, far)
    return _rows(X, chosen)


def _rows(X: Any, chosen: Any) -> NDArray[np.float64]:
    rows = X[chosen]
    rows = rows.toarray() if is_sparse(rows) else rows
    return np.asarray(rows, dtype=np.float64)


def _assign(X: Any, centers: Any, weights: Any) -> LabelArray:
    D = weighted_sqdist(X, centers, weights)
    labels = D.argmin(axis=1).astype(LABEL_DTYPE)
    own = D[np.arange(labels.size), labels]
    sizes = np.bincount(labels, minlength=len(centers))
    for empty in np.flatnonzero(sizes == 0):
        row = int(np.where(sizes[labels] > 1, own, -1.0).argmax())
        sizes[labels[row]] -= 1
        sizes[empty] += 1
        labels[row] = empty
        own[row] = 0.0
    return labels


def _means(X: Any, labels: LabelArray, k: int) -> NDArray[np.float64]:
    sizes = np.bincount(labels, minlength=k)
    shape = (k, labels.size)
    at = (labels, np.arange(labels.size))
    means = scipy.sparse.csr_array(((1.0 / sizes)[labels], at), shape=shape) @ X
    return np.asarray(means.toarray() if is_sparse(means) else means)


def _feature_weights(
    X: Any, labels: LabelArray, centers: NDArray[np.float64], h: float
) -> NDArray[np.float64]:
    k = len(centers)
    squares = X.multiply(X).tocsr() if is_sparse(X) else X * X
    V = _means(squares, labels, k) - 2.0 * centers * _means(X, labels, k) + centers**2
    logs = -np.maximum(V, 0.0) / h
    logs -= logs.max(axis=1, keepdims=True)
    weights = np.exp(logs)
    return weights / weights.sum(axis=1, keepdims=True)
