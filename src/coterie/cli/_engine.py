"""Options of long runs: where members are made, kept, and in how much memory."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

_UNITS = {"kb": 1e3, "mb": 1e6, "gb": 1e9, "tb": 1e12, "b": 1.0, "": 1.0}


@dataclass(frozen=True)
class Where:
    """An engine or a Dask cluster, a checkpoint and a memory limit.

    Attributes
    ----------
    engine
        Where members are made: threads, processes, serial or dask.
    scheduler : ADDRESS
        Dask scheduler to use, such as tcp://10.0.0.1:8786.
    checkpoint : FOLDER
        Keep each finished member there: after an interruption, the same command
        resumes where it stopped.
    memory_limit : SIZE
        Memory the run may use, such as 8GB. [default: 60% of the free memory]
    """

    panel: ClassVar[str] = "Long runs"
    shown: ClassVar[frozenset[str]] = frozenset()
    engine: str = "threads"
    scheduler: str | None = None
    checkpoint: Path | None = None
    memory_limit: str | None = None

    def check(self) -> None:
        """Raise for impossible options before any file is read."""
        from coterie._engine import check_engine
        from coterie._validation import require

        check_engine(self.engine)
        parse_bytes(self.memory_limit)
        if self.engine == "dask" or self.scheduler is not None:
            require("distributed")

    def n_kept(self) -> int:
        """Return the number of members in the checkpoint."""
        return len([*self.checkpoint.rglob("member-*")]) if self.checkpoint else 0

    @contextmanager
    def used(self) -> Iterator[None]:
        """Use the engine inside."""
        from coterie import use_engine

        engine: Any = self.engine
        limit = parse_bytes(self.memory_limit)
        with ExitStack() as stack:
            if self.scheduler is not None:
                engine = stack.enter_context(self._client(self.scheduler))
            stack.enter_context(
                use_engine(engine, checkpoint=self.checkpoint, memory_limit=limit)
            )
            yield

    def _client(self, address: str) -> Any:
        from coterie._validation import require

        try:
            return require("distributed").Client(address, timeout="10s")
        except (OSError, ValueError) as error:
            raise ValueError(
                f"--scheduler {address}: no Dask scheduler answers there ({error}). "
                "Start one with `dask scheduler`, or leave the option out."
            ) from error


def parse_bytes(text: str | None) -> int | None:
    """Return a size such as 8GB, 500MB or 2e9 in bytes."""
    if text is None:
        return None
    size = text.strip().lower()
    unit = next(unit for unit in _UNITS if size.endswith(unit))
    try:
        n_bytes = int(float(size.removesuffix(unit)) * _UNITS[unit])
    except (ValueError, OverflowError):
        n_bytes = 0
    if n_bytes < 1:
        raise ValueError(
            f"--memory-limit expects a size such as 8GB or 500MB, got {text}."
        )
    return n_bytes
