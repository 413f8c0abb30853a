"""The base of spectral methods: k-means on the unit rows of an embedding."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._linalg import (
    BipartiteGraph,
    KMeansResult,
    kmeans,
    kmeans_from_sample,
    spectral_embedding,
    transfer_cut,
    unit_rows,
)
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.ensemble import Ensemble

_N_TRIED = 50_000  # rows on which the starts of k-means are compared


def kmeans_result(
    found: KMeansResult, labels: np.ndarray, **details: np.ndarray
) -> ConsensusResult:
    """Return the labels of the samples with what k-means says about them."""
    return ConsensusResult(
        labels,
        objective=found.inertia,
        n_iter=found.n_iter,
        converged=found.converged,
        details=details,
    )


def cluster_directions(
    points: np.ndarray, task: Task, n_init: int, sample_weight: np.ndarray
) -> ConsensusResult:
    """Run k-means on unit vectors, of which the first belong to the label rows.

    Overwrites the points.
    """
    index = task.ensemble.core.index
    points = unit_rows(points, overwrite=True)
    k = min(task.n_clusters, len(points))
    options: dict[str, Any] = {"n_init": n_init, "sample_weight": sample_weight}
    found = kmeans_from_sample(points, k, _N_TRIED, rng=task.rng, **options)
    return kmeans_result(found, found.labels[index], embedding=points[index])


def cluster_samples(points: np.ndarray, task: Task, n_init: int) -> ConsensusResult:
    """Run k-means on unit vectors, one for each sample."""
    points = unit_rows(points)
    k = min(task.n_clusters, len(points))
    found = kmeans(points, k, rng=task.rng, n_init=n_init)
    return kmeans_result(found, found.labels, embedding=points)


def membership_embedding(task: Task) -> np.ndarray:
    """Embed the label rows by the transfer cut of samples and clusters, (u, k)."""
    ensemble = task.ensemble
    core = ensemble.core
    graph = BipartiteGraph(
        core.rows,
        core.columns,
        ensemble.offsets,
        core.counts,
        task.weights.per_cluster(ensemble),
    )
    n_components = min(task.n_clusters, ensemble.n_total_clusters)
    return transfer_cut(graph, n_components, rng=task.rng)


def meta_clusters(Z: np.ndarray, task: Task, n_init: int) -> KMeansResult:
    """Group all clusters by the normalised cut of their similarities Z, (C, C)."""
    k = min(task.n_clusters, len(Z))
    U = spectral_embedding(Z, k, rng=task.rng, dtype=np.float64)
    return kmeans(unit_rows(U), k, rng=task.rng, n_init=n_init)


class EmbeddingConsensus(BaseConsensus):
    """Embeds the distinct label rows, scales them to unit length, runs k-means.

    A subclass implements ``_embed(task)``, which returns a (u, d) array.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 3) -> None:
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        weights = self._row_weights(task.ensemble)
        return cluster_directions(self._embed(task), task, self.n_init, weights)

    def _row_weights(self, ensemble: Ensemble) -> np.ndarray:
        """Return the weight of each distinct row in k-means, (u,)."""
        return ensemble.core.counts.astype(np.float64)

    def _embed(self, task: Task) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must implement _embed.")


class CoreEmbeddingConsensus(EmbeddingConsensus):
    """Embeds core clusters, each of which counts once, whatever its size."""

    clusters_rows: ClassVar[bool] = True

    def _row_weights(self, ensemble: Ensemble) -> np.ndarray:
        return np.ones(len(ensemble.core))
