"""Options that more than one command has, said once, and how their words are read."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated, Optional

import typer

# older typer reads no unions in Annotated
MaybeText = Optional[str]  # noqa: UP045
MaybePath = Optional[Path]  # noqa: UP045
MaybeInt = Optional[int]  # noqa: UP045
_COLUMN = "a name, or a number (1 is the first, -1 the last)"
_reading = partial(typer.Option, rich_help_panel="Reading the file")
work = partial(typer.Option, rich_help_panel="Long work")
parts = partial(typer.Option, rich_help_panel="Parts (see: coterie methods)")
output = partial(typer.Option, rich_help_panel="Output", readable=False)

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        readable=False,
        help="Samples in rows, numbers in columns: CSV, TSV, Parquet, NPY, NPZ or MAT.",
    ),
]
NClusters = Annotated[
    int,
    typer.Option("-k", "--n-clusters", min=1, metavar="K", help="Clusters to find."),
]
MaybeClusters = Annotated[
    MaybeInt,
    typer.Option(
        "-k",
        "--n-clusters",
        min=1,
        metavar="K",
        help="Clusters to find. \\[default: chosen, see `coterie choose-k`]",
    ),
]
Truth = Annotated[
    MaybeText,
    _reading(
        metavar="COLUMN",
        help=f"Column of known classes, to score the result against: {_COLUMN}; in NPZ "
        "and MAT files also the name of an array.",
    ),
]
Variable = Annotated[
    MaybeText,
    _reading(
        metavar="NAME", help="Matrix to use of an NPZ or MAT file that holds several."
    ),
]
Drop = Annotated[
    list[str],
    _reading(
        metavar="COLUMN", help=f"Column to leave out: {_COLUMN}. May be repeated."
    ),
]
Index = Annotated[
    str,
    _reading(
        metavar="COLUMN",
        help=f"Column with the names of the samples: {_COLUMN}; 'none'; or 'auto' to "
        "look for one.",
    ),
]
Header = Annotated[
    Optional[bool],  # noqa: UP045
    _reading(
        "--header/--no-header",
        help="Whether the first row of a CSV or TSV file holds names. "
        "\\[default: auto-detect]",
    ),
]
Decimal = Annotated[
    str,
    _reading(metavar="CHARACTER", help="Decimal point of a CSV or TSV file."),
]
Na = Annotated[
    list[str],
    _reading(
        metavar="WORD",
        help="Another word for a missing value, beside NA and the like. May be "
        "repeated.",
    ),
]
Output = Annotated[
    MaybePath,
    output(
        "-o",
        "--output",
        metavar="FILE",
        help="Where to write index, label, confidence, second-best cluster and margin: "
        ".csv, .tsv, .parquet, .npz, .mat, .npy (labels alone), or - for CSV on "
        "standard output.",
    ),
]
Report = Annotated[
    MaybePath,
    output(
        metavar="FILE.html",
        help="Write a report to look at in a browser: one file, opens offline.",
    ),
]
Json = Annotated[
    bool, output("--json", help="Write one JSON document to standard output.")
]
Quiet = Annotated[bool, output("--quiet", "-q", help="No progress, no summary.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same labels.")]
Jobs = Annotated[int, typer.Option(help="Work done side by side; -1 = all cores.")]
Standardize = Annotated[
    bool,
    typer.Option(
        "--standardize", help="Scale each column to mean 0 and deviation 1 first."
    ),
]
Generator = Annotated[
    MaybeText, parts(help="What makes the members. \\[default: kmeans]")
]
Consensus = Annotated[
    str,
    parts(
        "--consensus",
        "--method",
        help="How the members are combined: a name that 'coterie methods' lists, or "
        "one of the system's own forms. 'auto' is the system's default, or lwea for up "
        "to 20,000 samples and lwgp beyond.",
    ),
]
Weighter = Annotated[
    str,
    parts(
        "--weighter",
        "--weights",
        help="How members and clusters count: a name, 'none', or 'auto' for what the "
        "method's own paper uses.",
    ),
]
MemberClusters = Annotated[
    MaybeText,
    parts(
        metavar="LOW:HIGH",
        help="Clusters of each member: a number, or a range from which each draws. "
        "\\[default: 2 to the square root of the samples]",
    ),
]
Settings = Annotated[
    list[str],
    parts(
        "--set",
        metavar="NAME=VALUE",
        help="Set a parameter of the system, or of a named part: generator.NAME=VALUE, "
        "weighter.NAME=VALUE, consensus.NAME=VALUE. 'coterie methods' followed by a "
        "name lists its parameters. May be repeated.",
    ),
]
MoreSettings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set another parameter, as Python's function of this name has it; an "
        "unknown name lists them. May be repeated.",
    ),
]


def parse_span(
    text: str | None, option: str = "--member-clusters"
) -> int | tuple[int, int] | None:
    """Return ``LOW:HIGH`` as a pair, a number as a number, None as None."""
    if text is None:
        return None
    try:
        numbers = [int(part) for part in text.split(":")]
    except ValueError:
        numbers = []
    if len(numbers) == 1 and numbers[0] >= 1:
        return numbers[0]
    if len(numbers) == 2 and 1 <= numbers[0] <= numbers[1]:
        return numbers[0], numbers[1]
    raise ValueError(
        f"{option} expects a number or a range LOW:HIGH such as 5:20, got {text}."
    )


def parse_bytes(text: str | None) -> int | None:
    """Return a size such as 8GB, 500MB or 2e9 in bytes."""
    if text is None:
        return None
    units = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "b": 1.0}
    said = text.strip().lower()
    unit = next((u for u in units if said.endswith(u)), "")
    try:
        n_bytes = float(said.removesuffix(unit)) * units.get(unit, 1.0)
    except ValueError:
        n_bytes = 0.0
    if not 1 <= n_bytes < float("inf"):
        raise ValueError(
            f"--memory-limit expects a size such as 8GB or 500MB, got {text}."
        )
    return int(n_bytes)
