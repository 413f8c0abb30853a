"""Data without clusters that look like the data otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse

from coterie.choice._unimodal import fit_unimodal

Draw: TypeAlias = Callable[[np.random.Generator], np.ndarray]

_SAMPLES_PER_AXIS = 30
_ICA_STEPS, _ICA_TOLERANCE = 200, 1e-6
_ROUNDING = 1e-10  # of the largest variance, below which a component is rounding


def principal_scores(X: Any, n_components: int) -> np.ndarray:
    """Return the leading principal component scores, the widest first.

    Parameters
    ----------
    X : (n_samples, n_features) array or CSR matrix
    n_components : int
        At most so many; components without variance are left out.

    Returns
    -------
    (n_samples, d) float64 array
        Columns of mean zero that do not correlate; d = 0 if all samples are the same.
    """
    if X.shape[1] <= X.shape[0]:
        dense = X.toarray() if scipy.sparse.issparse(X) else X
        centred = dense - dense.mean(axis=0, dtype=np.float64)
        variances, axes = np.linalg.eigh(centred.T @ centred)
        scores = centred @ axes
    else:  # from the products of samples: sparse data stay sparse
        products = X @ X.T
        if scipy.sparse.issparse(products):
            products = products.toarray()
        products = products.astype(np.float64)
        products -= products.mean(axis=0)
        products -= products.mean(axis=1)[:, None]
        variances, scores = np.linalg.eigh(products)
        scores = scores * np.sqrt(np.maximum(variances, 0.0))
    kept = np.argsort(-variances, kind="stable")[:n_components]
    kept = kept[variances[kept] > _ROUNDING * max(variances[kept[0]], _tiny(X))]
    return np.ascontiguousarray(scores[:, kept])


def _tiny(X: Any) -> float:
    """Return the sum of squares that rounding alone gives, over the same factor."""
    square = X.multiply(X).sum() if scipy.sparse.issparse(X) else np.sum(np.square(X))
    return float(square) * np.finfo(X.dtype).eps ** 2 / _ROUNDING


def reference(kind: str, scores: np.ndarray, rng: np.random.Generator) -> Draw:
    """Return a function that draws data without clusters like the scores.

    Parameters
    ----------
    kind : {"gaussian", "permuted", "unimodal", "independent"}
    scores : (n, d) array
        Columns of mean zero that do not correlate.
    rng : numpy.random.Generator
        For the start of the independent components.
    """
    return NULLS[kind](scores, rng)


def gaussian(scores: np.ndarray, rng: np.random.Generator) -> Draw:
    """Draw Gaussian scores of the same covariance, as M3C does.

    If the data are Gaussian, whatever their covariance, these are draws from their own
    distribution given the sample covariance.
    """
    return lambda rng: _of_same_covariance(rng.standard_normal(scores.shape), scores)


def permuted(scores: np.ndarray, rng: np.random.Generator) -> Draw:
    """Shuffle each component on its own."""
    return lambda rng: _of_same_covariance(rng.permuted(scores, axis=0), scores)


def unimodal(scores: np.ndarray, rng: np.random.Generator) -> Draw:
    """Draw each component on its own from its unimodal fit.

    The top of the density is flat where the sample cannot tell it from flat: where it
    differs by no more than samples of a flat density do on average (Kuiper's
    statistic). Otherwise the fit has a peak by chance, and data with a flat top look
    clustered beside it.
    """
    slack = np.sqrt(0.5 * np.pi / scores.shape[0])
    fits = [fit_unimodal(column, slack) for column in scores.T]

    def draw(rng: np.random.Generator) -> np.ndarray:
        columns = [fit.draw(scores.shape[0], rng) for fit in fits]
        return _of_same_covariance(np.column_stack(columns), scores)

    return draw


def independent(scores: np.ndarray, rng: np.random.Generator) -> Draw:
    """Draw as ``unimodal``, along the axes that depend least on each other.

    Where components vary alike, principal axes are turned by chance: a square may stand
    on its corner, and independent draws along such axes give no square. The independent
    components find its sides again. They are looked for among the leading components,
    one for each 30 samples; with more, chance makes axes that mean nothing.
    """
    n, d = scores.shape
    spread = np.sqrt(np.mean(scores**2, axis=0))
    white = scores / spread
    leading = min(d, max(2, n // _SAMPLES_PER_AXIS))
    turn = np.eye(d)
    turn[:leading, :leading] = independent_axes(white[:, :leading], rng)
    draw = unimodal(white @ turn, rng)
    return lambda rng: (draw(rng) @ turn.T) * spread


NULLS = {
    "gaussian": gaussian,
    "permuted": permuted,
    "unimodal": unimodal,
    "independent": independent,
}


def independent_axes(white: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return the rotation (d, d) to independent components, by FastICA [1]_.

    Parameters
    ----------
    white : (n, d) array
        Of mean zero and covariance one.
    rng : numpy.random.Generator
        For the start.

    References
    ----------
    .. [1] A. Hyvärinen, "Fast and robust fixed-point algorithms for independent
       component analysis", IEEE Transactions on Neural Networks 10(3), 626-634, 1999.
       :doi:`10.1109/72.761722`
    """
    n, d = white.shape
    turn = _orthogonal(rng.standard_normal((d, d)))
    for _ in range(_ICA_STEPS):
        bent = np.tanh(white @ turn)  # (n, d)
        moved = _orthogonal(white.T @ bent / n - turn * np.mean(1.0 - bent**2, axis=0))
        still = np.abs(np.sum(moved * turn, axis=0)).min()
        turn = moved
        if still > 1.0 - _ICA_TOLERANCE:
            break
    return turn


def _orthogonal(A: np.ndarray) -> np.ndarray:
    """Return the nearest orthogonal matrix."""
    left, _, right = np.linalg.svd(A, full_matrices=False)
    return left @ right


def _of_same_covariance(draws: np.ndarray, scores: np.ndarray) -> np.ndarray:
    """Return the draws with exactly the (diagonal) covariance of the scores.

    Otherwise the reference would have correlations by chance, which the scores have
    not, and with many components these are most of what clustering finds.
    """
    draws = draws - draws.mean(axis=0)
    left, values, right = np.linalg.svd(draws / scores.std(axis=0), full_matrices=False)
    if values[-1] <= _ROUNDING * values[0]:
        return draws
    spread = np.sqrt(np.sum(scores**2, axis=0))
    return (left @ right) * spread  # the nearest orthogonal columns, then scaled
