"""Tables of numbers, categories and dates as numbers of comparable size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._display import count
from coterie._magnitudes import in_range

MOST_LEVELS = 100  # categories of a column; more are left out
_FEW_LEVELS = 10  # up to this many, half of the rows may differ
_DAY = np.timedelta64(1, "D")
_CONSTANT = 1e-12  # variance relative to the mean square, due to rounding

Cells = np.ndarray  # (N,) float64 with NaN, or objects (text) with None


@dataclass(frozen=True)
class Number:
    """A column of numbers: ``(value - mean) / deviation``."""

    name: str
    place: int
    mean: float
    deviation: float

    @property
    def names(self) -> list[str]:
        """The name of its one column."""
        return [self.name]

    def encoded(self, cells: Cells) -> np.ndarray:
        """Return standardised numbers, (N, 1); text is an error."""
        if cells.dtype == object:
            word = next((cell for cell in cells if cell is not None), None)
            if word is not None:
                raise ValueError(
                    f"The column {self.name!r} held numbers in fit, but now it holds "
                    f"{word!r}."
                )
            cells = np.full(cells.size, np.nan)
        return (cells[:, None] - self.mean) / self.deviation

    def plain(self, block: np.ndarray) -> np.ndarray:
        """Return the numbers as they were."""
        return block * self.deviation + self.mean


@dataclass(frozen=True)
class Category:
    """A column of categories, as a block with a total variance of one."""

    name: str
    place: int
    levels: tuple[str, ...]
    scale: float

    @property
    def names(self) -> list[str]:
        """The names of its columns: one for two categories, else one for each."""
        shown = self.levels[1:] if len(self.levels) == 2 else self.levels
        return [f"{self.name}={level}" for level in shown]

    def encoded(self, cells: Cells) -> np.ndarray:
        """Return the block: NaN if missing, zeros for an unknown category."""
        codes = {level: code for code, level in enumerate(self.levels)}
        missing = _missing(cells)
        places = [codes.get(str(cell), -1) for cell in cells]  # (N,)
        block = np.zeros((cells.size, len(self.levels)))
        known = np.flatnonzero(np.array(places) >= 0)
        block[known, np.array(places)[known]] = self.scale
        if len(self.levels) == 2:  # the same distances in one column, around zero
            block = (block[:, 1:] - block[:, :1]) / np.sqrt(2.0)
        block[missing] = np.nan
        return block

    def plain(self, block: np.ndarray) -> np.ndarray:
        """Return one where a sample has the category of the column, else zero."""
        if len(self.levels) == 2:
            return block / (np.sqrt(2.0) * self.scale) + 0.5
        return block / self.scale


@dataclass(frozen=True, eq=False)
class _Column:
    """A column as it came: its cells, and whether they are dates in days."""

    name: str
    place: int
    cells: Cells
    is_date: bool


class TableEncoder:
    r"""Turns a table of numbers, categories and dates into numbers.

    For a table with non-numeric columns. If any of these is kept, each column
    counts the same: numbers and dates (in days) get mean zero and variance one, and the
    block of a column of categories with shares :math:`p_l` is one-hot with the value

    .. math:: 1 / \sqrt{1 - \sum_l p_l^2},

    so that its total variance is one, too: the mean squared distance of two samples is
    2 in each. Two categories make one column with the same distances. A missing value
    is NaN in the whole block, a category that is new in ``transform`` a block of zeros.

    Left out are columns of text in which nearly every value is different, columns of
    more than 100 categories, and columns that are constant or empty.

    Attributes
    ----------
    columns : list of Number or Category
        The columns that are kept.
    names : list of str
        The names of the encoded columns, such as ``sex=male``.
    sources : list of str
        The column of the table that each encoded column comes from.
    notes : list of str
        What was done, in sentences.

    Examples
    --------
    >>> import pandas
    >>> from coterie._tables import TableEncoder
    >>> table = pandas.DataFrame({"size": [1.0, 3.0, 5.0], "kind": ["a", "b", None]})
    >>> encoder = TableEncoder().fit(table)
    >>> encoder.names
    ['size', 'kind=b']
    >>> encoder.transform(table).round(2)
    array([[-1.22, -1.  ],
           [ 0.  ,  1.  ],
           [ 1.22,   nan]])
    """

    columns: list[Number | Category]
    notes: list[str]

    @property
    def names(self) -> list[str]:
        return [name for column in self.columns for name in column.names]

    @property
    def has_categories(self) -> bool:
        """Whether any column was encoded, and all have a common scale therefore."""
        return any(isinstance(column, Category) for column in self.columns)

    @property
    def sources(self) -> list[str]:
        return [column.name for column in self.columns for _ in column.names]

    def fit(self, table: Any) -> TableEncoder:
        """Learn the encoding of each column.

        Parameters
        ----------
        table : pandas or polars frame, or array of objects
        """
        given = list(_columns(table))
        found = [_learned(column) for column in given]
        days = [
            column.name
            for column, at in zip(given, found, strict=True)
            if column.is_date and not isinstance(at, str)
        ]
        if not days and not any(isinstance(at, Category) for at in found):
            found = [_learned(column, with_units=True) for column in given]
        self.columns = [at for at in found if not isinstance(at, str)]
        out = [
            f"Left out {column.name!r}: {why}."
            for column, why in zip(given, found, strict=True)
            if isinstance(why, str)
        ]
        if not self.columns:
            raise ValueError(f"No column can be clustered. {' '.join(out)}")
        self.notes = [*self._said(days), *out]
        return self

    def _said(self, days: list[str]) -> Iterator[str]:
        """Yield what was done with the columns that are kept."""
        words = [c for c in self.columns if isinstance(c, Category)]
        numbers = [c for c in self.columns if isinstance(c, Number)]
        if words:
            listed = some([f"{c.name!r} ({len(c.levels)})" for c in words])
            what = count(len(words), "column")
            yield f"Encoded {what} of categories: {listed}."
        if days:
            yield f"Took dates as days: {some([repr(name) for name in days])}."
        if words and numbers:
            what = count(len(numbers), "column")
            yield (
                f"Standardized {what} of numbers, so that each column counts the same."
            )

    def transform(self, table: Any) -> np.ndarray:
        """Return the numbers, (N, D) float64.

        Parameters
        ----------
        table : pandas or polars frame, or array of objects
            With the columns of ``fit``.
        """
        cells = [column.cells for column in _columns(table)]
        blocks = [column.encoded(cells[column.place]) for column in self.columns]
        return np.ascontiguousarray(np.hstack(blocks))

    def plain(self, X: np.ndarray) -> np.ndarray:
        """Return numbers as they were, and categories as zero and one.

        Parameters
        ----------
        X : (N, D) array
            As ``transform`` returned it.
        """
        blocks, at = [], 0
        for column in self.columns:
            width = len(column.names)
            blocks.append(column.plain(X[:, at : at + width]))
            at += width
        return np.hstack(blocks)


def is_table(X: Any) -> bool:
    """Whether X has non-numeric columns: a frame, or an array with text."""
    if isinstance(X, np.ndarray):
        is_objects = X.dtype == object and X.ndim == 2
        return is_objects and any(isinstance(cell, str) for cell in X.flat)
    return bool(not_numeric(X))


def not_numeric(X: Any) -> dict[str, Any]:
    """Return the types of the non-numeric columns of a frame, by name."""
    if not hasattr(X, "columns") or not hasattr(X, "dtypes"):
        return {}
    kinds = zip(X.columns, X.dtypes, strict=True)
    return {name: kind for name, kind in kinds if not _is_numeric(kind)}


def missing_note(missing: np.ndarray, names: Sequence[str]) -> str | None:
    """Say how many values are missing, and where; None if there are none.

    Parameters
    ----------
    missing : (N, D) bool array
    names : sequence of str
        Of the columns; neighbours with the same name count as one.
    """
    first = [j for j, name in enumerate(names) if j == 0 or names[j - 1] != name]
    counts = missing[:, first].sum(axis=0)  # (number of names,)
    total, n = int(counts.sum()), missing.shape[0]
    if total == 0:
        return None
    order = np.argsort(-counts, kind="stable")[: int((counts > 0).sum())]
    where = [f"{counts[i]:,} in {names[first[i]]!r}" for i in order]
    share = 100 * total / (n * len(first))
    shown = f"{share:.1f}%" if share >= 0.05 else "Less than 0.1%"
    return f"{shown} of the values are missing: of {n:,} rows, {some(where)}."


def some(items: Sequence[str], most: int = 8) -> str:
    """Return the items, shortened if there are many."""
    if len(items) <= most:
        return ", ".join(items)
    return f"{', '.join(items[:most])} and {len(items) - most} more"


def _learned(column: _Column, with_units: bool = False) -> Number | Category | str:
    """Return the encoding of a column, or why it is left out.

    ``with_units`` leaves numbers as they are.
    """
    name, place, cells = column.name, column.place, column.cells
    present = cells[~_missing(cells)]
    n = present.size
    if n == 0:
        return "it has no values"
    if cells.dtype != object:
        in_range(cells[:, None], "The table", [name])
        if with_units:
            return Number(name, place, 0.0, 1.0)
        mean, deviation = float(present.mean()), float(present.std())
        if deviation**2 <= _CONSTANT * float(np.mean(present**2)):
            return "it is constant"
        return Number(name, place, mean, deviation)
    levels, sizes = np.unique(present.astype(str), return_counts=True)
    if levels.size == 1:
        return "it is constant"
    if levels.size > 2 and (levels.size == n or levels.size > max(_FEW_LEVELS, n / 2)):
        what = f"{levels.size:,} different values in {n:,} rows"
        return f"{what}; it looks like an identifier"
    if levels.size > MOST_LEVELS:
        return f"it has {levels.size:,} categories, more than {MOST_LEVELS}"
    differ = 1.0 - float(np.sum((sizes / n) ** 2))
    return Category(name, place, tuple(levels.tolist()), 1.0 / np.sqrt(differ))


def _missing(cells: Cells) -> np.ndarray:
    if cells.dtype == object:
        return np.array([cell is None for cell in cells], dtype=bool)
    return np.isnan(cells)


def _columns(table: Any) -> Iterator[_Column]:
    """Yield the columns of a table."""
    if isinstance(table, np.ndarray):
        for j in range(table.shape[1]):
            yield _Column(f"column {j}", j, *_cells(table[:, j]))
        return
    is_polars = hasattr(table, "lazy")
    for j, name in enumerate(table.columns):
        column = table[:, j] if is_polars else table.iloc[:, j]
        read = _of_polars if is_polars else _of_pandas
        yield _Column(str(name), j, *read(column))


def _of_polars(column: Any) -> tuple[Cells, bool]:
    kind = column.dtype
    if kind.is_numeric():
        return column.cast(float).to_numpy().astype(np.float64), False
    if kind.is_temporal() and str(kind) != "Time":
        return in_days(column.to_numpy()), True
    return _cells(np.array(column.to_list(), dtype=object))


def _of_pandas(column: Any) -> tuple[Cells, bool]:
    kind = getattr(column.dtype, "kind", "O")
    if str(column.dtype) == "category":
        return _as_text(column.astype(object).to_numpy()), False
    if kind in "iuf":
        return column.to_numpy(dtype=np.float64, na_value=np.nan), False
    if kind in "mM":
        if getattr(column.dtype, "tz", None) is not None:
            column = column.dt.tz_convert(None)
        return in_days(column.to_numpy()), True
    return _cells(column.to_numpy(dtype=object))


def _cells(objects: np.ndarray) -> tuple[Cells, bool]:
    """Return objects as numbers if all are, as days if all are dates, else as text."""
    import datetime
    from decimal import Decimal
    from numbers import Real

    import pandas

    present = objects[~pandas.isna(objects)]
    flags = any(isinstance(cell, bool | np.bool_) for cell in present)
    numbers = (Real, Decimal)
    if present.size and not flags and all(isinstance(c, numbers) for c in present):
        return np.where(pandas.isna(objects), np.nan, objects).astype(np.float64), False
    dates = (datetime.date, np.datetime64)
    if present.size and all(isinstance(cell, dates) for cell in present):
        return in_days(pandas.to_datetime(objects).to_numpy()), True
    return _as_text(objects), False


def _as_text(objects: np.ndarray) -> Cells:
    import pandas

    cells = np.empty(objects.size, dtype=object)
    gone = pandas.isna(objects)
    cells[:] = [None if no else str(v) for v, no in zip(objects, gone, strict=True)]
    return cells


def in_days(times: np.ndarray) -> Cells:
    """Return times in days since 1970, or durations in days; NaN if missing."""
    if times.dtype.kind == "M":
        times = times - np.datetime64(0, "D")
    return np.where(np.isnat(times), np.nan, times / _DAY)


def _is_numeric(kind: Any) -> bool:
    """Whether a pandas or polars column type holds numbers."""
    if hasattr(kind, "is_numeric"):  # polars
        return bool(kind.is_numeric()) or str(kind) == "Boolean"
    return getattr(kind, "kind", "O") in "biuf"
