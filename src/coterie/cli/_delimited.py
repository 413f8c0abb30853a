"""CSV and TSV files: what their first rows tell, and their columns.

Python's csv module decides what a file means; pyarrow, where it is installed, reads the
same numbers faster. Whatever pyarrow refuses is read again by the csv module, which
knows the number of the line to complain about.
"""

from __future__ import annotations

import csv
import importlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from coterie.cli._files import DELIMITERS

MISSING = ("", "NA", "N/A", "n/a", "NaN", "nan", "null", "NULL", "None", "<NA>")
INDEX_NAMES = frozenset(
    [
        "index",
        "id",
        "ids",
        "idx",
        "sample",
        "sample_id",
        "sample_name",
        "sampleid",
        "samples",
        "cell",
        "cell_id",
        "cells",
        "barcode",
        "barcodes",
        "gene",
        "gene_id",
        "genes",
        "name",
        "names",
        "row",
        "row_id",
        "row_name",
        "row_names",
        "rowname",
        "rownames",
        "obs",
        "obs_names",
        "observation",
        "patient",
        "patient_id",
        "subject",
        "subject_id",
        "uid",
        "uuid",
        "key",
    ]
)
_MISSING = frozenset(MISSING)
_HEAD = 1000  # rows looked at before deciding what is what
_CHUNK = 512  # small enough for the cache


@dataclass(frozen=True)
class Layout:
    """What the first rows of a file tell.

    Attributes
    ----------
    names : list of str
        Of the columns; ``column 1`` and so on without a header.
    delimiter : str
    has_header : bool
    n_header_lines : int
        Lines up to the end of the header; 0 without one.
    index : int or None
        The column that looks like an index.
    """

    names: list[str]
    delimiter: str
    has_header: bool
    n_header_lines: int
    index: int | None


def sniff(path: Path, kind: str, header: bool | None, for_labels: bool) -> Layout:
    """Look at the first rows of a file.

    Parameters
    ----------
    path : Path
    kind : {"csv", "tsv"}
    header : bool or None
        Whether the first row holds names; None = decide by the rows.
    for_labels : bool
        Whether columns hold labels (which may be text) and not data.
    """
    delimiter = _delimiter(path, kind)
    rows = list(islice(_rows(path, delimiter), _HEAD + 1))
    if not rows:
        raise ValueError(f"{path} holds no rows.")
    (first_line, first), *rest = rows
    body = [row for _, row in rest]
    short = bool(body) and len(first) == len(body[0]) - 1  # R: row names without a name
    if header is None:
        header = short or _looks_like_header(first, body, for_labels)
    if not header:
        names = [f"column {j + 1}" for j in range(len(first))]
        body = [first, *body]
    else:
        names = [cell.strip() for cell in ([""] if short else []) + first]
        if not body:
            raise ValueError(f"{path} holds a header and no rows.")
    _reject_repeated(names, path)
    index = _find_index(names, body, for_labels, header)
    return Layout(names, delimiter, header, first_line if header else 0, index)


def read_columns(
    path: Path, layout: Layout, wanted: Collection[int], text: Collection[int]
) -> dict[int, np.ndarray]:
    """Return columns by their place: float64, or text (object, None = missing).

    Parameters
    ----------
    path : Path
    layout : Layout
    wanted : collection of int
        Columns to read.
    text : collection of int
        Those to read as text even where they hold numbers.
    """
    columns = _read_by_pyarrow(path, layout, wanted, text)
    if columns is None:
        columns = _read_by_csv(path, layout, wanted, text)
    return columns


def is_number(cell: str) -> bool:
    """Whether a cell holds a number as CSV files write it."""
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python's own 1_000


def _delimiter(path: Path, kind: str) -> str:
    """Return the delimiter; a .csv whose first line has no comma may use another."""
    usual = DELIMITERS[kind]
    line = ""
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        while not line.strip():
            line = file.readline()
            if not line:
                break
    if usual in line:
        return usual
    return next((other for other in ";\t," if other in line), usual)


