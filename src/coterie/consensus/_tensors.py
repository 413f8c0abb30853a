"""Consensus by tensors of low rank: the members' matrices, one behind another."""

from __future__ import annotations

from dataclasses import dataclass, replace
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import spectral_embedding
from coterie._memory import check_memory
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._embedding import cluster_samples
from coterie.consensus._products import dense_coassociation
from coterie.ensemble import Ensemble

_ROUNDING = 1e-6  # of float32 shares


class _TensorConsensus(BaseConsensus):
    """Learns a similarity of all samples from a tensor, then cuts it.

    A subclass implements ``_learn(task, order)``, which returns the similarities of the
    samples in this order, and ``_n_matrices(ensemble)``, how many as large it holds.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "order": [StrOptions({"linkage", "random", "given"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
        "tol": [Interval(Real, 0, None, closed="left")],
    }

    clusters_rows: ClassVar[bool] = True
    order: str
    n_init: int
    max_iter: int
    tol: float

    def _combine(self, task: Task) -> ConsensusResult:
        n = task.ensemble.n_samples
        held = self._n_matrices(task.ensemble)
        what = f"{type(self).__name__}: {held} matrices of {n:,} samples"
        check_memory(held * 8 * n * n, what, None, "Use LWEA, LWGP or KCC.")
        order = _in_order(self.order, task)
        learned = self._learn(task, order)
        W = np.empty((n, n))
        W[np.ix_(order, order)] = learned.similarity
        U = spectral_embedding(W, task.n_clusters, rng=task.rng, dtype=np.float64)
        result = cluster_samples(U, task, self.n_init)
        return replace(result, n_iter=learned.n_iter, converged=learned.converged)

    def _learn(self, task: Task, order: np.ndarray) -> Learned:
        raise NotImplementedError(f"{type(self).__name__} must implement _learn.")

    def _n_matrices(self, ensemble: Ensemble) -> int:
        raise NotImplementedError(f"{type(self).__name__} must implement _n_matrices.")


@fill_doc
class CELTA(_TensorConsensus):
    r"""Clustering ensemble by low-rank tensor approximation.

    The pairs that all members join are few but reliable. Behind the co-association W
    they form a tensor with two slices, and a tensor norm passes what they say on to the
    other pairs [1]_,

    .. math::

        \min_{A, E} \lVert A \rVert_\circledast + \lambda \lVert E \rVert_F^2
        \quad \text{with} \quad A_{(2)} + E = W,

    both slices symmetric and in [0, 1], and :math:`A_{(1)}` one for the reliable pairs.
    Spectral clustering of :math:`A_{(2)}` gives the clusters.

    Parameters
    ----------
    error_weight : float, default=0.2
        Weight of the errors, :math:`\lambda`. The authors' program takes 0.002, which
        needs samples in the order of their classes: in others it leaves nothing to cut.
    order : {"linkage", "random", "given"}, default="linkage"
        The order of the samples in the tensor, on which its norm depends. "linkage" is
        that of the leaves of average linkage, "random" is drawn by the seed. "given" is
        that of the file, as in the authors' program: if the file is sorted by class,
        the classes leak into the answer.
    %(n_init)s
    max_iter : int, default=500
        Maximum number of iterations.
    tol : float, default=1e-8
        Stop when no constraint is violated by more than this.

    Notes
    -----
    The paper's norm takes a Fourier transform along the samples, so it is small if
    neighbours in the file are alike. Figures for each order are in
    ``experiments/results/orders.md``.

    From the paper and the authors' program. The program takes the eigenvectors in the
    order in which they are returned; ours are those of the normalised cut.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CELTA
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> CELTA().combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "celta"
    summary = "spectral clustering of a co-association smoothed by a low-rank tensor"
    cost = "time t N^2 log N, memory N^2"
    paper = "jia2021celta"
    most_rows = 1000
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_TensorConsensus._parameter_constraints,
        "error_weight": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(
        self,
        error_weight: float = 0.2,
        *,
        order: str = "linkage",
        n_init: int = 3,
        max_iter: int = 500,
        tol: float = 1e-8,
    ) -> None:
        self.error_weight = error_weight
        self.order = order
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol

    def _n_matrices(self, ensemble: Ensemble) -> int:
        return 20

    def _learn(self, task: Task, order: np.ndarray) -> Learned:
        S = dense_coassociation(task.ensemble, task.weights)
        np.fill_diagonal(S, 1.0)  # two samples of one row, or one with itself
        rows = task.ensemble.core.index[order]
        W = S[np.ix_(rows, rows)]
        found = pass_on(
            W, 1.0 - _ROUNDING < W, self.error_weight, self.max_iter, self.tol
        )
        return replace(found, similarity=np.maximum(found.similarity, 0.0))


