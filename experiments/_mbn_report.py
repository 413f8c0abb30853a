"""The report on the MBN family: printed figures beside ours."""

from pathlib import Path

from experiments._runs import RunLog


def write(log: RunLog, folder: Path) -> None:
    """Write ``mbn.md``."""
    raise NotImplementedError
