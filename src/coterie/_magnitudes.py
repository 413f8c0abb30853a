"""Magnitudes whose squares, and the squares of those, neither overflow nor vanish."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

_SINGLE = (1e-9, 1e9)  # of float32; beyond, it is computed in float64
_DOUBLE = (1e-70, 1e70)  # of float64; beyond, it is refused


def largest_magnitude(X: Any) -> float:
    """Return the largest absolute value, without a copy of X.

    Parameters
    ----------
    X : array or sparse matrix
        NaN is ignored.
    """
    values = X.data if hasattr(X, "tocoo") else X  # sparse or not
    if not values.size:
        return 0.0
    low, high = values.min(), values.max()
    if np.isnan(high):
        low, high = np.fmin.reduce(values, axis=None), np.fmax.reduce(values, axis=None)
    return 0.0 if np.isnan(high) else max(float(high), -float(low))


def fits_single(largest: float) -> bool:
    """Whether values of this largest magnitude may be computed in float32."""
    return largest == 0.0 or _SINGLE[0] <= largest <= _SINGLE[1]


def in_range(X: Any, who: str, names: Sequence[Any] | np.ndarray | None = None) -> Any:
    """Return X, in float64 if its squares do not fit in float32.

    Values whose squares do not even fit in float64 are refused.

    Parameters
    ----------
    X : float array or sparse matrix
    who : str
        The caller, for the error.
    names : sequence or None, default=None
        Of the columns; without it they are numbered from 0.
    """
    largest = largest_magnitude(X)
    if largest > _DOUBLE[1]:
        bad = _first_too_large(X)
        name = bad.column if names is None else repr(str(names[bad.column]))
        where = f"row {bad.row}, column {name}"
        raise ValueError(_too_large(bad.value, where, who))
    if X.dtype == np.float32 and not fits_single(largest):
        return X.astype(np.float64)
    return X


def reject_tiny(X: Any, who: str) -> None:
    """Raise if all values are so small that squared distances are zero.

    Parameters
    ----------
    X : float array or sparse matrix
        All the data: in a part of them, tiny values are as good as zero.
    who : str
        The caller, for the error.
    """
    reject_tiny_magnitude(largest_magnitude(X), who)


def reject_tiny_magnitude(largest: float, who: str) -> None:
    """Raise if this is the largest magnitude of the data, and too small."""
    if 0.0 < largest < _DOUBLE[0]:
        raise ValueError(
            f"{who}: no value in the data exceeds {largest:.3g} in magnitude, and the "
            f"squares of numbers below {_DOUBLE[0]:g} vanish. Multiply the data by a "
            "constant."
        )


class BadValue(NamedTuple):
    """A value that cannot be computed with, and where it is."""

    row: int
    column: int
    value: float


def first_bad_value(X: np.ndarray) -> BadValue | None:
    """Return the first value that is NaN, infinite or too large."""
    if not X.size or -_DOUBLE[1] <= float(X.min()) <= float(X.max()) <= _DOUBLE[1]:
        return None
    row, column = np.argwhere(~(np.abs(X.astype(np.float64)) <= _DOUBLE[1]))[0]
    return BadValue(int(row), int(column), float(X[row, column]))


def reject_bad_value(bad: BadValue, first_row: int, who: str) -> None:
    """Raise an error about a value of a block that starts at some row."""
    where = f"row {first_row + bad.row}, column {bad.column}"
    if not np.isfinite(bad.value):
        raise ValueError(
            f"{who} expects finite numbers, but {where} is NaN or infinite. Remove or "
            "impute such samples."
        )
    raise ValueError(_too_large(bad.value, where, who))


def _first_too_large(X: Any) -> BadValue:
    if hasattr(X, "tocoo"):
        entries = X.tocoo()
        at = int(np.argmax(np.abs(entries.data) > _DOUBLE[1]))
        return BadValue(entries.row[at], entries.col[at], entries.data[at])
    row, column = np.argwhere(np.abs(X) > _DOUBLE[1])[0]
    return BadValue(row, column, X[row, column])


def _too_large(value: float, where: str, who: str) -> str:
    return (
        f"{who}: {where} (counted from 0) holds {value:.4g}, and squares of numbers "
        f"beyond {_DOUBLE[1]:g} overflow. If it marks a missing value, set it to NaN; "
        "if not, divide the column by a constant."
    )
