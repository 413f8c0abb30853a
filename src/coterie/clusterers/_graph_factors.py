"""GNMF: non-negative factors of the data that respect a graph of neighbours."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array
from sklearn.preprocessing import normalize

from coterie._docs import fill_doc
from coterie._linalg import kmeans, nearest_neighbors
from coterie._validation import COUNT, Interval, is_sparse
from coterie.clusterers._base import BaseClusterer

_TINY = 1e-12
_STARTS = 10  # of the final k-means


@fill_doc
class GNMF(BaseClusterer):
    r"""Graph-regularised non-negative matrix factorisation.

    Samples are non-negative mixtures of parts, and neighbours have similar mixtures,

    .. math::

        \min_{U, V \ge 0} \lVert X^T - U V^T \rVert^2
        + \lambda \, \mathrm{Tr}(V^T L V),

    with L the Laplacian of the graph of nearest neighbours; k-means on the rows of V
    gives the clusters [1]_. For non-negative data such as pixels or counts.

    Parameters
    ----------
    n_clusters : int or "auto", default=8
        Number of clusters and of parts; "auto" leaves it to :func:`~coterie.choose_k`,
        which may choose one.
    alpha : float, default=100.0
        Weight of the graph term, :math:`\lambda` in the paper.
    n_neighbors : int, default=5
        Neighbours in the graph, p in the paper.
    unit_length : bool, default=True
        Whether samples are scaled to unit length first. ``alpha`` is meant for such
        samples; otherwise it depends on their scale.
    max_iter : int, default=200
        Maximum number of updates.
    tol : float, default=1e-5
        Stop when the objective falls by less than this fraction.
    %(random_state)s

    Attributes
    ----------
    %(labels_attributes)s
    embedding_ : (n_samples, n_clusters) array
        V: the mixture of parts for each sample.
    components_ : (n_clusters, n_features) array
        The parts, the columns of U, of unit length.
    objective_ : float
        Final value of the objective.
    n_iter_ : int
        Number of updates.
    %(seen_attributes)s

    Notes
    -----
    The graph is unweighted: two samples are joined if either is a neighbour of the
    other. Scaling samples to unit length is from the authors' program. Features with
    negative entries are shifted to start at zero, which is our addition.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from coterie.clusterers import GNMF
    >>> model = GNMF(n_clusters=10, random_state=0).fit(load_digits().data)
    >>> model.components_.shape
    (10, 64)
    """

    name = "gnmf"
    summary = "non-negative factorisation of the data with a neighbour graph"
    cost = "time N^2 D + t N D k, memory N (D + k)"
    paper = "cai2011gnmf"
    accepts_sparse: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseClusterer._parameter_constraints,
        "alpha": [Interval(Real, 0, None, closed="left")],
        "n_neighbors": COUNT,
        "unit_length": ["boolean"],
        "max_iter": COUNT,
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        alpha: float = 100.0,
        n_neighbors: int = 5,
        unit_length: bool = True,
        max_iter: int = 200,
        tol: float = 1e-5,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.unit_length = unit_length
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state

    def _cluster(self, X: Any, rng: np.random.Generator) -> np.ndarray:
        X = _without_negatives(X.astype(np.float64))
        if self.unit_length:
            X = normalize(X)
        n, k = X.shape[0], self.n_clusters_
        W = neighbor_graph(X, min(self.n_neighbors, n - 1))
        degrees = np.asarray(W.sum(axis=1)).reshape(-1, 1)
        U = rng.random((X.shape[1], k)) + _TINY
        V = rng.random((n, k)) + _TINY
        squares = X.multiply(X) if is_sparse(X) else X * X
        total = float(squares.sum())
        before, objective, self.n_iter_ = np.inf, np.inf, 0
        while self.n_iter_ < self.max_iter:
            self.n_iter_ += 1
            U *= (X.T @ V) / np.maximum(U @ (V.T @ V), _TINY)
            XU = X @ U
            V *= (XU + self.alpha * (W @ V)) / np.maximum(
                V @ (U.T @ U) + self.alpha * degrees * V, _TINY
            )
            # |X^T - U V^T|^2 + alpha Tr V^T L V, without the product of U and V
            fit = total - 2.0 * (XU * V).sum() + ((U.T @ U) * (V.T @ V)).sum()
            rough = (degrees * V * V).sum() - (V * (W @ V)).sum()
            objective = float(fit + self.alpha * rough)
            if before - objective <= self.tol * max(total, _TINY):
                break
            before = objective
        lengths = np.maximum(np.linalg.norm(U, axis=0), _TINY)
        self.components_ = (U / lengths).T
        self.embedding_ = V * lengths
        self.objective_ = objective
        return kmeans(self.embedding_, k, rng=rng, n_init=_STARTS).labels


def _without_negatives(X: Any) -> Any:
    """Shift features with negative entries to start at zero."""
    least = X.min(axis=0)
    if is_sparse(X):
        if least.min() < 0:
            raise ValueError(
                "GNMF needs sparse data without negative entries, got "
                f"{least.min():.3g}. Pass a dense array: its features can be shifted."
            )
        return X
    return X - np.minimum(least, 0.0)


def neighbor_graph(X: Any, n_neighbors: int) -> csr_array:
    """Return the 0/1 graph that joins each sample to its nearest neighbours."""
    n = X.shape[0]
    if n_neighbors < 1:
        return csr_array((n, n))
    found = nearest_neighbors(X, n_neighbors).indices
    at = (np.repeat(np.arange(n), n_neighbors), found.ravel())
    W = csr_array((np.ones(found.size), at), shape=(n, n))
    return W.maximum(W.T).tocsr()
