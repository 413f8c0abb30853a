"""`coterie choose-k`: how many clusters a file holds, if any."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from coterie._version import __version__
from coterie.cli import _console, _files, _options
from coterie.cli._cluster import parse_span, standardized

if TYPE_CHECKING:
    from coterie.choice import KChoice

_TEST = "Test"
_HEADS = {
    "pac": "PAC",
    "delta_area": "delta area",
    "member_nmi": "member NMI",
}


@_console.guarded
def choose_k(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            readable=False,
            help="Samples in rows, numbers in columns: CSV, TSV, Parquet, NPY, NPZ or "
            "MAT.",
            show_default=False,
        ),
    ],
    k_range: Annotated[
        str,
        typer.Option(
            "-k",
            "--k-range",
            metavar="LOW:HIGH",
            help="Numbers of clusters to compare; one is always considered.",
        ),
    ] = "2:10",
    null: Annotated[
        str,
        typer.Option(
            help="Data without clusters to compare with: independent, unimodal, "
            "gaussian or permuted.",
            rich_help_panel=_TEST,
        ),
    ] = "independent",
    statistic: Annotated[
        str,
        typer.Option(
            help="What is compared: separation, pac, stability or dispersion.",
            rich_help_panel=_TEST,
        ),
    ] = "separation",
    n_null: Annotated[
        int,
        typer.Option(min=1, help="How many such data to draw.", rich_help_panel=_TEST),
    ] = 59,
    alpha: Annotated[
        float,
        typer.Option(
            help="Share of data without clusters for which clusters may be claimed.",
            rich_help_panel=_TEST,
        ),
    ] = 0.05,
    max_samples: Annotated[
        int, typer.Option(min=4, help="Of more samples, so many are drawn.")
    ] = 500,
    standardize: Annotated[
        bool,
        typer.Option(
            "--standardize", help="Scale each column to mean 0 and deviation 1 first."
        ),
    ] = False,
    seed: _options.Seed = 0,
    jobs: Annotated[
        int, typer.Option(help="Data worked on side by side; -1 = all cores.")
    ] = -1,
    header: _options.Header = None,
    index: _options.Index = "auto",
    truth: _options.Truth = None,
    drop: _options.Drop = [],  # noqa: B006 - typer copies it
    variable: _options.Variable = None,
    output: _options.Curves = None,
    as_json: _options.Json = False,
    quiet: _options.Quiet = False,
) -> None:
    """Say how many clusters there are, and how sure that is.

    Compares the data with data that have no clusters, then lets several criteria vote.
    The answer may be one: no clusters.

    Example: [bold]coterie choose-k iris.csv --drop species[/bold]
    """
    from coterie.cli import _summary

    start = time.perf_counter()
    low, high = _ends(k_range)
    _summary.check_outputs(data, output, None, as_json, quiet)
    with _console.stages(not (quiet or as_json)) as stages:
        stages.start("Reading")
        from coterie import choice as choosing
        from coterie.cli._columns import Columns
        from coterie.cli._tables import read_data

        table = read_data(data, Columns(header, index, truth, tuple(drop), variable))
        with _console.collected_warnings() as warned:
            stages.start("Comparing with data without clusters")
            choice = choosing.choose_k(
                None,
                standardized(table) if standardize else table.values,
                range(low, high + 1),
                null=null,
                statistic=statistic,
                n_null=n_null,
                alpha=alpha,
                max_samples=max_samples,
                random_state=seed,
                n_jobs=jobs,
                progress=stages.step,
            )
    seconds = time.perf_counter() - start
    columns = choice.columns()
    if output == _files.STDOUT:
        sys.stdout.write(_files.delimited(columns))
    elif output is not None:
        _files.write_columns(output, columns)
    if as_json:
        _console.write_json(
            {
                "command": "choose-k",
                "version": __version__,
                "input": {
                    "path": str(table.path),
                    "n_samples": table.values.shape[0],
                    "n_columns": len(table.names),
                },
                **choice.to_dict(),
                "standardize": standardize,
                "seed": seed,
                "seconds": round(seconds, 3),
                "output": None if output is None else str(output),
                "warnings": warned,
            }
        )
        return
    _console.show_warnings(warned)
    if not quiet:
        console = _console.err() if output == _files.STDOUT else _console.out()
        _print(choice, table, seconds, output, console)


def _ends(text: str) -> tuple[int, int]:
    span = parse_span(text, "--k-range")
    assert span is not None
    low, high = (span, span) if isinstance(span, int) else span
    if low < 2:
        raise ValueError(
            f"--k-range expects numbers of at least 2, such as 2:10, got {text}. One "
            "cluster is always considered."
        )
    return low, high


def _print(
    choice: KChoice, table: Any, seconds: float, output: Path | None, console: Any
) -> None:
    from rich.markup import escape

    if choice.k_values.size:
        console.print(grid(choice))
    facts = [
        ("answer", choice.sentence),
        ("input", f"{table.path} ({_used(choice)})"),
    ]
    if table.truth is not None:
        classes = {value for value in table.truth.tolist() if value is not None}
        facts.append(("truth", f"{len(classes)} classes in {table.truth_name}"))
    facts.append(("time", f"{seconds:.1f} s"))
    if output is not None and output != _files.STDOUT:
        facts.append(("table", f"written to {output}"))
    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        console.print(f"[dim]{name:>{width}}[/dim]  {escape(text)}", soft_wrap=True)


def _used(choice: KChoice) -> str:
    n, used = choice.settings["n_samples"], choice.samples.size
    text = f"{n:,} samples" if used == n else f"{used:,} of {n:,} samples"
    if "n_components" in choice.settings:
        text += f", {choice.settings['n_components']} principal components"
    return text


def grid(choice: KChoice) -> Any:
    """Return the table of all criteria by k; the vote of each is marked."""
    from rich import box
    from rich.table import Table as Grid

    k = choice.n_clusters
    title = f"{k} clusters" if k > 1 else "No clusters"
    table = Grid(title=title, box=box.SIMPLE_HEAD, title_style="bold", pad_edge=False)
    for name in ("k", "p", *choice.curves, "votes"):
        table.add_column(_HEADS.get(name, name), justify="right")
    for i, at in enumerate(choice.k_values.tolist()):
        cells = []
        for name, curve in choice.curves.items():
            text = f"{curve[i]:.3f}"
            voted = choice.votes.get(name) == at
            cells.append(f"[bold green]{text}*[/bold green]" if voted else f"{text} ")
        count = sum(vote == at for vote in choice.votes.values())
        style = "bold" if at == k else None
        table.add_row(
            str(at), f"{choice.p_values[i]:.3f}", *cells, str(count), style=style
        )
    return table
