"""20,000,000 rows of Parquet on two Dask workers, one of them killed on the way.

``python -m benchmarks.dask_large RUN FOLDER LABELS [SECONDS]`` is one of the two runs
that are compared, in a process of its own.
"""

import logging
import os
import signal
import sys
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
from rich.table import Table

from benchmarks.large import D, K, measured
from coterie import LargeEnsembleClustering, use_engine

N, FILES = 20_000_000, 80
MEMBERS = 6


def make_files(folder: Path) -> None:
    """Write n x 16 float32: 20 Gaussian clusters that overlap a little."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = np.random.default_rng(0)
    centers = (rng.normal(size=(K, D)) * 0.8).astype(np.float32)
    names = [f"x{j}" for j in range(D)]
    for number in range(FILES):
        y = rng.integers(K, size=N // FILES)
        X = centers[y] + rng.standard_normal((len(y), D), dtype=np.float32)
        table = pa.table(list(X.T.copy()), names=names)
        path = folder / f"{number:03d}.parquet"
        pq.write_table(table, path, row_group_size=len(y), use_dictionary=False)


def system() -> LargeEnsembleClustering:
    return LargeEnsembleClustering(K, n_members=MEMBERS, random_state=0, n_jobs=2)


def alone(folder: Path, out: Path) -> None:
    """Fit in this process, on two threads."""
    np.save(out, system().fit(folder).labels_)


def on_workers(folder: Path, out: Path, seconds: float) -> None:
    """Fit on two worker processes, one of which is killed after some seconds."""
    import dask.dataframe as dd
    import pyarrow.parquet as pq
    from dask.distributed import Client, LocalCluster

    address = "127.0.0.1:0"
    with (
        LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            dashboard_address=address,
            silence_logs=logging.ERROR,
        ) as cluster,
        Client(cluster) as client,
    ):
        frame = dd.read_parquet(folder, blocksize=None)
        files = sorted(folder.glob("*.parquet"))
        lengths = [pq.ParquetFile(file).metadata.num_rows for file in files]
        array = frame.to_dask_array(lengths=lengths)

        def kill() -> None:
            results = len(client.who_has())
            os.kill(cluster.workers[0].process.pid, signal.SIGKILL)
            _say(f"a worker killed after {seconds:.0f} s; {results} results on workers")

        timer = threading.Timer(seconds, kill)
        timer.start()
        with use_engine(client):
            model = system().fit(array)
        if timer.is_alive():
            raise AssertionError("the run ended before a worker could be killed")
        start = time.perf_counter()
        labels = model.ensemble_.to_dask()
        same = float((labels[:, 0] == labels[:, 1]).mean().compute())
        took = time.perf_counter() - start
        _say(
            f"to_dask(): {labels.shape} {labels.dtype} in {labels.numblocks[0]} "
            f"blocks; a mean over two members ({same:.4f}) takes {took:.1f} s"
        )
        np.save(out, model.labels_)


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def dask_large(console) -> None:
    """20,000,000 rows of Parquet: one process, and two workers of which one dies."""
    grid = Table(
        "20,000,000 x 16, 6 members", "seconds", "CPU seconds", "largest process"
    )
    with tempfile.TemporaryDirectory() as own:
        folder = Path(own)
        data = folder / "data"
        data.mkdir()
        make_files(data)
        words = [sys.executable, "-m", "benchmarks.dask_large"]
        paths = {run: folder / f"{run}.npy" for run in ("alone", "workers")}
        clock = 0.0
        for run, path in paths.items():
            rest = [run, str(data), str(path)]
            if run == "workers":
                rest.append(f"{clock / 2:.0f}")
            clock, cpu, peak = measured([*words, *rest])
            grid.add_row(run, f"{clock:.1f}", f"{cpu:.1f}", f"{peak:.2f} GB")
        labels = [np.load(path) for path in paths.values()]
    console.print(grid)
    equal = bool((labels[0] == labels[1]).all())
    console.print(f"labels equal: {equal}")
    if not equal:
        raise AssertionError("the labels differ")


if __name__ == "__main__":
    run, folder, out, *seconds = sys.argv[1:]
    if run == "alone":
        alone(Path(folder), Path(out))
    else:
        on_workers(Path(folder), Path(out), float(seconds[0]))
