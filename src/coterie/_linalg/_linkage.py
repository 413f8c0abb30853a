"""Hierarchical clustering from condensed distances, with multiplicities."""

from __future__ import annotations

from math import isqrt
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from scipy.sparse.csgraph import connected_components

from coterie._kernels import _linkage as kernels
from coterie._typing import LABEL_DTYPE

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from coterie._typing import FloatArray, LabelArray

_METHODS = {
    "average": kernels.AVERAGE,
    "single": kernels.SINGLE,
    "complete": kernels.COMPLETE,
}


def linkage(
    distances: ArrayLike,
    method: str = "average",
    *,
    sizes: ArrayLike | None = None,
    overwrite: bool = False,
) -> NDArray[np.float64]:
    r"""Hierarchical clustering of n items given their pairwise distances.

    The two nearest clusters are merged repeatedly. The distance of another cluster k to
    the union of i and j is

    .. math:: d_{k, i \cup j} = \frac{s_i \, d_{ki} + s_j \, d_{kj}}{s_i + s_j}

    with the sizes s for average linkage, the smaller one for single and the larger one
    for complete linkage. It uses the nearest-neighbour chain [1]_ in quadratic time, in
    place: prefer it to :func:`scipy.cluster.hierarchy.linkage` for its memory (half or
    less in float32), its speed and its ``sizes``.

    Parameters
    ----------
    distances : array-like of shape (n * (n - 1) / 2,)
        Condensed distances as from :func:`scipy.spatial.distance.pdist`. float32 stays
        float32, everything else becomes float64.
    method : {"average", "single", "complete"}, default="average"
        How distances between clusters follow from distances between items.
    sizes : array-like of shape (n,), default=None
        How many samples each item represents (any positive numbers). None = one each.
    overwrite : bool, default=False
        Whether ``distances`` may be used as work space and overwritten. Otherwise it is
        copied.

    Returns
    -------
    Z : ndarray of shape (n - 1, 4)
        The tree in SciPy's format, sorted by height: the two nodes merged (items are 0
        to n - 1, merge m makes node n + m), height, number of samples.

    Notes
    -----
    Each cluster remembers its eight nearest others. As a union is never nearer than the
    nearer of its parts, this list answers most nearest-neighbour queries (or bounds the
    distance from below) without another pass over the matrix; about n / 5 of the
    chain's 3 n searches remain.

    Ties are broken towards the link that is already in the chain, then towards the
    smaller slot (a union stays in the smaller of the slots of its parts). With tied
    distances, other programs may give another, equally valid tree.

    References
    ----------
    .. [1] D. Müllner, "Modern hierarchical, agglomerative clustering algorithms",
       2011. arXiv:1109.2378

    Examples
    --------
    >>> from coterie._linalg import cut_tree, linkage
    >>> Z = linkage([1.0, 5.0, 6.0])  # d(0, 1), d(0, 2), d(1, 2)
    >>> Z[:, 2]
    array([1. , 5.5])
    >>> cut_tree(Z, 2)
    array([0, 0, 1], dtype=int32)
    """
    if method not in _METHODS:
        raise ValueError(
            f"linkage got method={method!r}; it must be one of {sorted(_METHODS)}."
        )
    d, n = _check_distances(distances, overwrite)
    size = _check_sizes(sizes, n)
    near = np.full((n, kernels.N_REMEMBERED), -1, dtype=np.int64)
    near_d = np.full((n, kernels.N_REMEMBERED), np.inf, dtype=d.dtype)
    if not kernels.nearest_neighbours(d, near_d[:, 0].copy(), near, near_d):
        raise ValueError(
            "linkage needs finite distances, but there are NaN or infinite ones. "
            "Replace them, for example by a distance larger than all others."
        )
    merges = np.empty((n - 1, 4))
    if n > 1:
        i = np.arange(n, dtype=np.int64)
        kernels.chain_linkage(
            d,
            size,
            near,
            near_d,
            _METHODS[method],
            *np.stack([i] * 4),
            i * (2 * n - i - 3) // 2 - 1,
            *np.empty((2, n), dtype=d.dtype),
            merges,
        )
    return _sort_by_height(merges)


