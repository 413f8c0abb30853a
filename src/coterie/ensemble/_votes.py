"""How the clusters of an ensemble vote for the clusters of a partition."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from coterie._typing import LABEL_DTYPE
from coterie.ensemble._ensemble import Ensemble
from coterie.ensemble._weights import Weights

_CHUNK = 65536  # rows of a sample's votes in memory at once


def cluster_counts(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Return for each cluster how many samples are in each final cluster, (C, k).

    Parameters
    ----------
    ensemble : Ensemble
    labels : (N,) int array
        The partition, coded 0..k - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import Ensemble
    >>> from coterie.ensemble._votes import cluster_counts
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> cluster_counts(ensemble, np.array([0, 0, 1, 1]))
    array([[2., 0.],
           [0., 2.],
           [1., 0.],
           [1., 2.]])
    """
    from coterie._kernels._kcc import profile_counts

    counts = np.zeros((ensemble.n_total_clusters, int(labels.max()) + 1))
    ones = np.ones(min(_CHUNK, ensemble.n_samples), dtype=np.int64)
    for start in range(0, ensemble.n_samples, _CHUNK):
        columns = np.ascontiguousarray(ensemble.labels[start : start + _CHUNK].T)
        final = labels[start : start + _CHUNK]
        profile_counts(columns, ensemble.offsets, ones, final, counts)
    return counts


def cluster_shares(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Return for each cluster the share of its samples in each final cluster, (C, k).

    Parameters
    ----------
    ensemble : Ensemble
    labels : (N,) int array
        The partition, coded 0..k - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import Ensemble
    >>> from coterie.ensemble._votes import cluster_shares
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> cluster_shares(ensemble, np.array([0, 0, 1, 1])).round(2)
    array([[1.  , 0.  ],
           [0.  , 1.  ],
           [1.  , 0.  ],
           [0.33, 0.67]])
    """
    counts = cluster_counts(ensemble, labels)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)


def sample_shares(
    rows: np.ndarray,
    offsets: np.ndarray,
    shares: np.ndarray,
    cluster_weights: np.ndarray,
) -> np.ndarray:
    """Return the weighted vote of each label row for each final cluster, (n, k).

    Rows sum to one, except for a row without any assigned label, which is zero.

    Parameters
    ----------
    rows : (n, M) int array
        Label rows; -1 = not assigned.
    offsets : (M + 1,) int64 array
        Where the clusters of each member begin.
    shares : (C, k) array
        From :func:`cluster_shares`.
    cluster_weights : (C,) array
        How much each cluster counts.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import Ensemble
    >>> from coterie.ensemble._votes import cluster_shares, sample_shares
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> shares = cluster_shares(ensemble, np.array([0, 0, 1, 1]))
    >>> weights = np.ones(ensemble.n_total_clusters)
    >>> sample_shares(ensemble.labels, ensemble.offsets, shares, weights).round(2)
    array([[1.  , 0.  ],
           [0.67, 0.33],
           [0.17, 0.83],
           [0.17, 0.83]])
    """
    from coterie._kernels._incidence import gather

    weighted = np.column_stack([shares * cluster_weights[:, None], cluster_weights])
    votes = np.empty((rows.shape[0], weighted.shape[1]))
    gather(np.ascontiguousarray(rows), offsets, np.ascontiguousarray(weighted), votes)
    total = votes[:, -1:]
    return np.divide(
        votes[:, :-1], total, out=np.zeros_like(votes[:, :-1]), where=total > 0
    )


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the ensemble places each sample, and where else it might.

    Attributes
    ----------
    confidence : (N,) array
        The vote for the sample's own cluster, in [0, 1]: the (weighted) mean, over the
        clusters that hold the sample, of the share of the cluster's samples that are in
        the same final cluster. One where all the companions of a sample went with it.
    second : (N,) int32 array
        The other cluster with the most votes; -1 where there is one cluster only.
    margin : (N,) array
        The vote for its own cluster less that for the second. Negative where the
        members vote for another cluster than the consensus function chose.

    Examples
    --------
    >>> from coterie import Ensemble, Weights
    >>> from coterie.ensemble._votes import placement
    >>> import numpy as np
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> found = placement(ensemble, Weights(), np.array([0, 0, 1, 1]))
    >>> found.second
    array([1, 1, 0, 0], dtype=int32)
    """

    confidence: np.ndarray
    second: np.ndarray
    margin: np.ndarray


def voters(ensemble: Ensemble, weights: Weights) -> tuple[Ensemble, Weights]:
    """Return the members that are asked about single samples, with their weights.

    Parameters
    ----------
    ensemble : Ensemble
    weights : Weights

    Examples
    --------
    >>> from coterie import Ensemble, Weights
    >>> from coterie.ensemble._votes import voters
    >>> ensemble, _ = voters(Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]]), Weights())
    >>> ensemble.n_members
    2
    """
    some = ensemble.voters()
    if some is ensemble:
        return ensemble, weights
    if weights.members is None or weights.members.all():
        return some, Weights()
    kept = ensemble.subset(np.flatnonzero(weights.members))
    return kept.voters(), Weights()


def placement(ensemble: Ensemble, weights: Weights, labels: np.ndarray) -> Placement:
    """Return confidence, second-best cluster and margin of each sample.

    Parameters
    ----------
    ensemble : Ensemble
    weights : Weights
        How much members and clusters count.
    labels : (N,) int array
        The partition, coded 0..k - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import Ensemble, Weights
    >>> from coterie.ensemble._votes import placement
    >>> ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> placement(ensemble, Weights(), np.array([0, 0, 1, 1])).confidence.round(2)
    array([1.  , 0.67, 0.83, 0.83])
    """
    n_samples = ensemble.n_samples
    own = np.empty(n_samples)
    second = np.full(n_samples, -1, dtype=LABEL_DTYPE)
    other = np.zeros(n_samples)
    for part, votes in _votes(ensemble, labels, weights):
        at = labels[part, None]
        own[part] = np.take_along_axis(votes, at, axis=1)[:, 0]
        if votes.shape[1] > 1:
            np.put_along_axis(votes, at, -1.0, axis=1)
            second[part] = votes.argmax(axis=1)
            other[part] = votes.max(axis=1)
    return Placement(np.clip(own, 0.0, 1.0), second, own - other)


def _votes(
    ensemble: Ensemble, labels: np.ndarray, weights: Weights
) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield some samples at a time, with their votes for each cluster."""
    shares = cluster_shares(ensemble, labels)
    cluster_weights = weights.per_cluster(ensemble)
    for start in range(0, ensemble.n_samples, _CHUNK):
        part = slice(start, start + _CHUNK)
        yield (
            part,
            sample_shares(
                ensemble.labels[part], ensemble.offsets, shares, cluster_weights
            ),
        )
