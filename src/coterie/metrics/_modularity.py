"""Modularity: how many more links than expected by chance lie within communities."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def modularity(A: Any, labels: ArrayLike, *, resolution: float = 1.0) -> float:
    r"""How well communities fit an undirected graph.

    .. math:: Q = \sum_c \left[ \frac{w_c}{w}
        - \gamma \left( \frac{d_c}{2 w} \right)^2 \right]

    with the total weight w of all links, the weight :math:`w_c` of those within
    community c, the sum :math:`d_c` of the degrees of its nodes [1]_, and the
    resolution :math:`\gamma`.

    Parameters
    ----------
    A : array-like or sparse matrix of shape (n, n)
        The symmetric adjacency matrix, with weights; a self-loop counts twice in the
        degree, so the diagonal holds twice its weight.
    labels : array-like of shape (n,)
        The community of each node.
    resolution : float, default=1.0
        Larger ones favour smaller communities.

    Returns
    -------
    float
        At most 1; about 0 for communities no better than chance, and for a graph
        without links.

    References
    ----------
    .. [1] M. E. J. Newman, M. Girvan, "Finding and evaluating community structure in
       networks", Physical Review E 69, 026113, 2004.
       :doi:`10.1103/PhysRevE.69.026113`

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.metrics import modularity
    >>> A = np.kron(np.eye(2), np.ones((3, 3)) - np.eye(3))
    >>> modularity(A, [0, 0, 0, 1, 1, 1])
    0.5
    """
    from scipy.sparse import coo_matrix

    A = coo_matrix(A)
    codes = np.unique(np.asarray(labels), return_inverse=True)[1].ravel()
    if A.shape != (codes.size, codes.size):
        raise ValueError(
            f"modularity got {codes.size} labels for a matrix of shape {A.shape}."
        )
    total = float(A.data.sum())
    if total <= 0:
        return 0.0
    within = float(A.data[codes[A.row] == codes[A.col]].sum())
    degrees = np.bincount(codes[A.row], weights=A.data)
    return within / total - resolution * float(((degrees / total) ** 2).sum())
