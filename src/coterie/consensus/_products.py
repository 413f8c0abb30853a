"""Products and tables of the distinct label rows and the clusters of an ensemble."""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import squareform

from coterie._memory import check_memory
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import core_coassociation

_NEGLIGIBLE = 1e-150  # for weights that sum to one; smaller squares underflow


def gather(ensemble: Ensemble, U: np.ndarray) -> np.ndarray:
    """Sum the rows of U, (C, d), over the clusters of each label row, (u, d)."""
    from coterie._kernels import _incidence

    out = np.empty((len(ensemble.core), U.shape[1]))
    U = np.ascontiguousarray(U)
    _incidence.gather(ensemble.core.rows, ensemble.offsets, U, out)
    return out


def scatter(ensemble: Ensemble, V: np.ndarray) -> np.ndarray:
    """Sum the rows of V, (u, d), over the label rows in each cluster, (C, d)."""
    from coterie._kernels import _incidence

    out = np.zeros((ensemble.n_total_clusters, V.shape[1]), dtype=V.dtype)
    V = np.ascontiguousarray(V)
    _incidence.scatter(ensemble.core.columns, ensemble.offsets, V, out)
    return out


def tabulate(ensemble: Ensemble, labels: np.ndarray, k: int) -> np.ndarray:
    """Count the samples of each cluster in each final cluster, (C, k)."""
    from coterie._kernels._kcc import profile_counts

    core = ensemble.core
    table = np.zeros((ensemble.n_total_clusters, k))
    profile_counts(core.columns, ensemble.offsets, core.counts, labels, table)
    return table


def overlap(ensemble: Ensemble, row_weights: np.ndarray) -> np.ndarray:
    """Return the weight of the label rows that any two clusters share, (C, C)."""
    from coterie._kernels import _tables

    out = np.zeros((ensemble.n_total_clusters,) * 2)
    _tables.overlap(ensemble.core.columns, ensemble.offsets, row_weights, out.ravel())
    return out


def jaccard(ensemble: Ensemble, row_weights: np.ndarray | None = None) -> np.ndarray:
    """Return the Jaccard index of any two clusters, (C, C), with a zero diagonal.

    Parameters
    ----------
    ensemble : Ensemble
    row_weights : (u,) array, default=None
        The weight of each distinct label row; None is its number of samples.
    """
    both = ensemble.overlap() if row_weights is None else overlap(ensemble, row_weights)
    own = both.diagonal().copy()
    either = own[:, None] + own - both
    S = np.divide(both, either, out=both, where=either > 0)  # Eq. 5 of WOEC
    np.fill_diagonal(S, 0.0)
    return S


def dense_coassociation(
    ensemble: Ensemble, weights: Weights, dtype: type = np.float64
) -> np.ndarray:
    """Return the co-association of the distinct label rows, (u, u).

    The diagonal holds the similarity of two samples with the same label row.
    """
    S = core_coassociation(ensemble, weights)
    dense = squareform(S.condensed).astype(dtype, copy=False)
    np.fill_diagonal(dense, S.self_similarity)
    return dense


def inverse(values: np.ndarray) -> np.ndarray:
    """Return the reciprocals, with zero for negligible values."""
    return np.divide(1.0, values, out=np.zeros_like(values), where=values > _NEGLIGIBLE)


def check_cluster_memory(ensemble: Ensemble, n_matrices: int) -> None:
    """Raise if this number of matrices over all clusters would not fit."""
    C = ensemble.n_total_clusters
    check_memory(
        n_matrices * 8 * C * C,
        f"The similarities of {C:,} clusters",
        None,
        "Use a method that does not need them (lwgp, hbgf), or fewer clusters in each "
        "member.",
    )
