"""Means, factorisations and models at 50,000 samples: time, memory, agreement."""

import time

from rich.console import Console
from rich.table import Table

from benchmarks.harness import with_peak
from coterie.consensus import BCE, CDKM, ECC, KC, KCC, NMFC, SEC, WCC, Borda
from coterie.datasets import make_planted_ensemble
from coterie.metrics import ari

METHODS = {
    "KCC": KCC(),
    "KCC, uh normalised": KCC(utility="uh", normalised=True),
    "KCC, ucos": KCC(utility="ucos"),
    "KCC, ulp": KCC(utility="ulp"),
    "ECC": ECC(),
    "SEC": SEC(),
    "CDKM": CDKM(),
    "KC": KC(),
    "NMFC": NMFC(),
    "WCC": WCC(),
    "BCE": BCE(),
    "Borda": Borda(),
}


def fifty_thousand(console: Console) -> None:
    """Print CPU, wall time, memory and ARI of the methods that scale, N = 50,000."""
    planted = make_planted_ensemble(
        50_000, n_clusters=10, n_members=20, split=2, noise=0.1, random_state=0
    )
    ensemble = planted.ensemble
    few = make_planted_ensemble(2000, n_clusters=10, n_members=20, random_state=1)
    small = few.ensemble
    title = f"N = 50,000, 20 members, {len(ensemble.core):,} distinct rows, k = 10"
    table = Table(title=title, title_justify="left")
    for column in ("method", "CPU s", "wall s", "peak MB", "ARI", "iterations"):
        table.add_column(column)
    for name, method in METHODS.items():
        method.combine(small, 10, seed=0)  # compiles
        cpu, wall = time.process_time(), time.perf_counter()
        result, peak = with_peak(
            lambda data, m=method: m.combine(data, 10, seed=0), ensemble
        )
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        table.add_row(
            name,
            f"{cpu:.1f}",
            f"{wall:.1f}",
            "-" if peak is None else f"{peak:.0f}",
            f"{ari(planted.truth, result.labels):.4f}",
            str(result.n_iter),
        )
    console.print(table)
