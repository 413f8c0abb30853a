"""The smallest eigenpairs of a symmetric operator whose diagonal tells much of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.linalg

from coterie._linalg._eigen import Eigenpairs

if TYPE_CHECKING:
    from coterie._typing import FloatArray

_WIDTHS = 5  # the basis is at most this many blocks wide
_NEAR = 0.1  # of the diagonal, below which diagonal - value is not divided by


def smallest_eigenpairs(
    apply: Callable[[Any], Any],
    diagonal: FloatArray,
    n_vectors: int,
    *,
    rng: np.random.Generator,
    start: FloatArray | None = None,
    project: Callable[[Any], Any] | None = None,
    tol: float = 1e-11,
    max_iter: int = 200,
) -> Eigenpairs:
    r"""Find the smallest eigenpairs of a positive semidefinite operator A.

    Davidson's method on blocks [1]_. The residuals :math:`r = A x - \lambda x` of the
    present vectors, divided by the diagonal of A less :math:`\lambda`, widen a basis in
    which the smallest eigenpairs are sought again. Choose it over
    :func:`largest_eigenpairs` where the diagonal varies much, as for the unnormalised
    Laplacian of a graph, and where vectors near to the wanted ones are known.

    Parameters
    ----------
    apply : callable
        Takes a block of shape (n, b) and returns A times it.
    diagonal : ndarray of shape (n,)
        The diagonal of A, not negative.
    n_vectors : int
        Number of eigenpairs, at least one.
    rng : numpy.random.Generator
        Draws what ``start`` lacks.
    start : ndarray of shape (n, b), default=None
        Vectors to begin with, such as those of a similar operator.
    project : callable, default=None
        Takes a block and returns it with the known eigenvectors projected out. The
        pairs are then those of A in the complement.
    tol : float, default=1e-11
        Largest residual norm, relative to the largest entry of the diagonal.
    max_iter : int, default=200
        Largest number of blocks that are added to the basis.

    Returns
    -------
    pairs : Eigenpairs
        Values, the smallest first, vectors, and whether they converged.

    References
    ----------
    .. [1] E. R. Davidson, "The iterative calculation of a few of the lowest eigenvalues
       and corresponding eigenvectors of large real-symmetric matrices", Journal of
       Computational Physics 17(1), 87-94, 1975. :doi:`10.1016/0021-9991(75)90065-0`

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import smallest_eigenpairs
    >>> diagonal = np.arange(1000.0)
    >>> pairs = smallest_eigenpairs(
    ...     lambda V: diagonal[:, None] * V, diagonal, 3, rng=np.random.default_rng(0)
    ... )
    >>> bool(abs(pairs.values - [0, 1, 2]).max() < 1e-9)
    True
    """
    n = diagonal.size
    project = project or _unchanged
    width = min(n_vectors + max(4, n_vectors // 3), n)
    goal = tol * max(float(diagonal.max()), 1e-300)
    V = _orthonormal(_filled(start, n, width, rng), project)  # (n, width)
    AV = apply(V)
    before = None
    for n_iter in range(max_iter + 1):
        values, vectors = scipy.linalg.eigh(_symmetric(V.T @ AV))
        values, chosen = values[:width], vectors[:, :width]
        X, AX = V @ chosen, AV @ chosen  # Ritz vectors, (n, width)
        R = AX - X * values
        residuals = np.linalg.norm(R[:, :n_vectors], axis=0)
        residual = float(residuals.max())
        if residual <= goal or n_iter == max_iter:
            break
        open_ = np.flatnonzero(np.linalg.norm(R, axis=0) > goal)
        shifted = diagonal[:, None] - values[open_]
        T = R[:, open_] / np.maximum(shifted, _NEAR * diagonal[:, None] + goal)
        if V.shape[1] + open_.size > min(_WIDTHS * width, n):
            V, AV = _restarted(V, AV, chosen, before)
            before = None
        else:
            before = chosen
        T = _orthonormal(T, project, against=V)
        if T.shape[1] == 0:  # the basis holds all there is
            break
        V = np.hstack([V, T])
        AV = np.hstack([AV, apply(T)])
    return Eigenpairs(
        values=values[:n_vectors].copy(),
        vectors=np.ascontiguousarray(X[:, :n_vectors]),
        n_iter=n_iter,
        converged=residual <= goal,
        residual=residual,
    )


def _filled(
    start: FloatArray | None, n: int, width: int, rng: np.random.Generator
) -> FloatArray:
    """Return the given vectors and random ones, (n, width)."""
    given = np.empty((n, 0)) if start is None else start[:, :width]
    return np.hstack([given, rng.standard_normal((n, width - given.shape[1]))])


def _symmetric(H: FloatArray) -> FloatArray:
    return (H + H.T) / 2


def _restarted(
    V: FloatArray, AV: FloatArray, chosen: FloatArray, before: FloatArray | None
) -> tuple[FloatArray, FloatArray]:
    """Shrink the basis to the Ritz vectors of this step and of the step before."""
    if before is not None:
        # In the coordinates of V, whose first columns were the basis of that step.
        older = np.zeros((V.shape[1], before.shape[1]))
        older[: before.shape[0]] = before
        extra = _orthonormal(older, _unchanged, against=chosen)
        chosen = np.hstack([chosen, extra])
    return V @ chosen, AV @ chosen


def _unchanged(V: FloatArray) -> FloatArray:
    return V


def _orthonormal(
    T: FloatArray,
    project: Callable[[Any], Any],
    against: FloatArray | None = None,
) -> FloatArray:
    """Return an orthonormal basis of the columns, less what is in another basis.

    Columns that depend on the others are left out.
    """
    norms = np.linalg.norm(T, axis=0)
    T = T[:, norms > 0] / norms[norms > 0]
    for _ in range(2):
        T = project(T)
        if against is not None:
            T = T - against @ (against.T @ T)
        T, size, _ = scipy.linalg.qr(T, mode="economic", pivoting=True)
        T = T[:, np.abs(size.diagonal()) > 1e-8]
    return T
