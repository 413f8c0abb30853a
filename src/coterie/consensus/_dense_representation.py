"""Consensus by writing each core cluster as a mixture of the others: DREC."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import largest_eigenpairs, unit_rows
from coterie._memory import check_memory
from coterie._validation import Interval
from coterie.consensus._base import Task
from coterie.consensus._embedding import CoreEmbeddingConsensus
from coterie.consensus._products import check_cluster_memory, gather, overlap
from coterie.ensemble import Ensemble

_RANK = 1e-10  # eigenvalues below this share of the largest are rounding
_SINGULAR = 1e-4  # singular values of Z below this share are dropped


@fill_doc
class DREC(CoreEmbeddingConsensus):
    r"""Dense representation ensemble clustering.

    The label row of each core cluster (samples that no member separates) is
    approximated by a mixture of all of them: with the one-hot label rows of core
    clusters in the columns of X,

    .. math:: \min_Z \lVert X - X Z \rVert_{2,1} + \lambda \lVert Z \rVert_F^2,

    where a column that fits badly costs its error rather than the square. Core clusters
    are similar if their rows of Z, in its singular vectors, have similar directions
    (the fourth power of the cosine), and spectral clustering gives the result [1]_.
    Choose it if members err on single samples; for many core clusters prefer
    :class:`LWGP`, as memory is quadratic in their number.

    Parameters
    ----------
    %(n_init)s
    lam : float, default=100.0
        The weight :math:`\lambda`; the paper tries .001 to 1,000.
    n_iter : int, default=5
        Iterations of reweighted least squares that solve for Z.

    Notes
    -----
    Follows the authors' program, which solves a Sylvester equation of the order of the
    number of core clusters in each iteration; here all iterations run on the
    eigenvalues of the clusters' overlaps, which gives the same Z. Each core cluster
    counts once, whatever its size. The paper chooses :math:`\lambda` by the known
    classes; the default is ours.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import DREC
    >>> DREC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "drec"
    summary = "spectral clustering of a dense self-representation of core clusters"
    cost = "time C^3 + u^2 C, memory u^2"
    paper = "zhou2019drec"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CoreEmbeddingConsensus._parameter_constraints,
        "lam": [Interval(Real, 0, None, closed="neither")],
        "n_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 3, *, lam: float = 100.0, n_iter: int = 5) -> None:
        super().__init__(n_init)
        self.lam = lam
        self.n_iter = n_iter

    def _embed(self, task: Task) -> np.ndarray:
        ensemble = task.ensemble
        u = len(ensemble.core)
        check_cluster_memory(ensemble, 4)
        check_memory(
            2 * 4 * u * u,
            f"The similarities of {u:,} core clusters",
            None,
            "Use a method that does not need them (lwgp, hbgf, ecpcs-mc).",
        )
        U = dense_representation(ensemble, self.lam, self.n_iter).astype(np.float32)
        L = U @ U.T
        L *= L
        L *= L  # the fourth power
        scale = 1.0 / np.sqrt(L.sum(axis=1))
        L *= scale[:, None]
        L *= scale
        k = task.n_clusters
        return largest_eigenpairs(
            lambda V: L @ V, u, k, rng=task.rng, lower=0.0, dtype=np.float32
        ).vectors


def dense_representation(ensemble: Ensemble, lam: float, n_iter: int) -> np.ndarray:
    """Return the left singular vectors of Z, scaled by the root values, as unit rows.

    With X^T X = V diag(s) V^T, column j of Z is V (s / (s + mu_j) * V_j), where
    mu_j is lambda in the first iteration and then 2 lambda times the error of column j.
    """
    values, W = np.linalg.eigh(overlap(ensemble, np.ones(len(ensemble.core))))
    kept = values > _RANK * values[-1]
    s = values[kept]
    V = gather(ensemble, W[:, kept] / np.sqrt(s))  # (u, r), orthonormal columns
    mu = np.full((V.shape[0], 1), float(lam))
    for _ in range(n_iter - 1):
        left = mu / (s + mu) * V  # what Z does not represent, (u, r)
        mu = 2.0 * lam * np.sqrt((s * left**2).sum(axis=1, keepdims=True))
    G = s / (s + mu) * V  # Z = V G^T
    squares, P = np.linalg.eigh(G.T @ G)
    singular = np.sqrt(np.maximum(squares, 0.0))
    kept = singular > _SINGULAR * singular[-1]
    return unit_rows(V @ (P[:, kept] * np.sqrt(singular[kept])))
