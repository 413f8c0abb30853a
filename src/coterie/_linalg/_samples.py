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
_ROWS_AT_ONCE = 64, 1024  # at least, at most
_SCORES_AT_ONCE = 65536  # reread while still in the cache
_SHARE_OF_TIES = 0.1  # above this, more accurate scores are cheaper
_DRIFT_ERROR = 1e-9  # relative, of the distance by which a centre moved
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
        self.everyone = np.arange(self.n_samples)
        low, high = _SINGLE_RANGE
        single = self.n_features <= _SINGLE_FEATURES and low < self.row_sq.max() < high
        self.score_by(values.astype(np.float32, copy=False) if single else values)

    def score_by(self, scored: FloatArray) -> None:
        """Compute scores from these values, and set a bound on their error.

        Bounds twice the error of a score plus that of the exact distance, relative to
        |x|^2 + |c|^2, for sums of n_features terms in any order.
        """
        self.scored = scored
        self.slack = float(np.finfo(scored.dtype).eps) * (1.5 * self.n_features + 16.0)

    def take(self, which: Any) -> FloatArray:
        """Return some rows."""
        return self.values[which]

    def assign(self, centers: FloatArray) -> LabelArray:
        """Return the nearest centre of each row."""
        placed = _Placement(self)
        placed.place(self.everyone, centers, squares_of(centers))
        return placed.labels

    def own_sqdist(self, centers: FloatArray, labels: LabelArray) -> FloatArray:
        """Return the squared distance of each row to its centre."""
        out = np.empty(self.n_samples)
        _kernels().own_sqdist(self.values, self.everyone, centers, labels, out)
        return out

    def sums(self, weights: FloatArray, labels: LabelArray, k: int) -> FloatArray:
        """Return the weighted sum of the rows of each cluster, (k, d) float64."""
        sums = np.zeros((k, self.n_features))
        nowhere = np.full(self.n_samples, -1, dtype=LABEL_DTYPE)
        _kernels().move_rows(self.values, weights, nowhere, labels, sums)
        return sums

    def seed(self, weights: FloatArray, uniform: FloatArray) -> NDArray[np.intp]:
        """Draw rows by greedy k-means++; fewer than k if all others lie on them."""
        if self.values.nbytes > _TURNED_BYTES:
            return draw_spread_rows(weights, uniform, self._distances_to)[0]
        shorten, keep, tiles = _kernels().shorten, _kernels().keep, self._turned
        n_steps, n_candidates = uniform.shape
        chosen = np.empty(n_steps, dtype=np.intp)
        closest = np.full(self.n_samples, np.inf)
        options = np.empty((n_candidates, self.n_samples))
        potentials = np.empty(n_candidates)
        distances = np.empty(tiles.shape[2], dtype=tiles.dtype)
        mass = np.cumsum(weights)
        candidates = _drawn(mass, uniform[0, :1])
        for c in range(n_steps):
            if c > 0:
                if mass[-1] <= 0:
                    return chosen[:c]
                candidates = _drawn(mass, uniform[c])
            points = self.values[candidates]
            shorten(tiles, points, weights, closest, distances, options, potentials)
            winner = potentials[: candidates.size].argmin()
            chosen[c] = candidates[winner]
            keep(options[winner], weights, closest, mass)
        return chosen

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
        move_rows = _kernels().move_rows
        n, k = self.n_samples, len(start)
        centers, squares = np.array(start, order="C"), squares_of(start)
        placed = _Placement(self)
        labels = placed.labels
        summed = labels.copy()  # the labels that sums is of
        sums = np.zeros(centers.shape)
        placed.place(self.everyone, centers, squares)
        for n_iter in range(1, max_iter + 1):
            totals = np.bincount(labels, weights, k)
            if not totals.all():
                return Descent(centers, labels, n_iter - 1, False, is_stuck=True)
            if np.count_nonzero(labels != summed) > n // 4:
                sums[:] = 0.0  # cheaper to start over, and without rounding errors
                summed[:] = -1
            move_rows(self.values, weights, summed, labels, sums)
            summed[:] = labels
            before = centers
            centers = (sums / totals[:, None]).astype(before.dtype, copy=False)
            ways, squares = squares_of(centers, before), squares_of(centers)
            placed.follow(centers, squares, np.sqrt(ways))
            if (labels == summed).all() or (
                ways.sum() <= tolerance and not _any_empty(labels, weights, k)
            ):
                return Descent(centers, labels, n_iter, True)
        return Descent(centers, labels, max_iter, False)


