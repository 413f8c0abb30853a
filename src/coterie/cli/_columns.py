"""What a user says about columns, and which column is what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

NONE, AUTO = "none", "auto"


@dataclass(frozen=True)
class Columns:
    """What a user said about columns.

    Attributes
    ----------
    header : bool or None
        Whether a CSV file has one; None = see for itself.
    index : str
        A column, ``none`` or ``auto``.
    truth : str or None
        The column of known classes.
    drop : tuple of str
        Columns to leave out.
    variable : str or None
        The matrix to use, of a file that holds several.
    """

    header: bool | None = None
    index: str = AUTO
    truth: str | None = None
    drop: tuple[str, ...] = ()
    variable: str | None = None


@dataclass(frozen=True, eq=False)
class Table:
    """What a file holds.

    Attributes
    ----------
    path : Path
    values : array, sparse matrix, LabelColumns or Ensemble
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
    index: np.ndarray | None = None
    index_name: str | None = None
    truth: np.ndarray | None = None
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
    """Say which column is index, truth, dropped or value."""
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
