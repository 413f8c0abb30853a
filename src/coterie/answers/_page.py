"""The page: a template filled in one pass, with embedded JSON data."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from typing import Any

from coterie._html import Markup, escaped
from coterie._version import __version__

_SCRIPTS = ("draw.js", "samples.js", "figures.js", "choice.js", "start.js")


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
