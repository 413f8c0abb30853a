"""Dates in cells of text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

ORDERS = {"ymd": "year-month-day", "dmy": "day/month/year", "mdy": "month/day/year"}
_MONTHS = "janfebmaraprmayjunjulaugsepoctnovdec"
_DATE = re.compile(
    r"(\d{1,4}|[A-Za-z]{3,9})([-/.]|\.? )(\d{1,2}|[A-Za-z]{3,9})(?:\2|[.,]? )(\d{1,4})"
    r"(?:[T ](\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?) ?(Z|[+-]\d{2}:?\d{2})?)?"
)
_THIS_CENTURY = 70  # two digits below are 20xx


def looks_like_date(cell: str) -> bool:
    """Whether a cell may hold a date."""
    return bool(_order([cell], "ymd"))


def read_dates(cells: Sequence[str], order: str | None) -> tuple[Any, str] | None:
    """Return times and the order of day, month and year; None if these are no dates.

    Without a year of four digits or the name of a month, the order is the one that all
    cells allow; day/month/year if both do. ``order`` is the user's choice.
    """
    if not cells or _DATE.fullmatch(cells[0]) is None:
        return None
    found = _order(cells, order)
    if not found:
        return None
    import pandas

    times = [_iso(_DATE.fullmatch(cell), found) for cell in cells]
    try:
        read = pandas.to_datetime(times, format="ISO8601", utc=True)
    except ValueError:  # a 31st of February, a year that nobody lived in
        return None
    return read.tz_localize(None).to_numpy().astype("datetime64[ns]"), found


def _order(cells: Sequence[str], wish: str | None) -> str:
    """Return the order of day, month and year that all cells share, or nothing."""
    left = set(ORDERS)
    for cell in cells:
        match = _DATE.fullmatch(cell)
        if match is None:
            return ""
        left &= {order for order in ORDERS if _fits(match, order)}
    return next((o for o in (wish, "ymd", "dmy", "mdy") if o in left), "")


def _fits(match: re.Match[str], order: str) -> bool:
    year, month, day = _parts(match, order)
    lengths = (4,) if order == "ymd" else (2, 4)
    return (
        year.isdigit()
        and len(year) in lengths
        and 1 <= _month(month) <= 12
        and day.isdigit()
        and 1 <= int(day) <= 31
    )


def _parts(match: re.Match[str], order: str) -> tuple[str, str, str]:
    """Return year, month and day as they are written."""
    parts = dict(zip(order, match.group(1, 3, 4), strict=True))
    return parts["y"], parts["m"], parts["d"]


def _month(text: str) -> int:
    if text.isdigit():
        return int(text)
    place = _MONTHS.find(text[:3].lower())
    return place // 3 + 1 if place % 3 == 0 else 0


def _iso(match: Any, order: str) -> str:
    year, month, day = _parts(match, order)
    full = int(year)
    if len(year) == 2:
        full += 2000 if full < _THIS_CENTURY else 1900
    time = (match[5] or "00:00").replace(",", ".")
    time = time if time[1] != ":" else f"0{time}"
    return f"{full:04d}-{_month(month):02d}-{int(day):02d}T{time}{match[6] or ''}"
