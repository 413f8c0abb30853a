"""The layout of a delimited file, guessed from its first rows."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

from coterie.cli._columns import AUTO, GAPS, MISSING, Columns, numbered, unique_names
from coterie.cli._dates import looks_like_date
from coterie.cli._files import DELIMITERS
from coterie.cli._ids import find_ids, named_index
from coterie.cli._numerals import (
    Numerals,
    guess_numerals,
    is_number,
    looks_numeric,
    shared_unit,
    without_unit,
)
from coterie.cli._source import Source

_SAMPLE = 30  # rows that show the delimiter
_HEAD_ROWS, _HEAD_CELLS = 1000, 200_000  # read to find the layout
_FEWEST_ROWS = 12  # however wide they are
_MARKS = {"\t": "tabs", ";": "semicolons", "|": "bars", ",": "commas"}
_SPACES = " "  # one or more
_SPELLED = {"tab": "\t", "\\t": "\t", "space": " "}
_COMMENTS = ("#", "%", "//", "!")
_LONGEST_UNIT = 20

Row = tuple[int, list[str]]  # the number of its last line, its cells


@dataclass(frozen=True, eq=False)
class Layout:
    """What the first rows of a file show."""

    source: Source
    names: list[str]  # of the columns; column 1, column 2, ... without a header
    delimiter: str
    n_skipped: int  # lines before the first row of the data
    has_header: bool
    ids: list[int]  # the columns that look like ids
    numerals: Numerals
    texts: set[int]  # the columns whose first cells are not plain numbers
    guesses: list[str]

    @property
    def path(self) -> Path:
        """The file."""
        return self.source.path

    @property
    def places(self) -> range:
        """Positions of the columns."""
        return range(len(self.names))

    def rows(self) -> Iterator[Row]:
        """Yield the rows of the data."""
        return _rows(self.source, self.delimiter, self.n_skipped)

    def check_widths(self, rows: Any = None) -> None:
        """Raise if a row is longer or shorter than the others."""
        for line, row in self.rows() if rows is None else rows:
            if len(row) != len(self.names):
                raise ValueError(
                    f"Line {line} of {self.path} has {len(row)} cells, but "
                    f"{len(self.names)} were expected. Mend the line, or remove it."
                )

    def line_of(self, row: int) -> int:
        """Return the line of a row of the data."""
        return next(islice(self.rows(), row, None))[0]


def sniff(source: Source, kind: str, columns: Columns, for_labels: bool) -> Layout:
    """Find the layout of a file from its first rows."""
    skip, comment = _comments(source) if columns.skip is None else (columns.skip, "")
    delimiter = _delimiter(source, kind, columns.delimiter, skip)
    is_spaced = delimiter == _SPACES
    if is_spaced:
        source, delimiter = source.tabbed(), "\t"
    head = _head(source, delimiter, skip)
    width = _mode([len(row) for _, row in head])
    said = list(source.guesses)
    is_usual = delimiter == DELIMITERS.get(kind) and not is_spaced
    if columns.delimiter == AUTO and width > 1 and not is_usual:
        mark = "spaces" if is_spaced else _MARKS[delimiter]
        said.append(f"columns are separated by {mark} (else --delimiter MARK)")
    if columns.skip is None:
        n_titles = _n_titles([row for _, row in head], width)
        skip, head = (head[n_titles - 1][0] if n_titles else skip), head[n_titles:]
    header = _header(head, width, columns.header, for_labels)
    n_above = 0 if columns.skip is not None else skip
    if header is not None:
        skip, head = head[0][0], head[1:]
    elif columns.header is None:
        header = _commented_header(comment, delimiter, width)
        n_above -= header is not None
    if n_above:
        what = "line is" if n_above == 1 else f"{n_above} lines are"
        said.append(f"the first {what} not part of the table: skipped (else --skip N)")
    if header is not None and not head:
        raise ValueError(f"{source.path} holds a header and no rows.")
    if header is not None and not for_labels and columns.units is not False:
        units = _looks_like_units([row for _, row in head])
        if units and columns.units is None:
            said.append(f"line {head[0][0]} has units: skipped (else --no-units)")
        if units or columns.units:
            skip, head = head[0][0], head[1:]
    names = numbered(width)
    if header is not None:
        names, renamed = unique_names([" ".join(cell.split()) for cell in header])
        said += renamed
    cells = _by_column(head, width)
    bare = [
        [*map(without_unit, column)] if shared_unit(column) else column
        for column in cells
    ]
    numerals = guess_numerals(
        [[cell for cell in column if cell not in GAPS] for column in bare],
        delimiter,
        columns.decimal,
        columns.thousands,
    )
    if AUTO in (columns.decimal, columns.thousands):
        said += numerals.guesses
    layout = Layout(
        source,
        names,
        delimiter,
        skip,
        header is not None,
        find_ids(None if header is None else names, bare, for_labels),
        numerals,
        {j for j, column in enumerate(cells) if not _are_plain(column, numerals)},
        said,
    )
    layout.check_widths(head)
    return layout


def is_value(cell: str) -> bool:
    """Whether a cell holds a number, a date or a gap, not a name."""
    return cell in MISSING or looks_numeric(cell) or looks_like_date(cell)


def _rows(source: Source, delimiter: str, skip: int) -> Iterator[Row]:
    """Yield the rows that are not blank, each with the number of its last line."""
    reader = csv.reader(source.lines(skip), delimiter=delimiter)
    try:
        for row in reader:
            if len(row) > 1 or (row and row[0].strip()):
                yield skip + reader.line_num, row
    except csv.Error as error:
        raise ValueError(
            f"{source.path} cannot be read near line {skip + reader.line_num}: {error}."
        ) from None


def _head(source: Source, delimiter: str, skip: int) -> list[Row]:
    """Return the first rows, fewer if they are wide."""
    rows = _rows(source, delimiter, skip)
    first = next(rows, None)
    if first is None:
        raise ValueError(f"{source.path} holds no rows.")
    n_more = max(_FEWEST_ROWS, min(_HEAD_ROWS, _HEAD_CELLS // len(first[1])))
    return [first, *islice(rows, n_more)]


def _comments(source: Source) -> tuple[int, str]:
    """Return the number of lines of comments at the top, and the last of them."""
    last = ""
    for number, line in enumerate(source.lines()):
        text = line.strip()
        mark = next((mark for mark in _COMMENTS if text.startswith(mark)), None)
        if mark is None and text:
            return number if last else 0, last
        last = text.removeprefix(mark) if mark else last
    return 0, ""


def _delimiter(source: Source, kind: str, wish: str, skip: int) -> str:
    """Return the delimiter that gives the most rows of the same width."""
    if wish != AUTO:
        mark = _SPELLED.get(wish, wish)
        if len(mark) != 1:
            raise ValueError(
                f"--delimiter expects a single character, 'tab' or 'space', got {wish}."
            )
        return mark
    best, most = DELIMITERS.get(kind, ","), 0
    for mark in _MARKS:
        widths = _widths(source, mark, skip)
        usual = _mode(widths)
        if usual > 1 and widths.count(usual) > most:
            best, most = mark, widths.count(usual)
    return best if most or not _is_spaced(source, skip) else _SPACES


def _is_spaced(source: Source, skip: int) -> bool:
    """Whether numbers are separated by spaces, equally many in each line."""
    lines = (line.split() for line in source.lines(skip))
    rows = [*islice((row for row in lines if row), _SAMPLE)]
    width = _mode([len(row) for row in rows])
    same = sum(len(row) == width for row in rows)
    numbers = sum(map(looks_numeric, rows[-1])) if rows else 0
    return width > 1 and same >= len(rows) - 1 and 2 * numbers >= len(rows[-1])


def _widths(source: Source, delimiter: str, skip: int) -> list[int]:
    """Return the widths of the first rows; none if the csv module cannot read them."""
    widths: list[int] = []
    try:
        for _, row in _rows(source, delimiter, skip):
            widths.append(len(row))
            if len(widths) >= _SAMPLE or sum(widths) > _HEAD_CELLS:
                break
    except ValueError:  # without its delimiter, a wide row is too long for a cell
        return []
    return widths


def _mode(widths: Sequence[int]) -> int:
    """Return the most frequent width; 0 if there is none."""
    return max(Counter(widths).items(), key=lambda item: item[::-1], default=(0, 0))[0]


def _n_titles(rows: list[list[str]], width: int) -> int:
    """Return how many rows at the top are titles, not names of columns."""
    for n, row in enumerate(rows[:-1]):
        filled = [cell.strip() for cell in row if cell.strip()]
        alone = not filled or (len(filled) == 1 and not is_value(filled[0]))
        unsure = len(row) == width - 1 or (alone and width == 2)
        above_names = unsure and _looks_like_header(rows[n + 1], rows[n + 2 :], False)
        if not (len(row) < width - 1 or (alone and width > 2) or above_names):
            return n
    return 0


def _header(
    head: list[Row], width: int, wish: bool | None, for_labels: bool
) -> list[str] | None:
    """Return the names in the first row; None if there are none."""
    names, body = [cell.strip() for cell in head[0][1]], [row for _, row in head[1:]]
    if wish is False:
        return None
    if len(names) == width - 1 and body:
        if all(row[-1].strip() == "" for row in body):
            return [*names, ""]  # rows end with a delimiter
        return ["", *names]  # R: row names without a name
    while len(names) > width and names[-1] == "":
        names.pop()
    return names if wish or _looks_like_header(names, body, for_labels) else None


def _commented_header(comment: str, delimiter: str, width: int) -> list[str] | None:
    """Return the names in the last line of the comments; None if there are none."""
    cells = next(csv.reader([comment], delimiter=delimiter), [])
    names = [cell.strip() for cell in cells]
    if width < 2 or len(names) != width or any(is_number(name) for name in names):
        return None
    return names


def _looks_like_header(
    first: list[str], body: list[list[str]], for_labels: bool
) -> bool:
    cells = [cell.strip() for cell in first]
    if named_index([cells[0], ""]) == 0:
        return True
    if len(cells) > 2 and cells == [str(j) for j in range(len(cells))]:
        return True  # pandas' names for columns without names
    if not body:
        return not any(map(is_value, cells))
    words = [j for j, cell in enumerate(cells) if not is_value(cell)]
    n = len(words)
    if (
        words == [*range(n)]
        and n
        and _count_up(cells[n:])
        and not _count_up(body[0][n:])
    ):
        return True  # words, then years
    below = ([row[j].strip() for row in body if j < len(row)] for j in words)
    if any(column and all(map(is_value, column)) for column in below):
        return True  # a word above numbers
    if not words or len(words) < len(cells):
        return False
    # a name of labels is unlike all that stands below it
    return not for_labels or all(
        cells[j] not in {row[j].strip() for row in body if j < len(row)} for j in words
    )


def _count_up(cells: list[str]) -> bool:
    """Whether three or more whole numbers have equal steps."""
    if len(cells) < 3 or not all(cell.isdigit() for cell in cells):
        return False
    steps = {int(b) - int(a) for a, b in pairwise(cells)}
    return len(steps) == 1 and min(steps) > 0


def _looks_like_units(body: list[list[str]]) -> bool:
    """Whether the first row has words above all columns of numbers."""
    first, rest = body[0], body[1:]
    if len(rest) < 2:
        return False
    found = False
    for j, cell in enumerate(map(str.strip, first)):
        below = [row[j].strip() for row in rest if j < len(row)]
        if not any(map(looks_numeric, below)) or not all(map(is_value, below)):
            continue
        if is_value(cell) and cell != "":
            return False
        found |= cell not in GAPS and len(cell) <= _LONGEST_UNIT
    return found


def _by_column(head: list[Row], width: int) -> list[list[str]]:
    """Return the stripped cells of each column; rows of another width are errors."""
    rows = [row for _, row in head if len(row) == width]
    return [[cell.strip() for cell in column] for column in zip(*rows, strict=True)]


def _are_plain(cells: list[str], numerals: Numerals) -> bool:
    """Whether cells hold numbers that a fast parser reads."""
    decimal = Numerals(numerals.decimal)
    return all(cell in MISSING or decimal.number(cell) is not None for cell in cells)
