"""Cards: how results look in a notebook.

Text takes the colour of the page and lines are half transparent, so a card suits a
light and a dark page without knowing which one it is on. Where the page says that it is
dark, the colours of clusters become brighter.
"""

from __future__ import annotations

import base64
import logging
import struct
import zlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coterie._display import shortened
from coterie._html import Markup, escaped, tag

MOST_ROWS = 10
ACCENT = "#0072B2"
CHOSEN = "#D55E00"
_MOST_NOTES = 3
_MOST_CHARACTERS = 160
_LEVELS = 16  # shades in a picture of a matrix
NOTHING = Markup()
_LOG = logging.getLogger("coterie")

_STYLE = Markup("""
.coterie-card { --lift: none; max-width: 46em; padding: .7em 1em; color: inherit;
  border: 1px solid rgba(128,128,128,.4); border-radius: 8px;
  font: 13px/1.45 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
.coterie-card .title { font-size: 15px; font-weight: 650; }
.coterie-card .soft { opacity: .72; }
.coterie-card .body { display: flex; flex-wrap: wrap; gap: .6em 2em;
  align-items: flex-start; margin: .6em 0; }
.coterie-card.coterie-card table { margin: 0; border: 0; border-collapse: collapse;
  font: inherit; font-variant-numeric: tabular-nums; color: inherit;
  table-layout: auto; width: auto; }
.coterie-card.coterie-card tbody tr { background: none; border: 0; }
.coterie-card.coterie-card :is(th, td) { padding: .1em .6em .1em 0; border: 0;
  text-align: right; white-space: nowrap; vertical-align: middle; max-width: 22em;
  overflow: hidden; text-overflow: ellipsis; }
.coterie-card.coterie-card thead th { opacity: .72; font-weight: 500;
  border-bottom: 1px solid rgba(128,128,128,.4); }
.coterie-card.coterie-card .left { text-align: left; font-weight: 400; }
.coterie-card.coterie-card td b { font-weight: 700; }
.coterie-card .swatch, .coterie-card .bar { display: inline-block; height: .75em;
  border-radius: 2px; }
.coterie-card .swatch { width: .75em; margin-right: .5em; }
.coterie-card .swatch, .coterie-card .bar, .coterie-card svg { filter: var(--lift); }
.coterie-card figure { margin: 0; max-width: 100%; }
.coterie-card figcaption { max-width: 17em; font-size: 11.5px; opacity: .72; }
.coterie-card svg { display: block; max-width: 100%; }
.coterie-card svg text { font-size: 11px; }
.coterie-card.coterie-card pre { margin: .5em 0 0; padding: .4em .6em; border: 0;
  border-radius: 5px; background: rgba(128,128,128,.13); color: inherit;
  font: 12px/1.5 ui-monospace, Menlo, Consolas, monospace; overflow-x: auto; }
:is(body[data-jp-theme-light="false"], body.vscode-dark, [data-theme="dark"],
  [theme="dark"]) .coterie-card { --lift: brightness(1.25); }
@media (prefers-color-scheme: dark) {
  html:not([data-theme], [theme]) body:not([data-jp-theme-light], .vscode-light)
    .coterie-card { --lift: brightness(1.25); }
}
""")


@dataclass(frozen=True, eq=False)
class Card:
    """What a card shows, from top to bottom.

    Attributes
    ----------
    title : str
    facts : sequence of str
        Joined on one line.
    table, picture : Markup
        Side by side where there is room.
    notes : sequence of str
        The first three are shown.
    code : sequence of str
        Lines to type next.
    """

    title: str
    facts: Sequence[str] = ()
    table: Markup = NOTHING
    picture: Markup = NOTHING
    notes: Sequence[str] = ()
    code: Sequence[str] = ()

    def to_html(self) -> Markup:
        """Return the card as HTML that needs nothing else."""
        return tag(
            "div",
            tag("style", _STYLE),
            tag("div", shortened(self.title), class_="title"),
            tag("div", ", ".join(self.facts), class_="soft"),
            tag("div", self.table, self.picture, class_="body"),
            *(
                tag("div", shortened(note, _MOST_CHARACTERS), class_="soft")
                for note in self.notes[:_MOST_NOTES]
            ),
            tag("pre", "\n".join(self.code)) if self.code else "",
            class_="coterie-card",
        )


