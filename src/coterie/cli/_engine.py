"""Where the command line makes members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from coterie.cli._options import parse_bytes


@dataclass(frozen=True)
class Where:
    """An engine, or the Dask cluster at an address, and what it may take.

    Attributes
    ----------
    engine
        Where members are made: threads, processes, serial or dask.
    scheduler : ADDRESS
        Dask scheduler to use, such as tcp://10.0.0.1:8786.
    checkpoint : FOLDER
        Keep each finished member there: after a stop, the same command takes up where
        it was.
    memory_limit : SIZE
        Memory the run may take, such as 8GB. [default: 60% of what is free]
    """

    panel: ClassVar[str] = "Long work"
    engine: str = "threads"
    scheduler: str | None = None
    checkpoint: Path | None = None
    memory_limit: str | None = None

    def check(self) -> None:
        """Raise for what cannot be, before any file is read."""
        from coterie._engine import check_engine
        from coterie._validation import require

        check_engine(self.engine)
        parse_bytes(self.memory_limit)
        if self.engine == "dask" or self.scheduler is not None:
            require("distributed")

    def n_kept(self) -> int:
        """Return how many members the checkpoint has."""
        return len([*self.checkpoint.rglob("member-*")]) if self.checkpoint else 0

    @contextmanager
    def used(self) -> Iterator[None]:
        """Do what is done inside there."""
        from coterie import use_engine

        limit = parse_bytes(self.memory_limit)
        options: Any = {"checkpoint": self.checkpoint, "memory_limit": limit}
        if self.scheduler is None:
            with use_engine(self.engine, **options):
                yield
            return
        from coterie._validation import require

        distributed = require("distributed")
        try:
            client = distributed.Client(self.scheduler, timeout="10s")
        except (OSError, ValueError) as error:
            raise ValueError(
                f"--scheduler {self.scheduler}: no Dask scheduler answers there "
                f"({error}). Start one with `dask scheduler`, or leave the option out."
            ) from error
        with client, use_engine(client, **options):
            yield
