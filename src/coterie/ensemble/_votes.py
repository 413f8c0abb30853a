"""Votes of the clusters of an ensemble for the clusters of a partition."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from coterie._typing import LABEL_DTYPE
from coterie.ensemble._ensemble import Ensemble, columns_of
from coterie.ensemble._weights import Weights

_CHUNK = 65536  # samples whose votes are in memory at once
DOUBTFUL = 0.1  # below this margin a sample might belong to another cluster


def cluster_counts(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Return how many samples of each cluster are in each final cluster, (C, k).

    The partition ``labels`` is coded 0..k - 1.

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
        columns = columns_of(ensemble.labels[start : start + _CHUNK])
        final = labels[start : start + _CHUNK]
        profile_counts(columns, ensemble.offsets, ones, final, counts)
    return counts


def cluster_shares(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Return the share of each cluster's samples in each final cluster, (C, k)."""
    shares = cluster_counts(ensemble, labels)
    shares /= np.maximum(shares.sum(axis=1, keepdims=True), 1.0)
    return shares


def sample_shares(
    rows: np.ndarray,
    offsets: np.ndarray,
    shares: np.ndarray,
    cluster_weights: np.ndarray,
) -> np.ndarray:
    """Return the weighted vote of each label row for each final cluster, (n, k).

    Rows sum to one, except that a row without any assigned label is zero.

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
    from coterie._kernels._jit import read_only

    n_clusters = shares.shape[1]
    weighted = np.empty((len(shares), n_clusters + 1))  # may be large: no copies
    np.multiply(shares, cluster_weights[:, None], out=weighted[:, :n_clusters])
    weighted[:, n_clusters] = cluster_weights
    votes = np.empty((rows.shape[0], n_clusters + 1))
    gather(read_only(rows), offsets, weighted, votes)
    total = votes[:, -1:]
    return np.divide(
        votes[:, :-1], total, out=np.zeros_like(votes[:, :-1]), where=total > 0
    )


@dataclass(frozen=True, eq=False)
class Placement:
    """Where the ensemble places each sample, and the runner-up.

    Attributes
    ----------
    confidence : (N,) array
        The vote for the sample's own cluster, in [0, 1]: the (weighted) mean, over the
        clusters that contain the sample, of the share of the cluster's samples that are
        in the same final cluster. One if all companions of a sample went with it.
    second : (N,) int32 array
        The other cluster with the most votes; -1 if there is only one cluster.
    margin : (N,) array
        The vote for its own cluster minus that for the second. Negative if the members
        vote for another cluster than the consensus function chose.
    """

    confidence: np.ndarray
    second: np.ndarray
    margin: np.ndarray


def voters(ensemble: Ensemble, weights: Weights) -> tuple[Ensemble, Weights]:
    """Return the members that vote about single samples, with their weights."""
    some = ensemble.voters()
    if some is ensemble:
        return ensemble, weights
    if weights.members is None or weights.members.all():
        return some, Weights()
    kept = ensemble.subset(np.flatnonzero(weights.members))
    return kept.voters(), Weights()


def placement(ensemble: Ensemble, weights: Weights, labels: np.ndarray) -> Placement:
    """Return confidence, second-best cluster and margin of each sample.

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
    votes_of = partial(
        sample_shares,
        offsets=ensemble.offsets,
        shares=cluster_shares(ensemble, labels),
        cluster_weights=weights.per_cluster(ensemble),
    )
    for start in range(0, n_samples, _CHUNK):
        part = slice(start, start + _CHUNK)
        votes, at = votes_of(ensemble.labels[part]), labels[part, None]
        own[part] = np.take_along_axis(votes, at, axis=1)[:, 0]
        if votes.shape[1] > 1:
            np.put_along_axis(votes, at, -1.0, axis=1)
            second[part] = votes.argmax(axis=1)
            other[part] = votes.max(axis=1)
    return Placement(np.clip(own, 0.0, 1.0), second, own - other)


def is_doubtful(margin: np.ndarray, n_clusters: int) -> np.ndarray:
    """Return whether the votes for another cluster come close, for each sample.

    The one rule for reports, cards and tables.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.ensemble._votes import is_doubtful
    >>> is_doubtful(np.array([0.8, 0.05, -0.2]), 2)
    array([False,  True,  True])
    """
    if n_clusters == 1:
        return np.zeros(margin.size, dtype=bool)
    return margin < DOUBTFUL
