"""What a user is told when kernels are compiled, and when they cannot be kept."""

from __future__ import annotations

import logging
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
_LOG = logging.getLogger("coterie")


class _Announcer(event.Listener):
    """Says once that kernels are being compiled, and at the end how long it took.

    In a terminal and in a notebook by a line on stderr, elsewhere by a message of
    level INFO to the logger "coterie".
    """

    def __init__(self) -> None:
        self.n_kernels, self.seconds = 0, 0.0
        self._depth = threading.local()
        self._start = 0.0

    def on_start(self, event: Any) -> None:
        depth = getattr(self._depth, "value", 0)
        self._depth.value = depth + 1
        if depth == 0 and _is_ours(event):
            self._start = time.perf_counter()
            if self.n_kernels == 0:
                _say("compiling kernels, once for this installation ...")
            self.n_kernels += 1

    def on_end(self, event: Any) -> None:
        self._depth.value -= 1
        if self._depth.value == 0 and _is_ours(event):
            self.seconds += time.perf_counter() - self._start


def _is_ours(event: Any) -> bool:
    return event.data["dispatcher"].py_func.__module__.startswith("coterie")


def _say(text: str) -> None:
    if _is_watched():
        sys.stderr.write(f"coterie: {text}\n")
    else:
        _LOG.info(text)


def _is_watched() -> bool:
    """Whether a person reads stderr: in a terminal or in a notebook."""
    stream = sys.stderr
    return stream is not None and (stream.isatty() or "ipykernel" in sys.modules)


announcer = _Announcer()
event.register("numba:compile", announcer)


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
