"""Consensus by spectral clustering of the co-association matrix."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import largest_eigenpairs
from coterie._validation import StrOptions
from coterie.consensus._base import Task
from coterie.consensus._embedding import EmbeddingConsensus
from coterie.consensus._products import dense_coassociation, gather, scatter


@fill_doc
class CoassociationSpectral(EmbeddingConsensus):
    r"""Spectral clustering of the co-association matrix.

    The eigenvectors of the smallest eigenvalues of
    :math:`L = I - D^{-1/2} S D^{-1/2}`, rows scaled to unit length, then k-means; S is
    the (weighted) co-association, D its row sums [1]_. Clusters
    are balanced, while :class:`EAC` may split off outliers. S is never formed: time and
    memory are linear in the number of samples (unless labels are missing).

    Parameters
    ----------
    %(n_init)s
    diagonal : {"one", "weights"}, default="one"
        The diagonal of S: one, as in the authors' program, or the mean weight of the
        sample's clusters, as in Eq. 21. Without cluster weights they are the same.

    Notes
    -----
    Samples with the same label row are kept together: eigenvectors that differ within
    such a group have the eigenvalues :math:`(1 - S_{ii'}) / D_i`, far below those that
    matter.

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
    summary = "spectral clustering of the co-association matrix"
    cost = "time N M k, memory N M"
    paper = "huang2022mdec"
    paper_weighter = ("entropy", {"theta": 1.0})
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **EmbeddingConsensus._parameter_constraints,
        "diagonal": [StrOptions({"one", "weights"})],
    }

    def __init__(self, n_init: int = 3, *, diagonal: str = "one") -> None:
        super().__init__(n_init)
        self.diagonal = diagonal

    def _embed(self, task: Task) -> np.ndarray:
        ensemble = task.ensemble
        w = task.weights.per_cluster(ensemble)[:, None]
        if ensemble.has_missing:  # pairs differ in the members that assign both
            S = dense_coassociation(ensemble, task.weights)
            self_similarity, lower = S.diagonal(), -1.0
        else:  # S and the rest of its diagonal are both positive semidefinite
            S, self_similarity, lower = None, gather(ensemble, w)[:, 0], 0.0

        def product(V: np.ndarray) -> np.ndarray:  # S V, or B W B^T V
            return gather(ensemble, w * scatter(ensemble, V)) if S is None else S @ V

        counts = ensemble.core.counts.astype(np.float64)
        rest = 1.0 - self_similarity  # added to make the diagonal of S one
        if self.diagonal == "weights":
            rest = np.zeros_like(rest)
        degrees = product(counts[:, None])[:, 0] + rest  # D, (u,)
        root = np.sqrt(counts)[:, None]
        scale = 1.0 / np.sqrt(degrees)[:, None]

        # On vectors that are constant within each row, D^-1/2 S D^-1/2 is this
        # symmetric operator on the u distinct rows. # Eq. 28 of [1]
        def apply(V: np.ndarray) -> np.ndarray:
            V = scale * V
            return scale * (root * product(root * V) + rest[:, None] * V)

        k, u = min(task.n_clusters, counts.size), counts.size
        pairs = largest_eigenpairs(
            apply, u, k, rng=task.rng, lower=lower, dtype=np.float64, tol=1e-6
        )
        return pairs.vectors / root
