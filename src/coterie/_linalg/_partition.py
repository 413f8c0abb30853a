"""Balanced partitions of graphs and hypergraphs, by METIS or Mt-KaHyPar."""

from __future__ import annotations

import functools
import math
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import block_array, csr_array

from coterie._structure import check_sparse
from coterie._typing import LABEL_DTYPE
from coterie._validation import is_sparse, require

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie._typing import FloatArray, LabelArray

BACKENDS = ("metis", "mtkahypar")
_MODULES = {"metis": "pymetis", "mtkahypar": "mtkahypar"}
_LEVELS = 1_000_000  # steps between zero and the largest weight, if they fit
_SCALABLE = 1e-30  # a largest weight below it, or above its inverse, is scaled to one
_BITS = {"metis": 62, "mtkahypar": 30}  # of the largest sum of weights
_TRIES = 5  # starts of each METIS run; the smallest cut is kept
_KWAY = 0.02  # imbalance from which METIS's direct k-way partitioning works well
_LOCK = threading.Lock()  # both libraries share one random generator between threads


@dataclass(frozen=True, eq=False)
class Partition:
    """Vertices of a graph in parts.

    Attributes
    ----------
    labels : ndarray of int32, shape (n_vertices,)
        The part of each vertex, in [0, n_parts). No part is empty unless there are
        fewer vertices than parts.
    cut : float
        Weight of the edges between parts, each counted once; for a hyperedge, its
        weight times the number of parts it touches beyond the first.
    balance : float
        Weight of the heaviest part over the mean; one is perfect.
    backend : str
        "metis", "mtkahypar", or "none" if there was nothing to choose.
    """

    labels: LabelArray
    cut: float
    balance: float
    backend: str


def available_backend(backend: str = "auto") -> str:
    """Return the partitioner to use, or raise an error that says what to install.

    "auto" is METIS if it is installed, Mt-KaHyPar otherwise.
    """
    if backend != "auto":
        if backend not in BACKENDS:
            raise ValueError(
                f"A partitioner is one of auto, {', '.join(BACKENDS)}; got {backend!r}."
            )
        require(_MODULES[backend])
        return backend
    for name in BACKENDS:
        try:
            require(_MODULES[name])
        except ImportError:
            continue
        return name
    raise ImportError(
        "Partitioning a graph needs METIS (pymetis) or Mt-KaHyPar (mtkahypar), and "
        "neither is installed. Install one with: pip install pymetis (or mtkahypar)"
    )


def partition_graph(
    graph: Any,
    n_parts: int,
    *,
    rng: np.random.Generator,
    vertex_weights: Any = None,
    imbalance: float = 0.03,
    backend: str = "auto",
) -> Partition:
    """Cut a graph into parts of equal weight while cutting little edge weight.

    By METIS [1]_ (multilevel recursive bisection and, from an imbalance of 0.02, also
    multilevel k-way partitioning; the smaller cut is kept), or by Mt-KaHyPar [2]_.
    Prefer it to a spectral embedding if clusters are known to be of similar size: the
    parts are balanced.

    Parameters
    ----------
    graph : array or sparse matrix of shape (n_vertices, n_vertices)
        Symmetric, nonnegative. Loops are ignored.
    n_parts : int
        Number of parts.
    rng : numpy.random.Generator
        Source of the seeds: the same state gives the same parts.
    vertex_weights : array-like of shape (n_vertices,), default=None
        The weights to balance; None = all ones.
    imbalance : float, default=0.03
        How much heavier than the mean a part may be. Not guaranteed: heavy vertices may
        make it impossible, and METIS misses it by a few percent in small graphs.
    backend : {"auto", "metis", "mtkahypar"}, default="auto"
        "auto" is METIS if it is installed, Mt-KaHyPar otherwise.

    Notes
    -----
    Both libraries work with integers: weights are scaled to at most a million steps,
    fewer if their sum would overflow, and edges never to zero.

    Where vertices tie, both decide by their order. The vertices are shuffled first, so
    that it is the seed that decides: with another order of the vertices, the same seed
    gives another cut, no better or worse on average.

    References
    ----------
    .. [1] G. Karypis, V. Kumar, "A fast and high quality multilevel scheme for
       partitioning irregular graphs", SIAM Journal on Scientific Computing 20(1),
       359-392, 1998. :doi:`10.1137/S1064827595287997`
    .. [2] L. Gottesbüren, T. Heuer, N. Maas, P. Sanders, S. Schlag, "Scalable
       high-quality hypergraph partitioning", ACM Transactions on Algorithms 20(1),
       2024. :doi:`10.1145/3626527`

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import partition_graph
    >>> graph = [[0, 9, 1, 0], [9, 0, 0, 1], [1, 0, 0, 9], [0, 1, 9, 0]]
    >>> found = partition_graph(graph, 2, rng=np.random.default_rng(0))
    >>> found.cut, found.balance
    (2.0, 1.0)
    """
    A = _check_graph(graph)
    who = "partition_graph"
    _check_n_parts(n_parts, who)
    sizes = _check_weights(vertex_weights, A.shape[0], who, "vertex_weights")
    labels, used = _without_choice(A.shape[0], n_parts, A.nnz, sizes)
    if labels is None:
        used = available_backend(backend)
        cut = _metis if used == "metis" else _mtkahypar_graph
        order = rng.permutation(A.shape[0])
        with _LOCK:
            found = cut(_shuffled(A, order), sizes[order], n_parts, imbalance, rng)
        labels = np.empty_like(found)
        labels[order] = found
        _fill_empty_parts(labels, n_parts, lambda: _attachment(A, labels))
    return Partition(labels, _cut(A, labels), _balance(labels, sizes, n_parts), used)


