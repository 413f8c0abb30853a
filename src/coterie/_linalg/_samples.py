"""The samples of k-means, dense or sparse: nearest centres, sums, initial centres."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from coterie._typing import LABEL_DTYPE
from coterie._validation import is_sparse

if TYPE_CHECKING:
    from types import ModuleType

    from numpy.typing import NDArray

    from coterie._typing import FloatArray, LabelArray

_SINGLE_FEATURES = 4096  # beyond that, single-precision scores are too inaccurate
_SINGLE_RANGE = (1e-12, 1e24)  # of the largest |x|^2; squares must fit in float32
_SCORES_AT_ONCE = 8192  # reread while still in the cache
_LEAST_ROWS = 16  # scored at once
_SHARE_OF_TIES = 0.1  # above this, more accurate scores are cheaper
_TURNED_BYTES = 64 * 1024**2  # of samples that are transposed to draw starts faster
_TILE_SCORES = 2**22  # of sparse samples at a time
_CANCELLED = 1e-14  # of |x|^2 + |c|^2; a smaller squared distance is rounding


def samples_around(X: Any, origin: FloatArray) -> Samples:
    """Shift dense rows to the origin, so that |x|^2 - 2 x.c + |c|^2 does not cancel."""
    if is_sparse(X):
        return SparseSamples(X)
    return DenseSamples(np.subtract(X, origin, order="C"))


@dataclass(frozen=True, eq=False)
class Descent:
    """The state of Lloyd's algorithm; the labels belong to the centres."""

    centers: FloatArray
    labels: LabelArray
    n_iter: int
    converged: bool
    is_stuck: bool = False  # because a cluster is empty


