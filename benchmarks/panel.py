"""The panel from 100 to 1,000,000 samples, beside what a user would run instead."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from rich.console import Console
from sklearn.cluster import HDBSCAN, KMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

import coterie
from benchmarks.harness import with_peak
from benchmarks.mdec import load
from coterie._kernels._jit import kernel_threads
from coterie.metrics import ari

SIZES = (100, 1_000, 5_000, 20_000, 100_000, 1_000_000)
# MDEC's tree takes minutes beyond that, and so does HDBSCAN.
MOST = {"MDEC": 20_000, "UMAP + HDBSCAN": 20_000}
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
    console.print(f"overlapping blobs, {N_FEATURES} features, k = {N_CLUSTERS}")
    console.print("samples method                CPU s  peak MB    ARI")
    with threadpool_limits(1), kernel_threads(1):
        small, _ = make_blobs(300, N_FEATURES, centers=3, random_state=1)
        for method in contenders().values():
            method(small)  # compiles
        for n in SIZES:
            X, y = make_blobs(
                n, N_FEATURES, centers=N_CLUSTERS, cluster_std=5.0, random_state=0
            )
            for name, method in contenders().items():
                if n > MOST.get(name, n):
                    continue
                (labels, peak), cpu = _timed(with_peak, method, np.ascontiguousarray(X))
                memory = "-" if peak is None else f"{peak:.0f}"
                score = f"{ari(y, labels):.3f}"
                console.print(f"{n:7,} {name:20} {cpu:6.1f} {memory:>8} {score:>6}")


def beside_mdec(console: Console) -> None:
    """Print CPU seconds of the panel and of MDEC on MF (2,000 x 649), in turn."""
    X = load("multiple_features").X
    with threadpool_limits(1), kernel_threads(1):
        for turn in range(4):
            mdec, panel = (_timed(method, X)[1] for method in (_mdec, _panel("normal")))
            if turn > 0:  # the first compiles
                ratio = f"{panel / mdec:.1f} x"
                console.print(f"MDEC {mdec:.2f} s, panel {panel:.2f} s: {ratio}")


def _timed(function: Callable[..., Any], *args: Any) -> tuple[Any, float]:
    start = time.process_time()
    return function(*args), time.process_time() - start
