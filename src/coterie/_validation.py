"""Checks shared by all parts; the only file that knows sklearn's private names."""

from __future__ import annotations

import importlib
import numbers
from types import ModuleType
from typing import Any

import numpy as np
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)
from sklearn.utils.validation import check_array

__all__ = [
    "HasMethods",
    "Interval",
    "StrOptions",
    "check_data",
    "check_n_clusters",
    "check_parameters",
    "reject_text",
    "require",
]


def check_parameters(part: Any) -> None:
    """Check the parameters of a part against its ``_parameter_constraints``."""
    validate_parameter_constraints(
        part._parameter_constraints,
        part.get_params(deep=False),
        caller_name=type(part).__name__,
    )


def check_n_clusters(n_clusters: Any, n_samples: int, who: str) -> int:
    """Return ``n_clusters`` as an int in [1, n_samples], or raise saying why not."""
    is_whole = isinstance(n_clusters, numbers.Integral) and not isinstance(
        n_clusters, bool | np.bool_
    )
    if not is_whole:
        raise TypeError(
            f"{who} expects n_clusters as a whole number, got {n_clusters!r} "
            f"({type(n_clusters).__name__})."
        )
    if n_clusters < 1:
        raise ValueError(f"{who} expects n_clusters of at least 1, got {n_clusters}.")
    if n_clusters > n_samples:
        raise ValueError(
            f"{who} was asked for n_clusters={n_clusters}, but there are only "
            f"n_samples={n_samples} samples. Ask for at most {n_samples} clusters."
        )
    return int(n_clusters)


def check_data(X: Any, who: str, *, accept_sparse: bool) -> Any:
    """Return X as a finite float array (or CSR matrix), or raise saying what to do.

    float32 stays float32, everything else becomes float64.
    """
    if _is_fine(X):
        return X
    reject_text(X, who)
    return check_array(
        X,
        accept_sparse="csr" if accept_sparse else False,
        dtype=[np.float64, np.float32],
        input_name="X",
        estimator=who,
    )


def _is_fine(X: Any) -> bool:
    """Whether X is plainly a finite array; members ask this thousands of times."""
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size:
        return False
    if X.dtype not in (np.float32, np.float64):
        return False
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(X.sum()))  # what overflows is looked at closely


def reject_text(X: Any, who: str) -> None:
    """Name the columns of a frame that hold no numbers."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return
    dtypes = dict(zip(X.columns, X.dtypes, strict=True))
    text = [str(name) for name, kind in dtypes.items() if not _is_numeric(kind)]
    if text:
        shown = ", ".join(text[:5]) + (", ..." if len(text) > 5 else "")
        raise ValueError(
            f"{who} expects numbers, but {len(text)} of {len(dtypes)} columns hold "
            f"something else: {shown}. Encode or drop these columns first."
        )


def _is_numeric(kind: Any) -> bool:
    """Whether a pandas or polars column type holds numbers."""
    if hasattr(kind, "is_numeric"):  # polars
        return bool(kind.is_numeric()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "biuf"


def require(module: str, extra: str) -> ModuleType:
    """Import an optional dependency, or say which extra brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ImportError(
            f"This needs {module.split('.')[0]}, which is not installed. "
            f'Install it with: pip install "coterie[{extra}]"'
        ) from error