class _Placement:
    """The nearest centres of dense rows, and bounds that spare most a second look."""

    def __init__(self, samples: DenseSamples) -> None:
        self._samples = samples
        self.labels = np.full(samples.n_samples, -1, dtype=LABEL_DTYPE)
        self._upper, self._lower = np.empty((2, samples.n_samples))  # of distances

    def follow(
        self, centers: FloatArray, squares: FloatArray, drift: FloatArray
    ) -> None:
        """Update the labels after the centres have moved by some distances."""
        samples = self._samples
        which = np.empty(samples.n_samples, dtype=np.int64)
        n_open = _kernels().loosen(
            self.labels, drift * (1.0 + _DRIFT_ERROR), samples.row_sq, samples.slack,
            squares.max(), self._upper, self._lower, which,
        )  # fmt: skip
        self.place(which[:n_open], centers, squares)

    def place(
        self, which: NDArray[np.int64], centers: FloatArray, squares: FloatArray
    ) -> None:
        """Label some rows by the nearest centre; ``squares`` are those of centres."""
        samples, k = self._samples, len(centers)
        dtype = samples.scored.dtype
        minus_two = (centers * -2.0).astype(dtype, copy=False)  # (k, d)
        center_sq = squares.astype(dtype, copy=False)
        at_once = min(max(_SCORES_AT_ONCE // k, _ROWS_AT_ONCE[0]), _ROWS_AT_ONCE[1])
        n_rows = min(at_once, which.size)
        best, second = np.empty((2, n_rows), dtype=dtype)
        found = np.empty(n_rows, dtype=LABEL_DTYPE)
        ties = np.empty(n_rows, dtype=np.int64)
        n_exact = 0
        for s in range(0, which.size, at_once):
            here = which[s : s + at_once]
            everyone = which.size == samples.n_samples
            rows = samples.scored
            rows = rows[s : s + at_once] if everyone else rows.take(here, axis=0)
            scores = np.dot(minus_two, rows.T)  # (k, rows)
            n_ties = _kernels().nearest_two(
                scores, center_sq, samples.row_sq, samples.slack, here, best, second,
                found, ties, self.labels, self._upper, self._lower,
            )  # fmt: skip
            if n_ties:
                tied = ties[:n_ties]
                scores = scores[:, tied] + center_sq[:, None]
                slack = samples.slack * (samples.row_sq[here[tied]] + squares.max())
                n_exact += self._settle(here[tied], centers, scores, best[tied] + slack)
        if n_exact > _SHARE_OF_TIES * which.size * k:
            samples.score_by(samples.values)

    def _settle(
        self,
        rows: NDArray[np.int64],
        centers: FloatArray,
        scores: FloatArray,
        limits: FloatArray,
    ) -> int:
        """Compare distances to all centres with scores (k, rows) within the limits.

        The lowest index wins. Returns how many distances had to be computed.
        """
        place, centre = np.nonzero(limits[:, None] >= scores.T)
        centre = centre.astype(LABEL_DTYPE)
        distances = np.empty(place.size)
        _kernels().own_sqdist(
            self._samples.values, rows[place], centers, centre, distances
        )
        nearest = np.lexsort((centre, distances, place))
        first = np.flatnonzero(np.diff(place, prepend=-1))
        self.labels[rows] = centre[nearest[first]]
        return place.size


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
        ends = np.arange(self.n_samples + 1)
        shape = (self.n_samples, k)
        members = scipy.sparse.csr_array((weights, labels, ends), shape=shape)
        return (members.T @ self.values).toarray()

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


def squares_of(points: FloatArray, origin: FloatArray | float = 0.0) -> FloatArray:
    """Return the squared distances of points to origins, (k,) float64."""
    away = np.subtract(points, origin, dtype=np.float64)
    return np.einsum("kd,kd->k", away, away)


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