def partition_hypergraph(
    incidence: Any,
    n_parts: int,
    *,
    rng: np.random.Generator,
    edge_weights: Any = None,
    vertex_weights: Any = None,
    imbalance: float = 0.05,
) -> Partition:
    """Cut a hypergraph into parts of equal weight while cutting few hyperedges.

    Lowers the sum, over hyperedges, of weight times the number of parts touched beyond
    the first, by Mt-KaHyPar [1]_. If METIS is installed too, it starts from METIS's
    partition of the graph of vertices and hyperedges, which takes a tenth of the time.

    Parameters
    ----------
    incidence : sparse matrix or array of shape (n_vertices, n_edges)
        Entry (i, e) is nonzero if hyperedge e contains vertex i.
    n_parts, rng, vertex_weights, imbalance
        As in :func:`partition_graph`.
    edge_weights : array-like of shape (n_edges,), default=None
        None = all ones.

    References
    ----------
    .. [1] L. Gottesbüren, T. Heuer, N. Maas, P. Sanders, S. Schlag, "Scalable
       high-quality hypergraph partitioning", ACM Transactions on Algorithms 20(1),
       2024. :doi:`10.1145/3626527`

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import partition_hypergraph
    >>> incidence = [[1, 0, 0], [1, 0, 1], [0, 1, 1], [0, 1, 0]]
    >>> partition_hypergraph(incidence, 2, rng=np.random.default_rng(0)).cut
    1.0
    """
    who = "partition_hypergraph"
    B = csr_array(incidence).astype(bool).tocsc()
    B.sort_indices()
    n_vertices, n_edges = B.shape
    _check_n_parts(n_parts, who)
    sizes = _check_weights(vertex_weights, n_vertices, who, "vertex_weights")
    costs = _check_weights(edge_weights, n_edges, who, "edge_weights")
    kept = np.flatnonzero((np.diff(B.indptr) > 1) & (costs > 0))  # others are never cut
    labels, used = _without_choice(n_vertices, n_parts, kept.size, sizes)
    if labels is None:
        used = available_backend("mtkahypar")
        start = _star_partition(B, costs, sizes, n_parts, imbalance, rng)
        order = rng.permutation(n_vertices)  # as in partition_graph
        place = np.argsort(order)
        edges = [place[B.indices[B.indptr[e] : B.indptr[e + 1]]].tolist() for e in kept]
        problem = (edges, costs[kept], sizes[order], n_parts, imbalance, rng)
        start = None if start is None else start[order]
        with _LOCK:
            found = _mtkahypar("create_hypergraph", *problem, start=start)
        labels = found[place]
        _fill_empty_parts(labels, n_parts, lambda: np.zeros(n_vertices))
    touched = csr_array(
        (np.ones(n_vertices), (labels, np.arange(n_vertices))),
        shape=(n_parts, n_vertices),
    ) @ B.astype(np.float64)  # (n_parts, n_edges) pins of each edge in each part
    n_touched = np.diff(csr_array(touched).tocsc().indptr)
    cut = float((costs * np.maximum(n_touched - 1, 0)).sum())
    return Partition(labels, cut, _balance(labels, sizes, n_parts), used)


