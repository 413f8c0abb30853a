"""Reference data: like the data, but without clusters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from coterie._validation import is_sparse
from coterie.choice._unimodal import fit_unimodal

Draw: TypeAlias = Callable[[np.random.Generator], np.ndarray]

_SAMPLES_PER_AXIS = 30
_DEPENDENT = 0.1  # level of the test for dependent features
_ICA_STEPS, _ICA_TOLERANCE = 200, 1e-6
_ROUNDING = 1e-10  # of the largest variance; smaller ones are rounding errors


def principal_scores(X: Any, n_components: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the leading principal component scores, the widest first.

    Parameters
    ----------
    X : (n_samples, n_features) array or CSR matrix
    n_components : int
        The maximum; components without variance are left out.

    Returns
    -------
    scores : (n_samples, d) float64 array
        Uncorrelated columns of mean zero; d = 0 if all samples are the same.
    axes : (n_features, d) array or None
        The components in terms of features; None if there are more features than
        samples.
    """
    if X.shape[1] <= X.shape[0]:
        dense = X.toarray() if is_sparse(X) else X
        centred = dense - dense.mean(axis=0, dtype=np.float64)
        variances, axes = np.linalg.eigh(centred.T @ centred)
        scores = centred @ axes
    else:  # from the Gram matrix: sparse data stay sparse
        axes = None
        products = X @ X.T
        if is_sparse(products):
            products = products.toarray()
        products = products.astype(np.float64)
        products -= products.mean(axis=0)
        products -= products.mean(axis=1)[:, None]
        variances, scores = np.linalg.eigh(products)
        scores = scores * np.sqrt(np.maximum(variances, 0.0))
    kept = np.argsort(-variances, kind="stable")[:n_components]
    kept = kept[variances[kept] > _ROUNDING * max(variances[kept[0]], _tiny(X))]
    kept_axes = None if axes is None else axes[:, kept]
    return np.ascontiguousarray(scores[:, kept]), kept_axes


def _tiny(X: Any) -> float:
    """Return the sum of squares due to rounding alone, divided by ``_ROUNDING``."""
    square = X.multiply(X).sum() if is_sparse(X) else np.sum(np.square(X))
    return float(square) * np.finfo(X.dtype).eps ** 2 / _ROUNDING


def gaussian(scores: np.ndarray, *_: Any) -> Draw:
    """Draw Gaussian scores with the same covariance, as M3C does."""
    return _alike(lambda rng: rng.standard_normal(scores.shape), scores)


def permuted(scores: np.ndarray, *_: Any) -> Draw:
    """Shuffle each component separately."""
    white = scores / _spread(scores)
    return _alike(lambda rng: rng.permuted(white, axis=0), scores)


def unimodal(scores: np.ndarray, *_: Any) -> Draw:
    """Draw each component separately from its unimodal fit."""
    return _alike(_columns(scores / _spread(scores)), scores)


def _columns(white: np.ndarray) -> Draw:
    """Draw each column separately from its unimodal fit.

    The top of the density is flat wherever the sample does not differ from a flat
    density by more than samples of one do on average (Kuiper's statistic). Otherwise
    the fit has a chance peak, and data with a flat top look clustered in comparison.
    """
    n = white.shape[0]
    fits = [fit_unimodal(column, np.sqrt(0.5 * np.pi / n)) for column in white.T]
    return lambda rng: np.column_stack([fit.draw(n, rng) for fit in fits])


def independent(
    scores: np.ndarray, rng: np.random.Generator, axes: np.ndarray | None = None
) -> Draw:
    """Draw like ``unimodal``, along the axes that depend least on each other.

    If components have equal variances, principal axes are rotated by chance: a square
    may stand on its corner, and independent draws along such axes give no square. If
    the features themselves, decorrelated with as little change as possible, look
    independent, they are the axes. Otherwise independent component analysis recovers
    the sides of the square. It uses the leading components, one for every 30 samples;
    with more, axes are found by chance.

    Parameters
    ----------
    scores : (n, d) array
        Uncorrelated columns of mean zero.
    rng : numpy.random.Generator
        For the start of the independent components.
    axes : (D, d) array, default=None
        The components in terms of features.
    """
    n, d = scores.shape
    white = scores / _spread(scores)
    if axes is not None and len(axes) == d and _look_independent(white @ axes.T):
        turn = axes.T
    else:
        leading = min(d, max(2, n // _SAMPLES_PER_AXIS))
        turn = np.eye(d)
        turn[:leading, :leading] = independent_axes(white[:, :leading], rng)
    draw = _columns(white @ turn)
    return _alike(lambda rng: draw(rng) @ turn.T, scores)


def _look_independent(columns: np.ndarray) -> bool:
    """Whether the squares of uncorrelated columns correlate no more than by chance."""
    from scipy.stats import chi2

    n, d = columns.shape
    if d == 1:
        return True
    R = np.corrcoef(columns**2, rowvar=False)
    statistic = n * np.sum(R[np.triu_indices(d, 1)] ** 2)
    return bool(statistic <= chi2.ppf(1.0 - _DEPENDENT, d * (d - 1) // 2))


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
        Columns of mean zero with the identity as covariance.
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


def _spread(scores: np.ndarray) -> np.ndarray:
    """Return the standard deviations of columns with zero mean."""
    return np.sqrt(np.mean(scores**2, axis=0))


def _alike(draw_white: Draw, scores: np.ndarray) -> Draw:
    """Draw data of about unit variance, and turn them into scores like the data's.

    The draws are processed like the data: they are scaled to the estimated variances,
    then their own principal components are computed and scaled to the variances of the
    data's. The first component has the largest spread, partly by chance, and so looks
    the most divided; draws along the axes of the data would lack this effect, and data
    without clusters would look clustered in comparison. For the same reason variances
    are shrunk towards their mean, as by Ledoit and Wolf: sample variances differ more
    than those of the population.
    """
    from sklearn.covariance import ledoit_wolf_shrinkage

    d = scores.shape[1]
    spread = _spread(scores)
    part = ledoit_wolf_shrinkage(scores, assume_centered=True) if d > 1 else 0.0
    believed = np.sqrt((1.0 - part) * spread**2 + part * np.mean(spread**2))

    def draw(rng: np.random.Generator) -> np.ndarray:
        found, _ = principal_scores(draw_white(rng) * believed, d)
        if found.shape[1] < d:  # hardly any distinct values
            return draw_white(rng) * spread
        return found / _spread(found) * spread

    return draw
