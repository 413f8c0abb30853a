"""Label vectors of any library as plain arrays in which every label keeps its value.

NumPy and pandas turn integers into floats where one is missing, and floats merge
integers beyond 2**53. So vectors with gaps become vectors of objects here, with None in
the gaps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse

from coterie._validation import without_mask

_UNORDERED = (str, bytes, set, frozenset, Mapping)  # or no labels at all


def plain_vector(values: Any, who: str) -> np.ndarray:
    """Return labels as an array of their own type, or of objects if some are missing.

    Parameters
    ----------
    values : array, series, column of a frame, list or any other iterable
    who : str
        The caller, for errors.

    Returns
    -------
    ndarray
        Of one dimension, unless the input was an array of several.
    """
    if isinstance(values, np.matrix):
        flat = np.asarray(values)
        return flat.ravel() if 1 in flat.shape else flat
    if isinstance(values, np.ndarray):
        return without_mask(values, keep_integers=True)
    if scipy.sparse.issparse(values):
        raise TypeError(
            f"{who} expects labels in a dense array, got a sparse matrix. Pass "
            "labels.toarray()."
        )
    library = type(values).__module__.split(".")[0]
    if library == "pandas":
        return _of_pandas(values)
    if library == "polars":
        gaps = values.null_count() > 0
        return _of_items(values.to_list()) if gaps else values.to_numpy()
    if library == "pyarrow":
        return _of_items(values.to_pylist())
    if isinstance(values, _UNORDERED) or not isinstance(values, Iterable):
        if hasattr(values, "__array__"):
            return np.asarray(values)
        raise TypeError(
            f"{who} expects one label for each sample, got {values!r} "
            f"({type(values).__name__})."
        )
    return _of_items([None if x is np.ma.masked else x for x in values])


def _of_pandas(values: Any) -> np.ndarray:
    import pandas

    column: Any = pandas.Series(values)
    kind = column.dtype
    if isinstance(kind, pandas.CategoricalDtype):
        levels = _objects([*kind.categories, None])
        return levels[column.cat.codes.to_numpy()]  # code -1 is missing: None
    if not isinstance(kind, np.dtype) and column.isna().any():
        return column.to_numpy(dtype=object, na_value=None)
    return column.to_numpy()


def _of_items(items: list[Any]) -> np.ndarray:
    """Return items as numbers if NumPy keeps their values, otherwise as objects."""
    whole = all(isinstance(x, int | np.integer) for x in items)
    if whole or all(isinstance(x, int | float | np.number) for x in items):
        array = np.asarray(items)
        if array.dtype.kind in ("iub" if whole else "f"):
            return array
    return _objects(items)


def _objects(items: list[Any]) -> np.ndarray:
    vector = np.empty(len(items), dtype=object)
    for i, item in enumerate(items):  # a slice would unpack tuples
        vector[i] = item
    return vector


def exact_up_to(dtype: np.dtype) -> float:
    """Return the number up to which a type of floats holds every integer."""
    return 2.0 ** (np.finfo(dtype).nmant + 1)


def merged_ids(who: str, name: str, value: Any) -> ValueError:
    """Return the error for a float that may stand for several integers."""
    return ValueError(
        f"{who}: {name} has {value:.17g} as a float, and floats of that size merge "
        "neighbouring integers. Pass such labels as integers or as text."
    )
