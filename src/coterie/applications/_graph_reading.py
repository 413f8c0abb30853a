"""Graphs in every form that they come in, as one symmetric matrix."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse as sp

from coterie._structure import check_sparse
from coterie._validation import is_sparse

_ENDS = ({"source", "target"}, {"from", "to"})
_FORMS = "(node, node) or (node, node, weight)"


def read_graph(graph: Any) -> tuple[sp.csr_array, list[Any]]:
    """Return the symmetric adjacency of a graph, and the names of its nodes.

    Parameters
    ----------
    graph : matrix, networkx or igraph graph, frame, or edges
        - A square NumPy array or a sparse matrix holds weights. It is always taken as
          a matrix, even if it has two or three columns.
        - A networkx or igraph graph; edges have the weight in their attribute
          ``weight``, or 1 without one.
        - A pandas frame with the same nodes as index and columns is a matrix. Any other
          frame, of pandas or polars, has an edge per row, in columns ``source`` and
          ``target`` (or ``from`` and ``to``) and perhaps ``weight``, or in the first
          two or three.
        - A list or another iterable, or an array with two or three columns, has edges
          (node, node) or (node, node, weight), or the attributes of an edge in place of
          the weight, as networkx lists them.

    Returns
    -------
    A : (n, n) CSR matrix
        Weights; the diagonal holds twice the weight of a self-link.
    names : list
        The nodes, in the order of the matrix: of edges, by first appearance.

    Notes
    -----
    Directions are ignored: the weights of a link in one and in the other direction are
    summed, and so are those of repeated edges. An asymmetric matrix is added to its
    transpose. A weight of zero is no link.

    Examples
    --------
    >>> from coterie.applications import read_graph
    >>> A, names = read_graph([("a", "b"), ("b", "c")])
    >>> names, A.toarray()
    (['a', 'b', 'c'], array([[0., 1., 0.],
           [1., 0., 1.],
           [0., 1., 0.]]))
    """
    makers = {base.__module__.split(".")[0] for base in type(graph).__mro__}
    if "networkx" in makers and hasattr(graph, "nodes"):
        return _from_networkx(graph)
    if "igraph" in makers:
        return _from_igraph(graph)
    if is_sparse(graph):
        check_sparse(graph, "The graph's matrix")
        return _from_matrix(graph)
    if "polars" in makers and hasattr(graph, "columns"):
        return _from_frame(pd.DataFrame({c: graph[c].to_list() for c in graph.columns}))
    if isinstance(graph, pd.DataFrame):
        return _from_frame(graph)
    if isinstance(graph, np.ndarray):
        return _from_array(graph)
    if "networkx" in makers and hasattr(graph, "data"):  # graph.edges
        return _from_rows(list(graph.data()))
    if isinstance(graph, Iterable) and not isinstance(graph, str | bytes | Mapping):
        return _from_rows(list(graph))
    hint = ""
    if isinstance(graph, str | bytes | Path):
        hint = " Read the file first, for example with networkx or pandas."
    elif isinstance(graph, Mapping):
        hint = " Pass networkx.Graph(graph)."
    raise TypeError(
        "read_graph expects a matrix, a networkx or igraph graph, a frame or a list of "
        f"edges, got {type(graph).__name__}.{hint}"
    )


def _from_networkx(graph: Any) -> tuple[sp.csr_array, list[Any]]:
    names = list(graph.nodes)
    ids = {name: i for i, name in enumerate(names)}
    edges = list(graph.edges(data="weight", default=1.0))
    ends = np.array([(ids[a], ids[b]) for a, b, _ in edges], np.int64).reshape(-1, 2)
    return _adjacency(ends, [w for _, _, w in edges], len(names)), names


def _from_igraph(graph: Any) -> tuple[sp.csr_array, list[Any]]:
    n = graph.vcount()
    has_names = "name" in graph.vs.attributes()
    names = list(graph.vs["name"]) if has_names else list(range(n))
    has_weights = "weight" in graph.es.attributes()
    weights = graph.es["weight"] if has_weights else np.ones(graph.ecount())
    ends = np.array(graph.get_edgelist(), dtype=np.int64).reshape(-1, 2)
    return _adjacency(ends, weights, n), names


def _from_matrix(matrix: Any) -> tuple[sp.csr_array, list[Any]]:
    if matrix.shape[0] != matrix.shape[1]:
        raise ValueError(
            f"A graph given as a matrix must be square, got shape {matrix.shape}."
        )
    if not matrix.shape[0]:
        raise ValueError("The graph has no nodes.")
    _check_numbers(matrix.dtype)
    A = sp.csr_array(matrix, dtype=np.float64, copy=True)
    A.sum_duplicates()
    _check_weights(A.data)
    A.eliminate_zeros()
    A = A + (sp.diags_array(A.diagonal()) if abs(A - A.T).max() == 0 else A.T)
    return _sorted(A), list(range(A.shape[0]))


def _from_frame(frame: pd.DataFrame) -> tuple[sp.csr_array, list[Any]]:
    if frame.shape[0] == frame.shape[1] and list(frame.index) == list(frame.columns):
        A, _ = _from_matrix(frame.to_numpy())
        return A, list(frame.index)
    by_name = {str(name).lower(): name for name in frame.columns}
    pair = next((pair for pair in _ENDS if pair <= set(by_name)), None)
    if pair is not None:
        ends = [by_name[name] for name in sorted(pair, reverse="source" not in pair)]
        weight = [by_name["weight"]] if "weight" in by_name else []
        frame = frame[[*ends, *weight]]
    if frame.shape[1] not in (2, 3):
        raise ValueError(
            "A frame of edges needs columns source and target, and perhaps weight, got "
            f"{', '.join(map(str, frame.columns))}."
        )
    weights = frame.iloc[:, 2].to_numpy() if frame.shape[1] == 3 else None
    heads, tails = frame.iloc[:, 0], frame.iloc[:, 1]
    return _from_ends(np.array([*zip(heads, tails, strict=True)], object), weights)


def _from_array(array: np.ndarray) -> tuple[sp.csr_array, list[Any]]:
    if array.ndim != 2:
        raise ValueError(
            f"A graph given as an array needs two axes, got shape {array.shape}."
        )
    if array.shape[0] == array.shape[1]:
        return _from_matrix(array)
    if array.shape[1] not in (2, 3):
        raise ValueError(
            "A graph given as an array must be square, or have an edge per row, "
            f"{_FORMS}; got shape {array.shape}."
        )
    ends, weights = array[:, :2], array[:, 2] if array.shape[1] == 3 else None
    if ends.dtype.kind == "f" and np.array_equal(ends, np.floor(ends)):
        ends = ends.astype(np.int64)
    return _from_ends(ends, weights)


def _from_rows(rows: list[Any]) -> tuple[sp.csr_array, list[Any]]:
    for row in rows:
        size = len(row) if isinstance(row, list | tuple | np.ndarray) else 1
        if size not in (2, 3):
            raise ValueError(
                f"Edges are expected as {_FORMS}, got {row!r}. If this is a matrix, "
                "pass it as numpy.array(graph)."
            )
    ends = np.empty((len(rows), 2), dtype=object)
    for number, row in enumerate(rows):
        ends[number, 0], ends[number, 1] = row[0], row[1]
    weights = [_weight_of(row[2]) if len(row) == 3 else 1.0 for row in rows]
    return _from_ends(ends, weights)


def _weight_of(third: Any) -> Any:
    """Return the weight of an edge; networkx lists its edges with their attributes."""
    return third.get("weight", 1.0) if isinstance(third, dict) else third


def _from_ends(ends: np.ndarray, weights: Any) -> tuple[sp.csr_array, list[Any]]:
    """Return the matrix of edges, with nodes numbered by first appearance."""
    if not len(ends):
        raise ValueError("The graph has no edges, so it has no communities.")
    ids, names = pd.factorize(ends.ravel())
    if (ids < 0).any():
        row = int(np.flatnonzero(ids < 0)[0]) // 2
        raise ValueError(
            f"The node at one end of edge {row} is missing (None or NaN). Remove the "
            "edge, or name the node."
        )
    weights = np.ones(len(ends)) if weights is None else weights
    return _adjacency(ids.reshape(-1, 2), weights, len(names)), names.tolist()


def _adjacency(ends: np.ndarray, weights: Any, n: int) -> sp.csr_array:
    if n == 0:
        raise ValueError("The graph has no nodes.")
    try:
        data = np.asarray(weights, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(
            f"Edge weights must be numbers, got {_first_word(weights)!r}."
        ) from None
    _check_weights(data)
    half = sp.coo_array((data, (ends[:, 0], ends[:, 1])), shape=(n, n)).tocsr()
    half.eliminate_zeros()
    return _sorted(half + half.T)


def _first_word(weights: Any) -> Any:
    """Return the first weight that is no number."""
    for weight in weights:
        try:
            float(weight)
        except (TypeError, ValueError):
            return weight
    return list(weights)


def _sorted(A: Any) -> sp.csr_array:
    A = sp.csr_array(A)
    A.sort_indices()
    if not np.isfinite(A.data).all():
        raise ValueError(
            "The weights of repeated edges are too large: their sum is infinite. "
            "Divide all weights by the largest."
        )
    return A


def _check_numbers(dtype: np.dtype) -> None:
    if dtype.kind not in "buif":
        raise ValueError(f"Edge weights must be real numbers, got {dtype}.")


def _check_weights(weights: np.ndarray) -> None:
    wrong = weights[~(weights >= 0) | ~np.isfinite(weights)]
    if wrong.size:
        raise ValueError(
            f"Edge weights must be finite and not negative, got {wrong[0]}."
        )
