"""Computation on data that are read some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import numpy as np

from coterie._engine import _engines
from coterie._validation import require


class Blocks(Protocol):
    """Rows that are read block by block; it must be picklable."""

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


class SentOnce:
    """Blocks that are sent to a Dask client only once, not in each pass."""

    _there: tuple[str, Sequence[Any]] = ("", [])

    def remote(self, client: Any) -> Sequence[Any]:
        """Return the blocks as futures of a Dask client."""
        if self._there[0] != client.id:
            self._there = (client.id, self._send(client))
        return self._there[1]

    def _send(self, client: Any) -> Sequence[Any]:
        raise NotImplementedError(f"{type(self).__name__} must implement _send.")

    def __getstate__(self) -> dict[str, Any]:
        return {**vars(self), "_there": ("", [])}


def map_blocks(
    function: Callable[..., Any],
    blocks: Blocks,
    *,
    numbered: bool = False,
    numbers: Sequence[int] | None = None,
    n_jobs: int | None = None,
) -> Iterator[Any]:
    """Yield the function of each block, in order, wherever it is computed.

    The current engine (:func:`use_engine`) processes blocks in parallel, each with one
    thread, so the results are the same on all engines.

    Parameters
    ----------
    function : function of an array
        For engines in other processes, picklable.
    blocks : Blocks
    numbered : bool, default=False
        Whether the function takes the number of the block before its rows.
    numbers : sequence of int, default=None
        The blocks to process; None = all.
    n_jobs : int or None, default=None
        Blocks processed at a time; -1 = all cores.

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
    call = _Call(function, numbered)
    if engine in _engines.LOCAL:
        work = partial(_with_number, call, blocks)
        return _in_order(_engines.run(engine, work, numbers, n_jobs), numbers)
    return _by_dask(engine, call, blocks, numbers, n_jobs)


@contextmanager
def one_cluster(n_jobs: int | None) -> Iterator[None]:
    """Use a single Dask client in the ``with`` block, if Dask is the engine.

    ``n_jobs`` is the number of workers of a client that is made here.
    """
    if _engines.settings().engine != "dask":
        yield
        return
    with _engines.dask_client(None, n_jobs) as client, _engines.use_engine(client):
        yield


@dataclass(frozen=True, eq=False)
class _Call:
    """Calls the function with one thread of BLAS, OpenMP and numba."""

    function: Callable[..., Any]
    numbered: bool

    def __call__(self, number: int, rows: np.ndarray) -> Any:
        with _engines.one_thread():
            return self.function(number, rows) if self.numbered else self.function(rows)


def _with_number(call: _Call, blocks: Blocks, number: int) -> tuple[int, Any]:
    return number, call(number, blocks.read(number))


def _on_worker(call: _Call, number: int, rows: Any) -> Any:
    """Call the function with the rows, which are here or still to be read."""
    return call(number, rows.read(number) if hasattr(rows, "read") else rows)


def _itself(call: _Call) -> _Call:
    return call


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
    """Return futures of ``call(number, rows)`` for blocks, on a client's workers.

    The call is the result of a task, not data sent to workers: it can be made again
    when a worker dies, and with it blocks that are needed later.
    """
    dask = require("dask")
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1 TB"}):
        shared = client.submit(_itself, call, pure=False)
    there = blocks.remote(client)
    return [
        client.submit(
            _on_worker, shared, n, blocks if there is None else there[n], pure=False
        )
        for n in numbers
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
    """Return the function of each block as futures of the current Dask client."""
    client = _engines.settings().engine
    call = _Call(function, numbered=False)
    return submit_blocks(client, call, blocks, range(blocks.n_blocks))
