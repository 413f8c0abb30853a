"""What spectral methods share: k-means on the unit rows of an embedding."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._linalg import kmeans, unit_rows
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.ensemble import Ensemble


class EmbeddingConsensus(BaseConsensus):
    """Embeds the distinct label rows, scales them to unit length, runs k-means.

    A subclass implements ``_embed(ensemble, n_clusters, weights, rng)``, which returns
    a (u, d) array.
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 3) -> None:
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        core = ensemble.core
        points = unit_rows(self._embed(task))
        found = kmeans(
            points,
            min(task.n_clusters, len(core)),
            rng=task.rng,
            n_init=self.n_init,
            sample_weight=self._row_weights(ensemble),
        )
        return ConsensusResult(
            found.labels[core.index],
            objective=found.inertia,
            n_iter=found.n_iter,
            converged=found.converged,
            details={"embedding": points[core.index]},
        )

    def _row_weights(self, ensemble: Ensemble) -> np.ndarray:
        """Return how much each distinct row counts in k-means, (u,)."""
        return ensemble.core.counts.astype(np.float64)

    def _embed(self, task: Task) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must implement _embed.")


class CoreEmbeddingConsensus(EmbeddingConsensus):
    """Embeds core clusters, each of which counts once, however many samples it has."""

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        if task.n_clusters >= len(ensemble.core):
            return ConsensusResult(ensemble.core.index)
        return super()._combine(task)

    def _row_weights(self, ensemble: Ensemble) -> np.ndarray:
        return np.ones(len(ensemble.core))
