"""What a user says about columns, and which column is what."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

NONE, AUTO = "none", "auto"
_ID = r"index|idx|ids?|uu?id|\w+_id"  # anywhere in the table; the others come first
_ITEM = r"(sample|cell|gene|row|barcode|patient|subject|name)s?_?(id|name)?s?"
_INDEX = re.compile(rf"{_ID}|{_ITEM}|key|obs|obs_names|observation|unnamed.*|", re.I)


@dataclass(frozen=True)
class Columns:
    """What a user says about columns.

    Attributes
    ----------
    index : COLUMN
        Column with the names of the samples: a name, or a number (1 is the first, -1
        the last); 'none'; or 'auto' to look for one.
    truth : COLUMN
        Column of known classes, to score the result against; in NPZ and MAT files also
        the name of an array.
    drop : COLUMN
        Column to leave out. May be repeated.
    variable : NAME
        Matrix to use of an NPZ or MAT file that holds several.
    decimal : MARK
        Decimal point of a CSV or TSV file.
    na : WORD
        Another word for a missing value, beside NA and the like. May be repeated.
    """

    panel: ClassVar[str] = "Reading the file"
    header: bool | None = None
    index: str = AUTO
    truth: str | None = None
    drop: list[str] = field(default_factory=list)
    variable: str | None = None
    decimal: str = "."
    na: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Table:
    """What a file holds: data (N, D) or labels (N, M), an index, known classes."""

    path: Path
    values: Any  # array, sparse matrix, frame, Rows or Ensemble
    names: list[str]  # of the columns of values
    index: Any = None
    index_name: str | None = None
    truth: Any = None
    truth_name: str | None = None
    dropped: list[str] = field(default_factory=list)
    has_header: bool | None = None  # None where the format knows no headers


class Roles(NamedTuple):
    """Which column is what, by place."""

    values: list[int]
    index: int | None
    truth: int | None
    dropped: list[int]


def assign_roles(
    names: Sequence[str], found: int | None, columns: Columns, path: Path
) -> Roles:
    """Say which column is what; ``found`` is the one that looks like an index."""
    truth = _place(columns.truth, names, path, "--truth") if columns.truth else None
    dropped = [_place(name, names, path, "--drop") for name in columns.drop]
    index = None if found == truth or found in dropped else found
    if columns.index != AUTO:
        named = columns.index != NONE
        index = _place(columns.index, names, path, "--index") if named else None
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
    path: Path,
    names: Sequence[str],
    roles: Roles,
    values: Any,
    column: Callable[[int], Any],
    has_header: bool | None = None,
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
        has_header=has_header,
    )


def named_index(names: Sequence[str]) -> int | None:
    """Return the column that has the name of an index: the first, or any id."""
    if len(names) < 2:
        return None
    if _INDEX.fullmatch(names[0]):
        return 0
    ids = (j for j, name in enumerate(names) if re.fullmatch(_ID, name, re.I))
    return next(ids, None)


def unique_names(names: Sequence[str], path: Path) -> list[str]:
    """Return names for all columns but an index; raise if one is there twice."""
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


def some(names: Sequence[str], most: int = 8) -> str:
    """Return some of the names, with dots for the others."""
    shown = [name or "(no name)" for name in names]
    if len(shown) > most:
        shown = [*shown[: most - 1], "...", shown[-1]]
    return ", ".join(shown)


def not_numbers(path: Path, words: Sequence[str], example: str) -> ValueError:
    """Return the error for columns of text."""
    one = len(words) == 1
    holds, it = (
        ("column", "holds") if one else ("columns", "hold"),
        "it" * one or "them",
    )
    return ValueError(
        f"{path}: the {holds[0]} {some(words)} {holds[1]} something that is not a "
        f"number ({example}). Leave {it} out with --drop {words[0]!r}, or name {it} as "
        "--truth or --index."
    )


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
