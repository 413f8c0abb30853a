"""Members computed in parallel, each from its own seed."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

import numpy as np

from coterie._engine import _engines
from coterie._engine._progress import progress_hook
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie.exceptions import DegenerateMemberWarning, MemberFailedError

T = TypeVar("T")
_log = logging.getLogger("coterie")


class Keeper(Protocol[T]):
    """Stores finished members."""

    def load(self, number: int) -> T | None:
        """Return a stored member, or None."""
        ...

    def save(self, number: int, result: T) -> None:
        """Store a member."""
        ...


def run_members(
    make: Callable[[int, np.random.Generator], T],
    n_members: int,
    *,
    who: str,
    seed: Seed = None,
    n_jobs: int | None = None,
    on_error: str = "raise",
    progress: Progress = None,
    keeper: Keeper[T] | None = None,
) -> list[tuple[int, T]]:
    """Return ``(number, make(number, rng))`` for each member, in order.

    Every member draws from its own child of the seed and runs with one BLAS and OpenMP
    thread, so the results depend neither on ``n_jobs`` nor on the engine
    (:func:`use_engine`). Members that the keeper has stored are not made again, the
    others are passed to it as they finish. Failures are collected: with
    ``on_error="raise"`` they become one MemberFailedError of ``who``, with ``"drop"``
    they are left out with a warning.

    Examples
    --------
    >>> from coterie._engine import run_members
    >>> run_members(lambda number, rng: 10 * number, 3, who="me", seed=0)
    [(0, 0), (1, 10), (2, 20)]
    """
    attempt = _Attempt(make, seed_sequence(seed).spawn(n_members), who)
    results: list[tuple[int, T]] = []
    failures: list[tuple[int, Exception]] = []
    with progress_hook(progress, "Members") as tell, _engines.one_thread():
        left = []
        for number in range(n_members):
            kept = None if keeper is None else keeper.load(number)
            if kept is None:
                left.append(number)
            else:
                results.append((number, kept))
        done = len(results)
        if done:
            tell(done, n_members)
        engine = _engines.settings().engine
        outcomes = _engines.run(engine, attempt, left, n_jobs) if left else ()
        for number, result, error in outcomes:
            if error is None:
                results.append((number, result))
                if keeper is not None:
                    keeper.save(number, result)
            else:
                failures.append((number, error))
            done += 1
            tell(done, n_members)
    _report_failures(failures, n_members, who, on_error)
    return sorted(results, key=lambda item: item[0])


@dataclass(frozen=True, eq=False)
class _Attempt(Generic[T]):
    """Makes one member, or returns the error; picklable."""

    make: Callable[[int, np.random.Generator], T]
    children: list[np.random.SeedSequence]
    who: str

    def __call__(self, number: int) -> tuple[int, T | None, Exception | None]:
        with _engines.one_thread():
            try:
                rng = np.random.default_rng(self.children[number])
                return number, self.make(number, rng), None
            except Exception as error:
                _log.debug("%s: member %d failed", self.who, number, exc_info=True)
                return number, None, error


def _report_failures(
    failures: list[tuple[int, Exception]], n_members: int, who: str, on_error: str
) -> None:
    if not failures:
        return
    number, error = min(failures, key=lambda item: item[0])
    text = (
        f"{who}: {len(failures)} of {n_members} members failed; the first is member "
        f"{number}: {type(error).__name__}: {error}"
    )
    if on_error == "raise":
        raise MemberFailedError(
            f'{text} Use on_error="drop" to continue without them.'
        ) from error
    if len(failures) == n_members:
        raise MemberFailedError(f"{text} No member is left.") from error
    warnings.warn(f"{text} They were left out.", DegenerateMemberWarning, stacklevel=4)
