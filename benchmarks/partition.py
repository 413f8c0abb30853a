"""Partitioning: CSPA, MCLA, HGPA and HBGF beside k-means; large graphs; memory."""

import time
from collections import defaultdict
from collections.abc import Mapping
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, make_blobs
from threadpoolctl import threadpool_limits

from benchmarks.harness import Case, with_peak
from coterie.consensus import CSPA, HBGF, HGPA, MCLA, WOHB, WOSP
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Ensemble
from coterie.generation import MixedKMeans, RandomKMeans
from coterie.metrics import ari, nmi
from coterie.weighting import DifficultyWeighter

N_DRAWS = 10
METHODS = {
    "CSPA": CSPA(),
    "MCLA": MCLA(),
    "HGPA": HGPA(),
    "HBGF (metis)": HBGF(partition="metis"),
}
PEERS = {"CSPA": 0.750, "MCLA": 0.797, "HGPA": 0.759, "HBGF (metis)": 0.731}


def digits(console: Console) -> None:
    """Print NMI and CPU beside the best known Python peer and one KMeans."""
    X, y = load_digits(return_X_y=True)
    generator = RandomKMeans(50, n_clusters=(10, 42))
    for method in METHODS.values():  # compile
        method.combine(generator.generate(X, seed=N_DRAWS), 10, seed=0)
    rows = defaultdict(list)
    with threadpool_limits(1):
        for seed in range(N_DRAWS):
            ensemble = generator.generate(X, seed=seed)
            start = time.process_time()
            KMeans(10, n_init=10, random_state=seed).fit(X)
            once = time.process_time() - start
            for name, method in METHODS.items():
                start = time.process_time()
                labels = method.combine(ensemble, 10, seed=seed).labels
                cpu = time.process_time() - start
                rows[name].append((nmi(y, labels), cpu, cpu / once))
    title = f"digits, 50 k-means members with k in [10, 42], {N_DRAWS} draws"
    table = Table(title=title, title_justify="left")
    for column in ("method", "NMI", "sd", "peer", "CPU s", "x KMeans(n_init=10)"):
        table.add_column(column)
    for name, measured in rows.items():
        scores = [row[0] for row in measured]
        table.add_row(
            name,
            f"{np.mean(scores):.4f}",
            f"{np.std(scores):.4f}",
            f"{PEERS[name]:.3f}",
            f"{np.median([row[1] for row in measured]):.3f}",
            f"{np.median([row[2] for row in measured]):.2f}",
        )
    console.print(table)


def fifty_thousand(console: Console) -> None:
    """Print CPU, wall time, memory and ARI for 50,000 samples and 20 members."""
    planted = make_planted_ensemble(
        50_000, n_clusters=10, n_members=20, split=2, noise=0.1, random_state=0
    )
    few = make_planted_ensemble(2000, n_clusters=10, n_members=20, random_state=1)
    small = few.ensemble
    table = Table(title="N = 50,000, 20 members, k = 10", title_justify="left")
    for column in ("method", "CPU s", "wall s", "peak MB", "ARI", "balance"):
        table.add_column(column)
    methods = {
        **{name: METHODS[name] for name in ("MCLA", "HGPA", "HBGF (metis)")},
        "HBGF (spectral)": HBGF(),
    }
    for name, method in methods.items():
        method.combine(small, 10, seed=0)  # compiles
        cpu, wall = time.process_time(), time.perf_counter()
        result, peak = with_peak(
            lambda data, m=method: m.combine(data, 10, seed=0), planted.ensemble
        )
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        balance = np.bincount(result.labels).max() * 10 / 50_000
        table.add_row(
            name,
            f"{cpu:.1f}",
            f"{wall:.1f}",
            "-" if peak is None else f"{peak:.0f}",
            f"{ari(planted.truth, result.labels):.4f}",
            f"{balance:.3f}",
        )
    console.print(table)


def _ten_thousand() -> tuple[np.ndarray, np.ndarray, Ensemble, Any]:
    X, y = make_blobs(
        10_000, n_features=10, centers=10, cluster_std=4.0, random_state=0
    )
    ensemble = MixedKMeans(40, n_clusters=10).generate(X, seed=0)
    return X, y, ensemble, DifficultyWeighter().weigh(ensemble)


def _with_data(method: Any) -> Any:
    def run(data: tuple) -> Any:
        X, _, ensemble, weights = data
        return method.combine(ensemble, 10, weights=weights, X=X, seed=0)

    return run


def _cuts(results: Mapping[str, Any]) -> str:
    y = _ten_thousand()[1]
    told = [
        f"{name}: ARI {ari(y, r.labels):.4f}, balance {float(r.details['balance']):.3f}"
        for name, r in results.items()
    ]
    return "; ".join(told)


CASES = [
    Case(
        "wosp-10000",
        "N = 10,000, 40 members of 10 clusters, 10 clusters",
        _ten_thousand,
        {
            "WOSP": _with_data(WOSP()),
            "WOSP, 300 neighbours": _with_data(WOSP(n_neighbors=300)),
            "WOHB": _with_data(WOHB()),
        },
        _cuts,
    ),
]
