"""Consensus of an ensemble that is read in blocks, by a rule refined pass by pass.

A consensus function that is linear in the samples makes a first rule from a sample of
the label rows. A rule assigns any label row to a final cluster; each pass over all rows
improves it. Memory holds only a few blocks and C x C numbers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

from coterie._linalg import assign_to_centers, kmeans, scaled_eigenpairs, unit_rows
from coterie._typing import LABEL_DTYPE
from coterie.consensus._base import ConsensusResult, Task
from coterie.ensemble import BlockEnsemble, Ensemble
from coterie.ensemble._blocks import columns_of
from coterie.ensemble._votes import sample_shares

MAX_ITER = 20  # passes over all rows that improve a rule
_SAMPLE, _PER_CLUSTER = 20_000, 500  # label rows for trying starts
_TOLERANCE = 1e-4  # of k-means, or share of labels that change


class RowRule(Protocol):
    """Assigns each label row to a final cluster; a pass over all rows improves it."""

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Return the final cluster of each label row, (n,) int32."""
        ...

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Return the terms of the next rule, to be summed over all rows."""
        ...

    def better(self, sums: np.ndarray) -> RowRule:
        """Return the next rule."""
        ...

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        """Return the relative change of the sums."""
        ...


@dataclass(frozen=True, eq=False)
class TableRule:
    """A rule made from the samples of each cluster in each final cluster."""

    offsets: np.ndarray
    table: np.ndarray  # (C, k)

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Return the final cluster of each label row, (n,) int32."""
        raise NotImplementedError(f"{type(self).__name__} must implement labels.")

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Return the table of these rows."""
        return counts(self.offsets, self.table.shape[1], self, rows)

    def better(self, sums: np.ndarray) -> RowRule:
        """Return the rule with this table."""
        return replace(self, table=sums)

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        """Return the share of labels that moved to another final cluster."""
        return float(np.abs(sums - before).sum() / (2.0 * sums.sum()))


@dataclass(frozen=True, eq=False)
class CutRule:
    """Assigns to the nearest centre among the unit rows of the transfer cut."""

    offsets: np.ndarray
    lift: np.ndarray  # (C, d), embedding of each cluster times its weight
    centers: np.ndarray  # (k, d)

    def points(self, rows: np.ndarray) -> np.ndarray:
        """Embed label rows; the degrees cancel after scaling to unit length."""
        from coterie._kernels._incidence import gather

        out = np.empty((len(rows), self.lift.shape[1]), dtype=self.lift.dtype)
        gather(rows, self.offsets, self.lift, out)
        return unit_rows(out)

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Return the final cluster of each label row, (n,) int32."""
        return assign_to_centers(self.points(rows), self.centers)[0]

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Return the sum of the points of each final cluster, and their number."""
        from coterie._kernels._incidence import scatter

        points = self.points(rows)
        labels = assign_to_centers(points, self.centers)[0]
        k, d = self.centers.shape
        sums = np.zeros((k, d))
        scatter(labels[None, :], np.array([0, k]), points, sums)
        return np.column_stack([sums, np.bincount(labels, minlength=k)])

    def better(self, sums: np.ndarray) -> CutRule:
        """Return the rule whose centres are the means."""
        counts = sums[:, -1:]  # an empty cluster keeps its centre
        means = sums[:, :-1] / np.maximum(counts, 1.0)
        centers = np.where(counts > 0, means, self.centers)
        return replace(self, centers=centers.astype(self.centers.dtype))

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        """Return how far the centres moved."""
        now, then = self.better(sums).centers, self.better(before).centers
        return float(np.sum((now - then) ** 2)) * now.shape[1]  # relative to unit rows


def cut_rule(task: Task, n_init: int) -> CutRule:
    """Return the transfer cut of the graph of samples and clusters."""
    ensemble, k, rng = blocks_of(task), task.n_clusters, task.rng
    weights = task.weights.per_cluster(ensemble)
    sizes = ensemble.cluster_sizes
    scale = np.zeros(sizes.size)
    np.divide(1.0, np.sqrt(weights * sizes), out=scale, where=weights * sizes > 0)
    if np.ptp(weights) > 0:
        E = ensemble.weighted_overlap(weights)
    else:  # no label is missing: equal cluster weights mean equal row weights
        E = ensemble.overlap() / (weights[0] * ensemble.n_members)
    n_components = min(k, sizes.size)
    z = scaled_eigenpairs(E, scale * weights, n_components, rng).vectors
    lift = ((scale * weights)[:, None] * z).astype(np.float32)
    rule = CutRule(ensemble.offsets, lift, np.zeros((k, n_components), lift.dtype))
    points = rule.points(some_rows(task).labels)
    found = kmeans(points, k, rng=rng, n_init=n_init)
    return replace(rule, centers=found.centers)


def blocks_of(task: Task) -> BlockEnsemble:
    """Return the task's ensemble, which is read in blocks."""
    assert isinstance(task.ensemble, BlockEnsemble)
    return task.ensemble


def some_rows(task: Task) -> Ensemble:
    """Return a sample of the label rows, large enough for the number of clusters."""
    size = max(_SAMPLE, _PER_CLUSTER * task.n_clusters)
    return blocks_of(task).sample(size, task.rng)


