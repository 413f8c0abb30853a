"""What a user says about columns, and which column is what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

NONE, AUTO = "none", "auto"
_IDS = ("id", "ids", "idx", "index", "uid", "uuid", "sampleid")
_INDEX_NAMES = frozenset(
    (
        *_IDS,
        *"sample samples sample_name cell cells barcode barcodes gene genes".split(),
        *"name names row row_name row_names rowname rownames key".split(),
        *"obs obs_names observation patient subject".split(),
    )
)


@dataclass(frozen=True)
class Columns:
    """What a user said about columns.

    Attributes
    ----------
    header : bool or None
        Whether a CSV file has one; None = auto-detect.
    index : str
        A column, ``none`` or ``auto``.
    truth : str or None
        The column of known classes.
    drop : tuple of str
        Columns to leave out.
    variable : str or None
        The matrix to use, of a file that holds several.
    decimal : str
        The decimal point of a CSV file.
    na : tuple of str
        Words for missing values, beside the usual ones.
    """

    header: bool | None = None
    index: str = AUTO
    truth: str | None = None
    drop: tuple[str, ...] = ()
    variable: str | None = None
    decimal: str = "."
    na: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Table:
    """What a file holds.

    Attributes
    ----------
    path : Path
    values : array, sparse matrix, frame, Rows or Ensemble
        The data (N, D) or the labels (N, M).
    names : list of str
        Of the columns of ``values``.
    index, truth : (N,) array or None
    index_name, truth_name : str or None
    dropped : list of str
    has_header : bool or None
        None where the format knows no headers.
    """

    path: Path
    values: Any
    names: list[str]
    index: Any = None
    index_name: str | None = None
    truth: Any = None
    truth_name: str | None = None
    dropped: list[str] = field(default_factory=list)
    has_header: bool | None = None


@dataclass(frozen=True)
class Roles:
    """Which column is what, by place."""

    values: list[int]
    index: int | None
    truth: int | None
    dropped: list[int]

    @property
    def apart(self) -> list[int]:
        """The columns that are set apart and read."""
        return [j for j in (self.index, self.truth) if j is not None]


def assign_roles(
    names: Sequence[str], found: int | None, columns: Columns, path: Path
) -> Roles:
    """Say which column is index, truth, dropped or value.

    Parameters
    ----------
    names : sequence of str
    found : int or None
        The column that looks like an index.
    columns : Columns
    path : Path
        The file, for errors.
    """
    truth = None
    if columns.truth is not None:
        truth = _place(columns.truth, names, path, "--truth")
    dropped = [_place(name, names, path, "--drop") for name in columns.drop]
    if columns.index == NONE:
        index = None
    elif columns.index == AUTO:
        index = None if found == truth or found in dropped else found
    else:
        index = _place(columns.index, names, path, "--index")
    if truth is not None and index == truth:
        raise ValueError(
            f"{names[truth]!r} is named as --index and as --truth; it can be only one."
        )
    apart = {index, truth, *dropped}
    values = [j for j in range(len(names)) if j not in apart]
    if not values:
        raise ValueError(
            f"{path}: no column is left when index, truth and dropped columns are set "
            "apart."
        )
    return Roles(values, index, truth, dropped)


def make_table(
    path: Path, names: Sequence[str], roles: Roles, values: Any, column: Any
) -> Table:
    """Return a table; ``column(j)`` gives the columns that are set apart."""
    index, truth = roles.index, roles.truth
    return Table(
        path,
        values,
        [names[j] for j in roles.values],
        index=None if index is None else column(index),
        index_name=None if index is None else names[index] or "index",
        truth=None if truth is None else column(truth),
        truth_name=None if truth is None else names[truth],
        dropped=[names[j] for j in roles.dropped],
    )


def named_index(names: Sequence[str]) -> int | None:
    """Return the column whose name is that of an index: the first, or an id."""
    low = [name.casefold() for name in names]
    if len(low) < 2:
        return None
    if not low[0] or low[0].startswith("unnamed") or low[0] in _INDEX_NAMES:
        return 0
    ids = (j for j, n in enumerate(low) if n in _IDS or n.endswith("_id"))
    return next(ids, None)


def is_index_name(name: str) -> bool:
    """Whether a column of this name holds the names of samples."""
    return named_index([name, "another"]) == 0


def unique_names(names: Sequence[str], path: Path) -> list[str]:
    """Return names for all columns; raise if one is there twice."""
    full = [name or (f"column {j + 1}" if j else "") for j, name in enumerate(names)]
    seen: set[str] = set()
    for name in full:
        if name in seen:
            raise ValueError(
                f"{path} has more than one column named {name!r}. Give each its own "
                "name, or use --no-header if the first row holds no names."
            )
        seen.add(name)
    return full


def numbered(n_columns: int) -> list[str]:
    """Return names for columns that have none."""
    return [f"column {j + 1}" for j in range(n_columns)]


def _place(name: str, names: Sequence[str], path: Path, option: str) -> int:
    """Return the place of a column given by name or by number (from 1, or from -1)."""
    if name in names:
        return list(names).index(name)
    try:
        number = int(name)
    except ValueError:
        number = 0
    if 1 <= abs(number) <= len(names):
        return number - 1 if number > 0 else len(names) + number
    raise ValueError(
        f"{option} {name}: {path} has no such column. Its {len(names)} columns are "
        f"{some(names)}."
    )


def some(names: Sequence[str], most: int = 8) -> str:
    """Return some of the names, with dots for the others."""
    shown = [name or "(no name)" for name in names]
    if len(shown) > most:
        shown = [*shown[: most - 1], "...", shown[-1]]
    return ", ".join(shown)
