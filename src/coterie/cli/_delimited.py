"""CSV and TSV files: the first rows say what is what, pandas reads the columns.

Where something is wrong, the file is gone through once more by the csv module, which
knows the number of the line to complain about.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coterie.cli._columns import (
    Columns,
    Table,
    assign_roles,
    make_table,
    named_index,
    not_numbers,
    numbered,
    unique_names,
)
from coterie.cli._files import DELIMITERS

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>")
_HEAD_ROWS, _HEAD_CELLS = 1000, 200_000  # looked at before deciding what is what
_EXACT = 2.0**53  # from here on float64 merges whole numbers


@dataclass(frozen=True)
class Layout:
    """What the first rows of a file tell."""

    path: Path
    names: list[str]  # of the columns; ``column 1`` and so on without a header
    delimiter: str
    header_lines: int  # lines up to the end of the header; 0 without one
    index: int | None  # the column that looks like an index

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows below the header, each with the number of its line."""
        rows = _rows(self.path, self.delimiter)
        return islice(rows, 1 if self.header_lines else 0, None)

    def check_widths(self, rows: Any = None) -> None:
        """Raise if a row is longer or shorter than the others."""
        for line, row in self.rows() if rows is None else rows:
            if len(row) != len(self.names):
                raise ValueError(
                    f"Line {line} of {self.path} has {len(row)} cells, but "
                    f"{len(self.names)} were expected."
                )

    def line_of(self, row: int) -> int:
        """Return the line of a row of the data."""
        return next(islice(self.rows(), row, None))[0]


def read_delimited(
    path: Path, kind: str, columns: Columns, for_labels: bool
) -> tuple[Table, Layout]:
    """Return the data (float64) or the labels (a frame) of a file, and its layout."""
    layout = sniff(path, kind, columns, for_labels)
    names, missing = layout.names, frozenset((*MISSING, *columns.na))
    roles = assign_roles(names, layout.index, columns, path)
    apart = [j for j in (roles.index, roles.truth) if j is not None]
    frame = _read(layout, columns.decimal, missing, apart)
    if frame[len(names) - 1].isna().any():  # pandas fills rows that are too short
        layout.check_widths()
    odd = _odd(frame[roles.values], for_labels)
    texts = _read(layout, columns.decimal, missing, odd) if odd else frame
    words = []
    for j in odd:
        cells = _stripped(texts[j], missing)
        numbers = _numbers(cells, columns.decimal)
        if numbers is None:
            words.append(j)
        merged = numbers is None or (for_labels and (np.abs(numbers) >= _EXACT).any())
        frame[j] = cells if merged else numbers
    if words and not for_labels:
        raise _first_word(layout, words, columns.decimal, missing)
    kept = frame[roles.values]
    return make_table(
        path,
        names,
        roles,
        kept.set_axis([names[j] for j in roles.values], axis=1)
        if for_labels
        else kept.to_numpy(np.float64),
        lambda j: _stripped(frame[j], missing if j == roles.truth else ()),
        has_header=layout.header_lines > 0,
    ), layout


