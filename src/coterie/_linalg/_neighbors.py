"""Exact nearest neighbours, by tiles of BLAS products."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._hashing import digest
from coterie._validation import alike, check_data, in_double, is_sparse

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from coterie._typing import FloatArray

_TILE = 1024  # rows and columns of a tile of products: 4 or 8 MB
_SPARSE_BYTES = 32 * 2**20  # of a tile of products, and of queries made dense
_FEW_FEATURES = 64  # whose products are cheap
_EXTRA = 8  # candidates beyond n_neighbors; few rows then need a second pass
_SINGLE_FEATURES = 4096  # beyond that, single-precision scores are too inaccurate
_SINGLE_RANGE = (1e-12, 1e24)  # of the largest |x|^2; squares must fit in float32


@dataclass(frozen=True, eq=False)
class Neighbors:
    """The nearest rows of each query, sorted by distance, then by index.

    ``indices`` (n_queries, n_neighbors), rows of the data; ``sqdist``, squared
    Euclidean distances in the dtype of the data.
    """

    indices: NDArray[np.int32]
    sqdist: FloatArray


@dataclass(frozen=True)
class _Searches:
    """The widest search of each data set so far, by the digest of the data."""

    at_least: int
    found: dict[str, Neighbors]


_SEARCHES: ContextVar[_Searches | None] = ContextVar("coterie_searches", default=None)


@contextmanager
def shared_searches(at_least: int = 1) -> Iterator[None]:
    """Search the neighbours of the rows of the same data once inside this block.

    A search for fewer neighbours than an earlier one takes the first of these: the same
    bits. Each is for ``at_least`` neighbours, so that a later one needs no other.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import nearest_neighbors, shared_searches
    >>> X = np.arange(4.0)[:, None] ** 2
    >>> with shared_searches(at_least=2):
    ...     nearest_neighbors(X, 1).indices.ravel().tolist()
    ...     nearest_neighbors(X, 2).indices.tolist()
    ...
    [1, 0, 1, 2]
    [[1, 2], [0, 2], [1, 0], [2, 1]]
    """
    token = _SEARCHES.set(_Searches(at_least, {}))
    try:
        yield
    finally:
        _SEARCHES.reset(token)


def nearest_neighbors(X: Any, n_neighbors: int, *, queries: Any = None) -> Neighbors:
    r"""Find the rows of X that are nearest to each query.

    For each query q the ``n_neighbors`` rows of smallest

    .. math:: \lVert q - x_i \rVert^2

    and of smallest index among equals. Exact, in time quadratic in the number of rows
    and memory linear in it. Prefer a tree for about ten features or fewer.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The data.
    n_neighbors : int
        Number of neighbours.
    queries : array-like or CSR matrix of shape (n_queries, n_features), default=None
        The query points. None queries the rows of X; then a row is not its own
        neighbour, but its duplicates are, at distance zero.

    Notes
    -----
    Products in single precision rule out most rows; the distances of the rest are
    computed from the differences of coordinates, in the dtype of X (in float64 for few
    samples). Results do not depend on the number of threads.

    Examples
    --------
    >>> from coterie._linalg import nearest_neighbors
    >>> nearest_neighbors([[0.0], [1.0], [3.0]], 1).indices.ravel().tolist()
    [1, 0, 1]
    """
    X = check_data(X, "nearest_neighbors", accept_sparse=True)
    itself = queries is None
    n_others = X.shape[0] - itself
    if not 1 <= n_neighbors <= n_others:
        raise ValueError(
            f"nearest_neighbors got n_neighbors={n_neighbors}, but a query has "
            f"{n_others} rows of X to choose from. Ask for 1 to {n_others} neighbours, "
            "or pass more rows."
        )
    if not itself:
        X, queries = alike(X, _check_queries(queries, X))
    searches = _SEARCHES.get()
    if searches is None or not itself:
        return _search(X, n_neighbors, queries)
    key = digest(X)
    known = searches.found.get(key)
    if known is None or known.indices.shape[1] < n_neighbors:
        width = min(max(n_neighbors, searches.at_least), n_others)
        known = searches.found[key] = _search(X, width, None)
    indices, sqdist = known.indices[:, :n_neighbors], known.sqdist[:, :n_neighbors]
    return Neighbors(indices.copy(), sqdist.copy())


def own_neighbors(X: Any, n_neighbors: int) -> Neighbors:
    """Search in checked data that no other search will see: nothing is kept."""
    return _search(X, n_neighbors, None)


def _search(X: Any, n_neighbors: int, queries: Any) -> Neighbors:
    """Search in checked data."""
    itself = queries is None
    n_others = X.shape[0] - itself
    dtype = X.dtype
    X, *others = in_double(X) if itself else in_double(X, queries)
    sparse = is_sparse(X)
    origin = None if sparse else X.mean(axis=0, dtype=np.float64).astype(X.dtype)
    data = _points(X, origin)
    asked = data if itself else _points(others[0], origin)
    data, asked = _same_precision(data, asked)

    width = min(n_neighbors + _EXTRA, n_others)
    lowest = _lowest(asked, data, itself, width)
    indices = np.empty((asked.n_rows, n_neighbors), dtype=np.int32)
    sqdist = np.empty((asked.n_rows, n_neighbors), dtype=X.dtype)
    found = Neighbors(indices, sqdist)
    _run("rank", asked, data, lowest.ids, indices, sqdist)
    if width < n_others:
        _look_again(asked, data, itself, lowest, found)
    return Neighbors(indices, sqdist.astype(dtype, copy=False))


@dataclass(frozen=True, eq=False)
class _Points:
    """Rows, both original and prepared for products."""

    values: Any
    scored: Any  # centred, maybe in single precision; CSR: unchanged
    sq: FloatArray  # (n,) square sums of scored

    @property
    def n_rows(self) -> int:
        return self.values.shape[0]

    @property
    def parts(self) -> tuple[Any, ...]:
        """Return the arrays to pass to kernels."""
        if is_sparse(self.values):
            return self.values.data, self.values.indices, self.values.indptr
        return (self.values,)


@dataclass(frozen=True, eq=False)
class _Lowest:
    """The rows of lowest scores of each query; no other score is below the limit."""

    ids: NDArray[np.int32]  # (q, width), in any order
    limits: FloatArray  # (q,)


def _points(X: Any, origin: FloatArray | None) -> _Points:
    if origin is None:
        if not X.has_canonical_format:
            X = X.copy()
            X.sum_duplicates()
        return _Points(X, X, np.asarray(X.multiply(X).sum(axis=1)).ravel())
    X = np.ascontiguousarray(X)
    near = X - origin  # |y|^2 - 2 x.y does not cancel around the origin
    return _Points(X, near, np.einsum("nd,nd->n", near, near))


def _same_precision(data: _Points, asked: _Points) -> tuple[_Points, _Points]:
    """Score dense rows in single precision if its range and accuracy allow."""
    low, high = _SINGLE_RANGE
    largest = max(data.sq.max(), asked.sq.max())
    few = data.values.shape[1] <= _SINGLE_FEATURES
    if is_sparse(data.values) or not (few and low < largest < high):
        return data, asked
    single = _single(data)
    return single, single if asked is data else _single(asked)


def _single(points: _Points) -> _Points:
    scored = points.scored.astype(np.float32, copy=False)
    return _Points(points.values, scored, points.sq.astype(np.float32))


def _lowest(asked: _Points, data: _Points, itself: bool, width: int) -> _Lowest:
    ids = np.empty((asked.n_rows, width), dtype=np.int32)
    limits = np.empty(asked.n_rows, dtype=data.scored.dtype)
    # products of X with itself are symmetric: half of the tiles serves both sides
    half = itself and not is_sparse(data.values)
    n_rows, n_cols = _tile_shape(asked, data)
    lists = _Lists.of(asked.n_rows if half else min(n_rows, asked.n_rows), width, data)
    for s in range(0, asked.n_rows, n_rows):
        which = np.arange(s, min(s + n_rows, asked.n_rows))
        rows = which if half else which - s  # of the lists
        for t in range(s if half else 0, data.n_rows, n_cols):
            cols = slice(t, t + n_cols)
            products = _products(asked, which, data, cols)
            own = s - t if itself else -n_rows  # the column that the first row is
            lists.push(products, data.sq[cols], rows, t, own)
            if half and t > s:
                others = np.arange(t, min(t + n_cols, data.n_rows))
                turned = _turned(products, data, others, which)
                lists.push(turned, data.sq[which], others, s, -n_cols)
        if not half:
            part = slice(s, s + which.size)
            lists.settle(ids[part], limits[part])
    if half:
        lists.settle(ids, limits)
    return _Lowest(ids, limits)


@dataclass(frozen=True, eq=False)
class _Lists:
    """Low scores of some queries, more of them than needed."""

    width: int
    counts: NDArray[np.int64]  # (q,)
    limits: FloatArray  # (q,)
    scores: FloatArray  # (q, width and some more)
    ids: NDArray[np.int32]

    @classmethod
    def of(cls, n_queries: int, width: int, data: _Points) -> _Lists:
        """Return empty lists."""
        block = _kernels().BLOCK
        length = -(-2 * width // block) * block + block
        dtype, shape = data.scored.dtype, (n_queries, length)
        return cls(
            width,
            np.zeros(n_queries, dtype=np.int64),
            np.full(n_queries, np.inf, dtype=dtype),
            np.empty(shape, dtype=dtype),
            np.empty(shape, dtype=np.int32),
        )

    def push(
        self, products: FloatArray, sq: FloatArray, rows: Any, first: int, own: int
    ) -> None:
        """Offer a tile to the lists of some rows."""
        lists = self.counts, self.limits, self.scores, self.ids
        _kernels().push_rows(products, sq, rows, first, own, self.width, *lists)

    def settle(self, ids: NDArray[np.int32], limits: FloatArray) -> None:
        """Write the lowest of each list, and its limit, and empty the lists."""
        n = len(ids)
        lists = self.counts[:n], self.limits[:n], self.scores[:n], self.ids[:n]
        _kernels().settle(self.width, *lists, ids)
        limits[:] = self.limits[:n]
        self.counts[:] = 0
        self.limits[:] = np.inf


def _turned(
    products: FloatArray, data: _Points, rows: NDArray[np.intp], cols: NDArray[np.intp]
) -> FloatArray:
    """Return the products of the same rows the other way round."""
    if data.values.shape[1] > _FEW_FEATURES:
        return np.ascontiguousarray(products.T)
    # multiplied again: faster than a transposed copy
    return _products(data, rows, data, slice(cols[0], cols[-1] + 1))


def _look_again(
    asked: _Points, data: _Points, itself: bool, lowest: _Lowest, found: Neighbors
) -> None:
    """Repair the queries for which discarded rows may be as near as those kept."""
    # twice the error of a score and that of a distance, for sums in any order
    n_features = data.values.shape[1]
    slack = float(np.finfo(data.scored.dtype).eps) * (1.5 * n_features + 16.0)
    slack = slack * (asked.sq.astype(np.float64) + data.sq.max())  # (q,)
    farthest = found.sqdist[:, -1].astype(np.float64) - asked.sq  # as a score
    doubtful = np.flatnonzero(farthest + slack >= lowest.limits)
    limit = (farthest + slack).astype(data.scored.dtype)
    n_rows, n_cols = _tile_shape(asked, data)
    for s in range(0, doubtful.size, n_rows):
        which = doubtful[s : s + n_rows]
        kept = np.zeros(which.size, dtype=np.int64)
        for t in range(0, data.n_rows, n_cols):
            cols = slice(t, t + n_cols)
            tile = _products(asked, which, data, cols), data.sq[cols], which, t, itself
            lists = limit[which], kept, found.indices, found.sqdist
            _run("refine", asked, data, *tile, *lists)


def _products(
    asked: _Points, which: NDArray[np.intp], data: _Points, cols: slice
) -> FloatArray:
    """Return -2 x.y for some queries and a slice of the data, (queries, rows)."""
    if is_sparse(data.values):
        X = -2.0 * asked.scored[which].toarray()
        return np.ascontiguousarray((data.scored[cols] @ X.T).T)
    X = asked.scored[which[0] : which[-1] + 1]
    if X.shape[0] != which.size:
        X = asked.scored[which]
    # times -2.0 as a scalar of the same dtype: float32 stays float32
    return np.dot(X * X.dtype.type(-2), data.scored[cols].T)


def _tile_shape(asked: _Points, data: _Points) -> tuple[int, int]:
    if not is_sparse(data.values):
        return _TILE, _TILE
    budget = _SPARSE_BYTES // data.values.dtype.itemsize
    n_rows = int(np.clip(budget // data.values.shape[1], 1, 64))
    return n_rows, max(1, budget // n_rows)


def _check_queries(queries: Any, X: Any) -> Any:
    queries = check_data(queries, "nearest_neighbors", accept_sparse=True)
    if queries.shape[1] != X.shape[1]:
        raise ValueError(
            f"nearest_neighbors expects queries with the {X.shape[1]} features of X, "
            f"got {queries.shape[1]}."
        )
    if is_sparse(queries) != is_sparse(X):
        raise TypeError(
            "nearest_neighbors expects X and queries both dense or both sparse. "
            "Convert one of them."
        )
    return queries


def _run(name: str, asked: _Points, data: _Points, *args: Any) -> None:
    kind = "csr" if is_sparse(data.values) else "dense"
    getattr(_kernels(), f"{name}_{kind}")(*asked.parts, *data.parts, *args)


def _kernels() -> ModuleType:
    """Import the kernels only when needed: numba is slow to load."""
    from coterie._kernels import _neighbors

    return _neighbors
