"""A log of finished runs, so that an experiment that was stopped goes on.

One CSV. A run (study, data set, variant, seed) is appended in one write when it is
finished, a row for each method; what is in the file is not run again.
"""

import csv
import io
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

WHOLE = "whole run"  # the row that holds the CPU seconds of everything in a run


class Key(NamedTuple):
    """What makes a run."""

    study: str
    dataset: str
    variant: str
    seed: int


class RunLog:
    """The finished runs in one file.

    Parameters
    ----------
    path : Path
        Made when the first run is added.
    measures : sequence of str
        Names of the numbers that are kept for each method.
    """

    def __init__(self, path: Path, measures: Sequence[str]) -> None:
        self.path = path
        self.measures = tuple(measures)
        self.runs: dict[Key, dict[str, dict[str, float]]] = {}
        self._seeds: dict[tuple[str, ...], set[int]] = {}  # of study, data and variant
        _cut_torn_line(path)
        for row in _rows(path):
            key = Key(row["study"], row["dataset"], row["variant"], int(row["seed"]))
            values = {name: float(row[name]) for name in self.measures}
            self._of(key)[row["method"]] = values

    def __contains__(self, key: Key) -> bool:
        return key in self.runs

    def add(self, key: Key, results: Mapping[str, Mapping[str, float]]) -> None:
        """Append one finished run: method -> measure -> value."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not self.path.exists() or not self.path.stat().st_size:
            writer.writerow([*Key._fields, "method", *self.measures])
        for method, values in results.items():
            numbers = [f"{values[name]:.6g}" for name in self.measures]
            writer.writerow([*key, method, *numbers])
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self.path.open("ab", buffering=0) as file:
            file.write(text.getvalue().encode())
            os.fsync(file.fileno())
        self._of(key).update({m: dict(values) for m, values in results.items()})

    def _of(self, key: Key) -> dict[str, dict[str, float]]:
        """Return the results of a run, empty if it is new."""
        self._seeds.setdefault(key[:3], set()).add(key.seed)
        return self.runs.setdefault(key, {})

    def values(
        self, study: str, dataset: str, variant: str, method: str, measure: str
    ) -> np.ndarray:
        """Return one measure over the seeds, in their order."""
        run = (study, dataset, variant)
        found = (
            self.runs[Key(*run, seed)] for seed in sorted(self._seeds.get(run, ()))
        )
        values = [methods[method][measure] for methods in found if method in methods]
        return np.array(values)


def _cut_torn_line(path: Path) -> None:
    """Remove the run whose last line a crash left without its end."""
    if not path.exists():
        return
    *lines, torn = path.read_text().split("\n")
    if not torn:
        return
    run = torn.split(",")[: len(Key._fields)]
    while lines and lines[-1].split(",")[: len(run)] == run:
        lines.pop()
    path.write_text("".join(f"{line}\n" for line in lines))


def _rows(path: Path) -> Iterator[dict[str, str]]:
    if path.exists():
        with path.open(newline="") as file:
            yield from csv.DictReader(file)
