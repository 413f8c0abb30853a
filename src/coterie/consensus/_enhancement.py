"""Consensus by a co-association that is improved by its most certain entries."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.spatial.distance import squareform

from coterie._docs import fill_doc
from coterie._linalg import cut_tree, linkage
from coterie._memory import check_memory
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._products import dense_coassociation
from coterie.ensemble import Ensemble, Weights


@dataclass(eq=False)
class Grouped:
    """An N x N matrix whose entries depend only on the label rows of both samples.

    Attributes
    ----------
    pairs : (u, u) array
        Entries between different samples, by their rows.
    own : (u,) array
        Diagonal entries.
    """

    pairs: np.ndarray
    own: np.ndarray

    @property
    def extra(self) -> np.ndarray:
        """Diagonal entries minus those between two samples of the row, (u,)."""
        return self.own - self.pairs.diagonal()

    def norm(self, counts: np.ndarray) -> float:
        """Return the Frobenius norm of the N x N matrix."""
        square = counts @ (self.pairs**2) @ counts
        within = self.own**2 - self.pairs.diagonal() ** 2
        return float(np.sqrt(max(square + counts @ within, 0.0)))

    def times(self, other: Grouped, counts: np.ndarray) -> Grouped:
        """Return the product of two such matrices."""
        pairs = (self.pairs * counts) @ other.pairs
        pairs += self.extra[:, None] * other.pairs + self.pairs * other.extra
        return Grouped(pairs, pairs.diagonal() + self.extra * other.extra)

    def inverse(self, counts: np.ndarray) -> Grouped:
        """Return the inverse, which has the same form."""
        extra = self.extra
        quotient = self.pairs * counts + np.diag(
            extra
        )  # on vectors constant within rows
        pairs = (np.linalg.inv(quotient) - np.diag(1.0 / extra)) / counts
        return Grouped(pairs, pairs.diagonal() + 1.0 / extra)


@fill_doc
class ECCMS(BaseConsensus):
    r"""Ensemble clustering by self-enhancement of the co-association.

    The nearly certain entries H of the co-association are propagated, and the
    remainder is treated as an error E [1]_,

    .. math::

        \min_{C, E} \mathrm{Tr}(C^T \Phi C) + \frac{\lambda}{2} \lVert E \rVert_F^2
        \quad \text{with} \quad C + E = A, \; E_{ij} = 0 \text{ where } H_{ij} > 0, \;
        C = C^T, \; 0 \le C \le 1,

    where :math:`\Phi` is the Laplacian of H and A the (weighted) co-association;
    average linkage of C gives the clusters. Among the best in comparisons, but time is
    cubic in the number of distinct label rows.

    Parameters
    ----------
    alpha : float, default=0.8
        Entries of the unweighted co-association from this value on are certain.
    penalty : float, default=0.4
        :math:`\lambda`: larger values make the error smaller and keep C closer to A.
    max_iter : int, default=100
        Maximum number of iterations.
    tol : float, default=0.01
        Stop when all relative changes are at most this.

    Notes
    -----
    ADMM with the steps and stopping rule of the authors' program. It runs on the
    distinct label rows, which is exact: all matrices have one value for each pair of
    rows and one for the diagonal. C is averaged with its transpose before linkage (the
    program takes one triangle), and samples with the same label row are merged first.
    The paper uses the weights of :class:`~coterie.weighting.EntropyWeighter`
    (``coterie.combine(consensus="eccms")`` computes them). Memory is twelve dense
    matrices of the distinct rows; exceeding the limit raises an error.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import ECCMS
    >>> ECCMS().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "eccms"
    summary = "average linkage of a co-association enhanced by its reliable entries"
    cost = "time t u^3, memory u^2"
    paper = "jia2024eccms"
    paper_weighter = ("entropy", {})
    most_rows = 3000
    clusters_rows: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, 1, closed="right")],
        "penalty": [Interval(Real, 0, None, closed="neither")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        alpha: float = 0.8,
        penalty: float = 0.4,
        *,
        max_iter: int = 100,
        tol: float = 0.01,
    ) -> None:
        self.alpha = alpha
        self.penalty = penalty
        self.max_iter = max_iter
        self.tol = tol

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        core = ensemble.core
        u = len(core)
        what = f"ECCMS: its matrices of {u:,} distinct label rows"
        check_memory(96 * u * u, what, None, "Use LWGP, HBGF or KCC.")
        A = _coassociation(ensemble, task.weights)
        H = _coassociation(ensemble, Weights(members=task.weights.members))
        sure = H.pairs >= self.alpha - 1e-6  # float32 shares
        H = Grouped(np.where(sure, H.pairs, 0.0), np.zeros(u))
        counts = core.counts.astype(np.float64)
        found = enhance(A, H, counts, self.penalty, self.max_iter, self.tol)
        C = (found.C.pairs + found.C.pairs.T) / 2.0
        np.fill_diagonal(C, 0.0)
        distances = 1.0 - squareform(C, checks=False)
        Z = linkage(distances, "average", sizes=core.counts)
        return ConsensusResult(
            cut_tree(Z, task.n_clusters)[core.index],
            n_iter=found.n_iter,
            converged=found.converged,
        )


def _coassociation(ensemble: Ensemble, weights: Weights) -> Grouped:
    pairs = dense_coassociation(ensemble, weights)
    return Grouped(pairs, np.ones(len(pairs)))


@dataclass(frozen=True, eq=False)
class Enhanced:
    """The improved co-association."""

    C: Grouped
    n_iter: int
    converged: bool


def enhance(
    A: Grouped,
    H: Grouped,
    counts: np.ndarray,
    penalty: float,
    max_iter: int,
    tol: float,
) -> Enhanced:
    """Solve the problem of :class:`ECCMS` by ADMM with unit step sizes."""
    degrees = H.pairs @ counts - H.pairs.diagonal()
    K = Grouped(-2.0 * H.pairs, 2.0 * degrees + 2.0)  # 2 Phi + 2 I
    P = K.inverse(counts)
    u = len(counts)
    zero = Grouped(np.zeros((u, u)), np.zeros(u))
    C = E = F = Y2 = zero
    Y1 = A
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        before = (C, E, F, Y1, Y2)
        right = _each(lambda a, e, y1, f, y2: a - e + y1 + f - y2, A, E, Y1, F, Y2)
        C = P.times(right, counts)
        E = _each(
            lambda a, c, y1, h: np.where(h > 0, 0.0, (a - c + y1) / (penalty + 1.0)),
            *(A, C, Y1, H),
        )
        F = _each(np.add, C, Y2)
        F = Grouped((F.pairs + F.pairs.T) / 2.0, F.own)
        F = _each(lambda f: np.clip(f, 0.0, 1.0), F)
        gap1 = _each(lambda a, c, e: a - c - e, A, C, E)
        gap2 = _each(np.subtract, C, F)
        Y1, Y2 = _each(np.add, Y1, gap1), _each(np.add, Y2, gap2)
        moved = [
            _each(np.subtract, new, old)
            for new, old in zip((C, E, F), before[:3], strict=True)
        ]
        sizes = [old.norm(counts) for old in before]
        changes = [step.norm(counts) for step in (*moved, gap1, gap2)]
        converged = all(
            change <= tol * size for change, size in zip(changes, sizes, strict=True)
        )
    return Enhanced(C, n_iter, converged)


def _each(function: Any, *matrices: Grouped) -> Grouped:
    """Apply a function to the entries of matrices."""
    return Grouped(
        function(*(M.pairs for M in matrices)), function(*(M.own for M in matrices))
    )
