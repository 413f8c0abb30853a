"""Coding of labels of any kind as integer columns."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED
from coterie._validation import without_mask
from coterie.ensemble._vectors import exact_up_to, merged_ids, plain_vector

WHO = "Ensemble"
_ROWS = 8192  # coded at once
_TABLE = 2**22  # entries of the look-up table of some columns


class CodedLabels(NamedTuple):
    """Label columns coded by first appearance."""

    labels: np.ndarray  # (N, M) int32, -1 = not assigned
    n_codes: np.ndarray  # (M,) int64
    names: list[str | None]  # (M,) of the columns, if the input had any


def code_labels(source: Any) -> CodedLabels:
    """Code an array, a frame, a list or dict of label vectors or fitted clusterers."""
    columns, names = _columns_of(source)
    if isinstance(columns, list) and _are_integers(columns):
        columns = np.column_stack(columns)
    if isinstance(columns, np.ndarray) and columns.dtype.kind in "iub":
        coded = _code_integers(columns)
    else:
        vectors = columns.T if isinstance(columns, np.ndarray) else columns
        coded = _stacked(
            [_code_vector(v, _called(j, names)) for j, v in enumerate(vectors)]
        )
    labels, n_codes = coded
    empty = np.flatnonzero(n_codes == 0)
    if empty.size:
        raise ValueError(
            f"{WHO}: {_called(int(empty[0]), names)} assigns no sample at all (only "
            "-1, NaN or None). Leave it out."
        )
    return CodedLabels(np.ascontiguousarray(labels, LABEL_DTYPE), n_codes, names)


def _columns_of(source: Any) -> tuple[Any, list[str | None]]:
    """Return an (N, M) array or a list of M vectors, and the columns' names."""
    if hasattr(source, "columns") and hasattr(source, "shape"):
        vectors = [_vector_of(column) for column in _frame_columns(source)]
        names: list[str | None] = [str(name) for name in _frame_names(source)]
        _check_shape(source.shape[0], len(vectors))
        return vectors, names
    if isinstance(source, np.ndarray):
        _check_array(source)
        # a matrix keeps two axes, whatever is taken from it
        is_matrix = isinstance(source, np.matrix)
        source = np.asarray(source) if is_matrix else source
        plain = without_mask(source, keep_integers=True)
        return plain, [None] * source.shape[1]
    if isinstance(source, Mapping):
        vectors, _ = _columns_of_list(list(source.values()))
        return vectors, [str(name) for name in source]
    if hasattr(source, "to_numpy"):  # a series of pandas, polars or Arrow
        raise _one_labeling(f"a {type(source).__name__} of {len(source)} labels")
    if isinstance(source, Sequence) and not isinstance(source, str | bytes):
        if source and not any(_is_member(item) for item in source):
            raise _one_labeling(f"a flat list of {len(source)} labels")
        return _columns_of_list(source)
    raise TypeError(
        f"{WHO} expects labels as a list or a dict of label vectors, a list of fitted "
        "clusterers, a table of pandas, polars or Arrow, or an (n_samples, n_members) "
        f"array; got {type(source).__name__}."
    )


def _frame_columns(frame: Any) -> Iterable[Any]:
    """Return the columns of a pandas, polars or Arrow table, by position."""
    if hasattr(frame, "iloc"):
        return [frame.iloc[:, j] for j in range(frame.shape[1])]
    return frame.columns if hasattr(frame, "column_names") else frame.get_columns()


def _frame_names(frame: Any) -> Iterable[Any]:
    return getattr(frame, "column_names", frame.columns)


def _check_array(source: np.ndarray) -> None:
    """Raise unless an array has a row for each sample and a column for each member."""
    if source.ndim == 1:
        raise _one_labeling(f"an array of shape {source.shape}")
    if source.ndim != 2:
        raise ValueError(
            f"{WHO} expects labels of shape (n_samples, n_members), got an array "
            f"of {source.ndim} dimensions with shape {source.shape}."
        )
    n_samples, n_members = source.shape
    _check_shape(n_samples, n_members)
    if n_members > n_samples:
        raise ValueError(
            f"{WHO} expects a row for each sample and a column for each member, got an "
            f"array of shape {source.shape}: {n_members} members of {n_samples} "
            "samples. If each row is a labeling, pass labels.T or a list of labelings; "
            "if the members really outnumber the samples, pass list(labels.T)."
        )