@dataclass(frozen=True, eq=False)
class Placer:
    """Places any label row the same way as those of the ensemble.

    Attributes
    ----------
    rule : RowRule
    offsets : (M + 1,) int64 array
        The first cluster of each member.
    weights : (C,) array
        The weights of the members' clusters.
    shares : (C, k) array
        The share of each cluster's samples in each final cluster.
    rank : (k,) int32 array
        The number of each final cluster by first appearance; -1 if it is empty.
    """

    rule: RowRule
    offsets: np.ndarray
    weights: np.ndarray
    shares: np.ndarray
    rank: np.ndarray

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Return the final cluster of each label row, (n,) int32."""
        return self.rank[self.rule.labels(rows)]

    def placed(self, rows: np.ndarray) -> tuple[np.ndarray, ...]:
        """Return cluster, vote for it, second cluster and margin of label rows."""
        labels = self.labels(rows)
        votes = sample_shares(rows, self.offsets, self.shares, self.weights)
        own = np.take_along_axis(votes, labels[:, None], axis=1)[:, 0]
        second, other = np.full(len(rows), -1, LABEL_DTYPE), np.zeros(len(rows))
        if votes.shape[1] > 1:
            np.put_along_axis(votes, labels[:, None], -1.0, axis=1)
            second, other = votes.argmax(axis=1).astype(LABEL_DTYPE), votes.max(axis=1)
        sure = np.clip(own, 0.0, 1.0).astype(np.float32)
        return labels, sure, second, (own - other).astype(np.float32)


def combine_by_rule(
    rule: RowRule, task: Task, max_iter: int | None = None
) -> ConsensusResult:
    """Improve a rule until it converges, then place all rows by it.

    Parameters
    ----------
    rule : RowRule
    task : Task
    max_iter : int, default=None
        Maximum passes over all rows that improve the rule; None is 20.
    """
    ensemble, k = blocks_of(task), task.n_clusters
    rule, n_iter, converged = refined(rule, ensemble, max_iter or MAX_ITER)
    table, first = _tabled(rule, ensemble, k)
    found = np.flatnonzero(first < ensemble.n_samples)
    order = found[np.argsort(first[found], kind="stable")]
    rank = np.full(k, -1, dtype=LABEL_DTYPE)
    rank[order] = np.arange(order.size, dtype=LABEL_DTYPE)
    table = table[:, order]
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    weights = task.weights.per_cluster(ensemble)
    placer = Placer(rule, ensemble.offsets, weights, shares, rank)
    kinds = (LABEL_DTYPE, np.float32, LABEL_DTYPE, np.float32)
    whole = [np.empty(ensemble.n_samples, dtype=kind) for kind in kinds]
    found_parts = ensemble.map(placer.placed)
    for (start, stop), parts in zip(
        pairwise(ensemble.bounds), found_parts, strict=True
    ):
        for array, part in zip(whole, parts, strict=True):
            array[start:stop] = part
    labels, confidence, second, margin = whole
    return ConsensusResult(
        labels,
        confidence=confidence,
        second=second,
        margin=margin,
        n_iter=n_iter,
        converged=converged,
        placer=placer,
    )


def refined(
    rule: RowRule, ensemble: BlockEnsemble, max_iter: int
) -> tuple[RowRule, int, bool]:
    """Pass over all rows until convergence, at most ``max_iter`` times."""
    previous: Any = None
    for n_iter in range(1, max_iter + 1):
        sums = ensemble.total(rule.sums)
        converged = previous is not None and rule.change(sums, previous) <= _TOLERANCE
        rule, previous = rule.better(sums), sums
        if converged:
            return rule, n_iter, True
    return rule, max_iter, False


def counts(offsets: np.ndarray, k: int, rule: RowRule, rows: np.ndarray) -> np.ndarray:
    """Return the samples of each cluster in each final cluster, (C, k)."""
    return table_of(offsets, k, rows, rule.labels(rows))


def table_of(
    offsets: np.ndarray, k: int, rows: np.ndarray, labels: np.ndarray
) -> np.ndarray:
    """Return the same for rows with known final clusters."""
    from coterie._kernels._kcc import profile_counts

    table = np.zeros((int(offsets[-1]), k))
    ones = np.ones(len(rows), dtype=np.int64)
    profile_counts(columns_of(rows), offsets, ones, labels, table)
    return table


def _tabled(
    rule: RowRule, ensemble: BlockEnsemble, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return this table for all rows, and the first sample of each final cluster."""
    total = np.zeros((ensemble.n_total_clusters, k))
    first = np.full(k, ensemble.n_samples)
    parts = ensemble.map(partial(_counts_and_first, ensemble.offsets, k, rule))
    for start, (table, at) in zip(ensemble.bounds[:-1], parts, strict=True):
        total += table
        seen = at >= 0
        first[seen] = np.minimum(first[seen], start + at[seen])
    return total, first


def _counts_and_first(
    offsets: np.ndarray, k: int, rule: RowRule, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    labels = rule.labels(rows)
    at = np.full(k, -1)
    values, first = np.unique(labels, return_index=True)
    at[values] = first
    return table_of(offsets, k, rows, labels), at
