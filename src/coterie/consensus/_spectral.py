"""Consensus by spectral clustering of the co-association matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

import numpy as np
from scipy.spatial.distance import squareform

from coterie._docs import fill_doc
from coterie._linalg import largest_eigenpairs
from coterie.consensus._base import Task
from coterie.consensus._embedding import EmbeddingConsensus
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import core_coassociation

Apply = Callable[[np.ndarray], np.ndarray]


@fill_doc
class CoassociationSpectral(EmbeddingConsensus):
    r"""Spectral clustering of the co-association matrix.

    The eigenvectors of the smallest eigenvalues of
    :math:`L = I - D^{-1/2} S D^{-1/2}`, rows scaled to unit length, then k-means; S is
    the (weighted) co-association with a unit diagonal, D its row sums [1]_. Balanced
    clusters, where :class:`EAC` may split off outliers. S is never formed: time and
    memory are linear in the number of samples (unless labels are missing).

    Parameters
    ----------
    %(n_init)s

    Notes
    -----
    Samples of the same label row are kept together: eigenvectors that differ inside
    such a group belong to the eigenvalues :math:`(1 - S_{ii'}) / D_i`, far below those
    that matter.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CoassociationSpectral
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> CoassociationSpectral().combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "sc"
    summary = "spectral clustering of how often samples go together"
    cost = "time N M k, memory N M"
    paper = "huang2022mdec"
    paper_weighter = ("entropy", {"theta": 1.0})
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})

    def _embed(self, task: Task) -> np.ndarray:
        ensemble = task.ensemble
        if ensemble.has_missing:
            product, self_similarity = _dense_product(ensemble, task.weights)
            lower = -1.0
        else:
            product, self_similarity = _implicit_product(ensemble, task.weights)
            lower = 0.0  # S and the rest of its diagonal are both positive semidefinite
        counts = ensemble.core.counts.astype(np.float64)
        rest = 1.0 - self_similarity  # what makes the diagonal of S one
        degrees = product(counts[:, None])[:, 0] + rest  # D, (u,)
        root = np.sqrt(counts)[:, None]
        scale = 1.0 / np.sqrt(degrees)[:, None]

        # On vectors that are constant on each row's samples, D^-1/2 S D^-1/2 is this
        # symmetric operator on the u distinct rows. # Eq. 28 of [1]
        def apply(V: np.ndarray) -> np.ndarray:
            V = scale * V
            return scale * (root * product(root * V) + rest[:, None] * V)

        n_components = min(task.n_clusters, counts.size)
        pairs = largest_eigenpairs(
            apply,
            counts.size,
            n_components,
            rng=task.rng,
            lower=lower,
            dtype=np.float64,
            tol=1e-6,
        )
        return pairs.vectors / root


def _implicit_product(ensemble: Ensemble, weights: Weights) -> tuple[Apply, np.ndarray]:
    """``V -> B W B^T V`` on the distinct rows, and its diagonal."""
    from coterie._kernels._incidence import gather, scatter

    core, offsets = ensemble.core, ensemble.offsets
    cluster_weights = weights.per_cluster(ensemble)[:, None]

    def product(V: np.ndarray) -> np.ndarray:
        V = np.ascontiguousarray(V)
        on_clusters = np.zeros((ensemble.n_total_clusters, V.shape[1]))
        scatter(core.columns, offsets, V, on_clusters)
        out = np.empty_like(V)
        gather(core.rows, offsets, cluster_weights * on_clusters, out)
        return out

    diagonal = np.empty((len(core), 1))
    gather(core.rows, offsets, np.ascontiguousarray(cluster_weights), diagonal)
    return product, diagonal[:, 0]


def _dense_product(ensemble: Ensemble, weights: Weights) -> tuple[Apply, np.ndarray]:
    """Return the same with missing labels, where pairs differ in who assigns both."""
    S = core_coassociation(ensemble, weights)
    dense = squareform(S.condensed).astype(np.float64)
    np.fill_diagonal(dense, S.self_similarity)
    return lambda V: dense @ V, S.self_similarity
