"""WOEC: Tables 2-5 and the studies of Figs. 9-11, beside the printed figures.

``python -m experiments.woec all`` runs everything and writes the report: ``tables`` the
three forms and their rivals on the data sets we hold with R = 20, 40 and 60 members,
``completion`` adds ECMC to these,
``lac`` the forms beside WSPA and WBPA on members of LAC (Table 5), ``studies`` the
bandwidth (Fig. 10), the ensemble size (Fig. 11) and the neighbours that the graph
keeps, ``picture`` draws Fig. 8, and ``report`` writes ``experiments/results/woec.md``.
All of it can be stopped and goes on where it was. The settings are the paper's; nothing
is chosen by the known classes.
"""

import argparse
import itertools
import math
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from coterie._kernels._jit import kernel_threads
from coterie.consensus import (
    BCE,
    CSPA,
    ECMC,
    HBGF,
    MCLA,
    WBPA,
    WCC,
    WOHB,
    WOKM,
    WOMC,
    WOSP,
    WSPA,
)
from coterie.ensemble import Ensemble, Weights
from coterie.exceptions import (
    ClusterSizesWarning,
    FewerClustersWarning,
    UnsuitableMethodWarning,
)
from coterie.generation import LocallyAdaptiveKMeans, MixedKMeans
from coterie.metrics import ari, nmi, rand_index
from coterie.weighting import DifficultyWeighter
from experiments import _woec_picture, _woec_report
from experiments._data import Data
from experiments._runs import WHOLE, Key, RunLog
from experiments._woec_data import (
    HELD,
    STUDIED,
    TOYS,
    VARIANTS,
    is_here,
    prepared,
)

RESULTS = Path(__file__).parent / "results"
MEASURES = ("ari", "ri", "nmi", "seconds")
SEEDS = {"tables": 15, "toys": 100, "completion": 10, "lac": 5, "studies": 10}
RIVAL_SEEDS = 10  # of BCE and WCC, which cost more than all others together
MOST_ROWS = 1200  # distinct label rows, in which ECMC is cubic
SIZES = (40, 20, 60)
BANDWIDTHS = (1, 2, 5, 10, 20, 50, 100)
FIGURE_SIZES = (5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100)
KEPT = (0.05, 0.125, 0.25, 0.5)  # of all neighbours
SPARSE_STUDY = ("Australian", "Balance", "Satimage", "Semeion", "Wall", "Yeast")

Results = dict[str, dict[str, float]]


def scored(data: Data, work: Callable[[], np.ndarray]) -> dict[str, float]:
    start = time.process_time()
    labels = work()
    seconds = time.process_time() - start
    return {
        "ari": ari(data.y, labels),
        "ri": rand_index(data.y, labels),
        "nmi": nmi(data.y, labels),
        "seconds": seconds,
    }


def combined(
    data: Data, ensemble: Ensemble, weights: Weights | None, seed: int, method: Any
) -> dict[str, float]:
    return scored(
        data,
        lambda: (
            method.combine(
                ensemble, data.n_classes, weights=weights, X=data.X, seed=seed
            ).labels
        ),
    )


def members(data: Data, n_members: int, seed: int) -> Ensemble:
    generator = MixedKMeans(n_members, n_clusters=data.n_classes)
    return generator.generate(data.X, seed=seed, n_jobs=1)


