"""How much memory a result or a run may take before coterie refuses to start."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from coterie.exceptions import MemoryLimitError

_SHARE = 0.6  # of the free memory: the result is rarely the only thing in it
_FALLBACK = 4 * 2**30
BLOCK_ROWS = 1_000_000  # data this long are read block by block
_LIMIT: ContextVar[int | None] = ContextVar("coterie_memory_limit", default=None)


@contextmanager
def limited_memory(n_bytes: int | None) -> Iterator[None]:
    """Set the limit inside the ``with`` block; None is the default limit."""
    token = _LIMIT.set(n_bytes)
    try:
        yield
    finally:
        _LIMIT.reset(token)


def memory_limit() -> int:
    """Return the byte limit.

    It comes from :func:`coterie.use_engine`; else from the environment variable
    ``COTERIE_MEMORY_LIMIT`` (bytes); else it is 60% of the free memory of the machine,
    its container, or the process (``ulimit -v``).
    """
    said = _LIMIT.get()
    if said is not None:
        return said
    chosen = os.environ.get("COTERIE_MEMORY_LIMIT")
    if chosen:
        return int(float(chosen))
    return int(_SHARE * _free_bytes())


def _free_bytes() -> int:
    free = [_meminfo_available(), _cgroup_available(), _address_space_available()]
    known = [value for value in free if value is not None]
    return min(known) if known else _FALLBACK


def _meminfo_available() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return None


def _cgroup_available() -> int | None:
    try:
        limit = Path("/sys/fs/cgroup/memory.max").read_text().strip()
        used = Path("/sys/fs/cgroup/memory.current").read_text().strip()
        return None if limit == "max" else max(0, int(limit) - int(used))
    except (OSError, ValueError):
        return None


def _address_space_available() -> int | None:
    """Return what ``ulimit -v`` leaves."""
    try:
        import resource

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        pages = int(Path("/proc/self/statm").read_text().split()[0])
    except (ImportError, OSError):
        return None
    if limit == resource.RLIM_INFINITY:
        return None
    return max(0, limit - pages * resource.getpagesize())


def check_memory(n_bytes: int, what: str, limit: int | None, advice: str) -> None:
    """Raise MemoryLimitError if ``what`` would need more than the limit allows."""
    allowed = memory_limit() if limit is None else limit
    if n_bytes > allowed:
        raise MemoryLimitError(
            f"{what} would need {format_bytes(n_bytes)}, more than the limit of "
            f"{format_bytes(allowed)}. {advice}"
        )


def format_bytes(n_bytes: float) -> str:
    """Return a number of bytes in a readable unit."""
    if n_bytes < 1000:
        return f"{n_bytes:.0f} bytes"
    for unit in ("kB", "MB"):
        n_bytes /= 1000
        if n_bytes < 1000:
            return f"{n_bytes:.1f} {unit}"
    return f"{n_bytes / 1000:.1f} GB"
