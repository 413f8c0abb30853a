"""Hierarchical clustering of points in memory linear in their number."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._kernels import _points as kernels
from coterie._validation import check_data
from coterie.linalg._linkage import _sort_by_height, linkage

_METHODS = {"average": kernels.AVERAGE, "ward": kernels.WARD}
_CONDENSED_UP_TO = 10_000  # points: 200 MB of distances in single precision


def linkage_points(X: Any, method: str = "average") -> Any:
    r"""Hierarchical clustering of points, whatever their number.

    The two clusters of least distance are merged again and again. With the squared
    distances :math:`d^2` of points, the distance of clusters A and B is

    .. math:: \frac{1}{|A| |B|} \sum_{i \in A, j \in B} d^2_{ij}
        \quad \text{(average)}, \qquad
        \frac{2 |A| |B|}{|A| + |B|} \lVert m_A - m_B \rVert^2 \quad \text{(ward)}

    with the means m. Both follow from sizes, means and mean squared deviations alone,
    so the nearest-neighbour chain needs no distances between points. Time is
    quadratic.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The points, best of few dimensions.
    method : {"average", "ward"}, default="average"
        How the distance between clusters is made.

    Returns
    -------
    Z : ndarray of shape (n - 1, 4)
        The tree in SciPy's format. Heights are the square roots of the distances above.

    Notes
    -----
    Average linkage is that of *squared* distances (the root mean square instead of the
    mean): the mean of distances cannot be had from centroids. Up to 10,000 points
    average linkage goes through :func:`linkage`, which is quicker and gives the same
    tree but for rounding.

    Examples
    --------
    >>> from coterie.linalg import cut_tree, linkage_points
    >>> Z = linkage_points([[0.0], [1.0], [5.0]], "ward")
    >>> cut_tree(Z, 2)
    array([0, 0, 1], dtype=int32)
    """
    if method not in _METHODS:
        raise ValueError(
            f"linkage_points got method={method!r}; it must be one of "
            f"{sorted(_METHODS)}."
        )
    X = check_data(X, "linkage_points", accept_sparse=False)
    if method == "average" and X.shape[0] <= _CONDENSED_UP_TO:
        Z = _through_distances(X)
    else:
        Z = _through_centroids(X, method)
    Z[:, 2] = np.sqrt(Z[:, 2])
    return Z


def _through_distances(X: Any) -> Any:
    from scipy.spatial.distance import pdist

    d = pdist(X, "sqeuclidean").astype(np.float32)
    return linkage(d, "average", overwrite=True)


def _through_centroids(X: Any, method: str) -> Any:
    n = X.shape[0]
    centers = np.array(X - X.mean(axis=0), dtype=np.float64, order="C")
    merges = np.empty((n - 1, 4))
    kernels.chain_points(centers, np.ones(n), np.zeros(n), _METHODS[method], merges)
    return _sort_by_height(merges)