def table(data: Data, ensemble: Ensemble, seed: int, full: bool) -> Results:
    """Score the forms and the methods they are compared with on one ensemble."""
    weights = DifficultyWeighter().weigh(ensemble)
    plain = (ensemble, None, seed)
    weighted = (ensemble, weights, seed)
    results = {
        "WOMC": combined(data, *weighted, WOMC()),
        "WOSP": combined(data, *weighted, WOSP()),
        "WOHB": combined(data, *weighted, WOHB()),
        "CSPA": combined(data, *plain, CSPA()),
        "MCLA": combined(data, *plain, MCLA()),
        "HBGF": combined(data, *plain, HBGF(partition="metis")),
    }
    if full:
        results |= {
            "WOMC unweighted": combined(data, *plain, WOMC()),
            "WOSP unweighted": combined(data, *plain, WOSP()),
            "WOHB unweighted": combined(data, *plain, WOHB()),
            "WOMC spectral": combined(data, *weighted, WOMC(partition="spectral")),
            "WOSP spectral": combined(data, *weighted, WOSP(partition="spectral")),
            "WOHB spectral": combined(data, *weighted, WOHB(partition="spectral")),
            "WOSP first": combined(data, *weighted, WOSP("first")),
            "WOHB first": combined(data, *weighted, WOHB("first")),
            "WOKMeans": combined(data, *weighted, WOKM(n_init=1)),
            "k-means": combined(data, *plain, WOKM(n_init=1)),  # without weights
        }
    each = [scored(data, lambda z=z: z) for z in ensemble.labels.T]
    for name, reduce in (("min", np.min), ("max", np.max), ("mean", np.mean)):
        results[f"{name} member"] = {
            m: float(reduce([one[m] for one in each])) for m in MEASURES
        }
    return results


def more_rivals(data: Data, ensemble: Ensemble, seed: int) -> Results:
    """Score the rivals that few seeds have to do for."""
    return {
        "BCE": combined(data, ensemble, None, seed, BCE()),
        "WCC": combined(data, ensemble, None, seed, WCC()),
    }


def lac_table(data: Data, ensemble: Ensemble, seed: int) -> Results:
    """Score the forms beside the methods that use the members' weights of features."""
    weights = DifficultyWeighter().weigh(ensemble)
    each = [scored(data, lambda z=z: z) for z in ensemble.labels.T]
    return {
        "WSPA": combined(data, ensemble, None, seed, WSPA()),
        "WBPA": combined(data, ensemble, None, seed, WBPA()),
        "WOMC (LAC)": combined(data, ensemble, weights, seed, WOMC()),
        "WOSP (LAC)": combined(data, ensemble, weights, seed, WOSP()),
        "WOHB (LAC)": combined(data, ensemble, weights, seed, WOHB()),
        "mean member": {m: float(np.mean([one[m] for one in each])) for m in MEASURES},
    }


def bandwidths(data: Data, ensemble: Ensemble, seed: int, t: float) -> Results:
    weights = DifficultyWeighter().weigh(ensemble)
    run = (data, ensemble, weights, seed)
    return {"WOSP": combined(*run, WOSP(t)), "WOHB": combined(*run, WOHB(t))}


def neighbors(data: Data, ensemble: Ensemble, seed: int, share: float) -> Results:
    weights = DifficultyWeighter().weigh(ensemble)
    kept = max(1, round(share * (data.X.shape[0] - 1)))
    return {"WOSP": combined(data, ensemble, weights, seed, WOSP(n_neighbors=kept))}


def cost(start: float) -> Results:
    """Return the CPU seconds since a start as a row of its own."""
    seconds = time.process_time() - start
    return {WHOLE: dict.fromkeys(MEASURES, math.nan) | {"seconds": seconds}}


