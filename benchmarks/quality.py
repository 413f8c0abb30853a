"""Every consensus function on the same 50 members of digits, over ten draws."""

import time
from collections import defaultdict

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits
from threadpoolctl import threadpool_limits

from coterie._catalog import METHODS, Entry, entries
from coterie.ensemble import Ensemble
from coterie.generation import RandomKMeans
from coterie.metrics import ari, nmi
from coterie.systems._defaults import paper_weighter

N_DRAWS, N_MEMBERS = 10, 50


def combine(entry: Entry, ensemble: Ensemble, X: np.ndarray, seed: int) -> np.ndarray:
    """Combine with the weights of the method's own paper."""
    weighter = paper_weighter(entry.load())
    weights = None if weighter is None else weighter.weigh(ensemble, X=X)
    part = entry.load()()
    return part.combine(ensemble, 10, weights=weights, X=X, seed=seed).labels


def digits(console: Console) -> None:
    """Print NMI (geometric), ARI and CPU seconds, mean over the draws."""
    X, y = load_digits(return_X_y=True)
    methods = {
        e.name: e for e in entries(*METHODS) if not e.too_many(len(X), N_MEMBERS)
    }
    generator = RandomKMeans(N_MEMBERS, n_clusters=(10, 42))
    for entry in methods.values():  # compile
        combine(entry, generator.generate(X, seed=N_DRAWS), X, 0)
    measured = defaultdict(list)
    with threadpool_limits(1):
        for seed in range(N_DRAWS):
            ensemble = generator.generate(X, seed=seed)
            runs = {
                "KMeans (n_init=10)": lambda s=seed: KMeans(
                    10, n_init=10, random_state=s
                ).fit_predict(X),
                **{
                    name: lambda e=entry, s=seed, p=ensemble: combine(e, p, X, s)
                    for name, entry in methods.items()
                },
            }
            for name, run in runs.items():
                start = time.process_time()
                labels = run()
                cpu = time.process_time() - start
                measured[name].append((nmi(y, labels), ari(y, labels), cpu))
    _show(measured, console)


def _show(
    measured: dict[str, list[tuple[float, float, float]]], console: Console
) -> None:
    title = f"digits, 50 k-means members with k in [10, 42], mean of {N_DRAWS} draws"
    table = Table(title=title, title_justify="left")
    table.add_column("method")
    for column in ("NMI", "sd", "ARI", "sd", "CPU s"):
        table.add_column(column, justify="right")
    for name, rows in sorted(
        measured.items(), key=lambda item: -np.mean([row[0] for row in item[1]])
    ):
        mean, sd = np.mean(rows, axis=0), np.std(rows, axis=0)
        table.add_row(
            name,
            f"{mean[0]:.4f}",
            f"{sd[0]:.4f}",
            f"{mean[1]:.4f}",
            f"{sd[1]:.4f}",
            f"{np.median([row[2] for row in rows]):.3f}",
        )
    console.print(table)
