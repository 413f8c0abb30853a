"""Has anything become slower? CPU time as a multiple of a fixed NumPy workload.

``python -m benchmarks.guard`` (or ``make bench-check``) runs eleven parts and three
systems, each in turn with the workload, compares the quotients with the recorded ones
and fails if one has grown by 15% more than their median. The median tells how this
machine, or everything at once, differs from what was recorded. ``--record`` records
those of today. The least of several runs counts, so a busy machine disturbs little.
"""

import argparse
import csv
import sys
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

import coterie
from coterie._kernels._jit import kernel_threads
from coterie._linalg import kmeans, nearest_neighbors, spanning_tree, spectral_embedding
from coterie.consensus import EAC, HBGF
from coterie.generation import GaussianMixtures, GenieTree, LeidenCommunities
from coterie.weighting import EntropyWeighter

RECORDED = Path(__file__).with_name("recorded.csv")
SLOWER = 1.15
REPEATS = 7


def _points(n_samples: int, n_features: int) -> np.ndarray:
    return make_blobs(
        n_samples, n_features=n_features, centers=10, cluster_std=3, random_state=0
    )[0]


def _ensemble(n_samples: int, n_members: int = 30) -> coterie.Ensemble:
    rng = np.random.default_rng(0)
    classes = rng.integers(0, 10, n_samples)
    noisy = rng.random((n_samples, n_members)) < 0.2
    other = rng.integers(0, 15, (n_samples, n_members))
    return coterie.Ensemble(np.where(noisy, other, classes[:, None]))


def _ring(n_samples: int) -> np.ndarray:
    near = np.abs(np.subtract.outer(np.arange(n_samples), np.arange(n_samples)))
    return np.exp(-np.minimum(near, n_samples - near) / 20.0)


SMALL, WIDE, LARGE = _points(300, 10), _points(2_000, 100), _points(11_000, 64)
FEW, MANY, RING = _ensemble(2_000), _ensemble(50_000), _ring(800)


def _rng() -> np.random.Generator:
    return np.random.default_rng(0)


PARTS: dict[str, Callable[[], Any]] = {
    "k-means, 300 x 10": lambda: [
        kmeans(SMALL, 10, rng=_rng(), n_init=10) for _ in range(5)
    ],
    "k-means, 11,000 x 64": lambda: kmeans(LARGE, 20, rng=_rng(), max_iter=20),
    "neighbours, 2,000 x 100": lambda: nearest_neighbors(WIDE, 20),
    "spanning tree, 2,000 x 100": lambda: spanning_tree(WIDE),
    "spectral embedding, 800": lambda: spectral_embedding(RING, 20, rng=_rng()),
    "entropy weights, 50,000 x 30": lambda: EntropyWeighter().weigh(_fresh(MANY)),
    "EAC, 2,000 x 30": lambda: EAC().combine(_fresh(FEW), 10, seed=0),
    "HBGF, 50,000 x 30": lambda: HBGF().combine(_fresh(MANY), 10, seed=0),
    "Genie's trees, 2,000 x 100": lambda: GenieTree(60).generate(WIDE, seed=0),
    "Leiden, 2,000 x 100": lambda: LeidenCommunities(5).generate(WIDE, seed=0),
    "mixtures, 300 x 10": lambda: GaussianMixtures(10).generate(SMALL, seed=0),
    "the default, quick, 300 x 10": lambda: coterie.EnsembleClustering(
        10, effort="quick", random_state=0
    ).fit(SMALL),
    "MDEC, 2,000 x 100": lambda: coterie.MDEC(10, n_members=20, random_state=0).fit(
        WIDE
    ),
    "MBNEnsemble, 300 x 10": lambda: coterie.MBNEnsemble(
        10, n_members=3, random_state=0
    ).fit(SMALL),
}


def _fresh(ensemble: coterie.Ensemble) -> coterie.Ensemble:
    """Return the same ensemble without what it has computed."""
    return coterie.Ensemble(ensemble.labels)


def _workload() -> None:
    """Arithmetic, memory and Python, in the proportions of a small system."""
    rng = np.random.default_rng(0)
    A = rng.standard_normal((400, 400))
    for _ in range(3):
        A = A @ A / np.abs(A).max()
    np.sort(rng.standard_normal(400_000))
    sum(i * i for i in range(200_000))


def _cpu(call: Callable[[], Any]) -> float:
    start = time.process_time()
    call()
    return time.process_time() - start


def quotient(call: Callable[[], Any]) -> float:
    """Return the least CPU time of a part, in units of the workload's least."""
    call()  # compiles
    own, unit = [], []
    for _ in range(REPEATS):
        unit.append(_cpu(_workload))
        own.append(_cpu(call))
    return min(own) / min(unit)


def _recorded() -> dict[str, float]:
    if not RECORDED.exists():
        return {}
    with RECORDED.open(newline="") as lines:
        return {row["part"]: float(row["quotient"]) for row in csv.DictReader(lines)}


def _record(found: dict[str, float]) -> None:
    with RECORDED.open("w", newline="") as lines:
        rows = csv.writer(lines)
        rows.writerow(["part", "quotient"])
        rows.writerows([name, f"{value:.3g}"] for name, value in found.items())


def slower(
    found: dict[str, float], before: dict[str, float]
) -> tuple[float, list[str]]:
    """Return the median ratio to what was recorded, and the parts far above it."""
    ratios = {name: found[name] / before[name] for name in found if name in before}
    usual = float(np.median(list(ratios.values()))) if ratios else 1.0
    return usual, [name for name in ratios if ratios[name] >= SLOWER * usual]


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.guard")
    parser.add_argument("--record", action="store_true", help="record these figures")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    before = _recorded()
    with threadpool_limits(1), kernel_threads(1):
        found = {name: quotient(call) for name, call in PARTS.items()}
        for name in slower(found, before)[1]:  # a moment of noise does not come twice
            found[name] = min(found[name], quotient(PARTS[name]))
    usual, worse = slower(found, before)
    table = Table("part", "recorded", "now", "ratio", "beside the median")
    for name, now in found.items():
        known = before.get(name)
        cells = ("-", "-", "-")
        if known is not None:
            ratio = now / known
            cells = f"{known:.3g}", f"{ratio:.2f}", f"{ratio / usual:.2f}"
        table.add_row(name, cells[0], f"{now:.3g}", *cells[1:])
    console = Console(width=80)
    console.print(table)
    if options.record:
        _record(found)
        return 0
    if not 1 / SLOWER < usual < SLOWER:
        console.print(
            f"The median is {usual:.2f} times the recorded one: another machine, or "
            "everything has changed. Compare with an older commit on this one."
        )
    if worse:
        console.print(f"Slower by 15% and more than the median: {', '.join(worse)}.")
    return int(bool(worse))


if __name__ == "__main__":
    sys.exit(main())
