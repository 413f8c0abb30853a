"""Warnings of clusters whose sizes the members do not support."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from coterie._display import count
from coterie.ensemble import Ensemble
from coterie.exceptions import ClusterSizesWarning

_FAR_LARGER = 1.5  # than the largest cluster of any member


def warn_of_giant(consensus: Any, ensemble: Ensemble, labels: np.ndarray) -> None:
    """Warn if one cluster is far larger than the largest of every member.

    Where a member has more clusters than the result, its largest one counts as many
    times as it has more.

    Parameters
    ----------
    consensus : consensus function
        Named in the warning; a quiet one does not warn.
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
