"""The block coordinate descent of self-paced clustering ensemble (SPCE).

Equation numbers are those of the paper cited in :class:`SelfPaced`. Everything runs on
label rows with multiplicities: the u distinct rows, or one row per sample.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from coterie._linalg._eigen import eigh_range
from coterie._memory import check_memory

if TYPE_CHECKING:
    from coterie._typing import FloatArray

STAGES = (0.9, 0.8, 0.7, 0.6, 0.5)  # r, the agreement from which on a pair is easy
_LEAST_ITER = 2  # of a stage, as in the authors' program
_DENSE_UP_TO = 700  # rows; LAPACK is the faster eigensolver
_DENSE_WIDTH = 12  # also faster up to this many rows per eigenvector
_TOLERANCE = 1e-12  # of eigenvalues, relative to the largest possible one
_PAIR_BYTES = 20  # index, S and W


@dataclass(frozen=True, eq=False)
class Problem:
    """The pairs of label rows that some member puts together.

    All other pairs are certain and not stored: S is zero there, and one between samples
    with the same row.

    Attributes
    ----------
    labels : (u, m) int32
        Label rows; -1 = missing.
    counts : (u,) float64
        Samples of each row, n in the comments.
    weights : (m,) float64
        Multiplicity of each member.
    missing : bool
    indptr, middle, indices : the pairs in CSR form, (g, h) and (h, g)
        The second part of a row, from its middle on, has the pairs with g < h.
    """

    labels: np.ndarray
    counts: np.ndarray
    weights: np.ndarray
    missing: bool
    indptr: np.ndarray
    middle: np.ndarray
    indices: np.ndarray

    @classmethod
    def of(cls, labels: np.ndarray, counts: np.ndarray, weights: np.ndarray) -> Problem:
        """List the pairs of rows."""
        from coterie._kernels._self_paced import count_pairs, list_pairs

        labels = np.ascontiguousarray(labels)
        per_row, below = np.empty((2, len(labels)), dtype=np.int64)
        count_pairs(labels, per_row, below)
        indptr = np.concatenate([[0], np.cumsum(per_row)])
        check_memory(
            _PAIR_BYTES * int(indptr[-1]) + 2 * len(labels) ** 2,  # and the linkage
            f"SelfPaced on {len(labels):,} distinct label rows",
            None,
            "Use a method that does not compare all samples (lwgp, hbgf, kcc, sc), or "
            "members with fewer clusters.",
        )
        indices = np.empty(indptr[-1], dtype=np.int32)
        list_pairs(labels, indptr, indices)
        missing = bool((labels < 0).any())
        return cls(
            *(labels, counts.astype(np.float64), weights, missing),
            *(indptr, indptr[:-1] + below, indices),
        )

    @property
    def n_samples(self) -> float:
        return float(self.counts.sum())

    @property
    def n_members(self) -> float:
        """The number of members m, with multiplicities."""
        return float(self.weights.sum())

    def coassociation(self) -> FloatArray:
        """Return the share of members that put each pair together."""  # Eq. 2
        from coterie._kernels._self_paced import mean_similarity

        S = np.empty(self.indices.size)
        mean_similarity(
            self.labels, self.weights, self.missing, self.indptr, self.indices, S
        )
        return S

    def pair_weights(self, S: FloatArray, alpha: FloatArray, age: float) -> FloatArray:
        """Return the weights W of the pairs at this age."""  # Eq. 13
        from coterie._kernels._self_paced import pair_weights

        W = np.empty_like(S)
        pair_weights(
            *(self.labels, self.weights / alpha, self.weights, self.missing),
            *(self.indptr, self.indices, S, age, W),
        )
        return W

    def update_similarity(
        self,
        S: FloatArray,
        W: FloatArray,
        Y: FloatArray,
        alpha: FloatArray,
        rho: float,
        gamma: float,
    ) -> Fit:
        """Overwrite S by its minimiser for fixed other variables."""  # Eqs. 16, 17
        from coterie._kernels._self_paced import mirror_pairs, update_similarity

        residuals = np.empty(self.labels.shape)  # (u, m)
        sums = np.empty((len(self.labels), 2, 3))
        update_similarity(
            *(self.labels, self.counts, self.weights / alpha, self.weights),
            *(self.missing, self.indptr, self.middle, self.indices, W),
            *(np.ascontiguousarray(Y), rho, gamma, S, residuals, sums),
        )
        mirror_pairs(self.indptr, self.middle, self.indices, S)
        terms = 2 * sums.sum(axis=0)  # before, after
        terms[:, 1] += (self.counts**2).sum()  # entries of S that are always one
        return Fit(2 * residuals.sum(axis=0), Terms(*terms[0]), Terms(*terms[1]))

    def sum_of_weights(self, W: FloatArray) -> FloatArray:
        """Return the sum of W over the partners of a sample in each row, (u,)."""
        listed = self.matrix(np.broadcast_to(1.0, W.shape)) @ self.counts
        return self.matrix(W) @ self.counts + self.n_samples - listed

    def matrix(self, values: FloatArray) -> scipy.sparse.csr_array:
        """Return the (u, u) matrix of values at the pairs, without a copy."""
        shape = (len(self.labels), len(self.labels))
        indptr = self.indptr
        if indptr[-1] < 2**31:  # or scipy would widen the indices
            indptr = indptr.astype(self.indices.dtype)
        return scipy.sparse.csr_array((values, self.indices, indptr), shape=shape)

    def spectrum(self, S: FloatArray, n_clusters: int) -> Spectrum:
        """Return Y, the eigenvectors of the smallest eigenvalues of L."""  # Eq. 18
        from coterie._kernels._self_paced import pair_components

        component = np.empty(len(self.labels), dtype=np.int64)
        pair_components(self.indptr, self.indices, S, component)
        n_found = int(component.max()) + 1
        root = np.sqrt(self.counts)
        Q = _null_vectors(component, self.counts)  # (u, n_found), sparse
        # With more than c null vectors any c will do: no listed pair separates them.
        values, V = np.zeros(n_clusters), Q[:, :n_clusters].toarray()
        is_exact = True
        if n_found < n_clusters:  # else all eigenvalues are zero
            # On vectors that are constant within rows, L is the quotient
            # diag(d) - n^1/2 S n^1/2; on all others it is d.
            A = self.matrix(S)
            links = A @ self.counts  # degrees without the row itself, (u,)
            more, vectors = _smallest(A, root, links, n_clusters + 1 - n_found, Q)
            wanted = n_clusters - n_found
            values = np.concatenate([np.zeros(n_found), more[:wanted]])
            V = np.hstack([V, vectors[:, :wanted]])
            within = (links + self.counts)[self.counts > 1]
            is_exact = not within.size or within.min() >= values[-1]
        return Spectrum(values, V / root[:, None], component, is_exact)


class Terms(NamedTuple):
    """The terms of the objective (Eq. 10) that depend on S."""

    loss: float  # sum of ||(S - S^(i)) W||^2 / alpha_i over the members
    n_nonzero: float  # nonzero entries of S
    cut: float  # sum of ||y_p - y_q||^2 S_pq over all pairs

    def objective(self, gamma: float, rho: float) -> float:
        """Return Eq. 10 without the term in W, the trace counted as in Eq. 14."""
        return self.loss + gamma * self.n_nonzero + rho * self.cut


@dataclass(frozen=True, eq=False)
class Fit:
    """The result of an update of S."""

    residuals: FloatArray  # d_i = ||(S - S^(i)) W||^2 of each member, (m,)
    before: Terms
    after: Terms


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The smallest eigenpairs of L and the components of S."""

    values: FloatArray  # (c,)
    Y: FloatArray  # (u, c), the eigenvectors' entries for a sample of each row
    component: np.ndarray  # (u,) int64
    is_exact: bool  # whether these are also the samples' eigenpairs

    @property
    def n_components(self) -> int:
        return int(self.component.max()) + 1


