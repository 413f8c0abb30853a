"""Where the command line makes members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


def check(engine: str, scheduler: str | None) -> None:
    """Raise for engines that are not known, before any file is read."""
    from coterie._validation import require
    from coterie.engine import check_engine

    check_engine(engine)
    if engine == "dask" or scheduler is not None:
        require("distributed", extra="distributed")


@contextmanager
def chosen(
    engine: str, scheduler: str | None, checkpoint: Path | None
) -> Iterator[None]:
    """Use an engine, or the Dask cluster at an address."""
    from coterie.engine import use_engine

    if scheduler is None:
        with use_engine(engine, checkpoint=checkpoint):
            yield
        return
    from coterie._validation import require

    distributed: Any = require("distributed", extra="distributed")
    try:
        client = distributed.Client(scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--scheduler {scheduler}: no Dask scheduler answers there ({error}). "
            "Start one with `dask scheduler`, or leave the option out."
        ) from error
    with client, use_engine(client, checkpoint=checkpoint):
        yield
