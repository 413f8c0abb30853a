"""The command line: ``coterie cluster``, ``combine``, ``segment`` and so on.

Modules here import NumPy, scikit-learn and the rest of coterie inside the commands to
keep ``coterie --help`` fast.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from coterie._version import __version__
from coterie.cli import _console
from coterie.cli._choose_k import choose_k
from coterie.cli._cluster import cluster
from coterie.cli._combine import combine
from coterie.cli._communities import communities
from coterie.cli._compare import compare
from coterie.cli._demo import demo
from coterie.cli._methods import methods
from coterie.cli._segment import segment
from coterie.cli._warm_up import warm_up

__all__ = ["app", "main"]

app = typer.Typer(
    name="coterie",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    context_settings={"help_option_names": ["-h", "--help"]},
)
_COMMANDS = {
    "Start here": (cluster, choose_k, combine, methods, demo),
    "More": (compare, segment, communities, warm_up),
}
for _heading, _group in _COMMANDS.items():
    for _command in _group:
        app.command(rich_help_panel=_heading)(_command)


def _version(asked: bool) -> None:
    if asked:
        typer.echo(f"coterie {__version__}")
        raise typer.Exit()


@app.callback()
def _program(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_version, is_eager=True, help="Show the version."
        ),
    ] = False,
    debug: Annotated[
        bool,
        typer.Option("--debug", help="Show the traceback of an error."),
    ] = False,
) -> None:
    """Ensemble clustering: many clusterings of one data set, combined into one.

    Example: [bold]coterie cluster data.csv -k 10 -o labels.csv[/bold]

    Not sure? [bold]coterie methods --for data.csv[/bold] says what to use, and why.
    """
    _console.Settings.debug = debug


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Parameters
    ----------
    args : sequence of str, optional
        Words after ``coterie``; None = those of this process.
    """
    for stream in (sys.stdout, sys.stderr):  # names that the terminal cannot show
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    words = sys.argv[1:] if args is None else list(args)
    _console.Settings.words = words
    try:
        code = app(args=words, prog_name="coterie", standalone_mode=False)
    except typer.Abort:  # Ctrl-C outside a command
        code = _console.INTERRUPTED
    except Exception as error:
        # typer's usage errors; their classes moved between versions
        if not hasattr(error, "format_message"):
            raise
        code = _usage_error(error)
    sys.exit(code if isinstance(code, int) else 0)


def _usage_error(error: Exception) -> int:
    """Report a wrong option or argument as one sentence."""
    if type(error).__name__ == "NoArgsIsHelpError":  # it has shown the help
        typer.echo(error.format_message(), err=True)  # type: ignore[attr-defined]
        return _console.BAD_INPUT
    text = error.format_message()  # type: ignore[attr-defined]
    context = getattr(error, "ctx", None)
    path = getattr(context, "command_path", "coterie")
    end = "" if text.endswith((".", "?")) else "."
    _console.show_error(f"{text}{end} See `{path} --help`.")
    return _console.BAD_INPUT
