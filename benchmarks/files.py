"""Reading files: a wide table beside pandas."""

import tempfile
from pathlib import Path

import numpy as np

from benchmarks.harness import Case
from coterie.cli._columns import Columns
from coterie.cli._tables import read_data

ROWS, COLUMNS = 100, 30_000


def _wide() -> Path:
    """Write a CSV file as gene expression comes: few samples, many columns."""
    path = Path(tempfile.mkdtemp(prefix="coterie-benchmark-")) / "wide.csv"
    values = np.random.default_rng(0).lognormal(size=(ROWS, COLUMNS))
    names = ",".join(f"gene_{j}" for j in range(COLUMNS))
    np.savetxt(path, values, fmt="%.4g", delimiter=",", header=names, comments="")
    return path


def _ours(path: Path) -> object:
    return read_data(path, Columns(), as_table=True)


def _pandas(path: Path) -> object:
    import pandas

    return pandas.read_csv(path)


CASES = [
    Case(
        "wide-csv",
        f"reading {ROWS} x {COLUMNS:,} from CSV",
        _wide,
        {"coterie": _ours, "pandas": _pandas},
    )
]
