"""The last step of spectral methods: k-means on the unit rows of an embedding."""

from __future__ import annotations

import numpy as np

from coterie.consensus._base import ConsensusResult
from coterie.ensemble import Ensemble
from coterie.linalg import kmeans, unit_rows


def cluster_embedding(
    embedding: np.ndarray,
    ensemble: Ensemble,
    n_clusters: int,
    n_init: int,
    rng: np.random.Generator,
) -> ConsensusResult:
    """Cluster the distinct label rows by their embedding (u, d), and expand."""
    core = ensemble.core
    points = unit_rows(embedding)
    found = kmeans(
        points,
        min(n_clusters, len(core)),
        rng=rng,
        n_init=n_init,
        sample_weight=core.counts.astype(points.dtype),
    )
    return ConsensusResult(
        found.labels[core.index],
        objective=found.inertia,
        n_iter=found.n_iter,
        converged=found.converged,
        details={"embedding": points[core.index]},
    )