def _rows(path: Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the rows that are not blank, each with the number of its last line."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        reader = csv.reader(file, delimiter=delimiter)
        try:
            for row in reader:
                if row:
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
    if not cells[0] or cells[0].casefold() in INDEX_NAMES:
        return True
    if len(cells) > 2 and cells == [str(j) for j in range(len(cells))]:
        return True  # pandas' names for columns without names
    words = [j for j, c in enumerate(cells) if c not in _MISSING and not is_number(c)]
    if not words:
        return False
    columns = [[row[j].strip() for row in body if j < len(row)] for j in words]
    if any(c and all(is_number(x) or x in _MISSING for x in c) for c in columns):
        return True  # a word above numbers
    if for_labels:  # a name is unlike all that stands below it
        pairs = zip(words, columns, strict=True)
        return len(words) == len(cells) and all(cells[j] not in c for j, c in pairs)
    return len(words) == len(cells)


def _find_index(
    names: list[str], body: list[list[str]], for_labels: bool, has_header: bool
) -> int | None:
    """Return 0 if the first column looks like an index, or None."""
    if len(names) < 2:
        return None
    if has_header:
        name = names[0].casefold()
        if not name or name.startswith("unnamed") or name in INDEX_NAMES:
            return 0
    cells = [row[0].strip() for row in body]
    if len(cells) < 3 or len(set(cells)) < len(cells):
        return None
    if not any(is_number(cell) or cell in _MISSING for cell in cells):
        return 0
    # Numbers that are all different make no labels; with few rows that may be chance.
    return 0 if for_labels and len(cells) >= 10 else None


def _reject_repeated(names: list[str], path: Path) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise ValueError(
            f"{path} has more than one column named {repeated[0]!r}. Give each its own "
            "name, or use --no-header if the first row holds no names."
        )


def _read_by_csv(
    path: Path, layout: Layout, wanted: Collection[int], text: Collection[int]
) -> dict[int, np.ndarray]:
    parts: dict[int, list[Any]] = {j: [] for j in wanted}
    failed: set[int] = set()
    rows = _rows(path, layout.delimiter)
    if layout.has_header:
        next(rows)
    while chunk := list(islice(rows, _CHUNK)):
        _check_widths(chunk, len(layout.names), path)
        columns = list(zip(*(row for _, row in chunk), strict=True))
        for j in wanted:
            if j in text:
                parts[j].extend(_clean(cell) for cell in columns[j])
            elif j not in failed:
                try:
                    parts[j].append(_floats(columns[j]))
                except ValueError:
                    failed.add(j)
    if failed:  # these hold words: once more, as text
        return _read_by_csv(path, layout, wanted, {*text, *failed})
    return {
        j: _objects(parts[j]) if j in text else np.concatenate(parts[j]) for j in wanted
    }


def _check_widths(
    chunk: list[tuple[int, list[str]]], expected: int, path: Path
) -> None:
    for line, row in chunk:
        if len(row) != expected:
            raise ValueError(
                f"Line {line} of {path} has {len(row)} cells, but {expected} were "
                "expected."
            )


def _floats(cells: tuple[str, ...]) -> np.ndarray:
    if "_" in "".join(cells):
        raise ValueError("not a number")
    try:
        return np.array([float(cell) for cell in cells])
    except ValueError:
        clean = ("nan" if cell.strip() in _MISSING else cell for cell in cells)
        return np.array([float(cell) for cell in clean])


def _clean(cell: str | None) -> str | None:
    cell = "" if cell is None else cell.strip()
    return None if cell in _MISSING else cell


def _objects(cells: list[Any]) -> np.ndarray:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _read_by_pyarrow(
    path: Path, layout: Layout, wanted: Collection[int], text: Collection[int]
) -> dict[int, np.ndarray] | None:
    """Return the columns, or None if pyarrow is not here or refuses the file."""
    try:
        arrow = importlib.import_module("pyarrow")
        reader = importlib.import_module("pyarrow.csv")
    except ImportError:
        return None
    # The places as names: they are unique whatever the header says.
    types = {str(j): arrow.string() if j in text else arrow.float64() for j in wanted}
    try:
        table = reader.read_csv(
            path,
            read_options=reader.ReadOptions(
                column_names=[str(j) for j in range(len(layout.names))],
                skip_rows=layout.n_header_lines,
            ),
            parse_options=reader.ParseOptions(delimiter=layout.delimiter),
            convert_options=reader.ConvertOptions(
                column_types=types,
                include_columns=list(types),
                null_values=list(MISSING),
                strings_can_be_null=True,
            ),
        )
    except (arrow.ArrowInvalid, arrow.ArrowKeyError):
        return None
    columns = {}
    for j in wanted:
        column = table.column(str(j))
        if j in text:
            columns[j] = _objects([_clean(cell) for cell in column.to_pylist()])
        else:
            columns[j] = column.to_numpy().astype(np.float64, copy=False)
    return columns
