"""MDEC: Tables III to V and Figs. 2 to 7.

``python -m experiments.mdec all`` runs everything and writes the report: ``tables`` the
three forms on every data set we hold, ``rivals`` the forms beside the baselines of
Tables III and IV, with all CPU seconds (Table V), ``starts`` one of these with more
starts, ``sizes`` all of them with 20 to 300 members (Figs. 2 to 4), ``metrics`` fixed
metrics on a graph of neighbours and on all pairs (Fig. 5), ``shares`` the share of
features (Figs. 6, 7), and ``report`` writes ``experiments/results/mdec.md``. All of it
can be stopped and goes on where it was. The settings are the paper's; nothing is chosen
by the known classes.
"""

import argparse
import itertools
import math
import time
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from coterie._kernels._jit import kernel_threads
from coterie.consensus import (
    CSPA,
    ECC,
    HGPA,
    KCC,
    LWEA,
    LWGP,
    MCLA,
    PTGP,
    SEC,
    CoassociationSpectral,
    SelfPaced,
)
from coterie.ensemble import Ensemble
from coterie.exceptions import ClusterSizesWarning, FewerClustersWarning
from coterie.experimental import StratifiedSubspace
from coterie.generation import MetricSubspaceSpectral, RandomKMeans
from coterie.metrics import ari, nmi
from coterie.weighting import EntropyWeighter
from experiments import _mdec_report
from experiments._data import Data, is_held, load
from experiments._mdec_data import HELD, STUDIED
from experiments._runs import WHOLE, Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = ("nmi_max", "ari", "seconds")
FORMS = {
    "MDEC-HC": LWEA,
    "MDEC-SC": CoassociationSpectral,
    "MDEC-BG": LWGP,
}

RIVALS: dict[str, Any] = {
    "SSCSPA": CSPA(),
    "SSHGPA": HGPA(),
    "SSMCLA": MCLA(),
    "KCC": KCC(),
    "PTGP": PTGP(),
    "SEC": SEC(),
    "ECC": ECC(),
    "LWGP": LWGP(),
    "SPCE": SelfPaced(0.3, components="found"),
}


@dataclass(frozen=True)
class Variant:
    """One setting that differs from the paper's in at most one way."""

    study: str
    name: str
    settings: tuple[tuple[str, Any], ...] = ()  # of the generator


ALL_PAIRS = (("neighbors_range", (10**6, 10**6)),)  # at most as many as there are
TABLES = Variant("tables", "default")
METRICS = tuple(
    Variant("metric", name + reading, (("metric", name), *more))
    for reading, more in (("", ()), (" dense", ALL_PAIRS))
    for name in ("cosine", "correlation", "spearman")
)
SHARES = tuple(
    Variant("tau", f"tau={tau:.1f}", (("subspace_ratio", tau),))
    for tau in (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0)
)
SIZES = (20, 40, 60, 80, 100, 150, 200, 250, 300)
STARTS_STUDY, STARTS = "golub1999v2", (1, 10, 50)
FEW, MANY = 250, 2000  # samples: more seeds up to the first, one beyond the second
MOST_CUBIC = 5000  # samples for SPCE, which is cubic in the distinct rows of labels


def run(
    variants: Iterable[Variant],
    names: Iterable[str],
    seeds: Iterable[int],
    log: RunLog,
) -> None:
    """Run the three forms in each variant."""
    for variant in variants:
        for key, data in _left(variant.study, variant.name, names, seeds, log):
            start = time.process_time()
            generator = MetricSubspaceSpectral(**dict(variant.settings))
            ensemble = generator.generate(data.X, seed=key.seed, n_jobs=1)
            results = score(ensemble, data, key.seed, time.process_time() - start)
            log.add(key, results | _cost(start))
            _tell(key, results)


def score(
    ensemble: Ensemble, data: Data, seed: int, made: float
) -> dict[str, dict[str, float]]:
    """Score the three forms, with and without weights, and the members themselves.

    The CPU seconds are those of the whole: members, weights and consensus.
    """
    results = {}
    for suffix, weighter in (("", EntropyWeighter(theta=1.0)), (" unweighted", None)):
        start = time.process_time()
        weights = weighter and weighter.weigh(ensemble)
        weighed = time.process_time() - start
        for name, form in FORMS.items():
            start = time.process_time()
            labels = (
                form()
                .combine(ensemble, data.n_classes, weights=weights, seed=seed)
                .labels
            )
            seconds = made + weighed + time.process_time() - start
            results[name + suffix] = _measure(data.y, labels, seconds)
    members = [_measure(data.y, labels, made) for labels in ensemble.labels.T]
    results["mean member"] = {
        name: float(np.mean([member[name] for member in members])) for name in MEASURES
    }
    return results


