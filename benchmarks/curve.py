"""How the cost of a system grows with samples, features, members and clusters.

``python -m benchmarks curve [SYSTEM ...]`` runs systems on overlapping blobs, each time
twice as large as before along one axis, until one takes more than six seconds. One
thread. Runs are kept in ``curves.csv`` beside this file and not repeated: remove rows
to measure them again. It prints the exponents fitted to the last CPU seconds and peaks
of memory beside those that the system's documented cost implies, and fails if one grows
faster than the documentation says. ``--picture FILE`` draws the curves.
"""

import argparse
import csv
import math
import re
import sys
import time
import warnings
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numba.core import event
from rich.console import Console
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from benchmarks.harness import with_peak
from coterie._catalog import Entry, find
from coterie._kernels._jit import kernel_threads

RUNS = Path(__file__).parent / "curves.csv"
FIELDS = ("system", "axis", "N", "D", "M", "k", "cpu", "megabytes")
AXES = {"N": 10_000_000, "D": 4_096, "M": 640, "k": 256}  # and where they end
START = {"N": 1_000, "D": 16, "M": 20, "k": 4}
SECONDS = 6.0  # of CPU time, beyond which a run is the last of its axis
LEAST = 0.05  # CPU seconds below which start-up dominates
LEAST_MB = 8.0
FITTED = 4  # points, the largest
SLACK = 0.25  # on the exponent
SYSTEMS = ("ensemble", "mdec", "c2swce", "spce", "woec", "usenc", "mbn-e", "large")
COUNTED = {"mbn": "n_clusterings"}  # what M is, if not ``n_members``
SETTINGS = {"mbn-e": {"n_clusterings": 100}}
# The symbols of the sentences on cost that grow with an axis: u distinct label rows,
# C clusters of all members, K of one member, V clusterings of Z networks.
GROWN = {"N": "Nu", "D": "D", "M": "MC", "k": "kKC"}
NETWORKS = {"mbn": "V", "mbn-e": "Z"}  # instead of M and C
SYMBOLS = "NDMkKCuVZtd"


class Size(NamedTuple):
    """What a run is made of."""

    N: int
    D: int
    M: int
    k: int


class Point(NamedTuple):
    """One run."""

    size: Size
    cpu: float
    megabytes: float


def entry(name: str) -> Entry:
    return find(name, {"system"})


def cost_of(name: str) -> str:
    """Return what the documentation says of a system, of the default its panel's."""
    return find("panel").cost if name == "ensemble" else entry(name).cost


def system(name: str, size: Size) -> Any:
    """Return a system of the catalog with this many members and clusters."""
    made = entry(name).load()(size.k, random_state=0)
    counted = COUNTED.get(name, "n_members")
    return made.set_params(**{counted: size.M}, **SETTINGS.get(name, {}))


def measured(name: str, size: Size) -> Point:
    """Run a system once on blobs of a size; again if it compiled a kernel."""
    X, _ = make_blobs(
        size.N, n_features=size.D, centers=size.k, cluster_std=3.0, random_state=0
    )
    X = X.astype(np.float32)
    while True:
        start = time.process_time()
        with event.install_recorder("numba:compile") as compiled:
            _, peak = with_peak(lambda data: system(name, size).fit(data), X)
        if not compiled.buffer:
            return Point(size, time.process_time() - start, peak or math.nan)


def runs(name: str, axis: str, known: dict[Size, Point]) -> Iterator[Point]:
    """Yield runs along an axis, each twice as large as the one before."""
    size = Size(**START)
    while getattr(size, axis) <= AXES[axis]:
        point = known[size] if size in known else measured(name, size)
        yield point
        if point.cpu > SECONDS:
            return
        size = size._replace(**{axis: 2 * getattr(size, axis)})


def kept(name: str, axis: str) -> dict[Size, Point]:
    """Return the runs in the file."""
    points = {}
    if RUNS.exists():
        with RUNS.open(newline="") as file:
            for row in csv.DictReader(file):
                if (row["system"], row["axis"]) == (name, axis):
                    size = Size(*(int(row[field]) for field in Size._fields))
                    points[size] = Point(
                        size, float(row["cpu"]), float(row["megabytes"])
                    )
    return points


