"""Graphs that join each sample to those most similar to it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from scipy.stats import rankdata

from coterie._linalg._neighbors import own_neighbors
from coterie._validation import check_data, is_sparse

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from coterie._typing import FloatArray

ALL_PAIRS = 4000  # rows up to which the distances of all pairs are kept
_N_NEAREST = 128  # nearest neighbours searched beyond that
_TILE = 512
_NO_LISTS = np.empty((0, 0), dtype=np.int32)
_NO_MIRROR = np.empty((0, 0), dtype=np.int16)


@dataclass(frozen=True, eq=False)
class SimilarityGraph:
    """A graph of similar samples.

    ``weights``: csr_array, symmetric, nonnegative, zero on the diagonal. ``recall``:
    share of the exact neighbours that were found, on a subsample of the rows; 1 for an
    exact search.
    """

    weights: csr_array
    recall: float


def density_graph(
    X: Any,
    n_neighbors: int,
    mu: float,
    *,
    candidates: Any = None,
    mirror: Any = None,
    n_checked: int = 8,
    distances: Distances | None = None,
) -> SimilarityGraph:
    r"""Join each sample to those at which a Gaussian around it is densest.

    With the squared distances :math:`D_{ij}`, the mean :math:`\rho_i` of the k smallest
    of sample i, and :math:`\varepsilon_{ij} = (\rho_i + \rho_j + D_{ij}) / 3`,

    .. math:: W_{ij} = \frac{1}{\sqrt{2 \pi} \mu \varepsilon_{ij}}
        \exp\left(-\frac{D_{ij}^2}{2 \mu^2 \varepsilon_{ij}^2}\right)

    is kept if it is one of the k largest in its row or in its column. These are not the
    k nearest: a small ``mu`` prefers samples in sparse regions.

    Parameters
    ----------
    X : ndarray or CSR matrix of shape (n_samples, n_features)
        The data. Distances are computed in the dtype of X, for CSR in float64.
    n_neighbors : int
        k; at most n_samples - 1 is used.
    mu : float
        Width of the Gaussian.
    candidates : ndarray of int32, shape (n_samples, n_candidates), default=None
        The rows to search for each row's neighbours, itself excluded. None = all rows.
    mirror : ndarray of int, shape (n_samples, n_candidates), default=None
        :func:`mirrored` of the candidates, or of longer lists that begin with them:
        rows that list each other are then compared only once.
    n_checked : int, default=8
        Number of evenly spaced rows on which recall is measured.
    distances : Distances, default=None
        :func:`candidate_distances` of X, for several graphs of the same data. Their
        candidates may be longer lists that begin with those given here.

    Notes
    -----
    If a sample and its neighbours coincide, :math:`\varepsilon_{ij} = 0` and W would be
    infinite; such pairs get the largest finite weight of the graph, or one. Among equal
    weights, those to samples of lower index are kept.

    Without candidates and beyond 4,000 samples, only the 128 nearest of each are
    searched; they contained more than .999 of the k of largest weight on the data that
    we tried.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import density_graph
    >>> graph = density_graph(np.array([[0.0], [1.0], [5.0], [6.0]]), 1, 0.5)
    >>> (graph.weights.toarray() > 0).astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 0, 0],
           [0, 0, 0, 1],
           [0, 0, 1, 0]])
    """
    if distances is None:
        X = _check(X, n_neighbors, "density_graph")
        distances = candidate_distances(X, candidates, mirror, n_checked)
    search = distances.near.shortened(candidates)
    k = min(n_neighbors, X.shape[0] - 1, search.n_candidates)
    rho, places, ranks = _densest(search, k, mu)
    ids = search.pick(places)
    with np.errstate(over="ignore"):
        W = np.exp(-ranks) * (3 / (np.sqrt(2 * np.pi) * mu))
    infinite = np.isinf(W)
    if infinite.any():
        W[infinite] = np.max(W[~infinite], initial=0.0) or 1.0
    recall = 1.0
    exact = distances.exact
    if exact is not None:
        recall = _found(_densest_listed(exact, k, mu, rho)[1], ids[exact.rows])
    return SimilarityGraph(_union(ids, W), recall)


def exponential_graph(
    X: Any,
    n_neighbors: int,
    mu: float,
    *,
    candidates: Any = None,
    mirror: Any = None,
    n_checked: int = 8,
) -> SimilarityGraph:
    r"""Join each sample to its nearest neighbours by a scaled exponential kernel.

    With the distances :math:`d_{ij}`, the mean :math:`\rho_i` of those of sample i to
    its k nearest neighbours, and :math:`\varepsilon_{ij} = (\rho_i + \rho_j + d_{ij}) /
    3`,

    .. math:: W_{ij} = \exp\left(-\frac{d_{ij}}{\mu \varepsilon_{ij}}\right)

    where i is a neighbour of j or j of i. Parameters as in :func:`density_graph`.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import exponential_graph
    >>> graph = exponential_graph(np.array([[0.0], [1.0], [5.0], [6.0]]), 1, 0.5)
    >>> (graph.weights.toarray() > 0).astype(int)
    array([[0, 1, 0, 0],
           [1, 0, 0, 0],
           [0, 0, 0, 1],
           [0, 0, 1, 0]])
    """
    X = _check(X, n_neighbors, "exponential_graph")
    ids, D, recall = _neighbors(X, n_neighbors, candidates, mirror, n_checked)
    d = np.sqrt(D.astype(np.float64))  # (N, k)
    rho = d.mean(axis=1)  # (N,), Eq. 2
    eps = (rho[:, None] + rho[ids] + d) / 3  # Eq. 3
    W = np.exp(-d / (mu * np.where(eps > 0, eps, 1)))  # Eq. 1
    return SimilarityGraph(_union(ids, W), recall)


def direction_graph(
    U: Any,
    n_neighbors: int,
    *,
    candidates: Any = None,
    mirror: Any = None,
    n_checked: int = 8,
) -> SimilarityGraph:
    """Join each sample to those with the most similar direction.

    The weights are the products of the rows, clipped at zero. The rows of U have length
    one or zero, see :func:`directions`. A zero row has no direction: it is similar,
    with weight one, to other zero rows, and not at all to the rest. Other parameters as
    in :func:`density_graph`.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import direction_graph
    >>> U = np.array([[1.0, 0.0], [0.6, 0.8], [0.0, 1.0]])
    >>> direction_graph(U, 1).weights.toarray().round(2)
    array([[0. , 0.6, 0. ],
           [0.6, 0. , 0.8],
           [0. , 0.8, 0. ]])
    """
    U = _check(U, n_neighbors, "direction_graph")
    ids, D, recall = _neighbors(U, n_neighbors, candidates, mirror, n_checked)
    is_zero = _largest(U) == 0
    W = np.clip(1 - D.astype(np.float64) / 2, 0, 1)  # |u - v|^2 = 2 - 2 u.v
    W[is_zero[:, None] != is_zero[ids]] = 0
    return SimilarityGraph(_union(ids, W), recall)


def directions(X: Any, metric: str) -> Any:
    """Return rows whose inner products are the similarities of the rows of X.

    ``metric``: "cosine"; "correlation", the cosine of the centred rows; or "spearman",
    that of the centred ranks (the latter two make a CSR matrix dense). Rows have length
    one, or zero if a row is zero or, for the latter two, constant.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import directions
    >>> directions(np.array([[3.0, 4.0], [0.0, 2.0]]), "cosine")
    array([[0.6, 0.8],
           [0. , 1. ]])
    """
    if metric != "cosine":
        X = X.toarray() if is_sparse(X) else np.asarray(X)
        X = rankdata(X, axis=1) if metric == "spearman" else X.astype(np.float64)
        rounding = 1e-12 * np.abs(X).max(axis=1, keepdims=True)
        X = X - X.mean(axis=1, keepdims=True)
        X[np.abs(X).max(axis=1) <= rounding[:, 0]] = 0
    # scaled first: squares must neither overflow nor underflow
    if is_sparse(X):
        X = scipy.sparse.csr_array(X, dtype=np.float64, copy=True)
        for norm in (_largest, _length):
            norms = np.repeat(norm(X), np.diff(X.indptr))
            X.data /= np.where(norms > 0, norms, 1)
        return X
    X = np.asarray(X, dtype=np.float64)
    for norm in (_largest, _length):
        norms = norm(X)[:, None]
        X = X / np.where(norms > 0, norms, 1)
    return X


def _largest(X: Any) -> FloatArray:
    """Return the largest magnitude in each row."""
    found = abs(X).max(axis=1)
    return found.toarray().ravel() if is_sparse(found) else found


def _length(X: Any) -> FloatArray:
    return np.sqrt((X * X).sum(axis=1))


def _check(X: Any, n_neighbors: int, who: str) -> Any:
    """Return X in the form kernels expect: C-ordered, or canonical CSR in float64."""
    X = check_data(X, who, accept_sparse=True)
    if X.shape[0] < 2:
        raise ValueError(f"{who} needs at least two samples, got {X.shape[0]}.")
    if n_neighbors < 1:
        raise ValueError(f"{who} expects n_neighbors of at least 1, got {n_neighbors}.")
    if not is_sparse(X):
        return np.ascontiguousarray(X)
    X = scipy.sparse.csr_array(X, dtype=np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X


@dataclass(frozen=True, eq=False)
class _Search:
    """Rows, their candidates and the squared distances to them."""

    D: FloatArray  # (n, n_candidates)
    ids: NDArray[np.int32]  # (n, n_candidates); empty: column j is row j
    rows: NDArray[np.intp]  # (n,) the data rows that the rows of D belong to

    @property
    def n_candidates(self) -> int:
        return self.D.shape[1] if self.ids.size else self.D.shape[1] - 1

    def pick(self, places: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return the data rows at some positions."""
        if not self.ids.size:
            return places
        starts = self.ids.shape[1] * np.arange(len(places))[:, None]
        return np.take(self.ids, places + starts)

    def shortened(self, candidates: Any) -> _Search:
        """Return the same for the first candidates only, as many as there are here."""
        if candidates is None or candidates.shape[1] == self.D.shape[1]:
            return self
        D = np.ascontiguousarray(self.D[:, : candidates.shape[1]])
        return _Search(D, candidates, self.rows)

    def checked_rows(self, n_checked: int) -> NDArray[np.intp]:
        n = self.D.shape[0]
        return np.unique(np.linspace(0, n - 1, min(n, n_checked)).astype(np.intp))


