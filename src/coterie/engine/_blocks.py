"""Work on data that are read some rows at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from coterie.engine import _engines


class Blocks(Protocol):
    """Rows that are read a block at a time; sent to processes as it is."""

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
    function: Callable[[np.ndarray], Any],
    blocks: Blocks,
    *,
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
    numbers : sequence of int, default=None
        The blocks to take; None is all.
    n_jobs : int or None
        Blocks worked on at a time; -1 = all cores.
    """
    numbers = range(blocks.n_blocks) if numbers is None else numbers
    engine = _engines.settings().engine
    if engine in _engines.LOCAL:
        outcomes = _engines.run(engine, _Work(function, blocks), numbers, n_jobs)
        return _in_order(outcomes, numbers)
    return _by_dask(engine, function, blocks, numbers, n_jobs)


@contextmanager
def one_cluster(n_jobs: int | None) -> Iterator[None]:
    """Use one Dask client for all that is done inside, if Dask is the engine."""
    now = _engines.settings()
    if now.engine != "dask":
        yield
        return
    with (
        _engines.dask_client(None, n_jobs) as client,
        _engines.use_engine(
            client, checkpoint=now.checkpoint, memory_limit=now.memory_limit
        ),
    ):
        yield


@dataclass(frozen=True, eq=False)
class _Work:
    function: Callable[[np.ndarray], Any]
    blocks: Blocks

    def __call__(self, number: int) -> tuple[int, Any]:
        return number, _alone(self.function, self.blocks.read(number))


def _alone(function: Callable[[np.ndarray], Any], rows: np.ndarray) -> Any:
    """Call with one thread of BLAS, OpenMP and numba."""
    with _engines.one_thread():
        return function(rows)


def _read_alone(function: Any, blocks: Blocks, number: int) -> Any:
    return _alone(function, blocks.read(number))


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


def _by_dask(
    engine: Any,
    function: Callable[[np.ndarray], Any],
    blocks: Blocks,
    numbers: Sequence[int],
    n_jobs: int | None,
) -> Iterator[Any]:
    with _engines.dask_client(None if engine == "dask" else engine, n_jobs) as client:
        shared = client.scatter(function, broadcast=True)
        there = blocks.remote(client)
        if there is None:
            futures = [
                client.submit(_read_alone, shared, blocks, number, pure=False)
                for number in numbers
            ]
        else:
            futures = [
                client.submit(_alone, shared, there[number], pure=False)
                for number in numbers
            ]
        try:
            for future in futures:
                yield future.result()
                future.release()
        finally:
            client.cancel(futures)
