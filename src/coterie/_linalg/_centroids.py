"""One k-centroids clustering: some samples are drawn, each sample goes to the nearest.

The centroids of a clustering are samples, so nothing is optimised. Codes are places in
the draw: code p means the p-th sample drawn. Ties go to the first drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from coterie._linalg._samples import samples_around
from coterie._linalg._spectral import unit_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie._typing import FloatArray


def draw_centroids(
    n: int, k: int, n_draws: int, rng: np.random.Generator
) -> NDArray[np.int32]:
    """Draw k of n samples without repetition, several times.

    Parameters
    ----------
    n : int
        Number of samples.
    k : int
        Samples of a draw.
    n_draws : int
        Number of draws.
    rng : numpy.random.Generator
        Source of all random draws.

    Returns
    -------
    draws : ndarray of int32, shape (n_draws, k)
        In random order, too.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import draw_centroids
    >>> draw_centroids(10, 3, 2, np.random.default_rng(0)).shape
    (2, 3)
    """
    from coterie._kernels._codes import shuffle_draws

    steps = rng.integers(np.arange(k), n, size=(n_draws, k), dtype=np.int32)
    shuffle_draws(steps, n)
    return steps


def nearest_drawn(
    view: FloatArray,
    draw: NDArray[np.int32],
    *,
    metric: str = "euclidean",
    candidates: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """Give each dense row the nearest of the drawn rows.

    Parameters
    ----------
    view : ndarray of shape (n, d)
        The samples, C-ordered.
    draw : ndarray of int32, shape (k,)
        Rows that are centroids.
    metric : {"euclidean", "cosine"}, default="euclidean"
        How near is measured; a row of zeros has the cosine zero with all.
    candidates : ndarray of int32, shape (n, L), default=None
        Where to look for each row: only among those that are drawn, and among all drawn
        rows if none is. By default everywhere, which is exact.

    Returns
    -------
    codes : ndarray of int32, shape (n,)
        Places in the draw.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import nearest_drawn
    >>> view = np.array([[0.0], [1.0], [8.0], [9.0]])
    >>> nearest_drawn(view, np.array([0, 3], dtype=np.int32))
    array([0, 0, 1, 1], dtype=int32)
    """
    if metric == "cosine":
        view = unit_rows(view)
    centers = view[draw]
    codes = np.full(view.shape[0], -1, dtype=np.int32)
    alone = _without_twin(centers)
    codes[draw[alone]] = np.flatnonzero(alone)  # at distance zero of themselves only
    rest = np.flatnonzero(codes < 0)
    if candidates is not None and rest.size:
        codes[rest] = _among_candidates(view, rest, draw, candidates)
        rest = rest[codes[rest] < 0]
    if rest.size:
        origin = centers.mean(axis=0, dtype=np.float64).astype(view.dtype)
        codes[rest] = samples_around(view[rest], origin).assign(centers - origin)
    return codes


def _without_twin(centers: FloatArray) -> NDArray[np.bool_]:
    """Say which rows are surely like no other."""
    from coterie._kernels._labels import hash_rows

    bits = np.ascontiguousarray(centers + 0.0).view(np.int32)  # + 0.0: no negative zero
    hashes = np.empty(len(centers), dtype=np.uint64)
    hash_rows(bits, hashes)
    _, inverse, counts = np.unique(hashes, return_inverse=True, return_counts=True)
    return counts[inverse] == 1


def _among_candidates(view, rest, draw, candidates) -> NDArray[np.int32]:
    from coterie._kernels._centroids import nearest_candidate

    position = np.full(view.shape[0], -1, dtype=np.int32)
    position[draw] = np.arange(draw.size, dtype=np.int32)
    out = np.empty(rest.size, dtype=np.int32)
    nearest_candidate(view, rest, candidates, position, out)
    return out


def nearest_drawn_sparse(
    X: Any,
    draw: NDArray[np.int32],
    features: NDArray[np.intp] | None = None,
    *,
    metric: str = "cosine",
) -> NDArray[np.int32]:
    r"""Give each sparse row the nearest of the drawn rows, in some of the features.

    The centroid c of largest :math:`x \cdot c / \lVert c \rVert` (cosine) or
    :math:`x \cdot c - \lVert c \rVert^2 / 2` (Euclidean). Products are added up along
    the features of a row, so the time is that of the products that are not zero.

    Parameters
    ----------
    X : CSR matrix of shape (n, d)
        The samples.
    draw : ndarray of int32, shape (k,)
        Rows that are centroids.
    features : ndarray of int, default=None
        The features that count; None = all.
    metric : {"cosine", "euclidean"}, default="cosine"
        How near is measured.

    Returns
    -------
    codes : ndarray of int32, shape (n,)
        Places in the draw.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from coterie._linalg import nearest_drawn_sparse
    >>> X = csr_matrix([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0]])
    >>> nearest_drawn_sparse(X, np.array([0, 2], dtype=np.int32))
    array([0, 0, 1], dtype=int32)
    """
    from coterie._kernels._centroids import nearest_sparse

    kept = np.ones(X.shape[1], dtype=bool)
    if features is not None:
        kept[:] = False
        kept[features] = True
    centers = X[draw].astype(np.float64)
    centers.data *= kept[centers.indices]
    squares = np.asarray(centers.multiply(centers).sum(axis=1)).ravel()  # (k,)
    by_feature = centers.tocsc()
    if metric == "cosine":
        lengths = np.sqrt(squares)
        scale = np.divide(1.0, lengths, out=np.zeros_like(lengths), where=lengths > 0)
        shift = np.zeros_like(lengths)
    else:
        scale, shift = np.ones_like(squares), squares / 2
    codes = np.empty(X.shape[0], dtype=np.int32)
    nearest_sparse(
        X.data,
        X.indices,
        X.indptr,
        kept,
        by_feature.indptr,
        by_feature.indices,
        by_feature.data,
        scale,
        shift,
        codes,
    )
    return codes


def strongest_drawn(S: Any, order: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """Give each node of a graph the drawn node that it is most similar to.

    Parameters
    ----------
    S : CSR matrix of shape (n, n_nodes)
        Similarities, none negative; what is not stored is zero.
    order : ndarray of int32, shape (n_nodes,)
        All nodes (columns) in random order; the first k are centroids.
    k : int
        Number of centroids.

    Returns
    -------
    codes : ndarray of int32, shape (n,)
        Places in the order. Ties go to the first drawn.

    Notes
    -----
    A node that is similar to no centroid ties with all of them at zero. In a plain
    program all such nodes would take the first and look alike, though nothing links
    them. Here such a node goes on along the order to the strongest node that was not
    drawn, whose place counts modulo k: nodes that hang on the same neighbour stay
    together. Only a node without any link takes 0.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import csr_matrix
    >>> from coterie._linalg import strongest_drawn
    >>> S = csr_matrix([[2.0, 1.0, 0.0], [1.0, 2.0, 1.0], [0.0, 1.0, 2.0]])
    >>> strongest_drawn(S, np.array([0, 2, 1], dtype=np.int32), 2)
    array([0, 0, 1], dtype=int32)
    """
    from coterie._kernels._centroids import strongest_link

    position = np.empty(S.shape[1], dtype=np.int32)
    position[order] = np.arange(order.size, dtype=np.int32)
    codes = np.empty(S.shape[0], dtype=np.int32)
    strongest_link(S.data, S.indices, S.indptr, position, k, codes)
    return codes


def as_similarity(S: Any, n_nodes: int | None = None) -> Any:
    """Return similarities as CSR, or raise saying what is wrong with them."""
    S = scipy.sparse.csr_matrix(S)
    if S.shape[1] != (S.shape[0] if n_nodes is None else n_nodes):
        expected = "square" if n_nodes is None else f"of {n_nodes} columns"
        raise ValueError(
            f'metric="precomputed" expects similarities in a matrix that is '
            f"{expected}, got shape {S.shape}."
        )
    if S.nnz and S.data.min() < 0:
        raise ValueError(
            'metric="precomputed" expects similarities that are not negative, got '
            f"{S.data.min():g}. Shift them, or use similarities instead of distances."
        )
    return S