def sniff(path: Path, kind: str, columns: Columns, for_labels: bool) -> Layout:
    """Look at the first rows of a file."""
    delimiter = _delimiter(path, kind, columns.decimal)
    rows = _rows(path, delimiter)
    line, first = next(rows, (0, []))
    if not first:
        raise ValueError(f"{path} holds no rows.")
    head = list(islice(rows, max(20, min(_HEAD_ROWS, _HEAD_CELLS // len(first)))))
    body = [row for _, row in head]
    short = bool(body) and len(first) == len(body[0]) - 1  # R: row names without a name
    header = columns.header
    if header is None:
        header = short or _looks_like_header(first, body, for_labels)
    if not header:
        names = numbered(len(first))
        head, body = [(line, first), *head], [first, *body]
    else:
        cells = [cell.strip() for cell in ([""] if short else []) + first]
        names = unique_names(cells, path)
        if not body:
            raise ValueError(f"{path} holds a header and no rows.")
    index = named_index(names) if header else None
    if index is None and len(names) > 1:
        index = _index_by_cells([row[0].strip() for row in body], for_labels)
    layout = Layout(path, names, delimiter, line if header else 0, index)
    layout.check_widths(head)
    return layout


def is_number(cell: str, decimal: str = ".") -> bool:
    """Whether a cell holds a number as CSV files write it."""
    try:
        float(cell.replace(decimal, "."))
    except ValueError:
        return False
    return "_" not in cell  # Python's own 1_000


def _delimiter(path: Path, kind: str, decimal: str) -> str:
    """Return the delimiter; a .csv whose first line has no comma may use another."""
    usual = DELIMITERS[kind]
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        line = next((line for line in file if line.strip()), "").strip()
    parts = line.split(";")
    by_commas = decimal != "," and not all(is_number(part, ",") for part in parts)
    if usual in line and (by_commas or len(parts) == 1):
        return usual
    return next((other for other in ";\t," if other in line), usual)


def _rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the number of its last line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        try:
            for row in reader:
                if len(row) > 1 or (row and row[0].strip()):
                    yield reader.line_num, row
        except UnicodeDecodeError as error:
            raise _not_utf8(path, error) from None
        except csv.Error as error:
            raise ValueError(
                f"{path} cannot be read near line {reader.line_num}: {error}."
            ) from None


def _not_utf8(path: Path, error: UnicodeDecodeError) -> ValueError:
    place = f"near byte {error.start} of its block"
    return ValueError(f"{path} is not text in UTF-8 ({place}). Save it as UTF-8.")


def _looks_like_header(
    first: list[str], body: list[list[str]], for_labels: bool
) -> bool:
    cells = [cell.strip() for cell in first]
    if named_index([cells[0], ""]) == 0:
        return True
    if len(cells) > 2 and cells == [str(j) for j in range(len(cells))]:
        return True  # pandas' names for columns without names
    words = [j for j, cell in enumerate(cells) if not _is_plain(cell)]
    below = [[row[j].strip() for row in body if j < len(row)] for j in words]
    if any(column and all(map(_is_plain, column)) for column in below):
        return True  # a word above numbers
    if not words or len(words) < len(cells):
        return False
    # a name of labels is unlike all that stands below it
    return not for_labels or all(
        cells[j] not in column for j, column in zip(words, below, strict=True)
    )


def _is_plain(cell: str) -> bool:
    return cell in MISSING or is_number(cell) or is_number(cell, ",")


def _index_by_cells(cells: list[str], for_labels: bool) -> int | None:
    """Return 0 if the cells of the first column look like an index, or None."""
    if len(cells) < 3 or len(set(cells)) < len(cells):
        return None
    if not any(map(_is_plain, cells)):
        return 0
    # Numbers that are all different make no labels; with few rows that may be chance.
    return 0 if for_labels and len(cells) >= 10 else None


def _read(
    layout: Layout, decimal: str, missing: Collection[str], text: Collection[int]
) -> pd.DataFrame:
    """Return all columns by their place, some of them as text, cell by cell."""
    places = range(len(layout.names))
    gaps: Any = {j: list(missing) for j in places if j not in text}
    try:
        with (
            layout.path.open(encoding="utf-8-sig", newline="") as file,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            for _ in range(layout.header_lines):
                file.readline()
            return pd.read_csv(
                file,
                sep=layout.delimiter,
                header=None,
                names=places,
                dtype=dict.fromkeys(text, object),
                na_values=gaps,
                keep_default_na=False,
                decimal=decimal,
                float_precision="round_trip",  # the bits that Python's float gives
            )
    except UnicodeDecodeError as error:
        raise _not_utf8(layout.path, error) from None
    except pd.errors.ParserError as error:
        layout.check_widths()
        raise ValueError(f"{layout.path} cannot be read: {error}") from None


def _odd(frame: pd.DataFrame, for_labels: bool) -> list[int]:
    """Return the columns that are not numbers, or labels that lost a digit as such."""
    kinds = {j: dtype.kind for j, dtype in frame.dtypes.items()}
    odd: list[Any] = [j for j, kind in kinds.items() if kind not in "iuf"]
    floats = [j for j, kind in kinds.items() if kind == "f"] if for_labels else []
    large: Any = (np.abs(frame[floats].to_numpy()) >= _EXACT).any(axis=0)
    return odd + [j for j, is_large in zip(floats, large, strict=True) if is_large]


def _stripped(column: pd.Series, missing: Collection[str]) -> np.ndarray:
    cells = column.str.strip()
    found = cells.to_numpy(dtype=object, copy=True)
    found[cells.isin(missing).to_numpy()] = None
    return found


def _numbers(cells: np.ndarray, decimal: str) -> np.ndarray | None:
    """Return text as numbers; None if a cell is something else."""
    if not all(cell is None or is_number(cell, decimal) for cell in cells):
        return None
    plain = ("nan" if cell is None else cell.replace(decimal, ".") for cell in cells)
    return np.array([float(cell) for cell in plain])


def _first_word(
    layout: Layout, places: list[int], decimal: str, missing: Collection[str]
) -> ValueError:
    """Return the error that names the first cell that is not a number."""
    words = [layout.names[j] or "(no name)" for j in places]
    cells = ((line, row[places[0]].strip()) for line, row in layout.rows())
    line, cell = next(
        (n, c) for n, c in cells if c not in missing and not is_number(c, decimal)
    )
    if re.fullmatch(r"[+-]?[\d.]*\d,\d+", cell):
        return ValueError(
            f"{layout.path}, line {line}, column {words[0]!r}: {cell!r} is written "
            "with a comma. If that is the decimal point, add --decimal ,"
        )
    return not_numbers(layout.path, words, f"{cell!r} in line {line}")
