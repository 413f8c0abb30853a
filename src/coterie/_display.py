"""How results print: counted nouns and small tables of plain text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

MOST_ROWS = 12
_MOST_CHARACTERS = 100
_NOTHING = "-"  # in a cell without a value


def count(n: int, noun: str, plural: str | None = None) -> str:
    """Return a number with its noun: ``1 sample``, ``1,500 samples``."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"


def shortened(text: str, most: int = _MOST_CHARACTERS) -> str:
    """Return a text on one line, cut where it is long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def table(columns: Mapping[str, Sequence[Any] | np.ndarray], n_rows: int) -> list[str]:
    """Return the lines of a table with a heading; beyond 12 rows it is cut.

    Parameters
    ----------
    columns : mapping of str to the first 12 values or more
        Text is set to the left, numbers to the right.
    n_rows : int
        How many rows there are in all.
    """
    shown = {name: list(values[:MOST_ROWS]) for name, values in columns.items()}
    cells = [_aligned(name, values) for name, values in shown.items()]
    lines = [" ".join(row).rstrip() for row in zip(*cells, strict=True)]
    more = n_rows - MOST_ROWS
    return lines if more <= 0 else [*lines, f"  ... and {more:,} more"]


def _aligned(name: str, values: list[Any]) -> list[str]:
    """Return a column, the heading first, its cells of one width."""
    is_text = all(isinstance(value, str) for value in values)
    texts = [name, *(values if is_text else _numbers(values))]
    width = max(map(len, texts))
    if is_text:
        return [f" {text:<{width}}" for text in texts]
    return [f" {text:>{width}}" for text in texts]


def _numbers(values: list[Any]) -> list[str]:
    """Return numbers as text, all with the same decimals, at least three digits."""
    known = [v for v in values if v is not None and np.isfinite(v)]
    if all(isinstance(v, int | np.integer) for v in known):
        decimals = 0
    else:
        largest = max((abs(float(v)) for v in known), default=0.0)
        decimals = max(0, 3 - sum(largest >= power for power in (10, 100, 1000)))
    return [
        _NOTHING if v is None or np.isnan(v) else f"{v:,.{decimals}f}" for v in values
    ]
