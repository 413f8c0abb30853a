"""CSV and TSV files: the first rows show the layout, pyarrow or pandas reads the rest.

If something is wrong, the csv module reads the file again to find the line to name.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass
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
    make_table,
    named_index,
    not_numbers,
    numbered,
    unique_names,
)
from coterie.cli._files import DELIMITERS

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>")
_HEAD_ROWS, _HEAD_CELLS = 1000, 200_000  # read to find the layout
_BLOCK_BYTES = 2**25  # read at a time; more than a row has
_COMMA = re.compile(r"[+-]?[\d.]*\d,\d+")
_EXACT = 2.0**53  # from here on float64 merges whole numbers


@dataclass(frozen=True)
class Layout:
    """What the first rows of a file show."""

    path: Path
    names: list[str]  # of the columns; column 1, column 2, ... without a header
    delimiter: str
    header_lines: int  # lines up to the end of the header; 0 without one
    index: int | None  # the column that looks like an index

    @property
    def places(self) -> range:
        """Positions of the columns."""
        return range(len(self.names))

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

    def check_short_rows(self, frame: pd.DataFrame) -> None:
        """Raise if pandas filled up a row that is too short."""
        last = frame[len(self.names) - 1]
        if last.isna().any() or (last == "").any():
            self.check_widths()

    def line_of(self, row: int) -> int:
        """Return the line of a row of the data."""
        return next(islice(self.rows(), row, None))[0]


def read_delimited(
    path: Path,
    kind: str,
    columns: Columns,
    for_labels: bool,
    with_text: bool = False,
) -> tuple[Table, Layout]:
    """Return the data (float64) or the labels (a frame) of a file, and its layout.

    ``with_text`` returns data as a frame if there are columns of text.
    """
    layout = sniff(path, kind, columns, for_labels)
    names, missing = layout.names, [*MISSING, *columns.na]
    roles = assign_roles(names, layout.index, columns, path)
    frame = _numbers(layout, roles, columns.decimal, missing)
    if frame is None or (for_labels and _merges(frame[roles.values].to_numpy())):
        frame = _cells(layout, roles, columns.decimal, missing, for_labels, with_text)
    kept = frame[roles.values].set_axis([names[j] for j in roles.values], axis=1)
    return make_table(
        path,
        names,
        roles,
        kept if for_labels or _has_text(kept) else kept.to_numpy(np.float64),
        lambda j: _stripped(frame[j], missing if j == roles.truth else []),
        has_header=layout.header_lines > 0,
    ), layout


def sniff(path: Path, kind: str, columns: Columns, for_labels: bool) -> Layout:
    """Find the layout of a file from its first rows."""
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
            raise ValueError(
                f"{path} is not text in UTF-8 (near byte {error.start} of its block). "
                "Save it as UTF-8."
            ) from None
        except csv.Error as error:
            raise ValueError(
                f"{path} cannot be read near line {reader.line_num}: {error}."
            ) from None


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


def _numbers(
    layout: Layout, roles: Roles, decimal: str, missing: list[str]
) -> pd.DataFrame | None:
    """Return all columns by position; None if a value is not a number.

    pyarrow and pandas give the bits of Python's float; pyarrow is four times as fast.
    """
    apart = set(layout.places).difference(roles.values)
    try:
        from pyarrow import ArrowInvalid
        from pyarrow import csv as arrow
    except ImportError:
        gaps: Any = dict.fromkeys(roles.values, missing)
        kinds: Any = dict.fromkeys(apart, object)
        options = {"float_precision": "round_trip", "low_memory": False}
        try:
            frame = _pandas(
                layout, dtype=kinds, na_values=gaps, decimal=decimal, **options
            )
        except ValueError:
            return None
        if any(frame[j].dtype.kind not in "iuf" for j in roles.values):
            return None
        layout.check_short_rows(frame)
        return frame
    kinds = {str(j): "string" if j in apart else "float64" for j in layout.places}
    try:
        table = arrow.read_csv(
            layout.path,
            arrow.ReadOptions(
                skip_rows=layout.header_lines,
                column_names=[str(j) for j in layout.places],
                block_size=_BLOCK_BYTES,
            ),
            arrow.ParseOptions(delimiter=layout.delimiter),
            arrow.ConvertOptions(
                column_types=kinds,
                null_values=missing,
                decimal_point=decimal,
            ),
        )
    except ArrowInvalid:
        return None
    return table.to_pandas().set_axis(layout.places, axis=1)


def _cells(
    layout: Layout,
    roles: Roles,
    decimal: str,
    missing: list[str],
    for_labels: bool,
    with_text: bool,
) -> pd.DataFrame:
    """Return all columns as text; those that hold only numbers as float64.

    Data may have columns of text if ``with_text``, but none that is mostly numbers.
    """
    try:
        frame = _pandas(layout, dtype=object)
    except ValueError as error:  # bad rows, or not UTF-8
        layout.check_widths()
        raise ValueError(f"{layout.path} cannot be read: {error}") from None
    layout.check_short_rows(frame)
    words = []
    for j in roles.values:
        cells = _stripped(frame[j], missing)
        plain = ["nan" if cell is None else cell for cell in cells]
        odd = [i for i, cell in enumerate(plain) if not is_number(cell, decimal)]
        if odd:
            n_numbers = sum(cell is not None for cell in cells) - len(odd)
            likely = n_numbers <= len(odd) and not _COMMA.fullmatch(plain[odd[0]])
            if not (with_text and likely):
                words.append((j, odd[0], plain[odd[0]]))
            frame[j] = cells
        else:
            numbers = np.array([float(cell.replace(decimal, ".")) for cell in plain])
            frame[j] = cells if for_labels and _merges(numbers) else numbers
    if words and not for_labels:
        raise _not_a_number(layout, words)
    return frame


def _pandas(layout: Layout, **options: Any) -> pd.DataFrame:
    """Return the columns by position."""
    with layout.path.open(encoding="utf-8-sig", newline="") as file:
        for _ in range(layout.header_lines):
            file.readline()
        return pd.read_csv(
            file,
            sep=layout.delimiter,
            header=None,
            names=layout.places,
            keep_default_na=False,
            **options,
        )


def _has_text(frame: pd.DataFrame) -> bool:
    return any(kind.kind == "O" for kind in frame.dtypes)


def _merges(labels: np.ndarray) -> bool:
    """Whether some labels are so large that float64 may merge them."""
    return bool((np.abs(labels) >= _EXACT).any())


def _stripped(column: pd.Series, missing: list[str]) -> np.ndarray:
    cells = column.str.strip()
    found = cells.to_numpy(dtype=object, copy=True)
    found[cells.isin(missing).to_numpy()] = None
    return found


def _not_a_number(layout: Layout, words: list[tuple[int, int, str]]) -> ValueError:
    """Return the error that names the first cell that is not a number."""
    names = [layout.names[j] or "(no name)" for j, _, _ in words]
    _, row, cell = words[0]
    line = layout.line_of(row)
    if _COMMA.fullmatch(cell):
        return ValueError(
            f"{layout.path}, line {line}, column {names[0]!r}: {cell!r} is written "
            "with a comma. If that is the decimal point, add --decimal ,"
        )
    return not_numbers(layout.path, names, f"{cell!r} in line {line}")
