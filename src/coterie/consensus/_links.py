"""Link-based consensus: clusters are similar through other clusters (LinkCluE)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._memory import check_memory
from coterie._validation import Interval
from coterie.consensus._base import Task
from coterie.consensus._linkage import LINKAGE, LinkageConsensus
from coterie.consensus._products import check_cluster_memory, jaccard, overlap
from coterie.ensemble import Ensemble
from coterie.ensemble._coassociation import CoreCoassociation

_TILE_BYTES = 32 * 2**20


class _LinkBased(LinkageConsensus):
    """A tree on a similarity of samples derived from a similarity of clusters."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "linkage": LINKAGE,
        "decay": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, linkage: str = "average", *, decay: float = 0.8) -> None:
        self.linkage = linkage
        self.decay = decay


@fill_doc
class CTS(_LinkBased):
    r"""Connected-triple based similarity, then a tree of the samples.

    Two clusters of a member are similar if other clusters overlap with both: with the
    Jaccard coefficients w, :math:`\mathrm{WCT}_{ab} = \sum_c \min(w_{ac}, w_{bc})`.
    Samples in different clusters of a member have that similarity,

    .. math:: S_{ij} = \frac{1}{M} \sum_{m=1}^{M} \begin{cases} 1 & c_m(i) = c_m(j) \\
        \mathit{decay} \cdot \mathrm{WCT}_{c_m(i) c_m(j)} / \max \mathrm{WCT} &
        \text{otherwise} \end{cases}

    and a hierarchical tree on :math:`1 - S` is cut [1]_. :class:`ECPCSHC` looks further
    than one cluster in between.

    Parameters
    ----------
    %(linkage)s
    %(decay)s

    Notes
    -----
    S is computed for the distinct label rows; memory is quadratic in their number.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CTS
    >>> CTS().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "cts"
    summary = "hierarchical clustering with connected-triple similarity"
    cost = "time u^2 M + C^3 / M, memory u^2"
    paper = "iamon2010linkclue"

    def _similarities(self, task: Task) -> CoreCoassociation:
        ensemble = task.ensemble
        check_cluster_memory(ensemble, 4)
        W = jaccard(ensemble)
        triples = connected_triples(ensemble, W, np.ones(W.shape[0]), within=True)
        np.fill_diagonal(triples, 0.0)
        return linked_similarity(ensemble, _decayed(triples, self.decay))


@fill_doc
class SRS(_LinkBased):
    r"""SimRank-based similarity, then a tree of the samples.

    In the graph of samples and clusters, two samples are similar if their clusters are,
    and two clusters are similar if their samples are:

    .. math:: S_{ij} = \frac{\mathit{decay}}{M^2} \sum_{a \ni i} \sum_{b \ni j} S_{ab},
        \qquad S_{ab} = \frac{\mathit{decay}}{|a| |b|}
        \sum_{i \in a} \sum_{j \in b} S_{ij},

    alternately, from the identity [1]_. The most thorough of the three link-based
    similarities; :class:`ASRS` approximates it in one step.

    Parameters
    ----------
    %(linkage)s
    %(decay)s
    n_iter : int, default=5
        Iterations, R in the paper, counting the start as the first.

    Notes
    -----
    The iterations run on the clusters alone, by way of their overlaps: this is exact,
    and needs no matrix of samples until the end. Samples with the same label row are
    merged first.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import SRS
    >>> SRS().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "srs"
    summary = "hierarchical clustering by SimRank of samples and clusters"
    cost = "time u^2 M + 5 C^3, memory u^2"
    paper = "iamon2010linkclue"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **_LinkBased._parameter_constraints,
        "n_iter": [Interval(Integral, 2, None, closed="left")],
    }

    def __init__(
        self, linkage: str = "average", *, decay: float = 0.8, n_iter: int = 5
    ) -> None:
        super().__init__(linkage, decay=decay)
        self.n_iter = n_iter

    def _similarities(self, task: Task) -> CoreCoassociation:
        ensemble = task.ensemble
        check_cluster_memory(ensemble, 6)
        C = np.eye(ensemble.n_total_clusters)
        before = None  # clusters that give the samples' similarity; None: the identity
        for _ in range(self.n_iter - 2):
            C, before = self._clusters(ensemble, before), C
        return linked_similarity(ensemble, self.decay * C, across=True)

    def _clusters(self, ensemble: Ensemble, before: np.ndarray | None) -> np.ndarray:
        """Return the similarity of clusters from that of samples, (C, C).

        The samples' similarity is one on the diagonal and elsewhere from ``before``.
        """
        sizes = ensemble.cluster_sizes.astype(np.float64)
        counts = ensemble.core.counts.astype(np.float64)
        if before is None:
            C = ensemble.overlap()
        else:
            per_row = 1.0 / (ensemble.core.rows >= 0).sum(axis=1)  # 1 / M
            shared = overlap(ensemble, counts * per_row)
            C = self.decay * (shared @ before @ shared)
            own = self.decay * _self_similarity(ensemble, before)
            C += overlap(ensemble, counts * (1.0 - own))
        C *= self.decay / (sizes[:, None] * sizes)
        np.fill_diagonal(C, 1.0)
        return C