def _one_labeling(got: str) -> ValueError:
    return ValueError(
        f"{WHO}: one labeling is not an ensemble, got {got}. Pass several as a list, "
        "[first, second, ...], as a dict by name, as a frame, or as an (n_samples, "
        "n_members) array; for an ensemble of this one alone pass [labels]."
    )


def _is_member(item: Any) -> bool:
    """Whether an item of a list is a label vector or a clusterer, not a label."""
    if hasattr(item, "labels_") or hasattr(item, "fit"):
        return True
    return hasattr(item, "__len__") and not isinstance(item, str | bytes)


def _columns_of_list(source: Sequence[Any]) -> tuple[list[Any], list[str | None]]:
    vectors = []
    names: list[str | None] = []
    for j, item in enumerate(source):
        if hasattr(item, "labels_"):
            vector, name = _vector_of(item.labels_), type(item).__name__
        elif hasattr(item, "fit"):
            raise ValueError(
                f"{WHO}: clusterer {j} ({type(item).__name__}) is not fitted. Fit it "
                "first, or generate members with FromClusterers."
            )
        elif not _is_member(item):
            raise TypeError(
                f"{WHO} expects label vectors, one for each member, but number {j} is "
                f"{item!r}."
            )
        else:
            vector, name = _vector_of(item), None
        vectors.append(vector)
        names.append(name)
    lengths = [len(v) for v in vectors]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"{WHO} expects label vectors of one length, got lengths "
            f"{_some(lengths)}. Mark samples that a member left out with -1."
        )
    _check_shape(lengths[0] if lengths else 0, len(lengths))
    return vectors, names


def _vector_of(item: Any) -> np.ndarray:
    """Return a label vector as a 1-D array in which every label keeps its value."""
    vector = plain_vector(item, WHO)
    if vector.ndim != 1:
        raise ValueError(
            f"{WHO} expects each label vector to have one dimension, got shape "
            f"{vector.shape}."
        )
    return vector


def _are_integers(vectors: Iterable[np.ndarray]) -> bool:
    """Whether vectors fit side by side into one integer array."""
    kinds = {v.dtype for v in vectors}
    whole = all(kind.kind in "iub" for kind in kinds)
    return whole and np.result_type(*kinds).kind in "iub"  # int64 and uint64: float64


def _check_shape(n_samples: int, n_members: int) -> None:
    if n_members == 0:
        raise ValueError(f"{WHO} needs at least one member, got none (M = 0).")
    if n_samples == 0:
        raise ValueError(f"{WHO} needs at least one sample, got none (N = 0).")


