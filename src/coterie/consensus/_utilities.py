"""Utilities of KCC: convex functions of profiles, and their distances."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coterie.ensemble import Ensemble

_EPS = float(np.finfo(np.float64).eps)


class Profiles:
    """Distributions of groups of samples over the clusters of each member.

    A profile has C entries; those of one member sum to one.
    """

    def __init__(self, ensemble: Ensemble) -> None:
        self._starts = ensemble.offsets[:-1]
        self._sizes = ensemble.n_clusters_per_member
        self._ensemble = ensemble

    def sums(self, values: np.ndarray) -> np.ndarray:
        """Sum over the clusters of each member, (C, ...) to (M, ...)."""
        return np.add.reduceat(values, self._starts, axis=0)

    def spread(self, values: np.ndarray) -> np.ndarray:
        """Repeat each member's value for its clusters, (M, ...) to (C, ...)."""
        return np.repeat(values, self._sizes, axis=0)

    @cached_property
    def overall(self) -> np.ndarray:
        """The profile of all samples, P^m, (C,)."""
        sizes = self._ensemble.cluster_sizes
        return sizes / self.spread(self.sums(sizes))

    def centers(self, table: np.ndarray) -> np.ndarray:
        """Return the profiles of final clusters from their counts, (C, k)."""
        total = self.spread(self.sums(table))  # samples that the member assigns
        centers = table / np.maximum(total, 1.0)
        return np.where(total > 0, centers, self.overall[:, None])


class _Category:
    """The squared norm; its distance is the squared Euclidean one."""

    def convex(self, P: np.ndarray, profiles: Profiles) -> np.ndarray:
        return profiles.sums(P * P)

    def distances(self, Y: np.ndarray, profiles: Profiles) -> np.ndarray:
        return 1.0 - 2.0 * Y + profiles.spread(profiles.sums(Y * Y))


class _Entropy:
    """Minus the entropy; its distance is the Kullback-Leibler divergence."""

    def convex(self, P: np.ndarray, profiles: Profiles) -> np.ndarray:
        return profiles.sums(P * np.log(np.maximum(P, _EPS)))

    def distances(self, Y: np.ndarray, profiles: Profiles) -> np.ndarray:
        return -np.log(np.maximum(Y, _EPS))


@dataclass(frozen=True)
class _Norm:
    """The p-norm; with p = 2 its distance is one minus the cosine."""

    p: float

    def convex(self, P: np.ndarray, profiles: Profiles) -> np.ndarray:
        return profiles.sums(P**self.p) ** (1.0 / self.p)

    def distances(self, Y: np.ndarray, profiles: Profiles) -> np.ndarray:
        norms = profiles.spread(self.convex(Y, profiles))
        return 1.0 - (Y / norms) ** (self.p - 1.0)


# name -> function of p; the convex function of profiles (Table 1 of the paper), and the
# cost of a one in a one-hot row at each cluster, given the centres (C, k)
UTILITIES = {
    "uc": lambda p: _Category(),
    "uh": lambda p: _Entropy(),
    "ucos": lambda p: _Norm(2.0),
    "ulp": _Norm,
}
