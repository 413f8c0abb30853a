"""Where members are computed: here, in threads, in processes, or by Dask."""

from __future__ import annotations

import logging
import numbers
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from coterie._engine._signals import uninterrupted
from coterie._memory import limited_memory
from coterie._validation import require

LOCAL = ("serial", "threads", "processes")
ENGINES = (*LOCAL, "dask")
_LOOK_EVERY = 1.0  # seconds, of a worker for its parent
_ROUNDS = 3  # in which workers may die before the run fails

Work = Callable[[int], Any]


@dataclass(frozen=True)
class Settings:
    """The settings inside :func:`use_engine`."""

    engine: Any = "threads"
    checkpoint: Path | None = None
    memory_limit: int | None = None
    root: Path | None = field(default=None, compare=False)  # checkpoint as given


_DEFAULT = Settings()
_SETTINGS: ContextVar[Settings] = ContextVar("coterie_engine", default=_DEFAULT)


def settings() -> Settings:
    """Return the current engine, checkpoint and memory limit."""
    return _SETTINGS.get()


@contextmanager
def use_engine(
    engine: Any = None,
    *,
    checkpoint: str | Path | None = None,
    memory_limit: int | None = None,
) -> Iterator[None]:
    """Choose where members are computed, where they are stored, and the memory limit.

    The settings apply to everything that is fitted or generated inside the ``with``
    block. The labels are the same everywhere, bit for bit. None keeps the current
    setting.

    Parameters
    ----------
    engine : {"serial", "threads", "processes", "dask"} or Dask client, default=None
        "threads", the default, share the data and suit most members; "processes" suit
        clusterers that hold the GIL; "dask" is the current client, or one for this
        machine.
    checkpoint : path, default=None
        A folder that stores each finished member, so that an interrupted run resumes
        where it stopped. It belongs to one data set, generator and seed.
    memory_limit : int, default=None
        Bytes that a run may take, as far as this can be estimated beforehand; by
        default 60% of the free memory of the machine or its container.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie import use_engine
    >>> from coterie.generation import RandomKMeans
    >>> X = np.arange(20.0).reshape(10, 2)
    >>> with use_engine("serial"):
    ...     ensemble = RandomKMeans(3).generate(X, seed=0)
    ...
    >>> ensemble.n_members
    3
    """
    now = settings()
    if engine is None:
        engine = now.engine
    check_engine(engine)
    folder = now.checkpoint if checkpoint is None else Path(checkpoint)
    limit = now.memory_limit if memory_limit is None else check_limit(memory_limit)
    root = now.root if checkpoint is None else folder
    token = _SETTINGS.set(Settings(engine, folder, limit, root))
    try:
        with limited_memory(limit):
            yield
    finally:
        _SETTINGS.reset(token)


@contextmanager
def subfolder(name: str) -> Iterator[None]:
    """Store finished members in a folder of this name inside the current one.

    For a generator that calls others: a checkpoint folder belongs to one generator.
    Without a checkpoint, nothing changes.

    Examples
    --------
    >>> from coterie._engine import settings, subfolder, use_engine
    >>> with use_engine(checkpoint="run"), subfolder("block-0"):
    ...     settings().checkpoint.as_posix()
    ...
    'run/block-0'
    """
    now = settings()
    folder = None if now.checkpoint is None else now.checkpoint / name
    token = _SETTINGS.set(replace(now, checkpoint=folder))
    try:
        yield
    finally:
        _SETTINGS.reset(token)


def check_limit(n_bytes: Any) -> int:
    """Return a memory limit in bytes, or raise."""
    if not isinstance(n_bytes, numbers.Integral) or n_bytes < 1:
        raise ValueError(
            f"memory_limit is a number of bytes of at least 1, got {n_bytes!r}."
        )
    return int(n_bytes)


@contextmanager
def one_thread() -> Iterator[None]:
    """Use one thread of BLAS, OpenMP and numba: workers fill the cores themselves."""
    from coterie._kernels._jit import kernel_threads

    # OpenMP's limit is per thread, so each thread sets it. So is numba's: work in the
    # main thread would wake others in each kernel. That of BLAS is of the process.
    openmp = _controller(len(sys.modules)).select(user_api="openmp")
    with _ONE_BLAS_THREAD, openmp.limit(limits=1), kernel_threads(1):
        yield


