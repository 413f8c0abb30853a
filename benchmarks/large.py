"""Millions of samples: the curve from 1e5 to 1e7, one consensus against one KMeans."""

import os
import resource
import subprocess
import sys
import tempfile
import time
from functools import partial
from itertools import pairwise
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.harness import with_peak
from coterie import combine
from coterie.ensemble import BlockEnsemble
from coterie.ensemble._blocks import MemoryBlocks

K, D, WIDE = 20, 16, 128
SIZES = (100_000, 1_000_000, 10_000_000)


def make_file(path, n):
    """Write n x 16 float32: 20 Gaussian clusters that overlap a little."""
    rng = np.random.default_rng(0)
    centers = rng.normal(size=(K, D)) * 0.8
    X = np.lib.format.open_memmap(path, mode="w+", dtype=np.float32, shape=(n, D))
    y = np.empty(n, dtype=np.int8)
    for start in range(0, n, 500_000):
        part = slice(start, min(start + 500_000, n))
        y[part] = rng.integers(K, size=part.stop - start)
        X[part] = centers[y[part]] + rng.normal(size=(part.stop - start, D))
    X.flush()
    return y


def scale(console):
    """`coterie cluster` from file to labels file, 1e5 to 1e7 rows: time and memory."""
    from sklearn.cluster import KMeans

    from coterie.metrics import ari

    grid = Table("rows", "seconds", "CPU seconds", "peak memory", "ARI", "slope")
    before = None
    with tempfile.TemporaryDirectory() as folder:
        for n in SIZES:
            data, labels = Path(folder) / "data.npy", Path(folder) / "labels.npy"
            y = make_file(data, n)
            program = Path(sys.executable).with_name("coterie")
            words = [program, "cluster", data, "-k", str(K), "-o", labels, "--quiet"]
            seconds, cpu, peak = measured([*map(str, words), "--system", "large"])
            slope = ""
            if before is not None:
                ratio = np.log(cpu / before[1]) / np.log(n / before[0])
                slope = f"{ratio:.2f}"
            before = (n, cpu)
            found = ari(y, np.load(labels))
            row = f"{n:,}", f"{seconds:.1f}", f"{cpu:.1f}", f"{peak:.2f} GB"
            grid.add_row(*row, f"{found:.3f}", slope)
            console.print(*row, f"ARI {found:.3f} slope {slope}")
            if n == SIZES[0]:
                alone = KMeans(K, n_init=3, random_state=0).fit_predict(np.load(data))
                console.print(f"KMeans(n_init=3) on these: ARI {ari(y, alone):.3f}")
    console.print(grid)


def measured(words):
    """Run a command; return seconds, CPU seconds and peak resident memory in GB."""
    start = time.perf_counter()
    process = subprocess.Popen(words)
    _, status, usage = os.wait4(process.pid, 0)
    assert status == 0, words
    cpu = usage.ru_utime + usage.ru_stime
    return time.perf_counter() - start, cpu, usage.ru_maxrss / 1e6


def million():
    """Return a million points and their labels in 50 members of 20 to 60 clusters."""
    from sklearn.cluster import MiniBatchKMeans

    rng = np.random.default_rng(0)
    n = 1_000_000
    centers = rng.normal(size=(K, D)) * 0.8
    X = (centers[rng.integers(K, size=n)] + rng.normal(size=(n, D))).astype(np.float32)
    columns = []
    for j in range(50):
        k = int(rng.integers(20, 61))
        model = MiniBatchKMeans(k, n_init=1, batch_size=4096, random_state=j)
        columns.append(model.fit(X[rng.choice(n, 50_000)]).predict(X).astype(np.int32))
    return X, np.column_stack(columns)


