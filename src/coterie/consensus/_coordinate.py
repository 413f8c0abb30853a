"""Consensus by k-means on the label rows, one row at a time."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._products import tabulate
from coterie.consensus._profiles import best_of, member_shares, spread_start
from coterie.ensemble import Ensemble


@fill_doc
class CDKM(BaseConsensus):
    r"""k-means on the label rows by coordinate descent.

    With :math:`x_i` the label row as zeros and ones, each one divided by the root of
    its cluster's size,

    .. math:: \min \sum_k \sum_{i \in S_k} \lVert x_i - \bar x_k \rVert^2

    by moving one row at a time and updating the centres at once [1]_. Its minima are at
    least as deep as those of Lloyd's algorithm (:class:`KCC`), which may stop although
    a move would still help. Linear in samples, members and clusters.

    Parameters
    ----------
    n_init : int, default=10
        Starts; the best is kept.
    max_iter : int, default=100
        Maximum sweeps of each start.
    scaled : bool, default=True
        Whether to divide the ones by the root of the cluster's size, so that small
        clusters count more. If False, the objective is that of :class:`KCC`.

    Notes
    -----
    The paper is about k-means of any data; comparisons of ensembles use it with label
    rows scaled like this. Samples with the same label row move together. A missing
    label is a row of zeros for its member. Starts are drawn as for :class:`KCC`.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CDKM
    >>> CDKM().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "cdkm"
    summary = "k-means on the label rows by coordinate descent"
    cost = "time N M k, memory N M"
    paper = "nie2022cdkm"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "scaled": ["boolean"],
    }

    def __init__(
        self, n_init: int = 10, max_iter: int = 100, *, scaled: bool = True
    ) -> None:
        self.n_init = n_init
        self.max_iter = max_iter
        self.scaled = scaled

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        shares = member_shares(ensemble, task.weights)
        squares = np.repeat(shares, ensemble.n_clusters_per_member)
        if self.scaled:
            squares /= ensemble.cluster_sizes
        k = min(task.n_clusters, len(ensemble.core))
        runs = [
            _descend(ensemble, k, shares, np.sqrt(squares), self.max_iter, task.rng)
            for _ in range(self.n_init)
        ]
        return best_of(runs, ensemble)


def _descend(
    ensemble: Ensemble,
    k: int,
    shares: np.ndarray,
    values: np.ndarray,
    max_iter: int,
    rng: np.random.Generator,
) -> ConsensusResult:
    from coterie._kernels._coordinate import coordinate_sweep

    core, offsets = ensemble.core, ensemble.offsets
    counts = core.counts.astype(np.float64)
    labels = spread_start(core.rows, core.counts, shares, k, rng)
    total = float(ensemble.cluster_sizes @ values**2)  # sum of |x_i|^2
    n_iter, n_moves = 0, -1
    while n_iter < max_iter and n_moves != 0:
        n_iter += 1
        sums = tabulate(ensemble, labels, k) * values[:, None]
        sizes = np.bincount(labels, counts, minlength=k)
        squares = (sums**2).sum(axis=0)
        n_moves = coordinate_sweep(
            core.rows, offsets, counts, values, labels, sums, sizes, squares
        )
    inside = np.divide(squares, sizes, out=np.zeros(k), where=sizes > 0)
    objective, converged = total - float(inside.sum()), n_moves == 0
    return ConsensusResult(
        labels, objective=objective, n_iter=n_iter, converged=converged
    )
