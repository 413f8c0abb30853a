"""Write the reference: a page for each public object, and a page for each family.

Parts and systems come from the catalog, everything else from the ``__all__`` of the
public packages, so that what is public is documented and nothing else is.
"""

from __future__ import annotations

import importlib
import inspect
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from types import UnionType
from typing import Any, get_args

import coterie
from coterie._catalog import KINDS, entries


@dataclass(frozen=True)
class Family:
    """One page of the reference: the parts of some kinds, a package, or some names."""

    page: str
    title: str
    package: str
    words: str
    kinds: tuple[str, ...] = ()
    names: tuple[str, ...] = ()  # of coterie itself, where the package is private


FAMILIES = (
    Family(
        "systems",
        "Systems",
        "systems",
        "Data in, labels out: scikit-learn clusterers.",
        ("system",),
    ),
    Family(
        "generators",
        "Generators",
        "generation",
        "From data to many clusterings: ``generate(X, seed=...)`` gives an ensemble.",
        ("generator",),
    ),
    Family(
        "weighters",
        "Weighters",
        "weighting",
        "How much members, clusters and samples count: ``weigh(ensemble)``.",
        ("weighter",),
    ),
    Family(
        "consensus",
        "Consensus functions",
        "consensus",
        "From many clusterings to one: ``combine(ensemble, n_clusters)``.",
        ("consensus", "baseline"),
    ),
    Family(
        "clusterers",
        "Single clusterers",
        "clusterers",
        "To compare with, or to use as members.",
        ("clusterer",),
    ),
    Family(
        "experimental",
        "Experimental",
        "experimental",
        "Methods without an independent check; they may change or go in any release.",
        KINDS,
    ),
    Family(
        "running",
        "Where it runs",
        "",
        "Threads, processes or Dask; checkpoints; memory limits.",
        names=("use_engine",),
    ),
    Family("ensemble", "Ensembles", "ensemble", "The record of what members said."),
    Family("advice", "Advice", "advice", "What to use for some data, and why."),
    Family("choice", "Choosing k", "choice", "How many clusters, if any."),
    Family("answers", "Answers", "answers", "How sure the answer is."),
    Family("plot", "Plots", "plot", "Each plot has a twin that returns its numbers."),
    Family("metrics", "Metrics", "metrics", "Scores, agreement and validity."),
    Family("datasets", "Data sets", "datasets", "Data with a known answer."),
    Family("applications", "Applications", "applications", "Photos and graphs."),
    Family(
        "scanpy",
        "scanpy",
        "integrations.scanpy",
        "Ensemble clustering of AnnData objects, called like scanpy's own tools.",
    ),
    Family("exceptions", "Errors and warnings", "exceptions", "What may be raised."),
)


def full_name(package: str, name: str) -> str:
    """Return the shortest public name: ``coterie.MDEC``, ``coterie.plot.cdf``."""
    thing = getattr(importlib.import_module(f"coterie.{package}"), name)
    is_short = name in coterie.__all__ and getattr(coterie, name) is thing
    return f"coterie.{name}" if is_short else f"coterie.{package}.{name}"


def public(package: str) -> dict[str, Any]:
    """Return the public objects of a package by their full names."""
    try:
        module = importlib.import_module(f"coterie.{package}")
    except ModuleNotFoundError:
        return {}
    found = {}
    for name in getattr(module, "__all__", []):
        thing = getattr(module, name)
        if inspect.ismodule(thing):
            inner = f"{package}.{name}"
            found |= {full_name(inner, n): getattr(thing, n) for n in thing.__all__}
        else:
            found[full_name(package, name)] = thing
    return found


def pages() -> dict[str, str]:
    """Return the text of each page by its path below ``api``."""
    made: dict[str, str] = {}
    shown: list[Family] = []
    for family in FAMILIES:
        things = {f"coterie.{name}": getattr(coterie, name) for name in family.names}
        if family.package:
            things |= public(family.package)
        if not things:
            continue
        shown.append(family)
        made[f"{family.page}.rst"] = family_page(family, things)
        made |= {
            f"objects/{name}.rst": object_page(name, thing)
            for name, thing in things.items()
        }
    made["index.rst"] = index_page(shown)
    return made


def index_page(families: Iterable[Family]) -> str:
    """Return the page that lists the families."""
    rows = "\n".join(
        f"   * - :doc:`{family.title} <{family.page}>`\n"
        f"     - ``{f'coterie.{family.package}'.rstrip('.')}``\n     - {family.words}"
        for family in families
    )
    tree = "\n".join(f"   {family.page}" for family in families)
    return (
        f"{heading('Reference')}\n"
        "Every public object. Parts and systems are those of the catalog, the table "
        "that ``coterie methods`` prints.\n\n"
        f".. list-table::\n   :widths: 22 24 54\n\n{rows}\n\n"
        f".. toctree::\n   :hidden:\n\n{tree}\n"
    )