def _null_vectors(component: np.ndarray, counts: FloatArray) -> scipy.sparse.csr_array:
    """Return the orthonormal eigenvectors of eigenvalue zero, one per component."""
    sizes = np.bincount(component, weights=counts)
    values = np.sqrt(counts / sizes[component])
    indptr = np.arange(component.size + 1)
    shape = (component.size, sizes.size)
    return scipy.sparse.csr_array((values, component, indptr), shape=shape)


def _smallest(
    A: scipy.sparse.csr_array,
    root: FloatArray,
    links: FloatArray,
    n_vectors: int,
    Q: scipy.sparse.csr_array,
) -> tuple[FloatArray, FloatArray]:
    """Return the smallest eigenpairs of L = diag(links) - root A root except Q's.

    The columns of Q are all eigenvectors of eigenvalue zero.
    """
    n_rows, n_null = Q.shape
    n_vectors = min(n_vectors, n_rows - n_null)
    if n_rows <= max(_DENSE_UP_TO, _DENSE_WIDTH * n_vectors):
        return _smallest_dense(A, root, links, n_vectors, n_null)
    links, root, transposed = links[:, None], root[:, None], Q.T.tocsr()
    top = 2.0 * float(links.max())  # no eigenvalue is larger

    def project(V: FloatArray) -> FloatArray:
        return V - Q @ (transposed @ V)

    def turned(v: FloatArray) -> FloatArray:
        """Apply top - L, projected off Q, whose largest eigenpairs are wanted."""
        V = project(v.reshape(-1, 1))
        return project((top - links) * V + root * (A @ (root * V)))

    operator = LinearOperator((n_rows, n_rows), matvec=turned, dtype=np.float64)
    start = project(np.random.default_rng(0).standard_normal((n_rows, 1)))[:, 0]
    try:
        values, V = eigsh(operator, n_vectors, which="LA", v0=start, tol=_TOLERANCE)
    except ArpackNoConvergence:
        return _smallest_dense(A, root[:, 0], links[:, 0], n_vectors, n_null)
    return top - values[::-1], V[:, ::-1]


