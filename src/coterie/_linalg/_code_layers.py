"""Layers of k-centroids clusterings on codes, without the n x n similarity."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._kernels._equal import BLOCK, ROWS
from coterie._linalg._centroids import draw_centroids

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

# Nanoseconds, measured: a posting list and a step along it; comparing 64 codes of one
# byte; passing over a sample, ranking a candidate, scanning a column of a draw.
_LIST, _STEP, _COMPARISON = 25.0, 3.0, 0.45
_PASSING, _RANKING, _LOOK = 0.1, 5.0, 0.7
_TILE_BYTES = 2**18  # of counts, which should stay in the second-level cache
_TILE_ROWS = 32
_MOST_DISTINCT = 0.95  # share of rows beyond which equal ones are not sought out


def code_dtype(k: int) -> Any:
    """Return the smallest unsigned dtype for k codes."""
    return np.uint8 if k <= 2**8 else np.uint16 if k <= 2**16 else np.uint32


def count_dtype(n_codes: int) -> Any:
    """Return the dtype of numbers of agreements: 16 bits wherever they suffice."""
    return np.uint16 if n_codes < 2**16 else np.uint32


def code_layer(
    codes: NDArray[Any],
    draws: NDArray[np.int32],
    *,
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
    their columns are scanned directly ("columns"). Samples with equal codes are coded
    once.
    """
    n_clusterings, k = draws.shape
    row, first = _distinct(codes)
    slots = row[draws]
    # the rows that are drawn come first, and those of one cluster together
    is_drawn = np.zeros(len(first), dtype=bool)
    is_drawn[slots.ravel()] = True
    order = np.lexsort((codes[first, 0], ~is_drawn))
    u = int(np.count_nonzero(is_drawn))
    place = np.empty(len(order), dtype=np.int32)
    place[order] = np.arange(len(order), dtype=np.int32)
    slots, rows = place[slots], codes[first[order]]
    # kernels are compiled for 16 bits only: fewer would need versions of their own
    out = np.empty((len(rows), n_clusterings), dtype=_at_least_16_bits(code_dtype(k)))
    # the last of W draws has its centroid at rank (u / k) log W or so
    least = int(2 * u / min(k, u) * (1 + math.log(n_clusterings)))
    if way in ("auto", "lists"):
        lists = _PostingLists.of(rows, u)
        if way == "auto":
            compared = u * _COMPARISON * codes.itemsize * codes.shape[1] / BLOCK
            ranked = _RANKING * least
            along = _LIST * codes.shape[1] + _STEP * lists.n_pairs / u
            costs = {
                "lists": along + ranked,
                "rank": compared + _PASSING * u + ranked,
                "columns": compared + _LOOK * draws.size,
            }
            way = min(costs, key=costs.__getitem__)
        if way == "lists":
            _by_lists(rows, lists, slots, least, out)
    if way != "lists":
        _by_comparison(rows, u, slots, least, way, out)
    return out.astype(code_dtype(k), copy=False)[place[row]]


