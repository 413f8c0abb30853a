"""fMBN-E on the 70,000 digits of MNIST: seconds, peak memory and accuracy.

``python -m experiments.mbn_large`` appends a row to ``results/mbn_large.csv``.
"""

import argparse
import csv
import resource
import time
from pathlib import Path

import numpy as np
from sklearn.decomposition import PCA

from coterie import MBNEnsemble, use_engine
from coterie.metrics import score
from experiments._data import load

RESULTS = Path(__file__).parent / "results" / "mbn_large.csv"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.mbn_large")
    parser.add_argument("--samples", type=int, default=70_000)
    parser.add_argument("--models", type=int, default=40)
    parser.add_argument("--clusterings", type=int, default=400)
    parser.add_argument("--views", type=int, help="n_views; default 64")
    parser.add_argument("--checkpoint", help="a folder: a run that was killed goes on")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    data = load("mnist70k")
    rows = np.random.default_rng(options.seed).permutation(len(data.y))
    rows = np.sort(rows[: options.samples])
    X = PCA(100, random_state=0).fit_transform(data.X[rows]).astype(np.float32)
    start = time.perf_counter()
    model = MBNEnsemble(
        data.n_classes,
        n_members=options.models,
        n_clusterings=options.clusterings,
        n_views=options.views,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=lambda done, total: print(
            f"{done}/{total} networks, {time.perf_counter() - start:.0f} s", flush=True
        ),
    )
    with use_engine(checkpoint=options.checkpoint):
        model.fit(X)
    seconds = time.perf_counter() - start
    found = score(data.y[rows], model.labels_)
    row = {
        "samples": len(rows),
        "Z": options.models,
        "V": options.clusterings,
        "views": options.views or 64,
        "seed": options.seed,
        "jobs": options.jobs,
        "seconds": f"{seconds:.0f}",
        "cpu_seconds": f"{time.process_time():.0f}",
        "peak_gib": f"{_peak_gib():.2f}",
        "acc": f"{found['acc']:.4f}",
        "nmi": f"{found['nmi_geometric']:.4f}",
        "printed_acc": "0.964",
    }
    print(row)
    new = not RESULTS.exists()
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, row, lineterminator="\n")
        if new:
            writer.writeheader()
        writer.writerow(row)


def _peak_gib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # on Linux


if __name__ == "__main__":
    main()