class DenseSamples:
    """Rows of a C-ordered matrix centred at the origin.

    Scores only rule out centres, so single precision suffices for them: BLAS is twice
    as fast, and the results are the same.
    """

    def __init__(self, values: FloatArray) -> None:
        self.values = values
        self.row_sq = np.einsum("nd,nd->n", values, values).astype(np.float64)  # (n,)
        self.n_samples, self.n_features = values.shape
        low, high = _SINGLE_RANGE
        single = self.n_features <= _SINGLE_FEATURES and low < self.row_sq.max() < high
        self._score_by(values.astype(np.float32, copy=False) if single else values)

    def _score_by(self, scored: FloatArray) -> None:
        """Compute scores from these values, and set a bound on their error.

        Bounds twice the error of a score plus that of the exact distance, relative to
        |x|^2 + |c|^2, for sums of n_features terms in any order.
        """
        self._scored = scored
        self._slack = float(np.finfo(scored.dtype).eps) * (1.5 * self.n_features + 16.0)

    def take(self, which: Any) -> FloatArray:
        """Return some rows."""
        return self.values[which]

    def assign(self, centers: FloatArray) -> LabelArray:
        """Return the nearest centre of each row."""
        return self.descend(centers, np.zeros(self.n_samples), 0, 0.0).labels

    def own_sqdist(self, centers: FloatArray, labels: LabelArray) -> FloatArray:
        """Return the squared distance of each row to its centre."""
        out = np.empty(self.n_samples)
        _kernels().own_sqdist(self.values, centers, labels, out)
        return out

    def sums(self, weights: FloatArray, labels: LabelArray, k: int) -> FloatArray:
        """Return the weighted sum of the rows of each cluster, (k, d) float64."""
        return _members(weights, labels, k).T @ self.values

    def mean(self, weights: FloatArray) -> FloatArray:
        """Return the weighted mean of the rows, (d,) float64."""
        return np.einsum("n,nd->d", weights, self.values) / weights.sum()

    def seed(self, weights: FloatArray, uniform: FloatArray) -> NDArray[np.intp]:
        """Draw rows by greedy k-means++; fewer than k if all others lie on them."""
        if self.values.nbytes > _TURNED_BYTES:
            return draw_spread_rows(weights, uniform, self._distances_to)[0]
        chosen, *scratch = self._seed_space(*uniform.shape)
        n_drawn = _kernels().seed(
            self.values, self._turned, weights, uniform, np.cumsum(weights), *scratch,
            chosen,
        )  # fmt: skip
        return chosen[:n_drawn]

    def _seed_space(self, k: int, n_candidates: int) -> tuple[Any, ...]:
        """Return room for the rows drawn, and the scratch arrays of ``seed``."""
        return (
            np.empty(k + n_candidates, dtype=np.int64),
            np.full(self.n_samples, np.inf),
            np.empty((n_candidates, self.n_samples)),
            np.empty(k + n_candidates),
            np.empty(self._turned.shape[2], self.values.dtype),
        )

    def best_centers(
        self, uniform: FloatArray, max_iter: int, everyone: DenseSamples
    ) -> tuple[FloatArray, LabelArray]:
        """Return the best centres of some runs of k-means, and who is nearest to them.

        For few samples: all runs are made in one kernel. An empty cluster keeps its
        centre. ``uniform`` (starts, k, candidates) are random numbers for k-means++;
        ``everyone`` may be other samples, in the same coordinates.
        """
        k, n = uniform.shape[1], self.n_samples
        width = max(self._turned.shape[2], everyone._turned.shape[2])
        placed = np.empty(everyone.n_samples, LABEL_DTYPE)
        chosen, *scratch, _ = self._seed_space(*uniform.shape[1:])
        tried, sums, centers = np.empty((3, k, self.n_features))
        _kernels().best_of_starts(
            self.values, self._turned, np.ones(n), uniform, max_iter, np.empty(n),
            *scratch, np.empty(width), chosen, np.empty(width),
            np.empty(width, LABEL_DTYPE), *np.empty((2, n), LABEL_DTYPE), tried, sums,
            centers, everyone._turned, placed,
        )  # fmt: skip
        return centers, placed

    @cached_property
    def _turned(self) -> FloatArray:
        return _kernels().turned(self.values)

    def _distances_to(self, which: NDArray[np.intp]) -> FloatArray:
        squares = self.row_sq[which, None]
        scores = squares - 2.0 * (self.values[which] @ self.values.T)
        rounding = float(np.finfo(self.values.dtype).eps) * (self.n_features + 16.0)
        return _sqdist(scores, self.row_sq, squares, rounding)

    def descend(
        self, start: FloatArray, weights: FloatArray, max_iter: int, tolerance: float
    ) -> Descent:
        """Run Lloyd's algorithm until it stops, or until a cluster is empty."""
        kernels = _kernels()
        n, d, k = self.n_samples, self.n_features, len(start)
        centers = np.array(start, order="C")
        labels, summed = np.full((2, n), -1, dtype=LABEL_DTYPE)
        sums, which, means = np.empty((k, d)), np.empty(n, np.int64), np.zeros((3, k))
        bounds = np.zeros((2, n))
        bounds[0] = np.inf
        n_tiles = -(-n * k // _SCORES_AT_ONCE)
        at_once = max(_LEAST_ROWS, -(-n // n_tiles))
        found = np.empty(at_once, dtype=LABEL_DTYPE)
        n_iter = 0
        while True:
            dtype = self._scored.dtype
            most_exact = _SHARE_OF_TIES if dtype != self.values.dtype else np.inf
            n_iter, reason = kernels.lloyd(
                self.values, self._scored, self.row_sq, weights, self._slack, tolerance,
                most_exact, n_iter, max_iter, centers, labels, summed, sums, which,
                bounds, means, np.empty((k, d), dtype), np.zeros((at_once, d), dtype),
                np.empty((k, at_once), dtype), np.empty((2, at_once), dtype), found,
            )  # fmt: skip
            if reason != kernels.BLURRED:
                break
            self._score_by(self.values)
            means[1] = 0.0  # the bounds know of the last shifts already
        settled, is_stuck = reason == kernels.SETTLED, reason == kernels.EMPTY
        return Descent(centers, labels, n_iter, settled, is_stuck)


class SparseSamples:
    """Rows of a CSR matrix, not shifted: that would make it dense."""

    def __init__(self, values: Any) -> None:
        if not values.has_canonical_format:
            values = values.copy()
            values.sum_duplicates()
        self.values = values
        squares = values.multiply(values).sum(axis=1, dtype=np.float64)
        self.row_sq = np.asarray(squares).ravel()  # (n,)
        self.n_samples, self.n_features = values.shape

    def take(self, which: Any) -> FloatArray:
        """Return some rows, dense."""
        return np.ascontiguousarray(self.values[which].toarray())

    def nearest(self, centers: FloatArray) -> tuple[LabelArray, FloatArray]:
        """Return the nearest centre of each row, and its squared distance."""
        labels = np.empty(self.n_samples, dtype=LABEL_DTYPE)
        distances = np.empty(self.n_samples)
        at_once = max(256, _TILE_SCORES // len(centers))
        for start in range(0, self.n_samples, at_once):
            rows = slice(start, start + at_once)
            X = self.values if at_once >= self.n_samples else self.values[rows]
            scores, center_sq = _scores(X, centers)
            best = scores.argmin(axis=1)
            labels[rows] = best
            own = np.take_along_axis(scores, best[:, None], axis=1)[:, 0]
            distances[rows] = _sqdist(own, self.row_sq[rows], center_sq[best])
        return labels, distances

    def assign(self, centers: FloatArray) -> LabelArray:
        """Return the nearest centre of each row."""
        return self.nearest(centers)[0]

    def own_sqdist(self, centers: FloatArray, labels: LabelArray) -> FloatArray:
        """Return the squared distance of each row to its centre."""
        X = self.values
        row = np.repeat(np.arange(self.n_samples), np.diff(X.indptr))
        products = X.data * centers[labels[row], X.indices].astype(np.float64)
        dots = np.bincount(row, products, minlength=self.n_samples)
        squares = np.einsum("kd,kd->k", centers, centers, dtype=np.float64)[labels]
        return _sqdist(squares - 2.0 * dots, self.row_sq, squares)

    def sums(self, weights: FloatArray, labels: LabelArray, k: int) -> FloatArray:
        """Return the weighted sum of the rows of each cluster, (k, d) float64."""
        return (_members(weights, labels, k).T @ self.values).toarray()

    def mean(self, weights: FloatArray) -> FloatArray:
        """Return the weighted mean of the rows, (d,) float64."""
        return (self.values.T @ weights) / weights.sum()

    def seed(self, weights: FloatArray, uniform: FloatArray) -> NDArray[np.intp]:
        """Draw rows by greedy k-means++; fewer than k if all others lie on them."""

        def distances_to(rows: NDArray[np.intp]) -> FloatArray:
            scores, point_sq = _scores(self.values, self.take(rows))
            return _sqdist(scores, self.row_sq[:, None], point_sq).T

        return draw_spread_rows(weights, uniform, distances_to)[0]

    def descend(
        self, start: FloatArray, weights: FloatArray, max_iter: int, tolerance: float
    ) -> Descent:
        """Run Lloyd's algorithm until it stops, or until a cluster is empty."""
        centers, k = start, len(start)
        labels = self.assign(centers)
        for n_iter in range(1, max_iter + 1):
            if _any_empty(labels, weights, k):
                return Descent(centers, labels, n_iter - 1, False, is_stuck=True)
            before = labels
            centers, shift = centers_of(self, weights, labels, centers)
            labels = self.assign(centers)
            is_full = shift <= tolerance and not _any_empty(labels, weights, k)
            if is_full or np.array_equal(labels, before):
                return Descent(centers, labels, n_iter, True)
        return Descent(centers, labels, max_iter, False)


Samples = DenseSamples | SparseSamples


def _scores(X: Any, points: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return |p|^2 - 2 x.p of sparse rows and points, (n, k), and |p|^2, (k,)."""
    squares = np.einsum("kd,kd->k", points, points, dtype=np.float64)
    scores = X @ np.ascontiguousarray(-2.0 * points.T.astype(np.float64))
    scores += squares
    return scores, squares


def _sqdist(
    scores: FloatArray,
    row_sq: FloatArray,
    point_sq: FloatArray,
    rounding: float = _CANCELLED,
) -> FloatArray:
    """Turn |p|^2 - 2 x.p into squared distances; mere rounding errors become zero."""
    distances = scores + row_sq
    return np.where(distances > rounding * (row_sq + point_sq), distances, 0.0)


def centers_of(
    samples: Samples,
    weights: FloatArray,
    labels: LabelArray,
    before: FloatArray,
) -> tuple[FloatArray, float]:
    """Return the means of the clusters, and how far they moved, squared.

    An empty cluster keeps its centre.
    """
    totals = np.bincount(labels, weights=weights, minlength=len(before))
    full = totals > 0
    centers = before.copy()
    sums = samples.sums(weights, labels, len(before))
    centers[full] = sums[full] / totals[full, None]
    return centers, float(np.sum((centers - before).astype(np.float64) ** 2))


def _members(weights: FloatArray, labels: LabelArray, k: int) -> Any:
    """Return the matrix of who is where, (n, k)."""
    ends = np.arange(labels.size + 1)
    return scipy.sparse.csr_array((weights, labels, ends), shape=(labels.size, k))


def _any_empty(labels: LabelArray, weights: FloatArray, k: int) -> bool:
    return not np.bincount(labels, weights=weights > 0, minlength=k).all()


def draw_spread_rows(
    weights: Any,
    uniform: FloatArray,
    distances_to: Callable[[NDArray[np.intp]], FloatArray],
) -> tuple[NDArray[np.intp], LabelArray]:
    """Draw rows by greedy k-means++, for any distances.

    Each step draws several candidates and keeps the one that leaves the smallest cost.

    Parameters
    ----------
    weights : (n,) array
    uniform : (k, candidates) array
        Random numbers; only one of the first row is used.
    distances_to : callable
        Takes (t,) rows and returns the squared distances of all rows, (t, n).

    Returns
    -------
    chosen : (k,) int array
        Fewer than k if all others coincide with them.
    nearest : (n,) int32 array
        Which of these is the nearest to each row, the first of equals.
    """
    chosen = np.empty(len(uniform), dtype=np.intp)
    labels = np.zeros(len(weights), dtype=LABEL_DTYPE)
    chosen[:1] = _drawn(np.cumsum(weights), uniform[0, :1])
    nearest = distances_to(chosen[:1])[0]
    for c in range(1, len(chosen)):
        mass = np.cumsum(nearest * weights)
        if mass[-1] <= 0:
            return chosen[:c], labels
        candidates = _drawn(mass, uniform[c])
        distances = distances_to(candidates)
        winner = int((np.minimum(distances, nearest) @ weights).argmin())
        chosen[c] = candidates[winner]
        labels[distances[winner] < nearest] = c
        nearest = np.minimum(distances[winner], nearest)
    return chosen, labels


def _drawn(cumulated: FloatArray, uniform: FloatArray) -> NDArray[np.intp]:
    """Turn uniform numbers into indices by a cumulative sum."""
    found = np.searchsorted(cumulated, uniform * cumulated[-1], side="right")
    return np.minimum(found, cumulated.size - 1)


def _kernels() -> ModuleType:
    """Import the kernels only when needed: numba is slow to load."""
    from coterie._kernels import _kmeans

    return _kmeans
