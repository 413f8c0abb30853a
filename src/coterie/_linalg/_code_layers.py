"""Layers of k-centroids clusterings on codes, without the n x n similarity."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._linalg._centroids import draw_centroids

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Nanoseconds, measured: a posting list and a step along it; comparing 64 codes of one
# byte; ranking a drawn sample; scanning a column of a draw.
_LIST, _STEP, _COMPARISON, _RANKING, _LOOK = 65.0, 4.0, 1.1, 8.0, 0.7


def code_dtype(k: int) -> Any:
    """Return the smallest unsigned dtype for k codes."""
    return np.uint8 if k <= 2**8 else np.uint16 if k <= 2**16 else np.uint32


def code_layer(
    codes: NDArray[Any],
    k: int,
    n_clusterings: int,
    *,
    rng: np.random.Generator,
    n_fit: int | None = None,
    way: str = "auto",
) -> NDArray[Any]:
    r"""Cluster samples by their codes, many times: one layer of fMBN-E.

    With the similarity :math:`B_{ij} = \sum_v [y_{iv} = y_{jv}]` of the codes y, each
    clustering draws k samples and assigns every sample to the one of largest B.

    Parameters
    ----------
    codes : unsigned ndarray of shape (n, V)
        Codes of the layer below.
    k : int
        Samples drawn for each clustering.
    n_clusterings : int
        Number of clusterings W.
    rng : numpy.random.Generator
        Source of the draws.
    n_fit : int, default=None
        Only the first ``n_fit`` samples are drawn from; None = all.
    way : {"auto", "lists", "rank", "columns"}, default="auto"
        The search algorithm; it changes the time, never the result.

    Returns
    -------
    out : unsigned ndarray of shape (n, W)
        Positions in the draw. Ties go to the first drawn, even if a sample agrees with
        none.

    Notes
    -----
    In a draw of k out of n, the nearest centroid has rank n / k among a sample's
    neighbours on average, so the neighbours are ranked once for all draws and scanned
    until every draw has its centroid; a bit set records which draws a sample is in.
    Neighbours are counted along posting lists where these are short ("lists"), by
    comparing rows of codes otherwise ("rank"). If all draws together need few samples,
    their columns are scanned directly ("columns").
    """
    from coterie._kernels import _codes as kernels

    n_views = codes.shape[1]
    n_fit = len(codes) if n_fit is None else n_fit
    draws = draw_centroids(n_fit, k, n_clusterings, rng)  # (W, k)
    out = np.empty((codes.shape[0], n_clusterings), dtype=code_dtype(k))
    is_drawn = np.zeros(n_fit, dtype=bool)
    is_drawn[draws.ravel()] = True
    union = np.flatnonzero(is_drawn).astype(np.int32)
    starts = np.empty((n_views, int(codes.max()) + 2), dtype=np.int32)
    lists = np.empty((n_views, n_fit), dtype=np.int32)
    if way in ("auto", "lists"):
        columns = np.ascontiguousarray(codes.T)
        n_pairs = kernels.posting_lists(columns, n_fit, starts, lists)
        if way == "auto":
            compared = _COMPARISON * codes.itemsize * n_views / kernels.LANES
            costs = {
                "lists": _LIST * n_views + _STEP * n_pairs / n_fit,
                "rank": union.size * (compared + _RANKING),
                "columns": union.size * compared + _LOOK * draws.size,
            }
            way = min(costs, key=costs.__getitem__)
    # the last of W draws has its centroid at rank (n / k) log W or so
    least = int(2 * n_fit / k * (1 + math.log(n_clusterings)))
    if way == "lists":
        bits, position = _marks(draws, n_fit, out.dtype)
        kernels.layer_by_lists(codes, starts, lists, least, bits, position, out)
        return out
    rows, n_pad = padded(codes)
    slots = (np.cumsum(is_drawn, dtype=np.int32) - 1)[draws]  # positions in the union
    if way == "columns":
        kernels.layer_by_columns(rows, union, slots, out)
    else:
        bits, position = _marks(slots, union.size, out.dtype)
        kernels.layer_by_rank(rows, n_pad, union, least, bits, position, out)
    return out


def _marks(draws: NDArray[np.int32], n: int, dtype: Any) -> tuple[Any, Any]:
    from coterie._kernels._codes import mark_draws

    bits = np.zeros((n, (len(draws) + 63) // 64), dtype=np.uint64)
    position = np.empty((n, len(draws)), dtype=dtype)
    mark_draws(draws, bits, position)
    return bits, position


def sampled_code_layer(
    codes: NDArray[Any],
    k: int,
    n_clusterings: int,
    view_ratio: float,
    *,
    rng: np.random.Generator,
    n_fit: int | None = None,
) -> NDArray[Any]:
    """Cluster samples by a random share of their codes: one layer of MBN.

    As :func:`code_layer`, but each clustering compares its own random share
    ``view_ratio`` of the codes below, so no work can be shared between clusterings.
    """
    from coterie._kernels._codes import nearest_code

    n, n_views = codes.shape
    n_fit = len(codes) if n_fit is None else n_fit
    draws = draw_centroids(n_fit, k, n_clusterings, rng)
    out = np.empty((n, n_clusterings), dtype=code_dtype(k))
    size = max(1, round(view_ratio * n_views))
    columns = np.ascontiguousarray(codes.T)  # (V, n)
    best = np.empty(n, dtype=np.int32)
    for v, draw in enumerate(draws):
        views = rng.choice(n_views, size=size, replace=False)
        rows, _ = padded(columns[views].T)
        nearest_code(rows, draw, best)
        out[:, v] = best
    return out


def padded(codes: NDArray[Any]) -> tuple[NDArray[Any], int]:
    """Return the codes, padded with zeros to a multiple of the kernels' width."""
    from coterie._kernels._codes import LANES
    from coterie._kernels._equal import MOST_BYTES

    n, n_codes = codes.shape
    n_pad = -n_codes % LANES
    is_long = n_codes + n_pad > MOST_BYTES
    dtype = np.result_type(codes.dtype, np.uint16 if is_long else np.uint8)
    rows = np.zeros((n, n_codes + n_pad), dtype=dtype)
    rows[:, :n_codes] = codes
    return rows, n_pad
