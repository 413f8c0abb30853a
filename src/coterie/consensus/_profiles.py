"""k-means on the distinct label rows, with any cost of a row in a cluster."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Integral
from operator import attrgetter
from typing import Any, ClassVar

import numpy as np

from coterie._linalg._samples import draw_spread_rows
from coterie._typing import LABEL_DTYPE
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._by_blocks import (
    TableRule,
    combine_by_rule,
    some_rows,
    table_of,
)
from coterie.consensus._products import tabulate
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._clusters import HasClusters

# (counts (C, k), labels (u,), distances (u,)) -> None: fills labels and distances
Assign = Callable[[np.ndarray, np.ndarray, np.ndarray], None]


class ProfileMeans(BaseConsensus):
    """k-means in which a centre is the distribution of its rows over each member.

    A subclass implements ``_assignment(ensemble, rows, weights)``, which returns the
    function that assigns each row to its best cluster. It may use only the clusters of
    the ensemble and their sizes: the rows may be part of a larger whole.
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
        """Try starts on a sample of the label rows; the best continues with all."""
        ensemble, rows = task.ensemble, some_rows(task)
        labels = self.combine(rows, task.n_clusters, seed=task.rng).labels
        table = table_of(ensemble.offsets, task.n_clusters, rows.labels, labels)
        shape = _Shape(ensemble.offsets, ensemble.cluster_sizes)
        rule = _ProfileRule(ensemble.offsets, table, self, shape, task.weights)
        return combine_by_rule(rule, task)

    def _assignment(self, ensemble: Any, rows: np.ndarray, weights: Weights) -> Assign:
        raise NotImplementedError(f"{type(self).__name__} must implement _assignment.")


@dataclass(frozen=True, eq=False)
class _Shape(HasClusters):
    """The part of an ensemble that an assignment uses, without its rows."""

    offsets: np.ndarray
    cluster_sizes: np.ndarray


@dataclass(frozen=True, eq=False)
class _ProfileRule(TableRule):
    """Assigns label rows to the nearest centre, in the distance of the method."""

    method: ProfileMeans
    shape: _Shape
    weights: Weights

    def labels(self, rows: np.ndarray) -> np.ndarray:
        assign = self.method._assignment(self.shape, rows, self.weights)
        labels = np.empty(len(rows), dtype=LABEL_DTYPE)
        assign(self.table, labels, np.empty(len(rows)))
        return labels


def best_of(runs: list[ConsensusResult], ensemble: Ensemble) -> ConsensusResult:
    """Return the run on label rows with the least objective, with samples' labels."""
    best = min(runs, key=attrgetter("objective"))
    return replace(best, labels=best.labels[ensemble.core.index])


def member_shares(ensemble: Ensemble, weights: Weights) -> np.ndarray:
    """Return the weights of the members, normalised to sum one, (M,)."""
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
) -> ConsensusResult:
    """Run k-means on the distinct label rows from one start."""
    core = ensemble.core
    labels = spread_start(core.rows, core.counts, shares, k, rng)
    distances = np.empty(len(core))
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        previous = labels.copy()
        assign(tabulate(ensemble, labels, k), labels, distances)
        objective = float(distances @ core.counts)
        _fill_empty(labels, distances, k)
        converged = np.array_equal(labels, previous)
    return ConsensusResult(
        labels, objective=objective, n_iter=n_iter, converged=converged
    )


def spread_start(
    rows: np.ndarray,
    counts: np.ndarray,
    member_weights: np.ndarray,
    k: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw k rows by greedy k-means++ and assign each row to the nearest, (u,) int32.

    Greedy because one-hot rows are nearly all equally far apart, so a single draw says
    little.
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
    """Move the row farthest from its centre to each empty cluster."""
    sizes = np.bincount(labels, minlength=k)
    for empty in np.flatnonzero(sizes == 0):
        movable = np.where(sizes[labels] > 1, distances, -1.0)
        row = int(movable.argmax())
        if movable[row] <= 0:  # all rows coincide with their centres: fewer clusters
            return
        sizes[labels[row]] -= 1
        sizes[empty] = 1
        labels[row] = empty
        distances[row] = 0.0
