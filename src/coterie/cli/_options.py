"""Commands from functions: signatures and docstrings define the options.

A parameter's line in the docstring may give the spelling of the option and the name of
its value (``k : -k, --n-clusters K``); the text below is the help. A parameter whose
type is a dataclass is a group of options, one for each field; if the group has a set
``shown``, ``--help`` shows only these, and ``--help-all`` the others below headings.
``--set NAME=VALUE`` reaches the parameters that have no option.
"""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
import math
import re
import types
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from typing import Annotated, Any, Optional, get_args, get_origin, get_type_hints

import typer

from coterie.cli import _console

# parameters with an option of their own
_OPTIONS = {"n_clusters": "-k", "random_state": "--seed", "n_jobs": "--jobs"}
_HIDDEN = {*_OPTIONS, "progress", "X", "k_range", "graph", "image", "n_communities"}
_HIDDEN |= {"n_segments", "estimator"}
_LEAST = {"seed": 0, "skip": 0, "jobs": None}  # smallest value, if not one
_SHARED = """
data : DATA
    Samples in rows, numbers in columns: CSV, TSV, Excel, Parquet, Feather, NPY, NPZ or
    MAT.
k : -k, --n-clusters K
    Clusters to find.
seed : N
    Seed of the random numbers.
jobs : N
    Cores to use; -1 = all.
header : --header/--no-header
    Whether the first row of a CSV or TSV file holds names. [default: auto-detect]
settings : --set NAME=VALUE
    Set another parameter of the Python function of this name; an unknown NAME lists
    them all. May be repeated.
member_clusters : LOW:HIGH
    Clusters per member: a number, or a range to draw from. [default: 2 to the square
    root of the number of samples, in most systems]
consensus : --consensus, --method NAME
    How to combine the members: a name from 'coterie methods'. 'auto' is lwea for up to
    20,000 samples and lwgp beyond.
weighter : --weighter, --weights NAME
    How to weight members and clusters: a name, 'none', or 'auto' for the choice of the
    consensus function's own paper.
output : -o, --output FILE
    Write the result: .csv, .tsv, .parquet, .npz, .mat, .npy, or - for the terminal.
as_json : --json
    Print one JSON document.
quiet : --quiet, -q
    Show no progress and no summary.
"""


def command(function: Callable[..., None]) -> Callable[..., None]:
    """Return a command for typer that reports errors as sentences."""
    hints: dict[str, Any] = get_type_hints(function)
    groups = {name: hints[name] for name in hints if is_dataclass(hints[name])}
    found = list(_options(function, groups))

    @functools.wraps(function)
    def run(**given: Any) -> None:
        given.pop(_HELP_ALL.name, None)
        for name, group in groups.items():
            own = inspect.signature(group).parameters
            given[name] = group(**{one: given.pop(one) for one in own})
        _console.guarded(function, given)

    if any(one.annotation.__metadata__[0].hidden for one in found):
        found.append(_HELP_ALL)
    run.__signature__ = inspect.Signature(found)  # type: ignore[attr-defined]
    run.__annotations__ = {one.name: one.annotation for one in found}
    run.__doc__ = _unwrapped(_sections(function)[0])
    return run


def _show_all(context: typer.Context, asked: bool) -> None:
    """Show the help of a command with all its options."""
    if asked:
        for option in context.command.params:
            option.hidden = False  # type: ignore[attr-defined]
        typer.echo(context.get_help())
        raise typer.Exit()


_HELP_ALL = inspect.Parameter(
    "help_all",
    inspect.Parameter.KEYWORD_ONLY,
    default=False,
    annotation=Annotated[
        bool,
        typer.Option(
            "--help-all", callback=_show_all, is_eager=True, help="Show all options."
        ),
    ],
)


