"""Where and within what a system's work is done."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from numbers import Integral
from pathlib import Path
from typing import Any

from coterie._validation import HasMethods, Interval, StrOptions
from coterie.engine import ENGINES, settings, use_engine

RUN_CONSTRAINTS: dict[str, Any] = {
    "engine": [StrOptions(set(ENGINES)), HasMethods("submit"), None],
    "checkpoint": [str, Path, None],
    "memory_limit": [Interval(Integral, 1, None, closed="left"), None],
}


@contextmanager
def run_of(system: Any) -> Iterator[None]:
    """Use what a system says of its run; what it leaves open stays as it is."""
    now = settings()

    def either(name: str) -> Any:
        own = getattr(system, name)
        return getattr(now, name) if own is None else own

    checkpoint = either("checkpoint")
    if checkpoint is not None and system.random_state is None:
        raise ValueError(
            f"{type(system).__name__}: a checkpoint needs a seed: without one, another "
            "run makes other members. Set random_state."
        )
    with use_engine(
        either("engine"),
        checkpoint=checkpoint,
        memory_limit=either("memory_limit"),
    ):
        yield