@dataclass(frozen=True, eq=False)
class Distances:
    """Squared distances of rows to their candidates, and of some rows to all others."""

    near: _Search
    exact: _Search | None  # None: all rows are candidates


def candidate_distances(
    X: Any, candidates: Any = None, mirror: Any = None, n_checked: int = 8
) -> Distances:
    """Return the distances that :func:`density_graph` needs, for several graphs.

    Parameters as there. Distances in the same features depend neither on the number of
    neighbours nor on the kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import candidate_distances, density_graph
    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> known = candidate_distances(X)
    >>> once = density_graph(X, 4, 0.5, distances=known).weights
    >>> abs(once - density_graph(X, 4, 0.5).weights).max()
    np.float64(0.0)
    """
    near = _search(X, candidates, mirror)
    if candidates is None:
        return Distances(near, None)
    rows = near.checked_rows(n_checked)
    exact = _all_candidates(X, rows, listed=True)
    exact.D[np.arange(rows.size), rows] = np.inf  # not itself
    return Distances(near, exact)


def mirrored(candidates: NDArray[np.int32]) -> NDArray[np.int16]:
    """Return each row's position in the lists of its candidates, or -1.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import mirrored
    >>> mirrored(np.array([[1], [0], [1]], dtype=np.int32)).ravel()
    array([ 0,  0, -1], dtype=int16)
    """
    out = np.empty(candidates.shape, dtype=np.int16)
    _kernels().mirror_places(candidates, out)
    return out


