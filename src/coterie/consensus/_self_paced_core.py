"""The block coordinate descent of self-paced clustering ensemble (SPCE).

Equation numbers are those of the paper; see :class:`SelfPaced` for it. Everything runs
on rows of labels with multiplicities: u distinct rows, or one row a sample.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse
from scipy.sparse.linalg import ArpackNoConvergence, LinearOperator, eigsh

from coterie._linalg._eigen import eigh_range
from coterie._memory import check_memory

if TYPE_CHECKING:
    from coterie._typing import FloatArray

_DENSE_UP_TO = 700  # rows, for which LAPACK is the faster eigensolver
_DENSE_WIDTH = 12  # and so it is for fewer rows than this many times the vectors
_TOLERANCE = 1e-12  # of eigenvalues, relative to the largest possible one
_PAIR_BYTES = 20  # index, S and W


@dataclass(frozen=True, eq=False)
class Problem:
    """The pairs of label rows that some member puts together.

    All other pairs are certain, and S is zero there; so is it one between samples of
    the same row. Nothing of them is stored.

    Attributes
    ----------
    labels : (u, m) int32
        Rows of labels; -1 = not assigned.
    counts : (u,) float64
        Samples of each row, n in the comments.
    weights : (m,) float64
        How often each member counts.
    missing : bool
    indptr, middle, indices : the pairs in CSR form, (g, h) and (h, g)
        From its middle on a row has the pairs with g < h.
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
            _PAIR_BYTES * int(indptr[-1]),
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
        """m, with multiplicities."""
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
        """Return W, how much each pair counts at this age."""  # Eq. 13
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
        """Overwrite S by its minimum, the other variables fixed."""  # Eqs. 16, 17
        from coterie._kernels._self_paced import mirror_pairs, update_similarity

        residuals = np.empty(self.labels.shape)  # (u, m)
        sums = np.empty((len(self.labels), 2, 3))
        update_similarity(
            *(self.labels, self.counts, self.weights / alpha, self.weights),
            *(self.missing, self.indptr, self.middle, self.indices, W),
            *(np.ascontiguousarray(Y), rho, gamma, S, residuals, sums),
        )
        mirror_pairs(self.indptr, self.middle, self.indices, S)
        before, after = 2 * sums.sum(axis=0)
        same_row = float((self.counts**2).sum())  # entries of S that are always one
        return Fit(
            2 * residuals.sum(axis=0),
            Terms(before[0], before[1] + same_row, before[2]),
            Terms(after[0], after[1] + same_row, after[2]),
        )

    def sum_of_weights(self, W: FloatArray) -> FloatArray:
        """Return the sum of W over the partners of a sample of each row, (u,)."""
        ones = np.broadcast_to(1.0, W.shape)
        listed = self.matrix(ones) @ self.counts
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
        # Of more than c null vectors any c will do: no listed pair tells them apart.
        values, V = np.zeros(n_clusters), Q[:, :n_clusters].toarray()
        is_exact = True
        if n_found < n_clusters:  # else all eigenvalues are zero
            # On vectors that are constant within rows, L is the quotient
            # diag(d) - n^1/2 S n^1/2; on all others it is d.
            A = self.matrix(S)
            links = A @ self.counts  # what joins a row to the others, (u,)
            more, vectors = _smallest(A, root, links, n_clusters + 1 - n_found, Q)
            wanted = n_clusters - n_found
            values = np.concatenate([np.zeros(n_found), more[:wanted]])
            V = np.hstack([V, vectors[:, :wanted]])
            within = (links + self.counts)[self.counts > 1]
            is_exact = not within.size or within.min() >= values[-1]
        Y = V / root[:, None]
        return Spectrum(values, Y, component, is_exact)


@dataclass(frozen=True)
class Terms:
    """The terms of the objective (Eq. 10) that depend on S.

    Attributes
    ----------
    loss : float
        The sum of ||(S - S^(i)) W||^2 / alpha_i over the members.
    n_nonzero : float
        Entries of S that are not zero.
    cut : float
        The sum of ||y_p - y_q||^2 S_pq over all pairs.
    """

    loss: float
    n_nonzero: float
    cut: float


@dataclass(frozen=True, eq=False)
class Fit:
    """What is known after S was updated.

    Attributes
    ----------
    residuals : (m,) array
        d_i = ||(S - S^(i)) W||^2 of each member.
    before, after : Terms
        With S as it was, and as it is.
    """

    residuals: FloatArray
    before: Terms
    after: Terms


@dataclass(frozen=True, eq=False)
class Spectrum:
    """The smallest eigenpairs of L and the components of S.

    Attributes
    ----------
    values : (c,) array
    Y : (u, c) array
        A row for each sample of the label row.
    component : (u,) int64
    is_exact : bool
        Whether they are those of the samples' Laplacian, too.
    """

    values: FloatArray
    Y: FloatArray
    component: np.ndarray
    is_exact: bool

    @property
    def n_components(self) -> int:
        return int(self.component.max()) + 1


def _null_vectors(component: np.ndarray, counts: FloatArray) -> scipy.sparse.csr_array:
    """Return the orthonormal eigenvectors of eigenvalue zero, one a component."""
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
    """Return the smallest eigenpairs of L = diag(links) - root A root besides Q's.

    The columns of Q are all the eigenvectors of eigenvalue zero.
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
        """Apply top - L, without the vectors of Q, so that the largest are wanted."""
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
    """Return alpha; a member equal to S counts by the smallest positive share."""
    distances = np.sqrt(residuals)
    total = float(weights @ distances)
    if total == 0.0:
        return np.full(weights.size, 1.0 / weights.sum())
    return np.maximum(distances / total, np.finfo(float).eps)  # Eq. 21


def age(r: float, n_members: float) -> float:
    """Return lambda, at which pairs on which a share r of members agree are easy."""
    return 2 * ((r - 1) ** 2 * r + r**2 * (1 - r)) * n_members**2  # Eq. 23
