"""What the cells of a column mean: numbers, dates, categories, gaps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from coterie._tables import some
from coterie.cli._columns import GAPS
from coterie.cli._dates import ORDERS, read_dates
from coterie.cli._numerals import (
    Numerals,
    shared_unit,
    without_symbol,
    without_unit,
)

FAR = (-99, -999, -9999, -99999, 999, 9999, 99999)

Cells = np.ndarray  # (N,) objects: text without spaces around it, None = missing


class Reading(NamedTuple):
    """A column as it is understood.

    Attributes
    ----------
    values : (N,) array
        float64 with NaN, datetime64 with NaT, or the cells themselves.
    guess : str
        What was guessed, for all columns that are read alike; "{}" is their names.
    odd : tuple of int
        Rows whose cells are neither numbers nor gaps, if there are numbers besides.
    """

    values: np.ndarray
    guess: str = ""
    odd: tuple[int, ...] = ()

    @property
    def is_text(self) -> bool:
        """Whether the column holds words."""
        return self.values.dtype == object


def read_number_cells(cells: Cells, numerals: Numerals) -> tuple[np.ndarray, list[int]]:
    """Return the numbers, NaN where there is none, and the rows of other cells."""
    found = [np.nan if c is None else numerals.number(c) for c in cells]
    odd = [i for i, number in enumerate(found) if number is None]
    return np.array(found, dtype=np.float64), odd


def read_cells(cells: Cells, numerals: Numerals, dates: str) -> Reading:
    """Return what a column of data means.

    Parameters
    ----------
    cells : (N,) array of str or None
    numerals : Numerals
    dates : {"auto", "ymd", "dmy", "mdy", "none"}
    """
    numbers, odd = read_number_cells(cells, numerals)
    if not odd:
        return Reading(numbers)
    kind = {str(cells[i]) for i in odd}
    if kind <= GAPS and np.isfinite(numbers).sum() >= 2:
        marks = ", ".join(sorted(map(repr, kind)))
        return Reading(numbers, f"{marks} in {{}} means missing (else --text NAME)")
    signed = _read_signed(cells, numerals)
    if signed is not None:
        return signed
    present = np.array([cell is not None and cell not in GAPS for cell in cells])
    read = None if dates == "none" else read_dates(cells[present].tolist(), dates)
    if read is not None:
        times = np.full(cells.size, np.datetime64("NaT"), dtype="datetime64[ns]")
        times[present] = read[0]
        said = f"dates in {{}}, read as {ORDERS[read[1]]} (else --dates ORDER)"
        return Reading(times, said)
    n_numbers = int(np.isfinite(numbers).sum())
    return Reading(cells, odd=tuple(odd) if n_numbers > len(odd) else ())


def far_number(numbers: np.ndarray) -> str:
    """Return a number that may mean missing, as -999 far from all others, or "".

    Parameters
    ----------
    numbers : (N,) float64 array with NaN
    """
    for far in FAR:
        others = numbers[(numbers != far) & ~np.isnan(numbers)]
        if others.size < 2 or np.sum(numbers == far) < 2:
            continue
        low, high = others.min(), others.max()
        if max(low - far, far - high) > high - low > 0:
            return str(far)
    return ""


def said_of_far(far: str) -> str:
    """Say that a number may mean missing."""
    return f"{far} in {{}} is far from all others (if it means missing, --na {far})"


def _read_signed(cells: Cells, numerals: Numerals) -> Reading | None:
    """Return numbers that all have the same symbol or unit; None if they have not."""
    unit = shared_unit("" if cell is None else cell for cell in cells)
    if unit:
        bare = np.array([c and (None if c in GAPS else without_unit(c)) for c in cells])
        numbers, odd = read_number_cells(bare, numerals)
        said = f"{unit!r} in {{}} was removed: 12 {unit} is 12 (else --text NAME)"
        return None if odd else Reading(numbers, said)
    pairs = [("", "") if c is None or c in GAPS else without_symbol(c) for c in cells]
    symbols = {symbol for text, symbol in pairs if text not in ("", "0")}
    if len(symbols) != 1 or symbols == {""}:
        return None
    bare = np.array([text or None for text, _ in pairs], dtype=object)
    numbers, odd = read_number_cells(bare, numerals)
    symbol = symbols.pop()
    return None if odd else Reading(numbers, _said_of(symbol))


def _said_of(symbol: str) -> str:
    example = f"12{symbol}" if symbol in "%‰°€" else f"{symbol}12"
    return f"{symbol!r} in {{}} was removed: {example} is 12 (else --text NAME)"


def merged(guesses: Sequence[tuple[str, str]]) -> list[str]:
    """Return one sentence per guess, with the names of its columns.

    Parameters
    ----------
    guesses : sequence of (guess, name)
    """
    by_guess: dict[str, list[str]] = {}
    for guess, name in guesses:
        if guess:
            by_guess.setdefault(guess, []).append(repr(name))
    return [guess.format(some(names)) for guess, names in by_guess.items()]
