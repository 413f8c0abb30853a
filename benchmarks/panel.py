"""The panel from 100 to 100,000 samples, beside what a user would run instead."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

import coterie
from benchmarks.harness import with_peak
from coterie._kernels._jit import kernel_threads
from coterie.metrics import ari

SIZES = (100, 1_000, 5_000, 20_000, 100_000)
MDEC_SAMPLES = 20_000  # beyond that its tree takes minutes
N_FEATURES, N_CLUSTERS = 20, 10


def _panel(effort: str) -> Callable[[Any], Any]:
    return lambda X: coterie.EnsembleClustering(
        N_CLUSTERS, effort=effort, random_state=0
    ).fit_predict(X)


def _mdec(X: Any) -> Any:
    return coterie.MDEC(N_CLUSTERS, random_state=0).fit_predict(X)


def _kmeans(X: Any) -> Any:
    return KMeans(N_CLUSTERS, n_init=10, random_state=0).fit_predict(X)


def _umap(X: Any) -> Any:
    from umap import UMAP

    return HDBSCAN(copy=True).fit_predict(UMAP(random_state=0).fit_transform(X))


def contenders() -> dict[str, Callable[[Any], Any]]:
    """Return the methods by name; UMAP is no dependency of the project."""
    found = {
        "panel": _panel("normal"),
        "panel, quick": _panel("quick"),
        "MDEC": _mdec,
        "KMeans (n_init=10)": _kmeans,
    }
    try:
        import umap  # noqa: F401
    except ImportError:
        return found
    return {**found, "UMAP + HDBSCAN": _umap}


def sizes(console: Console) -> None:
    """Print CPU seconds, peak memory and ARI on overlapping blobs; one thread."""
    title = f"overlapping blobs, {N_FEATURES} features, k = {N_CLUSTERS}, one thread"
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for column in ("samples", "CPU s", "peak MB", "ARI"):
        table.add_column(column, justify="right")
    with threadpool_limits(1), kernel_threads(1):
        small, _ = make_blobs(300, N_FEATURES, centers=3, random_state=1)
        for method in contenders().values():
            method(small)  # compiles
        for n in SIZES:
            X, y = make_blobs(
                n, N_FEATURES, centers=N_CLUSTERS, cluster_std=5.0, random_state=0
            )
            for name, method in contenders().items():
                if name == "MDEC" and n > MDEC_SAMPLES:
                    continue
                start = time.process_time()
                labels, peak = with_peak(method, np.ascontiguousarray(X))
                cpu = time.process_time() - start
                memory = "-" if peak is None else f"{peak:.0f}"
                score = f"{ari(y, labels):.3f}"
                table.add_row(name, f"{n:,}", f"{cpu:.1f}", memory, score)
    console.print(table)
