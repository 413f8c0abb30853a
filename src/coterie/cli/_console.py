"""The terminal: progress, warnings, results and errors of all commands."""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TextIO

import typer

from coterie._version import __version__
from coterie.exceptions import MemberFailedError, StoreError

if TYPE_CHECKING:
    from rich.console import Console

    from coterie.cli._files import Outputs

BUG, BAD_INPUT, INTERRUPTED = 1, 2, 130
_PIPE_WIDTH = 120  # of tables written to a file or a pipe
_EXPECTED = (ValueError, TypeError, MemoryError, OSError, ImportError)
_EXPECTED += (MemberFailedError, StoreError)
_FOR_DEVELOPERS = (DeprecationWarning, PendingDeprecationWarning, FutureWarning)
_FOR_DEVELOPERS += (ImportWarning, ResourceWarning)


class Settings:
    """Options of the whole program."""

    debug: bool = False
    words: Sequence[str] = ()  # what was typed after ``coterie``


def console(stderr: bool = False) -> Console:
    """Return the console for results (standard output) or messages."""
    from rich.console import Console

    found = Console(stderr=stderr, highlight=False)
    if not found.is_terminal:
        found.width = _PIPE_WIDTH
    return found


def say(label: str, text: str, style: str) -> None:
    """Write one line to standard error: a coloured label, then the plain text."""
    from rich.text import Text

    line = Text.assemble((f"{label}:", f"bold {style}"), " ", " ".join(text.split()))
    console(stderr=True).print(line, soft_wrap=True)


def show_error(text: str) -> None:
    """Write an error as one sentence."""
    say("Error", text, "red")


def write_json(command: str, **content: Any) -> None:
    """Write one JSON document to standard output, one line per key."""
    document = {"command": command, "version": __version__, **content}
    lines = [
        f"  {json.dumps(key)}: {json.dumps(value, default=_plain)}"
        for key, value in document.items()
    ]
    with standard_output() as stream:
        stream.write("{\n" + ",\n".join(lines) + "\n}\n")


@contextmanager
def standard_output() -> Iterator[TextIO]:
    """Yield standard output for a document; errors say that it was there."""
    if sys.stdout is None:
        raise ValueError(
            "Standard output is closed, so nothing can be written there. Choose a file "
            "with -o."
        )
    try:
        yield sys.stdout
        sys.stdout.flush()
    except OSError as error:
        raise OSError(error.errno, error.strerror, "standard output") from error


def _plain(value: Any) -> Any:
    """Return NumPy arrays and numbers as Python's own, anything else as text."""
    return value.tolist() if hasattr(value, "tolist") else str(value)


def grid(title: str, heads: Iterable[str], n_left: int = 0) -> Any:
    """Return an empty table; the first ``n_left`` columns are aligned to the left."""
    from rich import box
    from rich.table import Table

    table = Table(title=title, box=box.SIMPLE_HEAD, title_style="bold", pad_edge=False)
    for j, head in enumerate(heads):
        justify = "left" if j < n_left else "right"
        table.add_column(head, justify=justify, no_wrap=True)
    return table


def print_facts(facts: Iterable[tuple[str, Any]], to: Console) -> None:
    """Write one line per fact: its name, then the plain text; skip empty ones.

    On a terminal, long lines are wrapped and indented.
    """
    from rich.table import Table
    from rich.text import Text

    shown = [(name, Text(str(text))) for name, text in facts if text]
    width = max((len(name) for name, _ in shown), default=0)
    if not to.is_terminal:
        for name, text in shown:
            to.print(Text(f"{name:>{width}}  ", "dim"), text, sep="", soft_wrap=True)
        return
    lines = Table.grid(padding=(0, 2))
    lines.add_column(style="dim", justify="right", no_wrap=True)
    lines.add_column(overflow="fold")
    for name, text in shown:
        lines.add_row(name, text)
    to.print(lines)


def guarded(command: Callable[..., None], given: Mapping[str, Any]) -> None:
    """Run a command; turn an error into one sentence and an exit code."""
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
            console(stderr=True).print_exception()
        if not isinstance(error, _EXPECTED):
            show_error(
                f"{type(error).__name__}: {error}. This is a bug in coterie; run "
                "`coterie --debug ...` for the traceback."
            )
            raise typer.Exit(BUG) from None
        text = str(error) or f"{type(error).__name__}."
        if isinstance(error, OSError) and error.strerror and error.filename:
            text = f"{error.filename}: {error.strerror}."
        show_error(text)
        raise typer.Exit(BAD_INPUT) from None


class Work:
    """A run of a command: its progress bar, its warnings and its time."""

    def __init__(self, bar: Any) -> None:
        self._bar, self._task = bar, None
        self._start = time.perf_counter()
        self.warnings: list[str] = []
        self.seconds = 0.0

    def start(self, stage: str) -> None:
        """Name the stage; its length is not known yet."""
        if self._bar is not None:
            if self._task is not None:  # a task cannot forget its total
                self._bar.remove_task(self._task)
            self._task = self._bar.add_task(stage, total=None)

    def step(self, done: int, total: int) -> None:
        """Show how far the stage has come."""
        if self._bar is not None:
            self._bar.update(self._task, completed=done, total=total)

    def follow(self, *stages: str) -> Callable[[int, int], None]:
        """Return a progress function that starts each stage when the last is done."""
        names = iter(stages)
        self.start(next(names))

        def step(done: int, total: int) -> None:
            self.step(done, total)
            if done == total:
                self.start(next(names, stages[-1]))

        return step

    def end(self, caught: list[warnings.WarningMessage]) -> None:
        """Keep the time and the warnings meant for users, each once."""
        self.seconds = round(time.perf_counter() - self._start, 3)
        kept = [w for w in caught if not issubclass(w.category, _FOR_DEVELOPERS)]
        for text, n in Counter(" ".join(str(w.message).split()) for w in kept).items():
            self.warnings.append(text if n == 1 else f"{text} ({n} times)")

    def tell(
        self,
        command: str,
        files: Outputs,
        document: Mapping[str, Any],
        show: Callable[[Console], None],
    ) -> None:
        """Write the JSON document, or the warnings and the summary."""
        if files.as_json:
            done = {"seconds": self.seconds, "warnings": self.warnings}
            write_json(command, **document, **done)
            return
        for text in self.warnings:
            say("Warning", text, "yellow")
        if not files.quiet:
            show(console(stderr=files.to_stdout))  # a file may go to standard output


@contextmanager
def work(files: Outputs) -> Iterator[Work]:
    """Time what is done inside, collect its warnings and show its progress.

    The bar is transient, and there is none unless standard error is a terminal.
    """
    messages = console(stderr=True)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if files.quiet or files.as_json or not messages.is_terminal:
            yield (done := Work(None))
        else:
            from rich import progress as rich

            class Count(rich.MofNCompleteColumn):
                def render(self, task: Any) -> Any:
                    return "" if task.total is None else super().render(task)

            columns = (
                rich.SpinnerColumn(),
                rich.TextColumn("{task.description}"),
                rich.BarColumn(),
                Count(),
                rich.TimeElapsedColumn(),
            )
            with rich.Progress(*columns, console=messages, transient=True) as bar:
                yield (done := Work(bar))
    done.end(caught)