def _star_partition(
    B: Any,
    costs: FloatArray,
    sizes: FloatArray,
    n_parts: int,
    imbalance: float,
    rng: np.random.Generator,
) -> LabelArray | None:
    """Return METIS's partition of vertices and hyperedges, or None without METIS."""
    if available_backend() != "metis":
        return None
    star = (B.astype(np.float64) * costs[None, :]).tocsr()
    found = partition_graph(
        block_array([[None, star], [star.T, None]], format="csr"),
        n_parts,
        rng=rng,
        vertex_weights=np.append(sizes, np.zeros(costs.size)),
        imbalance=imbalance,
        backend="metis",
    )
    return found.labels[: sizes.size]


def _shuffled(A: csr_array, order: NDArray[np.int64]) -> csr_array:
    """Return the graph with its vertices in another order; indices are not sorted."""
    moved = A[order]
    place = np.argsort(order).astype(moved.indices.dtype)
    return csr_array((moved.data, place[moved.indices], moved.indptr), shape=A.shape)


# --- cases that need no library


def _without_choice(
    n_vertices: int, n_parts: int, n_edges: int, sizes: FloatArray
) -> tuple[Any, str]:
    """Return labels if there is nothing to choose, or None."""
    if n_parts == 1:
        return np.zeros(n_vertices, dtype=LABEL_DTYPE), "none"
    if n_vertices <= n_parts:
        return np.arange(n_vertices, dtype=LABEL_DTYPE), "none"
    if n_edges == 0:  # only balance counts: the heaviest vertex to the lightest part
        labels = np.empty(n_vertices, dtype=LABEL_DTYPE)
        loads = np.zeros(n_parts)
        shares = sizes / sizes.max() if sizes.any() else np.ones(n_vertices)
        for vertex in np.argsort(-shares, kind="stable"):
            labels[vertex] = loads.argmin()
            loads[labels[vertex]] += max(shares[vertex], 1e-12)
        return labels, "none"
    return None, "none"


def _fill_empty_parts(labels: LabelArray, n_parts: int, attachment: Any) -> None:
    """Give each empty part the vertex that is least attached to its own."""
    sizes = np.bincount(labels, minlength=n_parts)
    for empty in np.flatnonzero(sizes == 0):
        ties = np.where(sizes[labels] > 1, attachment(), np.inf)
        vertex = int(ties.argmin())
        sizes[labels[vertex]] -= 1
        sizes[empty] = 1
        labels[vertex] = empty


def _attachment(A: csr_array, labels: LabelArray) -> FloatArray:
    """Return the weight of each vertex's edges inside its part."""
    rows = np.repeat(labels, np.diff(A.indptr))
    inside = np.where(rows == labels[A.indices], A.data, 0.0)
    sums = np.concatenate([[0.0], np.cumsum(inside, dtype=np.float64)])
    return sums[A.indptr[1:]] - sums[A.indptr[:-1]]