@fill_doc
class GTLEC(_TensorConsensus):
    r"""Ensemble clustering by graph tensor learning.

    Each member v has a graph :math:`H_v`, which links samples of one cluster. A graph
    :math:`S_v` with the spectrum of k clusters is learned from it, sparse and, over all
    members, of low tensor rank [1]_,

    .. math::

        \min_{S} \sum_v \lVert H_v - S_v \rVert_F + \alpha \lVert S_v \rVert_1
        + \beta \lVert S \rVert_\circledast
        \quad \text{with} \quad 0 \preceq S_v \preceq I,\; \mathrm{tr}\, S_v = k.

    Spectral clustering of :math:`\sum_v |S_v|` gives the clusters.

    Parameters
    ----------
    sparsity : float, default=0.05
        Weight of the entries of S, :math:`\alpha`.
    rank_weight : float, default=7.0
        Weight of the tensor's norm, :math:`\beta`.
    order : {"linkage", "random", "given"}, default="linkage"
        The order of the samples in the tensor; see :class:`CELTA`.
    %(n_init)s
    max_iter : int, default=32
        Maximum number of iterations.
    tol : float, default=1e-8
        Stop when no row of the three forms of S differs by more than this.

    Notes
    -----
    From the authors' program. Each iteration takes an eigendecomposition for each
    member, on all samples.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import GTLEC
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> GTLEC().combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "gtlec"
    summary = "spectral clustering of the members' graphs, refined by a low-rank tensor"
    cost = "time t M N^3, memory M N^2"
    paper = "chen2023gtlec"
    most_rows = 300
    most_members = 100
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_TensorConsensus._parameter_constraints,
        "sparsity": [Interval(Real, 0, None, closed="left")],
        "rank_weight": [Interval(Real, 0, None, closed="left")],
    }

    def __init__(
        self,
        sparsity: float = 0.05,
        rank_weight: float = 7.0,
        *,
        order: str = "linkage",
        n_init: int = 3,
        max_iter: int = 32,
        tol: float = 1e-8,
    ) -> None:
        self.sparsity = sparsity
        self.rank_weight = rank_weight
        self.order = order
        self.n_init = n_init
        self.max_iter = max_iter
        self.tol = tol

    def _n_matrices(self, ensemble: Ensemble) -> int:
        return 14 * ensemble.n_members

    def _learn(self, task: Task, order: np.ndarray) -> Learned:
        labels = task.ensemble.labels[order].T  # (M, n)
        H = (labels[:, :, None] == labels[:, None, :]) & (labels >= 0)[:, :, None]
        return refine(
            H.astype(np.float64),
            task.n_clusters,
            self.sparsity,
            self.rank_weight,
            self.max_iter,
            self.tol,
        )


@dataclass(frozen=True, eq=False)
class Learned:
    """Similarities of all samples, and how the iteration went."""

    similarity: np.ndarray  # (n, n)
    n_iter: int
    converged: bool


def pass_on(
    W: np.ndarray, joined: np.ndarray, error_weight: float, max_iter: int, tol: float
) -> Learned:
    """Solve the problem of :class:`CELTA` by augmented Lagrangians."""
    B, C, E, Y1, Y2, Y3 = (np.zeros_like(W) for _ in range(6))
    A = np.zeros((2, *W.shape))
    mu = 1e-4
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        A[0] = B - Y1 / mu
        A[1] = (W - E - Y2 / mu + C - Y3 / mu) / 2.0
        A = shrink_tensor(A, 1.0 / mu)
        E = (W - A[1] - Y2 / mu) * (mu / (2.0 * error_weight + mu))
        B = _share(A[0] + Y1 / mu)
        B[joined] = 1.0
        C = _share(A[1] + Y3 / mu)
        gaps = A[0] - B, A[1] + E - W, A[1] - C
        converged = bool(max(np.abs(gap).max() for gap in gaps) < tol)
        Y1 += mu * gaps[0]
        Y2 += mu * gaps[1]
        Y3 += mu * gaps[2]
        mu = min(1.1 * mu, 1e10)
    return Learned(A[1] + A[1].T, n_iter, converged)


def refine(
    H: np.ndarray,
    k: int,
    sparsity: float,
    rank_weight: float,
    max_iter: int,
    tol: float,
) -> Learned:
    """Solve the problem of :class:`GTLEC` for the members' graphs H, (M, n, n)."""
    n_members, n, _ = H.shape
    S = np.tile(np.eye(n), (n_members, 1, 1))
    Z, A = S.copy(), S.copy()
    Y1, Y2 = np.zeros_like(S), np.zeros_like(S)
    w = np.full(n_members, 1.0 / n_members)
    mu, rho = 1e-5, 1e-2
    n_iter, converged = 0, False
    while n_iter < max_iter and not converged:
        n_iter += 1
        for v in range(n_members):
            pulled = 2.0 * w[v] * H[v] + mu * Z[v] - Y1[v] + rho * A[v] - Y2[v]
            S[v] = nearest_spectrum(pulled / (2.0 * w[v] + mu + rho), k)
        rest = S + Y1 / mu
        Z = np.sign(rest) * np.maximum(np.abs(rest) - sparsity / mu, 0.0)
        A = shrink_tensor(S + Y2 / rho, rank_weight / rho)
        Y1 += mu * (S - Z)
        Y2 += rho * (S - A)
        w = 0.5 / np.maximum(np.linalg.norm(H - S, axis=(1, 2)), 1e-300)
        gaps = np.abs(S - A).sum(axis=2), np.abs(S - Z).sum(axis=2)
        converged = bool(max(gap.max() for gap in gaps) <= tol)
        mu, rho = min(3.0 * mu, 1e11), min(3.0 * rho, 1e13)
    total = np.abs(Z).sum(axis=0)
    total += total.T
    np.fill_diagonal(total, 0.0)
    return Learned(total, n_iter, converged)


