"""Consensus by partitioning the bipartite graph of samples and clusters."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie.consensus._embedding import EmbeddingConsensus
from coterie.ensemble import Ensemble, Weights
from coterie.linalg import BipartiteGraph, transfer_cut


class _BipartiteConsensus(EmbeddingConsensus):
    """Embedding by the transfer cut of the bipartite graph."""

    def _embed(
        self,
        ensemble: Ensemble,
        n_clusters: int,
        weights: Weights,
        rng: np.random.Generator,
    ) -> np.ndarray:
        core = ensemble.core
        graph = BipartiteGraph(
            core.rows,
            core.columns,
            ensemble.offsets,
            core.counts,
            weights.per_cluster(ensemble),
        )
        n_components = min(n_clusters, ensemble.n_total_clusters)
        return transfer_cut(graph, n_components, rng=rng)


@fill_doc
class HBGF(_BipartiteConsensus):
    """Hybrid bipartite graph formulation, by its spectral form.

    Samples and clusters are the two sides of a graph with an edge for each membership;
    the graph is cut into parts of small normalised cut [1]_. Time and memory are linear
    in the number of samples: the choice for large data.

    Parameters
    ----------
    %(n_init)s

    Notes
    -----
    The eigenvectors come from the transfer cut, which gives those of the bipartite
    graph exactly; k-means runs on the samples only, where the paper also places the
    clusters.

    References
    ----------
    .. [1] X. Z. Fern, C. E. Brodley, "Solving cluster ensemble problems by bipartite
       graph partitioning", ICML 2004. :doi:`10.1145/1015330.1015414`

    Examples
    --------
    >>> from coterie.consensus import HBGF
    >>> HBGF().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})


@fill_doc
class LWGP(_BipartiteConsensus):
    """Locally weighted graph partitioning.

    :class:`HBGF` in which an edge into a cluster has the cluster's weight [1]_. Time
    and memory are linear in the number of samples.

    Parameters
    ----------
    %(n_init)s

    Notes
    -----
    The weights of the paper are those of :class:`~coterie.weighting.EntropyWeighter`;
    ``coterie.combine(method="lwgp")`` computes them, this class takes what it is given.

    References
    ----------
    .. [1] D. Huang, C.-D. Wang, J.-H. Lai, "Locally weighted ensemble clustering", IEEE
       Transactions on Cybernetics 48(5), 1460-1473, 2018.
       :doi:`10.1109/TCYB.2017.2702343`

    Examples
    --------
    >>> from coterie.consensus import LWGP
    >>> from coterie.weighting import EntropyWeighter
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> weights = EntropyWeighter().weigh(ensemble)
    >>> LWGP().combine(ensemble, 2, weights=weights, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})
