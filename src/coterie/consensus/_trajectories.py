"""Consensus by random walks on core clusters: PTA and PTGP."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array
from scipy.spatial.distance import squareform

from coterie._docs import fill_doc
from coterie._linalg import matrix_transfer_cut, trajectory_similarity
from coterie._memory import check_memory
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._embedding import CoreEmbeddingConsensus
from coterie.consensus._linkage import LINKAGE, cut_core_tree
from coterie.consensus._products import inverse, scatter
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import coassociation_rows

_MOST = 20  # neighbours and steps by default
_TILE_BYTES = 32 * 2**20
_TIED = 1 - 1e-6  # the order of a sum of weights changes its rounding
_COUNT = [Interval(Integral, 1, None, closed="left"), None]


@fill_doc
class PTA(BaseConsensus):
    r"""Probability trajectory accumulation: a tree on the paths of random walks.

    Core clusters (samples that no member separates) keep only the links to their elite
    neighbours, with which they share the most members. A random walk on this sparse
    graph starts in each core cluster; two of them are similar if their walks visit the
    same places at the same steps, and a hierarchical tree on that similarity is cut
    [1]_. Prefer it to :class:`EAC` if many weak links mislead; for many samples prefer
    :class:`ECPCSMC`.

    Parameters
    ----------
    %(linkage)s
    %(trajectory_parameters)s

    Notes
    -----
    %(trajectory_notes)s

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import PTA
    >>> ensemble = [[0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 3], [0, 1, 1, 2, 3, 3]]
    >>> PTA(n_elite=2, n_steps=3).combine(ensemble, 2).labels
    array([0, 0, 0, 1, 1, 1], dtype=int32)
    """

    name = "pta"
    summary = "hierarchical clustering by random walks from core clusters"
    cost = "time 20 u^2 k' (k' neighbours), memory u^2"
    paper = "huang2016pt"
    clusters_rows: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "linkage": LINKAGE,
        "n_elite": _COUNT,
        "n_steps": _COUNT,
    }

    def __init__(
        self,
        linkage: str = "average",
        *,
        n_elite: int | None = None,
        n_steps: int | None = None,
    ) -> None:
        self.linkage = linkage
        self.n_elite = n_elite
        self.n_steps = n_steps

    def _combine(self, task: Task) -> ConsensusResult:
        S = _trajectory_similarity(task, self.n_elite, self.n_steps)
        return cut_core_tree(task, squareform(S, checks=False), self.linkage)


@fill_doc
class PTGP(CoreEmbeddingConsensus):
    r"""Probability trajectory based graph partitioning.

    The normalised cut of the graph of core clusters and the members' clusters, in which
    an edge has the mean similarity of the core cluster to those in the cluster [1]_.
    The similarity is that of :class:`PTA`. :class:`HBGF` has edges for memberships
    only.

    Parameters
    ----------
    %(n_init)s
    %(trajectory_parameters)s

    Notes
    -----
    %(trajectory_notes)s

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import PTGP
    >>> PTGP().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "ptgp"
    summary = "normalised cut of core clusters and clusters, by random walks"
    cost = "time 20 u^2 k' + u C^2, memory u^2"
    paper = "huang2016pt"
    group = "reason"
    take_if = "labelings, up to 5,000 distinct rows of labels, and time"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **CoreEmbeddingConsensus._parameter_constraints,
        "n_elite": _COUNT,
        "n_steps": _COUNT,
    }

    def __init__(
        self,
        n_init: int = 3,
        *,
        n_elite: int | None = None,
        n_steps: int | None = None,
    ) -> None:
        super().__init__(n_init)
        self.n_elite = n_elite
        self.n_steps = n_steps

    def _embed(self, task: Task) -> np.ndarray:
        ensemble = task.ensemble
        S = _trajectory_similarity(task, self.n_elite, self.n_steps)
        to_clusters = scatter(ensemble, S)  # sums of similarities, (C, u)
        flat = ensemble.global_labels(ensemble.core.rows)
        sizes = np.bincount(flat[flat >= 0], minlength=ensemble.n_total_clusters)
        to_clusters *= (task.weights.per_cluster(ensemble) / sizes)[:, None]
        B = np.ascontiguousarray(to_clusters.T, dtype=np.float64)  # (u, C)
        n_components = min(task.n_clusters, B.shape[1])
        return matrix_transfer_cut(B, n_components, rng=task.rng).embedding


def _trajectory_similarity(
    task: Task, n_elite: int | None, n_steps: int | None
) -> np.ndarray:
    """Return the similarity of core clusters, (u, u)."""
    core = task.ensemble.core
    u = len(core)
    check_memory(
        3 * 4 * u * u,
        f"The trajectories of {u:,} core clusters",
        None,
        "Use a method that does not need them (ecpcs-mc, lwgp, hbgf), or fewer "
        "members, which make fewer core clusters.",
    )
    usual = min(_MOST, max(1, int(np.sqrt(u) / 2)))
    E = _elite_graph(task.ensemble, task.weights, n_elite or usual)
    P = csr_array(E * core.counts[None, :].astype(np.float64))
    P = csr_array(P * inverse(np.asarray(P.sum(axis=1)).reshape(-1, 1)))
    return trajectory_similarity(P, n_steps or usual, dtype=np.float32)


def _elite_graph(ensemble: Ensemble, weights: Weights, n_elite: int) -> csr_array:
    """Return the co-association of elite neighbours, made symmetric, (u, u)."""
    rows = coassociation_rows(ensemble, weights, ensemble.core.rows)
    u = len(ensemble.core)
    place = max(u - n_elite, 0)
    step = max(1, _TILE_BYTES // (8 * u))
    indices, data, counts = [], [], []
    for start in range(0, u, step):
        stop = min(start + step, u)
        A = rows(start, stop)
        A[np.arange(stop - start), np.arange(start, stop)] = 0.0
        weakest = np.partition(A, place, axis=1)[:, place] * _TIED
        kept = (A > 0) & (weakest[:, None] <= A)
        indices.append(np.nonzero(kept)[1].astype(np.int32))
        data.append(A[kept].astype(np.float64))
        counts.append(kept.sum(axis=1))
    indptr = np.concatenate([[0], np.cumsum(np.concatenate(counts))])
    A = csr_array((np.concatenate(data), np.concatenate(indices), indptr), shape=(u, u))
    return csr_array(A.maximum(A.T.tocsr()))