def _search(X: Any, candidates: Any, mirror: Any) -> _Search:
    n = X.shape[0]
    rows = np.arange(n)
    if candidates is not None and mirror is not None and not is_sparse(X):
        return _Search(_listed(X, rows, candidates, mirror), candidates, rows)
    if candidates is not None:
        return _Search(_listed(X, rows, candidates), candidates, rows)
    if n <= ALL_PAIRS:
        return _Search(_all_pairs(X), _NO_LISTS, rows)
    found = own_neighbors(X, min(_N_NEAREST, n - 1))
    return _Search(found.sqdist, found.indices, rows)


def _all_pairs(X: Any) -> FloatArray:
    """Return the squared distances of all pairs of rows, (N, N)."""
    n = X.shape[0]
    if is_sparse(X):
        sq = (X * X).sum(axis=1)
    else:  # centred
        X = np.ascontiguousarray(X - X.mean(axis=0, dtype=np.float64).astype(X.dtype))
        sq = np.einsum("nd,nd->n", X, X)
    D = np.empty((n, n), dtype=X.dtype)
    # the share of |x|^2 + |y|^2 below which |x - y|^2 cannot be trusted
    slack = X.dtype.type(10 * np.finfo(X.dtype).eps ** 0.5)
    for s in range(0, n, _TILE):
        left = X[s : s + _TILE] * X.dtype.type(-2)
        for t in range(s, n, _TILE):
            products = left @ X[t : t + _TILE].T
            products = products.toarray() if is_sparse(X) else products
            tile = products, sq, s, t, slack, D
            if is_sparse(X):
                _kernels().mirror_csr(X.data, X.indices, X.indptr, *tile)
            else:
                _kernels().mirror_dense(X, *tile)
    return D


def _all_candidates(X: Any, rows: NDArray[np.intp], *, listed: bool = False) -> _Search:
    """Return some rows with all others as candidates."""
    everyone = np.tile(np.arange(X.shape[0], dtype=np.int32), (rows.size, 1))
    D = _listed(X, rows, everyone)
    return _Search(D, everyone if listed else _NO_LISTS, rows)