@fill_doc
class ASRS(_LinkBased):
    r"""Approximate SimRank-based similarity, then a tree of the samples.

    With the Jaccard coefficients w of clusters and the numbers :math:`n_a` of clusters
    that overlap with a,

    .. math:: S_{ab} = \frac{1}{n_a n_b} \sum_c w_{ac} w_{bc}, \qquad
        S_{ij} = \frac{1}{M^2} \sum_{a \ni i} \sum_{b \ni j} \begin{cases} 1 & a = b \\
        \mathit{decay} \cdot S_{ab} / \max S & \text{otherwise} \end{cases}

    and a hierarchical tree on :math:`1 - S_{ij}` is cut [1]_. It is :class:`SRS`
    without the iterations.

    Parameters
    ----------
    %(linkage)s
    %(decay)s

    Notes
    -----
    The authors' program takes the most similar pair for one cluster, since it tests
    whether a similarity is one; here only a cluster equals itself. Samples with the
    same label row are merged first.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import ASRS
    >>> ASRS().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "asrs"
    summary = "hierarchical clustering by an approximate SimRank"
    cost = "time u^2 M + C^3, memory u^2"
    paper = "iamon2010linkclue"

    def _similarities(self, task: Task) -> CoreCoassociation:
        check_cluster_memory(task.ensemble, 4)
        W = jaccard(task.ensemble)
        neighbors = np.maximum((W > 0).sum(axis=1), 1)
        S = W @ W
        S /= neighbors[:, None] * neighbors
        np.fill_diagonal(S, 0.0)
        return linked_similarity(task.ensemble, _decayed(S, self.decay), across=True)


def connected_triples(
    ensemble: Ensemble, W: np.ndarray, weights: np.ndarray, *, within: bool
) -> np.ndarray:
    """Return the weighted connected triples of clusters, (C, C).

    Parameters
    ----------
    ensemble : Ensemble
    W : (C, C) array
        Symmetric edge weights.
    weights : (C,) array
        Weight of the cluster in the middle.
    within : bool
        Only between clusters of the same member; zero elsewhere.
    """
    from coterie._kernels import _triples

    C = W.shape[0]
    low, high = np.zeros(C, dtype=np.int64), np.full(C, C)
    if within:
        sizes = ensemble.n_clusters_per_member
        low = np.repeat(ensemble.offsets[:-1], sizes)
        high = np.repeat(ensemble.offsets[1:], sizes)
    out = np.zeros((C, C))
    _triples.connected_triples(W, weights, low, high, out)
    return out


def within_members(ensemble: Ensemble, Z: np.ndarray) -> np.ndarray:
    """Set entries between clusters of different members to zero, in place."""
    member = np.repeat(np.arange(ensemble.n_members), ensemble.n_clusters_per_member)
    Z[member[:, None] != member] = 0.0
    return Z


def linked_similarity(
    ensemble: Ensemble, Z: np.ndarray, *, across: bool = False
) -> CoreCoassociation:
    """Return the similarity of distinct label rows from that of clusters.

    Parameters
    ----------
    ensemble : Ensemble
    Z : (C, C) array
        Similarities of clusters; zero between members unless ``across``.
    across : bool, default=False
        Whether rows are compared in all pairs of members (the mean over M^2), or in
        each member separately (the mean over M).
    """
    from coterie._kernels import _incidence

    rows, offsets = ensemble.core.rows, ensemble.offsets
    u, C = len(ensemble.core), Z.shape[0]
    check_memory(
        2 * u * (u - 1),
        f"The similarities of {u:,} distinct label rows",
        None,
        "Use a method that does not need them (ecpcs-mc, gp-mgla, lwgp).",
    )
    Z = np.ascontiguousarray(Z, dtype=np.float32)
    present = (rows >= 0).astype(np.float32)  # (u, M)
    condensed = np.empty(u * (u - 1) // 2, dtype=np.float32)
    own = np.empty(u)
    step = int(np.clip(_TILE_BYTES // (4 * max(u, C)), 1, 512))
    for start in range(0, u, step):
        stop = min(start + step, u)
        tile = np.empty((stop - start, C), dtype=np.float32)
        _incidence.gather(rows[start:stop], offsets, Z, tile)
        S = np.empty((u - start, stop - start), dtype=np.float32)
        _incidence.gather(rows[start:], offsets, np.ascontiguousarray(tile.T), S)
        if across:
            S /= present[start:].sum(axis=1)[:, None] * present[start:stop].sum(axis=1)
        else:
            both = present[start:] @ present[start:stop].T
            np.divide(S, both, out=S, where=both > 0)
        np.clip(S, 0.0, 1.0, out=S)
        for i in range(start, stop):
            column = S[i - start :, i - start]
            own[i] = column[0]
            at = i * u - i * (i + 1) // 2
            condensed[at : at + u - i - 1] = column[1:]
    return CoreCoassociation(condensed, own)


def _decayed(S: np.ndarray, decay: float) -> np.ndarray:
    """Return S divided by its maximum, times the decay, with a unit diagonal."""
    largest = S.max(initial=0.0)
    if largest > 0:
        S *= decay / largest
    np.fill_diagonal(S, 1.0)
    return S


def _self_similarity(ensemble: Ensemble, C: np.ndarray) -> np.ndarray:
    """Return the mean similarity of the clusters of each distinct row, (u,)."""
    total = np.zeros(len(ensemble.core))
    flat = ensemble.global_labels(ensemble.core.rows).reshape(-1, ensemble.n_members)
    present = flat >= 0
    for m in range(ensemble.n_members):
        for n in range(ensemble.n_members):
            both = present[:, m] & present[:, n]
            total[both] += C[flat[both, m], flat[both, n]]
    return total / present.sum(axis=1) ** 2
