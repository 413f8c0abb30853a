"""SSC: samples written as sparse combinations of samples of their own subspace."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from coterie._docs import fill_doc
from coterie._linalg import kmeans, spectral_embedding, unit_rows
from coterie._memory import check_memory
from coterie._validation import COUNT, Interval
from coterie.clusterers._base import BaseClusterer


@fill_doc
class SSC(BaseClusterer):
    r"""Sparse subspace clustering.

    Each sample is a sparse combination of others, which lie in its own subspace,

    .. math::

        \min_C \lVert C \rVert_1 + \frac{\lambda}{2} \lVert X^T - X^T C \rVert_F^2
        \quad \text{with} \quad \mathrm{diag}(C) = 0,

    and the graph of the coefficients, :math:`|C| + |C|^T`, is cut by spectral
    clustering [1]_. For data in several linear (or affine) subspaces: motions, faces
    under varying light.

    Parameters
    ----------
    %(system_n_clusters)s
    alpha : float, default=800.0
        How closely the combinations must fit: :math:`\lambda = \alpha / \mu` with
        :math:`\mu = \min_i \max_{j \ne i} |x_i^T x_j|`. Above one.
    affine : bool, default=False
        Whether the coefficients of each sample sum to one (affine subspaces).
    max_iter : int, default=200
        Maximum number of iterations of ADMM.
    tol : float, default=2e-4
        Stop when the largest violation and the largest change are below this.
    n_init : int, default=20
        Starts of the final k-means.
    %(random_state)s

    Attributes
    ----------
    %(labels_attributes)s
    coefficients_ : (n_samples, n_samples) CSR array
        C: column i holds the coefficients of sample i.
    n_iter_ : int
        Number of iterations.
    converged_ : bool
        Whether ADMM converged within ``max_iter``.
    %(seen_attributes)s

    Notes
    -----
    ADMM as in the paper's appendix, with penalty :math:`\rho = \alpha` and the stopping
    rule of the authors' program; the linear system is solved through the singular
    vectors of X, which costs n_samples squared times n_features per iteration. Sparse
    outlying entries (the paper's E) are not modelled. Memory is about five dense
    matrices of n_samples squared. Columns are divided by their largest entry before the
    graph is built.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.clusterers import SSC
    >>> rng = np.random.default_rng(0)
    >>> lines = [np.outer(rng.standard_normal(20), rng.random(5)) for _ in range(2)]
    >>> SSC(n_clusters=2, random_state=0).fit_predict(np.vstack(lines))
    array([0, 0, 0, ..., 1, 1, 1], dtype=int32)
    """

    name = "ssc"
    summary = "sparse self-representation, then spectral clustering"
    cost = "time t N^2 D, memory N^2"
    paper = "elhamifar2013ssc"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseClusterer._parameter_constraints,
        "alpha": [Interval(Real, 1, None, closed="neither")],
        "affine": ["boolean"],
        "max_iter": COUNT,
        "tol": [Interval(Real, 0, None, closed="left")],
        "n_init": COUNT,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        alpha: float = 800.0,
        affine: bool = False,
        max_iter: int = 200,
        tol: float = 2e-4,
        n_init: int = 20,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.alpha = alpha
        self.affine = affine
        self.max_iter = max_iter
        self.tol = tol
        self.n_init = n_init
        self.random_state = random_state

    def _cluster(self, X: Any, rng: np.random.Generator) -> np.ndarray:
        n = X.shape[0]
        what = f"SSC: the coefficients of {n:,} samples"
        advice = "Use a method with linear memory (MDEC, HBGF), or a subsample."
        check_memory(40 * n * n, what, None, advice)
        found = self_expression(
            X.astype(np.float64), self.alpha, self.affine, self.max_iter, self.tol
        )
        self.n_iter_, self.converged_ = found.n_iter, found.converged
        self.coefficients_ = csr_array(found.C)
        A = np.abs(found.C)
        A /= np.maximum(A.max(axis=0), 1e-300)
        U = spectral_embedding(csr_array(A + A.T), self.n_clusters_, rng=rng)
        return kmeans(
            unit_rows(U), self.n_clusters_, rng=rng, n_init=self.n_init
        ).labels


@dataclass(frozen=True, eq=False)
class SelfExpression:
    """Coefficients of samples as combinations of each other."""

    C: np.ndarray  # (n, n)
    n_iter: int
    converged: bool


def self_expression(
    X: np.ndarray, alpha: float, affine: bool, max_iter: int, tol: float
) -> SelfExpression:
    """Minimise the objective of :class:`SSC` by ADMM.

    With Y the rows sqrt(lambda) X^T (and sqrt(rho) 1^T if affine), each iteration
    solves (Y^T Y + rho I) A = Y^T Y + rho R; the singular vectors V of Y make that
    A = R + V f V^T (I - R), f = s^2 / (s^2 + rho).
    """
    n = X.shape[0]
    penalty, rho = fit_weight(X, alpha), alpha
    Y = np.sqrt(penalty) * X.T  # (D, n)
    if affine:
        Y = np.vstack([Y, np.full((1, n), np.sqrt(rho))])
    _, s, Vt = np.linalg.svd(Y, full_matrices=False)
    kept = s > 1e-12 * max(s[0], 1e-300)
    s, Vt = s[kept], Vt[kept]
    left = Vt.T * (s**2 / (s**2 + rho))  # (n, r)
    C, multiplier = np.zeros((n, n)), np.zeros((n, n))
    of_sums = np.zeros(n)
    A = C
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        previous = A
        R = C - (multiplier + of_sums) / rho
        A = R + left @ (Vt - Vt @ R)
        J = A + multiplier / rho
        C = np.sign(J) * np.maximum(np.abs(J) - 1.0 / rho, 0.0)
        np.fill_diagonal(C, 0.0)
        multiplier += rho * (A - C)
        worst = max(np.abs(A - C).max(), np.abs(A - previous).max())
        if affine:
            off = A.sum(axis=0) - 1.0
            of_sums += rho * off
            worst = max(worst, np.abs(off).max())
        converged = bool(worst < tol)
    return SelfExpression(C, n_iter, converged)


def fit_weight(X: np.ndarray, alpha: float) -> float:
    """Return alpha / mu; with alpha below 1 some sample would have no coefficients."""
    G = np.abs(X @ X.T)
    np.fill_diagonal(G, 0.0)
    mu = float(G.max(axis=1).min()) if len(G) > 1 else 0.0
    return alpha / mu if mu > 0 else alpha / max(float(G.max()), 1.0)
