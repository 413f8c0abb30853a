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
    TableRule,
    blocks_of,
    combine_by_rule,
    counts,
    cut_rule,
)
from coterie.consensus._products import gather, tabulate
from coterie.ensemble import Weights
from coterie.ensemble._alignment import align_labels
from coterie.metrics import member_agreement


class _VoteConsensus(BaseConsensus):
    """Rounds of votes: the result of each round is the reference of the next.

    A subclass implements ``_ballots(shared)``, which turns the numbers of samples that
    a member's clusters share with the reference's, (k_m, k), into votes.
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
        labels = _first_reference(task)
        n_iter, settled = 0, False
        while not settled and n_iter < self.max_iter:
            table = tabulate(ensemble, labels, task.n_clusters)
            ballots = self.ballots(table, ensemble.offsets, cluster_weights)
            votes = gather(ensemble, ballots)  # (u, k)
            # A tie stays with the reference, so that the rounds terminate.
            own = np.take_along_axis(votes, labels[:, None], axis=1)[:, 0]
            best = votes.argmax(axis=1)
            moved = votes[np.arange(best.size), best] > own + 1e-12
            labels = np.where(moved, best, labels)
            n_iter += 1
            settled = not moved.any()
        rows = ensemble.core.index
        return ConsensusResult(labels[rows], n_iter=n_iter, converged=settled)

    def _combine_blocks(self, task: Task) -> ConsensusResult:
        ensemble, k = blocks_of(task), task.n_clusters
        weights = task.weights.per_cluster(ensemble)
        weights = weights / weights.max()  # ones, so that ties are exact
        cut = cut_rule(task, HBGF().n_init)
        reference = ensemble.total(partial(counts, ensemble.offsets, k, cut))
        ballots = self.ballots(reference, ensemble.offsets, weights)
        rule = _VoteRule(ensemble.offsets, ballots, self, weights)
        return combine_by_rule(rule, task, self.max_iter)

    def ballots(
        self, table: np.ndarray, offsets: np.ndarray, weights: np.ndarray
    ) -> np.ndarray:
        """Return the votes of each cluster for each final cluster, (C, k).

        Parameters
        ----------
        table : (C, k) array
            Number of samples of each cluster in each cluster of the reference.
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
class _VoteRule(TableRule):
    """Assigns to the final cluster with the most votes; ties go to the first."""

    method: _VoteConsensus
    weights: np.ndarray  # (C,)

    def labels(self, rows: np.ndarray) -> np.ndarray:
        from coterie._kernels import _incidence

        votes = np.empty((len(rows), self.table.shape[1]))
        _incidence.gather(rows, self.offsets, self.table, votes)  # a table of ballots
        return votes.argmax(axis=1).astype(LABEL_DTYPE)

    def better(self, sums: np.ndarray) -> _VoteRule:
        ballots = self.method.ballots(sums, self.offsets, self.weights)
        return replace(self, table=ballots)


@fill_doc
class Vote(_VoteConsensus):
    """Plurality vote of the members after their clusters are matched.

    Each member's clusters are matched to those of a reference (Hungarian method;
    unmatched clusters go where most of their samples are), and each sample goes where
    most members put it [1]_ [2]_. The result becomes the next reference, until nothing
    changes. Easy to explain, and best if all members have the number of clusters asked
    for.

    Parameters
    ----------
    max_iter : int, default=20
        Maximum rounds of matching.

    Notes
    -----
    The first reference is the member with ``n_clusters`` clusters that agrees best with
    the ensemble or, if there is none, the result of :class:`HBGF`. A cluster without
    votes is empty: the result has fewer clusters, with a warning.

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
    group = "reason"
    take_if = "labelings with the same number of clusters"

    def _ballots(self, shared: np.ndarray) -> np.ndarray:
        ballots = np.zeros_like(shared)
        ballots[np.arange(len(shared)), align_labels(shared)] = 1.0
        return ballots


@fill_doc
class Borda(_VoteConsensus):
    """Borda count of the members: each ranks all final clusters for each sample.

    The final cluster that a member finds most likely for a sample gets k points, the
    next k - 1, and so on; the points are summed over the members, and the most points
    win [1]_. Prefer it to :class:`Vote` if members have more or fewer clusters than
    asked for: second choices also count.

    Parameters
    ----------
    max_iter : int, default=20
        Maximum number of rounds.

    Notes
    -----
    The paper ranks by the memberships of soft members. Ours are hard: a member's
    likelihood of a final cluster for a sample is the share of the sample's cluster that
    the reference puts there, and equal shares get their mean rank. So the members'
    clusters need no one-to-one matching. References, rounds and ties are those of
    :class:`Vote`.

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
    summary = "members rank the final clusters of each sample (Borda count)"
    cost = "time N M + C k log k, memory N M"
    paper = "sevillano2007borda"

    def _ballots(self, shared: np.ndarray) -> np.ndarray:
        from scipy.stats import rankdata

        return rankdata(shared, axis=1)  # within a cluster, counts rank like shares


def _first_reference(task: Task) -> np.ndarray:
    """Return a partition of the distinct label rows into n_clusters, (u,)."""
    ensemble, core = task.ensemble, task.ensemble.core
    fits = np.flatnonzero(ensemble.n_clusters_per_member == task.n_clusters)
    complete = [j for j in fits if (core.rows[:, j] >= 0).all()]
    if complete:
        agreement = member_agreement(ensemble).sum(axis=1)[complete]
        return core.rows[:, complete[int(agreement.argmax())]].astype(np.int64)
    labels = HBGF()._combine(replace(task, weights=Weights())).labels
    of_rows = np.empty(len(core), dtype=np.int64)
    of_rows[core.index] = labels
    return of_rows
