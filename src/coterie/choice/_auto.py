"""Estimators that choose their number of clusters."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._validation import COUNT, StrOptions, check_n_clusters
from coterie.choice._choose import choose_k

AUTO = "auto"
N_CLUSTERS = [*COUNT, StrOptions({AUTO})]


def set_n_clusters(estimator: Any, X: Any, seed: np.random.SeedSequence) -> None:
    """Check ``n_clusters`` and set ``n_clusters_``; with "auto" ``k_choice_`` as well.

    Parameters
    ----------
    estimator : system or clusterer
    X : array or CSR matrix
        The prepared data.
    seed : SeedSequence
        The seed of the whole fit, which is not changed.
    """
    vars(estimator).pop("k_choice_", None)  # of an earlier fit
    if estimator.n_clusters != AUTO:
        who = type(estimator).__name__
        k = check_n_clusters(estimator.n_clusters, X.shape[0], who)
        estimator.n_clusters_ = k
        return
    if hasattr(estimator, "_chosen_from"):  # systems may use a subsample
        X = estimator._chosen_from(X, seed)
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 2**31))
    estimator.k_choice_ = choose_k(
        X,
        random_state=own,
        n_jobs=getattr(estimator, "n_jobs", None),
        progress=getattr(estimator, "progress", None),
    )
    estimator.n_clusters_ = estimator.k_choice_.n_clusters
