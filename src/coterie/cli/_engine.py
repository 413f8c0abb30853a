"""Where the command line makes members."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any


class Where:
    """An engine, or the Dask cluster at an address, and the folder of a run.

    Parameters
    ----------
    engine : str
        Raises for one that is not known, before any file is read.
    scheduler : str or None
    checkpoint : Path or None
    memory_limit : int or None
        Bytes.
    """

    def __init__(
        self,
        engine: str,
        scheduler: str | None,
        checkpoint: Path | None,
        memory_limit: int | None,
    ) -> None:
        from coterie._engine import check_engine
        from coterie._validation import require

        check_engine(engine)
        if engine == "dask" or scheduler is not None:
            require("distributed", extra="distributed")
        self.engine = engine
        self.scheduler = scheduler
        self.checkpoint = checkpoint
        self.memory_limit = memory_limit
        self.n_kept = len([*checkpoint.rglob("member-*")]) if checkpoint else 0

    @contextmanager
    def used(self) -> Iterator[None]:
        """Do what is done inside there."""
        from coterie import use_engine

        options = {"checkpoint": self.checkpoint, "memory_limit": self.memory_limit}
        if self.scheduler is None:
            with use_engine(self.engine, **options):
                yield
            return
        from coterie._validation import require

        distributed: Any = require("distributed", extra="distributed")
        try:
            client = distributed.Client(self.scheduler, timeout="10s")
        except (OSError, ValueError) as error:
            raise ValueError(
                f"--scheduler {self.scheduler}: no Dask scheduler answers there "
                f"({error}). Start one with `dask scheduler`, or leave the option out."
            ) from error
        with client, use_engine(client, **options):
            yield

    def resumed(self, model: Any) -> str | None:
        """Say how many members of a fitted system were there before the run."""
        if not self.n_kept:
            return None
        total = getattr(model.parts().generator, "n_members", self.n_kept)
        return f"{self.n_kept} of {total} members were in {self.checkpoint}"
