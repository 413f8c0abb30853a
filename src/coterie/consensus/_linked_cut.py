"""The transfer cut of a graph that also has edges between clusters."""

from __future__ import annotations

import numpy as np

from coterie._linalg import largest_eigenpairs
from coterie.consensus._base import Task
from coterie.consensus._products import gather, inverse, overlap


def linked_transfer_cut(
    task: Task, w: np.ndarray, counts: np.ndarray, Z: np.ndarray | None
) -> tuple[np.ndarray, np.ndarray | None]:
    """Embed the distinct label rows and the clusters of an ensemble.

    A row has an edge of weight ``w`` to each cluster that contains it; clusters have
    edges of weights ``Z`` to each other.

    Parameters
    ----------
    task : Task
        The embedding has ``n_clusters`` components, at most one per cluster.
    w : (C,) array
    counts : (u,) array
        The multiplicity of each row.
    Z : (C, C) array or None
        Symmetric; None means no edges between clusters.

    Returns
    -------
    rows : (u, k) array
    clusters : (C, k) array or None
    """
    ensemble = task.ensemble
    to_rows = inverse(gather(ensemble, w[:, None]))  # of the degrees, (u, 1)
    E = w[:, None] * overlap(ensemble, counts * to_rows[:, 0]) * w
    P = None
    if Z is not None:
        P = Z / Z.sum(axis=1, keepdims=True)
        E += Z.T @ P
    scale = np.sqrt(inverse(E.sum(axis=1)))[:, None]
    A = scale * E * scale.T
    k = min(task.n_clusters, w.size)
    found = largest_eigenpairs(
        lambda U: A @ U, w.size, k, rng=task.rng, lower=0.0, dtype=np.float64, tol=1e-8
    )
    V = scale * found.vectors
    return to_rows * gather(ensemble, w[:, None] * V), None if P is None else P @ V
