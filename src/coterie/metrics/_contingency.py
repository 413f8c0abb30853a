"""The contingency table of classes and clusters.

Every measure of agreement with known classes starts from this table. Labels may be
integers, floats, strings or any hashable objects, in an array, a list or a data frame
column. In ``labels`` the values -1, NaN and None mean "not assigned"; these samples are
counted in a vector of their own. In ``y`` the value -1 is a class like any other (as in
the pair -1, +1), and NaN or None is an error: without a class, a sample cannot be
judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.sparse import csr_array

from coterie.ensemble._coding import code_hashable
from coterie.ensemble._vectors import exact_up_to, merged_ids, plain_vector

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

DENSE_CELLS = 2**22  # a larger table (32 MB) is kept sparse


@dataclass(frozen=True, eq=False)
class Contingency:
    """The table of a classification (k classes) against a clustering (k' clusters).

    Attributes
    ----------
    table : ndarray or scipy.sparse.csr_array of shape (k, k'), int64
        Number of samples of each class in each cluster; sparse when it has more
        than four million cells.
    unassigned : ndarray of shape (k,), int64
        Number of samples of each class that are in no cluster.
    classes, clusters : ndarray of shape (k,) and (k',)
        The labels of rows and columns. Numbers are sorted; strings and objects are
        in order of first appearance.
    """

    table: Any
    unassigned: NDArray[np.int64]
    classes: NDArray[Any]
    clusters: NDArray[Any]

    @cached_property
    def cells(self) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.int64]]:
        """Row, column and count of the cells that are not zero."""
        if isinstance(self.table, np.ndarray):
            rows, columns = np.nonzero(self.table)
            return rows, columns, self.table[rows, columns]
        entries = self.table.tocoo()
        return entries.row, entries.col, entries.data

    @cached_property
    def class_sizes(self) -> NDArray[np.int64]:
        """Samples in each class, those in no cluster included, (k,)."""
        return np.asarray(self.table.sum(axis=1)).ravel() + self.unassigned

    @cached_property
    def cluster_sizes(self) -> NDArray[np.int64]:
        """Samples in each cluster, (k',)."""
        return np.asarray(self.table.sum(axis=0)).ravel()

    @cached_property
    def n_unassigned(self) -> int:
        """Number of samples in no cluster."""
        return int(self.unassigned.sum())

    @cached_property
    def n_samples(self) -> int:
        """Number of samples, those in no cluster included."""
        return int(self.class_sizes.sum())


def contingency(y: ArrayLike, labels: ArrayLike) -> Contingency:
    """Count how many samples of each class are in each cluster.

    Examples
    --------
    >>> from coterie.metrics._contingency import contingency
    >>> counts = contingency(["a", "a", "b", "b"], [0, 1, 1, -1])
    >>> counts.table
    array([[1, 1],
           [0, 1]])
    >>> counts.unassigned
    array([0, 1])
    """
    return tabulate("contingency", y, labels)


def tabulate(who: str, y: ArrayLike, labels: ArrayLike) -> Contingency:
    """Make the contingency table; error messages name ``who``."""
    y_values = as_vector(who, "y", y)
    values = as_vector(who, "labels", labels)
    if len(y_values) != len(values):
        raise ValueError(
            f"{who} expects y and labels of the same length, got {len(y_values)} and "
            f"{len(values)}. Pass one label for each sample in both."
        )
    y_codes, classes = code(who, "y", y_values, minus_one_is_missing=False)
    n_missing = int(np.count_nonzero(y_codes < 0))
    if n_missing:
        raise ValueError(
            f"{who} expects a class for every sample in y, got {n_missing} of "
            f"{len(y_codes)} missing (NaN or None). Remove these samples from both y "
            "and labels."
        )
    codes, clusters = code(who, "labels", values, minus_one_is_missing=True)
    shape = (len(classes), len(clusters))
    unassigned = np.zeros(shape[0], dtype=np.int64)
    assigned = codes >= 0
    if not assigned.all():
        unassigned += np.bincount(y_codes[~assigned], minlength=shape[0])
        y_codes, codes = y_codes[assigned], codes[assigned]
    return Contingency(_count(y_codes, codes, shape), unassigned, classes, clusters)


def _count(y_codes: Any, codes: Any, shape: tuple[int, int]) -> Any:
    """Count pairs of codes in a dense table, or in a sparse one if it is large."""
    keys = y_codes * shape[1] + codes  # below n_samples squared: no overflow in int64
    if shape[0] * shape[1] <= DENSE_CELLS:
        counts = np.bincount(keys, minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.int64, copy=False)
    keys, counts = np.unique(keys, return_counts=True)
    row, column = np.divmod(keys, shape[1])
    return csr_array((counts.astype(np.int64), (row, column)), shape=shape)


def as_vector(who: str, name: str, values: ArrayLike) -> NDArray[Any]:
    """Return the labels as a vector whose values mean what the user wrote."""
    array = plain_vector(values, who)
    widths = {len(row) if isinstance(row, list) else -1 for row in array[:2].tolist()}
    if array.ndim == 1 and len(widths) == 1 and -1 not in widths:
        array = np.array(array.tolist(), dtype=object)  # rows of a matrix
    if array.ndim != 1:
        raise ValueError(
            f"{who} expects {name} of shape (n_samples,), got shape {array.shape}. "
            "Pass one column at a time."
        )
    if len(array) == 0:
        raise ValueError(
            f"{who} expects at least one sample, got an empty {name}. "
            "Pass one label for each sample."
        )
    return array


def code(
    who: str, name: str, values: NDArray[Any], *, minus_one_is_missing: bool
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Code the labels as 0..k-1, and missing ones as -1; return codes and labels."""
    kind = values.dtype.kind
    if kind in "OUSV":
        return code_hashable(
            values, who, name, minus_one_is_missing=minus_one_is_missing
        )
    missing = np.zeros(len(values), dtype=bool)
    if kind in "fcmM":
        missing |= np.isnan(values)
    if kind == "f":
        _reject_merged(who, name, values[~missing])
    if minus_one_is_missing and kind in "ifc":
        missing |= values == -1
    if not missing.any():
        return _code_numbers(values)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[~missing], names = _code_numbers(values[~missing])
    return codes, names


def _reject_merged(who: str, name: str, values: NDArray[Any]) -> None:
    """Raise if floats are so large that they merge neighbouring integers."""
    size = np.abs(values[np.isfinite(values)])
    if size.size and size.max() > exact_up_to(values.dtype):
        raise merged_ids(who, name, size.max())


def _code_numbers(values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Code values by rank among the distinct ones, without sorting if possible."""
    whole = values
    if values.dtype.kind == "f" and np.isfinite(values).all():
        as_int = values.astype(np.int64)
        whole = as_int if np.array_equal(as_int, values) else values
    if whole.dtype.kind in "iub" and len(whole):
        low, high = int(whole.min()), int(whole.max())
        if high - low <= 4 * len(whole) + 1024 and high < 2**63:
            shifted = whole.astype(np.int64) - low
            present = np.bincount(shifted) > 0  # (high - low + 1,)
            names = (np.flatnonzero(present) + low).astype(values.dtype)
            return (np.cumsum(present) - 1)[shifted], names
    names, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64, copy=False), names
