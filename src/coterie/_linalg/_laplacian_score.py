"""Feature scores: which features follow the neighbourhoods of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from coterie._linalg._neighbors import nearest_neighbors
from coterie._validation import check_data, is_sparse

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from coterie._typing import FloatArray

_COLUMNS = 256  # features whose products are in memory at once
_CONSTANT = 1e-12  # of the largest square: below this variance a feature is constant


def gaussian_graph(X: Any, n_neighbors: int) -> csr_array:
    r"""Join each sample to its nearest neighbours by a Gaussian kernel of one width.

    .. math:: W_{ij} = \exp\left(-\frac{\lVert x_i - x_j \rVert^2}{2 \sigma^2}\right)

    where i is among the k nearest of j or j among those of i; :math:`\sigma` is the
    mean distance of a sample to its k nearest neighbours, over all samples. k is at
    most n_samples - 1. If all neighbours coincide, :math:`\sigma = 0`, and their
    weights are one.

    Examples
    --------
    >>> from coterie._linalg import gaussian_graph
    >>> gaussian_graph([[0.0], [1.0], [3.0]], 1).toarray().round(2)
    array([[0.  , 0.75, 0.  ],
           [0.75, 0.  , 0.32],
           [0.  , 0.32, 0.  ]])
    """
    X = check_data(X, "gaussian_graph", accept_sparse=True)
    n = X.shape[0]
    if n < 2 or n_neighbors < 1:
        raise ValueError(
            f"gaussian_graph needs two samples and n_neighbors of at least 1, got "
            f"{n} samples and n_neighbors={n_neighbors}."
        )
    k = min(n_neighbors, n - 1)
    near = nearest_neighbors(X, k)
    d = np.sqrt(near.sqdist.astype(np.float64))  # (N, k)
    sigma = d.mean() or 1.0
    W = np.exp(-0.5 * (d / sigma) ** 2)
    indptr = np.arange(n + 1, dtype=np.int32) * np.int32(k)
    G = scipy.sparse.csr_array((W.ravel(), near.indices.ravel(), indptr), shape=(n, n))
    G.sort_indices()
    return G.maximum(G.T.tocsr())


def laplacian_score(X: Any, W: Any) -> FloatArray:
    r"""Score each feature by how much it varies along the edges of a graph [1]_.

    With the degrees :math:`D = \mathrm{diag}(W 1)`, :math:`L = D - W` and the feature
    minus its weighted mean, :math:`\tilde f = f - (f^\top D 1 / 1^\top D 1) 1`,

    .. math:: \frac{\tilde f^\top L \tilde f}{\tilde f^\top D \tilde f}.

    Scores lie between 0 and 2, and small ones are good: the feature is nearly the same
    for neighbours and differs elsewhere. A feature unrelated to the graph scores about
    one, and a constant, uninformative feature infinity. W must be symmetric and
    nonnegative, see :func:`gaussian_graph`.

    References
    ----------
    .. [1] X. He, D. Cai, P. Niyogi, "Laplacian score for feature selection", Advances
       in Neural Information Processing Systems 18, 507-514, 2005.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import gaussian_graph, laplacian_score
    >>> X = np.column_stack([[0, 0.1, 5, 5.1], [0, 0.1, 0, 0.1]])
    >>> laplacian_score(X, gaussian_graph(X[:, :1], 1)).round(2).tolist()
    [0.0, 2.0]
    """
    X = check_data(X, "laplacian_score", accept_sparse=True)
    W = scipy.sparse.csr_array(W, dtype=np.float64)
    if W.shape != (X.shape[0],) * 2:
        raise ValueError(
            f"laplacian_score needs a graph of the {X.shape[0]} samples of X, but got "
            f"weights of shape {W.shape}."
        )
    degree = W.sum(axis=1)  # D, (N,)
    scores = np.empty(X.shape[1])
    for s in range(0, X.shape[1], _COLUMNS):
        part = slice(s, s + _COLUMNS)
        scores[part] = _scores(X[:, part], W, degree)
    return scores


def _scores(F: Any, W: csr_array, degree: FloatArray) -> FloatArray:
    """Return the scores of some features, scaled first lest squares underflow.

    As L 1 = 0, a sparse F need be neither centred nor made dense.
    """
    total = degree.sum() or 1.0
    if is_sparse(F):
        F = scipy.sparse.csc_array(F, dtype=np.float64, copy=True)
        largest = abs(F).max(axis=0).toarray().ravel()
        F.data /= np.repeat(np.where(largest > 0, largest, 1), np.diff(F.indptr))
        square = degree @ F.multiply(F)
        spread = square - (degree @ F) ** 2 / total
        edges = square - F.multiply(W @ F).sum(axis=0)
    else:
        F = np.asarray(F, dtype=np.float64)
        largest = np.abs(F).max(axis=0)
        F = F / np.where(largest > 0, largest, 1)
        F -= (degree @ F) / total  # Eq. 6
        spread = degree @ (F * F)  # f' D f
        edges = spread - np.einsum("nd,nd->d", F, W @ F)  # f' L f, Eq. 4
    scores = np.full(F.shape[1], np.inf)
    np.divide(edges, spread, out=scores, where=spread > _CONSTANT * total)  # Eq. 5
    return np.maximum(scores, 0.0)
