"""Layers of k-centroids clusterings on codes, without the n x n similarity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._linalg._centroids import draw_centroids

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Nanoseconds, measured: a posting list and a step along it; comparing 64 codes of one
# byte; ranking a drawn sample; scanning a column of a draw.
_LIST, _STEP, _COMPARISON, _RANKING, _LOOK = 65.0, 4.0, 1.1, 8.0, 0.7
_TILE_BYTES = 2**18  # of counts, which should stay in the second-level cache


def code_dtype(k: int) -> Any:
    """Return the smallest unsigned dtype for k codes."""
    return np.uint8 if k <= 2**8 else np.uint16 if k <= 2**16 else np.uint32


def code_layer(
    codes: NDArray[Any],
    draws: NDArray[np.int32],
    *,
    n_fit: int | None = None,
    way: str = "auto",
) -> NDArray[Any]:
    r"""Cluster samples by their codes, many times: one layer of fMBN-E.

    With the similarity :math:`B_{ij} = \sum_v [y_{iv} = y_{jv}]` of the codes y, each
    clustering assigns every sample to the one of k drawn samples with the largest B.

    Parameters
    ----------
    codes : unsigned ndarray of shape (n, V)
        Codes of the layer below.
    draws : ndarray of int32, shape (W, k)
        The samples drawn for each clustering.
    n_fit : int, default=None
        Only the first ``n_fit`` samples were drawn from; None = all.
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
    n_clusterings, k = draws.shape
    # kernels are compiled for 16 bits only: fewer would need versions of their own
    out = np.empty((len(codes), n_clusterings), dtype=_at_least_16_bits(code_dtype(k)))
    is_drawn = np.zeros(n_fit, dtype=bool)
    is_drawn[draws.ravel()] = True
    union = np.flatnonzero(is_drawn).astype(np.int32)
    if way in ("auto", "lists"):
        lists = _PostingLists.of(codes, n_fit)
        if way == "auto":
            compared = _COMPARISON * codes.itemsize * n_views / kernels.LANES
            costs = {
                "lists": _LIST * n_views + _STEP * lists.n_pairs / n_fit,
                "rank": union.size * (compared + _RANKING),
                "columns": union.size * compared + _LOOK * draws.size,
            }
            way = min(costs, key=costs.__getitem__)
    # the last of W draws has its centroid at rank (n / k) log W or so
    least = int(2 * n_fit / k * (1 + math.log(n_clusterings)))
    if way == "lists":
        kernels.layer_by_lists(
            codes.astype(_at_least_16_bits(codes.dtype), copy=False),
            lists.starts,
            lists.members,
            least,
            np.empty((n_views, 2), dtype=np.int64),
            np.zeros((1, n_fit), dtype=np.int32),
            *kernels.work_space(n_fit, n_views, n_clusterings),
            *_marks(draws, n_fit, out.dtype),
            out,
        )
    else:
        slots = (np.cumsum(is_drawn, dtype=np.int32) - 1)[draws]  # places in the union
        _by_comparison(codes, union, slots, least, way, out)
    return out.astype(code_dtype(k), copy=False)


def _at_least_16_bits(dtype: Any) -> np.dtype:
    return np.promote_types(dtype, np.uint16)


@dataclass(frozen=True, eq=False)
class _PostingLists:
    """The samples of each code: ``members[v, starts[v, c] : starts[v, c + 1]]``."""

    starts: NDArray[np.int32]  # (V, number of codes + 1)
    members: NDArray[np.int32]  # (V, n_fit)
    n_pairs: int  # (sample, sample, clustering) that agree

    @classmethod
    def of(cls, codes: NDArray[Any], n_fit: int) -> _PostingLists:
        from coterie._kernels._codes import posting_lists

        n_views, n_codes = codes.shape[1], int(codes.max()) + 1
        columns = np.ascontiguousarray(codes.T, dtype=_at_least_16_bits(codes.dtype))
        starts = np.empty((n_views, n_codes + 1), dtype=np.int32)
        members = np.empty((n_views, n_fit), dtype=np.int32)
        place = np.empty(n_codes, dtype=np.int32)
        n_pairs = posting_lists(columns, n_fit, starts, place, members)
        return cls(starts, members, n_pairs)


def _by_comparison(
    codes: NDArray[Any],
    union: NDArray[np.int32],
    slots: NDArray[np.int32],
    least: int,
    way: str,
    out: NDArray[Any],
) -> None:
    """Code all samples by comparing their codes with those of the drawn samples."""
    from coterie._kernels import _codes as kernels

    rows, n_pad = padded(codes)
    drawn = rows[union]
    if way == "rank":
        work = kernels.work_space(union.size, rows.shape[1], len(slots))
        work = (*work, *_marks(slots, union.size, out.dtype))
    size = max(kernels.LANES, _TILE_BYTES // (4 * union.size))
    counts = np.empty((min(size, len(rows)), union.size), dtype=np.int32)
    for first in range(0, len(rows), size):
        tile = counts[: len(rows) - first]
        kernels.agreement_rows.serial(drawn, rows, first, tile)
        if way == "columns":
            kernels.layer_by_columns(tile, first, slots, out)
        else:
            kernels.layer_by_rank(tile, first, n_pad, least, *work, out)


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
    counts = np.empty((k, 1), dtype=np.int32)
    for v, draw in enumerate(draws):
        views = rng.choice(n_views, size=size, replace=False)
        rows, _ = padded(columns[views].T)
        nearest_code(rows, rows[draw], counts, best)
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
