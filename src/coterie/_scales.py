"""Scales: a few columns that hold nearly all the variance drown the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from coterie._validation import is_sparse

_FACTOR = 30.0  # between the largest and the smallest standard deviation
_SHARE = 0.9  # of the variance, in a few columns
_FEW = 3
_UNCORRELATED = 0.01
_ENOUGH_ROWS = 20_000  # to know the scales


class LoudColumns(NamedTuple):
    """The few columns that hold nearly all the variance.

    Attributes
    ----------
    columns : tuple of int
        Their positions, the largest variance first.
    share : float
        Their share of the variance of all columns.
    n_columns : int
        Number of all columns.
    """

    columns: tuple[int, ...]
    share: float
    n_columns: int

    def sentence(self, names: Sequence[Any] | np.ndarray | None = None) -> str:
        """Say which columns they are, without a full stop.

        Parameters
        ----------
        names : sequence of str, optional
            Of all columns; without it they are numbered from 0.
        """
        called = [
            f"column {j}" if names is None else str(names[j]) for j in self.columns
        ]
        who = " and ".join([", ".join(called[:-1]), called[-1]][len(called) == 1 :])
        verb = "has" if len(called) == 1 else "have"
        percent = min(99.9, 100 * self.share)
        digits = 1 if percent >= 99 else 0
        return f"{who} {verb} {percent:.{digits}f}% of the variance"


def spreads(X: np.ndarray) -> np.ndarray:
    """Return the standard deviation of each column, 0 if it does not vary.

    NaN is ignored.
    """
    unknown = np.isnan(X).all(axis=0)
    X = np.where(unknown, 0, X) if unknown.any() else X
    spread = np.nanstd(X, axis=0, dtype=np.float64)
    # that of a constant column may be an error of rounding
    return np.where(np.nanmin(X, axis=0) < np.nanmax(X, axis=0), spread, 0.0)


def loud_columns(X: Any) -> LoudColumns | None:
    """Return the columns that drown the others, None if there are none.

    At most three columns, and at most half of them, hold 90% of the variance, and the
    standard deviations differ 30-fold or more. Pixels, counts and gene expression may
    differ as much, but their variance is spread over many columns; principal components
    differ by design and are recognised: they are sorted and uncorrelated.

    Parameters
    ----------
    X : (n_samples, n_features) array or sparse matrix
        Sparse data have no loud columns. NaN is ignored.
    """
    if is_sparse(X) or min(X.shape) < 2:
        return None
    X = X[:: -(-X.shape[0] // _ENOUGH_ROWS)]
    with np.errstate(over="ignore", invalid="ignore"):
        spread = spreads(X)
    varies = spread[spread > 0]
    if varies.size < 2 or not np.isfinite(varies).all():
        return None
    if varies.max() < _FACTOR * varies.min():
        return None
    order = np.argsort(-spread, kind="stable")
    shares = np.cumsum((spread[order] / varies.max()) ** 2)  # cannot overflow
    shares /= shares[-1]
    n_loud = int(np.searchsorted(shares, _SHARE)) + 1
    if n_loud > min(_FEW, varies.size // 2) or _are_components(X, spread):
        return None
    columns = tuple(order[:n_loud].tolist())
    return LoudColumns(columns, float(shares[n_loud - 1]), X.shape[1])


def _are_components(X: np.ndarray, spread: np.ndarray) -> bool:
    """Whether the columns are principal components: sorted and uncorrelated."""
    if (np.diff(spread) > 0).any() or (spread == 0).any() or np.isnan(X).any():
        return False
    related = np.corrcoef(X.astype(np.float64), rowvar=False)
    return bool(np.abs(related - np.eye(spread.size)).max() < _UNCORRELATED)
