"""Warnings of clusters whose sizes the members do not support."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np

from coterie._display import count
from coterie.consensus._base import Task
from coterie.consensus._embedding import cluster_directions, membership_embedding
from coterie.ensemble import BlockEnsemble, Ensemble, Weights
from coterie.exceptions import ClusterSizesWarning
from coterie.metrics import ari, member_quality

_FAR_LARGER = 1.5  # than the largest cluster of any member
_UNEQUAL = 1.25  # largest cluster over the mean from which on sizes are unequal
_ROOMY = 0.5  # imbalance from which on no balance is forced
_ALIKE = 0.7  # ARI from which on two results are much the same
_GAIN = 1.1  # by which factor the members must agree better without balance
_MOST_CLUSTERS = 128


def warn_of_balance(consensus: Any, task: Task, labels: np.ndarray) -> None:
    """Warn if equal sizes were forced on members that speak against them.

    The normalised cut of the graph of samples and clusters balances nothing. If its
    clusters are unequal, differ much from the balanced ones, and agree better with the
    members, then balance was forced.

    Parameters
    ----------
    consensus : consensus function
        With an ``imbalance``; named in the warning. A quiet one does not warn.
    task : Task
    labels : (N,) int array
        The balanced clusters.
    """
    ensemble, k = task.ensemble, task.n_clusters
    if consensus._quiet or consensus.imbalance >= _ROOMY or k > _MOST_CLUSTERS:
        return
    if isinstance(ensemble, BlockEnsemble) or len(ensemble.core) <= k:
        return
    members = Weights(members=task.weights.members)
    free_task = replace(task, weights=members, rng=np.random.default_rng(0))
    counts = ensemble.core.counts.astype(np.float64)
    free = cluster_directions(
        membership_embedding(free_task), free_task, 3, counts
    ).labels
    sizes = np.bincount(free, minlength=k)
    if sizes.max() * k < _UNEQUAL * labels.size or ari(labels, free) >= _ALIKE:
        return
    shares = members.member_shares(ensemble)
    balanced, unequal = (
        float(member_quality(found, ensemble) @ shares) for found in (labels, free)
    )
    if unequal < _GAIN * balanced:
        return
    warnings.warn(
        f"{type(consensus).__name__} makes clusters of equal size, and these members "
        f"do not look like it: their mean NMI with the result is {balanced:.2f}, and "
        f"{unequal:.2f} with clusters of {in_words(sizes)} samples. Use "
        "partition='spectral' (woec, hbgf) or a method without balance, such as eac or "
        "lwgp; or raise imbalance to 0.5 or more.",
        ClusterSizesWarning,
        stacklevel=6,
    )


def warn_of_giant(consensus: Any, ensemble: Ensemble, labels: np.ndarray) -> None:
    """Warn if one cluster is far larger than the largest of every member.

    Where a member has more clusters than the result, its largest one counts as many
    times as it has more.

    Parameters
    ----------
    consensus : consensus function
        Named in the warning. A quiet one does not warn.
    ensemble : Ensemble
    labels : (N,) int array
    """
    sizes = np.bincount(labels)
    largest = np.maximum.reduceat(ensemble.cluster_sizes, ensemble.offsets[:-1])
    merged = np.maximum(1.0, ensemble.n_clusters_per_member / np.count_nonzero(sizes))
    expected = float((largest * merged).max())
    if consensus._quiet or sizes.max() <= _FAR_LARGER * expected:
        return
    warnings.warn(
        f"{type(consensus).__name__}: one cluster has {sizes.max():,} of "
        f"{count(labels.size, 'sample')}, far more than the largest of any member "
        f"({largest.max():,}). It may be a chain of clusters that touch. Raise theta, "
        "or compare with consensus='eac' or 'lwgp' on the same members.",
        ClusterSizesWarning,
        stacklevel=5,
    )


def in_words(sizes: np.ndarray, most: int = 6) -> str:
    """Return the sizes of clusters in words, the largest first."""
    words = [f"{size:,}" for size in sorted(sizes, reverse=True)]
    if len(words) > most:
        return f"{', '.join(words[:most])}, ..."
    return f"{', '.join(words[:-1])} and {words[-1]}"
