"""Graphs that join each sample to those most similar to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from scipy.stats import rankdata

from coterie.linalg._neighbors import nearest_neighbors

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from coterie._typing import FloatArray

_TILE = 512
_NO_LISTS = np.empty((0, 0), dtype=np.int32)
ALL_PAIRS = 4000  # up to so many rows, the matrix of all distances is kept
_N_LISTED = 128


def density_graph(
    X: Any, n_neighbors: int, mu: float, *, candidates: Any = None, dtype: Any = None
) -> csr_array:
    """Join samples whose density kernel is largest."""
    D, ids = _distances(X, candidates, dtype)
    k = min(n_neighbors, X.shape[0] - 1, D.shape[1])
    shape = X.shape[0], k
    near = np.empty(shape, dtype=D.dtype), np.empty(shape, dtype=np.int32)
    _kernels().nearest(D, ids.size > 0, *near)
    rho = near[0].mean(axis=1, dtype=np.float64)  # (N,)
    best, places = np.empty(shape), np.empty(shape, dtype=np.int32)
    _kernels().densest(D, ids, rho, float(mu), near[1], best, places)
    D = np.take_along_axis(D, places, axis=1).astype(np.float64)  # (N, k)
    ids = np.take_along_axis(ids, places, axis=1) if ids.size else places
    eps = (rho[:, None] + rho[ids] + D) / 3
    with np.errstate(divide="ignore", invalid="ignore"):
        W = np.exp(-((D / (mu * eps)) ** 2) / 2) / (np.sqrt(2 * np.pi) * mu * eps)
    twins = eps == 0
    if twins.any():
        W[twins] = np.where(twins, 0, W).max() if not twins.all() else 1.0
    return _union(ids, W)


def exponential_graph(
    X: Any, n_neighbors: int, mu: float, *, candidates: Any = None, dtype: Any = None
) -> csr_array:
    """Join nearest neighbours by the scaled exponential kernel."""
    ids, D = _nearest(X, n_neighbors, candidates, dtype)
    d = np.sqrt(D.astype(np.float64))
    rho = d.mean(axis=1)
    eps = (rho[:, None] + rho[ids] + d) / 3
    W = np.exp(-d / (mu * np.where(eps > 0, eps, 1)))
    return _union(ids, W)


def correlation_graph(
    X: Any,
    n_neighbors: int,
    metric: str,
    *,
    candidates: Any = None,
    dtype: Any = None,
) -> csr_array:
    """Join the samples of largest cosine, correlation or rank correlation."""
    U = _directions(X, metric)
    ids, D = _nearest(U, n_neighbors, candidates, dtype)
    is_zero = np.asarray(abs(U).sum(axis=1)).ravel() == 0
    W = np.clip(1 - D.astype(np.float64) / 2, 0, 1)
    W[is_zero[:, None] != is_zero[ids]] = 0
    return _union(ids, W)


def _directions(X: Any, metric: str) -> Any:
    """Return rows of length one whose products are the similarities; or zero rows."""
    if metric != "cosine":
        X = X.toarray() if scipy.sparse.issparse(X) else X
        X = rankdata(X, axis=1) if metric == "spearman" else X.astype(np.float64)
        center = X.mean(axis=1, keepdims=True)
        spread = np.abs(X).max(axis=1, keepdims=True) * 1e-12
        X = X - center
        X[np.abs(X) <= spread] = 0
    if scipy.sparse.issparse(X):
        X = X.astype(np.float64)
        norms = np.sqrt(np.asarray(X.multiply(X).sum(axis=1)).ravel())
        scale = np.where(norms > 0, 1 / np.where(norms > 0, norms, 1), 0)
        return scipy.sparse.csr_array(scipy.sparse.diags_array(scale) @ X)
    norms = np.linalg.norm(X, axis=1, keepdims=True)
    return X / np.where(norms > 0, norms, 1)


def _distances(X: Any, candidates: Any, dtype: Any) -> tuple[FloatArray, Any]:
    n = X.shape[0]
    if candidates is None and n <= ALL_PAIRS:
        return _all_pairs(X, np.dtype(dtype or np.float64)), _NO_LISTS
    if candidates is None:
        found = nearest_neighbors(X, min(_N_LISTED, n - 1))
        return found.sqdist, found.indices
    D = np.empty(candidates.shape, dtype=dtype or np.float32)
    _run("listed", X, candidates, D)
    return D, candidates


def _nearest(X: Any, n_neighbors: int, candidates: Any, dtype: Any) -> Any:
    k = min(n_neighbors, X.shape[0] - 1)
    if candidates is None:
        X = X.astype(dtype or np.float64, copy=False)
        found = nearest_neighbors(X, k)
        return found.indices, found.sqdist
    D, ids = _distances(X, candidates, dtype)
    shape = X.shape[0], k
    values, places = np.empty(shape, dtype=D.dtype), np.empty(shape, dtype=np.int32)
    _kernels().nearest(D, True, values, places)
    return np.take_along_axis(ids, places, axis=1), values


def _all_pairs(X: Any, dtype: np.dtype) -> FloatArray:
    """Return the squared distances of all pairs of rows, (N, N)."""
    n = X.shape[0]
    X = X.astype(np.float64 if scipy.sparse.issparse(X) else dtype, copy=False)
    if scipy.sparse.issparse(X):
        X = scipy.sparse.csr_array(X)
        X.sum_duplicates()
        sq = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    else:
        X = X - X.mean(axis=0, dtype=np.float64).astype(dtype)
        sq = np.einsum("nd,nd->n", X, X)
    slack = 10 * float(np.finfo(X.dtype).eps) ** 0.5
    D = np.empty((n, n), dtype=X.dtype)
    for s in range(0, n, _TILE):
        rows = slice(s, s + _TILE)
        left = X[rows] * X.dtype.type(-2)
        for t in range(s, n, _TILE):
            products = left @ X[t : t + _TILE].T
            if scipy.sparse.issparse(products):
                products = products.toarray()
            _run("mirror", X, products, sq, s, t, X.dtype.type(slack), D)
    return D


def _union(ids: NDArray[np.int32], W: FloatArray) -> csr_array:
    """Return the graph in which each row is joined to its list, or is in theirs."""
    n, k = ids.shape
    indptr = np.arange(n + 1) * k
    G = scipy.sparse.csr_array((W.ravel(), ids.ravel(), indptr), shape=(n, n))
    G = G.maximum(G.T).tocsr()
    G.sort_indices()
    G.eliminate_zeros()
    return G


def _run(name: str, X: Any, *args: Any) -> None:
    if scipy.sparse.issparse(X):
        getattr(_kernels(), f"{name}_csr")(X.data, X.indices, X.indptr, *args)
    else:
        getattr(_kernels(), f"{name}_dense")(X, *args)


def _kernels() -> ModuleType:
    from coterie._kernels import _similarity

    return _similarity
