"""Co-association of samples in four forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._memory import check_memory
from coterie.ensemble._ensemble import Ensemble
from coterie.ensemble._weights import Weights, as_weights

_ADVICE = (
    "Use a method that does not need it (lwgp, hbgf, kcc, sc), format='operator', or "
    "raise the limit."
)


@dataclass(frozen=True, eq=False)
class CoreCoassociation:
    """Co-association of the distinct label rows of an ensemble.

    Attributes
    ----------
    condensed : (u * (u - 1) / 2,) float32
        Between different rows.
    self_similarity : (u,) float64
        Between two samples with the same row.
    """

    condensed: np.ndarray
    self_similarity: np.ndarray


def coassociation(
    ensemble: Ensemble, weights: Any, format: str, memory_limit: int | None
) -> Any:
    """Return the co-association of the samples; see ``Ensemble.coassociation``."""
    weights = as_weights(weights, ensemble)
    makers = {
        "dense": _dense,
        "condensed": _condensed,
        "sparse": _sparse,
        "operator": _operator,
    }
    if format not in makers:
        raise ValueError(
            f"coassociation expects format as one of {sorted(makers)}, got {format!r}."
        )
    return makers[format](ensemble, weights, memory_limit)


def core_coassociation(
    ensemble: Ensemble, weights: Weights, memory_limit: int | None = None
) -> CoreCoassociation:
    """Return the co-association of the distinct label rows."""
    from coterie._kernels._coassociation import condensed_coassociation

    core = ensemble.core
    n_rows = len(core)
    n_pairs = n_rows * (n_rows - 1) // 2
    what = f"The co-association of {n_rows:,} distinct label rows"
    check_memory(4 * n_pairs, what, memory_limit, _ADVICE)
    cluster_weights = weights.per_cluster(ensemble)
    condensed = np.zeros(n_pairs, dtype=np.float32)
    single = cluster_weights.astype(np.float32)
    lists = inverted_lists(ensemble)
    condensed_coassociation(core.rows, ensemble.offsets, single, *lists, condensed)
    flat = ensemble.global_labels(core.rows)
    padded = np.append(cluster_weights, 0.0)  # a missing label (-1) adds nothing
    self_similarity = padded[flat].reshape(-1, ensemble.n_members).sum(axis=1)
    if ensemble.has_missing:
        _divide_by_presence(ensemble, weights, condensed, self_similarity)
    return CoreCoassociation(condensed, self_similarity)


def coassociation_rows(
    ensemble: Ensemble, weights: Weights, labels: np.ndarray
) -> Callable[[int, int], np.ndarray]:
    """Return a function for the co-association of label rows with the distinct ones.

    Called with (start, stop), it returns that of ``labels[start:stop]``, of shape
    (stop - start, u), float32.
    """
    from coterie._kernels._coassociation import coassociation_tile

    core = ensemble.core
    starts, rows, _ = inverted_lists(ensemble)
    per_cluster = weights.per_cluster(ensemble).astype(np.float32)
    present = (core.rows >= 0).astype(np.float32)
    share = weights.member_shares(ensemble).astype(np.float32)

    def similarity(start: int, stop: int) -> np.ndarray:
        S = np.zeros((stop - start, len(core)), dtype=np.float32)
        coassociation_tile(
            labels, ensemble.offsets, per_cluster, starts, rows, start, S
        )
        if ensemble.has_missing:
            both = ((labels[start:stop] >= 0) * share) @ present.T
            np.divide(S, both, out=S, where=both > 0)
        return S

    return similarity


def inverted_lists(ensemble: Ensemble) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return ``starts`` (C + 1,), ``rows``, ``positions`` (u, M) of the core rows."""
    from coterie._kernels._labels import inverted_lists as fill

    rows = ensemble.core.rows
    flat = ensemble.global_labels(rows)
    sizes = np.bincount(flat[flat >= 0], minlength=ensemble.n_total_clusters)
    starts = np.concatenate([[0], np.cumsum(sizes)])
    listed = np.empty(starts[-1], dtype=np.int32)
    positions = np.empty(rows.shape, dtype=np.int64)
    fill(rows, ensemble.offsets, starts[:-1].copy(), listed, positions)
    return starts, listed, positions