def _options(owner: Any, groups: dict[str, Any]) -> Iterator[inspect.Parameter]:
    """Yield the options of a function or of a group."""
    hints = get_type_hints(owner)
    said = {
        name: (spelling, " ".join(text.split()).replace("[", "\\["))
        for name, spelling, text in re.findall(
            r"^(\w+)(?: : (.*))?\n((?:    .*(?:\n|$))+)",
            _SHARED + _sections(owner)[1],
            re.M,
        )
    }
    own = inspect.signature(owner).parameters.values()
    for one in own:
        if one.name in groups:
            continue
        spelling, text = said.get(one.name, ("", ""))  # -OO strips docstrings
        has_default = isinstance(one.default, str | int) and one.default is not False
        if has_default and "[default" not in text:
            text += f" \\[default: {one.default}]"
        flags = re.findall(r"--?\w[^\s,]*", spelling)
        metavar = re.sub(r"-[^\s,]*,?", "", spelling).strip() or None
        more: dict[str, Any] = {"help": text, "metavar": metavar, "readable": False}
        if hints[one.name] in (int, int | None):
            more["min"] = _LEAST.get(one.name, 1)
        more["show_default"] = False  # it is part of the text
        if not flags and (one.default is one.empty or metavar == "[NAME]"):
            kind = typer.Argument(**more)
        else:
            more["hidden"] = one.name not in getattr(owner, "shown", {one.name})
            panel = getattr(owner, "panel", None) if more["hidden"] else None
            kind = typer.Option(*flags, **more, rich_help_panel=panel)
        default = [] if get_origin(hints[one.name]) is list else one.default
        annotation = Annotated[_for_typer(hints[one.name]), kind]
        yield one.replace(kind=one.KEYWORD_ONLY, default=default, annotation=annotation)
    for one in own:
        if one.name in groups:
            yield from _options(groups[one.name], {})


def _unwrapped(text: str) -> str:
    """Return text with one line for each paragraph; the terminal wraps them."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


def _for_typer(hint: Any) -> Any:
    """Return a type as older versions of typer read it."""
    if isinstance(hint, types.UnionType):
        return Optional[get_args(hint)[0]]  # noqa: UP045
    return list[str] if get_origin(hint) is list else hint


def _sections(owner: Any) -> list[str]:
    """Return a docstring before and after the heading of its parameters."""
    doc = inspect.getdoc(owner) or ""
    return [*re.split(r"\n+(?:Parameters|Attributes)\n-+\n", doc), ""][:2]


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


def parse_effort(text: str | None) -> str | float | None:
    """Return an effort: a word, a number of seconds, None as None."""
    if text is None or text in ("quick", "normal", "thorough"):
        return text
    try:
        seconds = float(text)
    except ValueError:
        seconds = 0.0
    if 0 < seconds < math.inf:
        return seconds
    raise ValueError(
        "--effort expects quick, normal, thorough or a number of seconds such as 30, "
        f"got {text}."
    )


def parse_settings(words: Sequence[str]) -> dict[str, Any]:
    """Return ``name=value`` of each word; values are Python literals, or else text."""
    named = {"none": "None", "true": "True", "false": "False"}
    found: dict[str, Any] = {}
    for word in words:
        name, sign, text = (part.strip() for part in word.partition("="))
        if not sign or not name:
            raise ValueError(f"--set expects NAME=VALUE such as n_init=5, got {word}.")
        try:
            found[name] = ast.literal_eval(named.get(text.lower(), text))
        except (ValueError, SyntaxError):
            found[name] = text
    return found


def known_parameters(function: Callable[..., Any]) -> list[str]:
    """Return the parameters of a class or a function that ``--set`` can set."""
    names = inspect.signature(function).parameters
    return [name for name in names if name not in _HIDDEN]


def check_settings(
    settings: Mapping[str, Any], function: Callable[..., Any], who: str
) -> None:
    """Raise for unknown names, suggesting similar ones."""
    known = known_parameters(function)
    for name in settings:
        if name in _OPTIONS:
            raise ValueError(f"--set {name}: use the option {_OPTIONS[name]} instead.")
        if name not in known:
            near = difflib.get_close_matches(name, known, n=3)
            hint = f"Did you mean {' or '.join(near)}? " if near else ""
            raise ValueError(
                f"--set {name}: {who} has no such parameter. {hint}It has "
                f"{', '.join(known)}."
            )


def settings_of(
    words: Sequence[str], function: Callable[..., Any], who: str
) -> dict[str, Any]:
    """Return the settings of a function by name, or raise for unknown names."""
    settings = parse_settings(words)
    check_settings(settings, function, who)
    return settings