def beside_kmeans(console):
    """`combine(labels, 20, "lwgp")` of 1,000,000 x 50 beside one KMeans(n_init=1)."""
    from sklearn.cluster import KMeans

    X, labels = million()
    ways = {
        f"KMeans(n_init=1), {D} features": lambda: KMeans(
            K, n_init=1, random_state=0
        ).fit(X),
        "lwgp, 50 members": lambda: combine(labels, K, "lwgp", random_state=0),
    }
    combine(labels[:5000], K, "lwgp", random_state=0)  # compiles
    grid = Table("run", "what", "seconds", "CPU seconds", "x KMeans, CPU", "peak MB")
    for turn in range(1, 4):
        alone = None
        for name, way in ways.items():
            start, cpu = time.perf_counter(), time.process_time()
            _, peak = with_peak(lambda _, way=way: way(), None)
            took = time.process_time() - cpu
            alone = alone or took
            texts = f"{time.perf_counter() - start:.1f}", f"{took:.2f}"
            memory = "-" if peak is None else f"{peak:.0f}"
            grid.add_row(str(turn), name, *texts, f"{took / alone:.2f}", memory)
    console.print(grid)


def consensus_million(console):
    """Consensus of 1,000,000 x 50 labels against one KMeans(n_init=1) on the data."""
    from sklearn.cluster import KMeans

    from coterie._large import ROW_METHODS

    X, labels = million()
    rng = np.random.default_rng(0)
    sizes = labels.max(axis=0) + 1
    ways = {
        "lwgp": lambda rows: combine(rows, K, consensus="lwgp", random_state=0),
        "hbgf": lambda rows: combine(rows, K, consensus="hbgf", random_state=0),
        **{
            f"{method}, by blocks": partial(_by_blocks, method, sizes)
            for method in ROW_METHODS
        },
    }
    for way in ways.values():  # compile
        way(labels[:5000])
    ratios = [f"CPU, x KMeans on {d} features" for d in (D, WIDE)]
    grid = Table("what", "seconds", "CPU seconds", *ratios)
    alone = []
    for width in (D, WIDE):
        wide = np.tile(X, width // D)
        if width > D:
            wide += rng.normal(size=wide.shape).astype(np.float32)
        one = _timed(lambda Y=wide: KMeans(K, n_init=1, random_state=0).fit(Y))
        grid.add_row(f"KMeans(n_init=1), {width} features", *(f"{v:.1f}" for v in one))
        alone.append(one[1])
    del wide
    for name, way in ways.items():
        took = _timed(lambda way=way: way(labels))
        texts = (f"{v:.1f}" for v in took)
        shares = (f"{took[1] / cpu:.2f}" for cpu in alone)
        grid.add_row(f"{name}, 50 members", *texts, *shares)
    console.print(grid)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    console.print(f"peak resident memory of all: {peak:.1f} GB")


def _by_blocks(method, sizes, labels):
    bounds = np.array([*range(0, len(labels), 250_000), len(labels)])
    parts = [labels[a:b].astype(np.uint8) for a, b in pairwise(bounds)]
    ensemble = BlockEnsemble(MemoryBlocks(parts), bounds, sizes, n_jobs=2)
    return combine(ensemble, K, method, random_state=0)


def _timed(work):
    start, cpu = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - cpu


def dask_overhead(console):
    """Dask's part of the time where a member takes a second: 2 workers, 40 members."""
    from dask.distributed import Client, LocalCluster

    from coterie._engine import run_members, use_engine

    def seconds(engine):
        start = time.perf_counter()
        with use_engine(engine):
            run_members(_one_second, 40, who="benchmark", seed=0, n_jobs=2)
        return time.perf_counter() - start

    grid = Table("engine", "seconds", "over 20 s", "again", "over 20 s")

    def measure(name, engine):
        times = [seconds(engine) for _ in range(2)]
        cells = [(f"{t:.2f}", f"{100 * (t / 20 - 1):.1f}%") for t in times]
        grid.add_row(name, *cells[0], *cells[1])

    measure("threads", "threads")
    measure("processes", "processes")
    with (
        LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as own,
        Client(own) as client,
    ):
        measure("dask, 2 workers", client)
    console.print(grid)
    console.print("The first time workers import what they need.")


def _one_second(number, rng):
    time.sleep(1.0)  # not CPU: what is measured is all that is not the member
    return float(rng.random())
