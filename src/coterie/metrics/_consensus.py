"""Item-consensus and cluster-consensus, as ConsensusClusterPlus defines them.

Both are means of the consensus matrix M, where ``M[i, j]`` is the share of the members
that put samples i and j together, among those that assign both. M is never built.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coterie.ensemble._coassociation import inverted_lists
from coterie.ensemble._votes import cluster_counts

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from coterie.ensemble import Ensemble

_TILE = 256  # distinct label rows at once
_EXACT_ROWS = 20_000  # distinct label rows up to which missing labels are exact


def item_consensus(ensemble: Ensemble, labels: ArrayLike) -> NDArray[np.float64]:
    r"""How often, on average, each sample is together with the samples of each cluster.

    .. math:: m_i(c) = \frac{1}{|c \setminus i|} \sum_{j \in c, j \neq i} M_{ij},

    where :math:`M_{ij}` is the share of the members that put i and j together, among
    those that assign both [1]_.

    Parameters
    ----------
    ensemble : Ensemble
        The members.
    labels : array-like of shape (n_samples,)
        The clustering, coded 0 to k - 1.

    Returns
    -------
    ndarray of shape (n_samples, k)
        NaN for a sample and the cluster in which it is alone.

    Notes
    -----
    Sums over a cluster are sums of overlaps, so time is linear in the number of
    samples. With missing labels each pair has its own denominator, so pairs of distinct
    label rows are compared, up to 20,000 rows; beyond that, the result is the number of
    times a sample is together with the cluster's samples, divided by the number of
    times that both are assigned.

    References
    ----------
    .. [1] M. D. Wilkerson, D. N. Hayes, "ConsensusClusterPlus: a class discovery tool
       with confidence assessments and item tracking", Bioinformatics 26(12),
       1572-1573, 2010. :doi:`10.1093/bioinformatics/btq170`

    Examples
    --------
    >>> from coterie.ensemble import Ensemble
    >>> from coterie.metrics import item_consensus
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 0, 0, 1]])
    >>> item_consensus(ensemble, [0, 0, 1, 1])
    array([[1.  , 0.25],
           [1.  , 0.25],
           [0.5 , 0.5 ],
           [0.  , 0.5 ]])
    """
    labels = _checked("item_consensus", ensemble, labels)
    sizes = np.bincount(labels).astype(np.float64)
    rows = np.arange(labels.size)
    sums = _sums(ensemble, labels)  # of M over each cluster, i itself included
    sums[rows, labels] -= 1.0
    others = np.broadcast_to(sizes, sums.shape).copy()
    others[rows, labels] -= 1.0
    return np.divide(sums, others, out=np.full_like(sums, np.nan), where=others > 0)


def cluster_consensus(ensemble: Ensemble, labels: ArrayLike) -> NDArray[np.float64]:
    r"""How often, on average, two samples of a cluster are together.

    .. math:: m(c) = \frac{2}{|c| (|c| - 1)} \sum_{i < j \in c} M_{ij},

    the mean of :func:`item_consensus` over the cluster's own samples.

    Parameters
    ----------
    ensemble : Ensemble
        The members.
    labels : array-like of shape (n_samples,)
        The clustering, coded 0 to k - 1.

    Returns
    -------
    ndarray of shape (k,)
        NaN for a cluster of one sample.

    Examples
    --------
    >>> from coterie.ensemble import Ensemble
    >>> from coterie.metrics import cluster_consensus
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 0, 0, 1]])
    >>> cluster_consensus(ensemble, [0, 0, 1, 1])
    array([1. , 0.5])
    """
    labels = _checked("cluster_consensus", ensemble, labels)
    own = item_consensus(ensemble, labels)[np.arange(labels.size), labels]
    return np.bincount(labels, own) / np.bincount(labels)


def _checked(who: str, ensemble: Ensemble, labels: ArrayLike) -> NDArray[Any]:
    given = np.asarray(labels)
    coded = (
        given.ndim == 1
        and given.dtype.kind in "iu"
        and np.array_equal(np.unique(given), np.arange(given.max(initial=-1) + 1))
    )
    if not coded or given.size != ensemble.n_samples:
        raise ValueError(
            f"{who} expects one label, 0 to k - 1, for each of the "
            f"{ensemble.n_samples} samples of the ensemble, got an array of shape "
            f"{given.shape} and dtype {given.dtype}. Pass labels_ of a fitted system."
        )
    return given


def _sums(ensemble: Ensemble, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Return the sums of M over the samples of each cluster, (N, k)."""
    if ensemble.has_missing and len(ensemble.core) <= _EXACT_ROWS:
        return _sums_by_pairs(ensemble, labels)
    from coterie._kernels._incidence import gather

    counts = cluster_counts(ensemble, labels)  # (C, k)
    together = np.empty((ensemble.n_samples, counts.shape[1]))
    gather(ensemble.labels, ensemble.offsets, counts, together)
    if not ensemble.has_missing:
        return together / ensemble.n_members
    present = (ensemble.labels >= 0).astype(np.float64)
    of_cluster = np.array(
        [present[labels == c].sum(axis=0) for c in range(counts.shape[1])]
    )  # (k, M) samples that a member assigns
    both = present @ of_cluster.T  # (N, k)
    sizes = np.bincount(labels)
    # the sample itself has M = 1 and counts once among the cluster's
    rows = np.arange(labels.size)
    seen = present.sum(axis=1)
    together[rows, labels] -= seen
    both[rows, labels] -= seen
    others = np.broadcast_to(sizes, both.shape).astype(np.float64)
    others[rows, labels] -= 1.0
    mean = np.divide(together, both, out=np.zeros_like(both), where=both > 0)
    sums = mean * others
    sums[rows, labels] += 1.0
    return sums


def _sums_by_pairs(ensemble: Ensemble, labels: NDArray[Any]) -> NDArray[np.float64]:
    """Compute the same sums from pairs of distinct label rows, tile by tile."""
    from coterie._kernels._coassociation import coassociation_tile

    core = ensemble.core
    k = int(labels.max()) + 1
    samples = np.zeros((len(core), k), dtype=np.float32)  # (u, k) of a row in a cluster
    np.add.at(samples, (core.index, labels), 1.0)
    present = (core.rows >= 0).astype(np.float32)  # (u, M)
    starts, listed, _ = inverted_lists(ensemble)
    ones = np.ones(ensemble.n_total_clusters, dtype=np.float32)
    sums = np.empty((len(core), k))
    for first in range(0, len(core), _TILE):
        part = slice(first, min(first + _TILE, len(core)))
        together = np.zeros((part.stop - first, len(core)), dtype=np.float32)
        coassociation_tile(
            core.rows, ensemble.offsets, ones, starts, listed, first, together
        )
        both = present[part] @ present.T
        share = np.divide(together, both, out=np.zeros_like(both), where=both > 0)
        sums[part] = share.astype(np.float64) @ samples
    result = sums[core.index]
    # a sample is together with itself even if no member assigns it
    alone = ~np.asarray(present.any(axis=1))[core.index]
    result[alone, labels[alone]] += 1.0
    return result
