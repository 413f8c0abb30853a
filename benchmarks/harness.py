"""Time contenders in one process, in turns, and measure the memory of each."""

import ctypes
import gc
import json
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table


@dataclass(frozen=True)
class Case:
    """One task and the ways to do it; the first contender is coterie's."""

    name: str
    task: str
    setup: Callable[[], Any]
    contenders: Mapping[str, Callable[[Any], Any]]
    check: Callable[[Mapping[str, Any]], str] = lambda results: ""


@dataclass(frozen=True)
class Row:
    """What was measured for one contender."""

    case: str
    contender: str
    seconds: float
    ratio: float
    peak_mb: float | None
    cpu_seconds: float | None = None


def run(case: Case, repeats: int, console: Console) -> list[Row]:
    """Run the contenders in turns (so that noise meets all alike)."""
    data = case.setup()
    results, peaks, times = {}, {}, {}
    next(iter(case.contenders.values()))(data)  # compiles
    for turn in range(repeats):
        for name, contender in case.contenders.items():
            start, cpu = time.perf_counter(), time.process_time()
            if turn == 0:
                results[name], peaks[name] = with_peak(contender, data)
            else:
                contender(data)
            took = time.perf_counter() - start, time.process_time() - cpu
            times.setdefault(name, []).append(took)
    clocks, cpus = (
        {
            name: statistics.median(took[i] for took in all_of)
            for name, all_of in times.items()
        }
        for i in range(2)
    )
    ours = clocks[next(iter(case.contenders))]
    rows = [
        Row(case.name, name, clocks[name], clocks[name] / ours, peaks[name], cpus[name])
        for name in case.contenders
    ]
    _show(case, rows, case.check(results), console)
    return rows


def with_peak(contender: Callable[[Any], Any], data: Any) -> tuple[Any, float | None]:
    """Return the result and the peak of resident memory above the start, in MB."""
    status, reset = Path("/proc/self/status"), Path("/proc/self/clear_refs")
    gc.collect()
    try:
        ctypes.CDLL("libc.so.6").malloc_trim(0)
        reset.write_text("5")  # forget the peak so far
    except OSError:
        return contender(data), None
    before = _kilobytes(status, "VmRSS")
    result = contender(data)
    return result, (_kilobytes(status, "VmHWM") - before) / 1024


def _kilobytes(status: Path, field: str) -> float:
    lines = status.read_text().splitlines()
    return float(next(line for line in lines if line.startswith(field)).split()[1])


def _show(case: Case, rows: list[Row], note: str, console: Console) -> None:
    table = Table(title=f"{case.name}: {case.task}", title_justify="left")
    table.add_column("contender")
    for column in ("seconds", "CPU seconds", "x coterie", "peak MB"):
        table.add_column(column, justify="right")
    for row in rows:
        peak = "-" if row.peak_mb is None else f"{row.peak_mb:.0f}"
        clocks = f"{row.seconds:.3f}", f"{row.cpu_seconds:.3f}"
        table.add_row(row.contender, *clocks, f"{row.ratio:.2f}", peak)
    console.print(table)
    if note:
        console.print(note)


def save(rows: list[Row], path: Path) -> None:
    """Write rows as JSON."""
    path.write_text(json.dumps([vars(row) for row in rows], indent=1) + "\n")