def html_of(make: Callable[[Any], Card], thing: Any) -> str:
    """Return the card of something as HTML, or its text if that fails.

    Parameters
    ----------
    make : function
        Returns the card of the thing.
    thing : object
    """
    try:
        return make(thing).to_html()
    except Exception:  # a display must not end a session
        _LOG.debug("no card for %s", type(thing).__name__, exc_info=True)
    try:
        text = repr(thing)
    except Exception:
        text = object.__repr__(thing)
    return tag("pre", text)


def table(
    heads: Sequence[Any],
    rows: Iterable[Sequence[Any]],
    more: str = "",
    left: Sequence[int] = (0,),
) -> Markup:
    """Return a table.

    Parameters
    ----------
    heads : sequence of str
    rows : sequence of sequences of str or Markup
    more : str, default=""
        What the last line says about rows that are not shown.
    left : sequence of int, default=(0,)
        The columns that are aligned to the left.
    """
    body = [_row("td", cells, left) for cells in rows]
    if more:
        cell = tag("td", more, colspan=len(heads), class_="left soft")
        body.append(tag("tr", cell))
    return tag(
        "table",
        tag("thead", _row("th", heads, left)),
        tag("tbody", Markup("".join(body))),
    )


def and_more(rows: Sequence[Any]) -> str:
    """Return the last line of a table that shows the first ten of these rows."""
    more = len(rows) - MOST_ROWS
    return f"and {more:,} more" if more > 0 else ""


def _row(name: str, cells: Sequence[Any], left: Sequence[int]) -> Markup:
    inside = [
        tag(name, cell, class_="left" if j in left else None)
        for j, cell in enumerate(cells)
    ]
    return tag("tr", *inside)


def swatch(color: str, text: Any) -> Markup:
    """Return a text with a spot of colour before it."""
    return escaped(tag("i", class_="swatch", style=f"background:{color}"), text)


def bar(share: float, color: str = ACCENT, width: int = 64) -> Markup:
    """Return a bar for a share in [0, 1]; never invisible."""
    length = max(2, round(width * share))
    return tag("i", class_="bar", style=f"width:{length}px;background:{color}")


def picture(
    label: str, size: tuple[int, int], *shapes: Markup, caption: str = ""
) -> Markup:
    """Return an SVG image of a (width, height), with a caption below it.

    Parameters
    ----------
    label : str
        What a screen reader says.
    size : (width, height)
    *shapes : Markup
    caption : str, default=""
    """
    return tag("figure", svg(label, size, *shapes), tag("figcaption", caption))


def svg(label: str, size: tuple[int, int], *shapes: Markup) -> Markup:
    """Return an SVG image of a (width, height)."""
    width, height = size
    return tag(
        "svg",
        *shapes,
        role="img",
        aria_label=label,
        width=width,
        height=height,
        viewBox=f"0 0 {width} {height}",
        fill="currentColor",
    )


def words(x: float, y: float, text: Any, **attributes: Any) -> Markup:
    """Return text in an SVG image."""
    return tag("text", text, x=f"{x:.1f}", y=f"{y:.1f}", **attributes)


def matrix(values: np.ndarray, size: int) -> Markup:
    """Return a square SVG shape that shows a matrix of values in [0, 1].

    It is a PNG of one colour, the more opaque the larger the value, as it takes a tenth
    of the room of a rectangle for each cell.
    """
    levels = np.nan_to_num(values).clip(0, 1) * (_LEVELS - 1)
    data = base64.b64encode(_png(levels.round().astype(np.uint8), ACCENT)).decode()
    return tag(
        "image",
        href=f"data:image/png;base64,{data}",
        width=size,
        height=size,
        style="image-rendering:pixelated",
    )


def _png(levels: np.ndarray, color: str) -> bytes:
    """Return a PNG of levels from 0 (transparent) to 15 (opaque)."""
    height, width = levels.shape
    lines = np.hstack([np.zeros((height, 1), dtype=np.uint8), levels])  # no filter
    shades = np.linspace(0, 255, _LEVELS).astype(np.uint8)
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)  # with a palette
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        [
            _chunk(b"IHDR", header),
            _chunk(b"PLTE", bytes.fromhex(color[1:]) * _LEVELS),
            _chunk(b"tRNS", shades.tobytes()),
            _chunk(b"IDAT", zlib.compress(lines.tobytes(), 9)),
            _chunk(b"IEND", b""),
        ]
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    checksum = zlib.crc32(kind + data)
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", checksum)