def _listed(
    X: Any, rows: NDArray[np.intp], ids: NDArray[np.int32], mirror: Any = _NO_MIRROR
) -> FloatArray:
    """Return the squared distances of some rows to those listed for them."""
    D = np.empty(ids.shape, dtype=X.dtype)
    if is_sparse(X):
        _kernels().listed_csr(X.data, X.indices, X.indptr, rows, ids, D)
    else:
        scratch = np.empty((len(ids), 2, ids.shape[1] + 4), dtype=np.int32)
        _kernels().listed_dense(X, rows, ids, mirror, scratch, D)
    return D


def _nearest(search: _Search, k: int) -> tuple[NDArray[np.int32], FloatArray]:
    """Return the positions of the k nearest candidates, and their distances."""
    shape = search.D.shape[0], k
    values = np.empty(shape, dtype=search.D.dtype)
    places = np.empty(shape, dtype=np.int32)
    kernels = _kernels()
    scratch = np.empty((len(values), kernels.LANES), dtype=search.D.dtype)
    kernels.nearest(search.D, search.ids, search.rows, scratch, values, places)
    return places, values


def _densest(
    search: _Search, k: int, mu: float
) -> tuple[FloatArray, NDArray[np.int32], FloatArray]:
    """Return rho, the positions of the k densest candidates, and -log of the density.

    The latter omits the factor that is common to all.
    """
    if search.ids.size:
        return _densest_listed(search, k, mu)
    near, nearest = _nearest(search, k)
    rho = nearest.mean(axis=1, dtype=np.float64)  # (N,)
    best = np.empty(near.shape)
    places = np.empty(near.shape, dtype=np.int32)
    kernels = _kernels()
    scratch = np.empty((len(near), kernels.MANY), dtype=np.float32)
    D, scale = search.D, rho.mean()
    largest = 1e38 if D.itemsize == 4 else 1e300
    unit = D.dtype.type(min(1.0 / scale, largest) if scale > 0.0 else 1.0)
    small_rho = (rho * unit).astype(np.float32)  # of mean one
    kernels.densest(
        D, search.rows, rho, small_rho, unit, float(mu), near, scratch, best, places
    )
    return rho, places, best


def _densest_listed(
    search: _Search, k: int, mu: float, rho: FloatArray | None = None
) -> tuple[FloatArray, NDArray[np.int32], FloatArray]:
    """Return the same for listed candidates; ``rho`` may be that of all rows."""
    kernels = _kernels()
    n, width = search.D.shape
    padded = -(-width // kernels.LANES) * kernels.LANES
    scratch = np.empty((n, 2, padded))
    chosen = np.empty((n, k + 1), dtype=np.int32)
    own_rho, best = np.empty(n), np.empty((n, k))
    kernels.mean_nearest(search.D, scratch, chosen, own_rho)
    rho = own_rho if rho is None else rho
    kernels.densest_listed(
        search.D, search.ids, own_rho, rho, float(mu), scratch, chosen, best
    )
    return own_rho, chosen[:, :k], best


def _neighbors(
    X: Any, n_neighbors: int, candidates: Any, mirror: Any, n_checked: int
) -> tuple[NDArray[np.int32], FloatArray, float]:
    """Return the nearest neighbours, their squared distances, and the recall."""
    k = min(n_neighbors, X.shape[0] - 1)
    if candidates is None:
        found = own_neighbors(X, k)
        return found.indices, found.sqdist, 1.0
    search = _search(X, candidates, mirror)
    k = min(k, search.n_candidates)
    places, D = _nearest(search, k)
    ids = search.pick(places)
    rows = search.checked_rows(n_checked)
    recall = _found(_nearest(_all_candidates(X, rows), k)[0], ids[rows])
    return ids, D, recall


def _found(exact: NDArray[np.int32], ids: NDArray[np.int32]) -> float:
    return float((exact[:, :, None] == ids[:, None, :]).any(axis=2).mean())


def _union(ids: NDArray[np.int32], W: FloatArray) -> csr_array:
    """Return the graph that joins each row to its list and to those listing it."""
    n, k = ids.shape
    starts = np.arange(0, n * k + 1, k, dtype=np.int32)
    listed = scipy.sparse.csr_array((W.ravel(), ids.ravel(), starts), shape=(n, n))
    listing = listed.T.tocsr()
    # transposed twice, the indices are sorted
    return listing.T.tocsr().maximum(listing)


def _kernels() -> ModuleType:
    """Import the kernels only when needed: numba is slow to load."""
    from coterie._kernels import _similarity

    return _similarity
