"""k-centroids clustering: each sample goes to the nearest of some drawn samples.

The centroids are samples, so nothing is optimised. Codes are positions in the draw:
code p means the p-th sample drawn. Ties go to the first drawn.
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
    """Draw k of n samples without replacement, several times, as (n_draws, k) int32."""
    from coterie._kernels._codes import shuffle_draws

    steps = rng.integers(np.arange(k), n, size=(n_draws, k), dtype=np.int32)
    shuffle_draws(steps, np.arange(n, dtype=np.int32))
    return steps


def nearest_drawn(
    view: FloatArray,
    draw: NDArray[np.int32],
    *,
    metric: str = "euclidean",
    candidates: NDArray[np.int32] | None = None,
) -> NDArray[np.int32]:
    """Assign each dense row to the nearest of the drawn rows.

    Parameters
    ----------
    view : ndarray of shape (n, d)
        The samples, C-ordered.
    draw : ndarray of int32, shape (k,)
        Rows that are centroids.
    metric : {"euclidean", "cosine"}, default="euclidean"
        A zero row has cosine zero with all others.
    candidates : ndarray of int32, shape (n, L), default=None
        For each row, the rows to search: only the drawn ones among them, or all drawn
        rows if there are none. None searches everywhere, which is exact.

    Returns
    -------
    codes : ndarray of int32, shape (n,)
        Positions in the draw.
    """
    if metric == "cosine":
        view = unit_rows(view)
    centers = view[draw]
    codes = np.full(view.shape[0], -1, dtype=np.int32)
    alone = _without_twin(centers)
    codes[draw[alone]] = np.flatnonzero(alone)  # nearest to themselves
    rest = np.flatnonzero(codes < 0)
    if candidates is not None and rest.size:
        codes[rest] = _among_candidates(view, rest, draw, candidates)
        rest = rest[codes[rest] < 0]
    if rest.size:
        origin = centers.mean(axis=0, dtype=np.float64).astype(view.dtype)
        codes[rest] = samples_around(view[rest], origin).assign(centers - origin)
    return codes


def _without_twin(centers: FloatArray) -> NDArray[np.bool_]:
    """Return which rows are certainly unique."""
    from coterie._kernels._jit import read_only
    from coterie._kernels._labels import hash_rows

    bits = np.ascontiguousarray(centers + 0.0).view(np.int32)  # + 0.0: no negative zero
    hashes = np.empty(len(centers), dtype=np.uint64)
    hash_rows(read_only(bits), hashes)
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
    r"""Assign each sparse row to the nearest of the drawn rows, in some features.

    The centroid c of largest :math:`x \cdot c / \lVert c \rVert` (cosine) or :math:`x
    \cdot c - \lVert c \rVert^2 / 2` (Euclidean). Products are accumulated along the
    features of a row, so time is proportional to the number of nonzero products.

    Parameters
    ----------
    X : CSR matrix of shape (n, d)
        The samples.
    draw : ndarray of int32, shape (k,)
        Rows that are centroids.
    features : ndarray of int, default=None
        The features to use; None = all.
    metric : {"cosine", "euclidean"}, default="cosine"

    Returns
    -------
    codes : ndarray of int32, shape (n,)
        Positions in the draw.
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
    """Assign each node of a graph to the drawn node that it is most similar to.

    Parameters
    ----------
    S : CSR matrix of shape (n, n_nodes)
        Similarities, nonnegative; entries not stored are zero.
    order : ndarray of int32, shape (n_nodes,)
        All nodes (columns) in random order; the first k are centroids.
    k : int
        Number of centroids.

    Returns
    -------
    codes : ndarray of int32, shape (n,)
        Positions in the order. Ties go to the first drawn.

    Notes
    -----
    A node that is similar to no centroid ties with all of them at zero. A naive program
    would assign all such nodes to the first centroid, as if they were alike, though
    nothing links them. Here such a node takes the strongest node further along the
    order, whose position counts modulo k: nodes attached to the same neighbour stay
    together. Only a node without any edge takes 0.
    """
    from coterie._kernels._centroids import strongest_link

    position = np.empty(S.shape[1], dtype=np.int32)
    position[order] = np.arange(order.size, dtype=np.int32)
    codes = np.empty(S.shape[0], dtype=np.int32)
    strongest_link(S.data, S.indices, S.indptr, position, k, codes)
    return codes


def as_similarity(S: Any, n_nodes: int | None = None) -> Any:
    """Return similarities as CSR, or raise an error that says what is wrong."""
    S = scipy.sparse.csr_matrix(S)
    if S.shape[1] != (S.shape[0] if n_nodes is None else n_nodes):
        expected = "square" if n_nodes is None else f"{n_nodes} columns wide"
        raise ValueError(
            'metric="precomputed" expects a similarity matrix that is '
            f"{expected}, got shape {S.shape}."
        )
    if S.nnz and S.data.min() < 0:
        raise ValueError(
            'metric="precomputed" expects nonnegative similarities, got '
            f"{S.data.min():g}. Shift them, or use similarities instead of distances."
        )
    return S