def _divide_by_presence(
    ensemble: Ensemble,
    weights: Weights,
    condensed: np.ndarray,
    self_similarity: np.ndarray,
) -> None:
    """Divide each entry by the share of members that assign both samples."""
    present = (ensemble.core.rows >= 0).astype(np.float32)  # (u, M)
    weighted = present * weights.member_shares(ensemble).astype(np.float32)
    n_rows = len(ensemble.core)
    for start in range(0, n_rows, 256):
        stop = min(start + 256, n_rows)
        both = weighted[start:stop] @ present[start:].T  # (b, u - start)
        for i in range(start, stop):
            at = i * n_rows - i * (i + 1) // 2
            share = both[i - start, i - start + 1 :]
            row = condensed[at : at + n_rows - i - 1]
            np.divide(row, share, out=row, where=share > 0)
    alone = weighted.sum(axis=1)
    np.divide(self_similarity, alone, out=self_similarity, where=alone > 0)


def _dense(ensemble: Ensemble, weights: Weights, limit: int | None) -> np.ndarray:
    from coterie._kernels._coassociation import expand_condensed

    n_samples = ensemble.n_samples
    what = f"The dense co-association of {n_samples:,} samples"
    check_memory(4 * n_samples**2, what, limit, _ADVICE)
    core = core_coassociation(ensemble, weights, limit)
    S = np.empty((n_samples, n_samples), dtype=np.float32)
    expand_condensed(core.condensed, core.self_similarity, ensemble.core.index, S)
    return S


def _condensed(ensemble: Ensemble, weights: Weights, limit: int | None) -> np.ndarray:
    from coterie._kernels._coassociation import repeat_condensed

    n_samples = ensemble.n_samples
    what = f"The condensed co-association of {n_samples:,} samples"
    check_memory(2 * n_samples * (n_samples - 1), what, limit, _ADVICE)
    core = core_coassociation(ensemble, weights, limit)
    if len(ensemble.core) == n_samples:
        return core.condensed
    S = np.empty(n_samples * (n_samples - 1) // 2, dtype=np.float32)
    repeat_condensed(core.condensed, core.self_similarity, ensemble.core.index, S)
    return S


def _sparse(ensemble: Ensemble, weights: Weights, limit: int | None) -> Any:
    from scipy.sparse import diags_array

    sizes = ensemble.cluster_sizes.astype(np.float64)
    entries = min(float((sizes**2).sum()), float(ensemble.n_samples) ** 2)
    what = f"The sparse co-association of {ensemble.n_samples:,} samples"
    check_memory(int(12 * entries), what, limit, _ADVICE)
    B = ensemble.incidence()
    S = (B * weights.per_cluster(ensemble)[None, :]).tocsr() @ B.T
    if ensemble.has_missing:
        S = _sparse_presence(ensemble, weights, S.tocoo())
    return (S - diags_array(S.diagonal()) + diags_array(np.ones(S.shape[0]))).tocsr()


def _sparse_presence(ensemble: Ensemble, weights: Weights, S: Any) -> Any:
    present = ensemble.labels >= 0
    share = weights.member_shares(ensemble)
    i, j = S.coords
    step = max(1, 2**24 // ensemble.n_members)
    for start in range(0, i.size, step):
        part = slice(start, start + step)
        S.data[part] /= (present[i[part]] & present[j[part]]) @ share
    return S.tocsr()


def _operator(ensemble: Ensemble, weights: Weights, limit: int | None) -> Any:
    from scipy.sparse.linalg import LinearOperator

    if ensemble.has_missing:
        raise ValueError(
            "coassociation(format='operator') needs an ensemble without missing "
            "labels: the share of members that assign both samples differs from pair "
            "to pair. Use another format, or complete the labels."
        )
    B = ensemble.incidence()
    cluster_weights = weights.per_cluster(ensemble)
    diagonal = 1.0 - B @ cluster_weights  # makes the diagonal of S one

    def product(V: np.ndarray) -> np.ndarray:
        V = np.asarray(V, dtype=np.float64)
        if V.ndim == 1:
            return B @ (cluster_weights * (B.T @ V)) + diagonal * V
        return B @ (cluster_weights[:, None] * (B.T @ V)) + diagonal[:, None] * V

    shape = (ensemble.n_samples, ensemble.n_samples)
    return LinearOperator(
        shape, matvec=product, rmatvec=product, matmat=product, dtype=np.float64
    )