def _distinct(codes: NDArray[Any]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Return the number of each sample's row, and where each row occurs first.

    Samples with equal codes are coded alike. Towards the top they are many.
    """
    from coterie._kernels._jit import read_only
    from coterie._kernels._labels import hash_rows

    hashes = np.empty(len(codes), dtype=np.uint64)
    hash_rows(read_only(codes.astype(np.int32)), hashes)
    _, first, row = np.unique(hashes, return_index=True, return_inverse=True)
    if len(first) > _MOST_DISTINCT * len(codes) or (codes[first[row]] != codes).any():
        first = row = np.arange(len(codes))
    return row.astype(np.int32), first


def _at_least_16_bits(dtype: Any) -> np.dtype:
    return np.promote_types(dtype, np.uint16)


@dataclass(frozen=True, eq=False)
class _PostingLists:
    """The samples of each code: ``members[v, starts[v, c] : starts[v, c + 1]]``."""

    starts: NDArray[np.int32]  # (V, number of codes + 1)
    members: NDArray[np.int32]  # (V, n)
    n_pairs: int  # (sample, sample, clustering) that agree

    @classmethod
    def of(cls, codes: NDArray[Any], n: int) -> _PostingLists:
        """Return the lists of the first n samples."""
        from coterie._kernels._codes import posting_lists

        n_views, n_codes = codes.shape[1], int(codes.max()) + 1
        dtype = _at_least_16_bits(codes.dtype)
        columns = np.ascontiguousarray(codes[:n].T, dtype=dtype)
        starts = np.empty((n_views, n_codes + 1), dtype=np.int32)
        members = np.empty((n_views, n), dtype=np.int32)
        place = np.empty(n_codes, dtype=np.int32)
        n_pairs = posting_lists(columns, starts, place, members)
        return cls(starts, members, n_pairs)


def _by_lists(
    rows: NDArray[Any],
    lists: Any,
    slots: NDArray[np.int32],
    least: int,
    out: NDArray[Any],
) -> None:
    """Code all samples, ranking only those that posting lists lead to."""
    from coterie._kernels._codes import layer_by_lists, work_space

    n_views, u = lists.members.shape
    layer_by_lists(
        rows.astype(_at_least_16_bits(rows.dtype), copy=False),
        lists.starts,
        lists.members,
        least,
        np.empty((n_views, 2), dtype=np.int64),
        np.zeros((1, u), dtype=count_dtype(n_views)),
        *work_space(u, n_views, len(slots)),
        *_marks(slots, u, out.dtype),
        out,
    )


def _by_comparison(
    rows: NDArray[Any],
    u: int,
    slots: NDArray[np.int32],
    least: int,
    way: str,
    out: NDArray[Any],
) -> None:
    """Code all samples by comparing their codes with those of the first u."""
    from coterie._kernels import _codes as kernels

    work: tuple[Any, ...] = ()
    if way == "rank":
        work = kernels.work_space(u, rows.shape[1], len(slots))
        work = (*work, *_marks(slots, u, out.dtype))
    for first, counts in agreements(padded(rows), in_blocks(rows[:u])):
        if way == "columns":
            kernels.layer_by_columns(counts, first, slots, out)
        else:
            kernels.layer_by_rank(counts, first, least, *work, out)


def agreements(
    rows: NDArray[Any], blocks: NDArray[Any]
) -> Iterator[tuple[int, NDArray[Any]]]:
    """Yield the equal codes of padded rows and blocks, some rows at a time.

    Each tile is its first row and its counts, overwritten by the next tile.
    """
    from coterie._kernels._codes import agreement_rows

    width = BLOCK * len(blocks)
    size = max(_TILE_ROWS, _TILE_BYTES // (2 * width) // ROWS * ROWS)
    counts = np.empty((min(size, len(rows)), width), count_dtype(rows.shape[1]))
    for first in range(0, len(rows), size):
        tile = counts[: len(rows) - first]
        agreement_rows.serial(blocks, rows, first, tile)
        yield first, tile


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
        rows = np.ascontiguousarray(columns[views].T)
        for first, counts in agreements(padded(rows), in_blocks(rows[draw])):
            nearest_code(counts, k, first, best)
        out[:, v] = best
    return out


def padded(codes: NDArray[Any]) -> NDArray[Any]:
    """Return the codes with as many rows as the kernels take, zeros at the end."""
    rows = np.zeros((-(-len(codes) // ROWS) * ROWS, codes.shape[1]), codes.dtype)
    rows[: len(codes)] = codes
    return rows


def in_blocks(codes: NDArray[Any]) -> NDArray[Any]:
    """Return the codes transposed in blocks of samples, (n_blocks, V, BLOCK)."""
    n, n_codes = codes.shape
    n_blocks = -(-n // BLOCK)
    rows = np.zeros((n_blocks * BLOCK, n_codes), dtype=codes.dtype)
    rows[:n] = codes
    blocks = rows.reshape(n_blocks, BLOCK, n_codes).transpose(0, 2, 1)
    return np.ascontiguousarray(blocks)
