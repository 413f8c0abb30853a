"""Which column holds the names of the samples, wherever it stands."""

from __future__ import annotations

import re
from collections.abc import Sequence

from coterie.cli._columns import AUTO, MISSING, Columns
from coterie.cli._dates import looks_like_date, read_dates
from coterie.cli._numerals import looks_numeric

_ID = re.compile(
    r"index|idx|ids?|uu?id|\w+[_ .-]id|\w*[a-z0-9]I[Dd]|row ?names?|rownum"
)
_ITEM = re.compile(
    r"((sample|cell|gene|row|barcode|patient|subject|participant|specimen|case|customer"
    r"|client|account|record|respondent|animal|name|user)s?_?(id|name|nr|no|number)?s?"
    r"|key|obs|obs_names|observation|nr|no|number|accession|unnamed.*|#|)\.?",
    re.I,
)
_AXES = frozenset("xyzXYZ")  # coordinates may count, too
_WORDS, _ROWS = 3, 10  # fewest rows to judge words in the first column, any column


def named_index(names: Sequence[str]) -> int | None:
    """Return the column named like an index: the first, or any id."""
    if len(names) < 2:
        return None
    if _is_id(names[0]) or _ITEM.fullmatch(names[0]):
        return 0
    return next((j for j, name in enumerate(names) if _is_id(name)), None)


def find_ids(
    names: Sequence[str] | None,
    columns: Sequence[Sequence[str]],
    for_labels: bool,
) -> list[int]:
    """Return the columns that look like ids, the best one first.

    Parameters
    ----------
    names : sequence of str or None
        Of the columns; None without a header.
    columns : sequence of sequences of str
        The first cells of each column.
    for_labels : bool
        Whether the other columns are labels, which repeat; else they are data.
    """
    if len(columns) < 2:
        return []
    named = None if names is None else named_index(names)
    if named is not None and not any(columns[named]):
        named = None
    found = [] if named is None else [named]
    for j, cells in enumerate(columns):
        if j == named or len(cells) < _WORDS or len(set(cells)) < len(cells):
            continue
        if any(cell in MISSING for cell in cells):
            continue
        name = "" if names is None else names[j]
        if _are_labels_of_nobody(cells, j) if for_labels else _are_ids(name, cells, j):
            found.append(j)
    return found[:1] if for_labels else found


def said_of_ids(
    names: Sequence[str], has_header: bool, ids: Sequence[int], columns: Columns
) -> list[str]:
    """Say which columns are taken for ids, unless the user named one."""
    if columns.index != AUTO:
        return []
    said = []
    for rank, j in enumerate(ids):
        named = f", {names[j]!r}," if has_header and names[j] else ""
        use = "an id: used as names" if rank == 0 else "an id, too: left out"
        said.append(f"column {j + 1}{named} looks like {use} (else --index none)")
    return said


def _is_id(name: str) -> bool:
    return _ID.fullmatch(name) is not None or _ID.fullmatch(name.lower()) is not None


def _are_ids(name: str, cells: Sequence[str], place: int) -> bool:
    """Whether different cells of data name their rows."""
    if not any(looks_numeric(cell) or looks_like_date(cell) for cell in cells):
        return place == 0 or len(cells) >= _ROWS or bool(name and _ITEM.fullmatch(name))
    if all(re.fullmatch(r"\d{1,15}", cell) for cell in cells):
        numbers = [int(cell) for cell in cells]
        counts = max(numbers) - min(numbers) == len(numbers) - 1 and name not in _AXES
        named = name and (_is_id(name) or _ITEM.fullmatch(name))
        return bool(named) or (counts and len(cells) >= _ROWS)
    if place == 0 and (dates := read_dates(cells, None)) is not None:
        later = dates[0][1:] > dates[0][:-1]
        return bool(later.all() or not later.any())
    return False


def _are_labels_of_nobody(cells: Sequence[str], place: int) -> bool:
    """Whether different cells cannot be labels; with few rows that may be chance."""
    if len(cells) >= _ROWS:
        return True
    return place == 0 and not any(map(looks_numeric, cells))
