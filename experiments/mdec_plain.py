"""MDEC-HC beside a plain scikit-learn and scipy version: quality over seeds, CPU time.

``python -m experiments.mdec_plain`` runs both on one core, seed by seed, and can be
stopped; ``--report`` prints the table of ``results/mdec_plain.md``. CPU seconds of one
core depend less on what else the machine does than seconds do.
"""

import argparse
import time
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from benchmarks.mdec import Quality, Task, load, mdec_ours, mdec_plain, measure
from coterie._kernels._jit import kernel_threads
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
DATA = ("multiple_features", "mnist5000", "usps")
CONTENDERS = {"coterie": mdec_ours, "plain": mdec_plain}
MEASURES = (*Quality._fields, "cpu_seconds")


def run(log: RunLog, name: str, task: Task, seed: int) -> None:
    key = Key("plain", name, "hc", seed)
    if key in log:
        return
    results = {}
    for method, contender in CONTENDERS.items():
        start = time.process_time()
        outcome = contender(task._replace(seed=seed), n_jobs=1)
        spent = time.process_time() - start
        found = measure(task.y, outcome)
        results[method] = {**found._asdict(), "cpu_seconds": spent}
    log.add(key, results)
    print(key, {method: row["cpu_seconds"] for method, row in results.items()})


def report(log: RunLog) -> str:
    lines = [
        "# MDEC-HC beside plain scikit-learn and scipy",
        "",
        "Means over seeds; M = 100, one core. `python -m experiments.mdec_plain`, then",
        "`--report`. NMI by the larger entropy.",
        "",
        "| data | seeds | member NMI | plain | final NMI | plain | diversity | plain |"
        " CPU s | plain | ratio |",
        f"| --- |{' ---: |' * 10}",
    ]
    for name in DATA:
        columns = [
            [log.values("plain", name, "hc", method, measure) for method in CONTENDERS]
            for measure in MEASURES
        ]
        n_seeds = columns[0][0].size
        if not n_seeds:
            continue
        cells = [f"{np.mean(v):.3f}" for pair in columns[:3] for v in pair]
        ours, plain = columns[3]
        cells += [f"{np.mean(ours):.1f}", f"{np.mean(plain):.1f}"]
        ratio = f"{np.median(plain / ours):.1f}"
        lines.append(f"| {name} | {n_seeds} | {' | '.join(cells)} | {ratio} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.mdec_plain")
    parser.add_argument("--seeds", type=int, default=10)
    parser.add_argument("--only", nargs="+", choices=DATA, default=DATA)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    log = RunLog(RESULTS / "mdec_plain_runs.csv", MEASURES)
    if not options.report:
        with threadpool_limits(1), kernel_threads(1):
            for name in options.only:
                task = load(name)
                mdec_ours(Task(task.X[:300], task.y[:300]), n_jobs=1)  # compiles
                for seed in range(options.seeds):
                    run(log, name, task, seed)
    (RESULTS / "mdec_plain.md").write_text(report(log))
    print(report(log))


if __name__ == "__main__":
    main()
