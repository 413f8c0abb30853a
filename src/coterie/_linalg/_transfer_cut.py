"""Bipartite spectral embedding by the transfer cut."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse
from numpy.typing import DTypeLike

from coterie._linalg._eigen import Eigenpairs, largest_eigenpairs
from coterie._validation import is_sparse

_MOST_CLUSTERS = 8000  # for which E is formed: it takes 8 C^2 bytes


@dataclass(frozen=True, eq=False)
class BipartiteGraph:
    """Label rows on one side, clusters on the other.

    Attributes
    ----------
    rows : (u, M) int32
        Label rows; -1 = not assigned.
    columns : (M, u) int
        Their transpose.
    offsets : (M + 1,) int64
    counts : (u,) array
        Multiplicities of the rows.
    weights : (C,) float64
        The weight of every edge to a cluster.
    """

    rows: np.ndarray
    columns: np.ndarray
    offsets: np.ndarray
    counts: np.ndarray
    weights: np.ndarray


class MatrixCut(NamedTuple):
    r"""The embedding of the rows of a bipartite graph.

    Attributes
    ----------
    embedding : ndarray of shape (n, n_components)
        :math:`D_x^{-1} B D_y^{-1/2} v` for the eigenvectors v of
        :math:`D_y^{-1/2} B^\top D_x^{-1} B D_y^{-1/2}` with the degrees D. Rows are
        not scaled to unit length; a row without edges is zero.
    values : ndarray of shape (n_components,)
        The eigenvalues, the largest (one) first.
    lift : ndarray of shape (p, n_components)
        :math:`D_y^{-1/2} v`: the embedding of a row is the mean of these, weighted by
        its edges.
    """

    embedding: np.ndarray
    values: np.ndarray
    lift: np.ndarray


def transfer_cut(
    graph: BipartiteGraph,
    n_components: int,
    *,
    rng: np.random.Generator,
    form: str = "auto",
) -> np.ndarray:
    r"""Return the normalised-cut embedding of the rows of a bipartite graph.

    With the edge weights B (rows x clusters) and the degrees :math:`D_x` of the rows,
    the eigenvectors of the large graph follow from those of the small one on the
    clusters, :math:`E = B^\top D_x^{-1} B`, and are lifted to the rows by
    :math:`D_x^{-1} B v` [1]_. Rows are not scaled to unit length. E is formed
    (``form="overlap"``, for many rows and few clusters) or only applied ("operator",
    for many clusters).

    References
    ----------
    .. [1] Z. Li, X.-M. Wu, S.-F. Chang, "Segmentation using superpixels: a bipartite
       graph partitioning approach", CVPR 2012, 789-796.
       :doi:`10.1109/CVPR.2012.6247750`
    """
    if form == "auto":
        form = _cheaper_form(graph, n_components)
    degrees = _gather(graph, graph.weights[:, None])[:, 0]  # D_x, (u,)
    row_weights = np.divide(
        graph.counts, degrees, out=np.zeros(degrees.size), where=degrees > 0
    )
    sizes = _scatter(graph, graph.counts.astype(np.float64)[:, None])[:, 0]
    # the row sums of E: each cluster's weight times its size
    scale = np.zeros(sizes.size)
    np.divide(1.0, np.sqrt(graph.weights * sizes), out=scale, where=graph.weights > 0)
    solve = _by_overlap if form == "overlap" else _by_operator
    z = solve(graph, row_weights, scale * graph.weights, n_components, rng)
    lifted = _gather(graph, (scale * graph.weights)[:, None] * z)
    inverse = np.divide(1.0, degrees, out=np.zeros(degrees.size), where=degrees > 0)
    lifted *= inverse[:, None]
    return lifted


def matrix_transfer_cut(
    B: Any,
    n_components: int,
    *,
    rng: np.random.Generator,
    dtype: DTypeLike = np.float64,
) -> MatrixCut:
    """Return the normalised-cut embedding of the rows of any bipartite graph.

    :func:`transfer_cut` for edges of any nonnegative weight, with many rows and few
    columns: B is an array or CSR matrix of shape (n, p).

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import matrix_transfer_cut
    >>> B = np.array([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> cut = matrix_transfer_cut(B, 2, rng=np.random.default_rng(0))
    >>> np.allclose(cut.embedding[0], cut.embedding[1])
    True
    """
    degrees = np.asarray(B.sum(axis=1), dtype=np.float64).ravel()  # D_x, (n,)
    inverse = np.divide(1.0, degrees, out=np.zeros(degrees.size), where=degrees > 0)
    if is_sparse(B):
        T = scipy.sparse.diags_array(inverse) @ scipy.sparse.csr_array(B)
        E = (B.T @ T).toarray()  # (p, p)
    else:
        T = inverse[:, None] * B
        E = B.T @ T
    sums = E.sum(axis=1)  # D_y: the columns' degrees, (p,)
    scale = np.sqrt(np.divide(1.0, sums, out=np.zeros(sums.size), where=sums > 0))
    pairs = scaled_eigenpairs(E, scale, n_components, rng)
    lift = (scale[:, None] * pairs.vectors).astype(dtype)
    return MatrixCut(np.ascontiguousarray(T.astype(dtype) @ lift), pairs.values, lift)


def _cheaper_form(graph: BipartiteGraph, n_components: int) -> str:
    """Compare rough costs, in seconds on one core, assuming about 60 products."""
    u, M = graph.rows.shape
    C = graph.weights.size
    width = n_components + 5
    form_it = 0.5e-9 * u * M * M + 60 * 2 * width * C * C / 3e10
    apply_it = 60 * 2 * width * 0.4e-9 * u * M
    return "overlap" if C <= _MOST_CLUSTERS and form_it < apply_it else "operator"


def _by_overlap(
    graph: BipartiteGraph,
    row_weights: np.ndarray,
    scale: np.ndarray,
    n_components: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Eigenvectors of the normalised E, formed from pairwise tables."""
    from coterie._kernels._tables import overlap

    E = np.zeros((scale.size, scale.size))
    overlap(graph.columns, graph.offsets, row_weights, E.ravel())
    return scaled_eigenpairs(E, scale, n_components, rng).vectors


def scaled_eigenpairs(
    E: np.ndarray, scale: np.ndarray, n_components: int, rng: np.random.Generator
) -> Eigenpairs:
    """Return the largest eigenpairs of diag(scale) E diag(scale); overwrites E.

    E (C, C) is symmetric without negative eigenvalues.
    """
    E *= scale[:, None]
    E *= scale
    return largest_eigenpairs(
        lambda V: E @ V,
        scale.size,
        n_components,
        rng=rng,
        lower=0.0,
        dtype=np.float64,
        tol=1e-8,
    )


def _by_operator(
    graph: BipartiteGraph,
    row_weights: np.ndarray,
    scale: np.ndarray,
    n_components: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """Eigenvectors of the normalised E, which is only ever applied."""
    scale = scale[:, None]

    def apply(V: np.ndarray) -> np.ndarray:
        on_rows = _gather(graph, scale * V) * row_weights[:, None]
        return scale * _scatter(graph, on_rows)

    return largest_eigenpairs(
        apply,
        scale.size,
        n_components,
        rng=rng,
        lower=0.0,
        dtype=np.float64,
        tol=1e-6,
    ).vectors


def _gather(graph: BipartiteGraph, U: np.ndarray) -> np.ndarray:
    """``B U`` with B of zeros and ones."""
    from coterie._kernels._incidence import gather

    U = np.ascontiguousarray(U)
    out = np.empty((graph.rows.shape[0], U.shape[1]), dtype=U.dtype)
    gather(graph.rows, graph.offsets, U, out)
    return out


def _scatter(graph: BipartiteGraph, V: np.ndarray) -> np.ndarray:
    """``B^T V`` with B of zeros and ones."""
    from coterie._kernels._incidence import scatter

    V = np.ascontiguousarray(V)
    out = np.zeros((int(graph.offsets[-1]), V.shape[1]), dtype=V.dtype)
    scatter(graph.columns, graph.offsets, V, out)
    return out
