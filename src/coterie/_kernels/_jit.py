"""The only access to numba: four decorators, and a limit for threads.

Kernels run in threads of our own, not in numba's: a kernel is compiled once, serially,
and releases the GIL, and large arrays are cut into blocks for a few threads. So there
is no second, parallel version to compile, a forked process may go on computing, and two
threads may call kernels at once.
"""

from __future__ import annotations

import functools
import inspect
import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any

import numba
import numpy as np
from numba.core import config
from numba.extending import intrinsic

from coterie._kernels._compiling import guard_cache

__all__ = [
    "LARGE",
    "inlined",
    "intrinsic",
    "kernel",
    "kernel_threads",
    "parallel_kernel",
    "read_only",
    "sum_kernel",
]

_MOST_THREADS: int = config.NUMBA_NUM_THREADS  # type: ignore[attr-defined]
LARGE = 2**17  # array elements from which threads are worth waking

# Division as in NumPy: no branch, and no exception to compile, for a zero divisor.
_OPTIONS: dict[str, Any] = {
    "nogil": True,
    "error_model": "numpy",
    "no_cfunc_wrapper": True,
}


def kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner kernel: serial, cached, without the GIL.

    It may be called from other kernels *of the same file* (numba's cache does not
    notice changes in other files), and from Python unless its name begins with an
    underscore: taking arguments from Python is a third of what a small kernel costs to
    compile.
    """
    return _compiled(function, **_called_by(function))


def sum_kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner kernel whose sums may be added in any order.

    Long sums then use vector registers, several times as fast. The order depends on the
    machine and on where the kernel is inlined, not on threads. Infinite and NaN values
    are handled as usual.
    """
    return _compiled(function, fastmath={"reassoc", "contract"}, **_called_by(function))


def _called_by(function: Callable[..., Any]) -> dict[str, bool]:
    """Return the option for kernels that only other kernels call."""
    return {"no_cpython_wrapper": function.__name__.startswith("_")}


def inlined(function: Callable[..., Any]) -> Any:
    """Copy a helper into the kernels of the same file that call it.

    It is compiled only as a part of them, which takes a fraction of the time that a
    kernel of its own would, and is subject to the caller's rules for sums. For helpers
    that are called once or twice.
    """
    return numba.njit(inline="always", **_OPTIONS)(function)  # noqa: TID251


def _compiled(function: Callable[..., Any], **options: Any) -> Any:
    return guard_cache(
        lambda cache: numba.njit(  # noqa: TID251
            cache=cache, **_OPTIONS, **options
        )(function)
    )


def parallel_kernel(
    over: str | Callable[..., int], n_blocks: int = 4
) -> Callable[..., Any]:
    """Compile a kernel of ``(first, last, ...)`` whose loop may be cut into blocks.

    The kernel is called without ``first`` and ``last``. ``over`` is the argument whose
    rows the loop runs over, or returns the length of the loop from the arguments. The
    kernel writes disjoint results for disjoint blocks, and so the same bits for any
    number of threads. There are ``n_blocks`` for each thread: with several, a slow one
    holds up little. Small arrays, and calls from other threads than the main one,
    are one block: waking threads costs more than a small loop, and a caller with
    threads of its own fills the cores already.
    """

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        compiled = _compiled(function)
        if callable(over):
            length = over
        else:
            place = list(inspect.signature(function).parameters).index(over) - 2

            def length(*args: Any) -> int:
                return args[place].shape[0]

        @functools.wraps(function)
        def entry(*args: Any) -> None:
            n = length(*args)
            size = sum(getattr(arg, "size", 0) for arg in args)
            n_threads = thread_limit() if size >= LARGE else 1
            if n_threads == 1 or n == 1:
                compiled(0, n, *args)
            else:
                _run_blocks(compiled, args, n, min(n, n_blocks * n_threads), n_threads)

        def serial(*args: Any) -> None:
            compiled(0, length(*args), *args)

        entry.serial = serial  # type: ignore[attr-defined]
        entry.compiled = compiled  # type: ignore[attr-defined]
        return entry

    return decorate


def read_only(array: Any) -> Any:
    """Return a contiguous view that cannot be written.

    Kernels that take an ensemble's labels, which are read-only, take it without being
    compiled a second time.
    """
    view = np.ascontiguousarray(array).view()
    view.flags.writeable = False
    return view


def _run_blocks(
    compiled: Callable[..., Any],
    args: tuple[Any, ...],
    n: int,
    n_blocks: int,
    n_threads: int,
) -> None:
    """Run a kernel in blocks: this thread and ``n_threads - 1`` others take turns."""
    starts = [n * block // n_blocks for block in range(n_blocks + 1)]
    waiting = iter(range(n_blocks))  # next() of a range's iterator holds the GIL

    def work() -> None:
        for block in waiting:
            compiled(starts[block], starts[block + 1], *args)

    others = [_pool().submit(work) for _ in range(min(n_threads, n_blocks) - 1)]
    try:
        work()
    finally:
        wait(others)  # the caller's arrays must outlive them
    for other in others:
        other.result()


@functools.lru_cache(maxsize=1)
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_MOST_THREADS, "coterie-kernel")


if hasattr(os, "register_at_fork"):  # a child has none of the parent's threads
    os.register_at_fork(after_in_child=_pool.cache_clear)

_limits = threading.local()


def thread_limit() -> int:
    """Return how many threads a kernel that is called here may use."""
    if threading.current_thread() is not threading.main_thread():
        return 1
    return getattr(_limits, "n_threads", _MOST_THREADS)


@contextmanager
def kernel_threads(n_threads: int | None) -> Iterator[None]:
    """Use at most ``n_threads`` threads in kernels; restore the number afterwards."""
    before = getattr(_limits, "n_threads", _MOST_THREADS)
    _limits.n_threads = before if n_threads is None else max(1, min(n_threads, before))
    try:
        yield
    finally:
        _limits.n_threads = before
