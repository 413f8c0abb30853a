"""Hierarchical clustering of points, without distances where possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._kernels import _points as kernels
from coterie._linalg._linkage import _sort_by_height, linkage
from coterie._memory import check_memory
from coterie._validation import check_data

_METHODS = {"average_squared": kernels.AVERAGE, "ward": kernels.WARD}


def linkage_points(X: Any, method: str = "average") -> Any:
    r"""Hierarchical clustering of points.

    The two nearest clusters are merged repeatedly. With the distances d of points, the
    distance of clusters A and B is the mean of :math:`d_{ij}` over
    :math:`i \in A, j \in B` ("average"), the root of

    .. math:: \frac{1}{|A| |B|} \sum_{i \in A, j \in B} d^2_{ij}
        \quad \text{(average\_squared), or} \quad
        \frac{2 |A| |B|}{|A| + |B|} \lVert m_A - m_B \rVert^2 \quad \text{(ward)}

    with the means m. The latter two follow from sizes, means and mean squared
    deviations alone, so the nearest-neighbour chain needs no distances between points:
    their memory is linear in n, that of "average" quadratic. Time is quadratic. The
    points should have few dimensions. Returns the tree in SciPy's format.

    Examples
    --------
    >>> from coterie._linalg import cut_tree, linkage_points
    >>> Z = linkage_points([[0.0], [1.0], [5.0]], "ward")
    >>> cut_tree(Z, 2)
    array([0, 0, 1], dtype=int32)
    """
    known = ("average", *_METHODS)
    if method not in known:
        raise ValueError(
            f"linkage_points got method={method!r}; it must be one of {known}."
        )
    X = check_data(X, "linkage_points", accept_sparse=False)
    n = X.shape[0]
    if method == "average":
        return linkage(_condensed(X), "average", overwrite=True)
    centers = np.array(X - X.mean(axis=0), dtype=np.float64, order="C")
    merges = np.empty((n - 1, 4))
    kernels.chain_points(centers, np.ones(n), np.zeros(n), _METHODS[method], merges)
    Z = _sort_by_height(merges)
    Z[:, 2] = np.sqrt(Z[:, 2])
    return Z


def _condensed(X: Any) -> Any:
    """Return the distances of all pairs in single precision, some rows at a time."""
    from scipy.spatial.distance import cdist

    n = X.shape[0]
    check_memory(
        2 * n * n,
        f"Average linkage of {n:,} points",
        None,
        'Use "ward" or "average_squared", whose memory is linear.',
    )
    d = np.empty(n * (n - 1) // 2, dtype=np.float32)
    start = 0
    for i in range(n - 1):
        end = start + n - 1 - i
        d[start:end] = cdist(X[i : i + 1], X[i + 1 :])[0]
        start = end
    return d
