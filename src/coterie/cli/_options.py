"""Options of commands: those that several have, groups of them, and how they are read.

A group is a dataclass whose fields are options; a command that takes one has them all.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import MISSING, fields, is_dataclass
from pathlib import Path
from typing import Annotated, Any, Optional, get_type_hints

import typer

from coterie.cli import _console

# older typer reads no unions in Annotated
MaybeText = Optional[str]  # noqa: UP045
MaybePath = Optional[Path]  # noqa: UP045
MaybeInt = Optional[int]  # noqa: UP045
MaybeBool = Optional[bool]  # noqa: UP045
reading = functools.partial(typer.Option, rich_help_panel="Reading the file")
work = functools.partial(typer.Option, rich_help_panel="Long work")
parts = functools.partial(typer.Option, rich_help_panel="Parts (see: coterie methods)")
output = functools.partial(typer.Option, rich_help_panel="Output", readable=False)

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
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same labels.")]
Jobs = Annotated[int, typer.Option(help="Work done side by side; -1 = all cores.")]
Standardize = Annotated[
    bool,
    typer.Option(
        "--standardize", help="Scale each column to mean 0 and deviation 1 first."
    ),
]
Json = Annotated[
    bool, output("--json", help="Write one JSON document to standard output.")
]
Settings = Annotated[
    list[str],
    typer.Option(
        "--set",
        metavar="NAME=VALUE",
        help="Set another parameter, as Python's function of this name has it; an "
        "unknown name lists them. May be repeated.",
    ),
]


def command(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a command with the options of its groups, whose errors are sentences."""
    hints = get_type_hints(function, include_extras=True)
    groups = {name: hint for name, hint in hints.items() if is_dataclass(hint)}
    options: dict[str, inspect.Parameter] = {}
    for one in inspect.signature(function).parameters.values():
        if one.name not in groups:
            options[one.name] = one.replace(annotation=hints[one.name])
            continue
        kinds = get_type_hints(groups[one.name], include_extras=True)
        for item in fields(groups[one.name]):
            made = item.default_factory
            default = item.default if made is MISSING else made()
            options[item.name] = inspect.Parameter(
                item.name,
                one.KEYWORD_ONLY,
                default=default,
                annotation=kinds[item.name],
            )

    @functools.wraps(function)
    def run(**given: Any) -> None:
        for name, group in groups.items():
            own = {item.name: given.pop(item.name) for item in fields(group)}
            given[name] = group(**own)
        _console.guarded(function, given)

    keyword = inspect.Parameter.KEYWORD_ONLY
    signature = [one.replace(kind=keyword) for one in options.values()]
    run.__signature__ = inspect.Signature(signature)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in signature}
    return run


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
