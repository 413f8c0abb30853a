"""Work on data that are read some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from coterie._engine import _engines


class Blocks(Protocol):
    """Rows that are read a block at a time; sent to processes as it is.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import open_rows
    >>> rows = open_rows(np.zeros((10, 2)), "me", block_rows=4)
    >>> rows.n_blocks, rows.read(0).shape
    (3, (4, 2))
    """

    @property
    def n_blocks(self) -> int:
        """Number of blocks."""
        ...

    def read(self, block: int) -> np.ndarray:
        """Return the rows of a block."""
        ...

    def remote(self, client: Any) -> Sequence[Any] | None:
        """Return the blocks as a Dask client's futures; None if workers can read."""
        ...


def map_blocks(
    function: Callable[..., Any],
    blocks: Blocks,
    *,
    numbered: bool = False,
    numbers: Sequence[int] | None = None,
    n_jobs: int | None = None,
) -> Iterator[Any]:
    """Yield the function of each block, in their order, wherever it is computed.

    Blocks are worked on side by side by the engine that holds (:func:`use_engine`),
    each with one thread, so that the results are the same on all.

    Parameters
    ----------
    function : function of an array
        For engines in other processes: of a module, or a ``functools.partial`` of one.
    blocks : Blocks
    numbered : bool, default=False
        Whether the function is given the number of the block before its rows.
    numbers : sequence of int, default=None
        The blocks to take; None is all.
    n_jobs : int or None, default=None
        Blocks worked on at a time; -1 = all cores.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._engine import map_blocks
    >>> from coterie._large import open_rows
    >>> rows = open_rows(np.ones((10, 2)), "me", block_rows=4)
    >>> sum(float(part) for part in map_blocks(np.sum, rows))
    20.0
    """
    numbers = range(blocks.n_blocks) if numbers is None else numbers
    engine = _engines.settings().engine
    if engine in _engines.LOCAL:
        work = _Work(function, numbered, blocks)
        return _in_order(_engines.run(engine, work, numbers, n_jobs), numbers)
    call = _Call(function, numbered)
    return _by_dask(engine, call, blocks, numbers, n_jobs)


@contextmanager
def one_cluster(n_jobs: int | None) -> Iterator[None]:
    """Use one Dask client for all that is done inside, if Dask is the engine.

    Parameters
    ----------
    n_jobs : int or None
        Workers of a client that is made here.

    Examples
    --------
    >>> from coterie._engine import one_cluster, settings
    >>> with one_cluster(n_jobs=1):
    ...     engine = settings().engine
    ...
    >>> engine
    'threads'
    """
    now = _engines.settings()
    if now.engine != "dask":
        yield
        return
    with (
        _engines.dask_client(None, n_jobs) as client,
        _engines.use_engine(client),
    ):
        yield


@dataclass(frozen=True, eq=False)
class _Call:
    """Calls the function with one thread of BLAS, OpenMP and numba."""

    function: Callable[..., Any]
    numbered: bool

    def __call__(self, number: int, rows: np.ndarray) -> Any:
        with _engines.one_thread():
            return self.function(number, rows) if self.numbered else self.function(rows)


@dataclass(frozen=True, eq=False)
class _Work:
    function: Callable[..., Any]
    numbered: bool
    blocks: Blocks

    def __call__(self, number: int) -> tuple[int, Any]:
        call = _Call(self.function, self.numbered)
        return number, call(number, self.blocks.read(number))


def _on_worker(call: _Call, number: int, rows: np.ndarray) -> Any:
    return call(number, rows)


def _read_on_worker(call: _Call, number: int, blocks: Blocks) -> Any:
    return call(number, blocks.read(number))


def _in_order(
    outcomes: Iterator[tuple[int, Any]], numbers: Sequence[int]
) -> Iterator[Any]:
    waiting: dict[int, Any] = {}
    due = iter(numbers)
    following = next(due, None)
    for number, result in outcomes:
        waiting[number] = result
        while following in waiting:
            yield waiting.pop(following)
            following = next(due, None)


def submit_blocks(
    client: Any, call: Callable[..., Any], blocks: Blocks, numbers: Sequence[int]
) -> list[Any]:
    """Return futures of ``call(number, rows)`` for blocks, on a client's workers."""
    shared = client.scatter(call, broadcast=True, hash=False)
    there = blocks.remote(client)
    if there is None:
        return [
            client.submit(_read_on_worker, shared, number, blocks, pure=False)
            for number in numbers
        ]
    return [
        client.submit(_on_worker, shared, number, there[number], pure=False)
        for number in numbers
    ]


def _by_dask(
    engine: Any,
    call: _Call,
    blocks: Blocks,
    numbers: Sequence[int],
    n_jobs: int | None,
) -> Iterator[Any]:
    with _engines.dask_client(None if engine == "dask" else engine, n_jobs) as client:
        futures = submit_blocks(client, call, blocks, numbers)
        try:
            for future in futures:
                yield future.result()
                future.release()
        finally:
            client.cancel(futures)


def keep_blocks(function: Callable[[np.ndarray], Any], blocks: Blocks) -> list[Any]:
    """Return the function of each block as futures of the Dask client that holds.

    Parameters
    ----------
    function : function of an array
    blocks : Blocks

    Examples
    --------
    >>> import numpy as np
    >>> from distributed import Client
    >>> from coterie._engine import keep_blocks, use_engine
    >>> from coterie._large import open_rows
    >>> rows = open_rows(np.ones((10, 2)), "me", block_rows=4)
    >>> with Client(processes=False, dashboard_address="127.0.0.1:0") as client:
    ...     with use_engine(client):
    ...         sums = client.gather(keep_blocks(np.sum, rows))
    ...
    >>> [float(part) for part in sums]
    [8.0, 8.0, 4.0]
    """
    client = _engines.settings().engine
    call = _Call(function, numbered=False)
    return submit_blocks(client, call, blocks, range(blocks.n_blocks))
