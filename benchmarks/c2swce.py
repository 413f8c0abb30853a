"""The integration phase of C2SWCE on USPS in ten sizes, beside the printed seconds."""

import statistics
import time
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.sparse as sp
from rich.console import Console
from rich.table import Table
from scipy.cluster.hierarchy import average, cut_tree
from scipy.spatial.distance import squareform
from sklearn.metrics import euclidean_distances

from benchmarks.harness import Row
from benchmarks.mdec import Task, load
from coterie import Ensemble
from coterie.consensus import (
    CoreBipartite,
    CoreLinkage,
    CoreMetaClusters,
    CoreSpectral,
)
from coterie.generation import LaplacianSubspaceSpectral
from coterie.metrics import ari
from coterie.weighting import CoreStabilityWeighter

NAME = "c2swce-usps"
TASK = "weights and consensus of 10 members, 1,100 to 11,000 x 256 (Fig. 5)"
PRINTED = {"hc": 195.23, "sc": 209.15, "bg": 220.72, "mc": 231.65}  # all 11,000
K, N_JOBS = 10, 2


def integrate(form: str, ensemble: Ensemble, X: np.ndarray) -> np.ndarray:
    """Weigh and combine, as in C2SWCE(consensus=form)."""
    if form == "mc":
        return CoreMetaClusters().combine(ensemble, K, seed=0).labels
    levels = "both" if form == "bg" else "members"
    weights = CoreStabilityWeighter(levels=levels).weigh(ensemble, X=X)
    part = {"hc": CoreLinkage, "sc": CoreSpectral, "bg": CoreBipartite}[form]()
    return part.combine(ensemble, K, weights=weights, X=X, seed=0).labels


def plain_linkage(ensemble: Ensemble, X: np.ndarray) -> np.ndarray:
    """C2SWCE-HC as one would write it: all pairs of each member, scipy's linkage."""
    rows, index, counts = np.unique(
        ensemble.labels, axis=0, return_inverse=True, return_counts=True
    )
    u, N = len(rows), len(X)
    mean = sp.csr_array((1 / counts[index], (index, np.arange(N))), shape=(u, N))
    A, stability = np.zeros((u, u)), []
    similar = []
    for j, member in enumerate(ensemble.members):
        D = euclidean_distances(X[:, member.features].astype(np.float64))
        D /= np.sqrt((D**2).sum() / (N * (N - 1.0)))
        CCS = mean @ (mean @ D).T
        per_cluster = []
        for code in range(rows[:, j].max() + 1):
            inside = np.flatnonzero(rows[:, j] == code)
            pairs = CCS[np.ix_(inside, inside)][np.triu_indices(inside.size, 1)]
            per_cluster.append(np.exp(-pairs.mean()) if pairs.size else 1.0)
        stability.append(np.mean(per_cluster))
        together = rows[:, j][:, None] == rows[:, j]
        similar.append(np.where(together, np.exp(-CCS), 0.0).astype(np.float32))
    weights = np.array(stability) / np.sum(stability)
    for weight, S in zip(weights, similar, strict=True):
        A += weight * S
    Z = average(squareform(1 - A, checks=False))
    return cut_tree(Z, K).ravel()[index]


def drawn(task: Task, share: float) -> np.ndarray:
    """Return the data with a share of each class, as the paper draws them."""
    rng = np.random.default_rng(0)
    rows = [
        rng.choice(at, round(share * at.size), replace=False)
        for at in (np.flatnonzero(task.y == c) for c in np.unique(task.y))
    ]
    return task.X[np.sort(np.concatenate(rows))]


def median_seconds(work: Callable[[], np.ndarray], repeats: int) -> tuple[float, float]:
    """Return seconds on the clock, and of the processor: the machine may be busy."""
    times = []
    for _ in range(repeats):
        start, used = time.perf_counter(), time.process_time()
        work()
        times.append((time.perf_counter() - start, time.process_time() - used))
    return tuple(statistics.median(column) for column in zip(*times, strict=True))


def run_sizes(repeats: int, console: Console) -> list[Row]:
    """Time the four forms in ten sizes, and plain scipy in the last."""
    try:
        task = load("usps")
    except FileNotFoundError as error:
        console.print(f"{NAME}: skipped, {error}")
        return []
    few = drawn(task, 0.05)
    small = LaplacianSubspaceSpectral().generate(few, seed=0)
    for form in PRINTED:  # compiles
        integrate(form, small, few)
    table = Table(title=f"{NAME}: {TASK}; seconds (CPU)", title_justify="left")
    for column in ("samples", "core clusters", *PRINTED, "(members)"):
        table.add_column(column, justify="right")
    rows: list[Row] = []
    for share in np.arange(1, 11) / 10:
        X = drawn(task, share)
        start = time.perf_counter()
        ensemble = LaplacianSubspaceSpectral().generate(X, seed=0, n_jobs=N_JOBS)
        made = time.perf_counter() - start
        took = {
            form: median_seconds(partial(integrate, form, ensemble, X), repeats)
            for form in PRINTED
        }
        counts = (f"{len(X):,}", f"{len(ensemble.core):,}")
        cells = (f"{clock:.2f} ({cpu:.2f})" for clock, cpu in took.values())
        table.add_row(*counts, *cells, f"{made:.1f}")
    table.add_row("printed", "", *(f"{s:.2f}" for s in PRINTED.values()), "")
    for form, (seconds, _) in took.items():
        rows.append(Row(NAME, f"coterie {form}", seconds, 1.0, None))
        ratio = PRINTED[form] / seconds
        rows.append(Row(NAME, f"printed {form}", PRINTED[form], ratio, None))
    console.print(table)
    start = time.perf_counter()
    labels = plain_linkage(ensemble, X)
    seconds = time.perf_counter() - start
    ratio = seconds / took["hc"][0]
    rows.append(Row(NAME, "plain scipy hc", seconds, ratio, None))
    same = ari(labels, integrate("hc", ensemble, X))
    console.print(
        f"Plain scipy and scikit-learn, hc, 11,000 samples: {seconds:.1f} s, "
        f"{ratio:.1f} x; ARI of its labels with ours {same:.3f}."
    )
    return rows