def run_rivals(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Run the forms and the baselines of Tables III and IV on the same seeds."""
    for key, data in _left("rivals", "default", names, seeds, log):
        start = time.process_time()
        ensembles = _ensembles(data, 100, key.seed)
        results = _score_all(data, ensembles, 100, key.seed)
        _tell(key, results)
        log.add(key, results | _cost(start))


def run_starts(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Run SEC, which misses a printed cell on this data set, with more starts."""
    names = [name for name in names if name == STARTS_STUDY]
    for key, data in _left("starts", "default", names, seeds, log):
        start = time.process_time()
        k = (2, math.ceil(math.sqrt(len(data.y))))
        plain = RandomKMeans(100, n_clusters=k)
        ensemble = plain.generate(data.X, seed=key.seed, n_jobs=1)
        results = {}
        for n in STARTS:
            labels = SEC(n_init=n).combine(ensemble, data.n_classes, seed=key.seed)
            results[f"SEC, {n} starts"] = _measure(data.y, labels.labels, math.nan)
        log.add(key, results | _cost(start))


def run_sizes(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Run the forms and the baselines on the first M of 300 members."""
    for last, data in _left("curves", f"M={SIZES[-1]}", names, seeds, log):
        start = time.process_time()
        ensembles = _ensembles(data, SIZES[-1], last.seed)
        for m in SIZES:
            key = last._replace(variant=f"M={m}")
            if key not in log:
                results = _score_all(data, ensembles, m, key.seed)
                log.add(key, results | _cost(start))
                start = time.process_time()
        print(*last, flush=True)


def _left(
    study: str, variant: str, names: Iterable[str], seeds: Iterable[int], log: RunLog
) -> Iterator[tuple[Key, Data]]:
    """Yield the runs that the log does not have, with their data."""
    for seed, name in itertools.product(seeds, names):
        key = Key(study, name, variant, seed)
        if key not in log and is_held(HELD[name].file):
            yield key, load(HELD[name].file)


def _ensembles(
    data: Data, n_members: int, seed: int
) -> dict[str, tuple[Ensemble, float]]:
    """Return MDEC's members, k-means members and those of SS..., each with its cost.

    k-means has 2 to sqrt(N) clusters; SSCSPA, SSHGPA and SSMCLA have those on
    stratified samples of the features.
    """
    k = (2, math.ceil(math.sqrt(len(data.y))))
    generators = {
        "mdec": MetricSubspaceSpectral(n_members),
        "plain": RandomKMeans(n_members, n_clusters=k),
        "stratified": StratifiedSubspace(n_members, n_clusters=k),
    }
    made = {}
    for name, generator in generators.items():
        start = time.process_time()
        ensemble = generator.generate(data.X, seed=seed, n_jobs=1)
        made[name] = ensemble, time.process_time() - start
    return made


def _score_all(
    data: Data, made: dict[str, tuple[Ensemble, float]], n_members: int, seed: int
) -> dict[str, dict[str, float]]:
    """Score forms and baselines on the first members; CPU seconds are of the whole."""
    forms: dict[str, Any] = {name: form() for name, form in FORMS.items()}
    forms["MDEC-SC, Eq. 21"] = CoassociationSpectral(diagonal="weights")
    results = {}
    for method, part in (forms | RIVALS).items():
        if method == "SPCE" and len(data.y) > MOST_CUBIC:
            continue
        weigher = EntropyWeighter(theta=1.0) if method in forms else EntropyWeighter()
        which = "stratified" if method.startswith("SS") else "plain"
        ensemble, cost = made["mdec" if method in forms else which]
        cost *= n_members / ensemble.n_members
        ensemble = ensemble.subset(slice(n_members))
        start = time.process_time() - cost
        weights = None
        if method in forms or method == "LWGP":
            weights = weigher.weigh(ensemble)
        found = part.combine(ensemble, data.n_classes, weights=weights, seed=seed)
        spent = time.process_time() - start
        results[method] = _measure(data.y, found.labels, spent)
    return results


def _cost(start: float) -> dict[str, dict[str, float]]:
    """Return the CPU seconds since a start as a row of its own."""
    seconds = time.process_time() - start
    return {WHOLE: dict.fromkeys(MEASURES, math.nan) | {"seconds": seconds}}


def _measure(y: np.ndarray, labels: np.ndarray, seconds: float) -> dict[str, float]:
    return {
        "nmi_max": 100 * nmi(y, labels, average="max"),
        "ari": 100 * ari(y, labels),
        "seconds": seconds,
    }


def _tell(key: Key, results: dict[str, dict[str, float]]) -> None:
    found = "  ".join(f"{m} {r['nmi_max']:.1f}" for m, r in results.items())
    print(*key, found, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.mdec", description=__doc__
    )
    tasks = ("tables", "rivals", "starts", "sizes", "metrics", "shares")
    parser.add_argument("task", choices=["all", *tasks, "report"])
    parser.add_argument("--seeds", type=int, default=10, help="at most; default 10")
    parser.add_argument("--only", nargs="+", choices=list(HELD), metavar="DATA")
    options = parser.parse_args()
    log = RunLog(RESULTS / "mdec_runs.csv", MEASURES)
    chosen = [name for name in HELD if not options.only or name in options.only]
    with threadpool_limits(1), kernel_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ClusterSizesWarning)
        warnings.simplefilter("ignore", FewerClustersWarning)
        for task in tasks:
            if options.task in (task, "all"):
                _run_task(task, chosen, options.seeds, log)
    if options.task in ("report", "all"):
        _mdec_report.write(log, RESULTS)


def _run_task(task: str, names: list[str], n_seeds: int, log: RunLog) -> None:
    seeds = range(n_seeds)
    if task == "tables":
        run([TABLES], names, seeds, log)
        return
    few = [name for name in names if HELD[name].n_samples <= FEW]
    middle = [n for n in names if FEW < HELD[n].n_samples <= MANY]
    many = [name for name in names if HELD[name].n_samples > MANY]
    if task == "rivals":
        run_rivals(few, seeds, log)
        run_rivals(middle, seeds[:3], log)
        run_rivals(many, seeds[:1], log)
    elif task == "starts":
        run_starts(names, seeds, log)
    elif task == "sizes":
        run_sizes(few, seeds[:5], log)
        run_sizes(middle, seeds[:1], log)
    elif task == "metrics":
        run(METRICS, few, seeds[:5], log)
        run(METRICS, middle, seeds[:1], log)
    else:
        run(SHARES, [name for name in names if name in STUDIED], seeds[:3], log)


if __name__ == "__main__":
    main()