def _cut(A: csr_array, labels: LabelArray) -> float:
    total = 0.0
    step = max(1, 2**22 // max(1, A.nnz // max(1, A.shape[0])))
    for start in range(0, A.shape[0], step):  # avoids another array as large as A
        stop = min(start + step, A.shape[0])
        part = slice(A.indptr[start], A.indptr[stop])
        rows = np.repeat(labels[start:stop], np.diff(A.indptr[start : stop + 1]))
        outside = rows != labels[A.indices[part]]
        total += float(A.data[part][outside].sum(dtype=np.float64))
    return total / 2


def _balance(labels: LabelArray, sizes: FloatArray, n_parts: int) -> float:
    if not sizes.size or not sizes.any():
        return 1.0
    loads = np.bincount(labels, sizes, minlength=n_parts)
    return float(loads.max() / (loads.sum() / n_parts))


# --- METIS


def _metis(
    A: csr_array,
    sizes: FloatArray,
    n_parts: int,
    imbalance: float,
    rng: np.random.Generator,
) -> LabelArray:
    """Return the smaller cut of recursive bisection and k-way partitioning."""
    pymetis = require("pymetis")
    width = pymetis.zero_copy_dtype()
    bits = min(_BITS["metis"], 8 * width.itemsize - 2)
    weights = whole_numbers(A.data, bits, width)
    whole = csr_array((weights, A.indices, A.indptr), shape=A.shape)
    loads = whole_numbers(sizes, bits, width, least=0)

    def run(graph: csr_array, loads: Any, shares: Any, ub: float, recursive: bool):
        options = pymetis.Options(
            seed=int(rng.integers(1, 2**31 - 1)),
            ncuts=_TRIES,
            ufactor=max(1, round(1000 * ub)),
        )
        adjacency = pymetis.CSRAdjacency(
            graph.indptr.astype(width), graph.indices.astype(width)
        )
        _, parts = pymetis.part_graph(
            len(shares),
            adjacency,
            eweights=graph.data if graph.nnz else None,
            vweights=loads,
            tpwgts=shares,
            recursive=recursive,
            options=options,
        )
        return np.asarray(parts).astype(LABEL_DTYPE)

    found = [_bisected(run, whole, loads, n_parts, imbalance)]
    mean = sizes.sum() / n_parts
    is_roomy = A.shape[0] >= 30 * n_parts and 2 * sizes.max() <= mean
    if imbalance >= _KWAY and is_roomy:
        shares = [1.0 / n_parts] * n_parts
        found.append(run(whole, loads, shares, imbalance, False))
    allowed = 1.0 + imbalance + sizes.max() / max(mean, 1e-300)
    fair = [p for p in found if _balance(p, sizes, n_parts) <= allowed]
    if fair:
        return min(fair, key=lambda labels: _cut(A, labels))
    return min(found, key=lambda labels: _balance(labels, sizes, n_parts))


def _bisected(
    run: Any, graph: csr_array, loads: NDArray[Any], n_parts: int, imbalance: float
) -> LabelArray:
    """Bisect repeatedly, as METIS's own recursive bisection does.

    The recursion is ours because METIS's prints to standard output, and leaves parts
    empty, if a side has fewer vertices than parts.
    """
    # the imbalances of the levels multiply
    tolerance = (1.0 + imbalance) ** (1.0 / np.ceil(np.log2(n_parts))) - 1.0
    labels = np.zeros(graph.shape[0], dtype=LABEL_DTYPE)

    def split(graph: csr_array, vertices: Any, first: int, k: int) -> None:
        if k == 1 or vertices.size <= k:
            labels[vertices] = first + (np.arange(vertices.size) if k > 1 else 0)
            return
        left = k // 2
        shares = [left / k, 1.0 - left / k]
        side = run(graph, loads[vertices], shares, tolerance, True)
        for part, start, count in ((0, first, left), (1, first + left, k - left)):
            chosen = np.flatnonzero(side == part)
            inner = graph if count == 1 else graph[chosen][:, chosen]
            split(inner, vertices[chosen], start, count)

    split(graph, np.arange(graph.shape[0]), 0, n_parts)
    return labels


# --- Mt-KaHyPar


@functools.cache
def _mtkahypar_library() -> Any:
    """Return the library, with a single thread: more would not be deterministic."""
    return require("mtkahypar").initialize(1, False)


def _mtkahypar_graph(
    A: csr_array,
    sizes: FloatArray,
    n_parts: int,
    imbalance: float,
    rng: np.random.Generator,
) -> LabelArray:
    rows = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    once = rows < A.indices
    edges = np.column_stack([rows[once], A.indices[once]]).tolist()
    weights = np.asarray(A.data[once], dtype=np.float64)
    return _mtkahypar("create_graph", edges, weights, sizes, n_parts, imbalance, rng)


def _mtkahypar(
    create: str,
    edges: list[list[int]],
    weights: FloatArray,
    sizes: FloatArray,
    n_parts: int,
    imbalance: float,
    rng: np.random.Generator,
    start: LabelArray | None = None,
) -> LabelArray:
    """Partition from scratch, or improve a start by one cycle through all levels."""
    module = require("mtkahypar")
    library = _mtkahypar_library()
    bits = _BITS["mtkahypar"]
    module.set_seed(int(rng.integers(2**31 - 1)))
    context = library.context_from_preset(module.PresetType.DETERMINISTIC)
    context.set_partitioning_parameters(n_parts, imbalance, module.Objective.KM1)
    built = getattr(library, create)(
        context,
        sizes.size,
        len(edges),
        edges,
        whole_numbers(sizes, bits, np.int64, least=0).tolist(),
        whole_numbers(weights, bits, np.int64).tolist(),
    )
    if start is None:
        found = built.partition(context)
    else:
        found = built.create_partitioned_hypergraph(context, n_parts, start.tolist())
        found.improve_partition(context, 1)
    return np.asarray(found.get_partition(), dtype=LABEL_DTYPE)


# --- checks and numbers


def whole_numbers(values: Any, bits: int, dtype: Any, least: int = 1) -> NDArray[Any]:
    """Scale weights to integers of at least ``least`` whose sum is below 2^bits."""
    values = np.asarray(values)
    if values.size == 0:
        return values.astype(dtype)
    largest = float(values.max())
    if largest == 0:
        return np.ones(values.size, dtype=dtype)
    if not _SCALABLE < largest < 1.0 / _SCALABLE:
        values, largest = values / largest, 1.0
    total = float(values.sum(dtype=np.float64))
    limit = 2.0**bits - values.size  # rounding up adds less than one each
    if total < limit and (values == np.rint(values)).all():
        return np.maximum(values, least).astype(dtype)
    scale = min(_LEVELS / largest, limit / total)
    scaled = values * np.asarray(scale, dtype=np.result_type(values.dtype, np.float32))
    return np.maximum(np.rint(scaled), least).astype(dtype)


def _check_graph(graph: Any) -> csr_array:
    if is_sparse(graph):
        check_sparse(graph, "The graph")
    A = csr_array(graph)
    if not np.issubdtype(A.dtype, np.floating):
        A = A.astype(np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1]:
        raise ValueError(
            f"partition_graph expects a square matrix of edge weights, got {A.shape}."
        )
    _reject_wild(A.data, "partition_graph", "edge weights")
    loops = A.diagonal().any()
    if loops or (A.data == 0).any() or not A.has_canonical_format:
        A = A.copy() if is_sparse(graph) else A
        A.sum_duplicates()
        if loops:
            A.setdiag(0)
        A.eliminate_zeros()
    mirror = A.T.tocsr()
    same = np.array_equal(A.indptr, mirror.indptr) and np.array_equal(
        A.indices, mirror.indices
    )
    if not same or not np.allclose(A.data, mirror.data, rtol=1e-5, atol=0):
        raise ValueError(
            "partition_graph expects a symmetric matrix; this one differs from its "
            "transpose. Pass graph + graph.T, or the larger of the two."
        )
    if not np.array_equal(A.data, mirror.data):  # METIS reads both, and trusts them
        A = csr_array((np.maximum(A.data, mirror.data), A.indices, A.indptr), A.shape)
    return A


def _check_n_parts(n_parts: int, who: str) -> None:
    if n_parts < 1:
        raise ValueError(f"{who} expects n_parts of at least 1, got {n_parts}.")


def _check_weights(weights: Any, n: int, who: str, name: str) -> FloatArray:
    if weights is None:
        return np.ones(n)
    values = np.asarray(weights, dtype=np.float64)
    if values.shape != (n,):
        raise ValueError(f"{who} expects {n} {name}, got the shape {values.shape}.")
    _reject_wild(values, who, name)
    return values


def _reject_wild(weights: NDArray[Any], who: str, name: str) -> None:
    """Raise unless all weights are numbers whose sum does not overflow."""
    if not weights.size:
        return
    low, high = float(weights.min()), float(weights.max())  # NaN if any is
    if not (low >= 0 and high * weights.size < math.inf):
        raise ValueError(
            f"{who} expects {name} that are finite and not negative, with a finite sum."
        )