class _SharedLimit:
    """One thread of BLAS from when the first enters until the last leaves.

    If each thread restored what it found, the last of several at once would restore
    the one thread that another has set.
    """

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Forget who is inside: a forked process has no other threads."""
        self._lock = threading.Lock()
        self._n_inside = 0
        self._limit: Any = None

    def __enter__(self) -> None:
        with self._lock:
            if self._n_inside == 0:
                blas = _controller(len(sys.modules)).select(user_api="blas")
                self._limit = blas.limit(limits=1)
            self._n_inside += 1

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._n_inside = max(0, self._n_inside - 1)
            if self._n_inside == 0 and self._limit is not None:
                self._limit.restore_original_limits()
                self._limit = None


_ONE_BLAS_THREAD = _SharedLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_ONE_BLAS_THREAD.renew)


@lru_cache(maxsize=1)
def _controller(n_modules: int) -> Any:
    """Return a controller, a new one when more libraries may have been loaded."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def check_engine(engine: Any) -> None:
    """Raise unless it is the name of an engine or a Dask client."""
    known = engine in ENGINES if isinstance(engine, str) else hasattr(engine, "submit")
    if not known:
        raise ValueError(
            f"engine is one of {', '.join(ENGINES)}, or a Dask client; got {engine!r}."
        )


def run(
    engine: Any, work: Work, numbers: Sequence[int], n_jobs: int | None
) -> Iterator[Any]:
    """Yield ``work(number)`` for each number, in any order."""
    if engine == "serial":
        return map(work, numbers)
    if engine == "threads":
        return _in_threads(work, numbers, n_jobs)
    if engine == "processes":
        return _in_processes(work, numbers, n_jobs)
    return _by_dask(None if engine == "dask" else engine, work, numbers, n_jobs)


def _in_threads(
    work: Work, numbers: Iterable[int], n_jobs: int | None
) -> Iterator[Any]:
    from joblib import Parallel, delayed

    # kernels and BLAS release the GIL, and X is not copied
    pool = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator_unordered")
    outcomes: Any = pool(delayed(work)(number) for number in numbers)
    return outcomes


def _in_processes(
    work: Work, numbers: Sequence[int], n_jobs: int | None
) -> Iterator[Any]:
    """Run in processes; arrays are written to disk once and mapped into each.

    If a process dies, new ones redo the unfinished work.
    """
    from joblib import Parallel, delayed
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    left = list(numbers)
    for attempt in range(_ROUNDS):
        pool = Parallel(
            n_jobs=-1 if n_jobs is None else n_jobs,
            backend="loky",
            return_as="generator_unordered",
            mmap_mode="r",
            initializer=_end_with,
            initargs=(os.getpid(),),
        )
        try:
            outcomes: Any = pool(delayed(work)(number) for number in tuple(left))
            for outcome in outcomes:
                left.remove(outcome[0])
                yield outcome
        except TerminatedWorkerError:
            if attempt + 1 == _ROUNDS:
                raise
        else:
            return


def _end_with(parent: int) -> None:
    """End this process soon after its parent, which may be killed at any moment."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK_EVERY)
        os._exit(1)

    threading.Thread(target=watch, name="coterie-parent", daemon=True).start()


def _by_dask(
    client: Any, work: Work, numbers: Sequence[int], n_jobs: int | None
) -> Iterator[Any]:
    distributed = require("distributed")
    with dask_client(client, n_jobs) as client:
        shared = client.scatter(work, broadcast=True, hash=False)
        futures = [client.submit(_call, shared, n, pure=False) for n in numbers]
        try:
            for future in distributed.as_completed(futures):
                yield future.result()
                future.release()
        finally:
            client.cancel(futures)


def _call(work: Work, number: int) -> Any:
    return work(number)


@contextmanager
def dask_client(client: Any, n_jobs: int | None) -> Iterator[Any]:
    """Yield the given client, the current one, or a new one.

    Inside a task of Dask, its thread is lent to other tasks meanwhile: those that the
    task waits for may need it.
    """
    distributed = require("distributed")
    if _is_in_task(distributed):
        with distributed.worker_client() as own:
            yield own
        return
    if client is None:
        client = _current_client(distributed)
    if client is not None:
        yield client
        return
    n_workers = None if n_jobs is None or n_jobs < 1 else n_jobs
    stack = ExitStack()
    with uninterrupted():
        try:
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                dashboard_address="127.0.0.1:0",  # any port: 8787 may be taken
                silence_logs=logging.CRITICAL + 1,  # tracebacks when it is interrupted
            )
        except (RuntimeError, OSError) as error:  # no /dev/shm, ports or memory
            raise RuntimeError(
                f"Dask could not start workers on this machine ({error}). Choose the "
                'engine "threads", or pass the client of another cluster.'
            ) from error
        stack.enter_context(cluster)
        own = stack.enter_context(distributed.Client(cluster))
    try:
        yield own
    finally:
        with uninterrupted():
            stack.close()


def _current_client(distributed: Any) -> Any:
    try:
        return distributed.get_client()
    except ValueError:
        return None


def _is_in_task(distributed: Any) -> bool:
    try:
        distributed.get_worker()
    except (ValueError, AttributeError):
        return False
    return True