def cut_tree(Z: FloatArray, n_clusters: int) -> LabelArray:
    """Cut a tree into clusters by undoing its last ``n_clusters - 1`` merges.

    Unlike a cut at a height, this gives the requested number even if heights are tied.
    Labels are numbered by first appearance.
    """
    Z = np.asarray(Z)
    n = len(Z) + 1
    if not 1 <= n_clusters <= n:
        raise ValueError(
            f"cut_tree got n_clusters={n_clusters} for a tree of {n} items; it must be "
            f"between 1 and {n}."
        )
    n_merges = n - n_clusters
    n_nodes = n + n_merges
    children = Z[:n_merges, :2].astype(np.int64).ravel()
    parents = np.repeat(np.arange(n, n_nodes), 2)
    links = np.ones(children.size, dtype=np.int8), (parents, children)
    forest = scipy.sparse.coo_array(links, shape=(n_nodes, n_nodes))
    _, tree = connected_components(forest, directed=False)
    _, first, tree = np.unique(tree[:n], return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[tree].astype(LABEL_DTYPE)


def expand_linkage(
    Z: FloatArray,
    counts: ArrayLike,
    index: ArrayLike,
    self_distance: ArrayLike,
) -> NDArray[np.float64]:
    """Return the tree of all samples from the tree of the unique ones.

    Parameters
    ----------
    Z : ndarray of shape (u - 1, 4)
        Tree of the u unique rows, from :func:`linkage` with ``sizes=counts``.
    counts : array-like of shape (u,)
        Number of samples of each unique row.
    index : array-like of shape (n,)
        The unique row of each sample.
    self_distance : array-like of shape (u,)
        Height at which identical samples of a row merge with each other.

    Returns
    -------
    Z_full : ndarray of shape (n - 1, 4)
        The tree of the samples, sorted by height. A merge that would lie below one of
        its children is raised to the child's height.
    """
    Z = np.ascontiguousarray(Z, dtype=np.float64)
    index = np.ascontiguousarray(index, dtype=np.int64)
    self_distance = np.ascontiguousarray(self_distance, dtype=np.float64)
    n_unique = len(Z) + 1
    for name, array in (("counts", counts), ("self_distance", self_distance)):
        if np.shape(array) != (n_unique,):
            raise ValueError(
                f"expand_linkage got {name} of shape {np.shape(array)} for a tree of "
                f"{n_unique} unique rows; it must be ({n_unique},)."
            )
    if index.size == 0 or index.min() < 0 or index.max() >= n_unique:
        raise ValueError(
            f"expand_linkage needs an index with entries from 0 to {n_unique - 1}, the "
            "unique rows of the tree."
        )
    found = np.bincount(index, minlength=n_unique)  # (u,)
    if found.min() == 0 or not np.array_equal(found, counts):
        raise ValueError(
            "expand_linkage needs counts that say how often each unique row occurs in "
            "index, at least once. Pass counts=numpy.bincount(index)."
        )
    inner, node = _merge_identical(index, self_distance)
    n = index.size
    node = np.concatenate([node, np.arange(n + len(inner), 2 * n - 1)])  # (2 u - 1,)
    heights = np.where(found > 1, self_distance, -np.inf).tolist()
    children = Z[:, :2].astype(np.int64)
    for (a, b), height in zip(children.tolist(), Z[:, 2].tolist(), strict=True):
        heights.append(max(height, heights[a], heights[b]))
    outer = np.empty(Z.shape)
    outer[:, :2] = node[children]
    outer[:, 2] = heights[n_unique:]
    outer[:, 3] = Z[:, 3]
    return _sort_by_height(np.concatenate([inner, outer]))


def _merge_identical(
    index: NDArray[np.int64], self_distance: FloatArray
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Join each sample to those before it in its unique row.

    Return the merges, in the order of the samples, and the node of each unique row.
    """
    n = index.size
    order = np.argsort(index, kind="stable")  # by row, then by sample
    row = index[order]
    starts = np.searchsorted(row, row)
    rank = np.arange(n) - starts  # of each sample in its row
    later = np.sort(order[rank > 0])  # the samples that are joined to others
    node = np.arange(n)
    node[later] = n + np.arange(later.size)  # and what they become
    merges = np.empty((n, 4))  # by sample
    merges[order[1:], 0] = node[order[:-1]]
    merges[order, 1] = order
    merges[order, 2] = self_distance[row]
    merges[order, 3] = rank + 1
    last = np.append(np.flatnonzero(rank == 0)[1:], n) - 1
    return merges[later], node[order[last]]


def _sort_by_height(merges: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sort merges stably by height and renumber the nodes.

    A child precedes its parent already and is not higher, so it stays before it.
    """
    n = len(merges) + 1
    order = np.argsort(merges[:, 2], kind="stable")  # (n - 1,)
    new_node = np.arange(2 * n - 1)
    new_node[n + order] = np.arange(n, 2 * n - 1)
    Z = merges[order]
    Z[:, :2] = np.sort(new_node[Z[:, :2].astype(np.int64)], axis=1)
    return Z


def _check_distances(distances: ArrayLike, overwrite: bool) -> tuple[Any, int]:
    """Return the distances as a contiguous, writable array, and the number of items."""
    given = np.asarray(distances)
    dtype = np.float32 if given.dtype == np.float32 else np.float64
    n = (1 + isqrt(1 + 8 * given.size)) // 2
    if given.ndim != 1 or n * (n - 1) // 2 != given.size:
        raise ValueError(
            f"linkage needs condensed distances of length n * (n - 1) / 2, but got "
            f"shape {given.shape}. See scipy.spatial.distance.squareform."
        )
    if overwrite:
        d = np.require(given, dtype=dtype, requirements=["C", "A", "W"])
    else:
        d = np.array(given, dtype=dtype, order="C")
    return d, n


def _check_sizes(sizes: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Return a new array of multiplicities."""
    if sizes is None:
        return np.ones(n)
    size = np.array(sizes, dtype=np.float64)
    if size.shape != (n,):
        raise ValueError(
            f"linkage got sizes of shape {size.shape} for {n} items; it must be ({n},)."
        )
    if not (np.isfinite(size) & (size > 0)).all():
        raise ValueError(
            "linkage needs sizes that are positive and finite. Leave out items that "
            "represent no sample."
        )
    return size
