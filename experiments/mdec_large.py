"""MDEC-BG on all 70,000 digits of MNIST: seconds, peak memory, NMI and ACC.

``python -m experiments.mdec_large`` appends a row to ``results/mdec_large.csv``.
"""

import argparse
import csv
import resource
import time
from pathlib import Path

from coterie import MDEC
from coterie.metrics import score
from experiments._data import load

RESULTS = Path(__file__).parent / "results" / "mdec_large.csv"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.mdec_large")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--members", type=int, default=100)
    options = parser.parse_args()
    data = load("mnist70k")
    start = time.perf_counter()
    model = MDEC(
        data.n_classes,
        consensus="bg",
        n_members=options.members,
        random_state=options.seed,
        n_jobs=options.jobs,
        progress=lambda done, total: print(
            f"{done}/{total} members, {time.perf_counter() - start:.0f} s", flush=True
        ),
    ).fit(data.X)
    seconds = time.perf_counter() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20  # GiB on Linux
    found = score(data.y, model.labels_)
    recall = [member.params["recall"] for member in model.ensemble_.members]
    row = {
        "data": data.name,
        "members": options.members,
        "seed": options.seed,
        "jobs": options.jobs,
        "seconds": f"{seconds:.0f}",
        "peak_gib": f"{peak:.2f}",
        "nmi_max": f"{found['nmi_max']:.4f}",
        "acc": f"{found['acc']:.4f}",
        "ari": f"{found['ari']:.4f}",
        "mean_recall": f"{sum(recall) / len(recall):.4f}",
    }
    print(row)
    new = not RESULTS.exists()
    RESULTS.parent.mkdir(exist_ok=True)
    with RESULTS.open("a", newline="") as file:
        writer = csv.DictWriter(file, row)
        if new:
            writer.writeheader()
        writer.writerow(row)


if __name__ == "__main__":
    main()