def run_tables(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    names = [name for name in names if is_here(name)]
    for seed, R, name in itertools.product(seeds, SIZES, names):
        key = Key("tables", name, f"R={R}", seed)
        toy = name in TOYS
        if key in log or (R != 40 if toy else seed >= SEEDS["tables"]):
            continue
        start = time.process_time()
        data = prepared(name, seed)
        ensemble = members(data, R, seed)
        results = table(data, ensemble, seed, full=R == 40)
        if seed < RIVAL_SEEDS:
            results |= more_rivals(data, ensemble, seed)
        log.add(key, results | cost(start))
        _tell(name, R, seed, results)


def run_completion(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Add ECMC to the finished runs of the tables."""
    for seed, R, name in itertools.product(seeds, SIZES, names):
        key = Key("tables", name, f"R={R}", seed)
        if key not in log or "ECMC" in log.runs[key] or not is_here(name):
            continue
        data = prepared(name, seed)
        ensemble = members(data, R, seed)
        if len(ensemble.core) <= MOST_ROWS:
            results = {"ECMC": combined(data, ensemble, None, seed, ECMC())}
            log.add(key, results)
            _tell(name, R, seed, results)


def run_lac(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Members of LAC: the first R of 60 for each R."""
    names = [name for name in names if name in HELD and is_here(name)]
    for seed, name in itertools.product(seeds, names):
        keys = {R: Key("lac", name, f"R={R}", seed) for R in SIZES}
        if all(key in log for key in keys.values()):
            continue
        start = time.process_time()
        data = prepared(name, seed)
        generator = LocallyAdaptiveKMeans(max(SIZES), n_clusters=data.n_classes)
        ensemble = generator.generate(data.X, seed=seed, n_jobs=1)
        for R, key in keys.items():
            if key not in log:
                results = lac_table(data, ensemble.subset(slice(R)), seed)
                log.add(key, results | cost(start))
                start = time.process_time()
        print(f"lac  {name}  seed {seed}", flush=True)


def run_studies(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    for seed in seeds:
        for name in names:
            if not is_here(name):
                continue
            data = prepared(name, seed)
            work: list[tuple[Key, int, Callable[..., Results]]] = []
            if name in SPARSE_STUDY:
                for share in KEPT:
                    key = Key("neighbors", name, f"kept={share}", seed)
                    work.append((key, 40, lambda *a, s=share: neighbors(*a, s)))
            if name in STUDIED:
                for t in BANDWIDTHS:
                    key = Key("bandwidth", name, f"t={t}", seed)
                    work.append((key, 40, lambda *a, t=t: bandwidths(*a, float(t))))
                for R in FIGURE_SIZES:
                    key = Key("size", name, f"R={R}", seed)
                    work.append((key, R, lambda *a: table(*a, full=False)))
            work = [(key, R, make) for key, R, make in work if key not in log]
            if not work:
                continue
            start = time.process_time()
            ensemble = members(data, max(R for _, R, _ in work), seed)
            for key, R, make in work:
                results = make(data, ensemble.subset(slice(R)), seed)
                log.add(key, results | cost(start))
                start = time.process_time()
            print(f"studies  {name}  seed {seed}", flush=True)


def _tell(name: str, R: int, seed: int, results: Results) -> None:
    told = ("WOMC", "WOSP", "WOHB", "ECMC")
    found = "  ".join(f"{m} {results[m]['ari']:.3f}" for m in told if m in results)
    print(f"tables  {name}  R = {R}  seed {seed}  {found}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.woec", description=__doc__
    )
    tasks = {
        "tables": run_tables,
        "completion": run_completion,
        "lac": run_lac,
        "studies": run_studies,
    }
    parser.add_argument("task", choices=["all", *tasks, "picture", "report"])
    told = ", ".join(f"{n} of the {task}" for task, n in SEEDS.items())
    parser.add_argument("--seeds", type=int, help=f"at most; default {told}")
    known = [*TOYS, *HELD, *VARIANTS]
    parser.add_argument("--only", nargs="+", choices=known, metavar="DATA")
    options = parser.parse_args()
    log = RunLog(RESULTS / "woec_runs.csv", MEASURES)
    chosen = [name for name in known if not options.only or name in options.only]
    with threadpool_limits(1), kernel_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        warnings.simplefilter("ignore", ClusterSizesWarning)
        warnings.simplefilter("ignore", UnsuitableMethodWarning)
        for name, task in tasks.items():
            if options.task in (name, "all"):
                most = SEEDS["toys" if name == "tables" else name]
                n_seeds = most if options.seeds is None else min(options.seeds, most)
                task(chosen, range(n_seeds), log)
    if options.task in ("picture", "all") and is_here("Wall"):
        data = prepared("Wall", 0)
        path = RESULTS / "woec_wall.png"
        _woec_picture.draw(data, members(data, 40, 0), 0, path)
    if options.task in ("report", "all"):
        _woec_report.write(log, RESULTS)


if __name__ == "__main__":
    main()
