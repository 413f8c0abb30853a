"""Write docs/methods.md from the catalog: ``python docs/_ext/methods_page.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from coterie._catalog import METHODS, Entry, entries
from coterie.cli._methods import COST, KINDS

PAGE = Path(__file__).parents[1] / "methods.md"


def page() -> str:
    """Return tables of all methods: what each does, needs and costs, and its paper."""
    lines = ["# Methods", "", "Made by `python docs/_ext/methods_page.py`.", ""]
    lines += [f"{COST}."]
    for kind, title in KINDS.items():
        lines += ["", f"## {title}", ""]
        lines += ["| name | what it does | needs | cost | paper |"]
        lines += ["| --- | --- | --- | --- | --- |"]
        for one in entries(kind):
            doi = f"[{one.paper}](https://doi.org/{one.doi})"
            cells = [f"`{one.name}`", one.summary, _needs(one), one.cost]
            lines.append(f"| {' | '.join([*cells, doi if one.doi else one.paper])} |")
    return "\n".join([*lines, ""])


def _needs(entry: Entry) -> str:
    """Return what a method needs: data, labels, the number of clusters, weights."""
    cls: Any = entry.load()
    combines = entry.kind in METHODS
    takes_labels = combines or entry.kind == "weighter"
    weights = sorted(cls.uses_weights) if combines else []
    needs = {
        "labels": takes_labels,
        "data": getattr(cls, "needs_X", not takes_labels),
        "k": combines or entry.kind in ("clusterer", "system"),
        f"weights of {' or '.join(weights)} if any": weights,
    }
    return ", ".join(text for text, is_needed in needs.items() if is_needed)


if __name__ == "__main__":
    PAGE.write_text(page())
