"""How the cost of a system grows with samples, features, members and clusters.

``python -m benchmarks curve SYSTEM ...`` runs systems on overlapping blobs, each time
twice as large as before along one axis, until a run takes too long. One thread. It
prints CPU seconds and peak memory, and the exponents fitted to the last of them beside
those that the system's documented cost implies; it fails if CPU time or memory grow
faster than the documentation says. ``--picture FILE`` draws the curves.
"""

import argparse
import math
import re
import sys
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from benchmarks.harness import with_peak
from coterie._catalog import Entry, find
from coterie._kernels._jit import kernel_threads

AXES = {"N": 10_000_000, "D": 4_096, "M": 640, "k": 256}  # and where they end
START = {"N": 1_000, "D": 16, "M": 20, "k": 4}
SECONDS = 20.0  # of CPU time: the last run of an axis
LEAST = 0.05  # CPU seconds below which start-up dominates
LEAST_MB = 8.0
FITTED = 4  # points, the largest
SLACK = 0.25  # on the exponent
SYMBOLS = "NDMkKCuVZtd"  # of the sentences on cost


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
    counted = "n_members" if name != "mbn" else "n_clusterings"
    return made.set_params(**{counted: size.M})


def measured(name: str, size: Size) -> Point:
    """Run a system once on blobs of a size."""
    X, _ = make_blobs(
        size.N, n_features=size.D, centers=size.k, cluster_std=3.0, random_state=0
    )
    X = X.astype(np.float32)
    start = time.process_time()
    _, megabytes = with_peak(lambda data: system(name, size).fit(data), X)
    return Point(size, time.process_time() - start, megabytes or math.nan)


def runs(name: str, axis: str) -> Iterator[Point]:
    """Yield runs along an axis, each twice as large as the one before."""
    size = Size(**START)
    while getattr(size, axis) <= AXES[axis]:
        point = measured(name, size)
        yield point
        if point.cpu > SECONDS:
            return
        size = size._replace(**{axis: 2 * getattr(size, axis)})


def exponent(points: list[Point], axis: str, what: str) -> float:
    """Return the slope of the logarithms at the upper end; NaN if all is too small."""
    least = LEAST if what == "cpu" else LEAST_MB
    large = [p for p in points if getattr(p, what) >= least][-FITTED:]
    if len(large) < 3:
        return math.nan
    x = np.log([getattr(p.size, axis) for p in large])
    return float(np.polyfit(x, np.log([getattr(p, what) for p in large]), 1)[0])


def documented(cost: str, word: str, axis: str) -> float:
    """Return the exponent of an axis in the sentence on cost; NaN if it has none.

    >>> documented("time M (N^2 D + N k K), memory N (D + M)", "time", "N")
    2.0
    """
    found = re.search(rf"{word} ((?:[{SYMBOLS}](?![a-z])|[\d.^+() ])+)", cost)
    if found is None:
        return math.nan
    terms = re.sub(r"(?<=[\w)]) +(?=[\w(])", " * ", found[1].strip())
    return math.log2(_value(terms, axis, 2.0**31) / _value(terms, axis, 2.0**30))


def _value(terms: str, axis: str, size: float) -> float:
    """Evaluate a cost; every other quantity is one, or grows with this one."""
    at = dict.fromkeys(SYMBOLS, 1.0) | {axis: size}
    if axis == "N":
        at |= {"u": size}  # at most as many distinct label rows
    if axis == "M":
        at |= {"C": size, "V": size, "Z": size}  # of MBN, its networks
    return eval(terms.replace("^", "**"), {"__builtins__": {}}, at)


def shown(value: float) -> str:
    return "-" if math.isnan(value) else f"{value:.2f}"


def curve(name: str, axes: list[str], console: Console) -> dict[str, list[Point]]:
    """Measure a system along axes and print what was found."""
    found: dict[str, list[Point]] = {}
    measured(name, Size(**START))  # compiles
    for axis in axes:
        found[axis] = []
        for point in runs(name, axis):
            found[axis].append(point)
            size = f"{name} {axis} = {getattr(point.size, axis):,}"
            console.print(f"{size}: {point.cpu:.2f} CPU s, {point.megabytes:.0f} MB")
    return found


def verdict(name: str, found: dict[str, list[Point]], console: Console) -> bool:
    """Print exponents beside the documented ones; return whether all hold."""
    cost = cost_of(name)
    table = Table(title=f"{name}: {cost}", title_justify="left")
    for head in ("axis", "up to", "CPU", "documented", "memory", "documented"):
        table.add_column(head, justify="right")
    holds = True
    for axis, points in found.items():
        row = [axis, f"{getattr(points[-1].size, axis):,}"]
        for what, word in (("cpu", "time"), ("megabytes", "memory")):
            grew, said = exponent(points, axis, what), documented(cost, word, axis)
            faster = grew > said + SLACK
            holds = holds and not faster
            row += [shown(grew) + (" !" if faster else ""), shown(said)]
        table.add_row(*row)
    console.print(table)
    return holds


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
    parser.add_argument("systems", nargs="+")
    parser.add_argument("--axes", nargs="+", choices=AXES, default=list(AXES))
    parser.add_argument("--picture", type=Path)
    options = parser.parse_args(arguments)
    console = Console(width=100)
    warnings.simplefilter("ignore")
    curves = {}
    with threadpool_limits(1), kernel_threads(1):
        for name in options.systems:
            curves[name] = curve(name, options.axes, console)
    holds = [verdict(name, found, console) for name, found in curves.items()]
    if options.picture:
        draw(curves, options.picture)
    sys.exit(not all(holds))
