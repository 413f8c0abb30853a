"""Members at each k, made in the same way for the data and the references."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._linalg._samples import DenseSamples
from coterie._validation import clone
from coterie.consensus._base import quiet
from coterie.ensemble import Ensemble

_MAX_ITER, _N_STARTS = 50, 3  # of k-means


@dataclass(frozen=True, eq=False)
class Division:
    """Many clusterings into (at most) k clusters.

    Attributes
    ----------
    k : int
    ensemble : Ensemble
        Members 2 i and 2 i + 1 come from the two halves of split i.
    separation : float
        Depth of the deepest valley between adjacent clusters, averaged over members.
    """

    k: int
    ensemble: Ensemble
    separation: float


Divide = Callable[
    [np.ndarray, Sequence[int], int, np.random.Generator], "list[Division]"
]


def divide_by_kmeans(
    scores: np.ndarray,
    k_values: Sequence[int],
    n_splits: int,
    rng: np.random.Generator,
) -> list[Division]:
    """Return k-means clusterings of random halves of the samples, for each k.

    The samples of the other half go to the nearest centre. Valleys between clusters are
    measured on the other half alone: the samples that formed a cluster look separated
    from the rest even if they are not.
    """
    n_samples = scores.shape[0]
    cut = n_samples // 2
    orders = [rng.permutation(n_samples) for _ in range(n_splits)]
    unseen = [half for order in orders for half in (order[cut:], order[:cut])]
    everyone = DenseSamples(np.ascontiguousarray(scores))
    halves = [
        DenseSamples(scores[half])
        for order in orders
        for half in (order[:cut], order[cut:])
    ]
    divisions = []
    for k in k_values:
        uniform = rng.random((2 * n_splits, _N_STARTS, k, 2 + int(np.log(k))))
        columns, depths = [], []
        for half, draws, rest in zip(halves, uniform, unseen, strict=True):
            centers, labels = half.best_centers(draws, _MAX_ITER, everyone)
            columns.append(labels)
            depths.append(_valley(scores[rest], labels[rest], centers))
        divisions.append(Division(k, Ensemble(columns), float(np.mean(depths))))
    return divisions


def divide_by(estimator: Any) -> Divide:
    """Return a function that uses one ensemble of the estimator for all k.

    Its members are made once; random halves of them are combined into k clusters by the
    estimator's own weighter and consensus function. Valleys are measured on all
    samples, since every member was learned from all of them.
    """

    def divide(
        scores: np.ndarray,
        k_values: Sequence[int],
        n_splits: int,
        rng: np.random.Generator,
    ) -> list[Division]:
        system: Any = clone(estimator).set_params(n_clusters=max(k_values))
        parts = system.parts(scores.shape[0])
        consensus = quiet(parts.consensus)
        ensemble = parts.generator.generate(scores, seed=rng)
        halves = []
        for _ in range(n_splits):
            order = rng.permutation(ensemble.n_members)
            cut = max(1, ensemble.n_members // 2)
            halves += [ensemble.subset(order[:cut]), ensemble.subset(order[-cut:])]
        weights = [
            None if parts.weighter is None else parts.weighter.weigh(half, X=scores)
            for half in halves
        ]
        seeds = rng.integers(2**32, size=len(halves))
        divisions = []
        for k in k_values:
            columns, depths = [], []
            for half, weight, seed in zip(halves, weights, seeds, strict=True):
                labels = consensus.combine(
                    half, k, weights=weight, X=scores, seed=int(seed)
                ).labels
                means = np.array(
                    [scores[labels == c].mean(axis=0) for c in range(labels.max() + 1)]
                )
                columns.append(labels)
                depths.append(_valley(scores, labels, means))
            divisions.append(Division(k, Ensemble(columns), float(np.mean(depths))))
        return divisions

    return divide


def _valley(points: np.ndarray, labels: np.ndarray, centers: np.ndarray) -> float:
    """Return the depth of the deepest valley between adjacent clusters."""
    from coterie._kernels._dip import valleys

    points, centers = np.ascontiguousarray(points), np.ascontiguousarray(centers)
    depths = np.full((len(centers), len(centers)), -1.0)
    corners = np.empty((2, len(points)), dtype=np.int64)
    valleys(points, labels, centers, corners, np.empty((6, len(points))), depths)
    return max(0.0, float(depths.max()))
