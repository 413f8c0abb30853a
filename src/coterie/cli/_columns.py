"""Which column of a file is what: data, labels, index, known classes."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

NONE, AUTO = "none", "auto"
TAKES_TABLES = (
    "'coterie cluster' takes categories and empty cells as they are, unless --system "
    "names another system than ensemble."
)
_ID = r"index|idx|ids?|uu?id|\w+_id"  # in any column; the others only in the first
_ITEM = r"(sample|cell|gene|row|barcode|patient|subject|name)s?_?(id|name)?s?"
_INDEX = re.compile(rf"{_ID}|{_ITEM}|key|obs|obs_names|observation|unnamed.*|", re.I)


@dataclass(frozen=True)
class Columns:
    """Options that say what the columns of a file are: a name, or a number from 1.

    Attributes
    ----------
    index : COLUMN
        Column of sample names, or 'none'. [default: auto-detect]
    truth : COLUMN
        Column (or NPZ, MAT array) of known classes, to score the result.
    drop : COLUMN
        Column to leave out. May be repeated.
    variable : NAME
        Matrix to use from an NPZ or MAT file that holds several.
    decimal : MARK
        Decimal point of a CSV or TSV file.
    na : WORD
        Another word for a missing value, besides NA and the like. May be repeated.
    """

    panel: ClassVar[str] = "Reading the file"
    shown: ClassVar[frozenset[str]] = frozenset({"truth", "drop", "index"})
    header: bool | None = None
    index: str = AUTO
    truth: str | None = None
    drop: list[str] = field(default_factory=list)
    variable: str | None = None
    decimal: str = "."
    na: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Table:
    """Data (N, D) or labels (N, M) of a file, with its index and known classes."""

    path: Path
    values: Any  # array, sparse matrix, frame (labels, categories), Rows or Ensemble
    names: list[str]  # of the columns of values
    index: Any = None
    index_name: str | None = None
    truth: Any = None
    truth_name: str | None = None
    dropped: list[str] = field(default_factory=list)
    has_header: bool | None = None  # None where the format has no headers


class Roles(NamedTuple):
    """Which column plays which role, by position."""

    values: list[int]
    index: int | None
    truth: int | None
    dropped: list[int]


def assign_roles(
    names: Sequence[str], found: int | None, columns: Columns, path: Path
) -> Roles:
    """Return the role of each column; ``found`` is the one that looks like an index."""
    truth = _place(columns.truth, names, path, "--truth") if columns.truth else None
    dropped = [_place(name, names, path, "--drop") for name in columns.drop]
    index = None if found == truth or found in dropped else found
    if columns.index != AUTO:
        named = columns.index != NONE
        index = _place(columns.index, names, path, "--index") if named else None
    if truth is not None and index == truth:
        raise ValueError(f"{names[truth]!r} cannot be both --index and --truth.")
    apart = {index, truth, *dropped}
    values = [j for j in range(len(names)) if j not in apart]
    if not values:
        raise ValueError(
            f"{path}: no column is left after removing index, truth and dropped ones."
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
    """Return a table; ``column(j)`` returns the index or the known classes."""
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
    """Return the column named like an index: the first, or any id."""
    if len(names) < 2:
        return None
    if _INDEX.fullmatch(names[0]):
        return 0
    ids = (j for j, name in enumerate(names) if re.fullmatch(_ID, name, re.I))
    return next(ids, None)


def unique_names(names: Sequence[str], path: Path) -> list[str]:
    """Return a name for each column except an index; raise for duplicates."""
    full = [name or (f"column {j + 1}" if j else "") for j, name in enumerate(names)]
    name, n = Counter(full).most_common(1)[0]
    if n > 1:
        raise ValueError(
            f"{path} has more than one column named {name!r}. Give each its own name, "
            "or use --no-header if the first row holds no names."
        )
    return full


def numbered(n_columns: int) -> list[str]:
    """Return names for unnamed columns."""
    return [f"column {j + 1}" for j in range(n_columns)]


def some(names: Sequence[str], most: int = 8) -> str:
    """Return the names, shortened if there are many."""
    shown = [name or "(no name)" for name in names]
    if len(shown) > most:
        shown = [*shown[: most - 1], "...", shown[-1]]
    return ", ".join(shown)


def not_numbers(path: Path, words: Sequence[str], example: str) -> ValueError:
    """Return the error for columns of text."""
    noun, verb, it = ("column", "holds", "it")
    if len(words) > 1:
        noun, verb, it = ("columns", "hold", "them")
    return ValueError(
        f"{path}: the {noun} {some(words)} {verb} something that is not a number "
        f"({example}). Leave {it} out with --drop {words[0]!r}, or name {it} as "
        f"--truth or --index. {TAKES_TABLES}"
    )


def _place(name: str, names: Sequence[str], path: Path, option: str) -> int:
    """Return the position of a column given by name or number (from 1, or from -1)."""
    if name in names:
        return list(names).index(name)
    number = int(name) if re.fullmatch(r"-?\d+", name) else 0
    if 1 <= abs(number) <= len(names):
        return number - 1 if number > 0 else len(names) + number
    raise ValueError(
        f"{option} {name}: {path} has no such column. Its {len(names)} columns are "
        f"{some(names)}."
    )
