"""Consensus by k-means on the label rows."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult
from coterie.ensemble import Ensemble, Weights


class KCC(BaseConsensus):
    r"""k-means-based consensus clustering, with the category utility :math:`U_c`.

    k-means on the label rows written as zeros and ones,

    .. math::

        \min \sum_{i} \sum_{m=1}^{M} w_m \lVert x_i^m - \mu_{l(i)}^m \rVert^2,

    which maximises the mean category utility of the result with respect to the members
    [1]_. Linear in samples, members and clusters; a missing label is left out of the
    sum and of the means.

    Parameters
    ----------
    n_init : int, default=10
        Starts; the best is kept.
    max_iter : int, default=100
        Most iterations of a start.

    Notes
    -----
    Starts are drawn as in k-means++; the paper draws them at random. An empty cluster
    takes the row that is farthest from its centre.

    References
    ----------
    .. [1] J. Wu, H. Liu, H. Xiong, J. Cao, J. Chen, "K-means-based consensus
       clustering: a unified view", IEEE TKDE 27(1), 155-169, 2015.
       :doi:`10.1109/TKDE.2014.2316512`

    Examples
    --------
    >>> from coterie.consensus import KCC
    >>> KCC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 10, max_iter: int = 100) -> None:
        self.n_init = n_init
        self.max_iter = max_iter

    def _combine(
        self,
        ensemble: Ensemble,
        n_clusters: int,
        weights: Weights,
        X: Any,
        rng: np.random.Generator,
    ) -> ConsensusResult:
        M = ensemble.n_members
        members = np.ones(M) if weights.members is None else weights.members
        member_weights = members / members.sum()
        k = min(n_clusters, len(ensemble.core))
        runs = [
            _run(ensemble, k, member_weights, self.max_iter, rng)
            for _ in range(self.n_init)
        ]
        best = min(runs, key=lambda run: run.objective)
        return ConsensusResult(
            best.labels[ensemble.core.index],
            objective=best.objective,
            n_iter=best.n_iter,
            converged=best.converged,
        )


@dataclass(frozen=True, eq=False)
class _Run:
    labels: np.ndarray  # (u,)
    objective: float
    n_iter: int
    converged: bool


def _run(
    ensemble: Ensemble,
    k: int,
    member_weights: np.ndarray,
    max_iter: int,
    rng: np.random.Generator,
) -> _Run:
    """One start of k-means on the distinct label rows."""
    from coterie._kernels._kcc import nearest_profile, profile_counts

    core, offsets = ensemble.core, ensemble.offsets
    labels = _spread_start(core.rows, core.counts, member_weights, k, rng)
    distances = np.empty(len(core))
    for n_iter in range(1, max_iter + 1):
        table = np.zeros((ensemble.n_total_clusters, k))
        profile_counts(core.columns, offsets, core.counts, labels, table)
        costs = _costs(table, ensemble, member_weights)
        previous = labels.copy()
        nearest_profile(core.rows, offsets, costs, labels, distances)
        objective = float(distances @ core.counts)
        _fill_empty(labels, distances, k)
        if np.array_equal(labels, previous):
            return _Run(labels, objective, n_iter, True)
    return _Run(labels, objective, max_iter, False)


def _costs(
    table: np.ndarray, ensemble: Ensemble, member_weights: np.ndarray
) -> np.ndarray:
    """Return what a row pays for each base cluster in each final one, (C, k).

    For a row in base cluster g of member m, ``|x^m - mu^m|^2`` is
    ``1 - 2 mu_g + sum of mu^2 over the clusters of m``.
    """
    starts = ensemble.offsets[:-1]
    sizes = ensemble.n_clusters_per_member
    total = np.add.reduceat(table, starts, axis=0)  # (M, k) samples that m assigns
    mu = table / np.maximum(np.repeat(total, sizes, axis=0), 1.0)
    squares = np.add.reduceat(mu * mu, starts, axis=0)
    weights = np.repeat(member_weights, sizes)[:, None]
    return weights * (1.0 - 2.0 * mu + np.repeat(squares, sizes, axis=0))


def _spread_start(
    rows: np.ndarray,
    counts: np.ndarray,
    member_weights: np.ndarray,
    k: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Draw k rows as in greedy k-means++; give each row the nearest, (u,) int32.

    Each step draws several candidates and keeps the one that leaves least cost: one-hot
    rows are nearly all equally far from each other, so a single draw says little.
    """
    from coterie._kernels._kcc import distances_to_row

    n_candidates = 2 + int(np.log(k))
    nearest = np.empty(counts.size)
    chosen = rng.choice(counts.size, p=counts / counts.sum())
    distances_to_row(rows, member_weights, chosen, nearest)
    labels = np.zeros(counts.size, dtype=np.int32)
    distances = np.empty((n_candidates, counts.size))
    for c in range(1, k):
        mass = np.cumsum(nearest * counts)
        draws = np.searchsorted(mass, rng.random(n_candidates) * mass[-1], side="right")
        for t, row in enumerate(np.minimum(draws, counts.size - 1)):
            distances_to_row(rows, member_weights, row, distances[t])
        best = distances[(np.minimum(distances, nearest) @ counts).argmin()]
        closer = best < nearest
        labels[closer] = c
        nearest[closer] = best[closer]
    return labels


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
