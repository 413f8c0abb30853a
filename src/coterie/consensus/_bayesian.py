"""Consensus by a generative model of the label rows."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.special import digamma, gammaln, polygamma

from coterie._docs import fill_doc
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._products import tabulate
from coterie.consensus._profiles import best_of, member_shares, spread_start
from coterie.ensemble import Ensemble, Weights

_SMOOTHING = 1e-10  # of beta, so that no label has probability zero
_INNER_ITER, _INNER_TOL = 50, 1e-4  # of the inference for one row


@fill_doc
class BCE(BaseConsensus):
    r"""Bayesian cluster ensembles.

    Each sample mixes the final clusters, :math:`\theta_i \sim \mathrm{Dir}(\alpha)`;
    for each member it draws one of them, which draws the label,
    :math:`x_{im} \sim \beta_{z_{im}, m}` [1]_. Variational EM fits :math:`\alpha` and
    :math:`\beta`; a sample goes to the largest part of its mixture. Missing labels are
    simply left out. Linear in samples, members and clusters.

    Parameters
    ----------
    n_init : int, default=3
        Starts; the one with the highest bound is kept.
    max_iter : int, default=100
        Maximum EM iterations of each start.
    tol : float, default=1e-5
        A start ends when the relative increase of the bound is below this.

    Notes
    -----
    Exact on the distinct label rows, weighted by their samples. Starts are k-means++
    draws of label rows, with :math:`\beta` their (smoothed) shares and :math:`\alpha`
    one; the paper starts at random. :math:`\alpha` is updated by a Newton step,
    shortened until the bound does not decrease. A final cluster may end up empty.
    ``details["memberships"]`` has the mean mixture of each sample; ``objective`` is
    minus the bound.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import BCE
    >>> BCE().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "bce"
    summary = "a Bayesian mixed-membership model of the label rows"
    cost = "time N M k, memory N (M + k)"
    paper = "wang2011bce"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, n_init: int = 3, max_iter: int = 100, tol: float = 1e-5) -> None:
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        k = min(task.n_clusters, len(ensemble.core))
        runs = [
            _fit(ensemble, k, self.max_iter, self.tol, task.rng)
            for _ in range(self.n_init)
        ]
        best = best_of(runs, ensemble)
        memberships = best.details["memberships"][ensemble.core.index]
        return replace(best, details={"memberships": memberships})


def _fit(
    ensemble: Ensemble, k: int, max_iter: int, tol: float, rng: np.random.Generator
) -> ConsensusResult:
    """Fit the model to the distinct label rows from one start."""
    from coterie._kernels._mixed_membership import expected_counts, infer_memberships

    core, offsets = ensemble.core, ensemble.offsets
    counts = core.counts.astype(np.float64)
    shares = member_shares(ensemble, Weights())
    labels = spread_start(core.rows, core.counts, shares, k, rng)
    table = tabulate(ensemble, labels, k)
    alpha = np.ones(k)
    gamma = np.ones((len(core), k)) + (core.rows >= 0).sum(axis=1)[:, None] / k
    geometric = np.empty_like(gamma)
    evidence = np.empty(ensemble.n_members)
    bound = -np.inf
    for n_iter in range(1, max_iter + 1):
        beta = _chances(table, ensemble, shrink=n_iter == 1)
        infer_memberships(
            core.rows, offsets, beta, alpha, _INNER_ITER, _INNER_TOL, gamma, geometric
        )
        table = np.zeros_like(beta)
        expected_counts(core.columns, offsets, counts, beta, geometric, table, evidence)
        before = bound
        logs = np.log(np.maximum(geometric, 1e-300))  # E log theta
        bound = float(evidence.sum()) + _dirichlet_bound(alpha, gamma, logs, counts)
        converged = bound - before <= tol * abs(bound)
        if converged:
            break
        alpha = _newton_alpha(alpha, counts @ logs, counts.sum())
    memberships = gamma / gamma.sum(axis=1, keepdims=True)
    return ConsensusResult(
        memberships.argmax(axis=1),
        objective=-bound,
        n_iter=n_iter,
        converged=converged,
        details={"memberships": memberships},
    )


def _chances(table: np.ndarray, ensemble: Ensemble, shrink: bool) -> np.ndarray:
    """Return the probability of each base cluster in each final one, (C, k).

    The first ones, counted from a hard start, are shrunk a little towards the mean.
    """
    sizes = ensemble.n_clusters_per_member
    table = table + _SMOOTHING
    if shrink:
        table = 0.9 * table + 0.1 * table.mean(axis=1, keepdims=True)
    total = np.add.reduceat(table, ensemble.offsets[:-1], axis=0)
    return table / np.repeat(total, sizes, axis=0)


def _dirichlet_bound(
    alpha: np.ndarray, gamma: np.ndarray, logs: np.ndarray, counts: np.ndarray
) -> float:
    """Return E log p(theta | alpha) - E log q(theta | gamma), over all samples."""
    prior = gammaln(alpha.sum()) - gammaln(alpha).sum()
    own = gammaln(gamma.sum(axis=1)) - gammaln(gamma).sum(axis=1)
    return float(counts @ (prior - own + ((alpha - gamma) * logs).sum(axis=1)))


def _newton_alpha(alpha: np.ndarray, log_sums: np.ndarray, n: float) -> np.ndarray:
    """Improve alpha by a Newton step; the Hessian is diagonal plus a constant."""

    def value(a: np.ndarray) -> float:
        return n * (gammaln(a.sum()) - gammaln(a).sum()) + (a - 1.0) @ log_sums

    gradient = n * (digamma(alpha.sum()) - digamma(alpha)) + log_sums
    curve = -n * polygamma(1, alpha)
    constant = n * polygamma(1, alpha.sum())
    shift = (gradient / curve).sum() / (1.0 / constant + (1.0 / curve).sum())
    step = -(gradient - shift) / curve
    now = value(alpha)
    for _ in range(20):
        new = alpha + step
        if (new > 0).all() and value(new) >= now:
            return new
        step = step / 2.0
    return alpha
