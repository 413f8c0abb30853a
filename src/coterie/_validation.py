"""Checks shared by all parts; the only file that uses private names of sklearn."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any

import joblib
import numpy as np
import scipy.sparse
import sklearn.base
import sklearn.utils.validation
from sklearn.utils._param_validation import (
    HasMethods,
    Interval,
    StrOptions,
    validate_parameter_constraints,
)

from coterie._magnitudes import fits_single, in_range, largest_magnitude, reject_tiny
from coterie._structure import check_sparse
from coterie._tables import not_numeric

if TYPE_CHECKING:

    class ClusterMixin(sklearn.base.ClusterMixin):
        """scikit-learn's, with types."""

        def fit_predict(self, X: Any, y: Any = None, **kwargs: Any) -> np.ndarray:
            """Cluster the data and return the labels."""
            ...
else:
    ClusterMixin = sklearn.base.ClusterMixin

__all__ = [
    "COUNT",
    "SHARE",
    "ClusterMixin",
    "HasMethods",
    "Interval",
    "StrOptions",
    "alike",
    "check_array",
    "check_data",
    "check_fit_data",
    "check_n_clusters",
    "check_parameters",
    "clone",
    "effective_n_jobs",
    "has_missing",
    "in_double",
    "index_of",
    "is_sparse",
    "plain_data",
    "reject_repeated_names",
    "reject_text",
    "require",
    "validate_data",
    "validate_parameter_constraints",
]

# These have no annotations, and the types inferred from their code are wrong.
clone: Callable[[Any], Any] = sklearn.base.clone
effective_n_jobs: Callable[..., int] = joblib.effective_n_jobs

COUNT = [Interval(Integral, 1, None, closed="left")]
SHARE = [Interval(Real, 0, 1, closed="right")]
_PLAIN = 1e9  # values up to this are fine in any type
_FEW_VALUES = 2**17  # of float32, below which arithmetic in float64 costs nothing
_DISTRIBUTIONS = {"PIL": "pillow", "skimage": "scikit-image"}


def is_sparse(X: Any) -> bool:
    """Whether X is a SciPy sparse matrix or array.

    ``scipy.sparse.issparse`` narrows the type of X to a class without attributes.
    """
    return scipy.sparse.issparse(X)


def check_array(X: Any, *args: Any, **options: Any) -> Any:
    """Call scikit-learn's function, on a sparse matrix with sound index arrays only."""
    if is_sparse(X):
        check_sparse(X, options.get("input_name") or "X")
    return sklearn.utils.validation.check_array(X, *args, **options)


def validate_data(estimator: Any, X: Any, **options: Any) -> Any:
    """Call scikit-learn's function, on a sparse matrix with sound index arrays only."""
    if is_sparse(X):
        check_sparse(X, "X")
    return sklearn.utils.validation.validate_data(estimator, X, **options)


def check_parameters(part: Any) -> None:
    """Check the parameters of a part against its ``_parameter_constraints``."""
    validate_parameter_constraints(
        part._parameter_constraints,
        part.get_params(deep=False),
        caller_name=type(part).__name__,
    )


def check_n_clusters(n_clusters: Any, n_samples: int, who: str) -> int:
    """Return ``n_clusters`` as an int in [1, n_samples], or raise an error."""
    is_whole = isinstance(n_clusters, Integral) and not isinstance(
        n_clusters, bool | np.bool_
    )
    if not is_whole:
        raise TypeError(
            f"{who} expects n_clusters as a whole number, got {n_clusters!r} "
            f"({type(n_clusters).__name__})."
        )
    k = int(n_clusters)
    if k < 1:
        raise ValueError(f"{who} expects n_clusters of at least 1, got {k}.")
    if k > n_samples:
        raise ValueError(
            f"{who} was asked for n_clusters={k}, but there are only "
            f"n_samples={n_samples} samples. Ask for at most {n_samples} clusters."
        )
    return k


def check_data(
    X: Any, who: str, *, accept_sparse: bool, accept_missing: bool = False
) -> Any:
    """Return X as a finite float array (or CSR matrix), or raise an error.

    float32 stays float32 unless its squares overflow, everything else becomes float64;
    NaN may be accepted.
    """
    if _is_fine(X):
        return X
    X = plain_data(X)
    reject_text(X, who)
    reject_repeated_names(X, who)
    X = check_array(
        X,
        accept_sparse="csr" if accept_sparse else False,
        dtype=[np.float64, np.float32],
        order="C" if hasattr(X, "columns") else None,  # the same sums for any frame
        ensure_all_finite="allow-nan" if accept_missing else True,
        input_name="X",
        estimator=who,
    )
    return in_range(X, who)


def check_fit_data(
    estimator: Any, X: Any, *, reset: bool, accept_sparse: bool, accept_missing: bool
) -> Any:
    """Return the data of an estimator as floats, or raise an error that says why not.

    Parameters
    ----------
    estimator : estimator
        Remembers number and names of the columns.
    X : array, sparse matrix or frame
    reset : bool
        Whether it is fitted.
    accept_sparse : bool
    accept_missing : bool
        Whether NaN is accepted.
    """
    who = type(estimator).__name__
    X = plain_data(X)
    reject_text(X, who)
    reject_repeated_names(X, who)
    try:
        X = validate_data(
            estimator,
            X,
            accept_sparse="csr" if accept_sparse else False,
            dtype=[np.float64, np.float32],
            ensure_all_finite="allow-nan" if accept_missing else True,
            reset=reset,
        )
    except ValueError as error:
        if "contains NaN" not in str(error):
            raise
        raise ValueError(
            f"{who} expects complete data, but the input X contains NaN (missing "
            "values). Remove those rows or columns, or impute the values, as with "
            "sklearn.impute.SimpleImputer. EnsembleClustering takes data with missing "
            "values as they are."
        ) from None
    if reset:
        reject_tiny(X, who)
    return in_range(X, who, getattr(estimator, "feature_names_in_", None))


