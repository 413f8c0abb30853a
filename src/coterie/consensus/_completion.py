"""Consensus by completing the reliable entries of the co-association."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg._eigen import eigh_range
from coterie._memory import check_memory
from coterie._validation import Interval
from coterie.consensus._base import Task
from coterie.consensus._embedding import EmbeddingConsensus
from coterie.consensus._products import dense_coassociation, inverse
from coterie.exceptions import UnsuitableMethodWarning

_START, _GROWTH, _MOST = 1.25, 1.2, 1e7  # of the penalty
_ROUNDING = 1e-6  # of float32 shares
_TOO_FEW = 0.5  # of the pairs that the most even clusters join


@fill_doc
class ECMC(EmbeddingConsensus):
    r"""Ensemble clustering by matrix completion.

    Pairs that nearly all or nearly no members join are reliable. They are the known
    entries of a 0/1 matrix A of low rank, up to some errors; the others are filled in
    [1]_,

    .. math::

        \min_{M, E} \lVert M \rVert_* + C \sum_{(i, j) \in \Omega} |E_{ij}|
        \quad \text{with} \quad M_{ij} + E_{ij} = A_{ij}
        \text{ for } (i, j) \in \Omega,

    where :math:`\Omega` are the reliable pairs; spectral clustering of M gives the
    clusters. For members with as many clusters as are asked for: if members split the
    clusters further, few pairs are reliably together, and it warns.

    Parameters
    ----------
    often : float, default=0.8
        A pair that more than this share of the members join is reliably together.
    seldom : float, default=0.2
        A pair that less than this share of the members join is reliably apart.
    error_weight : float or None, default=None
        C; None is :math:`1 / \sqrt{p N}`, with p the share of pairs that are reliable.
    %(n_init)s
    max_iter : int, default=200
        Maximum number of iterations.
    tol : float, default=1e-5
        Stop when no reliable entry is violated by more than this.

    Notes
    -----
    Augmented Lagrangians, which take a penalty that grows. The shares are those of the
    paper as the WOEC paper [2]_ quotes it. How the paper chooses C we do not know: the
    WOEC paper says that C minimises the sum of all entries of M, but that is zero for
    M = 0. The default is the usual one for low-rank matrices with errors of which a
    share p is known [3]_. It runs on the distinct label rows with their multiplicities,
    which is exact: all its matrices are constant on them. Each iteration takes time
    cubic in their number; memory is eight dense matrices, and exceeding the limit
    raises an error.

    References
    ----------
    %(paper)s
    %(paper2:ren2017woec)s
    .. [3] E. J. Candes, X. Li, Y. Ma, J. Wright, "Robust principal component
           analysis?", Journal of the ACM 58(3), 11, 2011.

    Examples
    --------
    >>> from coterie.consensus import ECMC
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 1], [1, 0, 2, 2]]
    >>> ECMC(0.6).combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "ecmc"
    summary = "spectral clustering of a co-association completed from reliable pairs"
    cost = "time t u^3, memory u^2"
    paper = "yi2012ecmc"
    most_rows = 1000
    clusters_rows: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EmbeddingConsensus._parameter_constraints,
        "often": [Interval(Real, 0, 1, closed="right")],
        "seldom": [Interval(Real, 0, 1, closed="left")],
        "error_weight": [Interval(Real, 0, None, closed="neither"), None],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        often: float = 0.8,
        seldom: float = 0.2,
        *,
        error_weight: float | None = None,
        n_init: int = 3,
        max_iter: int = 200,
        tol: float = 1e-5,
    ) -> None:
        super().__init__(n_init)
        self.often = often
        self.seldom = seldom
        self.error_weight = error_weight
        self.max_iter = max_iter
        self.tol = tol

    def _embed(self, task: Task) -> np.ndarray:
        if self.seldom >= self.often:
            raise ValueError(
                f"ECMC needs seldom < often, got seldom={self.seldom} and "
                f"often={self.often}."
            )
        core = task.ensemble.core
        u = len(core)
        what = f"ECMC: its matrices of {u:,} distinct label rows"
        check_memory(64 * u * u, what, None, "Use LWGP, HBGF or KCC.")
        S = dense_coassociation(task.ensemble, task.weights)
        counts = core.counts.astype(np.float64)
        together = self.often + _ROUNDING < S
        np.fill_diagonal(together, True)  # two samples of one row, or one with itself
        reliable = together | (self.seldom - _ROUNDING > S)
        if not self._quiet:
            _warn_if_few(counts, together, task.n_clusters)
        weight = self.error_weight
        if weight is None:
            known = counts @ reliable @ counts  # p N^2
            weight = np.sqrt(counts.sum() / known)
        A = together.astype(np.float64)
        found = complete(A, reliable, counts, weight, self.max_iter, self.tol)
        return _leading_vectors(found.M, counts, min(task.n_clusters, u))


def _warn_if_few(counts: np.ndarray, together: np.ndarray, k: int) -> None:
    """Warn if far fewer pairs are joined than any k clusters must join."""
    joined = float(counts @ together @ counts) / counts.sum() ** 2
    if joined * k < _TOO_FEW:
        warnings.warn(
            f"ECMC: only {joined:.1%} of the pairs are reliably together, but {k} "
            f"clusters join at least {1 / k:.1%}. Members that split the clusters give "
            "it too little. Use members with as many clusters as you ask for, a "
            "smaller often, or LWEA.",
            UnsuitableMethodWarning,
            stacklevel=2,
        )


@dataclass(frozen=True, eq=False)
class Completed:
    """The result of the iteration, on the distinct label rows."""

    M: np.ndarray  # (u, u)
    n_iter: int
    converged: bool


def complete(
    A: np.ndarray,
    reliable: np.ndarray,
    counts: np.ndarray,
    error_weight: float,
    max_iter: int,
    tol: float,
) -> Completed:
    """Solve the problem of :class:`ECMC`.

    Singular values are those of the matrix of all samples, sqrt(n_i n_j) M_ij.
    """
    both = np.sqrt(np.outer(counts, counts))
    A = np.where(reliable, A, 0.0)
    E, Y, M = (np.zeros_like(A) for _ in range(3))
    mu = _START / float(np.abs(np.linalg.eigvalsh(A * both)).max())
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        values, vectors = np.linalg.eigh((A - E + Y / mu) * both)
        kept = np.abs(values) > 1.0 / mu
        shrunk = values[kept] - np.sign(values[kept]) / mu
        M = (vectors[:, kept] * shrunk) @ vectors[:, kept].T / both
        rest = A - M + Y / mu
        error = np.sign(rest) * np.maximum(np.abs(rest) - error_weight / mu, 0.0)
        E = np.where(reliable, error, rest)  # unknown entries are free
        gap = A - M - E
        converged = bool(np.abs(gap[reliable]).max() < tol)
        Y += mu * gap
        mu = min(mu * _GROWTH, _MOST)
    return Completed(M, n_iter, converged)


def _leading_vectors(M: np.ndarray, counts: np.ndarray, k: int) -> np.ndarray:
    """Embed the rows by the normalised cut of M, negative entries left out, (u, k)."""
    W = np.maximum(M, 0.0)
    scale = np.sqrt(counts * inverse(W @ counts))  # rows without links stay zero
    u = len(W)
    _, vectors = eigh_range(scale[:, None] * W * scale, u - k, u - 1)
    return vectors[:, ::-1]  # of any length: what follows are directions
