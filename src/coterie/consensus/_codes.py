"""Clusters of codes: principal components, then a tree or k-means."""

from __future__ import annotations

import numpy as np

from coterie._linalg import cut_tree, kmeans, linkage_points
from coterie._typing import LABEL_DTYPE
from coterie.consensus._base import ConsensusResult
from coterie.ensemble import Codes, Weights, placement, relabel_by_appearance
from coterie.ensemble._codes import N_VOTERS

PARTITIONS = ("auto", "average", "average_squared", "ward", "kmeans")
_AVERAGE_UP_TO = 15_000  # samples, for "auto": 450 MB of distances
_STARTS = 10  # of k-means


def partition_points(
    U: np.ndarray, n_clusters: int, how: str, rng: np.random.Generator
) -> np.ndarray:
    """Return clusters of points, (N,) int32.

    Parameters
    ----------
    U : (N, d) array
    n_clusters : int
    how : {"auto", "average", "average_squared", "ward", "kmeans"}
        The kind of tree, or k-means; "auto" is "average" for up to 15,000 points and
        "ward" beyond.
    rng : numpy.random.Generator
        For the starts of k-means.
    """
    if n_clusters == 1:
        return np.zeros(len(U), dtype=LABEL_DTYPE)
    if how == "auto":
        how = "average" if len(U) <= _AVERAGE_UP_TO else "ward"
    if how == "kmeans":
        return kmeans(U, n_clusters, rng=rng, n_init=_STARTS).labels
    return cut_tree(linkage_points(U, how), n_clusters)


def combine_codes(
    codes: Codes,
    embedding: np.ndarray,
    n_clusters: int,
    how: str,
    rng: np.random.Generator,
) -> ConsensusResult:
    """Return the clusters of an embedding of codes, with the codes' confidence.

    Parameters
    ----------
    codes : Codes
    embedding : (N, d) array
        Their principal components.
    n_clusters : int
    how : str
        As in :func:`partition_points`.
    rng : numpy.random.Generator
    """
    labels = relabel_by_appearance(partition_points(embedding, n_clusters, how, rng))
    voters = codes.ensemble(at_most=N_VOTERS)
    found = placement(voters, labels, Weights())
    return ConsensusResult(
        labels,
        confidence=found.confidence,
        second=found.second,
        margin=found.margin,
        details={"embedding": embedding},
    )
