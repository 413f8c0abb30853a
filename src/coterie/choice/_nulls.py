"""Data without clusters that look like the data otherwise."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from coterie._validation import is_sparse
from coterie.choice._unimodal import fit_unimodal

Draw: TypeAlias = Callable[[np.random.Generator], np.ndarray]

_SAMPLES_PER_AXIS = 30
_DEPENDENT = 0.1  # level of the test that features depend on each other
_ICA_STEPS, _ICA_TOLERANCE = 200, 1e-6
_ROUNDING = 1e-10  # of the largest variance, below which a component is rounding


def principal_scores(X: Any, n_components: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the leading principal component scores, the widest first.

    Parameters
    ----------
    X : (n_samples, n_features) array or CSR matrix
    n_components : int
        At most so many; components without variance are left out.

    Returns
    -------
    scores : (n_samples, d) float64 array
        Columns of mean zero that do not correlate; d = 0 if all samples are the same.
    axes : (n_features, d) array or None
        The components in terms of features; None if there are more features than
        samples.
    """
    if X.shape[1] <= X.shape[0]:
        dense = X.toarray() if is_sparse(X) else X
        centred = dense - dense.mean(axis=0, dtype=np.float64)
        variances, axes = np.linalg.eigh(centred.T @ centred)
        scores = centred @ axes
    else:  # from the products of samples: sparse data stay sparse
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
    """Return the sum of squares that rounding alone gives, over the same factor."""
    square = X.multiply(X).sum() if is_sparse(X) else np.sum(np.square(X))
    return float(square) * np.finfo(X.dtype).eps ** 2 / _ROUNDING


def reference(
    kind: str,
    scores: np.ndarray,
    rng: np.random.Generator,
    axes: np.ndarray | None = None,
) -> Draw:
    """Return a function that draws data without clusters like the scores.

    Parameters
    ----------
    kind : {"gaussian", "permuted", "unimodal", "independent"}
    scores : (n, d) array
        Columns of mean zero that do not correlate.
    rng : numpy.random.Generator
        For the start of the independent components.
    axes : (D, d) array, default=None
        The components in terms of features, for "independent".
    """
    if kind == "independent":
        return independent(scores, rng, axes)
    return NULLS[kind](scores, rng)


def gaussian(scores: np.ndarray, rng: np.random.Generator) -> Draw:
    """Draw Gaussian scores of the same covariance, as M3C does."""
    return _alike(lambda rng: rng.standard_normal(scores.shape), scores)


def permuted(scores: np.ndarray, rng: np.random.Generator) -> Draw:
    """Shuffle each component on its own."""
    white = scores / _spread(scores)
    return _alike(lambda rng: rng.permuted(white, axis=0), scores)


def unimodal(scores: np.ndarray, rng: np.random.Generator) -> Draw:
    """Draw each component on its own from its unimodal fit."""
    return _alike(_columns(scores / _spread(scores)), scores)


def _columns(white: np.ndarray) -> Draw:
    """Draw each column on its own from its unimodal fit.

    The top of the density is flat where the sample cannot tell it from flat: where it
    differs by no more than samples of a flat density do on average (Kuiper's
    statistic). Otherwise the fit has a peak by chance, and data with a flat top look
    clustered beside it.
    """
    n = white.shape[0]
    fits = [fit_unimodal(column, np.sqrt(0.5 * np.pi / n)) for column in white.T]
    return lambda rng: np.column_stack([fit.draw(n, rng) for fit in fits])


def independent(
    scores: np.ndarray, rng: np.random.Generator, axes: np.ndarray | None = None
) -> Draw:
    """Draw as ``unimodal``, along the axes that depend least on each other.

    Where components vary alike, principal axes are turned by chance: a square may stand
    on its corner, and independent draws along such axes give no square. If the features
    themselves, made uncorrelated with as little change as possible, show no dependence,
    they are the axes. Otherwise the independent components find the sides of the square
    again. They are looked for among the leading components, one for each 30 samples;
    with more, chance makes axes that mean nothing.
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


def _spread(scores: np.ndarray) -> np.ndarray:
    """Return the standard deviations of columns of mean zero."""
    return np.sqrt(np.mean(scores**2, axis=0))


def _alike(draw_white: Draw, scores: np.ndarray) -> Draw:
    """Draw data of about unit variance, and make them scores like those of the data.

    What is drawn goes the way of the data: it is spread as the data are believed to be,
    then its own principal components are taken, and scaled to the variances of those of
    the data. The first component of data is where they spread most, partly by chance,
    and so where they look most divided; draws along the axes of the data would lack
    that, and data without clusters would look clustered beside them. For the same
    reason variances are shrunk towards their mean, as Ledoit and Wolf do: variances of
    a sample differ more than those of what it is drawn from.
    """
    from sklearn.covariance import ledoit_wolf_shrinkage

    d = scores.shape[1]
    spread = _spread(scores)
    part = ledoit_wolf_shrinkage(scores, assume_centered=True) if d > 1 else 0.0
    believed = np.sqrt((1.0 - part) * spread**2 + part * np.mean(spread**2))

    def draw(rng: np.random.Generator) -> np.ndarray:
        found, _ = principal_scores(draw_white(rng) * believed, d)
        if found.shape[1] < d:  # hardly any values: nothing to turn
            return draw_white(rng) * spread
        return found / _spread(found) * spread

    return draw
