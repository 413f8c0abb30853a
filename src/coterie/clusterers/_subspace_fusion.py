"""SC-SRGF: spectral clustering by subspace randomization and graph fusion."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import pdist

from coterie._docs import fill_doc
from coterie._linalg import cluster_unit_rows, nearest_neighbors, spectral_embedding
from coterie._memory import check_memory
from coterie._validation import COUNT, SHARE, Interval
from coterie.clusterers._base import BaseClusterer

_MOST_PAIRS = 2000  # samples, beyond which the mean distance is estimated


@fill_doc
class SCSRGF(BaseClusterer):
    r"""Spectral clustering by subspace randomization and graph fusion.

    For high-dimensional data: builds a graph of nearest neighbours in each of many
    random sets of features, with weights :math:`\exp(-d / (2 \sigma))`, :math:`\sigma`
    the mean distance. The graphs are fused by updating each from all others,

    .. math:: W_m \leftarrow S_m \Bigl(\frac{1}{M - 1} \sum_{l \ne m} W_l\Bigr)
        S_m^\top + I,

    where :math:`S_m` keeps each sample's strongest neighbours, and the mean graph is
    cut by spectral clustering [1]_. :class:`~coterie.MDEC` clusters each subspace and
    combines the clusterings instead; it needs far less memory.

    Parameters
    ----------
    %(system_n_clusters)s
    n_subspaces : int, default=20
        Random sets of features, m in the paper.
    subspace_ratio : float, default=0.5
        Share of the features in each, r in the paper.
    n_neighbors : int, default=5
        Neighbours in each graph, K in the paper.
    n_steps : int, default=20
        Rounds of fusion.
    %(n_init)s
    %(random_state)s

    Attributes
    ----------
    %(labels_attributes)s
    %(seen_attributes)s

    Notes
    -----
    The fusion is that of the authors' program (similarity network fusion [2]_ with the
    identity added in each round). Memory is n_subspaces + 2 dense matrices of n_samples
    squared, in single precision. Beyond 2,000 samples :math:`\sigma` is estimated from
    a subsample of 2,000.

    References
    ----------
    %(paper)s
    .. [2] B. Wang et al., "Similarity network fusion for aggregating data types on a
       genomic scale", Nature Methods 11(3), 333-337, 2014. :doi:`10.1038/nmeth.2810`

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from coterie.clusterers import SCSRGF
    >>> SCSRGF(n_clusters=3, random_state=0).fit_predict(scale(load_wine().data)).shape
    (178,)
    """

    name = "sc-srgf"
    summary = "spectral clustering of fused graphs on random features"
    cost = "time 2,000 N^2, memory 22 N^2"
    paper = "cai2020scsrgf"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseClusterer._parameter_constraints,
        "n_subspaces": [Interval(Integral, 2, None, closed="left")],
        "subspace_ratio": SHARE,
        "n_neighbors": COUNT,
        "n_steps": COUNT,
        "n_init": COUNT,
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        n_subspaces: int = 20,
        subspace_ratio: float = 0.5,
        n_neighbors: int = 5,
        n_steps: int = 20,
        n_init: int = 3,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.n_subspaces = n_subspaces
        self.subspace_ratio = subspace_ratio
        self.n_neighbors = n_neighbors
        self.n_steps = n_steps
        self.n_init = n_init
        self.random_state = random_state

    def _cluster(self, X: Any, rng: np.random.Generator) -> np.ndarray:
        n, D = X.shape
        if n == 1:
            return np.zeros(1, dtype=np.int32)
        check_memory(
            4 * n * n * (self.n_subspaces + 2),
            f"The {self.n_subspaces} dense graphs of {n:,} samples",
            None,
            "Use fewer subspaces, or a method with linear memory (USPEC, MDEC).",
        )
        k = min(self.n_neighbors, n - 1)
        size = max(1, round(self.subspace_ratio * D))
        draws = [
            np.sort(rng.choice(D, size=size, replace=False))
            for _ in range(self.n_subspaces)
        ]
        graphs = [neighbor_graph(X[:, features], k, rng) for features in draws]
        W = fused(graphs, k, self.n_steps)
        U = spectral_embedding(W, self.n_clusters_, rng=rng)
        return cluster_unit_rows(
            U, self.n_clusters_, rng=rng, n_init=self.n_init, max_iter=100
        )


def neighbor_graph(X: Any, n_neighbors: int, rng: np.random.Generator) -> csr_array:
    """Return the symmetric graph of nearest neighbours, (n, n)."""
    n = X.shape[0]
    near = nearest_neighbors(X, n_neighbors)
    sample = X
    if n > _MOST_PAIRS:
        sample = X[np.sort(rng.choice(n, size=_MOST_PAIRS, replace=False))]
    m = sample.shape[0]
    sigma = 2.0 * pdist(sample).sum() / m**2  # mean over all pairs, (i, i) included
    weights = np.sqrt(near.sqdist.astype(np.float64))
    if sigma > 0:
        weights /= -2.0 * sigma
    weights = np.exp(weights)
    indptr = np.arange(n + 1) * n_neighbors
    W = csr_array((weights.ravel(), near.indices.ravel(), indptr), shape=(n, n))
    return csr_array(W.maximum(W.T.tocsr()))


def fused(graphs: list[csr_array], n_neighbors: int, n_steps: int) -> np.ndarray:
    """Fuse graphs into one by similarity network fusion, (n, n) float32."""
    n, m = graphs[0].shape[0], len(graphs)
    full, strong = [], []
    for graph in graphs:
        W = csr_array(graph / graph.sum(axis=1)[:, None])
        W = csr_array((W + W.T) / 2)
        full.append(W.toarray().astype(np.float32))
        strong.append(_strongest(W, n_neighbors).astype(np.float32))
    total = np.sum(full, axis=0)
    diagonal = np.arange(n)
    for _ in range(n_steps):
        after = np.zeros_like(total)
        for at, S in enumerate(strong):
            others = (total - full[at]) / np.float32(m - 1)
            W = S @ np.ascontiguousarray((S @ others).T)  # others is symmetric
            W[diagonal, diagonal] += 1.0
            full[at] = (W + W.T) / 2
            after += full[at]
        total = after
    W = total / total.sum(axis=1, keepdims=True)
    W = (W + W.T) / 2
    W[diagonal, diagonal] += 0.5
    return W


def _strongest(W: csr_array, n_neighbors: int) -> csr_array:
    """Keep the largest entries of each row, and make rows sum to one."""
    rows = np.repeat(np.arange(W.shape[0]), np.diff(W.indptr))
    order = np.lexsort((-W.data, rows))
    rank = np.arange(W.nnz) - W.indptr[rows]
    kept = order[rank < n_neighbors]
    S = csr_array((W.data[kept], (rows[kept], W.indices[kept])), shape=W.shape)
    return csr_array(S / S.sum(axis=1)[:, None])
