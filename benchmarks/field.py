"""Walks, links and landmarks: 50,000 samples, and U-SENC on a million."""

import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.datasets import make_blobs, make_moons

from benchmarks.harness import with_peak
from coterie import USENC, Ensemble
from coterie.clusterers import USPEC
from coterie.datasets import make_planted_ensemble
from coterie.exceptions import MemoryLimitError
from coterie.generation import RandomKMeans
from coterie.metrics import ari
from coterie.systems._combine import combine

N, M, K = 50_000, 20, 10
LIMIT = 2_000_000_000  # bytes that one array may take
METHODS = (
    *("ecpcs-mc", "gp-mgla", "weac", "ecpcs-hc", "cts", "srs", "asrs", "pta", "ptgp"),
    *("drec", "hbgf", "lwgp", "lwea"),
)


def fifty_thousand(console: Console) -> None:
    """Print time, memory and ARI of walks and links for 50,000 samples, 20 members."""
    X, y = make_blobs(N, n_features=10, centers=K, cluster_std=4.0, random_state=0)
    kmeans = RandomKMeans(M, n_clusters=(K, 3 * K)).generate(X, seed=0)
    planted = make_planted_ensemble(
        N, n_clusters=K, n_members=M, split=2, noise=0.1, random_state=0
    )
    _table("k-means members of ten blobs", kmeans, y, console)
    noisy = "planted members, a tenth of the labels wrong"
    _table(noisy, planted.ensemble, planted.truth, console)


def _table(what: str, ensemble: Ensemble, y: np.ndarray, console: Console) -> None:
    u, C = len(ensemble.core), ensemble.n_total_clusters
    title = f"N = {N:,}, {M} {what}: {u:,} distinct rows, {C} clusters"
    table = Table(title=title, title_justify="left")
    for column in ("method", "CPU s", "wall s", "peak MB", "ARI"):
        table.add_column(column)
    few = make_planted_ensemble(500, n_clusters=K, n_members=M, random_state=1)
    small = few.ensemble
    with _memory_limit():
        for method in METHODS:
            combine(small, K, method, random_state=0)  # compiles
            table.add_row(method, *_measured(ensemble, y, method))
    console.print(table)


def _measured(ensemble: Ensemble, y: np.ndarray, method: str) -> list[str]:
    cpu, wall = time.process_time(), time.perf_counter()
    try:
        labels, peak = with_peak(
            lambda data: combine(data, K, method, random_state=0), ensemble
        )
    except MemoryLimitError as refusal:
        needs = re.search(r"need ([\d.]+ \w+)", str(refusal))
        return ["-", "-", f"refused, {needs[1]}", "-"]
    cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
    return [f"{cpu:.1f}", f"{wall:.1f}", _megabytes(peak), f"{ari(y, labels):.4f}"]


@contextmanager
def _memory_limit() -> Iterator[None]:
    before = os.environ.get("COTERIE_MEMORY_LIMIT")
    os.environ["COTERIE_MEMORY_LIMIT"] = str(LIMIT)
    try:
        yield
    finally:
        del os.environ["COTERIE_MEMORY_LIMIT"]
        if before is not None:
            os.environ["COTERIE_MEMORY_LIMIT"] = before


def usenc_million(console: Console) -> None:
    """Print time, memory and ARI of U-SPEC and U-SENC on 1,000,000 two-moons points."""
    X, y = make_moons(1_000_000, noise=0.05, random_state=0)
    models: dict[str, Any] = {
        "U-SPEC": USPEC(2, random_state=0),
        "U-SENC, 20 members": USENC(2, random_state=0, n_jobs=2),
    }
    table = Table(title="1,000,000 points of two moons", title_justify="left")
    for column in ("method", "CPU s", "wall s", "peak MB", "ARI"):
        table.add_column(column)
    for name, model in models.items():
        model.fit(X[:5000])  # compiles
        cpu, wall = time.process_time(), time.perf_counter()
        fitted, peak = with_peak(model.fit, X)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        score = f"{ari(y, fitted.labels_):.4f}"
        table.add_row(name, f"{cpu:.0f}", f"{wall:.0f}", _megabytes(peak), score)
    console.print(table)


def _megabytes(peak: float | None) -> str:
    return "-" if peak is None else f"{peak:.0f}"
