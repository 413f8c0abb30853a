"""Graphs of shared neighbours, and their communities."""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.sparse import csr_array

from coterie._typing import LABEL_DTYPE


def shared_neighbor_graph(indices: Any) -> csr_array:
    """Join nearest neighbours by the overlap of their neighbourhoods.

    The weight of an edge is the Jaccard index of the two neighbourhoods, a sample and
    its neighbours; samples are joined if one is a neighbour of the other.

    Parameters
    ----------
    indices : int32 array of shape (n, k)
        The nearest neighbours of each sample.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import shared_neighbor_graph
    >>> shared_neighbor_graph(np.array([[1], [0], [1]], np.int32)).toarray().round(2)
    array([[0.  , 1.  , 0.  ],
           [1.  , 0.  , 0.33],
           [0.  , 0.33, 0.  ]])
    """
    from coterie._kernels._shared_neighbors import jaccard

    indices = np.ascontiguousarray(indices, dtype=np.int32)
    n, k = indices.shape
    overlap = np.empty((n, k))
    jaccard(indices, np.full(n, -1, dtype=np.int32), overlap)
    rows = np.arange(0, n * k + 1, k)
    W = csr_array((overlap.ravel(), indices.ravel(), rows), shape=(n, n))
    return csr_array(W.maximum(W.T))


def leiden(
    graph: csr_array,
    resolution: float,
    *,
    rng: np.random.Generator,
    n_rounds: int = 2,
) -> Any:
    r"""Find communities of a graph by the Leiden algorithm.

    They have a large modularity with weights w, degrees d and resolution
    :math:`\gamma`,

    .. math:: \frac{1}{\sum_{ij} w_{ij}} \sum_{ij} \left(w_{ij} - \gamma
        \frac{d_i d_j}{\sum_{ij} w_{ij}}\right) [c_i = c_j].

    The GIL is released.

    Parameters
    ----------
    graph : symmetric CSR matrix of shape (n, n)
        Weights, with at least one edge.
    resolution : float
        Larger ones give more communities.
    rng : numpy.random.Generator
    n_rounds : int, default=2
        How often the algorithm is repeated from where it ended. In graphs of shared
        neighbours, more than two improve nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from scipy.sparse import block_diag, csr_array
    >>> from coterie._linalg import leiden
    >>> graph = csr_array(block_diag([np.ones((3, 3)) - np.eye(3)] * 2))
    >>> leiden(graph, 1.0, rng=np.random.default_rng(0))
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """
    from graspologic_native import leiden_csr  # type: ignore[attr-defined]

    n = graph.shape[0]
    _, found = leiden_csr(
        graph.indptr.astype(np.int64),
        graph.indices.astype(np.int32),
        graph.data.astype(np.float64),
        n,
        resolution=resolution,
        iterations=n_rounds,
        seed=int(rng.integers(2**31 - 1)),
    )
    labels = np.empty(n, dtype=LABEL_DTYPE)
    labels[np.fromiter(found.keys(), np.int64, len(found))] = np.fromiter(
        found.values(), np.int64, len(found)
    )
    return labels
