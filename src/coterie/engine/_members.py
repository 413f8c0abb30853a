"""Members computed side by side in threads, each from its own seed."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie.engine._progress import progress_hook
from coterie.exceptions import DegenerateMemberWarning, MemberFailedError

T = TypeVar("T")
_log = logging.getLogger("coterie")


def run_members(
    make: Callable[[int, np.random.Generator], T],
    n_members: int,
    *,
    who: str,
    seed: Seed = None,
    n_jobs: int | None = None,
    on_error: str = "raise",
    progress: Progress = None,
) -> list[tuple[int, T]]:
    """Return ``(number, make(number, rng))`` for each member, in order.

    Every member draws from its own child of the seed and runs with one BLAS and OpenMP
    thread, so the results do not depend on ``n_jobs``. Members that fail are collected:
    with ``on_error="raise"`` they become one MemberFailedError, with ``"drop"`` they
    are left out with a warning.
    """
    from joblib import Parallel, delayed
    from threadpoolctl import ThreadpoolController

    children = seed_sequence(seed).spawn(n_members)
    controller = ThreadpoolController()

    def attempt(number: int) -> tuple[int, Any, Exception | None]:
        # OpenMP's limit belongs to the thread that sets it, hence here.
        with controller.limit(limits=1):
            try:
                return (
                    number,
                    make(number, np.random.default_rng(children[number])),
                    None,
                )
            except Exception as error:
                _log.debug("%s: member %d failed", who, number, exc_info=True)
                return number, None, error

    results: list[tuple[int, T]] = []
    failures: list[tuple[int, Exception]] = []
    # Threads: kernels and BLAS release the interpreter's lock, and X is not copied.
    pool = Parallel(n_jobs=n_jobs, require="sharedmem", return_as="generator_unordered")
    with progress_hook(progress, "Members") as tell, controller.limit(limits=1):
        outcomes = pool(delayed(attempt)(number) for number in range(n_members))
        for done, (number, result, error) in enumerate(outcomes, start=1):
            if error is None:
                results.append((number, result))
            else:
                failures.append((number, error))
            tell(done, n_members)
    _report_failures(failures, n_members, who, on_error)
    return sorted(results, key=lambda item: item[0])


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
            f'{text} Use on_error="drop" to go on without them.'
        ) from error
    if len(failures) == n_members:
        raise MemberFailedError(f"{text} No member is left.") from error
    warnings.warn(f"{text} They were left out.", DegenerateMemberWarning, stacklevel=4)
