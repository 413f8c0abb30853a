"""Options that more than one command has, said once."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Optional

import typer

_COLUMN = "a name, or a number (1 is the first, -1 the last)"
_READING = "Reading the file"
_OUTPUT = "Output"
_WORK = "Long work"

NClusters = Annotated[
    int,
    typer.Option("-k", "--n-clusters", min=1, metavar="K", help="Clusters to find."),
]
MaybeClusters = Annotated[
    Optional[int],  # noqa: UP045 - older typer reads no unions in Annotated
    typer.Option(
        "-k",
        "--n-clusters",
        min=1,
        metavar="K",
        help="Clusters to find. \\[default: chosen, see `coterie choose-k`]",
        show_default=False,
    ),
]
Truth = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="COLUMN",
        help=f"Column of known classes, to score the result against: {_COLUMN}; in NPZ "
        "and MAT also the name of an array.",
        rich_help_panel=_READING,
    ),
]
Variable = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="NAME",
        help="Matrix to use of an NPZ or MAT file that holds several.",
        rich_help_panel=_READING,
    ),
]
Drop = Annotated[
    list[str],
    typer.Option(
        metavar="COLUMN",
        help=f"Column to leave out: {_COLUMN}. May be given several times.",
        rich_help_panel=_READING,
    ),
]
Index = Annotated[
    str,
    typer.Option(
        metavar="COLUMN",
        help=f"Column with the names of the samples: {_COLUMN}; 'none'; or 'auto' to "
        "see whether the first looks like one.",
        rich_help_panel=_READING,
    ),
]
Header = Annotated[
    Optional[bool],  # noqa: UP045
    typer.Option(
        "--header/--no-header",
        help="Whether the first row of a CSV or TSV file holds names. "
        "\\[default: see for itself]",
        show_default=False,
        rich_help_panel=_READING,
    ),
]
Output = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        readable=False,
        help="Where to write index, label, confidence, second-best cluster and margin: "
        ".csv, .tsv, .parquet, .npz, .mat, .npy (labels alone), or - for CSV on "
        "standard output.",
        rich_help_panel=_OUTPUT,
    ),
]
Report = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        "--report",
        metavar="FILE.html",
        readable=False,
        help="Write a report to look at in a browser: one file, opens offline.",
        rich_help_panel=_OUTPUT,
    ),
]
Curves = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        "-o",
        "--output",
        metavar="FILE",
        readable=False,
        help="Where to write all criteria by k: .csv, .tsv, .parquet, .npz, or - for "
        "CSV on standard output.",
        rich_help_panel=_OUTPUT,
    ),
]
Json = Annotated[
    bool,
    typer.Option(
        "--json",
        help="Write one JSON document to standard output, for scripts.",
        rich_help_panel=_OUTPUT,
    ),
]
Quiet = Annotated[
    bool,
    typer.Option(
        "--quiet", "-q", help="No progress, no summary.", rich_help_panel=_OUTPUT
    ),
]
Seed = Annotated[
    int,
    typer.Option(min=0, help="The same seed gives the same labels."),
]
Jobs = Annotated[int, typer.Option(help="Members made side by side; -1 = all cores.")]
Standardize = Annotated[
    bool,
    typer.Option(
        "--standardize", help="Scale each column to mean 0 and deviation 1 first."
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        help="Where members are made: threads, processes, serial or dask.",
        rich_help_panel=_WORK,
    ),
]
Scheduler = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="ADDRESS",
        help="Dask scheduler to use, such as tcp://10.0.0.1:8786.",
        rich_help_panel=_WORK,
    ),
]
MemoryLimit = Annotated[
    Optional[str],  # noqa: UP045
    typer.Option(
        metavar="SIZE",
        help="Memory that the run may take, such as 8GB. "
        "\\[default: 60% of what is free]",
        show_default=False,
        rich_help_panel=_WORK,
    ),
]
Checkpoint = Annotated[
    Optional[Path],  # noqa: UP045
    typer.Option(
        metavar="FOLDER",
        readable=False,
        help="Keep each finished member there: the same command goes on after it was "
        "stopped or killed.",
        rich_help_panel=_WORK,
    ),
]
