"""Progress of long computations: a bar, or lines where there is no room for one."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from coterie._html import Markup, escaped, tag
from coterie._typing import Progress

Tell = Callable[[int, int], None]

_REFRESH = 0.1  # seconds between two states of a bar in a notebook
_STEP = 0.1  # share of the work between two lines
_QUICKEST, _SLOWEST = 1.0, 30.0  # seconds between two lines


@contextmanager
def progress_hook(progress: Progress, description: str) -> Iterator[Tell]:
    """Yield a function to call with (done, total) as the work proceeds.

    ``progress`` is None or False (silent), True (a bar with this description, or lines
    on stderr where it is no terminal) or the caller's own function of (done, total).
    """
    if progress is None or progress is False:
        yield lambda done, total: None
    elif progress is True:
        with _shown(description) as tell:
            yield tell
    elif callable(progress):
        yield progress
    else:
        raise TypeError(
            "progress must be None, True or a function of (done, total), got "
            f"{progress!r}."
        )


def _shown(description: str) -> AbstractContextManager[Tell]:
    """Return the display that suits where we are."""
    from rich.console import Console

    console = Console(stderr=True)
    if console.is_jupyter:
        return _notebook_bar(description)
    if console.is_terminal and not console.is_dumb_terminal:
        return _terminal_bar(description, console)
    return _lines(description)


@contextmanager
def _terminal_bar(description: str, console: object) -> Iterator[Tell]:
    from rich.progress import Progress as Bar

    with Bar(console=console, transient=True) as bar:  # pyright: ignore
        task = bar.add_task(description, total=None)
        yield lambda done, total: bar.update(task, completed=done, total=total)


@contextmanager
def _notebook_bar(description: str) -> Iterator[Tell]:
    """Show a bar by updating one output, which needs no widgets.

    rich and tqdm need ipywidgets for that, and their bars are lost when a notebook is
    saved or exported.
    """
    from IPython.display import display  # pyright: ignore[reportMissingImports]

    state = State(description)
    handle = display(state.bundle(), raw=True, display_id=True)
    shown_at = state.start

    def tell(done: int, total: int) -> None:
        nonlocal shown_at
        state.done, state.total = done, total
        now = time.monotonic()
        if now - shown_at >= _REFRESH:
            shown_at = now
            handle.update(state.bundle(), raw=True)

    try:
        yield tell
    finally:
        handle.update(state.bundle(ended=True), raw=True)


@contextmanager
def _lines(description: str) -> Iterator[Tell]:
    """Write a line for each tenth of the work, and one every 30 seconds.

    Tenths that take less than a second are skipped. After five minutes, the next line
    comes when the time has grown by a tenth, so that a day makes some 70 lines, not
    3,000. The end is always told.
    """
    state = State(description)
    told_at, told = state.start, 0.0

    def tell(done: int, total: int) -> None:
        nonlocal told_at, told
        state.done, state.total = done, total
        now = time.monotonic()
        since = now - told_at
        grown = state.share - told >= _STEP and since >= _QUICKEST
        long_ago = since >= max(_SLOWEST, _STEP * (now - state.start))
        if done < total and (grown or long_ago):
            told_at, told = now, state.share
            _write(state.words())

    yield tell
    _write(state.words(ended=True))


def _write(text: str) -> None:
    if sys.stderr is not None:  # as under pythonw
        sys.stderr.write(f"{text}\n")
        sys.stderr.flush()


class State:
    """How far the work has come, in words and as HTML."""

    def __init__(self, description: str) -> None:
        self.description = description
        self.start = time.monotonic()
        self.done, self.total = 0, 0

    @property
    def share(self) -> float:
        """The share of the work that is done."""
        return self.done / self.total if self.total else 0.0

    def words(self, *, ended: bool = False) -> str:
        """Return one line, such as ``Members: 27 of 272, 3 s, about 30 s left``."""
        took = time.monotonic() - self.start
        text = f"{self.description}: "
        if self.total:
            text += f"{self.done:,} of {self.total:,}, "
        text += _duration(took)
        if not ended and 0 < self.done < self.total:
            left = took * (self.total - self.done) / self.done
            text += f", about {_duration(left)} left"
        return text

    def bundle(self, *, ended: bool = False) -> dict[str, str]:
        """Return the state as HTML, and as text for a console without it."""
        text = self.words(ended=ended)
        bar: Markup | str = ""
        if not (ended and self.done >= self.total):
            known = {"value": self.done, "max": self.total} if self.total else {}
            style = "width:16em;vertical-align:middle;margin-right:.7em"
            bar = tag("progress", **known, style=style)
        line = tag("div", escaped(bar, text), style="font-size:13px")
        return {"text/plain": text, "text/html": line}


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s" if seconds >= 9.95 else f"{seconds:.1f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 90 else f"{minutes / 60:.1f} h"
