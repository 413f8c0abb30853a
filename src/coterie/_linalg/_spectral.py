"""Spectral embedding of the nodes of a graph."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from coterie._kernels._spmm import csr_chebyshev_steps
from coterie._linalg._eigen import largest_eigenpairs
from coterie._validation import is_sparse

if TYPE_CHECKING:
    from numpy.typing import DTypeLike, NDArray

    from coterie._typing import FloatArray

_SMALL_PRODUCT = 2_000_000  # multiplications not worth a second thread
_UNIT_ROWS = 4096  # scaled at once, so that they stay in the cache


def spectral_embedding(
    W: Any,
    n_components: int,
    *,
    rng: np.random.Generator,
    dtype: DTypeLike = np.float32,
    tol: float = 1e-4,
    check_input: bool = True,
) -> FloatArray:
    r"""Embed the nodes of a graph so that well connected nodes lie close together.

    The columns are eigenvectors of the smallest eigenvalues of

    .. math:: L = I - D^{-1/2} W D^{-1/2}, \qquad D = \mathrm{diag}(W 1),

    the relaxed solution of the normalised cut [1]_. k-means on :func:`unit_rows` of
    them is spectral clustering as in [2]_.

    Parameters
    ----------
    W : array-like or sparse matrix of shape (n, n)
        Symmetric, nonnegative edge weights.
    n_components : int
        Number of eigenvectors, from 1 to n.
    rng : numpy.random.Generator
        Draws the start of the iteration.
    dtype : dtype, default=numpy.float32
        float32 or float64, of the work and of the result.
    tol : float, default=1e-4
        Largest residual norm of an eigenvector.
    check_input : bool, default=True
        Whether W is checked; False for sparse graphs made by this library.

    Returns
    -------
    embedding : ndarray of shape (n, n_components)
        Orthonormal eigenvectors in columns, smallest eigenvalue first.

    Notes
    -----
    An isolated node is a component of its own, as if it had a loop.

    The eigenvectors of eigenvalue zero are known: for each connected component, the
    square roots of its nodes' degrees. They are inserted exactly, the largest component
    first, and only the others are computed, in their complement.

    If there are more components than columns, any orthonormal vectors from the null
    space would do. Ours leave k-means on the unit rows no choice: the largest
    components have a column each, each other component joins one of these columns at
    random, and each column is a null vector of the union. Each node then lies on
    exactly one axis, no row is zero, no component is split, and different seeds join
    small components differently, so an ensemble does not repeat one accident. The K
    largest components alone would leave zero rows; random rotations of all indicators
    (which an eigensolver returns) put the small ones at arbitrary angles.

    If the iteration does not converge (:func:`largest_eigenpairs`), its last vectors
    are returned: the eigenvalues are then too close for it to matter.

    References
    ----------
    .. [1] J. Shi, J. Malik, "Normalized cuts and image segmentation", IEEE Transactions
       on Pattern Analysis and Machine Intelligence 22(8), 888-905, 2000.
       :doi:`10.1109/34.868688`
    .. [2] A. Ng, M. Jordan, Y. Weiss, "On spectral clustering: analysis and an
       algorithm", Advances in Neural Information Processing Systems 14, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import spectral_embedding, unit_rows
    >>> W = [[0, 1, 0], [1, 0, 0], [0, 0, 0]]  # an edge and an isolated node
    >>> U = spectral_embedding(W, 2, rng=np.random.default_rng(0))
    >>> unit_rows(U)
    array([[1., 0.],
           [1., 0.],
           [0., 1.]], dtype=float32)
    """
    if check_input:
        W = _check_graph(W)
    n = W.shape[0]
    if not 1 <= n_components <= n:
        raise ValueError(
            f"spectral_embedding got n_components={n_components} for a graph of {n} "
            f"nodes; it must be between 1 and {n}."
        )
    dtype = np.dtype(dtype)
    largest = W.max()
    if largest > 0:  # then degrees can neither overflow nor all underflow
        W = W / largest
    degree = np.asarray(W.sum(axis=1), dtype=np.float64).ravel()  # (n,)
    component = _components(W)  # (n,)
    n_found = int(component.max()) + 1
    n_null = min(n_found, n_components)
    if n_found > n_components:
        extra = rng.integers(n_components, size=n_found - n_components)
        component = np.concatenate([np.arange(n_components), extra])[component]
    null = _null_entries(component, degree, n_null).astype(dtype)  # (n,)
    U = np.zeros((n, n_components), dtype=dtype)
    U[np.arange(n), component] = null
    if n_components > n_null:
        entries = null, (component, np.arange(n))
        known = scipy.sparse.csr_array(entries, shape=(n_null, n))

        def project(V):
            V -= null[:, None] * (known @ V)[component]
            return V

        pairs = largest_eigenpairs(
            _operator(W, degree, dtype),
            n,
            n_components - n_null,
            rng=rng,
            lower=-1.0,
            dtype=dtype,
            tol=tol,
            project=project,
        )
        U[:, n_null:] = pairs.vectors
    return U


def unit_rows(U: FloatArray, *, overwrite: bool = False) -> FloatArray:
    """Return the rows of U (n, k), scaled to unit length; zero rows stay zero.

    U is of floats if it is overwritten.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import unit_rows
    >>> unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    array([[0.6, 0.8],
           [0. , 0. ]])
    """
    U = np.asarray(U)
    dtype = np.result_type(U, np.float32)
    out = U if overwrite else np.empty_like(U, order="C", dtype=dtype)
    for start in range(0, len(U), _UNIT_ROWS):
        part = U[start : start + _UNIT_ROWS]
        # scaled first: the square of 1e-30 is zero in float32
        largest = np.abs(part).max(axis=1, keepdims=True, initial=0)  # (n, 1)
        part = part / np.where(largest > 0, largest, 1)
        norms = np.sqrt(np.einsum("ij,ij->i", part, part))[:, None]  # 0 or >= 1
        np.divide(
            part, np.where(norms > 0, norms, 1), out=out[start : start + len(part)]
        )
    return out


def _components(W: Any) -> NDArray[np.intp]:
    """Return the component of each node, numbered from the largest to the smallest."""
    _, found = connected_components(scipy.sparse.csr_array(W), directed=False)
    order = np.argsort(-np.bincount(found), kind="stable")
    rank = np.empty(order.size, dtype=np.intp)
    rank[order] = np.arange(order.size)
    return rank[found]


def _null_entries(
    group: NDArray[np.intp], degree: Any, n_groups: int
) -> NDArray[np.float64]:
    """Return the entries of the null vectors of L supported on one group each."""
    # an isolated node that shares its group gets the group's mean degree
    total = np.bincount(group, weights=degree, minlength=n_groups)
    n_linked = np.bincount(group, weights=degree > 0, minlength=n_groups)
    mean = np.where(n_linked > 0, total / np.maximum(n_linked, 1), 1)  # (n_groups,)
    weight = np.where(degree > 0, degree, mean[group])  # (n,)
    return np.sqrt(weight / np.bincount(group, weights=weight)[group])


def _operator(W: Any, degree: Any, dtype: Any) -> Callable[[Any], Any]:
    """Return the product with D^-1/2 W D^-1/2; rows of isolated nodes stay zero."""
    with np.errstate(divide="ignore"):
        root = np.where(degree > 0, 1 / np.sqrt(degree), 0)  # (n,)
    if not is_sparse(W):
        A = (root[:, None] * W * root).astype(dtype)
        return lambda V: A @ V
    data = np.repeat(root, np.diff(W.indptr))
    data *= W.data
    data = (data * root[W.indices]).astype(dtype)
    parts = data, W.indices, W.indptr
    return _SparseOperator(scipy.sparse.csr_array(parts, shape=W.shape))


@dataclass(frozen=True, eq=False)
class _SparseOperator:
    """Products with a sparse matrix, one or more vectors at a time."""

    A: scipy.sparse.csr_array

    def __call__(self, V: FloatArray) -> FloatArray:
        """Return the product with a block V (n, b)."""
        if V.shape[1] == 1:
            return self.A @ V
        out = np.zeros_like(V)
        one = np.ones(1, dtype=V.dtype)  # a single step: 1 (A V - 0 V) - 0 out
        self.chebyshev_steps(out, V, V.dtype.type(0), one, 0 * one)
        return out

    def chebyshev_steps(self, V_before: FloatArray, V: FloatArray, *scalars) -> None:
        """Run steps of the recurrence without an array for the product."""
        A = self.A
        small = A.data.size * V.shape[1] < _SMALL_PRODUCT
        kernel = csr_chebyshev_steps.serial if small else csr_chebyshev_steps
        kernel(A.indptr, A.indices, A.data, V_before, V, *scalars)


def _check_graph(W: Any) -> Any:
    """Return W as float64, dense or canonical CSR, if it is a weighted graph."""
    if is_sparse(W):
        W = scipy.sparse.csr_array(W, dtype=np.float64, copy=True)
        W.sum_duplicates()
        W.eliminate_zeros()
        entries = W.data
    else:
        W = np.asarray(W, dtype=np.float64)
        entries = W
    if W.ndim != 2 or W.shape[0] != W.shape[1] or W.shape[0] == 0:
        raise ValueError(
            f"A graph needs a square matrix of weights, but got shape {W.shape}."
        )
    largest = entries.max(initial=0.0)  # NaN if there is one
    if not np.isfinite(largest) or not np.isfinite(entries.min(initial=0.0)):
        raise ValueError(
            "A graph needs finite weights, but there are NaN or infinite ones."
        )
    if entries.min(initial=0.0) < 0:
        raise ValueError(
            "A graph needs nonnegative weights, but the smallest is "
            f"{entries.min():g}. Shift or clip them."
        )
    if abs(W - W.T).max() > 1e-5 * largest:
        raise ValueError(
            "A graph needs a symmetric matrix of weights. Pass (W + W.T) / 2."
        )
    return W
