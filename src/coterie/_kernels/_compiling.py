"""What a user is told when kernels are compiled, and when they cannot be kept."""

from __future__ import annotations

import atexit
import gc
import logging
import multiprocessing
import sys
import threading
import time
import warnings
from collections.abc import Callable
from typing import Any

from numba.core import event

_HELP = (
    "Every new process will compile them again. Set NUMBA_CACHE_DIR to a folder that "
    "can be written, with some 50 MB free."
)
_ONCE = "once for this installation"
_WIDTH = 64  # of the line that is rewritten
_LOG = logging.getLogger("coterie")
_PAUSE = 2.0  # seconds without a compilation, after which the line is ended


class Announcer(event.Listener):
    """Says that kernels are being compiled, and at the end how many and how long.

    In a terminal and in a notebook it is one line on stderr that is rewritten,
    elsewhere messages of level INFO to the logger "coterie". Kernels compile one at a
    time, as numba locks, and some while others wait for them, so only the outermost
    one of a thread counts. Meanwhile the garbage collector rests: it would look through
    millions of numba's objects again and again, a seventh of the time.

    Attributes
    ----------
    n_kernels : int
        Kernels compiled in this process.
    seconds : float
        Time that took.
    """

    def __init__(self) -> None:
        self.n_kernels, self.seconds = 0, 0.0
        self._outermost = threading.local()
        self._lock = threading.Lock()
        self._since = (0, 0.0)  # what was compiled when the line began
        self._is_open = False
        self._timer: threading.Timer | None = None
        self._n_running, self._collects = 0, False

    def on_start(self, event: Any) -> None:
        """Count a kernel that Python called."""
        if getattr(self._outermost, "event", None) is not None or not _is_ours(event):
            return
        self._outermost.event = event.data["dispatcher"], time.perf_counter()
        with self._lock:
            self.n_kernels += 1
            if self._n_running == 0:
                self._collects = gc.isenabled()
                gc.disable()
            self._n_running += 1
            self._show()

    def on_end(self, event: Any) -> None:
        """Add its time, and end the line if no other one follows soon."""
        dispatcher, start = getattr(self._outermost, "event", None) or (None, 0.0)
        if dispatcher is not event.data["dispatcher"]:
            return
        self._outermost.event = None
        with self._lock:
            self._n_running -= 1
            if self._n_running == 0 and self._collects:
                gc.enable()
            self.seconds += time.perf_counter() - start
            if self._timer is not None:
                self._timer.cancel()
            self._timer = threading.Timer(_PAUSE, self.finish)
            self._timer.daemon = True
            self._timer.start()

    def finish(self) -> None:
        """Say how many kernels were compiled since the line began, and how long."""
        with self._lock:
            if not self._is_open:
                return
            self._is_open = False
            n, seconds = self.n_kernels - self._since[0], self.seconds - self._since[1]
            self._since = self.n_kernels, self.seconds
            kernels = "kernel" if n == 1 else "kernels"
            _say(f"compiled {n} {kernels} in {seconds:.1f} s, {_ONCE}")

    def _show(self) -> None:
        if _is_terminal() and not _is_below_bar():
            n = self.n_kernels - self._since[0]
            _write(f"\rcoterie: compiling kernels, {_ONCE}: {n} ...")
        elif not self._is_open:
            _say(f"compiling kernels, {_ONCE} ...")
        self._is_open = True


def _is_ours(event: Any) -> bool:
    return event.data["dispatcher"].py_func.__module__.startswith("coterie")


def _say(text: str) -> None:
    """Write a whole line where a person reads it, or into the log."""
    if _is_terminal() and not _is_below_bar():
        _write(f"\rcoterie: {text:{_WIDTH}}\n")  # over the line that was rewritten
    elif _is_terminal() or "ipykernel" in sys.modules:
        _write(f"coterie: {text}\n")
    else:
        _LOG.info(text)


def _write(text: str) -> None:
    sys.stderr.write(text)
    sys.stderr.flush()


def _is_terminal() -> bool:
    """Whether a person reads this process's stderr: workers write into the log."""
    is_worker = multiprocessing.current_process().name != "MainProcess"
    return not is_worker and sys.stderr is not None and sys.stderr.isatty()


def _is_below_bar() -> bool:
    """Whether a progress bar of rich is shown: it makes each write a line above it."""
    return hasattr(sys.stderr, "rich_proxied_file")


announcer = Announcer()
event.register("numba:compile", announcer)
atexit.register(announcer.finish)


def guard_cache(compile: Callable[[bool], Any]) -> Any:
    """Return a kernel that is cached where that is possible.

    An installation and a home that cannot be written, or a full disk, cost time but
    no answer; the user is told once.
    """
    try:
        compiled = compile(True)
    except RuntimeError as error:  # numba found no place for the file
        _warn(error)
        return compile(False)
    if not hasattr(compiled, "_cache"):  # NUMBA_DISABLE_JIT: a plain function
        return compiled
    cache = compiled._cache
    save = cache.save_overload

    def save_if_possible(*args: Any) -> None:
        try:
            save(*args)
        except OSError as error:
            _warn(error)

    cache.save_overload = save_if_possible
    return compiled


def _warn(error: Exception) -> None:
    if not _warn.done:  # type: ignore[attr-defined]
        _warn.done = True  # type: ignore[attr-defined]
        warnings.warn(
            f"Compiled kernels cannot be kept ({error}). {_HELP}",
            RuntimeWarning,
            stacklevel=4,
        )


_warn.done = False  # type: ignore[attr-defined]
