"""`coterie methods`: which one to take, all of them, and the details of one."""

from __future__ import annotations

import inspect
import re
import zipfile
from pathlib import Path
from typing import Any

from coterie._catalog import ENTRIES, GROUPS, METHODS, Entry, entries, find
from coterie.cli import _console, _system
from coterie.cli._columns import Columns
from coterie.cli._communities import GRAPH_FILES, read_graph_file
from coterie.cli._formulas import readable
from coterie.cli._options import command, known_parameters
from coterie.cli._segment import SUFFIXES

KINDS = {
    "system": "Systems: data in, labels out",
    "clusterer": "Single clusterers, for comparison and for making members",
    "generator": "Generators make members (--generator)",
    "weighter": "Weighters decide how much they count (--weighter)",
    "consensus": "Consensus functions combine them (--consensus)",
    "baseline": "Baselines: what ten lines of NumPy and SciPy give (--consensus)",
}
TITLES = {
    "start": "Start here",
    "reason": "For a reason",
    "research": "For research: to compare with, or to build on",
}
COST = (
    "cost: N samples, M members, C clusters of all members, u distinct label rows, k "
    "clusters wanted, D columns"
)


@command
def methods(
    columns: Columns,
    name: str | None = None,
    for_file: Path | None = None,
    kind: str | None = None,
    every: bool = False,
    as_json: bool = False,
) -> None:
    """Say what to use for a file, list the methods, or describe one.

    With --for it looks at a file and says what to use, why, and what to avoid. With a
    name it describes a method: its parameters, cost and paper. Otherwise it lists the
    methods to start with and those to take for a reason; --all lists the rest.

    Example: [bold]coterie methods --for data.csv[/bold]

    Parameters
    ----------
    name : [NAME]
        Method to describe.
    for_file : --for FILE
        Look at this file, and say what to use for it.
    kind
        Only these: system, clusterer, generator, weighter, consensus or baseline.
    every : --all
        List those for research as well.
    """
    if for_file is not None:
        _print_advice(for_file, columns, as_json)
        return
    one = "" if kind is None else kind.lower().removesuffix("s")
    wanted = [known for known in KINDS if one in ("", known.removesuffix("s"))]
    if not wanted:
        raise ValueError(
            f"--kind expects one of {', '.join(KINDS)}, got {kind}. Type "
            "`coterie methods --kind system`."
        )
    if name is not None:
        entry = find(name, set(wanted))
        if as_json:
            _console.write_json("methods", **_record(entry), **_more(entry))
        else:
            _print_one(entry, _more(entry))
        return
    if as_json:
        listed = [_record(entry) for known in wanted for entry in entries(known)]
        _console.write_json("methods", methods=listed)
    else:
        _print_groups(wanted, every or kind is not None)


def _print_advice(path: Path, columns: Columns, as_json: bool) -> None:
    """Look at a file, and say what to use for it."""
    from coterie.advice import advise

    advice = advise(_content(path, columns), file=str(path))
    if as_json:
        _console.write_json("methods", **vars(advice))
        return
    console = _console.console()
    console.print(advice.sentence, style="bold", markup=False)
    facts = [
        ("seen", " ".join(advice.facts)),
        ("type", advice.shell),
        ("Python", advice.python),
        *(("figures", text) for text in advice.figures),
        *(("or", text) for text in advice.instead),
        *(("avoid", text) for text in advice.avoid),
    ]
    _console.print_facts(facts, console)


def _content(path: Path, columns: Columns) -> Any:
    """Return what a file holds: data, labels, a graph, or the pixels of a photo."""
    if path.suffix.lower() in GRAPH_FILES:
        return read_graph_file(path, None)[0]
    if path.suffix.lower() in SUFFIXES and path.exists():
        import numpy as np

        from coterie._validation import require

        with require("PIL.Image").open(path) as photo:
            return np.asarray(photo.convert("RGB"))
    from coterie.cli._tables import read_data, read_labels

    if path.suffix.lower() == ".npz" and _is_ensemble(path):
        return read_labels(path, columns).values
    by_blocks = _system.block_rows(path, _system.Wishes()) is not None
    table = read_data(path, columns, by_blocks=by_blocks, as_table=True)
    return _named(table.values, table.names)


def _is_ensemble(path: Path) -> bool:
    """Whether ``Ensemble.save`` wrote the file."""
    if not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as arrays:
        return {"labels.npy", "offsets.npy"} <= set(arrays.namelist())


def _named(values: Any, names: list[str]) -> Any:
    """Return an array with the names of its columns."""
    import numpy as np

    if not isinstance(values, np.ndarray):
        return values
    import pandas

    return pandas.DataFrame(values, columns=names)


def _record(entry: Entry) -> dict[str, Any]:
    """Return the catalog's facts, without loading the class."""
    home = entry.home.replace(":", ".")
    return {**vars(entry), "home": home, "paper_weighter": entry.weighter}


def _print_groups(kinds: list[str], every: bool) -> None:
    console = _console.console()
    for group in GROUPS if every else GROUPS[:-1]:
        listed = [entry for kind in kinds for entry in entries(kind, group=group)]
        if group == "research":
            for kind in kinds:
                own = [entry for entry in listed if entry.kind == kind]
                _print_list(f"{TITLES[group]}. {KINDS[kind]}", own, console)
        else:
            _print_list(TITLES[group], listed, console)
    if every:
        console.print(f"[dim]{COST}[/dim]")
    else:
        n_more = len(entries(group="research"))
        console.print(
            f"{n_more} more, for research: [bold]coterie methods --all[/bold]"
        )
    console.print("For your data: [bold]coterie methods --for FILE[/bold]")
    console.print("More about one: [bold]coterie methods NAME[/bold]")


def _print_list(title: str, listed: list[Entry], console: Any) -> None:
    from rich.table import Table

    if not listed:
        return
    grid = Table(box=None, pad_edge=False, show_header=False, expand=True)
    grid.add_column(style="bold", width=max(len(e.name) for e in ENTRIES))
    for_research = not any(entry.take_if for entry in listed)
    for ratio in (5, 3, 2) if for_research else (5, 1):
        grid.add_column(ratio=ratio, style="dim" if grid.columns[1:] else None)
    for entry in listed:
        cells = [entry.take_if, entry.kind]
        if for_research:
            own = f" [dim]({entry.weighter} weights)[/dim]" if entry.weighter else ""
            cells = [entry.summary + own, entry.cost, _short(entry)]
        grid.add_row(entry.name, *cells)
    console.print(f"[bold cyan]{title}[/bold cyan]")
    console.print(grid)
    console.print()


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
    text = re.sub(r"\.\. math::\s*(.*(?:\n +\S.*)*)", _formula, parts[0].strip())
    paragraphs = [_plain(part) for part in re.split(r"\n\s*\n", text)]
    found = re.findall(
        r"^(\w+) : .*\n((?:    .*(?:\n|$))*)", sections.get("Parameters", ""), re.M
    )
    return paragraphs, {n: re.split(r"(?<=\.) ", _plain(t))[0] for n, t in found}


def _formula(found: re.Match[str]) -> str:
    return "    " + readable(found[1])


def _plain(text: str) -> str:
    """Return text without reStructuredText markup."""
    text = re.sub(r":math:`([^`]+)`", lambda found: readable(found[1]), text)
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?([^`]+)`", r"\1", text)
    text = re.sub(r"\s*\[\d+\]_", "", text)
    text = re.sub(r"(?<![\w*])\*(\w[\w -]*)\*(?![\w*])", r"\1", text)
    return " ".join(text.replace("``", "").replace("`", "").split())
