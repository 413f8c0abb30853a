"""The page: a template filled in one pass, with embedded JSON data."""

from __future__ import annotations

import html
import json
import re
from importlib.resources import files
from typing import Any

from coterie._version import __version__

_SCRIPTS = ("draw.js", "samples.js", "figures.js", "choice.js", "start.js")


class Markup(str):
    """Text that is already HTML."""

    __slots__ = ()


def tag(name: str, *inside: Any, **attributes: Any) -> Markup:
    """Return an element; its content is escaped unless it is markup.

    In attribute names a trailing underscore is dropped, others become hyphens.
    """
    given = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value))}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Markup(f"<{name}{given}>{escaped(*inside)}</{name}>")


def escaped(*parts: Any) -> Markup:
    """Return text as HTML, and markup unchanged."""
    return Markup(
        "".join(
            part if isinstance(part, Markup) else html.escape(str(part))
            for part in parts
        )
    )


def embedded_json(data: Any) -> Markup:
    """Return JSON that is safe within a script element, whatever text it holds."""
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    # "</script>" and "<!--" must not occur; U+2028 ends a line in old JavaScript
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def page(**fillings: str) -> str:
    """Return the whole report; text other than markup is escaped."""
    here = files("coterie.answers")

    def read(name: str) -> Markup:
        return Markup((here / name).read_text(encoding="utf-8"))

    fillings["version"] = __version__
    fillings["style"] = read("style.css")
    fillings["script"] = Markup("\n".join(map(read, _SCRIPTS)))
    # one pass: a user's name that reads {{style}} stays unchanged
    return re.sub(
        r"\{\{(\w+)\}\}", lambda match: escaped(fillings[match[1]]), read("page.html")
    )
