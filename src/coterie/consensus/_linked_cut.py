"""The transfer cut of a graph in which clusters are joined to clusters, too."""

from __future__ import annotations

import numpy as np

from coterie._linalg import largest_eigenpairs
from coterie.ensemble import Ensemble

_NOTHING = 1e-150  # of weights that sum to one; the square of less vanishes


def linked_transfer_cut(
    ensemble: Ensemble,
    w: np.ndarray,
    counts: np.ndarray,
    Z: np.ndarray | None,
    n_clusters: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray | None]:
    """Embed the distinct label rows and the clusters of an ensemble.

    A row has an edge of weight ``w`` to each cluster that holds it, a cluster has edges
    of weights ``Z`` to the clusters.

    Parameters
    ----------
    ensemble : Ensemble
    w : (C,) array
    counts : (u,) array
        How often each row counts.
    Z : (C, C) array or None
        Symmetric; None = no such edges.
    n_clusters : int
        Components of the embedding; no more than clusters.
    rng : numpy.random.Generator

    Returns
    -------
    rows : (u, k) array
    clusters : (C, k) array or None
    """
    to_rows = inverse(gather(ensemble, w[:, None]))  # of the degrees, (u, 1)
    E = w[:, None] * overlap(ensemble, counts * to_rows[:, 0]) * w
    P = None
    if Z is not None:
        P = Z / Z.sum(axis=1, keepdims=True)
        E += Z.T @ P
    scale = np.sqrt(inverse(E.sum(axis=1)))[:, None]
    A = scale * E * scale.T
    V = (
        scale
        * largest_eigenpairs(
            lambda U: A @ U,
            w.size,
            min(n_clusters, w.size),
            rng=rng,
            lower=0.0,
            dtype=np.float64,
            tol=1e-8,
        ).vectors
    )
    rows = to_rows * gather(ensemble, w[:, None] * V)
    return rows, None if P is None else P @ V


def overlap(ensemble: Ensemble, row_weights: np.ndarray) -> np.ndarray:
    """Return the weight of the core clusters that each two clusters share, (C, C)."""
    from coterie._kernels import _tables

    out = np.zeros((ensemble.n_total_clusters,) * 2)
    _tables.overlap(ensemble.core.columns, ensemble.offsets, row_weights, out)
    return out


def gather(ensemble: Ensemble, U: np.ndarray) -> np.ndarray:
    """Return for each core cluster the sum over its clusters of the rows of U."""
    from coterie._kernels import _incidence

    U = np.ascontiguousarray(U)
    out = np.empty((len(ensemble.core), U.shape[1]))
    _incidence.gather(ensemble.core.rows, ensemble.offsets, U, out)
    return out


def inverse(values: np.ndarray) -> np.ndarray:
    """Return one over the values; zero for what does not count."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > _NOTHING)
