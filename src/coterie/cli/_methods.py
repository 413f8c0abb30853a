"""`coterie methods`: all methods, and the details of one."""

from __future__ import annotations

import inspect
import re
from typing import Any

from coterie._catalog import ENTRIES, METHODS, Entry, entries, find
from coterie.cli import _console
from coterie.cli._options import command, known_parameters

KINDS = {
    "system": "Systems: data in, labels out",
    "clusterer": "Single clusterers, for comparison and for making members",
    "generator": "Generators make members (--generator)",
    "weighter": "Weighters decide how much they count (--weighter)",
    "consensus": "Consensus functions combine them (--consensus)",
    "baseline": "Baselines: what ten lines of NumPy and SciPy give (--consensus)",
}
COST = (
    "cost: N samples, M members, C clusters of all members, u distinct label rows, k "
    "clusters wanted, D columns"
)


@command
def methods(
    name: str | None = None,
    kind: str | None = None,
    as_json: bool = False,
) -> None:
    """List the methods, or describe one: its parameters, cost and paper.

    Example: [bold]coterie methods lwgp[/bold]

    Parameters
    ----------
    name : [NAME]
        Method to describe.
    kind
        Only these: system, clusterer, generator, weighter, consensus or baseline.
    """
    one = "" if kind is None else kind.lower().removesuffix("s")
    wanted = [known for known in KINDS if one in ("", known.removesuffix("s"))]
    if not wanted:
        raise ValueError(f"--kind expects one of {', '.join(KINDS)}, got {kind}.")
    if name is not None:
        entry = find(name, set(wanted))
        if as_json:
            _console.write_json("methods", **_record(entry), **_more(entry))
        else:
            _print_one(entry, _more(entry))
        return
    chosen = {one: entries(one) for one in wanted}
    if as_json:
        every = [_record(entry) for group in chosen.values() for entry in group]
        _console.write_json("methods", methods=every)
    else:
        _print_list(chosen)


def _record(entry: Entry) -> dict[str, Any]:
    """Return the catalog's facts, without loading the class."""
    home = entry.home.replace(":", ".")
    return {**vars(entry), "home": home, "paper_weighter": entry.weighter}


def _print_list(chosen: dict[str, list[Entry]]) -> None:
    from rich.table import Table

    console = _console.console()
    for kind, group in chosen.items():
        grid = Table(box=None, pad_edge=False, show_header=False, expand=True)
        grid.add_column(style="bold", width=max(len(e.name) for e in ENTRIES))
        for ratio, style in ((5, None), (3, "dim"), (2, "dim")):
            grid.add_column(ratio=ratio, style=style)
        for entry in group:
            own = f" [dim]({entry.weighter} weights)[/dim]" if entry.weighter else ""
            grid.add_row(entry.name, entry.summary + own, entry.cost, _short(entry))
        console.print(f"[bold cyan]{KINDS[kind]}[/bold cyan]")
        console.print(grid)
        console.print()
    console.print(f"[dim]{COST}[/dim]")
    console.print("More about one: [bold]coterie methods NAME[/bold]")


def _short(entry: Entry) -> str:
    """Return authors and year of the paper: ``Huang et al. 2018``."""
    authors, year, _ = [*re.split(r" (\d{4})", entry.paper, maxsplit=1), "", ""][:3]
    names = authors.split(", ")
    who = f"{names[0]} et al." if len(names) > 2 else " & ".join(names)
    return f"{who} {year}".strip()


def _more(entry: Entry) -> dict[str, Any]:
    """Return the facts that need the class itself."""
    cls: Any = entry.load()
    text, said = _documented(cls)
    empty = inspect.Parameter.empty
    return {
        "description": text,
        "parameters": [
            {
                "name": name,
                "default": None if one.default is empty else repr(one.default),
                "required": one.default is empty,
                "description": said.get(name, ""),
            }
            for name, one in inspect.signature(cls).parameters.items()
        ],
        "needs_X": getattr(cls, "needs_X", None),
        "uses_weights": sorted(getattr(cls, "uses_weights", ())),
        "python": _python(entry, cls),
        "shell": _shell(entry, cls),
    }


def _python(entry: Entry, cls: Any) -> str:
    if entry.kind in METHODS:
        from coterie.systems._defaults import paper_weighter

        needs_X = cls.needs_X or getattr(paper_weighter(cls), "needs_X", False)
        data = ", X=X" if needs_X else ""
        return f'coterie.combine(labels, n_clusters=10, consensus="{entry.name}"{data})'
    if entry.kind in ("system", "clusterer"):
        home = "coterie" if entry.kind == "system" else "coterie.clusterers"
        return f"{home}.{cls.__name__}(n_clusters=10).fit_predict(X)"
    given = "clusterers" in inspect.signature(cls).parameters
    part = f"{cls.__name__}([...])" if given else f'"{entry.name}"'
    return f"coterie.EnsembleClustering(n_clusters=10, {entry.kind}={part}).fit(X)"


def _shell(entry: Entry, cls: type) -> str | None:
    if entry.kind == "clusterer" or entry.name == "clusterers":
        return None
    option = "consensus" if entry.kind in METHODS else entry.kind
    words = f"coterie cluster data.csv -k 10 --{option} {entry.name}"
    dotted = "" if option == "system" else f"{option}."
    return words + f" --set {dotted}NAME=VALUE" * bool(known_parameters(cls))


def _print_one(entry: Entry, more: dict[str, Any]) -> None:
    from rich.markup import escape

    console = _console.console()
    home = entry.home.replace(":", ".")
    console.print(f"[bold]{entry.name}[/bold]  {entry.kind}, [cyan]{home}[/cyan]\n")
    for paragraph in more["description"]:
        console.print(escape(paragraph) + "\n")
    if more["parameters"]:
        grid = _console.grid("", ["parameter", "default", ""], n_left=3)
        grid.columns[-1].no_wrap = False
        for one in more["parameters"]:
            default = "(required)" if one["required"] else one["default"]
            grid.add_row(one["name"], escape(default), escape(one["description"]))
        console.print(grid)
    combines = entry.kind in METHODS
    facts = [
        ("cost", entry.cost),
        ("needs the data", combines and ("yes" if more["needs_X"] else "no")),
        ("usable weights", combines and (", ".join(more["uses_weights"]) or "none")),
        ("default weights", combines and (entry.weighter or "none")),
        ("paper", entry.paper + (f" https://doi.org/{entry.doi}" if entry.doi else "")),
        ("Python", more["python"]),
        ("shell", more["shell"]),
    ]
    _console.print_facts(facts, console)


def _documented(cls: type) -> tuple[list[str], dict[str, str]]:
    """Return the first paragraphs of a docstring, and a sentence on each parameter."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", doc, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    paragraphs = [_plain(text) for text in re.split(r"\n\s*\n", parts[0].strip())]
    found = re.findall(
        r"^(\w+) : .*\n((?:    .*(?:\n|$))*)", sections.get("Parameters", ""), re.M
    )
    return paragraphs, {n: re.split(r"(?<=\.) ", _plain(t))[0] for n, t in found}


def _plain(text: str) -> str:
    """Return text without reStructuredText markup."""
    text = re.sub(r"\.\. math::\s*", "    ", text)
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?([^`]+)`", r"\1", text)
    text = re.sub(r"\s*\[\d+\]_", "", text)
    text = re.sub(r"(?<![\w*])\*(\w[\w -]*)\*(?![\w*])", r"\1", text)
    return " ".join(text.replace("``", "").replace("`", "").split())
