"""Systems that choose their number of clusters themselves."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

from coterie._validation import Interval, StrOptions
from coterie.choice import choose_k

AUTO = "auto"
N_CLUSTERS = [Interval(Integral, 1, None, closed="left"), StrOptions({AUTO})]


def set_n_clusters(system: Any, X: Any, seed: np.random.SeedSequence) -> None:
    """Set ``n_clusters_``, and ``k_choice_`` if the number is to be chosen.

    Parameters
    ----------
    system : estimator
    X : array or CSR matrix
        The data as members see them.
    seed : SeedSequence
        That of the whole fit, which is left as it is.
    """
    if system.n_clusters != AUTO:
        system.n_clusters_ = int(system.n_clusters)
        return
    X = system._chosen_from(X, seed)
    own = np.random.SeedSequence(seed.entropy, spawn_key=(*seed.spawn_key, 2**31))
    system.k_choice_ = choose_k(
        X, random_state=own, n_jobs=system.n_jobs, progress=system.progress
    )
    system.n_clusters_ = system.k_choice_.n_clusters
