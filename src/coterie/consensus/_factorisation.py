"""Consensus by non-negative factorisation of the co-association."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._products import gather, scatter
from coterie.consensus._profiles import member_shares, spread_start
from coterie.ensemble import Ensemble, Weights

_TINY = 1e-300
_TURNS = 10  # of factors and weights
_SOFT = 0.2  # added to the one-hot start, as zeros would stay zero


@dataclass(eq=False)
class _Factors:
    """Q and S with derived quantities, on the distinct label rows."""

    Q: np.ndarray  # (u, k)
    S: np.ndarray  # (k, k)
    Z: np.ndarray  # (C, k), B^T Q
    objective: float = np.inf
    n_iter: int = 0
    converged: bool = False


class _Connectivity:
    """Products with the members' connectivity matrices, which are never formed."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self.counts = ensemble.core.counts[:, None].astype(np.float64)
        self._squares = ensemble.overlap() ** 2

    def on_clusters(self, Q: np.ndarray) -> np.ndarray:
        """Return ``B^T Q`` over all samples, (C, k)."""
        return scatter(self.ensemble, self.counts * Q)

    def per_member(self, values: np.ndarray) -> np.ndarray:
        """Sum values over the clusters of each member."""
        return np.add.reduceat(values, self.ensemble.offsets[:-1], axis=0)

    def inner_products(self) -> np.ndarray:
        """Return ``Tr M_i M_j`` of the members, (M, M)."""
        return self.per_member(self.per_member(self._squares).T)

    def spread(self, shares: np.ndarray) -> np.ndarray:
        """Return the weights of members as weights of clusters, (C, 1)."""
        return np.repeat(shares, self.ensemble.n_clusters_per_member)[:, None]

    def square(self, shares: np.ndarray) -> float:
        """Return the squared Frobenius norm of the weighted mean connectivity."""
        w = self.spread(shares)[:, 0]
        return float(w @ self._squares @ w)


def _start(
    M: _Connectivity, shares: np.ndarray, k: int, rng: np.random.Generator
) -> _Factors:
    core = M.ensemble.core
    labels = spread_start(core.rows, core.counts, shares, k, rng)
    Q = np.full((len(core), k), _SOFT)
    Q[np.arange(len(core)), labels] += 1.0
    Q /= np.sqrt((M.counts * Q * Q).sum(axis=0))
    Z = M.on_clusters(Q)
    return _Factors(Q, Z.T @ (M.spread(shares) * Z), Z)


def _descend(
    M: _Connectivity, shares: np.ndarray, f: _Factors, max_iter: int, tol: float
) -> None:
    """Update Q and S multiplicatively until the error converges."""
    w, total = M.spread(shares), M.square(shares)
    f.converged = False
    for _ in range(max_iter):
        f.n_iter += 1
        MQS = gather(M.ensemble, w * f.Z) @ f.S  # (u, k)
        inner = (M.counts * f.Q).T @ MQS  # Q^T M Q S
        f.Q *= np.sqrt(MQS / np.maximum(f.Q @ inner, _TINY))
        f.Z = M.on_clusters(f.Q)
        QMQ = f.Z.T @ (w * f.Z)
        G = f.Q.T @ (M.counts * f.Q)
        f.S *= np.sqrt(QMQ / np.maximum(G @ f.S @ G, _TINY))
        before = f.objective
        fit = 2.0 * (QMQ * f.S).sum() - ((G @ f.S @ G) * f.S).sum()
        f.objective = total - float(fit)
        if abs(before - f.objective) <= tol * total:
            f.converged = True
            return


class _Factorisation(BaseConsensus):
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(self, n_init: int = 5, max_iter: int = 200, tol: float = 1e-6) -> None:
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol


