"""The samples of k-means: nearest centres and sums over rows, dense or sparse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._typing import LABEL_DTYPE
from coterie._validation import is_sparse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from numpy.typing import NDArray

    from coterie._typing import FloatArray, LabelArray

_TILE_BYTES = 256 * 1024  # of scores; they are read again while still in the cache
_TILE_ROWS = 1024
_SINGLE_FEATURES = 4096  # beyond, scores in single precision say too little
_SINGLE_RANGE = (1e-12, 1e24)  # of the largest |x|^2; squares must not leave float32
_SHARE_OF_OPEN = 0.7  # more than this, and picking rows out costs more than it saves
_TURNED_BYTES = 64 * 1024**2  # of rows that are copied to draw starts faster
_SHARE_OF_TIES = 0.1  # more than this, and better scores are cheaper


def rows_around(X: Any, origin: FloatArray) -> Rows:
    """Move dense rows to the origin, so that |x|^2 - 2 x.c + |c|^2 does not cancel."""
    if is_sparse(X):
        return SparseRows(X)
    return DenseRows(np.subtract(X, origin, order="C"))


@dataclass(frozen=True, eq=False)
class Nearest:
    """The nearest centres of the rows, with bounds that save work later.

    ``upper`` bounds the distance of a row to its centre, ``lower`` that to the nearest
    of the other centres.
    """

    centers: FloatArray
    labels: LabelArray
    upper: FloatArray
    lower: FloatArray


@dataclass(frozen=True, eq=False)
class Descent:
    """How far Lloyd's algorithm came; labels are those of the centres if finished."""

    centers: FloatArray
    labels: LabelArray
    n_iter: int
    finished: bool
    converged: bool


