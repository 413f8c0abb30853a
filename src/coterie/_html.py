"""HTML that escapes whatever text it is given."""

from __future__ import annotations

import html
from typing import Any


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


def tag(name: str, *inside: Any, **attributes: Any) -> Markup:
    """Return an element; its content is escaped unless it is markup.

    In attribute names a trailing underscore is dropped, others become hyphens.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{_text(value)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{escaped(*inside)}</{name}>")


def escaped(*parts: Any) -> Markup:
    """Return text as HTML, and markup unchanged."""
    return Markup(
        "".join(part if isinstance(part, Markup) else _text(part) for part in parts)
    )


def _text(part: Any) -> str:
    """Return text without what no HTML file may hold."""
    return html.escape(str(part)).replace("\0", "\N{REPLACEMENT CHARACTER}")
