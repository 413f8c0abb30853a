"""Sheets of Excel files, as the text that a CSV file would have."""

from __future__ import annotations

import csv
import datetime
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from coterie.cli._source import Source


def sheet_of(path: Path, sheet: str | None) -> Source:
    """Return a sheet of a workbook, the first unless named, as CSV."""
    import pandas

    with _reading(path):
        book = pandas.ExcelFile(path, engine="openpyxl")
    with book:
        name = _named(path, [str(one) for one in book.sheet_names], sheet)
        with _reading(path):
            frame = book.parse(name, header=None, dtype=object, na_filter=False)
    if frame.empty:
        raise ValueError(f"The sheet {name!r} of {path} is empty.")
    text = io.StringIO(newline="")
    rows = frame.itertuples(index=False)
    csv.writer(text).writerows([_cell(value) for value in row] for row in rows)
    others = len(book.sheet_names) - 1
    said = f"the sheet {name!r} of {others + 1} was read (else --sheet NAME)"
    guesses = (said,) if others and sheet is None else ()
    return Source(path, "utf-8", text.getvalue().encode(), guesses)


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Say which file is damaged: errors come from zip, XML and number parsers."""
    try:
        yield
    except Exception as error:
        raise ValueError(f"{path} cannot be read as an Excel file: {error}.") from None


def _named(path: Path, names: list[str], sheet: str | None) -> str:
    if sheet is None:
        return names[0]
    if sheet in names:
        return sheet
    if sheet.isdigit() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    raise ValueError(
        f"--sheet {sheet}: {path} has no such sheet. It has {', '.join(names)}."
    )


def _cell(value: Any) -> str:
    """Return a cell as text that the reader of CSV files understands."""
    if isinstance(value, datetime.datetime):
        is_day = value.time() == datetime.time()
        return value.date().isoformat() if is_day else value.isoformat(sep=" ")
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return "" if value is None or value != value else str(value)