def _is_fine(X: Any) -> bool:
    """Whether X is a plain array in range; members ask this thousands of times."""
    if type(X) is not np.ndarray or X.ndim != 2 or not X.size:
        return False
    if X.dtype not in (np.float32, np.float64):
        return False
    low, high = X.min(), X.max()
    # NaN compares false; other values in range get a full check
    return bool(low >= -_PLAIN and high <= _PLAIN and max(-low, high) >= 1 / _PLAIN)


def plain_data(X: Any) -> Any:
    """Return an Arrow table as a frame, and a masked array with NaN (or None)."""
    if type(X).__module__.startswith("pyarrow") and hasattr(X, "column_names"):
        return X.to_pandas()
    return without_mask(X)


def without_mask(values: Any, *, keep_integers: bool = False) -> Any:
    """Return a plain array, with NaN or None where values are masked.

    Integers become float64, or objects if they must keep their values.
    """
    if not isinstance(values, np.ma.MaskedArray):
        return values
    hidden = np.ma.getmaskarray(values)
    plain = np.asarray(values.data)
    if not hidden.any():
        return plain
    kind = plain.dtype.kind
    if kind == "f" or (kind in "iub" and not keep_integers):
        return np.where(hidden, np.nan, plain)
    whole = plain.astype(object)
    whole[hidden] = None
    return whole


def reject_repeated_names(X: Any, who: str) -> None:
    """Raise if two columns of a frame have the same name."""
    times = Counter(getattr(X, "columns", ())).most_common(1)
    if times and times[0][1] > 1:
        raise ValueError(
            f"{who} expects columns with different names, but {times[0][0]!r} is the "
            f"name of {times[0][1]} columns. Rename them, or pass X.to_numpy()."
        )


def alike(X: Any, others: Any) -> tuple[Any, Any]:
    """Return both in the type of X, or in float64 if others would overflow in it."""
    narrower = others.dtype != X.dtype == np.float32
    if narrower and not fits_single(largest_magnitude(others)):
        X = X.astype(np.float64)
    return X, others.astype(X.dtype, copy=False)


def in_double(*arrays: Any) -> tuple[Any, ...]:
    """Return few float32 values as float64: kernels are compiled for that alone.

    Single precision gains little here, and a new user would wait for a second version
    of each kernel.
    """
    is_small = all(
        not is_sparse(X) and X.dtype == np.float32 and X.size < _FEW_VALUES
        for X in arrays
    )
    return tuple(X.astype(np.float64) for X in arrays) if is_small else arrays


def reject_text(X: Any, who: str) -> None:
    """Raise if a frame has non-numeric columns, and name them."""
    text = not_numeric(X)
    if text:
        some = [f"{name} ({_called(kind)})" for name, kind in list(text.items())[:5]]
        shown = ", ".join(some) + (", ..." if len(text) > 5 else "")
        raise ValueError(
            f"{who} expects numbers, but {len(text)} of {X.shape[1]} columns are not "
            f"numeric: {shown}. {_advice(text, hasattr(X, 'lazy'))}"
        )


def has_missing(X: Any) -> bool:
    """Whether an array has NaN; sparse matrices never have."""
    if is_sparse(X):
        return False
    return bool(np.isnan(np.sum(X))) and bool(np.isnan(X).any())


def _advice(text: dict[str, Any], is_polars: bool) -> str:
    """Say how to encode non-numeric columns, or drop them."""
    names = ", ".join(repr(name) for name in list(text)[:5])
    dots = ", ..." if len(text) > 5 else ""
    dates = [n for n, kind in text.items() if str(kind).lower().startswith("date")]
    encode = (
        "Convert dates to numbers, such as days since the first"
        if len(dates) == len(text)
        else "Encode them: with sklearn.preprocessing.OneHotEncoder if the values have "
        "no order, with OrdinalEncoder if they have one"
    )
    drop = f"X.drop({names}{dots})" if is_polars else f"X.drop(columns=[{names}{dots}])"
    return (
        f"{encode}; or drop them: {drop}. EnsembleClustering takes tables as they are."
    )


def index_of(X: Any) -> Any:
    """Return the index of a pandas frame that names its rows, or None."""
    index = getattr(X, "index", None)
    if index is None or not hasattr(X, "columns"):
        return None
    return None if np.array_equal(index, np.arange(len(index))) else index


def _called(kind: Any) -> str:
    """Return a column type as one word."""
    name = str(kind).split("(")[0].split("[")[0].lower()
    return {"object": "text", "str": "text", "string": "text"}.get(name, name)


def require(module: str) -> Any:
    """Import an optional dependency, or say how to install it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        root = module.split(".")[0]
        name = _DISTRIBUTIONS.get(root, root)
        raise ImportError(
            f"This needs {name}, which is not installed. Install it with: "
            f"pip install {name}"
        ) from error
