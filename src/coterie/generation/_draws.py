"""Draws that several generators make: numbers of clusters, clusterers, shares."""

from __future__ import annotations

import math
from numbers import Integral, Real
from typing import Any

import numpy as np

from coterie._linalg import kmeans
from coterie._validation import HasMethods, Interval, clone

N_CLUSTERS = [Interval(Integral, 1, None, closed="left"), tuple, list, None]
SHARE = [Interval(Real, 0, 1, closed="right")]
CLUSTERER = [HasMethods("fit_predict"), None]


def check_range(
    n_clusters: Any, n_samples: int, who: str, name: str = "n_clusters"
) -> None:
    """Raise unless ``n_clusters`` is a number or range that the samples allow."""
    if n_clusters is None:
        return
    if isinstance(n_clusters, tuple | list):
        whole = len(n_clusters) == 2 and all(
            isinstance(k, int | np.integer) for k in n_clusters
        )
        if not whole or not 1 <= n_clusters[0] <= n_clusters[1]:
            raise ValueError(
                f"{who} expects {name} as a number or a range (low, high) with "
                f"1 <= low <= high, got {n_clusters!r}."
            )
        high = n_clusters[1]
    else:
        high = n_clusters
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
    view: Any, clusterer: Any, n_clusters: Any, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray | None, dict[str, Any]]:
    """Cluster one member's data: labels, centres (or None) and what was drawn."""
    if clusterer is None:
        k = draw_n_clusters(n_clusters, view.shape[0], rng)
        found = kmeans(view, k, rng=rng)
        return found.labels, found.centers, {"n_clusters": k}
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
    return np.asarray(model.fit_predict(view)), None, {**drawn, **seeds}


def check_pair(pair: Any, name: str, least: float, who: str) -> None:
    """Raise unless the pair is a range of positive numbers, of the type of least."""
    whole = isinstance(least, int)
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    fits = len(pair) == 2 and all(isinstance(end, kinds) for end in pair)
    if not fits or not least <= pair[0] <= pair[1] or pair[0] <= 0:
        what = "whole numbers" if whole else "numbers"
        raise ValueError(
            f"{who} expects {name} as two positive {what} (low, high) with "
            f"low <= high, got {pair!r}."
        )
