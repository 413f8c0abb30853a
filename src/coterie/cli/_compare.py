"""`coterie compare`: one ensemble, many consensus functions."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Optional

import typer

from coterie._catalog import METHODS, entries, find
from coterie._version import __version__
from coterie.cli import _console, _files, _options, _system
from coterie.cli._cluster import parse_span, standardized

if TYPE_CHECKING:
    from rich.console import Console

    from coterie.cli._columns import Table
    from coterie.systems import Comparison

_HEADS = {
    "agreement": "members",
    "silhouette": "silhouette",
    "variance_ratio": "VRC",
    "nmi": "NMI",
    "ari": "ARI",
    "acc": "ACC",
}
_EXTERNAL = ("nmi", "ari", "acc")


@_console.guarded
def compare(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            readable=False,
            help="Samples in rows, numbers in columns; with --labels a clustering in "
            "each column: CSV, TSV, Parquet, NPY, NPZ or MAT.",
            show_default=False,
        ),
    ],
    k: _options.NClusters,
    methods: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="NAME,NAME,...",
            help="Which to compare (see: coterie methods). \\[default: all]",
            show_default=False,
        ),
    ] = None,
    labels: Annotated[
        bool, typer.Option("--labels", help="The file holds members, not data.")
    ] = False,
    generator: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            help="What makes the members. \\[default: kmeans]", show_default=False
        ),
    ] = None,
    members: Annotated[int, typer.Option(min=1, help="Clusterings to make.")] = 50,
    member_clusters: Annotated[
        Optional[str],  # noqa: UP045
        typer.Option(
            metavar="LOW:HIGH",
            help="Clusters of each member: a number, or a range from which each draws. "
            "\\[default: 2 to the square root of the samples]",
            show_default=False,
        ),
    ] = None,
    standardize: _options.Standardize = False,
    seed: _options.Seed = 0,
    jobs: _options.Jobs = -1,
    header: _options.Header = None,
    index: _options.Index = "auto",
    truth: _options.Truth = None,
    drop: _options.Drop = [],  # noqa: B006 - typer copies it
    variable: _options.Variable = None,
    output: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            "-o",
            "--output",
            metavar="FILE",
            readable=False,
            help="Where to write the table: .csv, .tsv or .parquet.",
            rich_help_panel="Output",
        ),
    ] = None,
    answers: Annotated[
        Optional[Path],  # noqa: UP045
        typer.Option(
            metavar="FILE",
            readable=False,
            help="Where to write the labels, a column for each method: .csv, .tsv, "
            ".parquet or .npz.",
            rich_help_panel="Output",
        ),
    ] = None,
    as_json: _options.Json = False,
) -> None:
    """Combine the same clusterings by many methods, and compare the answers.

    Makes one ensemble and combines it by every consensus function, beside three
    baselines of ten lines. The table is sorted by how well an answer agrees with the
    members, or with known classes if there are some.

    Example: [bold]coterie compare iris.csv -k 3 --truth species[/bold]
    """
    start = time.perf_counter()
    names = None if methods is None else [name.strip() for name in methods.split(",")]
    for name in names or ():
        find(name, METHODS)
    span = parse_span(member_clusters)
    wishes = _system.Wishes("ensemble", generator, "auto", "auto", members, span)
    _system.check(wishes)
    _files.check_output(output, data)
    _files.check_output(answers, data)
    with _console.stages(not as_json) as stages:
        stages.start("Reading")
        from coterie.cli._columns import Columns
        from coterie.cli._tables import read_data, read_labels
        from coterie.ensemble import Ensemble
        from coterie.systems import compare as side_by_side

        columns = Columns(header, index, truth, tuple(drop), variable)
        table = (read_labels if labels else read_data)(data, columns)
        with _console.collected_warnings() as warned:
            X = None
            if labels:
                ensemble = Ensemble(table.values)
            else:
                X = standardized(table) if standardize else table.values
                stages.start("Making members")
                made_by = _system.plan(wishes, k, X.shape[0], seed, jobs).model
                ensemble = made_by.generator.generate(
                    X, seed=seed, n_jobs=jobs, progress=stages.step
                )
            stages.start("Combining")
            found = side_by_side(
                ensemble,
                k,
                names,
                X=X,
                truth=_known(table),
                random_state=seed,
                progress=stages.step,
            )
    if output is not None:
        _files.write_columns(output, _table_columns(found))
    if answers is not None:
        _files.write_columns(answers, _answer_columns(table, found))
    seconds = time.perf_counter() - start
    if as_json:
        _console.write_json(_document(table, ensemble, found, k, seed, seconds, warned))
        return
    _console.show_warnings(warned)
    _print(table, ensemble, found, seconds, _console.out())


def _known(table: Table) -> Any:
    """Return the known classes; all samples must have one."""
    if table.truth is None:
        return None
    unknown = sum(v is None or v != v for v in table.truth.tolist())
    if unknown:
        raise ValueError(
            f"compare expects a class for every sample, but {unknown} in the column "
            f"{table.truth_name!r} have none. Leave these samples out."
        )
    return table.truth


def _order(found: Comparison) -> list[int]:
    """Return the methods from the best on, by NMI with the truth or the members."""
    by = found.scores.get("nmi", found.scores["agreement"])
    return sorted(range(len(found.methods)), key=lambda m: -by[m])


def _table_columns(found: Comparison) -> dict[str, Any]:
    import numpy as np

    rows = found.records()
    ranks = {f"rank_{name}": places for name, places in found.ranks.items()}
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    return {**columns, **ranks}


def _answer_columns(table: Table, found: Comparison) -> dict[str, Any]:
    answers = {name: found.results[name].labels for name in found.methods}
    if table.index is None or table.index_name is None:
        return answers
    return {table.index_name: table.index, **answers}


def _document(
    table: Table,
    ensemble: Any,
    found: Comparison,
    k: int,
    seed: int,
    seconds: float,
    warned: list[str],
) -> dict[str, Any]:
    return {
        "command": "compare",
        "version": __version__,
        "input": str(table.path),
        "n_samples": ensemble.n_samples,
        "n_members": ensemble.n_members,
        "n_clusters": k,
        "seed": seed,
        "methods": found.records(),
        "ranks": dict(found.ranks),
        "similarity": found.similarity,
        "failed": dict(found.failed),
        "seconds": round(seconds, 3),
        "warnings": warned,
    }


def _print(
    table: Table, ensemble: Any, found: Comparison, seconds: float, console: Console
) -> None:
    from rich.markup import escape

    console.print(_grid(found, ensemble.n_members))
    for name, reason in found.failed.items():
        console.print(f"[yellow]{name}[/yellow] [dim]{escape(reason)}[/dim]")
    console.print(f"[dim]{_legend(found)}[/dim]", soft_wrap=True)
    best = found.methods[int(found.scores["agreement"].argmax())]
    told = f"{table.path}: {ensemble.n_samples:,} samples, {seconds:.1f} s. "
    told += f"Closest to the members: {best}"
    if table.truth is not None:
        told += " (known classes have no say in that)"
    console.print(f"{escape(told)}.", soft_wrap=True)


def _legend(found: Comparison) -> str:
    parts = ["members: mean NMI with the members", "others: with the other answers"]
    if "silhouette" in found.scores:
        parts.append("VRC: variance ratio")
    if "nmi" in found.scores:
        parts.append("NMI, ARI, ACC: with the known classes")
    return "; ".join(parts) + ". Larger is better; the best are bold."


def _grid(found: Comparison, n_members: int) -> Any:
    from rich import box
    from rich.table import Table as Grid

    n = len(found.methods)
    title = f"{n} methods on the same {n_members} members"
    grid = Grid(box=box.SIMPLE_HEAD, title=title, title_style="bold", pad_edge=False)
    grid.add_column("method", no_wrap=True)
    heads = [_HEADS[name] for name in found.scores]
    for head in ("clusters", *heads, "others", "mean rank", "seconds"):
        grid.add_column(head, justify="right", no_wrap=True)
    scored = [s for s in found.scores if s in _EXTERNAL] or list(found.scores)
    rank = sum(found.ranks[name] for name in scored) / len(scored)
    others = (found.similarity.sum(axis=1) - 1) / max(1, n - 1)
    baselines = {entry.name for entry in entries("baseline")}
    for m in _order(found):
        name = found.methods[m]
        cells = [_cell(values, m) for values in found.scores.values()]
        style = "dim" if name in baselines else None
        n_found = int(found.results[name].labels.max()) + 1
        end = f"{others[m]:.3f}", f"{rank[m]:.1f}", f"{found.seconds[m]:.2f}"
        grid.add_row(name, str(n_found), *cells, *end, style=style)
    return grid


def _cell(values: Any, m: int) -> str:
    text = _number(values[m])
    return f"[bold green]{text}[/bold green]" if text == _number(values.max()) else text


def _number(value: float) -> str:
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.0f}"
