"""Where the samples lie in the plane."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._validation import has_missing, is_sparse
from coterie.answers import Explanation
from coterie.answers._facts import data_of
from coterie.answers._kinds import votes_by_kind
from coterie.ensemble import Ensemble

_PERPLEXITY = 30.0
_ROUNDS = 400
_JITTER = 0.02  # relative to the map
_TIES = 1e-3  # added to distances: equal ones have no order
_START = 1e-4  # deviation of the first places, as in t-SNE's initialisation by PCA

Names = tuple[str, str]


def places_of(
    found: Explanation, X: Any, coordinates: Any, chosen: np.ndarray
) -> tuple[np.ndarray, Names]:
    """Return coordinates of the chosen samples, (n, 2), and the names of both axes."""
    if coordinates is None:
        return by_agreement(found, chosen), ("t-SNE 1", "t-SNE 2")
    if isinstance(coordinates, str):
        if coordinates != "pca":
            raise ValueError(
                "sample_map expects coordinates as 'pca', an array or None, got "
                f"{coordinates!r}."
            )
        places, names = _by_components(found, X)
        return places[chosen], names
    places = np.asarray(coordinates, dtype=np.float64)
    if places.shape != (found.labels.size, 2):
        raise ValueError(
            f"sample_map expects coordinates of shape ({found.labels.size}, 2), "
            f"got {places.shape}."
        )
    return places[chosen], ("x", "y")


def by_agreement(found: Explanation, chosen: np.ndarray) -> np.ndarray:
    """Return t-SNE of the members' agreement, (n, 2).

    The distance of two samples is the share of members that separate them. Members
    count by their weights, those of a panel by the weight of their kind.
    """
    from sklearn.manifold import TSNE

    whole = found.ensemble
    labels = np.ascontiguousarray(whole.labels[chosen])
    part = Ensemble._from_coded(labels, whole.offsets, whole.members)
    S = part.coassociation(votes_by_kind(found)).astype(np.float64)
    n = chosen.size
    if n < 2:
        return np.zeros((n, 2))
    noise = np.random.default_rng(0).random((n, n))
    apart = np.maximum(1.0 - S, 0.0) + _TIES * (noise + noise.T)
    np.fill_diagonal(apart, 0.0)
    tsne = TSNE(
        metric="precomputed",
        init=_first_places(S),  # pyright: ignore[reportArgumentType]
        perplexity=max(1.0, min(_PERPLEXITY, (n - 1) / 3)),
        max_iter=_ROUNDS,
        angle=0.7,  # coarser and faster than usual: the eye sees no difference
        random_state=0,
    )
    places = tsne.fit_transform(apart).astype(np.float64)
    alike = part.core.counts[part.core.index]  # samples with the same labels
    return _jittered(places, np.where(alike > 1, np.sqrt(alike / 40), 0.0).clip(max=2))


def _first_places(S: np.ndarray) -> np.ndarray:
    """Return the plane of classical scaling, with jitter for equal rows, (n, 2)."""
    from scipy.sparse.linalg import eigsh

    n = len(S)
    rng = np.random.default_rng(0)
    places = rng.normal(0.0, 0.1, (n, 2))
    means = S.mean(axis=0)
    centred = S - means - means[:, None] + means.mean()
    if n > 3 and np.abs(centred).max() > 1e-6:
        values, vectors = eigsh(centred, k=2, which="LA", v0=rng.random(n))
        plane = (vectors * np.sqrt(np.maximum(values, 0.0)))[:, ::-1]
        places += plane / (plane[:, 0].std() or 1.0)
    return (_START * places).astype(np.float32)


def _by_components(found: Explanation, X: Any) -> tuple[np.ndarray, Names]:
    """Return two principal components of the data, or of the members' labels."""
    what = "principal component" if X is not None else "members' labels, component"
    if X is None:
        points = found.ensemble.incidence()
    else:
        points = data_of(found, X, "sample_map")
        if has_missing(points):
            what = "missing values at the mean, component"
            points = np.where(np.isnan(points), np.nanmean(points, axis=0), points)
    places, shares = _components(points)
    if X is None:
        places = _jittered(places)
    first, second = (f"{what} {i + 1} ({share:.0%})" for i, share in enumerate(shares))
    return places, (first, second)


def _jittered(places: np.ndarray, strength: Any = 1.0) -> np.ndarray:
    """Move samples at random, so that those with the same labels stay visible."""
    rng = np.random.default_rng(0)
    turn = rng.uniform(0, 2 * np.pi, len(places))
    away = strength * _JITTER * np.ptp(places) * np.sqrt(rng.uniform(0, 1, len(places)))
    return places + away[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])


def _components(X: Any) -> tuple[np.ndarray, np.ndarray]:
    """Return two principal components, (N, 2), and their shares of the variance."""
    from scipy.sparse import csr_matrix
    from sklearn.decomposition import PCA

    n, d = X.shape
    places, shares = np.zeros((n, 2)), np.zeros(2)
    q = min(2, d, n - 1)
    if q:
        whole = min(n, d) <= 50 and not is_sparse(X)
        solver = "full" if whole else "arpack" if min(n, d) > 2 else "full"
        X = csr_matrix(X) if is_sparse(X) and solver == "arpack" else X
        X = X.toarray() if is_sparse(X) and solver == "full" else X
        pca = PCA(q, svd_solver=solver, random_state=0)
        places[:, :q] = pca.fit_transform(X)
        shares[:q] = np.nan_to_num(pca.explained_variance_ratio_)
    return places, shares
