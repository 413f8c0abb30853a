"""How the clusters of an ensemble vote for the clusters of a partition."""

from __future__ import annotations

import numpy as np

from coterie.ensemble._ensemble import Ensemble
from coterie.ensemble._weights import Weights

_CHUNK = 65536  # rows of a sample's votes in memory at once


def cluster_shares(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Return for each cluster the share of its samples in each final cluster, (C, k).

    Parameters
    ----------
    ensemble : Ensemble
    labels : (N,) int array
        The partition, coded 0..k - 1.
    """
    from coterie._kernels._votes import count_votes

    counts = np.zeros((ensemble.n_total_clusters, int(labels.max()) + 1))
    count_votes(ensemble.labels, ensemble.offsets, labels, counts)
    return counts / np.maximum(counts.sum(axis=1, keepdims=True), 1.0)


def sample_shares(
    rows: np.ndarray,
    offsets: np.ndarray,
    shares: np.ndarray,
    cluster_weights: np.ndarray,
) -> np.ndarray:
    """Return the weighted vote of each label row for each final cluster, (n, k).

    Rows sum to one, except for a row without any assigned label, which is zero.
    """
    from coterie._kernels._incidence import gather

    weighted = np.column_stack([shares * cluster_weights[:, None], cluster_weights])
    votes = np.empty((rows.shape[0], weighted.shape[1]))
    gather(np.ascontiguousarray(rows), offsets, np.ascontiguousarray(weighted), votes)
    total = votes[:, -1:]
    return np.divide(
        votes[:, :-1], total, out=np.zeros_like(votes[:, :-1]), where=total > 0
    )


def confidence(ensemble: Ensemble, labels: np.ndarray, weights: Weights) -> np.ndarray:
    """Return how firmly the ensemble places each sample in its cluster, (N,).

    It is the (weighted) mean, over the clusters that hold the sample, of the share of
    the cluster's samples that are in the same final cluster: one where all the
    companions of a sample went with it, small where it was separated from them.
    """
    shares = cluster_shares(ensemble, labels)
    cluster_weights = weights.per_cluster(ensemble)
    result = np.empty(ensemble.n_samples)
    for start in range(0, ensemble.n_samples, _CHUNK):
        part = slice(start, start + _CHUNK)
        votes = sample_shares(
            ensemble.labels[part], ensemble.offsets, shares, cluster_weights
        )
        result[part] = np.take_along_axis(votes, labels[part, None], axis=1)[:, 0]
    return np.clip(result, 0.0, 1.0)
