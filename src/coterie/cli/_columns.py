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
MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>")
# These mean a missing value only among numbers or dates.
GAPS = frozenset(
    [
        *MISSING,
        *("?", "-", "--", ".", "..", "*", "\\N", "NaT", "nil", "none", "NONE", "Null"),
        *("na", "Na", "n.a.", "N.A.", "nd", "ND", "n.d.", "unknown", "Unknown"),
        *("missing", "Missing", "MISSING", "#N/A", "#NA", "#VALUE!", "#DIV/0!"),
        *("#REF!", "#NUM!", "#NAME?", "#NULL!"),
    ]
)


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
    text : COLUMN
        Column to take as categories, not as numbers or dates. May be repeated.
    na : WORD
        Another word for a missing value, besides NA and the like. May be repeated.
    delimiter : MARK
        What separates the columns: a character, tab or space.
    decimal : MARK
        Decimal point of the numbers.
    thousands : MARK
        What separates their thousands; 'none' if nothing does.
    dates : ORDER
        How dates such as 03/04/2024 are read: dmy, mdy or ymd; 'none' leaves them text.
    encoding
        Of the text, such as latin-1.
    skip : LINES
        Lines above the header to leave out. [default: auto-detect]
    units : --units/--no-units
        Whether the row below the header holds units. [default: auto-detect]
    sheet : NAME
        Sheet of an Excel file: a name, or a number from 1. [default: the first]
    """

    panel: ClassVar[str] = "Reading the file"
    shown: ClassVar[frozenset[str]] = frozenset({"truth", "drop", "index"})
    header: bool | None = None
    index: str = AUTO
    truth: str | None = None
    drop: list[str] = field(default_factory=list)
    variable: str | None = None
    text: list[str] = field(default_factory=list)
    na: list[str] = field(default_factory=list)
    delimiter: str = AUTO
    decimal: str = AUTO
    thousands: str = AUTO
    dates: str = AUTO
    encoding: str = AUTO
    skip: int | None = None
    units: bool | None = None
    sheet: str | None = None

    def check(self) -> None:
        """Raise for impossible options before any file is read."""
        for option, wish, known in (
            ("--decimal", self.decimal, (AUTO, ".", ",")),
            ("--thousands", self.thousands, (AUTO, NONE, ",", ".", "'", " ")),
            ("--dates", self.dates, (AUTO, NONE, "dmy", "mdy", "ymd")),
        ):
            if wish not in known:
                shown = ", ".join(repr(word) for word in known)
                raise ValueError(f"{option} expects one of {shown}, got {wish!r}.")
        if self.decimal == self.thousands != AUTO:
            raise ValueError(
                f"--decimal and --thousands cannot both be {self.decimal!r}."
            )


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
    guesses: list[str] = field(default_factory=list)  # one sentence each


class Roles(NamedTuple):
    """Which column plays which role, by position."""

    values: list[int]
    index: int | None
    truth: int | None
    dropped: list[int]
    texts: list[int]  # taken as categories at the user's wish
    ids: list[int]  # the index, then others that are left out


def assign_roles(
    names: Sequence[str], ids: Sequence[int], columns: Columns, path: Path
) -> Roles:
    """Return the role of each column; ``ids`` are those that look like ids."""
    truth = _place(columns.truth, names, path, "--truth") if columns.truth else None
    dropped = [_place(name, names, path, "--drop") for name in columns.drop]
    texts = [_place(name, names, path, "--text") for name in columns.text]
    ids = [j for j in ids if j != truth and j not in dropped and j not in texts]
    if columns.index == NONE:
        ids = []
    elif columns.index != AUTO:
        ids = [_place(columns.index, names, path, "--index")]
    index = ids[0] if ids else None
    if truth is not None and index == truth:
        raise ValueError(f"{names[truth]!r} cannot be both --index and --truth.")
    apart = {truth, *ids, *dropped}
    values = [j for j in range(len(names)) if j not in apart]
    if not values:
        raise ValueError(
            f"{path}: no column is left after removing index, truth and dropped ones."
        )
    return Roles(values, index, truth, dropped, texts, list(ids))


def make_table(
    path: Path,
    names: Sequence[str],
    roles: Roles,
    values: Any,
    column: Callable[[int], Any],
    has_header: bool | None = None,
    guesses: Sequence[str] = (),
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
        guesses=list(guesses),
    )


def unique_names(names: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return a name of its own for each column, and what was renamed.

    Only the first may stay without a name: an index.
    """
    full = [name or (f"column {j + 1}" if j else "") for j, name in enumerate(names)]
    taken, n_times, found = set(full), Counter(full), []
    seen: Counter[str] = Counter()
    for name in full:
        seen[name] += 1
        new = name
        while seen[name] > 1 and (new := f"{name} ({seen[name]})") in taken:
            seen[name] += 1
        found.append(new)
    twice = [name for name, n in n_times.items() if n > 1]
    if not twice:
        return found, []
    from coterie._display import count  # imports NumPy, which --help does without

    example = f"{twice[0]} (2)"
    said = f"{count(len(twice), 'name')} used twice or more: {some(twice)}"
    return found, [f"{said}; the second is called {example!r}"]


def numbered(n_columns: int) -> list[str]:
    """Return names for unnamed columns."""
    return [f"column {j + 1}" for j in range(n_columns)]


def some(names: Sequence[str], most: int = 8) -> str:
    """Return the names, shortened if there are many."""
    shown = [name or "(no name)" for name in names]
    if len(shown) > most:
        shown = [*shown[: most - 1], "...", shown[-1]]
    return ", ".join(shown)


def not_numbers(
    path: Path, words: Sequence[str], example: str, hint: str = ""
) -> ValueError:
    """Return the error for columns of text."""
    noun, verb, it = ("column", "holds", "it")
    if len(words) > 1:
        noun, verb, it = ("columns", "hold", "them")
    return ValueError(
        f"{path}: the {noun} {some(words)} {verb} something that is not a number "
        f"({example}). Leave {it} out with --drop {words[0]!r}, or name {it} as "
        f"--truth or --index. {hint}{TAKES_TABLES}"
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
