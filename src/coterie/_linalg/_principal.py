"""Principal components of dense and sparse data."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg

from coterie._validation import is_sparse

_DENSE = 1000  # order up to which all eigenvectors of the products are cheap
_ROUNDING = 1e-12  # share of the variance below which a component is rounding error


def principal_components(X: Any, n_components: int) -> Any:
    """Return the samples in the directions of largest variance, (N, r) float64.

    Components without variance are left out, so r may be less than ``n_components``.
    The largest entry of the centred data is scaled to one; nothing overflows.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import principal_components
    >>> X = np.array([[0.0, 0.0, 5.0], [1.0, 1.0, 5.0], [2.0, 2.0, 5.0]])
    >>> np.abs(principal_components(X, 2)).round(3)
    array([[1.414],
           [0.   ],
           [1.414]])
    """
    n, n_features = X.shape
    q = min(n_components, n, n_features)
    X = X.astype(np.float64) / (float(abs(X).max()) or 1.0)
    if is_sparse(X):
        small = n * n_features <= _DENSE**2 or min(n, n_features) <= 3 * q
        X = X.toarray() if small else X
    if is_sparse(X):
        scores, variances, total = _of_sparse(X, q)
    else:
        X -= X.mean(axis=0)
        X /= float(np.abs(X).max()) or 1.0
        scores, variances = _of_dense(X, q)
        total = np.einsum("nd,nd->", X, X)
    return scores[:, variances > _ROUNDING * total]


def _of_dense(near: Any, q: int) -> tuple[Any, Any]:
    n, n_features = near.shape
    if min(n, n_features) > _DENSE:
        from sklearn.utils.extmath import randomized_svd

        U, lengths, _ = randomized_svd(near, q, random_state=0)
        return U * lengths, lengths**2
    by_samples = n < n_features
    products = near @ near.T if by_samples else near.T @ near
    ends = [len(products) - q, len(products) - 1]
    values, vectors = scipy.linalg.eigh(products, subset_by_index=ends)
    values = np.maximum(values, 0.0)
    scores = vectors * np.sqrt(values) if by_samples else near @ vectors
    return scores[:, ::-1], values[::-1]


def _of_sparse(X: Any, q: int) -> tuple[Any, Any, float]:
    """Centre implicitly: sparse data stay sparse."""
    from scipy.sparse.linalg import LinearOperator, svds

    n, n_features = X.shape
    mean = np.asarray(X.mean(axis=0)).ravel()
    total = float(X.multiply(X).sum() - n * (mean @ mean))
    if total <= _ROUNDING * n * max(float(mean @ mean), 1e-300):
        return np.zeros((n, 0)), np.zeros(0), 0.0
    centred = LinearOperator(
        (n, n_features),
        matvec=lambda v: X @ v.ravel() - mean @ v.ravel(),
        rmatvec=lambda u: X.T @ u.ravel() - mean * u.sum(),
        dtype=np.float64,
    )
    start = np.random.default_rng(0).standard_normal(min(n, n_features))
    U, lengths, _ = svds(centred, min(q, n - 1, n_features - 1), v0=start)
    return (U * lengths)[:, ::-1], lengths[::-1] ** 2, total
