"""The Euclidean minimum spanning tree of points."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._linalg._neighbors import nearest_neighbors
from coterie._validation import check_data, is_sparse

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie._typing import FloatArray

# Prim's algorithm is the faster one up to this many samples of few features, and up to
# this product of N^2 D.
_PRIM_ROWS, _FEW_FEATURES, _PRIM_WORK = 10_000, 10, 10**8
_TREE_FEATURES = 5  # up to which a k-d tree finds neighbours faster
_LISTED = 12  # nearest neighbours with which the search begins
_SAFE = (
    1e-12,
    1e12,
)  # range of the largest |x| whose squares neither vanish nor overflow


@dataclass(frozen=True, eq=False)
class SpanningTree:
    """The edges of a spanning tree, from short to long, then by their ends.

    ``ends`` (n - 1, 2), pairs of samples, the smaller number first; ``lengths``
    (n - 1,).
    """

    ends: NDArray[np.int32]
    lengths: NDArray[np.float64]


def spanning_tree(X: Any) -> SpanningTree:
    r"""Join all samples by edges of the smallest total length.

    The tree T over the samples that minimises

    .. math:: \sum_{(i, j) \in T} \lVert x_i - x_j \rVert,

    exactly, in time quadratic in the number of samples (less for few features) and
    memory linear in it.

    Parameters
    ----------
    X : array-like or CSR matrix of shape (n_samples, n_features)
        The samples.

    Notes
    -----
    For up to 10,000 samples of at most ten features, and for fewer samples of more, by
    Prim's algorithm [1]_; of edges of equal length, those between samples of smaller
    numbers are preferred. Otherwise by Borůvka's [2]_: in rounds, each component takes
    the shortest edge that leaves it. Twelve nearest neighbours of each sample settle
    most rounds. If all neighbours of a sample are in its own component, and nearer than
    the shortest edge known, its nearest sample outside is searched for. One search
    serves all components: the samples are split by each binary digit of their
    components' numbers, and the nearest sample of another component is on the other
    side of one of these splits.

    References
    ----------
    .. [1] R. C. Prim, "Shortest connection networks and some generalizations", Bell
       System Technical Journal 36(6), 1389-1401, 1957.
       :doi:`10.1002/j.1538-7305.1957.tb01515.x`
    .. [2] J. Nešetřil, E. Milková, H. Nešetřilová, "Otakar Borůvka on minimum spanning
       tree problem", Discrete Mathematics 233(1-3), 3-36, 2001.
       :doi:`10.1016/S0012-365X(00)00224-7`

    Examples
    --------
    >>> from coterie._linalg import spanning_tree
    >>> tree = spanning_tree([[0.0], [1.0], [7.0], [3.0]])
    >>> tree.ends.tolist(), tree.lengths.tolist()
    ([[0, 1], [1, 3], [2, 3]], [1.0, 2.0, 4.0])
    """
    X = check_data(X, "spanning_tree", accept_sparse=True)
    n, n_features = X.shape
    if n == 1:
        return SpanningTree(np.empty((0, 2), dtype=np.int32), np.empty(0))
    largest = float(abs(X).max())
    scale = 1.0 if _SAFE[0] < largest < _SAFE[1] else largest or 1.0
    X = X if scale == 1.0 else X / X.dtype.type(scale)
    few = n_features <= _FEW_FEATURES
    prim = n <= _PRIM_ROWS if few else n * n * n_features <= _PRIM_WORK
    ends, sqdist = _boruvka(X) if is_sparse(X) or not prim else _prim(X)
    order = np.lexsort((ends[:, 1], ends[:, 0], sqdist))
    return SpanningTree(ends[order], np.sqrt(sqdist[order].astype(np.float64)) * scale)


def _prim(X: Any) -> tuple[NDArray[np.int32], FloatArray]:
    from coterie._kernels._spanning_tree import prim

    n, n_features = X.shape
    ends = np.empty((n - 1, 2), dtype=np.int32)
    sqdist = np.empty(n - 1, dtype=X.dtype)
    names, far = np.arange(n, dtype=np.int32), np.full(n, np.inf, dtype=X.dtype)
    prim(
        np.array(X.T, order="C"), np.empty(n_features, dtype=X.dtype), names,
        np.full_like(names, n), far, np.empty_like(far), ends, sqdist,
    )  # fmt: skip
    return ends, sqdist


def _boruvka(X: Any) -> tuple[NDArray[np.int32], FloatArray]:
    from coterie._kernels._spanning_tree import join_by, shortest_listed

    n = X.shape[0]
    indices, sqdist = _nearest(X, None, min(_LISTED, n - 1))
    parent = np.arange(n, dtype=np.int32)
    found: list[Any] = []
    while True:
        roots, component = np.unique(parent, return_inverse=True)
        if roots.size == 1:
            break
        component = component.ravel().astype(np.int32)
        best, bound = np.full((2, roots.size), np.inf, dtype=sqdist.dtype)
        edge = np.zeros((roots.size, 2), dtype=np.int32)
        shortest_listed(indices, sqdist, component, best, edge, bound)
        settled = (best <= bound) & (best < np.inf)
        if not settled.any():
            # a sample whose neighbours are all farther than the best edge is no help
            unseen = sqdist[:, -1] < best[component]
            settled = _search(X, component, unseen, best, edge)
        order = np.flatnonzero(settled)
        low, high = edge[order].min(axis=1), edge[order].max(axis=1)
        order = order[np.lexsort((high, low, best[order]))]
        chosen = np.zeros(roots.size, dtype=bool)
        join_by(order, edge, parent, chosen)
        found.append((np.sort(edge[chosen], axis=1), best[chosen]))
    return (
        np.concatenate([f[0] for f in found]),
        np.concatenate([f[1] for f in found]),
    )


def _search(
    X: Any,
    component: NDArray[np.int32],
    unseen: NDArray[np.bool_],
    best: FloatArray,
    edge: NDArray[np.int32],
) -> NDArray[np.bool_]:
    """Find the shortest edges out of all components but the largest, in place."""
    largest = np.bincount(component).argmax()
    asking = unseen & (component != largest)
    for digit in range(int(best.size - 1).bit_length()):
        side = (component >> digit) & 1 == 1
        for here in (side, ~side):
            asked, others = np.flatnonzero(asking & here), np.flatnonzero(~here)
            if not asked.size:
                continue
            near, sqdist = _nearest(X[others], X[asked], 1)
            order = np.argsort(-sqdist[:, 0], kind="stable")  # the shortest comes last
            shortest = np.full(best.size, -1)
            shortest[component[asked[order]]] = order
            (improved,) = np.nonzero((shortest >= 0) & (sqdist[shortest, 0] < best))
            at = shortest[improved]
            best[improved] = sqdist[at, 0]
            edge[improved, 0] = asked[at]
            edge[improved, 1] = others[near[at, 0]]
    settled = np.ones(best.size, dtype=bool)
    settled[largest] = False
    return settled


def _nearest(X: Any, queries: Any, k: int) -> tuple[NDArray[np.int32], FloatArray]:
    """Return nearest rows and squared distances, (q, k)."""
    if is_sparse(X) or X.shape[1] > _TREE_FEATURES:
        found = nearest_neighbors(X, k, queries=queries)
        return found.indices, found.sqdist
    from scipy.spatial import cKDTree

    tree: Any = cKDTree(X)
    if queries is not None:
        distance, indices = tree.query(queries, [*range(1, k + 1)])  # always (q, k)
        return indices.astype(np.int32), distance**2
    distance, indices = tree.query(X, k + 1)
    others = indices != np.arange(X.shape[0])[:, None]
    others[others.all(axis=1), -1] = False  # its duplicates, but not itself
    shape = X.shape[0], k
    near = indices[others].reshape(shape).astype(np.int32)
    return near, distance[others].reshape(shape) ** 2
