"""`coterie methods`: what there is to choose from."""

from __future__ import annotations

import inspect
import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie._catalog import ENTRIES, METHODS, Entry, entries, find
from coterie.cli import _console, _options
from coterie.cli._settings import known_parameters

if TYPE_CHECKING:
    from rich.console import Console

_WIDE = 110  # from this width on there is room for the papers
_KINDS = {
    "system": "Systems: data in, labels out",
    "clusterer": "Single clusterers, to compare with and to make members of",
    "generator": "Generators make members (--generator)",
    "weighter": "Weighters say how much they count (--weighter)",
    "consensus": "Consensus functions combine them (--consensus)",
    "baseline": "Baselines: what ten lines of NumPy and SciPy give (--consensus)",
}


@_options.command
def methods(
    name: Annotated[
        _options.MaybeText, typer.Argument(help="Say more about this one.")
    ] = None,
    kind: Annotated[
        _options.MaybeText, typer.Option(help=f"Only these: {', '.join(_KINDS)}.")
    ] = None,
    as_json: _options.Json = False,
    as_markdown: Annotated[
        bool, typer.Option("--markdown", help="Write the list as a page of tables.")
    ] = False,
) -> None:
    """List the methods, or say more about one: its parameters, cost and paper.

    Example: [bold]coterie methods lwgp[/bold]
    """
    kinds = _kinds(kind)
    if name is None:
        chosen = [entry for one in kinds for entry in entries(one)]
        if as_markdown:
            typer.echo(_page(chosen))
        elif as_json:
            _console.write_json("methods", methods=[_record(e) for e in chosen])
        else:
            _print_list(chosen, _console.out())
        return
    entry = find(name, None if kind is None else set(kinds))
    if as_json:
        _console.write_json("methods", **_record(entry), **_more(entry))
    else:
        _print_one(entry, _more(entry), _console.out())


def _kinds(kind: str | None) -> list[str]:
    if kind is None:
        return list(_KINDS)
    one = kind.lower().removesuffix("s")
    matches = [known for known in _KINDS if known.removesuffix("s") == one]
    if not matches:
        raise ValueError(f"--kind expects one of {', '.join(_KINDS)}, got {kind}.")
    return matches


def _record(entry: Entry) -> dict[str, Any]:
    """Return what the table knows, without loading the class."""
    return {
        "name": entry.name,
        "kind": entry.kind,
        "summary": entry.summary,
        "cost": entry.cost,
        "weighter": entry.weighter,
        "paper": entry.paper or None,
        "doi": entry.doi or None,
        "class": entry.home.replace(":", "."),
    }


_COST = (
    "cost: N samples, M members, C clusters of all members, u distinct label rows, k "
    "clusters wanted, D columns"
)


def _page(chosen: list[Entry]) -> str:
    """Return the list as Markdown: what each does, needs and costs, and its paper."""
    lines = ["# Methods", "", "Made by `coterie methods --markdown`.", "", f"{_COST}."]
    for kind in dict.fromkeys(entry.kind for entry in chosen):
        lines += ["", f"## {_KINDS[kind]}", ""]
        lines += ["| name | what it does | needs | cost | paper |"]
        lines += ["| --- | --- | --- | --- | --- |"]
        lines += [
            f"| `{entry.name}` | {entry.summary} | {_needs(entry)} | {entry.cost} | "
            f"{_linked(entry)} |"
            for entry in chosen
            if entry.kind == kind
        ]
    return "\n".join(lines)


def _needs(entry: Entry) -> str:
    """Say what must be there: data, labels, the number of clusters, weights."""
    cls: Any = entry.load()
    combines = entry.kind in METHODS
    takes_labels = combines or entry.kind == "weighter"
    data = getattr(cls, "needs_X", not takes_labels)
    k = combines or entry.kind in ("clusterer", "system")
    weights = sorted(cls.uses_weights) if combines else []
    needs = {
        "labels": takes_labels,
        "data": data,
        "k": k,
        f"weights of {' or '.join(weights)} if any": weights,
    }
    return ", ".join(text for text, is_needed in needs.items() if is_needed)


def _linked(entry: Entry) -> str:
    if not entry.doi:
        return entry.paper
    return f"[{entry.paper}](https://doi.org/{entry.doi})"


def _print_list(chosen: list[Entry], console: Console) -> None:
    for kind in dict.fromkeys(entry.kind for entry in chosen):
        console.print(f"[bold cyan]{_KINDS[kind]}[/bold cyan]")
        console.print(_grid([e for e in chosen if e.kind == kind], console.width))
    console.print(f"[dim]{_COST}[/dim]")
    console.print("More about one: [bold]coterie methods NAME[/bold]")


def _grid(chosen: list[Entry], width: int) -> Any:
    """Return the table of one kind; all kinds have columns of the same widths."""
    from rich.table import Table

    papers = width >= _WIDE
    grid = Table(box=None, pad_edge=False, show_header=False)
    names = max(len(entry.name) for entry in ENTRIES)
    grid.add_column(style="bold", width=names)
    grid.add_column(width=min(63, width - names - 31 - (25 if papers else 0)))
    grid.add_column(style="dim", width=27)
    if papers:
        grid.add_column(style="dim", width=23)
    for entry in chosen:
        summary = entry.summary
        if entry.weighter:
            summary += f" [dim]({entry.weighter} weights)[/dim]"
        row = [entry.name, summary, entry.cost]
        grid.add_row(*row, *([_short(entry.paper)] if papers else []))
    grid.add_row()
    return grid


