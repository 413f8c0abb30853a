"""What all reports need: the printed figures, deviations, tables as text and CSV."""

import csv
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from experiments._runs import WHOLE, RunLog


class Judged(Protocol):
    """A cell of a table that was compared with its printed figure."""

    @property
    def reproduced(self) -> bool: ...


def figures(path: Path) -> list[dict[str, str]]:
    """Read the printed figures of a paper."""
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def spread(values: np.ndarray) -> float:
    """Return the sample standard deviation; zero of a single value."""
    return float(values.std(ddof=1)) if values.size > 1 else 0.0


def count_cells(cells: Sequence[Judged]) -> str:
    """Say how many cells are reproduced."""
    if not cells:
        return "no cells"
    done = sum(cell.reproduced for cell in cells)
    return f"{done} of {len(cells)} cells reproduced ({100 * done / len(cells):.0f}%)"


def markdown(head: Sequence[object], rows: Iterable[Sequence[object]]) -> str:
    """Return a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(map(str, line)) + " |" for line in lines)


def write_csv(path: Path, head: str, rows: Iterable[Sequence[object]]) -> None:
    """Write a table whose column names are the words of ``head``."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(head.split())
        writer.writerows(rows)


def run_time(log: RunLog, measures: Sequence[str] = ("seconds",)) -> str:
    """Say how many minutes the runs took, as far as the log knows.

    The last of the measures is the CPU time of a whole run. Older runs have no such
    row: of them the slowest method counts, with all measures.
    """
    spent: dict[str, list[float]] = {}
    older: dict[str, list[float]] = {}
    for key, methods in log.runs.items():
        if WHOLE in methods:
            spent.setdefault(key.study, []).append(methods[WHOLE][measures[-1]])
        else:
            slowest = max(sum(row[m] for m in measures) for row in methods.values())
            older.setdefault(key.study, []).append(slowest)
    rows = []
    for study in sorted(spent | older):
        row: list[object] = [study]
        for group in (spent, older):
            seconds = group.get(study, ())
            row += [len(seconds) or "", f"{sum(seconds) / 60:.1f}" if seconds else ""]
        rows.append(row)
    whole, clock = (sum(map(sum, group.values())) / 60 for group in (spent, older))
    more = (
        f", and at least {clock:.0f} minutes on the clock for runs of older code, "
        "which kept no CPU time"
        if older
        else ""
    )
    head = ("study", "runs", "CPU minutes", "older runs", "minutes on the clock")
    return (
        f"## How long it takes\n\nOn one core {whole:.0f} CPU minutes{more}. The "
        "command of this report, with the task `all`, runs what is missing.\n\n"
        + markdown(head, rows)
    )


def gain(differences: Sequence[float] | np.ndarray, places: int = 1) -> str:
    """Return the mean of differences, one for each data set, with its error."""
    values = np.asarray(differences, dtype=float)
    error = spread(values) / values.size**0.5
    return f"{values.mean():+.{places}f} ± {error:.{places}f}"


def verdict(differences: Sequence[float] | np.ndarray) -> str:
    """Say which is better, if the mean is beyond two standard errors."""
    values = np.asarray(differences, dtype=float)
    error = spread(values) / values.size**0.5
    if abs(values.mean()) <= 2 * error:
        return "not told apart"
    return "better" if values.mean() > 0 else "worse"


def gain_table(
    rows: Iterable[tuple[str, Sequence[float] | np.ndarray]], places: int = 1
) -> str:
    """Return a table of gains: what was compared, and the difference by data set."""
    return markdown(
        (
            *("claim", "gain ± its error", "data sets better", "data sets worse"),
            "beyond two errors",
        ),
        [
            (
                what,
                gain(found, places),
                f"{sum(d > 0 for d in found)} of {len(found)}",
                f"{sum(d < 0 for d in found)} of {len(found)}",
                verdict(found),
            )
            for what, found in rows
            if len(found) > 1
        ],
    )
