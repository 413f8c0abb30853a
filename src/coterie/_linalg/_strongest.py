"""Graphs of similarities that are too many to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

if TYPE_CHECKING:
    from coterie._typing import FloatArray

# Entries that a partitioner is given: METIS takes 16 bytes for each, and Mt-KaHyPar
# builds a Python list of them.
ENTRIES = {"metis": 25_000_000, "mtkahypar": 3_000_000}
_TILE_BYTES = 32 * 2**20


def n_kept(n_vertices: int, n_neighbors: Any, backend: str) -> int:
    """Return how many neighbours of each vertex are kept; n_vertices - 1 is all.

    Parameters
    ----------
    n_vertices : int
        Vertices of the graph.
    n_neighbors : int, "auto" or None
        "auto" keeps all pairs while these are at most ``ENTRIES``, and otherwise as
        many of each vertex's strongest as make half of that; None keeps all.
    backend : str
        The partitioner.
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

    Parameters
    ----------
    similarity : function of (start, stop)
        Returns the rows from start to stop of the symmetric similarity matrix, as an
        array of shape (stop - start, n_vertices) that may be overwritten. Entries that
        are not positive are no edges.
    n_vertices : int
        Number of vertices.
    n_neighbors : int
        Neighbours that each vertex keeps, itself not counted.

    Returns
    -------
    csr_array of shape (n_vertices, n_vertices)
        Symmetric, float32, without loops.

    Notes
    -----
    Memory is that of the result and one tile of rows.
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
    """Yield indices, values and counts of the kept entries, rows by rows."""
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
