"""What generators with random members share: checks, draws, clusterers."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np

from coterie._linalg import kmeans
from coterie._validation import COUNT, SHARE, HasMethods, clone
from coterie.generation._base import BaseGenerator, Draft

_PAIR = [tuple, list]
_LEAST = {"mu_range": 0.0, "gini_range": 0.0, "neighbors_range": 1}


class RandomGenerator(BaseGenerator):
    """A generator whose members draw their number of clusters.

    A parameter has the same constraint in all of them.
    """

    n_clusters: Any
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": COUNT,
        "n_clusters": [*COUNT, tuple, list, None],
        "clusterer": [HasMethods("fit_predict"), None],
        "sample_ratio": SHARE,
        "feature_ratio": SHARE,
        "subspace_ratio": SHARE,
        "mu_range": _PAIR,
        "gini_range": _PAIR,
        "neighbors_range": _PAIR,
        "n_neighbors": COUNT,
        "n_init": COUNT,
        "max_iter": COUNT,
    }

    def _check(self, X: Any) -> None:
        check_range(self.n_clusters, self._n_seen(X.shape[0]), type(self).__name__)
        for name, least in _LEAST.items():
            if hasattr(self, name):
                check_pair(getattr(self, name), name, least, type(self).__name__)

    def _n_seen(self, n_samples: int) -> int:
        """Return the number of samples that a member clusters."""
        return n_samples


def check_range(
    n_clusters: Any, n_samples: int, who: str, name: str = "n_clusters"
) -> None:
    """Raise unless ``n_clusters`` is a number or range that the samples allow."""
    if n_clusters is None:
        return
    high = n_clusters
    if isinstance(n_clusters, tuple | list):
        if not _is_range(n_clusters, (int, np.integer)) or n_clusters[0] < 1:
            raise ValueError(
                f"{who} expects {name} as a number or a range (low, high) with "
                f"1 <= low <= high, got {n_clusters!r}."
            )
        high = n_clusters[1]
    if high > n_samples:
        raise ValueError(
            f"{who} was asked for members of up to {high} clusters, but there are only "
            f"n_samples={n_samples} samples."
        )


def draw_n_clusters(n_clusters: Any, n_samples: int, rng: np.random.Generator) -> int:
    """Draw the number of clusters of one member."""
    if n_clusters is None:
        low, high = 2, math.ceil(math.sqrt(n_samples))
    elif isinstance(n_clusters, tuple | list):
        low, high = n_clusters
    else:
        low = high = n_clusters
    high = min(high, n_samples)
    return int(rng.integers(min(low, high), high, endpoint=True))


def draw_sorted(n: int, share: float, rng: np.random.Generator) -> np.ndarray:
    """Draw a share of ``range(n)`` without repetition, at least one, sorted."""
    size = max(1, round(share * n))
    return np.sort(rng.choice(n, size=size, replace=False))


def cluster_view(
    view: Any, clusterer: Any, n_clusters: Any, rng: np.random.Generator, **space: Any
) -> Draft:
    """Cluster one member's view of the data; ``space`` are its features or its map."""
    if clusterer is None:
        k = draw_n_clusters(n_clusters, view.shape[0], rng)
        found = kmeans(view, k, rng=rng)
        return Draft(found.labels, {"n_clusters": k}, centers=found.centers, **space)
    drawn = {}
    model: Any = clone(clusterer)
    if n_clusters is not None:
        drawn["n_clusters"] = draw_n_clusters(n_clusters, view.shape[0], rng)
        model.set_params(n_clusters=drawn["n_clusters"])
    seeds = {
        name: int(rng.integers(2**31 - 1))
        for name in sorted(model.get_params())
        if name == "random_state" or name.endswith("__random_state")
    }
    model.set_params(**seeds)
    return Draft(np.asarray(model.fit_predict(view)), {**drawn, **seeds}, **space)


def check_pair(pair: Any, name: str, least: float, who: str) -> None:
    """Raise unless the pair is a range of positive numbers, integers if least is."""
    whole = isinstance(least, int)
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if not _is_range(pair, kinds) or pair[0] < least or pair[0] <= 0:
        what = "whole numbers" if whole else "numbers"
        raise ValueError(
            f"{who} expects {name} as two positive {what} (low, high) with "
            f"low <= high, got {pair!r}."
        )


def _is_range(pair: Any, kinds: tuple[type, ...]) -> bool:
    fits = len(pair) == 2 and all(isinstance(end, kinds) for end in pair)
    return fits and pair[0] <= pair[1]
