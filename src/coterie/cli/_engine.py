"""Where the command line makes members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def check(engine: str, scheduler: str | None) -> None:
    """Raise for engines that are not known, before any file is read."""
    from coterie._engine import check_engine
    from coterie._validation import require

    check_engine(engine)
    if engine == "dask" or scheduler is not None:
        require("distributed")


@contextmanager
def chosen(
    engine: str,
    scheduler: str | None,
    checkpoint: Path | None,
    memory_limit: int | None = None,
) -> Iterator[None]:
    """Use an engine, or the Dask cluster at an address."""
    from coterie import use_engine

    if scheduler is None:
        with use_engine(engine, checkpoint=checkpoint, memory_limit=memory_limit):
            yield
        return
    from coterie._validation import require

    distributed = require("distributed")
    try:
        client = distributed.Client(scheduler, timeout="10s")
    except (OSError, ValueError) as error:
        raise ValueError(
            f"--scheduler {scheduler}: no Dask scheduler answers there ({error}). "
            "Start one with `dask scheduler`, or leave the option out."
        ) from error
    with (
        client,
        use_engine(client, checkpoint=checkpoint, memory_limit=memory_limit),
    ):
        yield


def parse_bytes(text: str | None) -> int | None:
    """Return a size such as 8GB, 500MB or 2e9 in bytes."""
    if text is None:
        return None
    units = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "b": 1.0}
    said = text.strip().lower()
    unit = next((u for u in units if said.endswith(u)), "")
    try:
        n_bytes = float(said.removesuffix(unit)) * units.get(unit, 1.0)
    except ValueError:
        n_bytes = 0.0
    if not 1 <= n_bytes < float("inf"):
        raise ValueError(
            f"--memory-limit expects a size such as 8GB or 500MB, got {text}."
        )
    return int(n_bytes)