def shrink_tensor(T: np.ndarray, threshold: float) -> np.ndarray:
    """Shrink the singular values of T, (M, n, n), by the threshold.

    They are those of the (n, M) slices that a Fourier transform along the samples
    leaves, not normalised.
    """
    n = T.shape[1]
    slices = np.fft.rfft(T, axis=1).transpose(1, 2, 0)  # (n // 2 + 1, n, M)
    U, s, Vh = np.linalg.svd(slices, full_matrices=False)
    s = np.maximum(s - threshold, 0.0)
    return np.fft.irfft(((U * s[:, None, :]) @ Vh).transpose(2, 0, 1), n=n, axis=1)


def nearest_spectrum(B: np.ndarray, k: int) -> np.ndarray:
    """Return the nearest symmetric matrix with eigenvalues in [0, 1] that sum to k."""
    values, vectors = np.linalg.eigh((B + B.T) / 2.0)
    values = capped_simplex(values, k)
    kept = values > 0
    return (vectors[:, kept] * values[kept]) @ vectors[:, kept].T


def capped_simplex(values: np.ndarray, total: float) -> np.ndarray:
    """Return the nearest values in [0, 1] with this sum, at most their number.

    They are the values minus a shift. The sum falls linearly between the shifts at
    which a value becomes one or zero.
    """
    shifts = np.sort(np.concatenate([values - 1.0, values]))
    sums = np.clip(values - shifts[:, None], 0.0, 1.0).sum(axis=1)  # falling
    shift = np.interp(-total, -sums, shifts)
    return np.clip(values - shift, 0.0, 1.0)


def _share(M: np.ndarray) -> np.ndarray:
    """Return the nearest symmetric matrix of entries in [0, 1]."""
    return np.clip((M + M.T) / 2.0, 0.0, 1.0)


def _in_order(order: str, task: Task) -> np.ndarray:
    """Return the samples in the order in which they enter the tensor, (n,)."""
    core = task.ensemble.core
    n = task.ensemble.n_samples
    if order == "given":
        return np.arange(n)
    if order == "random":
        return task.rng.permutation(n)
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    distance = 1.0 - dense_coassociation(task.ensemble, task.weights)
    leaves = leaves_list(linkage(squareform(distance, checks=False), "average"))
    rank = np.argsort(leaves)
    return np.argsort(rank[core.index], kind="stable")
