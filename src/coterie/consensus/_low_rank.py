"""Consensus by a low-rank representation of the co-association."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.linalg import eigh, svd

from coterie._docs import fill_doc
from coterie._linalg import kmeans
from coterie._memory import check_memory
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._products import dense_coassociation

_GROWTH, _MOST = 1.1, 1e10  # of the penalty
_POWER = 4  # of the cosines that make the graph
_RANK_TOL = 1e-4


@fill_doc
class RSEC(BaseConsensus):
    r"""Robust spectral ensemble clustering.

    The co-association S is represented by itself at low rank, up to whole columns that
    are wrong, while the graph of this representation is cut [1]_,

    .. math::

        \min_{Z, E, H} \lambda_1 \lVert Z \rVert_* + \lambda_2 \lVert E \rVert_{2,1}
        + \mathrm{Tr}(H^T L_Z H) \quad \text{with} \quad S = S Z + E, \; H^T H = I,

    with :math:`L_Z` the Laplacian of Z; k-means on the rows of H gives the clusters.
    Robust if members are poor; each of some hundred iterations takes time cubic in the
    number of distinct label rows.

    Parameters
    ----------
    rank_weight : float, default=0.3
        :math:`\lambda_1`; the paper finds 0.1 to 1 best.
    error_weight : float, default=0.3
        :math:`\lambda_2`; the paper finds 0.1 to 1 best.
    n_init : int, default=10
        Starts of the final k-means.
    max_iter : int, default=500
        Maximum number of iterations.
    tol : float, default=1e-7
        Stop when no entry violates the constraints by more than this.

    Notes
    -----
    Augmented Lagrangians with the steps of the authors' program, as described by
    others: beyond the paper, Z and H together form a matrix whose rows' cosines, to the
    fourth power, are the graph; without this it does not converge. It runs on the
    distinct label rows with their multiplicities, which is exact: all its matrices are
    constant on them. The default weights lie in the middle of the paper's range. Memory
    is twelve dense matrices of the distinct rows; exceeding the limit raises an error.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import RSEC
    >>> RSEC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "rsec"
    summary = "spectral clustering of a robust low-rank co-association"
    cost = "time t u^3, memory u^2"
    paper = "tao2019rsec"
    most_rows = 500
    clusters_rows: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "rank_weight": [Interval(Real, 0, None, closed="neither")],
        "error_weight": [Interval(Real, 0, None, closed="neither")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        rank_weight: float = 0.3,
        error_weight: float = 0.3,
        *,
        n_init: int = 10,
        max_iter: int = 500,
        tol: float = 1e-7,
    ) -> None:
        self.rank_weight = rank_weight
        self.error_weight = error_weight
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol

    def _combine(self, task: Task) -> ConsensusResult:
        core, n_clusters = task.ensemble.core, task.n_clusters
        u = len(core)
        what = f"RSEC: its matrices of {u:,} distinct label rows"
        check_memory(96 * u * u, what, None, "Use LWGP, HBGF or KCC.")
        S = dense_coassociation(task.ensemble, task.weights)
        np.fill_diagonal(S, 1.0)  # two samples of one row, or one with itself
        counts = core.counts.astype(np.float64)
        weights = self.rank_weight, self.error_weight
        found = represent(S, counts, n_clusters, weights, self.max_iter, self.tol)
        clusters = kmeans(
            found.H, n_clusters, rng=task.rng, n_init=self.n_init, sample_weight=counts
        )
        return ConsensusResult(
            clusters.labels[core.index],
            n_iter=found.n_iter,
            converged=found.converged,
            details={"embedding": found.H[core.index]},
        )


@dataclass(frozen=True, eq=False)
class Represented:
    """The result of the iteration, on the distinct label rows."""

    Z: np.ndarray  # (u, u)
    H: np.ndarray  # (u, k)
    n_iter: int
    converged: bool


def represent(
    S: np.ndarray,
    counts: np.ndarray,
    k: int,
    weights: tuple[float, float],
    max_iter: int,
    tol: float,
) -> Represented:
    """Solve the problem of :class:`RSEC`.

    A matrix of all samples that is constant on label rows is held as
    sqrt(n_i n_j) M_ij; products and singular values are then those of the whole.
    """
    rank_weight, error_weight = weights
    root = np.sqrt(counts)
    both = np.outer(root, root)
    S = S * both
    u = len(S)
    E, Y1, Y2, Z = (np.zeros((u, u)) for _ in range(4))
    H, scale = np.zeros((u, k)), np.ones(u)
    mu = 1.5 / float(np.abs(np.linalg.eigvalsh(S)).max())
    gram = S @ S
    inverse = np.linalg.inv(gram + np.eye(u))
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        U, s, Vt = svd(Z + Y2 / mu)
        J = (U * np.maximum(s - rank_weight / mu, 0.0)) @ Vt
        pulled = scale[:, None] * H
        Z = inverse @ (gram + J - S @ E + (S @ Y1 - Y2 + pulled @ pulled.T) / mu)
        rest = S - S @ Z + Y1 / mu
        lengths = np.linalg.norm(rest, axis=0) / root  # of the samples' columns
        E = rest * np.maximum(1.0 - error_weight / mu / np.maximum(lengths, 1e-300), 0)
        W = _cosine_graph((Z + Z.T) / 2.0 + H @ H.T)
        scale = 1.0 / np.sqrt(W @ counts)
        graph = scale[:, None] * (W * both) * scale
        vectors = eigh(graph, subset_by_index=(u - k, u - 1))[1]
        H = scale[:, None] * vectors[:, ::-1]
        gap1, gap2 = S - S @ Z - E, Z - J
        worst = max(np.abs(gap1 / both).max(), np.abs(gap2 / both).max())
        converged = bool(worst < tol)
        Y1 += mu * gap1
        Y2 += mu * gap2
        mu = min(mu * _GROWTH, _MOST)
    return Represented(Z / both, H / root[:, None], n_iter, converged)


def _cosine_graph(M: np.ndarray) -> np.ndarray:
    """Return powers of the cosines between rows of a symmetric matrix's square root."""
    values, vectors = eigh(M)
    size = np.abs(values)
    kept = size > _RANK_TOL * size.max()
    rows = vectors[:, kept] * np.sqrt(size[kept])
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    rows /= np.maximum(lengths, 1e-300)
    return (rows @ rows.T) ** _POWER