def _short(paper: str) -> str:
    """Return authors and year: ``Huang et al. 2018``."""
    match = re.match(r"(.*?) (\d{4})", paper)
    if match is None:
        return paper
    authors = match[1].split(", ")
    if len(authors) > 2:
        return f"{authors[0]} et al. {match[2]}"
    return f"{' & '.join(authors)} {match[2]}"


def _more(entry: Entry) -> dict[str, Any]:
    """Return what only the class knows."""
    cls = entry.load()
    said = _documented(cls)
    empty = inspect.Parameter.empty
    return {
        "description": _paragraphs(cls),
        "parameters": [
            {
                "name": name,
                "default": None if one.default is empty else repr(one.default),
                "required": one.default is empty,
                "description": said.get(name, ""),
            }
            for name, one in inspect.signature(cls).parameters.items()
            if one.kind not in (one.VAR_POSITIONAL, one.VAR_KEYWORD)
        ],
        "needs_X": getattr(cls, "needs_X", None),
        "uses_weights": sorted(getattr(cls, "uses_weights", ())),
        "python": _python(entry, cls),
        "shell": _shell(entry, cls),
    }


def _python(entry: Entry, cls: Any) -> str:
    if entry.kind in METHODS:
        from coterie.systems._defaults import paper_weighter

        data = ", X=X" if cls.needs_X or _looks(paper_weighter(cls)) else ""
        return f'coterie.combine(labels, n_clusters=10, consensus="{entry.name}"{data})'
    if entry.kind in ("system", "clusterer"):
        home = "coterie" if entry.kind == "system" else "coterie.clusterers"
        return f"{home}.{cls.__name__}(n_clusters=10).fit_predict(X)"
    given = "clusterers" in inspect.signature(cls).parameters
    part = f"{cls.__name__}([...])" if given else f'"{entry.name}"'
    return f"coterie.EnsembleClustering(n_clusters=10, {entry.kind}={part}).fit(X)"


def _looks(weighter: Any) -> bool:
    return weighter is not None and weighter.needs_X


def _shell(entry: Entry, cls: type) -> str | None:
    if entry.kind == "clusterer" or entry.name == "clusterers":
        return None
    option = "consensus" if entry.kind in METHODS else entry.kind
    words = f"coterie cluster data.csv -k 10 --{option} {entry.name}"
    settable = known_parameters(cls)
    if not settable:
        return words
    dotted = "" if option == "system" else f"{option}."
    return f"{words} --set {dotted}{settable[-1]}=..."


def _print_one(entry: Entry, more: dict[str, Any], console: Console) -> None:
    from rich import box
    from rich.markup import escape
    from rich.table import Table

    home = entry.home.replace(":", ".")
    console.print(f"[bold]{entry.name}[/bold]  {entry.kind}, [cyan]{home}[/cyan]\n")
    for paragraph in more["description"]:
        console.print(escape(paragraph) + "\n")
    if more["parameters"]:
        grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
        for head, style in (("parameter", "bold"), ("default", None), ("", None)):
            grid.add_column(head, style=style, no_wrap=bool(head))
        for one in more["parameters"]:
            default = "(needed)" if one["required"] else one["default"]
            grid.add_row(one["name"], escape(default), escape(one["description"]))
        console.print(grid)
        console.print()
    facts = [("cost", entry.cost)]
    if entry.kind in METHODS:
        facts.append(("looks at the data", "yes" if more["needs_X"] else "no"))
        facts.append(("weights it can use", ", ".join(more["uses_weights"]) or "none"))
        facts.append(("weights by default", entry.weighter or "none"))
    if entry.paper:
        doi = f" https://doi.org/{entry.doi}" if entry.doi else ""
        facts.append(("paper", entry.paper + doi))
    facts.append(("Python", more["python"]))
    facts += [("shell", more["shell"])] if more["shell"] else []
    _console.print_facts(facts, console)


def _sections(cls: type) -> dict[str, str]:
    """Return the sections of a docstring in NumPy's style; '' is the beginning."""
    doc = inspect.cleandoc(cls.__doc__ or "")
    parts = re.split(r"^(\w[\w ]*)\n-{3,}\n", doc, flags=re.MULTILINE)
    return {"": parts[0], **dict(zip(parts[1::2], parts[2::2], strict=True))}


def _paragraphs(cls: type) -> list[str]:
    """Return the beginning of the docstring as plain paragraphs."""
    paragraphs = re.split(r"\n\s*\n", _sections(cls)[""].strip())
    return [_plain(paragraph) for paragraph in paragraphs if paragraph.strip()]


def _documented(cls: type) -> dict[str, str]:
    """Return what the docstring says about each parameter, up to a first full stop."""
    found: dict[str, str] = {}
    name = None
    for line in _sections(cls).get("Parameters", "").splitlines():
        head = re.match(r"(\w+) : ", line)
        if head:
            name = head[1]
            found[name] = ""
        elif name is not None and line.startswith(" "):
            found[name] = f"{found[name]} {line.strip()}".strip()
    return {name: re.split(r"(?<=\.) ", _plain(t))[0] for name, t in found.items()}


def _plain(text: str) -> str:
    """Return text without the marks of reStructuredText."""
    text = re.sub(r"\.\. math::\s*", "    ", text)
    text = re.sub(r":\w+:`~?(?:[\w.]+\.)?([^`]+)`", r"\1", text)
    text = re.sub(r"\s*\[\d+\]_", "", text)
    return " ".join(text.replace("``", "").replace("`", "").split())
