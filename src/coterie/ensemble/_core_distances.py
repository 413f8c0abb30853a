"""Distances between core clusters, in each member's own subspace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse
from scipy.spatial.distance import cdist

from coterie._validation import check_data, is_sparse
from coterie.ensemble._ensemble import Ensemble

METRICS = ("euclidean", "manhattan", "cosine")
_TILE = 1024  # samples; a tile of distances takes 8 MB


@dataclass(frozen=True, eq=False)
class CoreDistances:
    """Mean distances between the core clusters of one cluster.

    Attributes
    ----------
    member : int
    cluster : int
        Its index among all clusters.
    cores : (c,) int array
        The core clusters that it consists of, ascending.
    distances : (c, c) float64 array
        The mean distance of a sample of one to a sample of the other; on the diagonal,
        of two samples of the same (including a sample and itself).
    """

    member: int
    cluster: int
    cores: np.ndarray
    distances: np.ndarray


def core_distances(
    ensemble: Ensemble, X: Any, metric: str, *, scaled: bool, who: str
) -> Iterator[CoreDistances]:
    r"""Yield, for each cluster of each member, the distances of its core clusters.

    .. math:: \mathrm{CCS}(o_a, o_b) = \frac{1}{|o_a| |o_b|}
        \sum_{x \in o_a} \sum_{x' \in o_b} d(x, x'),

    with the distances d in the member's features. Only pairs within a cluster are
    computed, in tiles: memory is that of one cluster's (c, c) and of some tiles.

    Parameters
    ----------
    ensemble : Ensemble
    X : (N, D) array or sparse matrix
    metric : {"euclidean", "manhattan", "cosine"}
    scaled : bool
        Whether to divide distances by the mean distance of all pairs of samples in the
        member's features (for Euclidean distances, by the root mean square).
    who : str
        The caller, for error messages.
    """
    X = check_data(X, who, accept_sparse=True)
    _check_fits(ensemble, X, who)
    core = ensemble.core
    order = np.argsort(core.index, kind="stable")  # samples by core cluster
    starts = np.concatenate([[0], np.cumsum(core.counts)])
    for j, member in enumerate(ensemble.members):
        points = _Points.of(member.view(X), metric)
        unit = points.mean_distance() if scaled else 1.0
        labels = core.rows[:, j]
        for code in range(ensemble.n_clusters_per_member[j]):
            cores = np.flatnonzero(labels == code)
            samples = np.concatenate([order[starts[a] : starts[a + 1]] for a in cores])
            sizes = core.counts[cores]
            sums = _block_sums(points.take(samples), sizes)
            distances = sums / np.outer(sizes, sizes)  # Eq. 8
            if unit > 0:
                distances /= unit
            yield CoreDistances(j, int(ensemble.offsets[j]) + code, cores, distances)


def _check_fits(ensemble: Ensemble, X: Any, who: str) -> None:
    if X.shape[0] != ensemble.n_samples:
        raise ValueError(
            f"{who} got X of {X.shape[0]} rows for an ensemble of "
            f"{ensemble.n_samples} samples. Pass the data that were clustered."
        )
    for member in ensemble.members:
        if member.features is not None:
            needed = int(member.features.max()) + 1
        elif member.embedding is not None:
            needed = member.embedding.shape[0]
        else:
            continue
        if needed > X.shape[1]:
            raise ValueError(
                f"{who} got X of {X.shape[1]} features, but a member of the ensemble "
                f"saw feature {needed - 1}. Pass the data that were clustered."
            )


def _block_sums(points: _Points, sizes: np.ndarray) -> np.ndarray:
    """Return the sums of the distances between groups of consecutive rows, (c, c)."""
    group = np.repeat(np.arange(sizes.size), sizes)  # (n,)
    sums = np.zeros((sizes.size, sizes.size))
    for s in range(0, group.size, _TILE):
        rows = slice(s, s + _TILE)
        D = points.distances(rows, rows)
        np.fill_diagonal(D, 0.0)
        here, sums_here = _grouped(D, group[rows], group[rows])
        sums[here] += sums_here
        for t in range(s + _TILE, group.size, _TILE):
            columns = slice(t, t + _TILE)
            D = points.distances(rows, columns)
            here, sums_here = _grouped(D, group[rows], group[columns])
            sums[here] += sums_here
            sums[here[::-1]] += sums_here.T
    return sums


def _grouped(
    D: np.ndarray, row_group: np.ndarray, column_group: np.ndarray
) -> tuple[tuple[slice, slice], np.ndarray]:
    """Return the index of the sums over groups of rows and columns, and the sums."""
    first, last = int(row_group[0]), int(row_group[-1])
    left, right = int(column_group[0]), int(column_group[-1])
    D = _sums(_sums(D, column_group - left, 1), row_group - first, 0)
    return (slice(first, last + 1), slice(left, right + 1)), D


def _sums(D: np.ndarray, group: np.ndarray, axis: int) -> np.ndarray:
    """Add up runs of rows or columns of the same group (0, 0, 1, 2, 2, ...)."""
    starts = np.flatnonzero(np.diff(group, prepend=-1))
    return D if starts.size == group.size else np.add.reduceat(D, starts, axis=axis)


@dataclass(frozen=True, eq=False)
class _Points:
    """Samples in one member's space, and how far apart they are."""

    values: Any  # (n, d) float64 or CSR; for cosine, rows of length one or zero
    squares: np.ndarray  # (n,) of the lengths of the rows
    metric: str

    @staticmethod
    def of(view: Any, metric: str) -> _Points:
        sparse = is_sparse(view)
        values = (
            scipy.sparse.csr_array(view, dtype=np.float64)
            if sparse
            else np.asarray(view, dtype=np.float64)
        )
        if metric == "euclidean" and not sparse:
            values = values - values.mean(axis=0)  # lest products lose digits
        if metric == "cosine":
            lengths = np.sqrt(_row_squares(values))
            scale = 1.0 / np.where(lengths > 0, lengths, 1.0)
            values = scipy.sparse.diags_array(scale) @ values
        return _Points(values, _row_squares(values), metric)

    def take(self, rows: np.ndarray) -> _Points:
        return _Points(self.values[rows], self.squares[rows], self.metric)

    def distances(self, rows: slice, columns: slice) -> np.ndarray:
        left, right = self.values[rows], self.values[columns]
        if self.metric == "manhattan":
            if is_sparse(left):
                left, right = left.toarray(), right.toarray()
            return cdist(left, right, "cityblock")
        products = left @ right.T
        if is_sparse(products):
            products = products.toarray()
        if self.metric == "cosine":
            return np.maximum(1.0 - products, 0.0)
        products *= -2.0
        products += self.squares[rows, None]
        products += self.squares[columns]
        return np.sqrt(np.maximum(products, 0.0, out=products), out=products)

    def mean_distance(self) -> float:
        """Return the mean distance of all pairs, in linear time (N log N)."""
        n = self.values.shape[0]
        pairs = n * (n - 1.0)
        if n < 2:
            return 0.0
        total = np.asarray(self.values.sum(axis=0)).ravel()
        if self.metric == "manhattan":
            return 2.0 * _sum_of_differences(self.values) / pairs
        if self.metric == "cosine":
            return float(n * n - total @ total - (n - self.squares.sum())) / pairs
        return float(np.sqrt(2.0 * (n * self.squares.sum() - total @ total) / pairs))


def _row_squares(values: Any) -> np.ndarray:
    return np.asarray((values * values).sum(axis=1)).ravel()


def _sum_of_differences(values: Any) -> float:
    """Return the sum over features and over pairs i < j of ``|x_i - x_j|``."""
    n = values.shape[0]
    # sorted, x_i is added i times and subtracted n - 1 - i times
    rank = 2.0 * np.arange(n) - n + 1.0
    total = 0.0
    for s in range(0, values.shape[1], 256):
        part = values[:, s : s + 256]
        part = part.toarray() if is_sparse(part) else part
        total += float((rank @ np.sort(part, axis=0)).sum())
    return total
