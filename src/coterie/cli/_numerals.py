"""How the numbers of a file are written: decimal commas, thousands, percent signs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from coterie.cli._columns import AUTO, GAPS, NONE

SYMBOLS = "%‰°$€£¥"
_SPACES = str.maketrans(dict.fromkeys("\u00a0\u2009\u202f", " "))
_SIGN = r"[+\-\u2212]?"
_EXPONENT = r"(?:[eE][+-]?\d+)?"
_NUMBER = re.compile(
    rf"[{SYMBOLS}]?\s*{_SIGN}(?:\d[\d.,' ]*|[.,]\d+){_EXPONENT}\s*[{SYMBOLS}]?"
)
_GROUPED = {
    mark: re.compile(rf"{_SIGN}\d{{1,3}}(?:{re.escape(mark)}\d{{3}})+([.,]\d*)?")
    for mark in ",.' "
}
# What the mark before the last digits can only mean
_ONLY_DECIMAL = {
    mark: re.compile(
        rf"{_SIGN}(?:0?[{mark}]\d+|\d{{4,}}[{mark}]\d+"
        rf"|[\d{other}' ]*[{mark}](?:\d{{1,2}}|\d{{4,}})"
        rf"|\d{{1,3}}(?:[{other}' ]\d{{3}})+[{mark}]\d+){_EXPONENT}"
    )
    for mark, other in (".,", ",.")
}
_WITH_UNIT = re.compile(r"(\S.*?)\s+([^\W\d_]\S{0,9})")
_NAMES = {",": "commas", ".": "points", "'": "apostrophes", " ": "spaces"}


class Numerals(NamedTuple):
    """The marks in numbers."""

    decimal: str = "."
    thousands: str = ""

    def number(self, cell: str) -> float | None:
        """Return the number in a cell, None if there is none."""
        if self.thousands and self.thousands in (cell := cell.translate(_SPACES)):
            grouped = _GROUPED[self.thousands].fullmatch(cell)
            if grouped is None or (grouped[1] or self.decimal)[0] != self.decimal:
                return None
            cell = cell.replace(self.thousands, "")
        if self.decimal != ".":
            if "." in cell:
                return None
            cell = cell.replace(self.decimal, ".")
        try:
            number = float(cell)
        except ValueError:
            return None
        return None if "_" in cell else number  # Python's own 1_000

    @property
    def guesses(self) -> tuple[str, ...]:
        """What is unusual about them."""
        said = []
        if self.decimal == ",":
            said.append("decimal commas: 1,5 is 1.5 (else --decimal .)")
        if self.thousands:
            example = f"1{self.thousands}234"
            said.append(
                f"{_NAMES[self.thousands]} between thousands: {example} is 1234 (else "
                "--thousands none)"
            )
        return tuple(said)


PLAIN = Numerals()


def is_number(cell: str) -> bool:
    """Whether a cell holds a number as Python writes it."""
    return PLAIN.number(cell) is not None


def looks_numeric(cell: str) -> bool:
    """Whether a cell holds a number in any of the known ways."""
    return is_number(cell) or _NUMBER.fullmatch(cell.translate(_SPACES)) is not None


def without_symbol(cell: str) -> tuple[str, str]:
    """Return a cell without the symbol at its start or end, and the symbol."""
    if cell[-1:] and cell[-1] in SYMBOLS:
        return cell[:-1].rstrip(), cell[-1]
    if cell[:1] and cell[0] in SYMBOLS:
        return cell[1:].lstrip(), cell[0]
    return cell, ""


def shared_unit(cells: Iterable[str]) -> str:
    """Return the word after the number in each cell, as in 12 kg; "" if there is none.

    It is the same word in all cells, but for gaps.
    """
    unit = ""
    for cell in cells:
        if cell in GAPS:
            continue
        found = _WITH_UNIT.fullmatch(cell.translate(_SPACES))
        if found is None or not looks_numeric(found[1]) or unit not in ("", found[2]):
            return ""
        unit = found[2]
    return unit


def without_unit(cell: str) -> str:
    """Return the number in a cell that has a unit, another cell as it is."""
    found = _WITH_UNIT.fullmatch(cell.translate(_SPACES))
    return cell if found is None else found[1]


def guess_numerals(
    columns: Iterable[Sequence[str]], delimiter: str, decimal: str, thousands: str
) -> Numerals:
    """Find the marks that the first cells of the columns show.

    A column counts if all its cells may be numbers. ``1,234`` alone is ambiguous: where
    semicolons separate the columns, the comma is a decimal one, as in the files that
    Excel writes where people use it; elsewhere it separates thousands. ``decimal`` and
    ``thousands`` are the user's choices.
    """
    if decimal != AUTO and thousands != AUTO:
        return Numerals(decimal, "" if thousands == NONE else thousands)
    columns = list(columns)
    if not any(map(_is_marked, columns)):
        return Numerals("." if decimal == AUTO else decimal)
    cells = [
        without_symbol(cell.translate(_SPACES))[0]
        for column in columns
        if all(map(looks_numeric, column))
        for cell in column
    ]
    if decimal == AUTO:
        only_comma, only_point = (
            any(_ONLY_DECIMAL[mark].fullmatch(cell) for cell in cells) for mark in ",."
        )
        unclear = any(_GROUPED[","].fullmatch(cell) for cell in cells)
        is_comma = only_comma or (delimiter == ";" and unclear)
        decimal = "," if is_comma and not only_point and thousands != "," else "."
    if thousands == AUTO:
        marks = [mark for mark in ",.' " if mark != decimal]
        groups = (m for m in marks if any(_GROUPED[m].fullmatch(c) for c in cells))
        thousands = next(groups, NONE)
    return Numerals(decimal, "" if thousands == NONE else thousands)


def _is_marked(column: Sequence[str]) -> bool:
    """Whether some cell has a mark that Python's numbers do not have."""
    return any(
        "," in cell or "'" in cell or " " in cell or not cell.isascii()
        for cell in column
    )
