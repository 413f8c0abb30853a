"""The page: a template filled in one pass, with the data as JSON inside."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

from coterie._version import __version__

_SCRIPTS = ("draw.js", "samples.js", "figures.js", "choice.js", "start.js")


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *inside: Any, **attributes: Any) -> Markup:
    """Return an element; what is inside is escaped unless it is markup.

    A trailing underscore of an attribute's name falls away, others become hyphens.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{escaped(*inside)}</{name}>")


def escaped(*parts: Any) -> Markup:
    """Return texts as HTML, markup as it is."""
    return Markup(
        "".join(
            part if isinstance(part, Markup) else html.escape(str(part))
            for part in parts
        )
    )


def embedded_json(data: Any) -> Markup:
    """Return JSON that may stand within a script element, whatever texts it holds."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # "</script>" and "<!--" must not occur; U+2028 ends a line in old JavaScript
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def page(
    *,
    title: str,
    date: str,
    summary: list[str],
    tiles: Markup,
    choice: Markup,
    clusters: Markup,
    features: Markup,
    members: Markup,
    methods: Markup,
    data: dict[str, Any],
) -> str:
    """Return the whole report."""
    here = files("coterie.answers")
    fillings = {
        "title": escaped(title),
        "date": escaped(date),
        "version": escaped(__version__),
        "style": Markup((here / "style.css").read_text(encoding="utf-8")),
        "script": Markup(
            "\n".join((here / name).read_text(encoding="utf-8") for name in _SCRIPTS)
        ),
        "summary": escaped(*(tag("p", sentence) for sentence in summary)),
        "tiles": tiles,
        "choice": choice,
        "clusters": clusters,
        "features": features,
        "members": members,
        "methods": methods,
        "data": embedded_json(data),
    }
    template = (here / "page.html").read_text(encoding="utf-8")
    # one pass: a name of the user's that reads {{style}} stays what it is
    return re.sub(r"\{\{(\w+)\}\}", lambda match: fillings[match[1]], template)
