"""Estimators that choose their number of clusters themselves."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from coterie._validation import Interval, StrOptions
from coterie.choice._choose import choose_k

AUTO = "auto"
N_CLUSTERS = [Interval(Integral, 1, None, closed="left"), StrOptions({AUTO})]


def set_n_clusters(estimator: Any, X: Any, seed: np.random.SeedSequence) -> None:
    """Set ``n_clusters_``, and ``k_choice_`` if the number is to be chosen.

    Parameters
    ----------
    estimator : system or clusterer
    X : array or CSR matrix
        The data as members see them.
    seed : SeedSequence
        That of the whole fit, which is left as it is.
    """
    vars(estimator).pop("k_choice_", None)  # of an earlier fit
    if estimator.n_clusters != AUTO:
        estimator.n_clusters_ = int(estimator.n_clusters)
        return
    if hasattr(estimator, "_chosen_from"):  # systems may look at some of the data
        X = estimator._chosen_from(X, seed)
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 2**31))
    estimator.k_choice_ = choose_k(
        X,
        random_state=own,
        n_jobs=getattr(estimator, "n_jobs", None),
        progress=getattr(estimator, "progress", None),
    )
    estimator.n_clusters_ = estimator.k_choice_.n_clusters