def _code_integers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Code an (N, M) integer array, all columns at once."""
    low, high = values.min(axis=0), values.max(axis=0)
    n_samples, n_members = values.shape
    # in Python integers: the difference could overflow int64
    spans = [int(h) - int(lo) + 1 for h, lo in zip(high, low, strict=True)]
    is_large = values.dtype == np.uint64 and high.max() > 2**62
    # a look-up table must not be too long
    if is_large or max(spans) > max(4 * n_samples, 65536):
        return _stacked([_code_hashable(column) for column in values.T])
    coded = np.empty(values.shape, dtype=LABEL_DTYPE)
    n_codes = np.zeros(n_members, dtype=np.int64)
    ends = np.cumsum(spans)
    part = slice(0, 0)
    while part.stop < n_members:  # as many columns as fit one table, at least one
        most = (ends[part.stop - 1] if part.stop else 0) + _TABLE
        stop = int(np.searchsorted(ends, most, side="right"))
        part = slice(part.stop, max(stop, part.stop + 1))
        _code_part(values, part, low, spans, coded, n_codes)
    return coded, n_codes


def _code_part(
    values: np.ndarray,
    part: slice,
    low: np.ndarray,
    spans: list[int],
    coded: np.ndarray,
    n_codes: np.ndarray,
) -> None:
    """Code some columns, a few rows at a time: all of them would not stay in cache."""
    from coterie._kernels._labels import code_columns

    ends = np.cumsum(spans[part])
    table = np.zeros(ends[-1], dtype=LABEL_DTYPE)
    starts = np.append(0, ends[:-1])
    for first in range(0, len(values), _ROWS):
        rows = np.ascontiguousarray(values[first : first + _ROWS, part], dtype=np.int64)
        code_columns(
            rows, first, part.start, low[part].astype(np.int64), starts, table, coded,
            n_codes[part],
        )  # fmt: skip


def _stacked(pairs: list[tuple[np.ndarray, int]]) -> tuple[np.ndarray, np.ndarray]:
    labels = np.column_stack([codes for codes, _ in pairs])
    return labels, np.array([n for _, n in pairs], dtype=np.int64)


def _code_vector(vector: np.ndarray, name: str) -> tuple[np.ndarray, int]:
    kind = vector.dtype.kind
    if kind in "iub":
        labels, n_codes = _code_integers(vector[:, None])
        return labels[:, 0], int(n_codes[0])
    if kind == "f":
        return _code_floats(vector, name)
    return _code_hashable(vector, name)


def _code_floats(vector: np.ndarray, name: str) -> tuple[np.ndarray, int]:
    """Code floats, which must be whole numbers, or NaN if missing."""
    missing = np.isnan(vector)
    present = vector[~missing]
    odd = np.flatnonzero(
        ~missing & ~(np.isfinite(vector) & (vector == np.rint(vector)))
    )
    if odd.size:
        raise ValueError(
            f"{WHO} expects labels, but {name} has {vector[odd[0]]} at sample "
            f"{odd[0]}, which is not a whole number. If these are data, cluster them "
            "with EnsembleClustering; if they are labels, round them."
        )
    if present.size and np.abs(present).max() > exact_up_to(vector.dtype):
        raise merged_ids(WHO, name, present[np.abs(present).argmax()])
    whole = np.full(vector.shape, NOT_ASSIGNED, dtype=np.int64)
    whole[~missing] = present.astype(np.int64)
    labels, n_codes = _code_integers(whole[:, None])
    return labels[:, 0], int(n_codes[0])


def _code_hashable(
    vector: np.ndarray, name: str = "a member"
) -> tuple[np.ndarray, int]:
    """Code any hashable values by first appearance; floats must be whole numbers."""
    labels, values = code_hashable(vector, WHO, name)
    for code, value in enumerate(values):
        if not isinstance(value, float | Decimal | Fraction):
            continue
        if value in (float("inf"), float("-inf")) or value % 1 != 0:
            raise ValueError(
                f"{WHO} expects labels, but {name} has {value} at sample "
                f"{int(np.argmax(labels == code))}, which is not a whole number."
            )
        if isinstance(value, float) and abs(value) > exact_up_to(np.dtype(float)):
            raise merged_ids(WHO, name, value)
    return labels, len(values)


def code_hashable(
    vector: np.ndarray, who: str, name: str, *, minus_one_is_missing: bool = True
) -> tuple[np.ndarray, np.ndarray]:
    """Code any hashable values by first appearance.

    Returns
    -------
    codes : (N,) int64
        -1 = missing: None, NaN, NaT, pandas' NA and, if it is not a label, -1.
    values : (k,) object
        The value behind each code.
    """
    number: dict[Any, int] = {}
    codes = np.empty(len(vector), dtype=np.int64)
    for i, value in enumerate(vector.tolist()):
        if isinstance(value, Decimal) and value.is_snan():  # which has no hash
            value = None
        try:
            codes[i] = number.setdefault(value, len(number))
        except TypeError:
            raise TypeError(
                f"{who} expects hashable labels, but {name} has a "
                f"{type(value).__name__} at sample {i}. Pass numbers, strings or "
                "tuples."
            ) from None
    kept = [not is_missing(value, minus_one_is_missing) for value in number]
    values = np.fromiter(number, dtype=object, count=len(number))
    rank = np.where(kept, np.cumsum(kept) - 1, NOT_ASSIGNED)
    return rank[codes], values[kept]


def is_missing(value: Any, minus_one_is_missing: bool) -> bool:
    """Whether a label is None, NaN, NaT, pandas' NA or perhaps -1."""
    if value is None or (isinstance(value, Decimal) and value.is_nan()):
        return True
    try:
        return bool(value != value) or (minus_one_is_missing and value == NOT_ASSIGNED)
    except (TypeError, ValueError):  # pandas' NA refuses to be true or false
        return True


def _called(j: int, names: list[str | None]) -> str:
    return f"member {j}" if names[j] is None else f"member {j} ({names[j]})"


def _some(values: list[int]) -> str:
    shown = ", ".join(str(v) for v in values[:6])
    return f"{shown}, ..." if len(values) > 6 else shown
