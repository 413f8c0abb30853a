"""k-means on the distinct label rows, whatever a row pays in a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._linalg._samples import draw_spread_rows
from coterie._typing import LABEL_DTYPE
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._by_blocks import (
    combine_by_rule,
    counts,
    moved,
    some_rows,
    table_of,
)
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._clusters import HasClusters

# (counts (C, k), labels (u,), distances (u,)) -> None: fills labels and distances
Assign = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


class ProfileMeans(BaseConsensus):
    """k-means in which the centre of a cluster is what its rows say, member by member.

    A subclass implements ``_assignment(ensemble, rows, weights)``, which returns the
    function that gives each of the rows its best cluster. Of the ensemble it may ask
    only the clusters and their sizes: the rows may be a part of a larger whole.
    """

    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 10, max_iter: int = 100) -> None:
        self.n_init = n_init
        self.max_iter = max_iter

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        assign = self._assignment(ensemble, ensemble.core.rows, task.weights)
        shares = member_shares(ensemble, task.weights)
        k = min(task.n_clusters, len(ensemble.core))
        runs = [
            _run(ensemble, k, shares, assign, self.max_iter, task.rng)
            for _ in range(self.n_init)
        ]
        return best_of(runs, ensemble)

    def _combine_blocks(self, task: Task) -> ConsensusResult:
        """Try starts on a sample of the label rows; the best goes on with all."""
        ensemble, rows = task.ensemble, some_rows(task)
        labels = self.combine(rows, task.n_clusters, seed=task.rng).labels
        table = table_of(ensemble.offsets, task.n_clusters, rows.labels, labels)
        shape = _Shape(ensemble.offsets, ensemble.cluster_sizes)
        return combine_by_rule(_ProfileRule(self, shape, task.weights, table), task)

    def _assignment(self, ensemble: Any, rows: np.ndarray, weights: Weights) -> Assign:
        raise NotImplementedError(f"{type(self).__name__} must implement _assignment.")


@dataclass(frozen=True, eq=False)
class _Shape(HasClusters):
    """What an assignment asks of an ensemble, without its rows."""

    offsets: np.ndarray
    cluster_sizes: np.ndarray


@dataclass(frozen=True, eq=False)
class _ProfileRule:
    """The nearest centre among label rows, in the distance of the method."""

    method: ProfileMeans
    shape: _Shape
    weights: Weights
    table: np.ndarray  # (C, k): samples of each cluster in each final cluster

    def labels(self, rows: np.ndarray) -> np.ndarray:
        assign = self.method._assignment(self.shape, rows, self.weights)
        labels = np.empty(len(rows), dtype=LABEL_DTYPE)
        assign(self.table, labels, np.empty(len(rows)))
        return labels

    def sums(self, rows: np.ndarray) -> np.ndarray:
        return counts(self.shape.offsets, self.table.shape[1], self, rows)

    def better(self, sums: np.ndarray) -> _ProfileRule:
        return replace(self, table=sums)

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        return moved(sums, before)


@dataclass(frozen=True, eq=False)
class Run:
    """One start on the distinct label rows."""

    labels: np.ndarray  # (u,)
    objective: float
    n_iter: int
    converged: bool


def best_of(runs: list[Run], ensemble: Ensemble) -> ConsensusResult:
    """Return the run of the smallest objective, as labels of the samples."""
    best = min(runs, key=lambda run: run.objective)
    return ConsensusResult(
        best.labels[ensemble.core.index],
        objective=best.objective,
        n_iter=best.n_iter,
        converged=best.converged,
    )


def member_shares(ensemble: Ensemble, weights: Weights) -> np.ndarray:
    """Return the weights of members with sum one, (M,)."""
    if weights.members is None:
        return np.full(ensemble.n_members, 1.0 / ensemble.n_members)
    return weights.members / weights.members.sum()


def _run(
    ensemble: Ensemble,
    k: int,
    shares: np.ndarray,
    assign: Assign,
    max_iter: int,
    rng: np.random.Generator,
) -> Run:
    """One start of k-means on the distinct label rows."""
    from coterie._kernels._kcc import profile_counts

    core, offsets = ensemble.core, ensemble.offsets
    labels = spread_start(core.rows, core.counts, shares, k, rng)
    distances = np.empty(len(core))
    for n_iter in range(1, max_iter + 1):
        table = np.zeros((ensemble.n_total_clusters, k))
        profile_counts(core.columns, offsets, core.counts, labels, table)
        previous = labels.copy()
        assign(table, labels, distances)
        objective = float(distances @ core.counts)
        _fill_empty(labels, distances, k)
        if np.array_equal(labels, previous):
            return Run(labels, objective, n_iter, True)
    return Run(labels, objective, max_iter, False)


def spread_start(
    rows: np.ndarray,
    counts: np.ndarray,
    member_weights: np.ndarray,
    k: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw k rows by greedy k-means++; give each row the nearest, (u,) int32.

    Greedy, since one-hot rows are nearly all equally far from each other, so that a
    single draw says little.
    """
    from coterie._kernels._kcc import distances_to_row

    def distances_to(chosen: np.ndarray) -> np.ndarray:
        distances = np.empty((chosen.size, counts.size))
        for row, out in zip(chosen, distances, strict=True):
            distances_to_row(rows, member_weights, row, out)
        return distances

    uniform = np.empty((k, 2 + int(np.log(k))))
    uniform[0] = rng.random()
    uniform[1:] = rng.random((k - 1, uniform.shape[1]))
    return draw_spread_rows(counts, uniform, distances_to)[1]


def _fill_empty(labels: np.ndarray, distances: np.ndarray, k: int) -> None:
    """Give each empty cluster the row farthest from its centre."""
    sizes = np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(sizes == 0):
        movable = np.where(sizes[labels] > 1, distances, -1.0)
        row = int(movable.argmax())
        if movable[row] <= 0:  # all rows sit on their centres: fewer clusters
            return
        sizes[labels[row]] -= 1
        sizes[empty] = 1
        labels[row] = empty
        distances[row] = 0.0