def _smallest_dense(
    A: scipy.sparse.csr_array,
    root: FloatArray,
    links: FloatArray,
    n_vectors: int,
    n_null: int,
) -> tuple[FloatArray, FloatArray]:
    L = np.diag(links) - root[:, None] * A.toarray() * root
    return eigh_range(L, n_null, n_null + n_vectors - 1)


def member_shares(residuals: FloatArray, weights: FloatArray) -> FloatArray:
    """Return alpha; a member equal to S gets the smallest positive share."""
    distances = np.sqrt(residuals)
    total = float(weights @ distances)
    if total == 0.0:
        return np.full(weights.size, 1.0 / weights.sum())
    return np.maximum(distances / total, np.finfo(float).eps)  # Eq. 21


def age(r: float, n_members: float) -> float:
    """Return the lambda from which pairs with an agreement of r are easy."""
    return 2 * ((r - 1) ** 2 * r + r**2 * (1 - r)) * n_members**2  # Eq. 23


@dataclass(frozen=True, eq=False)
class Outcome:
    """The variables after the last iteration, and a record of all iterations.

    Attributes
    ----------
    S : array
        The similarities of the listed pairs.
    alpha : (m,) array
    spectrum : Spectrum
    mean_weight : (stages, u) array
        The mean of W over the partners of a sample, in each stage.
    records : dict of str to list
        For each iteration: its ``stage`` r, ``rho``, ``n_components``, whether the
        collapsed problem is ``exact``, and four values of the ``objective`` at this rho
        (before the iteration, after S, after Y, after alpha).
    """

    S: FloatArray
    alpha: FloatArray
    spectrum: Spectrum
    mean_weight: FloatArray
    records: dict[str, list[Any]]


def descend(
    problem: Problem,
    n_clusters: int,
    theta: float,
    pace: str = "self",
    max_iter: int = 5,
    last_max_iter: int = 20,
) -> Outcome:
    """Run the stages of Algorithm 1; for the parameters see :class:`SelfPaced`."""
    c, m = n_clusters, problem.n_members
    gamma = (m * theta) ** 2
    S = problem.coassociation()
    alpha = np.full(problem.weights.size, 1.0 / m)
    spectrum = problem.spectrum(S, c)
    Y, rho = spectrum.Y, 1.0
    W = np.ones_like(S)
    mean_weight, records = [], defaultdict(list)
    for r in STAGES:
        lam = age(r, m)
        if pace == "self" or (pace == "fixed" and r == STAGES[0]):
            W = problem.pair_weights(S, alpha, lam)
        sums = problem.sum_of_weights(W)
        mean_weight.append(sums / problem.n_samples)
        easy = lam * float(problem.counts @ sums)  # lambda ||W||_1
        for i in range(last_max_iter if r == STAGES[-1] else max_iter):
            fit = problem.update_similarity(S, W, Y, alpha, rho, gamma)
            spectrum = problem.spectrum(S, c)
            alpha = member_shares(fit.residuals, problem.weights)
            loss = float((problem.weights / alpha) @ fit.residuals)
            # with the new Y the cut is 2 tr(Y^T L Y)
            moved = fit.after._replace(cut=2 * float(spectrum.values.sum()))
            steps = (fit.before, fit.after, moved, moved._replace(loss=loss))
            records["stage"].append(r)
            records["rho"].append(rho)
            records["n_components"].append(spectrum.n_components)
            records["exact"].append(spectrum.is_exact)
            records["objective"].append(
                [terms.objective(gamma, rho) - easy for terms in steps]
            )
            if spectrum.n_components > c:
                rho /= 2  # and Y stays the last one that did not cut too much
                continue
            Y = spectrum.Y
            if spectrum.n_components < c:  # the rank of L is above n - c
                rho *= 2
            elif i + 1 >= _LEAST_ITER:
                break
    return Outcome(S, alpha, spectrum, np.array(mean_weight), records)
