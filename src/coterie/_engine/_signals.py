"""Ctrl-C while workers are started or stopped."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C inside the block, and in the processes started there for good.

    A cluster that is interrupted halfway can be neither used nor closed. Ctrl-C reaches
    all processes of a terminal, but only the one that started the workers should stop
    them. In other threads than the main one, nothing changes.

    Examples
    --------
    >>> import signal
    >>> from coterie._engine._signals import uninterrupted
    >>> before = signal.getsignal(signal.SIGINT)
    >>> with uninterrupted():
    ...     signal.raise_signal(signal.SIGINT)
    ...
    >>> signal.getsignal(signal.SIGINT) is before
    True
    """
    usual = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or usual is None:
        yield
        return
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # which new processes inherit
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
