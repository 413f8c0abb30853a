"""What a new user waits for: each first call in a fresh process, cold and warm."""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from sklearn.datasets import load_iris

_DIGITS = """
import coterie
from sklearn.datasets import load_digits
X = load_digits().data
"""
# Counts compilations, and writes CPU seconds and their number when the process ends.
_WATCH = """
import atexit, json, os, sys
def tell(listener=None):
    times = os.times()
    n = len(listener.buffer) // 2 if listener else 0
    with open(os.environ["FIRST_MINUTE"], "w") as file:
        json.dump([sum(times[:4]), n], file)
atexit.register(tell)
if os.environ["FIRST_MINUTE_KERNELS"] == "yes":
    from numba.core import event
    listener = event.RecordingListener()
    event.register("numba:compile", listener)
    atexit.unregister(tell)
    atexit.register(tell, listener)
"""
# The same kernel ten times, without a cache: how fast this machine compiles.
_YARDSTICK = """
import numba, numpy as np
X, y = np.zeros((3, 2)), np.zeros(3, dtype=np.int32)
def nearest(X, centers, labels):
    for i in range(X.shape[0]):
        least = np.inf
        for j in range(centers.shape[0]):
            total = 0.0
            for f in range(X.shape[1]):
                step = X[i, f] - centers[j, f]
                total += step * step
            if total < least:
                least, labels[i] = total, j
for _ in range(10):
    numba.njit(nearest)(X, X, y)
"""
_COMMAND = "import sys; sys.argv[1:] = {words!r}; from coterie.cli import main; main()"


def _programs(table: Path) -> dict[str, tuple[str, bool]]:
    """Return each program, and whether it needs numba at all."""
    return {
        "import coterie": ("import coterie", False),
        "coterie --help": (_COMMAND.format(words=["--help"]), False),
        "EnsembleClustering(10), digits": (
            f"{_DIGITS}coterie.EnsembleClustering(10, random_state=0).fit(X)",
            True,
        ),
        "MDEC(10), digits": (f"{_DIGITS}coterie.MDEC(10, random_state=0).fit(X)", True),
        "MBNEnsemble(10), digits": (
            f"{_DIGITS}coterie.MBNEnsemble(10, random_state=0).fit(X)",
            True,
        ),
        "choose_k, digits": (f"{_DIGITS}coterie.choose_k(X, random_state=0)", True),
        "coterie cluster iris.csv": (
            _COMMAND.format(words=["cluster", str(table)]),
            True,
        ),
        "coterie cluster iris.csv -k 3": (
            _COMMAND.format(words=["cluster", str(table), "-k", "3"]),
            True,
        ),
    }


def _run(program: str, needs_numba: bool, folder: Path) -> tuple[float, float, int]:
    """Return the seconds by the clock, the CPU seconds, and the compilations."""
    told = folder / "told.json"
    environment = {
        **os.environ,
        "NUMBA_CACHE_DIR": str(folder / "cache"),
        "FIRST_MINUTE": str(told),
        "FIRST_MINUTE_KERNELS": "yes" if needs_numba else "no",
    }
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", _WATCH + program],
        env=environment,
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=folder,
    )
    seconds = time.perf_counter() - start
    cpu, n_compiled = json.loads(told.read_text())
    return seconds, cpu, n_compiled


def cold_and_warm(console: Console) -> None:
    """Print CPU and clock seconds of first and second calls, and compilations."""
    rows = Table(title="The first minute: fresh processes, empty cache, then again")
    rows.add_column("program")
    for head in ("cold CPU s", "clock s", "compiled", "warm CPU s", "clock s", "more"):
        rows.add_column(head, justify="right")
    with tempfile.TemporaryDirectory() as place:
        table = Path(place) / "iris.csv"
        load_iris(as_frame=True).data.to_csv(table, index=False)
        for name, (program, needs_numba) in _programs(table).items():
            with tempfile.TemporaryDirectory() as folder:
                cold = _run(program, needs_numba, Path(folder))
                warm = _run(program, needs_numba, Path(folder))
            rows.add_row(
                name,
                f"{cold[1]:.1f}",
                f"{cold[0]:.1f}",
                str(cold[2]),
                f"{warm[1]:.1f}",
                f"{warm[0]:.1f}",
                f"{cold[1] - warm[1]:.1f}",
            )
        yardstick = min(_run(_YARDSTICK, True, Path(place))[1] for _ in range(3))
    console.print(rows)
    console.print(
        f"numba alone, a plain loop compiled ten times: {yardstick:.2f} CPU s. "
        "Divide by it to compare machines, and days."
    )
