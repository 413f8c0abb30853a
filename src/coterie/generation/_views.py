"""Views: transformations of the data; one may show clusters that others hide."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse
from scipy.stats import rankdata
from sklearn.feature_extraction.text import TfidfTransformer

from coterie._linalg import directions
from coterie._validation import is_sparse

if TYPE_CHECKING:
    from coterie._typing import FloatArray

VIEWS = ("raw", "asinh", "zscore", "cosine", "ranks", "tfidf")
_DENSE_ONLY = ("asinh", "zscore", "ranks")  # they would make sparse data dense


def look(X: Any, view: str) -> Any:
    """Return the transformed data.

    "asinh" is asinh((x - median of the feature) / median deviation of all entries),
    which is linear for small values and logarithmic for large ones of either sign.
    "zscore" gives each feature zero mean and unit variance, "cosine" each sample unit
    length. "ranks" replaces each value by its rank in the feature, divided by the
    number of samples. "tfidf", for counts, is log(1 + x) times the logarithm of the
    inverse share of samples in which the feature is not zero, at unit length.
    """
    if view == "ranks":
        return (rankdata(X, axis=0) / X.shape[0]).astype(X.dtype, copy=False)
    if view == "tfidf":
        return TfidfTransformer().fit_transform(scipy.sparse.csr_matrix(X).log1p())
    if view == "asinh":
        away = X - np.median(X, axis=0)
        return np.arcsinh(away / _deviation(away)).astype(X.dtype, copy=False)
    if view == "zscore":
        spread = np.nanstd(X, axis=0)
        return (X - np.nanmean(X, axis=0)) / np.where(spread > 0, spread, 1)
    return directions(X, "cosine") if view == "cosine" else X


def _deviation(away: FloatArray) -> float:
    """Return the median deviation, or the mean one if the median is zero."""
    size = np.abs(away)
    return float(np.median(size)) or float(size.mean()) or 1.0


def check_views(views: Any, X: Any, who: str) -> None:
    """Raise unless there are views, all of them known and applicable to X."""
    known = ", ".join(repr(view) for view in VIEWS)
    if isinstance(views, str) or not isinstance(views, Sequence) or not views:
        raise ValueError(
            f"{who} expects views as a list or tuple of {known}, got {views!r}."
        )
    for view in views:
        if view not in VIEWS:
            raise ValueError(f"{who} knows the views {known}, got {view!r}.")
        if is_sparse(X) and view in _DENSE_ONLY:
            raise ValueError(
                f"{who} cannot apply the view {view!r} to sparse data, which it would "
                "make dense. Use 'raw' or 'cosine', or pass a dense array."
            )