class Rows:
    """The samples, as Lloyd's algorithm asks for them."""

    kind: str  # ending of the names of the kernels
    parts: tuple[FloatArray, ...]  # of the matrix, as the kernels take them

    def __init__(self, values: Any, row_sq: FloatArray) -> None:
        self.values = values
        self.row_sq = row_sq.astype(np.float64)  # (n,)
        self.n_samples, self.n_features = values.shape
        self.rate_scores(values.dtype)

    def rate_scores(self, dtype: Any) -> None:
        """Set how far scores of this dtype may be wrong.

        Bounds twice the error of a score plus that of the exact distance, relative to
        |x|^2 + |c|^2, for sums of n_features terms in any order.
        """
        self.slack = float(np.finfo(dtype).eps) * (1.5 * self.n_features + 16.0)

    def scores(
        self, centers: FloatArray, which: NDArray[np.intp] | None = None
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Yield tiles of (some) rows and their -2 x.c, (k, rows of the tile)."""
        raise NotImplementedError

    def take(self, which: Any) -> FloatArray:
        """Return some rows, dense."""
        raise NotImplementedError

    def assign(self, centers: FloatArray) -> LabelArray:
        """Return the nearest centre of each row."""
        return self.start(centers).labels

    def start(self, centers: FloatArray) -> Nearest:
        """Find the nearest centre of each row and how far the others are at least."""
        bounds = np.empty((2, self.n_samples))
        labels = np.empty(self.n_samples, dtype=LABEL_DTYPE)
        nearest = Nearest(centers, labels, *bounds)
        self._find(nearest, None)
        return nearest

    def follow(self, nearest: Nearest, centers: FloatArray) -> Nearest:
        """Find the nearest centres again after the centres have moved.

        Rows whose bounds say that nothing can have changed are left out.
        """
        step = (centers - nearest.centers).astype(np.float64)
        drift = np.sqrt(np.einsum("kd,kd->k", step, step)) * (1.0 + 1e-9)  # (k,)
        labels = nearest.labels.copy()
        found = Nearest(centers, labels, nearest.upper, nearest.lower)
        which = np.empty(self.n_samples, dtype=np.intp)
        slack = self._slack(_kernels().squares(centers))
        n_open = _kernels().loosen(
            labels, drift, slack, found.upper, found.lower, which
        )
        if n_open > _SHARE_OF_OPEN * self.n_samples:
            self._find(found, None)
        elif n_open:
            self._find(found, which[:n_open])
        return found

    def _slack(self, center_sq: FloatArray) -> FloatArray:
        return self.slack * (self.row_sq + center_sq.max())  # (n,)

    def _find(self, nearest: Nearest, which: NDArray[np.intp] | None) -> None:
        """Fill in the labels and bounds of some rows, or of all."""
        centers = nearest.centers
        exact_sq = _kernels().squares(centers)  # (k,)
        row_slack = self._slack(exact_sq)
        ids = np.arange(self.n_samples) if which is None else which
        n_exact = 0
        for tile, scores in self.scores(centers, which):
            here = ids[tile]
            center_sq = exact_sq.astype(scores.dtype)
            slack = row_slack[tile if which is None else here].astype(scores.dtype)
            best, second = np.empty((2, here.size), dtype=scores.dtype)
            labels = np.empty(here.size, dtype=LABEL_DTYPE)
            _kernels().best_two(scores, center_sq, best, second, labels)
            found = scores, center_sq, slack, best, second, labels
            n_exact += self._run("settle_ties", here, centers, exact_sq, *found)
            _kernels().bound(
                best, second, slack, self.row_sq, here, nearest.upper, nearest.lower
            )
            nearest.labels[tile if which is None else here] = labels
        if n_exact > _SHARE_OF_TIES * ids.size * centers.shape[0]:
            self.sharpen()

    def sharpen(self) -> None:
        """Use better scores from now on, if there are any."""

    def own_sqdist(self, centers: FloatArray, labels: LabelArray) -> FloatArray:
        """Return the squared distance of each row to its centre."""
        out = np.empty(self.n_samples)
        self._run("own_sqdist", centers, _kernels().squares(centers), labels, out)
        return out

    def shorten(self, points: FloatArray, closest: FloatArray) -> FloatArray:
        """Return min(closest, squared distance to the point), (n_points, n)."""
        out = np.empty((points.shape[0], self.n_samples))
        sq = self.row_sq, _kernels().squares(points)
        for tile, scores in self.scores(points):
            self._run(
                "shorten", points, scores, *sq, self.slack, closest, tile.start, out
            )
        return out

    def seed(self, weights: FloatArray, uniform: FloatArray) -> NDArray[np.intp]:
        """Draw rows by greedy k-means++; fewer than k if all others lie on them.

        ``uniform`` (k, candidates) are random numbers.
        """
        chosen = np.empty(uniform.shape[0], dtype=np.intp)
        chosen[0] = _draw(np.cumsum(weights), uniform[0, :1])[0]
        farthest = np.full(self.n_samples, np.inf)
        closest = self.shorten(self.take(chosen[:1]), farthest)[0]
        for c in range(1, chosen.size):
            heap = np.cumsum(weights * closest)
            if heap[-1] <= 0:
                return chosen[:c]
            candidates = _draw(heap, uniform[c])
            options = self.shorten(self.take(candidates), closest)
            winner = int(np.argmin(options @ weights))  # of (candidates, n)
            chosen[c] = candidates[winner]
            closest = options[winner]
        return chosen

    def lloyd(
        self, start: FloatArray, weights: FloatArray, max_iter: int, tolerance: float
    ) -> Descent:
        """Do as many iterations as can be done at once: none, or up to the end."""
        return Descent(start, np.empty(0, dtype=LABEL_DTYPE), 0, False, False)

    def move(self, weights, before, after, sums) -> None:
        """Bring the sums of the clusters from labels ``before`` to ``after``."""
        self._run("move_rows", weights, before, after, sums)

    def _run(self, name: str, *args: Any) -> Any:
        return getattr(_kernels(), f"{name}_{self.kind}")(*self.parts, *args)

    def _tiles(self, n_centers: int, which: NDArray[np.intp] | None) -> list[slice]:
        """Cut the rows so that the scores of a tile stay in the cache."""
        fitting = _TILE_BYTES // (n_centers * self.values.dtype.itemsize)
        size = min(max(64, fitting), _TILE_ROWS)
        n_rows = self.n_samples if which is None else which.size
        return [slice(s, min(s + size, n_rows)) for s in range(0, n_rows, size)]


class DenseRows(Rows):
    """Rows of a C-ordered matrix that lies around the origin.

    Scores only rule out centres, so single precision will do for them: BLAS is twice
    as fast, and the answers are the same.
    """

    kind = "dense"

    def __init__(self, values: FloatArray) -> None:
        super().__init__(values, np.einsum("nd,nd->n", values, values))
        self.parts = (values,)
        self.scored = values  # what scores are computed from
        low, high = _SINGLE_RANGE
        if self.n_features <= _SINGLE_FEATURES and low < self.row_sq.max() < high:
            self.scored = values.astype(np.float32, copy=False)
            self.rate_scores(np.float32)

    def assign(self, centers: FloatArray) -> LabelArray:
        """Return the nearest centre of each row."""
        labels = np.empty(self.n_samples, dtype=LABEL_DTYPE)
        parts = self.values, self.scored, self.row_sq
        if _kernels().assign_dense(*parts, centers, self.slack, labels):
            self.sharpen()
        return labels

    def seed(self, weights: FloatArray, uniform: FloatArray) -> NDArray[np.intp]:
        """Draw rows by greedy k-means++; fewer than k if all others lie on them."""
        if self.values.nbytes > _TURNED_BYTES:
            return super().seed(weights, uniform)
        chosen = np.empty(uniform.shape[0], dtype=np.intp)
        seed = _kernels().seed_dense
        return chosen[: seed(self.values, self._turned, weights, uniform, chosen)]

    @cached_property
    def _turned(self) -> FloatArray:
        """The rows with each tile of them transposed, (tiles, d, rows of a tile)."""
        size = _kernels().TILE
        n_tiles = -(-self.n_samples // size)
        padded = np.zeros((n_tiles * size, self.n_features), dtype=self.values.dtype)
        padded[: self.n_samples] = self.values
        tiles = padded.reshape(n_tiles, size, self.n_features).transpose(0, 2, 1)
        return np.ascontiguousarray(tiles)

    def lloyd(
        self, start: FloatArray, weights: FloatArray, max_iter: int, tolerance: float
    ) -> Descent:
        """Do all iterations in one kernel, or those before a cluster is empty."""
        kernels = _kernels()
        centers = np.array(start, order="C")
        labels = np.empty(self.n_samples, dtype=LABEL_DTYPE)
        n_iter = 0
        while True:
            n_more, reason = kernels.lloyd_dense(
                self.values, self.scored, self.row_sq, weights, self.slack,
                max_iter - n_iter, tolerance, centers, labels,
            )  # fmt: skip
            n_iter += n_more
            if reason != kernels.BLURRED:
                break
            self.sharpen()
        finished = reason != kernels.EMPTY
        return Descent(centers, labels, n_iter, finished, reason == kernels.SETTLED)

    def sharpen(self) -> None:
        """Compute scores in the precision of the data."""
        self.scored = self.values
        self.rate_scores(self.values.dtype)

    def scores(
        self, centers: FloatArray, which: NDArray[np.intp] | None = None
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Yield tiles of (some) rows and their -2 x.c, (k, rows of the tile)."""
        dtype = self.scored.dtype
        minus_two = (-2.0 * centers).astype(dtype)
        tiles = self._tiles(centers.shape[0], which)
        buffer = np.empty(centers.shape[0] * tiles[0].stop, dtype=dtype)
        for tile in tiles:
            n_rows = tile.stop - tile.start
            X = self.scored[tile if which is None else which[tile]]
            out = buffer[: centers.shape[0] * n_rows].reshape(-1, n_rows)
            yield tile, np.dot(minus_two, X.T, out=out)

    def take(self, which: Any) -> FloatArray:
        """Return some rows."""
        return self.values[which]


class SparseRows(Rows):
    """Rows of a CSR matrix, which stays where it is: moving it would fill it."""

    kind = "csr"

    def __init__(self, values: Any) -> None:
        if not values.has_canonical_format:
            values = values.copy()
            values.sum_duplicates()
        row_sq = np.asarray(values.multiply(values).sum(axis=1)).ravel()
        super().__init__(values, row_sq)
        self.parts = (values.data, values.indices, values.indptr)

    def scores(
        self, centers: FloatArray, which: NDArray[np.intp] | None = None
    ) -> Iterator[tuple[slice, FloatArray]]:
        """Yield tiles of (some) rows and their -2 x.c, (k, rows of the tile)."""
        minus_two = np.ascontiguousarray(-2.0 * centers.T)  # (d, k)
        for tile in self._tiles(centers.shape[0], which):
            X = self.values[tile if which is None else which[tile]]
            yield tile, np.ascontiguousarray((X @ minus_two).T)

    def take(self, which: Any) -> FloatArray:
        """Return some rows, dense."""
        return np.ascontiguousarray(self.values[which].toarray())


def _draw(cumulated: FloatArray, uniform: FloatArray) -> NDArray[np.intp]:
    """Turn uniform numbers into indices, by the steps of a cumulated sum."""
    found = np.searchsorted(cumulated, uniform * cumulated[-1], side="right")
    return np.minimum(found, cumulated.size - 1)


def _kernels() -> ModuleType:
    """Import the kernels when they are needed: numba is slow to load."""
    from coterie._kernels import _kmeans

    return _kmeans
