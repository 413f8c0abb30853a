"""The largest eigenpairs of a symmetric operator, by blocks."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from math import acosh, ceil
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg

from coterie._kernels._spmm import dot

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from coterie._typing import FloatArray

_DENSE_BELOW = 400  # a dense eigenproblem of this order takes about 15 ms
_MIN_DEGREE, _MAX_DEGREE = 4, 24
_LANCZOS_STEPS = 8
_RAW = 0.1  # residual of a vector that is not yet near an eigenvector
_CHUNK = 2048  # rows of a block that are converted to float64 together


@dataclass(frozen=True)
class Eigenpairs:
    """Eigenvalues in descending order, their eigenvectors, and how they were found.

    Attributes
    ----------
    values : ndarray of shape (k,), dtype float64
        Eigenvalues, the largest first.
    vectors : ndarray of shape (n, k)
        Orthonormal eigenvectors in columns; the entry of largest magnitude is positive.
    n_iter : int
        Rounds of filtering; zero for the dense method.
    converged : bool
        Whether all residuals are below the tolerance.
    residual : float
        The largest norm of A v - lambda v among the pairs.
    """

    values: NDArray[np.float64]
    vectors: FloatArray
    n_iter: int
    converged: bool
    residual: float


def largest_eigenpairs(
    apply: Callable[[Any], Any],
    n: int,
    n_vectors: int,
    *,
    rng: np.random.Generator,
    lower: float,
    upper: float = 1.0,
    dtype: DTypeLike = np.float32,
    tol: float = 1e-4,
    max_iter: int = 50,
    project: Callable[[Any], Any] | None = None,
) -> Eigenpairs:
    r"""Find the algebraically largest eigenpairs of a symmetric operator A.

    Block subspace iteration on a Chebyshev polynomial of A [1]_. In each round a
    polynomial that is small on the unwanted interval [lower, cut] and grows fast above
    it is applied to a block of vectors, the block is orthonormalised, and a small
    eigenproblem (Rayleigh-Ritz) gives new eigenvectors and a new cut. Nearly all the
    time goes into products with blocks, which are much cheaper than one product per
    vector; prefer it to :func:`scipy.sparse.linalg.eigsh` for dozens of vectors and
    moderate accuracy.

    Parameters
    ----------
    apply : callable
        Takes a C-ordered block of shape (n, b) and returns A times it, a new array (or
        one that the next call may overwrite) of the same dtype. An optional method
        ``chebyshev_steps(V_before, V, center, scales, weights)`` overwrites V_before
        by ``scale * (A V - center V) - weight * V_before``, swaps them, and so on for
        all scales.
    n : int
        Order of A.
    n_vectors : int
        Number of eigenpairs, from 1 to n.
    rng : numpy.random.Generator
        Draws the first block.
    lower : float
        A lower bound on all eigenvalues. A wrong one costs many rounds.
    upper : float, default=1.0
        An upper bound on all eigenvalues; it only affects speed.
    dtype : dtype, default=numpy.float32
        float32 or float64.
    tol : float, default=1e-4
        Largest residual norm, relative to the larger of abs(lower) and abs(upper); at
        least 64 times the rounding unit of ``dtype``.
    max_iter : int, default=50
        Maximum number of rounds. The result says whether they sufficed.
    project : callable, default=None
        Takes a block and returns it with known eigenvectors (of eigenvalue ``upper``,
        say) projected out. The pairs are then those of A in the complement, and
        ``n_vectors`` must not exceed its dimension.

    Returns
    -------
    pairs : Eigenpairs
        Values, vectors, and whether they converged.

    Notes
    -----
    The block has a third more vectors than requested, and at least five: they absorb
    the slow convergence at the lower end, and they place the cut. As the given lower
    bound is often far off, eight Lanczos steps estimate the start of the spectrum and
    the first cut. If a round gains little, the estimate gives way to the bound.

    Eigenvalues may be multiple, even beyond the block width. If the spectrum continues
    densely below the last eigenvalue wanted, many rounds may be needed and
    ``converged`` may be False; for clustering such vectors are as good as any.

    The degree is chosen to reach the tolerance, within limits: at most 24, and no more
    amplification between the upper bound and the cut than the dtype tolerates.

    The result depends neither on numba's threads nor on the calling thread, but its
    last bits may depend on the number of BLAS threads; fix it if this matters.

    For n up to 400, or if the block would be wider than n / 3, A is made dense and
    solved by LAPACK in float64.

    References
    ----------
    .. [1] Y. Zhou, Y. Saad, M. L. Tiago, J. R. Chelikowsky, "Self-consistent-field
       calculations using Chebyshev-filtered subspace iteration", Journal of
       Computational Physics 219(1), 172-184, 2006. :doi:`10.1016/j.jcp.2006.03.017`

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import largest_eigenpairs
    >>> diagonal = np.linspace(0, 1, 1000)[:, None]
    >>> pairs = largest_eigenpairs(
    ...     lambda V: diagonal * V, 1000, 2, rng=np.random.default_rng(0), lower=0.0,
    ...     dtype=np.float64, tol=1e-8,
    ... )
    >>> pairs.values.round(4)
    array([1.   , 0.999])
    """
    dtype = np.dtype(dtype)
    if dtype not in (np.float32, np.float64):
        raise ValueError(
            f"largest_eigenpairs got dtype={dtype}; it must be float32 or float64."
        )
    if not 1 <= n_vectors <= n:
        raise ValueError(
            f"largest_eigenpairs got n_vectors={n_vectors} for an operator of order "
            f"{n}; it must be between 1 and {n}."
        )
    if not lower < upper:
        raise ValueError(
            f"largest_eigenpairs got the bounds lower={lower} and upper={upper}; lower "
            "must be below upper."
        )
    scale = max(abs(lower), abs(upper))
    tol = max(tol, 64 * float(np.finfo(dtype).eps)) * scale
    if uses_dense(n, n_vectors):
        return _dense(apply, n, n_vectors, lower, dtype, tol, project)

    width = block_width(n_vectors)
    bound, surveyed = _survey(
        apply, n, rng, lower, upper, dtype, project, 2 * width / n
    )
    V = rng.random((n, width), dtype=dtype.type) - dtype.type(0.5)  # (n, b)
    if project is not None:
        V = project(V)
    interval = _Interval.between(bound, surveyed, upper)
    V = _filter(apply, V, apply(V), interval, _bearable_degree(interval, 1e4, dtype))
    n_iter, previous = 1, np.inf
    while True:
        if project is not None:
            V = project(V)
        V = _orthonormalize(V)
        values, V, AV = _rayleigh_ritz(apply, V)  # (b,), (n, b), (n, b)
        squares = (AV - V * values) ** 2
        residuals = np.sqrt(squares.sum(axis=0, dtype=np.float64))  # (b,)
        residual = float(residuals[:n_vectors].max())
        if residual <= tol or n_iter >= max_iter:
            break
        n_iter += 1
        if values[-1] < bound or residual > 0.5 * previous:
            bound = lower  # the estimate was wrong
        previous = residual
        # The last Ritz value; but if all of them belong to one multiple eigenvalue,
        # something lower: the next eigenvalue may be far below.
        last, lowest = float(values[n_vectors - 1]), float(values[-1])
        cut = min(lowest, last - float(residuals[-1]))
        if residuals[-1] > _RAW:  # still far too low: the survey is better
            cut = max(lowest, min(surveyed, (last + lowest) / 2))
        interval = _Interval.between(bound, cut, upper)
        degree = _degree(interval, values[:n_vectors], residuals[:n_vectors], tol)
        V = _filter(apply, V, AV, interval, degree)
    return Eigenpairs(
        values=values[:n_vectors].astype(np.float64),
        vectors=_fix_signs(np.ascontiguousarray(V[:, :n_vectors])),
        n_iter=n_iter,
        converged=residual <= tol,
        residual=residual,
    )


def eigh_range(A: FloatArray, first: int, last: int) -> tuple[Any, Any]:
    """Return eigenpairs first to last (both included) of a dense matrix, ascending.

    LAPACK's routine for part of the spectrum may return fewer pairs than requested if A
    is nearly a multiple of the identity, or give up; then all are computed.
    """
    values, vectors = (), None
    with suppress(np.linalg.LinAlgError):
        values, vectors = scipy.linalg.eigh(
            A, subset_by_index=(first, last), check_finite=False
        )
    if len(values) <= last - first:
        values, vectors = scipy.linalg.eigh(A, driver="evd", check_finite=False)
        values, vectors = values[first : last + 1], vectors[:, first : last + 1]
    return values, vectors


def block_width(n_vectors: int) -> int:
    """Return the number of vectors iterated to find n_vectors of them."""
    return 8 * ceil((n_vectors + max(5, 0.3 * n_vectors)) / 8)


def uses_dense(n: int, n_vectors: int) -> bool:
    """Return whether the dense method is faster."""
    return n <= _DENSE_BELOW or 3 * block_width(n_vectors) > n


def _dense(apply, n, n_vectors, lower, dtype, tol, project) -> Eigenpairs:
    """Make A dense by applying it to the identity, and solve with LAPACK."""
    identity = np.eye(n, dtype=dtype)
    P = identity if project is None else project(identity.copy())
    A = np.asarray(apply(P), dtype=np.float64)  # (n, n)
    if project is not None:
        # the known vectors go below all others, so they are never chosen
        P = np.asarray(P, dtype=np.float64)
        A = P @ A + (lower - 1.0 - abs(lower)) * (np.eye(n) - P)
    A = (A + A.T) / 2
    values, vectors = eigh_range(A, n - n_vectors, n - 1)
    values, vectors = values[::-1], np.ascontiguousarray(vectors[:, ::-1])
    residual = float(np.linalg.norm(A @ vectors - vectors * values, axis=0).max())
    return Eigenpairs(
        values=values.copy(),
        vectors=_fix_signs(vectors).astype(dtype, copy=False),
        n_iter=0,
        converged=residual <= tol,
        residual=residual,
    )


def _survey(apply, n, rng, lower, upper, dtype, project, share) -> tuple[float, float]:
    """Estimate the start of the spectrum, and the cut above which its top share lies.

    A few Lanczos steps. The start is the smallest Ritz value, less twice its residual
    or a twentieth of the spectrum's width: not a proven bound, but an eigenvalue
    slightly below it does no harm. The squared first components of the Ritz vectors
    estimate the distribution of the eigenvalues.
    """
    v = rng.standard_normal((n, 1), dtype=dtype.type)
    if project is not None:
        v = project(v)
    basis = np.zeros((_LANCZOS_STEPS, n), dtype=dtype)
    alpha, beta = np.zeros(_LANCZOS_STEPS), np.zeros(_LANCZOS_STEPS)
    norm = float(np.linalg.norm(v))
    for step in range(_LANCZOS_STEPS):
        if norm <= 1e-5:  # an invariant subspace: too special to estimate from
            return lower, (lower + upper) / 2
        np.multiply(v[:, 0], dtype.type(1 / norm), out=basis[step])
        v = np.array(apply(basis[step][:, None]))  # (n, 1)
        alpha[step], norm = lanczos_step(basis[: step + 1], v[:, 0])
        beta[step] = norm
    values, vectors = scipy.linalg.eigh_tridiagonal(alpha, beta[:-1])
    residual = norm * abs(float(vectors[-1, 0]))
    margin = max(2 * residual, 0.05 * (upper - values[0]))
    bound = max(lower, min(float(values[0] - margin), upper - 1e-3 * (upper - lower)))
    weights = vectors[0, ::-1] ** 2  # of the largest Ritz value first
    above = np.concatenate([[0.0], np.cumsum(weights) - weights / 2])
    cut = float(np.interp(share, above, np.concatenate([[upper], values[::-1]])))
    return bound, cut


def lanczos_step(basis: FloatArray, v: FloatArray) -> tuple[float, float]:
    """Make v, which is A times the last row of the basis, orthogonal to all rows.

    Returns the product of the last row and A v, and the norm of the remainder of v.
    """
    as_v = v.dtype.type  # kernels return Python's numbers
    parts = []
    for row in basis[::-1]:
        parts.append(as_v(dot(row, v)))
        v -= parts[-1] * row
    return float(parts[0]), float(np.sqrt(as_v(dot(v, v))))


@dataclass(frozen=True)
class _Interval:
    """The unwanted part of the spectrum, and the upper bound of the rest."""

    center: float
    half_width: float
    upper: float

    @classmethod
    def between(cls, lower: float, cut: float, upper: float) -> _Interval:
        """Return [lower, cut], neither empty nor reaching the upper bound."""
        width = upper - lower
        cut = min(max(cut, lower + 1e-3 * width), upper - 1e-6 * width)
        return cls((lower + cut) / 2, (cut - lower) / 2, upper)

    def growth(self, value: float) -> float:
        """Return the log of the factor by which one more degree favours a value."""
        t = (value - self.center) / self.half_width
        return max(acosh(max(1.0, t)), 1e-3)


def _degree(interval: _Interval, values: Any, residuals: Any, tol: float) -> int:
    """Return the degree that should bring all residuals below the tolerance."""
    # The columns of a raw block all drift to the same top vectors; later each one is
    # nearly an eigenvector, and only its rounding errors drift.
    bearable = 1e4 if residuals.max() > _RAW else 1e6
    most = _bearable_degree(interval, bearable, values.dtype)
    needed = max(
        acosh(3 * residual / tol) / interval.growth(value)
        for value, residual in zip(values, residuals, strict=True)
        if residual > tol
    )
    return int(max(_MIN_DEGREE, min(most, ceil(needed))))


def _bearable_degree(interval: _Interval, bearable: float, dtype: Any) -> int:
    """Return the largest degree whose amplification the precision tolerates."""
    if dtype == np.float64:
        bearable **= 2
    most = acosh(bearable) / interval.growth(interval.upper)
    return int(max(_MIN_DEGREE, min(_MAX_DEGREE, most)))


def _filter(apply, V, AV, interval: _Interval, degree: int) -> Any:
    """Damp the eigenvectors with eigenvalues in the interval in each column of V.

    The scaled three-term recurrence of [1]_ in `largest_eigenpairs`: the polynomial is
    one at the upper bound, so nothing overflows. The result does not share memory with
    V.
    """
    dtype = V.dtype
    center, half_width = dtype.type(interval.center), interval.half_width
    sigmas = [half_width / (interval.upper - interval.center)]
    for _ in range(1, degree):
        sigmas.append(1 / (2 / sigmas[0] - sigmas[-1]))
    scales = np.array([2 * sigma / half_width for sigma in sigmas[1:]], dtype=dtype)
    weights = np.array([a * b for a, b in pairwise(sigmas)], dtype=dtype)
    blocks = np.zeros((2, *V.shape), dtype=dtype)  # previous and current
    blocks[0] = V
    # the first step reuses the product from Rayleigh-Ritz
    first = dtype.type(sigmas[0] / half_width)
    _chebyshev_step(AV, V, blocks[1], center, first, dtype.type(0))
    steps = getattr(apply, "chebyshev_steps", None)
    if steps is not None:
        steps(*blocks, center, scales, weights)
    else:
        for t, scalars in enumerate(zip(scales, weights, strict=True)):
            before, now = blocks[t % 2], blocks[(t + 1) % 2]
            _chebyshev_step(apply(now), now, before, center, *scalars)
    return blocks[degree % 2]


def _chebyshev_step(AV, V, V_before, center, scale, weight) -> None:
    """Overwrite V_before by scale * (A V - center V) - weight * V_before."""
    after = AV - center * V
    after *= scale
    V_before *= weight
    np.subtract(after, V_before, out=V_before)


def _rayleigh_ritz(apply, V) -> tuple[Any, Any, Any]:
    """Return Ritz values in descending order, Ritz vectors, and A times these."""
    AV = apply(V)  # (n, b)
    H = V.T @ AV  # (b, b)
    H = H.astype(np.float64)
    values, Q = np.linalg.eigh((H + H.T) / 2)  # scipy's would hold the GIL
    Q = np.ascontiguousarray(Q[:, ::-1]).astype(V.dtype)
    return values[::-1].astype(V.dtype), V @ Q, AV @ Q


def _orthonormalize(V) -> Any:
    """Make the columns of V orthonormal by Cholesky-QR, done twice.

    The Gram matrix is accumulated in float64. Linearly dependent (or zero) columns make
    Cholesky fail; then Householder QR replaces them by orthonormal ones.
    """
    for _ in range(2):
        G = np.zeros((V.shape[1], V.shape[1]))  # (b, b)
        for start in range(0, len(V), _CHUNK):
            part = V[start : start + _CHUNK].astype(np.float64)
            G += part.T @ part
        norms = np.sqrt(G.diagonal())
        norms = np.where(norms > 0, norms, 1)  # (b,)
        try:
            L = np.linalg.cholesky(G / norms / norms[:, None])
        except np.linalg.LinAlgError:
            return _householder(V / norms)
        if L.diagonal().min() < 1e-5:
            return _householder(V / norms)
        V = V @ (np.linalg.inv(L) / norms).T.astype(V.dtype)
        if L.diagonal().min() > 0.02:  # V was well conditioned: once is enough
            break
    return V


def _householder(V) -> Any:
    """Return an orthonormal basis of the columns, computed in float64."""
    Q, _ = np.linalg.qr(V.astype(np.float64, copy=False))
    return np.ascontiguousarray(Q, dtype=V.dtype)


def _fix_signs(V) -> Any:
    """Make each column's entry of largest magnitude positive, in place."""
    largest = V[np.abs(V).argmax(axis=0), np.arange(V.shape[1])]
    V *= np.where(largest < 0, -1, 1).astype(V.dtype)
    return V
