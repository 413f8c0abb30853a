"""Methods, parameters, papers and versions, to make the run reproducible."""

from __future__ import annotations

import platform
from collections.abc import Sequence
from importlib.metadata import version
from typing import Any

from coterie._catalog import KINDS, entry_of
from coterie._hashing import digest
from coterie._html import Markup, escaped, tag
from coterie._version import __version__
from coterie.answers._facts import Facts

_PACKAGES = ("numpy", "scipy", "scikit-learn", "numba", "joblib")
_QUIET = {"progress", "n_jobs"}  # parameters that do not change the result


def methods_section(facts: Facts, parts: Sequence[Any], command: str | None) -> Markup:
    """Return the methods used, their parameters and papers."""
    model = facts.found.model
    used = list(parts)
    if model is not None:
        own = model.parts(facts.n_samples) if hasattr(model, "parts") else ()
        used = [model, *(part for part in own if hasattr(part, "get_params")), *used]
    return escaped(
        tag("div", *(_part(part) for part in used if part is not None), class_="parts"),
        tag("h3", "To repeat this run"),
        _repeat(facts, command),
        _versions(facts),
    )


def _part(part: Any) -> Markup:
    entry = entry_of(type(part)) if getattr(part, "kind", None) in KINDS else None
    rows = {
        name: tag("code", _shown(value))
        for name, value in part.get_params(deep=False).items()
        if name not in _QUIET
    }
    about = [tag("h3", f"{entry.kind}: " if entry else "", type(part).__name__)]
    if entry is not None and entry.summary:
        about.append(tag("p", entry.summary[:1].upper(), entry.summary[1:], "."))
    if entry is not None and entry.paper:
        about.append(tag("p", entry.paper, ". ", _link(entry.doi), class_="paper"))
    if rows:
        about.append(_rows(rows))
    return tag("div", *about, class_="part")


def _rows(values: dict[str, Any]) -> Markup:
    rows = (
        tag("tr", tag("th", name, scope="row"), tag("td", value))
        for name, value in values.items()
    )
    return tag("table", tag("tbody", *rows), class_="parameters")


def _link(doi: str) -> Markup:
    if not doi:
        return Markup("")
    return tag("a", f"doi:{doi}", href=f"https://doi.org/{doi}", rel="noreferrer")


def _shown(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 200 else text[:199] + "…"


def _repeat(facts: Facts, command: str | None) -> Markup:
    lines = []
    if command is not None:
        lines.append(tag("pre", tag("code", command)))
    model = facts.found.model
    if model is not None:
        known = model.get_params(deep=False).items()
        same = type(model)(**{key: value for key, value in known if key not in _QUIET})
        code = f"from coterie import {type(model).__name__}\n\nmodel = {same!r}.fit(X)"
        lines.append(tag("pre", tag("code", code)))
        if getattr(model, "random_state", 0) is None:
            text = "No seed was set (random_state=None), so another run will differ."
            lines.append(tag("p", text, class_="note"))
    return escaped(*lines)


def _versions(facts: Facts) -> Markup:
    known = {"coterie": __version__, "Python": platform.python_version()}
    known |= {name: version(name) for name in _PACKAGES}
    known["system"] = f"{platform.system()} {platform.machine()}"
    if facts.X is not None:
        n, d = facts.X.shape
        known["data"] = f"{n:,} x {d:,} {facts.X.dtype}"
        known["hash of the data"] = digest(facts.X)
    return _rows(known)
