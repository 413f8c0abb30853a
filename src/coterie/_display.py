"""How results print: counted nouns and small plain-text tables."""

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
    """Return text on one line, truncated if it is long."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 3] + "..."


def table(columns: Mapping[str, Sequence[Any] | np.ndarray], n_rows: int) -> list[str]:
    """Return the lines of a table with a heading, truncated after 12 of ``n_rows``.

    Text is aligned to the left, numbers to the right.
    """
    shown = {name: list(values[:MOST_ROWS]) for name, values in columns.items()}
    cells = [_aligned(name, values) for name, values in shown.items()]
    lines = [" ".join(row).rstrip() for row in zip(*cells, strict=True)]
    more = n_rows - MOST_ROWS
    return lines if more <= 0 else [*lines, f"  ... and {more:,} more"]


def _aligned(name: str, values: list[Any]) -> list[str]:
    """Return the cells of a column, the heading first, padded to one width."""
    is_text = all(isinstance(value, str) for value in values)
    texts = [name, *(values if is_text else _numbers(values))]
    side, width = "<" if is_text else ">", max(map(len, texts))
    return [f" {text:{side}{width}}" for text in texts]


def _numbers(values: list[Any]) -> list[str]:
    """Return numbers as text with the same number of decimals, three digits or more."""
    known = [v for v in values if v is not None and np.isfinite(v)]
    if all(isinstance(v, int | np.integer) for v in known):
        decimals = 0
    else:
        largest = max((abs(float(v)) for v in known), default=0.0)
        decimals = max(0, 3 - sum(largest >= power for power in (10, 100, 1000)))
    return [
        _NOTHING if v is None or np.isnan(v) else f"{v:,.{decimals}f}" for v in values
    ]
