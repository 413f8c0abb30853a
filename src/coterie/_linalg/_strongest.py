"""Graphs of similarities too numerous to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from coterie._typing import FloatArray

# Entries passed to a partitioner: METIS takes 16 bytes for each, and Mt-KaHyPar builds
# a Python list of them.
ENTRIES = {"metis": 25_000_000, "mtkahypar": 3_000_000}
_TILE_BYTES = 32 * 2**20


def n_kept(n_vertices: int, n_neighbors: Any, backend: str) -> int:
    """Return how many neighbours of each vertex to keep; n_vertices - 1 keeps all.

    ``n_neighbors="auto"`` keeps all pairs while there are at most ``ENTRIES``, and
    otherwise each vertex's strongest, half of that in total; None keeps all.
    """
    everything = max(n_vertices - 1, 0)
    if n_neighbors is None:
        return everything
    if isinstance(n_neighbors, str):
        limit = ENTRIES[backend]
        if n_vertices * everything <= limit:
            return everything
        n_neighbors = limit // (2 * n_vertices)  # the union with the mirror doubles it
    return min(max(n_neighbors, 1), everything)


def strongest_graph(
    similarity: Callable[[int, int], FloatArray], n_vertices: int, n_neighbors: int
) -> csr_array:
    """Keep each vertex's strongest neighbours, and their mirror images.

    ``similarity(start, stop)`` returns these rows of the symmetric similarity matrix,
    as an array of shape (stop - start, n_vertices) that may be overwritten; entries
    that are not positive are not edges. The result is symmetric, float32, without
    loops. Memory is that of the result and one tile of rows.
    """
    tiles = list(_tiles(similarity, n_vertices, n_neighbors))
    indices = np.concatenate([tile[0] for tile in tiles])
    data = np.concatenate([tile[1] for tile in tiles])
    counts = np.concatenate([tile[2] for tile in tiles])
    del tiles
    indptr = np.concatenate([[0], np.cumsum(counts)])
    graph = csr_array((data, indices, indptr), shape=(n_vertices, n_vertices))
    if n_neighbors >= n_vertices - 1:
        return graph
    return graph.maximum(graph.T.tocsr())


def _tiles(
    similarity: Callable[[int, int], FloatArray], n_vertices: int, n_neighbors: int
) -> Iterator[tuple[Any, Any, Any]]:
    """Yield indices, values and counts of the kept entries, tile by tile."""
    step = max(1, _TILE_BYTES // (8 * n_vertices))
    for start in range(0, n_vertices, step):
        stop = min(start + step, n_vertices)
        S = similarity(start, stop)
        S[np.arange(stop - start), np.arange(start, stop)] = 0.0
        kept = S > 0
        if n_neighbors < n_vertices - 1:
            weakest = np.argpartition(S, n_vertices - n_neighbors - 1, axis=1)
            weakest = weakest[:, : n_vertices - n_neighbors]
            np.put_along_axis(kept, weakest, False, axis=1)
        rows, columns = np.nonzero(kept)
        values = S[rows, columns].astype(np.float32)
        yield columns.astype(np.int32), values, kept.sum(axis=1)