@fill_doc
class NMFC(_Factorisation):
    r"""Consensus by non-negative matrix factorisation.

    With :math:`\tilde M` the co-association,

    .. math::

        \min_{Q, S \ge 0} \lVert \tilde M - Q S Q^T \rVert^2 \quad
        \text{with} \quad Q^T Q = I,

    by multiplicative updates; each sample goes to the largest entry of its row of Q
    [1]_. It gives soft memberships and balanced clusters, while linkage may form
    chains. Linear in the number of samples.

    Parameters
    ----------
    n_init : int, default=5
        Starts; the one with the least error is kept.
    max_iter : int, default=200
        Maximum iterations of each start.
    tol : float, default=1e-6
        A start ends when the error decreases by less than this share of
        :math:`\lVert \tilde M \rVert^2`.

    Notes
    -----
    Exact on the distinct label rows: samples with the same row start with equal values,
    and the updates keep them equal; :math:`\tilde M` is never formed. A start is a
    k-means++ draw of label rows with 0.2 added, and :math:`S = Q^T \tilde M Q`. A
    missing label counts as separate from all samples. The updates make Q only nearly
    orthogonal; a cluster may end up empty.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import NMFC
    >>> NMFC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "nmfc"
    summary = "non-negative factorisation of the co-association matrix"
    cost = "time N M k, memory N (M + k) + C^2"
    paper = "li2007nmfc"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        M = _Connectivity(ensemble)
        shares = member_shares(ensemble, task.weights)
        k = min(task.n_clusters, len(ensemble.core))
        runs = [_start(M, shares, k, task.rng) for _ in range(self.n_init)]
        for run in runs:
            _descend(M, shares, run, self.max_iter, self.tol)
        return _result(M, min(runs, key=lambda run: run.objective))


@fill_doc
class WCC(_Factorisation):
    r"""Weighted consensus clustering, which learns the weights of the members.

    :class:`NMFC` with a weight for each member, learned along with the clustering [1]_,

    .. math::

        \min_{w, Q, S} \Bigl\lVert \sum_m w_m M_m - Q S Q^T \Bigr\rVert^2 \quad
        \text{with} \quad w \ge 0, \; \sum_m w_m = 1,

    alternately: Q and S by multiplicative updates, w by a quadratic programme over the
    simplex. Many weights become zero. Linear in the number of samples.

    Parameters
    ----------
    n_init : int, default=5
        Starts; the one with the least error is kept.
    max_iter : int, default=200
        Maximum iterations of each start, over all turns.
    tol : float, default=1e-6
        A turn ends when the error decreases by less than this share of the squared norm
        of the mean connectivity.

    Notes
    -----
    Weights start equal; there are at most ten turns. Otherwise like :class:`NMFC`. The
    learned weights are ``result.weights.members``.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import WCC
    >>> WCC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "wcc"
    summary = "non-negative factorisation that learns the members' weights"
    cost = "time N M k, memory N (M + k) + C^2"
    paper = "li2008wcc"

    def _combine(self, task: Task) -> ConsensusResult:
        M = _Connectivity(task.ensemble)
        k = min(task.n_clusters, len(task.ensemble.core))
        runs = [self._run(M, k, task.rng) for _ in range(self.n_init)]
        shares, best = min(runs, key=lambda run: run[1].objective)
        return _result(M, best, Weights(members=shares))

    def _run(
        self, M: _Connectivity, k: int, rng: np.random.Generator
    ) -> tuple[np.ndarray, _Factors]:
        n_members = M.ensemble.n_members
        shares = np.full(n_members, 1.0 / n_members)
        A = M.inner_products()
        factors = _start(M, shares, k, rng)
        for _ in range(_TURNS):
            left = self.max_iter - factors.n_iter
            if left <= 0:
                break
            _descend(M, shares, factors, left, self.tol)
            before = factors.objective
            # Tr M_m Q S Q^T for each member
            b = M.per_member(((factors.Z @ factors.S) * factors.Z).sum(axis=1))
            new = simplex_minimum(A, b, shares)
            factors.objective += _quadratic(A, b, new) - _quadratic(A, b, shares)
            shares = new
            if before - factors.objective <= self.tol * M.square(shares):
                break
        return shares, factors


def simplex_minimum(A: np.ndarray, b: np.ndarray, start: np.ndarray) -> np.ndarray:
    """Minimise ``w A w - 2 b w`` over the simplex by accelerated projected gradient."""
    step = 1.0 / max(float(np.linalg.eigvalsh(A)[-1]), _TINY)
    w = ahead = start
    momentum = 1.0
    for _ in range(5000):
        new = project_to_simplex(ahead - step * (A @ ahead - b))
        if (ahead - new) @ (new - w) > 0:  # uphill: restart the momentum
            momentum = 1.0
        following = (1.0 + np.sqrt(1.0 + 4.0 * momentum**2)) / 2.0
        ahead = new + (momentum - 1.0) / following * (new - w)
        moved = np.abs(new - w).max()
        w, momentum = new, following
        if moved < 1e-10:
            break
    return w if _quadratic(A, b, w) <= _quadratic(A, b, start) else start


def _quadratic(A: np.ndarray, b: np.ndarray, w: np.ndarray) -> float:
    return float(w @ A @ w - 2.0 * b @ w)


def project_to_simplex(v: np.ndarray) -> np.ndarray:
    """Return the nearest point with entries >= 0 that sum to one."""
    falling = np.sort(v)[::-1]
    excess = np.cumsum(falling) - 1.0
    rank = np.flatnonzero(falling * np.arange(1, v.size + 1) > excess)[-1]
    return np.maximum(v - excess[rank] / (rank + 1.0), 0.0)


def _result(
    M: _Connectivity, f: _Factors, weights: Weights | None = None
) -> ConsensusResult:
    index = M.ensemble.core.index
    return ConsensusResult(
        f.Q.argmax(axis=1)[index],
        weights=weights,
        objective=f.objective,
        n_iter=f.n_iter,
        converged=f.converged,
    )