def family_page(family: Family, things: dict[str, Any]) -> str:
    """Return the page of a family: the catalog's table, then what else is public."""
    rest = dict(things)
    parts = [f"{heading(family.title)}\n{family.words}\n"]
    for kind in family.kinds:
        rows = []
        for entry in entries(kind):
            module, name = entry.home.split(":")
            if module != f"coterie.{family.package}":
                continue
            full = full_name(family.package, name)
            rest.pop(full)
            rows.append((full, f"``{entry.name}``", entry.summary, entry.cost))
        if not rows:
            continue
        if len(family.kinds) > 1:
            parts.append(heading(TITLES[kind], "-"))
        parts.append(table(("class", "name", "what it does", "cost"), rows, WIDE))
    if family.kinds:
        parts.append(
            "Cost: N samples, M members, C clusters of all members, u distinct label "
            "rows, k clusters wanted, D columns.\n"
        )
        if rest:
            parts.append(heading("Also here", "-"))
    if rest:
        rows = [(name, first_line(thing)) for name, thing in rest.items()]
        parts.append(table(("name", "what it is"), rows, "38 62"))
    tree = "\n".join(f"   objects/{name}" for name in things)
    parts.append(f".. toctree::\n   :hidden:\n\n{tree}\n")
    return "\n".join(parts)


WIDE = "22 18 36 24"
TITLES = {
    "generator": "Generators",
    "weighter": "Weighters",
    "consensus": "Methods of papers",
    "baseline": "Ten-line baselines",
    "clusterer": "Single clusterers",
    "system": "Systems",
}


def table(titles: Iterable[str], rows: Iterable[tuple[str, ...]], widths: str) -> str:
    """Return a table; the first cell of each row is the name of an object."""
    lines = [".. list-table::", "   :header-rows: 1", f"   :widths: {widths}", ""]
    shown = [tuple(titles)]
    shown += [(link(name), *cells) for name, *cells in rows]
    for row in shown:
        lines += [f"   {'*' if at == 0 else ' '} - {x}" for at, x in enumerate(row)]
    return "\n".join(lines) + "\n"


def link(name: str) -> str:
    """Return a link to the page of an object that shows its short name."""
    return f":py:obj:`{name.rsplit('.', 1)[1]} <{name}>`"


def first_line(thing: Any) -> str:
    """Return what an object is, in one line."""
    if isinstance(thing, UnionType):
        return " or ".join(f"``{one.__name__}``" for one in get_args(thing))
    if not callable(thing):
        return ", ".join(f"``{value!r}``" for value in thing)
    line = (inspect.getdoc(thing) or "").splitlines()[0]
    return line.replace(" [1]_", "")  # the reference stands on the page of the object


def object_page(name: str, thing: Any) -> str:
    """Return the page of one object: its docstring, methods, and examples with it."""
    module, short = name.rsplit(".", 1)
    lines = [heading(short), f".. currentmodule:: {module}", ""]
    if inspect.isclass(thing):
        lines += [f".. autoclass:: {short}", ""]
        lines += [f"   .. auto{kind}:: {own}" for own, kind in methods(thing).items()]
    elif callable(thing):
        lines.append(f".. autofunction:: {short}")
    else:
        lines.append(f".. autodata:: {short}")
    lines += [
        "",
        f".. minigallery:: {name}",
        f"   :add-heading: Examples with {short}",
        "",
    ]
    return "\n".join(lines)


def methods(cls: type) -> dict[str, str]:
    """Return what coterie itself defines on a class, and whether it is a property.

    Of what scikit-learn adds only ``fit_predict`` is shown.
    """
    own: dict[str, Any] = {}
    for base in reversed(cls.__mro__):
        if base.__module__.startswith("coterie"):
            own |= vars(base)
    found = {}
    for name, value in own.items():
        if name.startswith("_"):
            continue
        if inspect.isfunction(value) or isinstance(value, classmethod | staticmethod):
            found[name] = "method"
        elif isinstance(value, property | cached_property):
            found[name] = "property"
    if "fit" in found and hasattr(cls, "fit_predict"):
        found["fit_predict"] = "method"
    return found


def heading(text: str, mark: str = "=") -> str:
    """Return a title with its underline."""
    return f"{text}\n{mark * len(text)}\n"


def write_changed(folder: Path, made: dict[str, str]) -> None:
    """Write what is new or has changed, and remove what is no longer there."""
    for old in folder.rglob("*"):
        if old.is_file() and str(old.relative_to(folder)) not in made:
            old.unlink()
    for path, text in made.items():
        file = folder / path
        if not file.exists() or file.read_text() != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)


def setup(app: Any) -> dict[str, bool]:
    """Write the pages before Sphinx looks for them."""
    app.connect(
        "builder-inited",
        lambda app: write_changed(Path(app.srcdir) / "api", pages()),
        priority=100,
    )
    return {"parallel_read_safe": True}
