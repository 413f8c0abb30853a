"""CSV and TSV files: the first rows say what is what, pandas reads the columns.

Where something is wrong, the file is gone through once more by the csv module, which
knows the number of the line to complain about.
"""

from __future__ import annotations

import csv
import re
import warnings
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from coterie.cli._columns import (
    Columns,
    Roles,
    Table,
    assign_roles,
    is_index_name,
    make_table,
    named_index,
    numbered,
    some,
    unique_names,
)
from coterie.cli._files import DELIMITERS

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>")
_HEAD_ROWS, _HEAD_CELLS = 1000, 200_000  # looked at before deciding what is what
_EXACT = 2.0**53  # from here on whole numbers are merged in float64
_COMMA = re.compile(r"[+-]?\d+,\d+")


@dataclass(frozen=True)
class Layout:
    """What the first rows of a file tell.

    Attributes
    ----------
    path : Path
    names : list of str
        Of the columns; ``column 1`` and so on without a header.
    delimiter : str
    has_header : bool
    n_header_lines : int
        Lines up to the end of the header; 0 without one.
    index : int or None
        The column that looks like an index.
    """

    path: Path
    names: list[str]
    delimiter: str
    has_header: bool
    n_header_lines: int
    index: int | None

    def rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows below the header, each with the number of its line."""
        rows = _rows(self.path, self.delimiter)
        return islice(rows, 1 if self.has_header else 0, None)

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
    """Return the data (float64) or the labels (a frame) of a file, and its layout.

    Parameters
    ----------
    path : Path
    kind : {"csv", "tsv"}
    columns : Columns
    for_labels : bool
        Whether columns hold labels (which may be text) and not data.
    """
    layout = sniff(path, kind, columns, for_labels)
    names = layout.names
    roles = assign_roles(names, layout.index, columns, path)
    missing = frozenset((*MISSING, *columns.na))
    frame = _read(layout, columns, missing, roles.apart)
    if frame[len(names) - 1].isna().any():  # pandas fills rows that are too short
        layout.check_widths()
    odd = [j for j in roles.values if not _is_exact(frame[j])]
    if odd:
        texts = _read(layout, columns, missing, odd)
        for j in odd:
            frame[j] = _sorted_out(texts[j], columns.decimal, missing, for_labels)

    def apart(j: int) -> np.ndarray:
        return _stripped(frame[j], missing if j == roles.truth else ())

    if for_labels:
        values: Any = frame[roles.values].set_axis(
            [names[j] for j in roles.values], axis=1
        )
    else:
        _reject_words(layout, frame, roles, columns, missing)
        values = frame[roles.values].to_numpy(np.float64)
    table = make_table(path, names, roles, values, apart)
    return replace(table, has_header=layout.has_header), layout


def sniff(path: Path, kind: str, columns: Columns, for_labels: bool) -> Layout:
    """Look at the first rows of a file."""
    delimiter = _delimiter(path, kind, columns.decimal)
    rows = _rows(path, delimiter)
    top = next(rows, None)
    if top is None:
        raise ValueError(f"{path} holds no rows.")
    first_line, first = top
    head = list(islice(rows, max(20, min(_HEAD_ROWS, _HEAD_CELLS // len(first)))))
    body = [row for _, row in head]
    short = bool(body) and len(first) == len(body[0]) - 1  # R: row names without a name
    header = columns.header
    if header is None:
        header = short or _looks_like_header(first, body, for_labels)
    if not header:
        names = numbered(len(first))
        head, body = [top, *head], [first, *body]
    else:
        names = [cell.strip() for cell in ([""] if short else []) + first]
        names = unique_names(names, path)
        if not body:
            raise ValueError(f"{path} holds a header and no rows.")
    index = named_index(names) if header else None
    if index is None and len(names) > 1:
        index = _index_by_cells([row[0].strip() for row in body], for_labels)
    n_lines = first_line if header else 0
    layout = Layout(path, names, delimiter, header, n_lines, index)
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
    line = ""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        line = next((line for line in file if line.strip()), "").strip()
    cells = line.split(";")
    decimal_commas = len(cells) > 1 and all(is_number(cell, ",") for cell in cells)
    if usual in line and not (";" in line and (decimal == "," or decimal_commas)):
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
    return ValueError(
        f"{path} is not text in UTF-8 (near byte {error.start} of its block). Save it "
        "as UTF-8."
    )


def _looks_like_header(
    first: list[str], body: list[list[str]], for_labels: bool
) -> bool:
    cells = [cell.strip() for cell in first]
    if is_index_name(cells[0]):
        return True
    if len(cells) > 2 and cells == [str(j) for j in range(len(cells))]:
        return True  # pandas' names for columns without names
    words = [j for j, c in enumerate(cells) if c not in MISSING and not is_number(c)]
    if not words:
        return False
    columns = [[row[j].strip() for row in body if j < len(row)] for j in words]
    if any(c and all(_is_plain(x) for x in c) for c in columns):
        return True  # a word above numbers
    if for_labels:  # a name is unlike all that stands below it
        pairs = zip(words, columns, strict=True)
        return len(words) == len(cells) and all(cells[j] not in c for j, c in pairs)
    return len(words) == len(cells)


def _is_plain(cell: str) -> bool:
    return cell in MISSING or is_number(cell)


def _index_by_cells(cells: list[str], for_labels: bool) -> int | None:
    """Return 0 if the cells of the first column look like an index, or None."""
    if len(cells) < 3 or len(set(cells)) < len(cells):
        return None
    if not any(_is_plain(cell) or is_number(cell, ",") for cell in cells):
        return 0
    # Numbers that are all different make no labels; with few rows that may be chance.
    return 0 if for_labels and len(cells) >= 10 else None


def _read(
    layout: Layout, columns: Columns, missing: Collection[str], text: Collection[int]
) -> pd.DataFrame:
    """Return all columns by their place, some of them as text, cell by cell."""
    places = range(len(layout.names))
    try:
        with (
            layout.path.open(encoding="utf-8-sig", newline="") as file,
            warnings.catch_warnings(),
        ):
            warnings.simplefilter("ignore", pd.errors.DtypeWarning)
            for _ in range(layout.n_header_lines):
                file.readline()
            return pd.read_csv(
                file,
                sep=layout.delimiter,
                header=None,
                names=places,
                dtype=dict.fromkeys(text, object),
                na_values={j: list(missing) for j in places if j not in text},
                keep_default_na=False,
                decimal=columns.decimal,
                float_precision="round_trip",  # the bits that Python's float gives
            )
    except UnicodeDecodeError as error:
        raise _not_utf8(layout.path, error) from None
    except pd.errors.ParserError as error:
        layout.check_widths()
        raise ValueError(f"{layout.path} cannot be read: {error}") from None


def _is_exact(column: pd.Series) -> bool:
    """Whether a column was read as numbers, and none lost a digit."""
    if column.dtype.kind == "f":
        return not column.abs().max() >= _EXACT  # of nothing but gaps it is NaN
    return column.dtype.kind in "iu"


def _stripped(column: pd.Series, missing: Collection[str]) -> np.ndarray:
    cells = column.str.strip()
    found = cells.to_numpy(dtype=object, copy=True)
    found[cells.isin(missing).to_numpy()] = None
    return found


def _sorted_out(
    column: pd.Series, decimal: str, missing: Collection[str], for_labels: bool
) -> np.ndarray:
    """Return text as numbers if all cells are, and no two labels are merged by that."""
    cells = _stripped(column, missing)
    if not all(c is None or is_number(c, decimal) for c in cells):
        return cells
    numbers = [np.nan if c is None else float(c.replace(decimal, ".")) for c in cells]
    values = np.array(numbers)
    if for_labels and np.abs(values[np.isfinite(values)]).max(initial=0) >= _EXACT:
        return cells
    return values


def _reject_words(
    layout: Layout,
    frame: pd.DataFrame,
    roles: Roles,
    columns: Columns,
    missing: Collection[str],
) -> None:
    """Raise for columns of text, naming the first cell that is not a number."""
    kinds = frame.dtypes.to_numpy()
    places = [j for j in roles.values if kinds[j].kind not in "iuf"]
    if not places:
        return
    j = places[0]
    line, cell = _first(
        layout, j, lambda c: c not in missing and not is_number(c, columns.decimal)
    )
    words = [layout.names[place] or "(no name)" for place in places]
    if _COMMA.fullmatch(cell):
        raise ValueError(
            f"{layout.path}, line {line}, column {words[0]!r}: {cell!r} is written "
            "with a comma. If that is the decimal point, add --decimal ,"
        )
    which, it = ("column", "it") if len(words) == 1 else ("columns", "them")
    raise ValueError(
        f"{layout.path}: the {which} {some(words)} hold{'s' * (it == 'it')} something "
        f"that is not a number ({cell!r} in line {line}). Leave {it} out with --drop "
        f"{words[0]!r}, or name {it} as --truth or --index."
    )


def _first(layout: Layout, j: int, test: Callable[[str], bool]) -> tuple[int, str]:
    """Return line and text of the first cell of a column that passes a test."""
    cells = ((line, row[j].strip()) for line, row in layout.rows())
    return next((line, cell) for line, cell in cells if test(cell))
