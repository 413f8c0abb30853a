"""The only access to numba: three decorators and a context for threads."""

from __future__ import annotations

import functools
import threading
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numba
from numba.extending import intrinsic

__all__ = [
    "LARGE",
    "intrinsic",
    "kernel",
    "numba_threads",
    "parallel_kernel",
    "sum_kernel",
]

_OPTIONS: dict[str, Any] = {"cache": True, "nogil": True}
LARGE = 2**17  # array elements from which threads are worth waking


def kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner kernel: serial, cached, without the GIL.

    It may be called from Python and from other kernels *of the same file* (numba's
    cache does not notice changes in other files).
    """
    return numba.njit(**_OPTIONS)(function)  # noqa: TID251


def sum_kernel(function: Callable[..., Any]) -> Any:
    """Compile an inner kernel whose sums may be added in any order.

    Long sums then use vector registers, several times as fast. The order depends on the
    machine and on where the kernel is inlined, not on threads. Infinite and NaN values
    are handled as usual.
    """
    return numba.njit(fastmath={"reassoc", "contract"}, **_OPTIONS)(  # noqa: TID251
        function
    )


def parallel_kernel(function: Callable[..., Any]) -> Callable[..., Any]:
    """Compile an entry kernel twice, parallel and serial, and pick one at each call.

    The parallel twin runs only in the main thread: two threads that enter parallel
    regions together abort the process under numba's default threading layer. And it
    runs only on large arrays: waking threads costs more than a small loop. A kernel
    whose iterations write disjoint results gives the same bits both ways.
    """
    serial = numba.njit(**_OPTIONS)(_renamed(function, "serial"))  # noqa: TID251
    parallel = numba.njit(parallel=True, **_OPTIONS)(function)  # noqa: TID251

    @functools.wraps(function)
    def entry(*args: Any) -> Any:
        is_large = sum(getattr(arg, "size", 0) for arg in args) >= LARGE
        in_main = threading.current_thread() is threading.main_thread()
        if is_large and in_main and numba.get_num_threads() > 1:
            return parallel(*args)
        return serial(*args)

    entry.serial = serial  # type: ignore[attr-defined]
    entry.parallel = parallel  # type: ignore[attr-defined]
    return entry


def _renamed(function: Callable[..., Any], suffix: str) -> Callable[..., Any]:
    """Return a copy of the function under another name, so that caches differ."""
    twin = types.FunctionType(
        function.__code__,
        function.__globals__,
        f"{function.__name__}_{suffix}",
        function.__defaults__,
        function.__closure__,
    )
    twin.__qualname__ = f"{function.__qualname__}_{suffix}"
    twin.__module__ = function.__module__
    return twin


@contextmanager
def numba_threads(n_threads: int | None) -> Iterator[None]:
    """Use at most ``n_threads`` threads in kernels; restore the number afterwards."""
    before = numba.get_num_threads()
    numba.set_num_threads(
        before if n_threads is None else max(1, min(n_threads, before))
    )
    try:
        yield
    finally:
        numba.set_num_threads(before)
