"""CSV and TSV files: the first rows show the layout, pyarrow or pandas reads the rest.

If something is wrong, the csv module reads the file again to find the line to name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from coterie._display import count
from coterie._tables import in_days
from coterie.cli._columns import (
    MISSING,
    Columns,
    Roles,
    Table,
    assign_roles,
    make_table,
    not_numbers,
)
from coterie.cli._files import unspelled
from coterie.cli._ids import said_of_ids
from coterie.cli._layout import Layout, sniff
from coterie.cli._numerals import PLAIN
from coterie.cli._source import Source
from coterie.cli._values import (
    FAR,
    Reading,
    far_number,
    merged,
    read_cells,
    read_number_cells,
    said_of_far,
)

_BLOCK_BYTES = 2**25  # read at a time; more than a row has
_COMMA = re.compile(r"[+-]?[\d.]*\d,\d+")
_EMPTY = "left out, as all cells are empty: {}"
_SUMS = {"total", "totals", "sum", "mean", "average", "summe", "gesamt", "somme"}
_CLASSES = {"class", "classes", "target", "label", "labels", "species", "truth"}
_EXACT = 2.0**53  # from here on float64 merges whole numbers


class _Wrong(NamedTuple):
    """The first cell of a column that is not a number."""

    place: int
    row: int
    cell: str


def read_delimited(
    source: Source,
    kind: str,
    columns: Columns,
    for_labels: bool,
    with_text: bool = False,
) -> tuple[Table, Layout]:
    """Return the data (float64) or the labels (a frame) of a file, and its layout.

    ``with_text`` returns data as a frame if there are columns of text.
    """
    layout = sniff(source, kind, columns, for_labels)
    roles = assign_roles(layout.names, layout.ids, columns, layout.path)
    missing = [*MISSING, *columns.na]
    frame = _frame(layout, roles, missing, for_labels)
    said = [*layout.guesses]
    said += said_of_ids(layout.names, layout.has_header, roles.ids, columns)
    n_blank = _n_blank_rows(frame, layout)
    if n_blank:
        frame = frame.iloc[:-n_blank]
        said.append(f"{count(n_blank, 'row')} without any value at the end: left out")
    sums = [cell for cell in frame.iloc[-1] if str(cell).strip().lower() in _SUMS]
    if sums and len(frame) > 1:
        said.append(f"the last row is called {sums[0]!r}: if it sums up, remove it")
    if for_labels:
        kept: Any = {j: _labels(frame[j], layout, missing) for j in roles.values}
    else:
        kept, more = _data(frame, layout, roles, columns, missing, with_text)
        said += [*more, *_said_of_classes(layout, kept)]
    roles = roles._replace(values=list(kept))
    if for_labels or any(column.dtype.kind in "OM" for column in kept.values()):
        values: Any = pd.DataFrame({layout.names[j]: kept[j] for j in kept})
    else:
        values = np.column_stack([*kept.values()])
    return make_table(
        layout.path,
        layout.names,
        roles,
        values,
        lambda j: _own_cells(_stripped(frame[j], missing if j == roles.truth else [])),
        layout.has_header,
        said,
    ), layout


def _labels(column: pd.Series, layout: Layout, missing: list[str]) -> np.ndarray:
    """Return labels as numbers, or as text if float64 would merge some of them."""
    if column.dtype.kind == "f":
        return column.to_numpy()
    cells = _stripped(column, missing)
    numbers, odd = read_number_cells(cells, layout.numerals)
    return cells if odd or _merges(numbers) else numbers


def _data(
    frame: pd.DataFrame,
    layout: Layout,
    roles: Roles,
    columns: Columns,
    missing: list[str],
    with_text: bool,
) -> tuple[dict[int, np.ndarray], list[str]]:
    """Return the columns of data by position, and what was guessed about them.

    Columns may hold text if ``with_text``, but none that are mostly numbers.
    """
    is_plain = [kind.kind == "f" for kind in frame.dtypes]
    plain = [j for j in roles.values if is_plain[j]]
    block = _without(frame[plain].to_numpy(), columns.na)  # (N, len(plain))
    empty: Any = np.isnan(block).all(axis=0)  # (len(plain),)
    kept = {j: block[:, i] for i, j in enumerate(plain) if not empty[i]}
    guesses = [(_EMPTY, _called(layout, plain[i])) for i in np.flatnonzero(empty)]
    for i in np.flatnonzero(np.isin(block, FAR).any(axis=0)):
        if far := far_number(block[:, i]):
            guesses.append((said_of_far(far), layout.names[plain[i]]))
    wrong: list[_Wrong] = []
    for j in roles.values:
        if is_plain[j]:
            continue
        cells = _stripped(frame[j], missing)
        found = Reading(cells)
        if j not in roles.texts:
            found = read_cells(cells, layout.numerals, columns.dates)
        if pd.isna(found.values).all():
            guesses.append((_EMPTY, _called(layout, j)))
            continue
        guesses.append((found.guess, layout.names[j]))
        odd = _odd_cell(found, j, with_text)
        wrong += [] if odd is None else [odd]
        is_date = found.values.dtype.kind == "M"
        kept[j] = in_days(found.values) if is_date and not with_text else found.values
    if wrong:
        raise _not_a_number(layout, wrong)
    if not kept:
        raise ValueError(f"{layout.path} holds no values: all of its cells are empty.")
    return {j: kept[j] for j in sorted(kept)}, merged(guesses)


def _said_of_classes(layout: Layout, kept: Mapping[int, np.ndarray]) -> Iterator[str]:
    """Mention a column that is named like known classes, and repeats its values."""
    for j, cells in kept.items():
        is_named = layout.has_header and layout.names[j].lower() in _CLASSES
        if is_named and 2 <= len(pd.unique(cells)) <= len(cells) // 3:
            name = layout.names[j]
            yield (
                f"{name!r} may hold known classes, but is used like any other column "
                f"(else --truth {name}, or --drop {name})"
            )


def _called(layout: Layout, place: int) -> str:
    return layout.names[place] or f"column {place + 1}"


def _odd_cell(found: Reading, place: int, with_text: bool) -> _Wrong | None:
    """Return a cell that should have been a number; None if there is none."""
    if not found.is_text:
        return None
    words = [i for i, cell in enumerate(found.values) if cell is not None]
    first = found.odd[0] if found.odd else words[0]
    cell = found.values[first]
    is_fine = with_text and not found.odd and not _COMMA.fullmatch(cell)
    return None if is_fine else _Wrong(place, first, cell)


def _frame(
    layout: Layout, roles: Roles, missing: list[str], for_labels: bool
) -> pd.DataFrame:
    """Return all columns by position: float64 if they are plain numbers, else text.

    Labels that float64 might merge are text.
    """
    apart = set(layout.places).difference(roles.values).union(roles.texts)
    for texts in (apart | layout.texts, set(layout.places)):
        frame = _read(layout, texts, missing)
        if frame is None:
            continue
        if not for_labels or not _merges(frame.select_dtypes("float64").to_numpy()):
            return frame
    layout.check_widths()
    raise ValueError(
        f"{layout.path} cannot be read: its rows and quotes do not match. Open it in "
        "an editor, or name the mark between its columns with --delimiter."
    )


def _read(layout: Layout, texts: set[int], missing: list[str]) -> pd.DataFrame | None:
    """Return all columns by position, some as text; None if others hold words.

    pyarrow and pandas give the bits of Python's float; pyarrow is four times as fast.
    """
    try:
        from pyarrow import ArrowInvalid
        from pyarrow import csv as arrow
    except ImportError:
        return _read_by_pandas(layout, texts, missing)
    kinds: Any = {str(j): "string" if j in texts else "float64" for j in layout.places}
    encoding = layout.source.encoding
    try:
        table = arrow.read_csv(
            layout.source.binary(),
            arrow.ReadOptions(
                skip_rows=layout.n_skipped,
                column_names=[str(j) for j in layout.places],
                block_size=_BLOCK_BYTES,
                encoding="utf8" if encoding.startswith("utf-8") else encoding,
            ),
            arrow.ParseOptions(delimiter=layout.delimiter, newlines_in_values=True),
            arrow.ConvertOptions(
                column_types=kinds,
                null_values=missing,
                decimal_point=layout.numerals.decimal,
            ),
        )
    except ArrowInvalid:
        return None
    return table.to_pandas().set_axis(layout.places, axis=1)


def _read_by_pandas(
    layout: Layout, texts: set[int], missing: list[str]
) -> pd.DataFrame | None:
    plain = [j for j in layout.places if j not in texts]
    kinds: Any = {j: object if j in texts else np.float64 for j in layout.places}
    gaps: Any = dict.fromkeys(plain, missing)
    options: Any = {"float_precision": "round_trip"} if plain else {}
    with layout.source.text() as file:
        for _ in range(layout.n_skipped):
            file.readline()
        try:
            frame = pd.read_csv(
                file,
                sep=layout.delimiter,
                header=None,
                names=layout.places,
                dtype=kinds,
                na_values=gaps,
                decimal=layout.numerals.decimal,
                keep_default_na=False,
                low_memory=False,
                **options,
            )
        except ValueError:
            return None
    last = frame[len(layout.names) - 1]
    if last.isna().any() or (last == "").any():  # it fills up rows that are too short
        layout.check_widths()
    return frame


def _n_blank_rows(frame: pd.DataFrame, layout: Layout) -> int:
    """Return how many rows at the end have only empty cells."""
    if not all(v != v or v == "" for v in frame.iloc[-1]):
        return 0  # most files: there is no need to look for it
    n_filled = 0
    for number, (_, row) in enumerate(layout.rows(), start=1):
        if any(cell.strip() for cell in row):
            n_filled = number
    return len(frame) - n_filled if n_filled else 0


def _without(numbers: np.ndarray, words: list[str]) -> np.ndarray:
    """Return numbers with NaN for those that the user named as missing."""
    named = [number for number in map(PLAIN.number, words) if number is not None]
    return np.where(np.isin(numbers, named), np.nan, numbers) if named else numbers


def _merges(numbers: np.ndarray) -> bool:
    """Whether some labels are so large that float64 may merge them."""
    return bool((np.abs(numbers) >= _EXACT).any())


def _stripped(column: pd.Series, missing: list[str]) -> np.ndarray:
    cells = column.astype(object).str.strip()
    found = cells.to_numpy(dtype=object, copy=True)
    found[cells.isin(missing).to_numpy()] = None
    return found


def _own_cells(cells: np.ndarray) -> np.ndarray:
    """Return ids or classes without the quote that keeps formulas harmless."""
    found = np.empty(cells.size, dtype=object)
    found[:] = [unspelled(cell) for cell in cells]
    return found


def _not_a_number(layout: Layout, wrong: list[_Wrong]) -> ValueError:
    """Return the error that names the first cell that is not a number."""
    names = [layout.names[one.place] or "(no name)" for one in wrong]
    line, cell = layout.line_of(wrong[0].row), wrong[0].cell
    if _COMMA.fullmatch(cell):
        return ValueError(
            f"{layout.path}, line {line}, column {names[0]!r}: {cell!r} is written "
            "with a comma. If that is the decimal point, add --decimal ,"
        )
    hint = f"If {cell!r} means missing, add --na {cell!r}. "
    return not_numbers(layout.path, names, f"{cell!r} in line {line}", hint)
