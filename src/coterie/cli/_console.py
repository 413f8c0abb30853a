"""What all commands share before the terminal: errors, warnings, progress."""

from __future__ import annotations

import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import typer

from coterie._version import __version__
from coterie.exceptions import MemberFailedError, StoreError

if TYPE_CHECKING:
    from rich.console import Console

BAD_INPUT = 2
BUG = 1
INTERRUPTED = 130
_PIPE_WIDTH = 120  # of tables that go to a file or a pipe
_EXPECTED = (ValueError, TypeError, MemoryError, OSError, ImportError)
_EXPECTED += (MemberFailedError, StoreError)
_FOR_DEVELOPERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
_FOR_DEVELOPERS += (ImportWarning, ResourceWarning)


class Settings:
    """Options of the whole program."""

    debug: bool = False
    words: Sequence[str] = ()  # what was typed after ``coterie``


def out() -> Console:
    """Return the console of results (standard output)."""
    return _console(stderr=False)


def err() -> Console:
    """Return the console of messages (standard error)."""
    return _console(stderr=True)


def _console(stderr: bool) -> Console:
    from rich.console import Console

    console = Console(stderr=stderr, highlight=False)
    if not console.is_terminal:
        console.width = _PIPE_WIDTH
    return console


def _say(label: str, text: str, style: str) -> None:
    """Write one line to standard error: a coloured label, then the text as it is."""
    from rich.text import Text

    line = Text.assemble((f"{label}:", f"bold {style}"), " ", " ".join(text.split()))
    err().print(line, soft_wrap=True)


def show_error(text: str) -> None:
    """Write the one sentence of an error."""
    _say("Error", text, "red")


def show_warnings(texts: list[str]) -> None:
    """Write each warning on a line of its own."""
    for text in texts:
        _say("Warning", text, "yellow")


def write_json(command: str, **content: Any) -> None:
    """Write one JSON document to standard output, a line for each of its keys."""
    document = {"command": command, "version": __version__, **content}
    lines = [
        f"  {json.dumps(key)}: {json.dumps(value, default=_plain)}"
        for key, value in document.items()
    ]
    sys.stdout.write("{\n" + ",\n".join(lines) + "\n}\n")


def _plain(value: Any) -> Any:
    """Return an array or a number of NumPy as Python's own."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def grid(title: str, *heads: str) -> Any:
    """Return an empty table, its columns set flush right."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_style="bold", pad_edge=False)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    return table


def print_facts(facts: Sequence[tuple[str, str]], console: Console) -> None:
    """Write a line for each fact: its name, then the text as it is."""
    from rich.markup import escape

    width = max(len(name) for name, _ in facts)
    for name, text in facts:
        console.print(f"[dim]{name:>{width}}[/dim]  {escape(text)}", soft_wrap=True)


def guarded(command: Callable[..., None], given: Mapping[str, Any]) -> None:
    """Run a command; its errors become one sentence and an exit code."""
    try:
        command(**given)
    except KeyboardInterrupt:
        show_error("Interrupted; nothing more was written.")
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:  # `coterie methods | head`: the reader has gone
        raise typer.Exit(BUG) from None
    except Exception as error:
        if isinstance(error, typer.Exit) or hasattr(error, "format_message"):
            raise  # typer's own
        if Settings.debug:
            err().print_exception()
        if not isinstance(error, _EXPECTED):
            show_error(
                f"{type(error).__name__}: {error}. This is a bug in coterie; run "
                "`coterie --debug ...` for the traceback."
            )
            raise typer.Exit(BUG) from None
        show_error(sentence(error))
        raise typer.Exit(BAD_INPUT) from None


def sentence(error: BaseException) -> str:
    """Return what an error says, as one line."""
    if isinstance(error, OSError) and error.strerror and error.filename:
        return f"{error.filename}: {error.strerror}."
    return " ".join(str(error).split()) or f"{type(error).__name__}."


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect what is warned of inside; the list is filled when the block ends."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        yield texts
    kept = [w for w in caught if not issubclass(w.category, _FOR_DEVELOPERS)]
    for text, n in Counter(" ".join(str(w.message).split()) for w in kept).items():
        texts.append(text if n == 1 else f"{text} ({n} times)")


class Stages:
    """The progress bar of a command, one line that names the stage."""

    def __init__(self, bar: Any, task: Any) -> None:
        self._bar = bar
        self._task = task

    def start(self, what: str) -> None:
        """Name the stage; its length is not known yet."""
        if self._bar is not None:
            # A new task: a bar cannot forget its total.
            self._bar.remove_task(self._task)
            self._task = self._bar.add_task(what, total=None)

    def step(self, done: int, total: int) -> None:
        """Show how far the stage has come."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)

    def follow(self, *stages: str) -> Callable[[int, int], None]:
        """Return a progress function of stages, each beginning where one is done."""
        names = iter(stages)
        self.start(next(names))

        def step(done: int, total: int) -> None:
            self.step(done, total)
            if done == total:
                self.start(next(names, stages[-1]))

        return step


@contextmanager
def stages(show: bool) -> Iterator[Stages]:
    """Show a transient bar on standard error if it is a terminal and ``show``."""
    console = err()
    if not show or not console.is_terminal:
        yield Stages(None, None)
        return
    from rich import progress as rich

    columns = (
        rich.SpinnerColumn(),
        rich.TextColumn("{task.description}"),
        rich.BarColumn(),
        rich.MofNCompleteColumn(),
        rich.TimeElapsedColumn(),
    )
    with rich.Progress(*columns, console=console, transient=True) as bar:
        yield Stages(bar, bar.add_task("Starting", total=None))
