"""All parts and systems by name, for the command line, the docs and the tests.

The facts about a method are attributes of its class. Listing methods must be fast and
import none of them, so ``_catalog_map`` holds a copy of these facts. After changing
them, run ``python -m coterie._catalog`` to rewrite it; a test compares the two.
"""

from __future__ import annotations

import difflib
import importlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from coterie._catalog_map import ROWS
from coterie._papers import PAPERS, Paper

KINDS = ("generator", "weighter", "consensus", "baseline", "clusterer", "system")
GROUPS = ("start", "reason", "research")
METHODS = frozenset({"consensus", "baseline"})
_EXPERIMENTAL = "experimental"
_FAMILIES = (
    "generation",
    "weighting",
    "consensus",
    "clusterers",
    "systems",
    _EXPERIMENTAL,
)


@dataclass(frozen=True)
class Entry:
    """One part or system.

    Attributes
    ----------
    name : str
        The name that users type.
    kind : {"generator", "weighter", "consensus", "baseline", "clusterer", "system"}
    home : str
        ``module:Class``.
    summary : str
        One line: what it does or minimises.
    cost : str
        Time and memory in N samples, M members, C clusters, u distinct label rows, k.
    paper : str
    doi : str
    paper_weighter : (str, mapping) or None
        Name and parameters of the weighter of the method's own paper.
    most_rows, most_members : int or None
        Distinct label rows and members beyond which it takes minutes; a comparison of
        all methods then leaves it out.
    group : {"start", "reason", "research"}
        Where to start, what to take for a reason, what to compare with.
    take_if : str
        What you have or want if this is the one to take; empty for research.
    """

    name: str
    kind: str
    home: str
    summary: str
    cost: str
    paper: str = ""
    doi: str = ""
    paper_weighter: tuple[str, Mapping[str, Any]] | None = None
    most_rows: int | None = None
    most_members: int | None = None
    group: str = "research"
    take_if: str = ""

    @property
    def experimental(self) -> bool:
        """Whether it is in ``coterie.experimental``."""
        return self.home.startswith(f"coterie.{_EXPERIMENTAL}:")

    def load(self) -> type:
        """Return the class."""
        module, name = self.home.split(":")
        return getattr(importlib.import_module(module), name)

    def too_many(self, n_rows: int, n_members: int) -> str:
        """Return of what there is so much that it takes minutes, or nothing."""
        if self.most_rows is not None and n_rows > self.most_rows:
            return f"{n_rows:,} distinct label rows, more than {self.most_rows:,}"
        if self.most_members is not None and n_members > self.most_members:
            return f"{n_members:,} members, more than {self.most_members:,}"
        return ""

    @property
    def weighter(self) -> str | None:
        """The name of the weighter of the method's own paper."""
        return None if self.paper_weighter is None else self.paper_weighter[0]


def entry_of(cls: Any) -> Entry:
    """Return the entry of a class of parts or systems, even a user's own.

    Parameters
    ----------
    cls : type
        A subclass inherits the facts of its base class.
    """
    return _entry(_row(cls, f"{cls.__module__}:{cls.__qualname__}"))


def _row(cls: Any, home: str) -> tuple[Any, ...]:
    own_weighter = getattr(cls, "paper_weighter", None)
    most = getattr(cls, "most_rows", None), getattr(cls, "most_members", None)
    facts = cls.name, cls.kind, home, cls.summary, cls.cost, cls.paper
    own = vars(cls)  # a subclass says anew when to take it
    choice = own.get("group", "research"), own.get("take_if", "")
    return *facts, own_weighter, *most, *choice


def _entry(row: tuple[Any, ...]) -> Entry:
    name, kind, home, summary, cost, key, own_weighter, *rest = row
    paper = PAPERS.get(key, Paper(key or "", key or ""))  # a user's own words
    about = paper.short, paper.doi, own_weighter
    return Entry(name, kind, home, summary, cost, *about, *rest)


ENTRIES = tuple(_entry(row) for row in ROWS)


def entries(
    *kinds: str, experimental: bool | None = None, group: str | None = None
) -> list[Entry]:
    """Return the entries of some kinds, by kind and name.

    Parameters
    ----------
    *kinds : str
        All kinds if none are given.
    experimental : bool or None, default=None
        Only those of ``coterie.experimental``, all but those, or both.
    group : str or None, default=None
        Only those of one of ``GROUPS``.
    """
    return [
        entry
        for entry in ENTRIES
        if (not kinds or entry.kind in kinds)
        and experimental in (None, entry.experimental)
        and group in (None, entry.group)
    ]


def find(name: str, kinds: frozenset[str] | set[str] | None = None) -> Entry:
    """Return the entry of a name, or raise an error that suggests similar names."""
    known: dict[str, Entry] = {}
    for entry in ENTRIES:
        if kinds is None or entry.kind in kinds:
            known.setdefault(entry.name, entry)  # a method before a system of its name
    key = str(name).lower()
    if key in known:
        return known[key]
    near = difflib.get_close_matches(key, known, n=3, cutoff=0.6)
    kind = "name" if kinds is None else " or ".join(sorted(kinds)) + " name"
    said = f"{name!r} is not a known {kind}. "
    if near:
        raise ValueError(f"{said}Did you mean {' or '.join(near)}?")
    raise ValueError(f"{said}Known are: {', '.join(known)}.")


def map_text() -> str:
    """Return the text of ``_catalog_map``, generated from the public classes."""
    rows = []
    for family in _FAMILIES:
        package = importlib.import_module(f"coterie.{family}")
        for name in package.__all__:
            part = getattr(package, name)
            if getattr(part, "kind", None) in KINDS and part.name:
                rows.append(_row(part, f"{package.__name__}:{name}"))
    rows.sort(key=lambda row: (KINDS.index(row[1]), row[0]))
    lines = "".join(f"    {row!r},\n" for row in rows)
    return (
        '"""What stands on the classes, by ``python -m coterie._catalog``.\n\n'
        "Name, kind, home, summary, cost, paper, the paper's weighter, most rows "
        "and\nmembers, group, and when to take it.\n"
        f'"""\n\n# ruff: noqa: E501\n# fmt: off\nROWS = (\n{lines})\n'
    )


if __name__ == "__main__":
    Path(__file__).with_name("_catalog_map.py").write_text(map_text())