def keep(name: str, axis: str, point: Point) -> None:
    new = not RUNS.exists()
    with RUNS.open("a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if new:
            writer.writerow(FIELDS)
        cost = (f"{point.cpu:.3f}", f"{point.megabytes:.1f}")
        writer.writerow((name, axis, *point.size, *cost))


def exponent(points: list[Point], axis: str, what: str) -> float:
    """Return the slope of the logarithms at the upper end; NaN if all is too small."""
    least = LEAST if what == "cpu" else LEAST_MB
    large = [p for p in points if getattr(p, what) >= least][-FITTED:]
    if len(large) < 3:
        return math.nan
    x = np.log([getattr(p.size, axis) for p in large])
    return float(np.polyfit(x, np.log([getattr(p, what) for p in large]), 1)[0])


def documented(name: str, cost: str, word: str, axis: str) -> float:
    """Return the exponent of an axis in the sentence on cost; NaN if it has none.

    Parameters
    ----------
    name, cost : str
    word : {"time", "memory"}
    axis : str
    """
    found = re.search(rf"{word} ((?:[{SYMBOLS}](?![a-z])|[\d.^+() ])+)", cost)
    if found is None:
        return math.nan
    grown = NETWORKS.get(name, GROWN[axis]) if axis == "M" else GROWN[axis]
    tokens = re.findall(rf"[{SYMBOLS}()^+]|\d+\.?\d*", found[1])
    return degree(tokens, grown)


def degree(tokens: list[str], grown: str) -> float:
    """Return the degree of sums and products in the symbols that grow.

    >>> degree(["M", "(", "N", "^", "2", "D", "+", "N", "k", ")"], "N")
    2.0
    """
    rest = iter([*tokens, ")"])
    found = _sum(rest, grown)
    if next(rest, None) is not None:
        raise ValueError(f"expected one closed sum, got {' '.join(tokens)}")
    return found


def _sum(rest: Iterator[str], grown: str) -> float:
    """Read up to the closing bracket."""
    terms, factors = [], []
    for token in rest:
        if token == "^":
            factors[-1] *= float(next(rest))
        elif token == "(":
            factors.append(_sum(rest, grown))
        elif token in "+)":
            if not factors:
                raise ValueError(f"expected a factor before {token!r}")
            terms.append(sum(factors))
            factors = []
            if token == ")":
                return max(terms)
        else:
            factors.append(float(token in grown))
    raise ValueError("expected a closing bracket")


def curve(name: str, axes: list[str], console: Console) -> dict[str, list[Point]]:
    """Measure a system along axes and print what was found."""
    found: dict[str, list[Point]] = defaultdict(list)
    for axis in axes:
        known = kept(name, axis)
        for point in runs(name, axis, known):
            found[axis].append(point)
            if point.size not in known:
                keep(name, axis, point)
            size = f"{name} {axis} = {getattr(point.size, axis):,}"
            console.print(f"{size}: {point.cpu:.2f} CPU s, {point.megabytes:.0f} MB")
    return found


def verdict(name: str, found: dict[str, list[Point]]) -> tuple[list[str], list[str]]:
    """Return a row of exponents, documented ones in brackets, and what grows faster."""
    cost = cost_of(name)
    row, faster = [], []
    for axis, points in found.items():
        cells = [f"{getattr(points[-1].size, axis):,}"]
        for what, word in (("cpu", "time"), ("megabytes", "memory")):
            grew = exponent(points, axis, what)
            said = documented(name, cost, word, axis)
            cells.append(f"{shown(grew)} ({shown(said)})")
            if grew > said + SLACK:
                faster.append(f"{name}: {word} grows as {axis}^{grew:.2f}, not {cost}")
        row += cells
    return row, faster


def shown(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}".rstrip("0").rstrip(".")


def draw(curves: dict[str, dict[str, list[Point]]], path: Path) -> None:
    """Draw CPU seconds against each axis."""
    import matplotlib.pyplot as plt

    words = {"N": "samples", "D": "features", "M": "members", "k": "clusters"}
    axes = list(next(iter(curves.values())))
    figure, places = plt.subplots(
        1, len(axes), figsize=(3.2 * len(axes), 3.4), sharey=True, squeeze=False
    )
    for place, axis in zip(places[0], axes, strict=True):
        for name, found in curves.items():
            x = [getattr(point.size, axis) for point in found[axis]]
            place.loglog(
                x, [point.cpu for point in found[axis]], "o-", ms=3, label=name
            )
        place.set_xlabel(words[axis])
        place.grid(alpha=0.3)
    places[0][0].set_ylabel("CPU seconds")
    places[0][-1].legend(frameon=False, fontsize=8)
    figure.tight_layout()
    figure.savefig(path, dpi=120)


def main(arguments: list[str]) -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks curve", description=__doc__
    )
    parser.add_argument("systems", nargs="*", default=SYSTEMS)
    parser.add_argument("--axes", nargs="+", choices=AXES, default=list(AXES))
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args(arguments)
    console = Console(width=100)
    warnings.simplefilter("ignore")
    curves = {}
    with threadpool_limits(1), kernel_threads(1):
        for name in options.systems:
            curves[name] = curve(name, options.axes, console)
    heads = [f"{axis} up to | time | memory" for axis in options.axes]
    console.print(f"| system | {' | '.join(heads)} |", soft_wrap=True)
    console.print(f"|{' --- |' * (1 + 3 * len(heads))}", soft_wrap=True)
    too_fast = []
    for name, found in curves.items():
        row, faster = verdict(name, found)
        console.print(f"| `{name}` | {' | '.join(row)} |", soft_wrap=True)
        too_fast += faster
    for line in too_fast:
        console.print(line)
    if options.picture:
        draw(curves, options.picture)
    sys.exit(bool(too_fast))
