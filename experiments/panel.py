"""The default of ``EnsembleClustering`` beside everything people use.

``python -m experiments.panel run`` clusters every data set of two groups (see
``_panel_data``) by every method of ``_panel_rivals``, by the panel and by what
``--methods`` names of its ablations (``panel:NAME``), on the features as they are and
scaled to variance 1. One thread, 180 CPU seconds for each run: a method that takes
longer or fails is left out there. ``report`` writes ``results/panel.md`` and a picture
for each group. It can be stopped and goes on where it was; seed 0 comes first for
everything. Known classes give the number of clusters and the scores, and choose
nothing. UMAP needs ``pip install umap-learn``.
"""

import argparse
import math
import multiprocessing
import resource
import signal
import time
import warnings
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

import coterie
from coterie._kernels._jit import kernel_threads
from experiments import _panel_report
from experiments._panel_data import (
    GROUPS,
    is_sparse,
    n_seeds,
    names,
    prepared,
    read,
    scores,
)
from experiments._panel_rivals import METHODS, Method, system
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = ("nmi", "ari", "acc", "n_found", "seconds", "cpu")
SECONDS, MEGABYTES = 180, 8192
MOST_SEEDS = 5

# Name -> an estimator from a number of clusters and a seed, run as panel:NAME.
ABLATIONS: dict[str, Callable[[int, int], Any]] = {
    "quick": lambda k, seed: coterie.EnsembleClustering(
        k, effort="quick", random_state=seed
    ),
    "unweighted": lambda k, seed: coterie.EnsembleClustering(
        k, weighter=None, random_state=seed
    ),
}


def _default(k: int, seed: int) -> Any:
    return coterie.EnsembleClustering(k, random_state=seed)


def method_of(name: str) -> Method:
    """Return a method by its name; the panel has scaled views of its own."""
    if name == "panel":
        return system(name, _default, scalings=("raw",))
    if name.startswith("panel:"):
        return system(name, ABLATIONS[name.removeprefix("panel:")], scalings=("raw",))
    return METHODS[name]


class Task(NamedTuple):
    """One run: a method on one version of a data set."""

    method: str
    group: str
    dataset: str
    scaling: str
    seed: int

    @property
    def key(self) -> Key:
        return Key(self.group, self.dataset, self.scaling, self.seed)


def answers_of(method: str) -> tuple[str, ...]:
    """Return the names of a method's rows; UMAP has two."""
    return ("umap+kmeans", "umap+hdbscan") if method == "umap" else (method,)


def unfinished(cpu: float) -> dict[str, float]:
    """Return a row without scores; ``cpu`` is infinite if it took too long."""
    return dict.fromkeys(MEASURES, math.nan) | {"cpu": cpu}


def cpu_seconds() -> float:
    """Return the CPU time of this process with its threads.

    ``time.process_time`` stands still between the ticks of the kernel while a timer of
    CPU time is set, as it is here: 2 ms are lost in each run.
    """
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


@lru_cache
def compiled(name: str) -> None:
    """Run a method on a few samples, so that compiling does not count."""
    X = np.random.default_rng(0).normal(size=(60, 12)).astype(np.float32)
    try:
        method_of(name).fit(X, 3, 0)
    except Exception as error:  # the trial must not decide
        print(f"  {name} on a few samples: {error!r}", flush=True)


def rows_of(task: Task) -> dict[str, dict[str, float]]:
    """Run and score; the kernel ends the process if it takes too long."""
    method = method_of(task.method)
    case = read(task.group, task.dataset)
    X = prepared(task.group, task.dataset, task.scaling, method.takes_sparse)
    compiled(task.method)
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    wall, cpu = time.perf_counter(), cpu_seconds()
    found = {k: method.fit(X, k, task.seed) for k in case.n_clusters}
    wall, cpu = time.perf_counter() - wall, cpu_seconds() - cpu
    signal.setitimer(signal.ITIMER_PROF, 0)
    cost = {"seconds": wall / len(found), "cpu": cpu / len(found)}
    return {
        name: scores(case, {k: each[name] for k, each in found.items()}) | cost
        for name in answers_of(task.method)
    }


def serve(pipe: Any, parents: Any) -> None:
    """Answer tasks until the parent is gone; runs in a process of its own."""
    parents.close()  # or the pipe would stay open without a parent
    resource.setrlimit(resource.RLIMIT_DATA, (MEGABYTES * 2**20,) * 2)
    warnings.simplefilter("ignore")
    with threadpool_limits(1), kernel_threads(1):
        while True:
            try:
                task = pipe.recv()
            except EOFError:
                return
            start = cpu_seconds()
            try:
                rows = rows_of(task)
            except Exception as error:  # is reported as left out
                signal.setitimer(signal.ITIMER_PROF, 0)
                print(f"  {task}: {error!r}", flush=True)
                row = unfinished(cpu_seconds() - start)
                rows = dict.fromkeys(answers_of(task.method), row)
            pipe.send(rows)


class Worker:
    """A process that outlives its tasks, and is made anew when one of them ends it."""

    def __init__(self) -> None:
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("fork")
        self._pipe, there = context.Pipe()
        self._process = context.Process(
            target=serve, args=(there, self._pipe), daemon=True
        )
        self._process.start()
        there.close()

    def rows_of(self, task: Task) -> dict[str, dict[str, float]]:
        self._pipe.send(task)
        try:
            return self._pipe.recv()
        except EOFError:
            self._process.join()
            too_long = self._process.exitcode == -signal.SIGPROF
            self._start()
            row = unfinished(math.inf if too_long else math.nan)
            return dict.fromkeys(answers_of(task.method), row)


def tasks(
    methods: Iterable[str], groups: Iterable[str], only: list[str] | None
) -> Iterable[Task]:
    """Yield seed 0 of everything first; quick methods and small data before others."""
    sets = {group: names(group) for group in groups}
    for seed in range(MOST_SEEDS):
        for group, found in sets.items():
            for name in methods:
                method = method_of(name)
                for dataset, n in found.items():
                    if only and dataset not in only:
                        continue
                    if seed >= (n_seeds(n) if method.is_random else 1):
                        continue
                    sparse = is_sparse(group, dataset)
                    for scaling in ("raw",) if sparse else method.scalings:
                        yield Task(name, group, dataset, scaling, seed)


def run(todo: Iterable[Task], log: RunLog) -> None:
    """Run what the log does not have; what failed is not tried with further seeds."""
    worker = Worker()
    for task in todo:
        row = answers_of(task.method)[0]
        first = log.runs.get(task.key._replace(seed=0), {}).get(row)
        if row in log.runs.get(task.key, {}) or (first and math.isnan(first["ari"])):
            continue
        rows = worker.rows_of(task)
        log.add(task.key, rows)
        for name, found in rows.items():
            told = f"NMI {found['nmi']:.3f} ARI {found['ari']:.3f} {found['cpu']:.2f} s"
            place = f"{task.dataset} {task.scaling} seed {task.seed}"
            print(f"{name}  {place}: {told}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.panel")
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument(
        "--methods", nargs="+", help="default: all but the panel and its ablations"
    )
    parser.add_argument("--only", nargs="+", help="data sets")
    parser.add_argument("--group", nargs="+", choices=GROUPS, default=GROUPS)
    options = parser.parse_args()
    log = RunLog(RESULTS / "panel_runs.csv", MEASURES)
    if options.what == "report":
        _panel_report.write(log, RESULTS, options.only)
    else:
        run(tasks(options.methods or METHODS, options.group, options.only), log)


if __name__ == "__main__":
    main()
