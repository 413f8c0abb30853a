"""Consensus by aligned votes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._typing import LABEL_DTYPE
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._bipartite import HBGF
from coterie.consensus._by_blocks import (
    blocks_of,
    combine_by_rule,
    counts,
    cut_rule,
    moved,
)
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._alignment import align_labels
from coterie.metrics import member_agreement


class _VoteConsensus(BaseConsensus):
    """Rounds of votes: the result of one is the reference of the next.

    A subclass implements ``_ballots(shared)``: from the (k_m, k) numbers of samples
    that a member's clusters share with the reference's, what each gives to each.
    """

    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, max_iter: int = 20) -> None:
        self.max_iter = max_iter

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        cluster_weights = task.weights.per_cluster(ensemble)
        labels = _first_reference(ensemble, task.n_clusters, task.rng)
        n_iter, settled = 0, False
        while not settled and n_iter < self.max_iter:
            votes = self._votes(ensemble, labels, task.n_clusters, cluster_weights)
            # A tie stays with the reference, so that the rounds come to an end.
            own = np.take_along_axis(votes, labels[:, None], axis=1)[:, 0]
            best = votes.argmax(axis=1)
            moved = votes[np.arange(best.size), best] > own + 1e-12
            labels = np.where(moved, best, labels)
            n_iter += 1
            settled = not moved.any()
        rows = ensemble.core.index
        return ConsensusResult(labels[rows], n_iter=n_iter, converged=settled)

    def _votes(
        self, ensemble: Ensemble, labels: np.ndarray, k: int, weights: np.ndarray
    ) -> np.ndarray:
        """Return the weight of the votes of each row for each final cluster, (u, k)."""
        from coterie._kernels._incidence import gather
        from coterie._kernels._kcc import profile_counts

        core, offsets = ensemble.core, ensemble.offsets
        table = np.zeros((ensemble.n_total_clusters, k))
        profile_counts(core.columns, offsets, core.counts, labels, table)
        votes = np.empty((len(core), k))
        gather(core.rows, offsets, self.ballots(table, offsets, weights), votes)
        return votes

    def _combine_blocks(self, task: Task) -> ConsensusResult:
        ensemble, k = blocks_of(task), task.n_clusters
        weights = task.weights.per_cluster(ensemble)
        weights = weights / weights.max()  # ones, so that ties are exact
        cut = cut_rule(task, HBGF().n_init)
        reference = ensemble.total(partial(counts, ensemble.offsets, k, cut))
        first = _VoteRule(self, ensemble.offsets, weights, np.zeros((0, 0)))
        return combine_by_rule(first.better(reference), task, self.max_iter)

    def ballots(
        self, table: np.ndarray, offsets: np.ndarray, weights: np.ndarray
    ) -> np.ndarray:
        """Return what each cluster gives to each final cluster, (C, k).

        Parameters
        ----------
        table : (C, k) array
            How many samples of each cluster are in each cluster of the reference.
        offsets : (M + 1,) int array
        weights : (C,) array
        """
        ballots = np.empty_like(table)
        for start, stop in pairwise(offsets):
            given = self._ballots(table[start:stop])
            ballots[start:stop] = given * weights[start:stop, None]
        return ballots

    def _ballots(self, shared: np.ndarray) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must implement _ballots.")


@dataclass(frozen=True, eq=False)
class _VoteRule:
    """The final cluster with most of the members' votes; of equals the first."""

    method: _VoteConsensus
    offsets: np.ndarray
    weights: np.ndarray  # (C,)
    ballots: np.ndarray  # (C, k)

    def labels(self, rows: np.ndarray) -> np.ndarray:
        from coterie._kernels._incidence import gather

        votes = np.empty((len(rows), self.ballots.shape[1]))
        gather(rows, self.offsets, self.ballots, votes)
        return votes.argmax(axis=1).astype(LABEL_DTYPE)

    def sums(self, rows: np.ndarray) -> np.ndarray:
        return counts(self.offsets, self.ballots.shape[1], self, rows)

    def better(self, sums: np.ndarray) -> _VoteRule:
        ballots = self.method.ballots(sums, self.offsets, self.weights)
        return replace(self, ballots=ballots)

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        return moved(sums, before)


@fill_doc
class Vote(_VoteConsensus):
    """Plurality vote of the members after their clusters are matched.

    Each member's clusters are matched to those of a reference (Hungarian method;
    clusters left over go where most of their samples are), and each sample goes where
    most members put it [1]_ [2]_. The result becomes the next reference, until nothing
    changes. Easy to explain, and best where all members have the number of clusters
    asked for.

    Parameters
    ----------
    max_iter : int, default=20
        Most rounds of matching.

    Notes
    -----
    The first reference is the member of ``n_clusters`` clusters that agrees best with
    the ensemble; where no member has that many, it is the result of :class:`HBGF`. A
    cluster that gets no vote is empty: fewer clusters, with a warning.

    References
    ----------
    %(paper)s
    .. [2] B. Fischer, J. M. Buhmann, "Bagging for path-based clustering", IEEE TPAMI
       25(11), 1411-1415, 2003. :doi:`10.1109/TPAMI.2003.1240115`

    Examples
    --------
    >>> from coterie.consensus import Vote
    >>> Vote().combine([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "vote"
    summary = "plurality vote after matching the members' clusters"
    cost = "time N M + C k^2, memory N M"
    paper = "dudoit2003bagging"

    def _ballots(self, shared: np.ndarray) -> np.ndarray:
        ballots = np.zeros_like(shared)
        ballots[np.arange(len(shared)), align_labels(shared)] = 1.0
        return ballots


@fill_doc
class Borda(_VoteConsensus):
    """Borda count of the members: each ranks all final clusters for each sample.

    The final cluster that a member finds the likeliest for a sample gets k points, the
    next k - 1, and so on; the points are summed over the members, and the most points
    win [1]_. Choose it instead of :class:`Vote` where members have more or fewer
    clusters than asked for: a second choice counts, too.

    Parameters
    ----------
    max_iter : int, default=20
        Most rounds.

    Notes
    -----
    The paper ranks by the memberships of soft members. Ours are hard: how likely a
    member finds a final cluster for a sample is the share of the sample's cluster
    that the reference has there, equal shares having the mean of their ranks. So a
    member's clusters need no one-to-one matching. References, rounds and ties are those
    of :class:`Vote`.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import Borda
    >>> Borda().combine([[0, 0, 1, 1], [1, 1, 0, 0], [0, 1, 1, 1]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "borda"
    summary = "members rank the final clusters for each sample, points are summed"
    cost = "time N M + C k log k, memory N M"
    paper = "sevillano2007borda"

    def _ballots(self, shared: np.ndarray) -> np.ndarray:
        from scipy.stats import rankdata

        return rankdata(shared, axis=1)  # of one cluster, counts rank as shares do


def _first_reference(
    ensemble: Ensemble, n_clusters: int, rng: np.random.Generator
) -> np.ndarray:
    """Return a partition of the distinct label rows into n_clusters, (u,)."""
    core = ensemble.core
    fits = np.flatnonzero(ensemble.n_clusters_per_member == n_clusters)
    complete = [j for j in fits if (core.rows[:, j] >= 0).all()]
    if complete:
        agreement = member_agreement(ensemble).sum(axis=1)[complete]
        return core.rows[:, complete[int(agreement.argmax())]].astype(np.int64)
    labels = HBGF()._combine(Task(ensemble, n_clusters, Weights(), None, rng)).labels
    of_rows = np.empty(len(core), dtype=np.int64)
    of_rows[core.index] = labels
    return of_rows
