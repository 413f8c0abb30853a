"""MDEC: Tables III and IV and the studies of Figs. 4-7.

``python -m experiments.mdec tables`` runs the three forms on every data set we hold,
``diagonal`` SC with both diagonals of the co-association, ``rivals`` the baselines of
Tables III and IV on k-means members, ``studies`` varies the number of members, the
metric (on a graph of neighbours and on all pairs) and the share of features, and
``report`` writes ``experiments/results/mdec.md``. All of it can be stopped and goes on
where it was. The settings are the paper's; nothing is chosen by the known classes.
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
from experiments._runs import Key, RunLog

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
    n_members: int = 100  # the first of the 100 that are made


ALL_PAIRS = (("neighbors_range", (10**6, 10**6)),)  # at most as many as there are
TABLES = Variant("tables", "default")
DIAGONAL = Variant("diagonal", "default")
STUDIES = (
    *(Variant("size", f"M={m}", n_members=m) for m in range(10, 100, 10)),
    *(
        Variant("size", f"M={m}", (("n_members", 300),), n_members=m)
        for m in (150, 200, 250, 300)
    ),
    *(
        Variant("metric", name, (("metric", name),))
        for name in ("cosine", "correlation", "spearman")
    ),
    *(
        Variant("metric", f"{name} dense", (("metric", name), *ALL_PAIRS))
        for name in ("cosine", "correlation", "spearman")
    ),
    *(
        Variant("tau", f"tau={tau:.1f}", (("subspace_ratio", tau),))
        for tau in (0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0)
    ),
)


def run(
    variants: Iterable[Variant],
    datasets: Iterable[str],
    seeds: Iterable[int],
    log: RunLog,
    n_jobs: int,
) -> None:
    """Run what the log does not have; one ensemble serves variants that share it."""
    variants, seeds = list(variants), list(seeds)
    for name in datasets:
        held = HELD[name].file
        if not is_held(held):
            print(f"{name}: skipped, {held}.npz is not in the data folder", flush=True)
            continue
        data = None
        for seed in seeds:
            for settings, group in _groups(variants, name, seed, log):
                data = data or load(held)
                start = time.perf_counter()
                ensemble = MetricSubspaceSpectral(**dict(settings)).generate(
                    data.X, seed=seed, n_jobs=n_jobs
                )
                made = time.perf_counter() - start
                for variant in group:
                    part = ensemble.subset(slice(variant.n_members))
                    by = score_diagonals if variant is DIAGONAL else score
                    results = by(part, data, seed, made)
                    log.add(Key(variant.study, name, variant.name, seed), results)
                    _tell(variant, name, seed, results)


def _groups(
    variants: list[Variant], name: str, seed: int, log: RunLog
) -> Iterator[tuple[tuple[tuple[str, Any], ...], list[Variant]]]:
    groups: dict[tuple[tuple[str, Any], ...], list[Variant]] = {}
    for variant in variants:
        if Key(variant.study, name, variant.name, seed) not in log:
            groups.setdefault(variant.settings, []).append(variant)
    yield from groups.items()


def score(
    ensemble: Ensemble, data: Data, seed: int, made: float
) -> dict[str, dict[str, float]]:
    """Score the three forms, with and without weights, and the members themselves.

    The seconds are those of the whole: members, weights and consensus.
    """
    results = {}
    for suffix, weighter in (("", EntropyWeighter(theta=1.0)), (" unweighted", None)):
        start = time.perf_counter()
        weights = weighter and weighter.weigh(ensemble)
        weighed = time.perf_counter() - start
        for name, form in FORMS.items():
            start = time.perf_counter()
            labels = (
                form()
                .combine(ensemble, data.n_classes, weights=weights, seed=seed)
                .labels
            )
            seconds = made + weighed + time.perf_counter() - start
            results[name + suffix] = _measure(data.y, labels, seconds)
    members = [_measure(data.y, labels, made) for labels in ensemble.labels.T]
    results["mean member"] = {
        name: float(np.mean([member[name] for member in members])) for name in MEASURES
    }
    return results


def score_diagonals(
    ensemble: Ensemble, data: Data, seed: int, made: float
) -> dict[str, dict[str, float]]:
    """Score SC with a diagonal of ones and with that of Eq. 21."""
    weights = EntropyWeighter(theta=1.0).weigh(ensemble)
    results = {}
    for diagonal, name in (("one", "MDEC-SC"), ("weights", "MDEC-SC, Eq. 21")):
        form = CoassociationSpectral(diagonal=diagonal)
        found = form.combine(ensemble, data.n_classes, weights=weights, seed=seed)
        results[name] = _measure(data.y, found.labels, made)
    return results


def run_rivals(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Run the baselines of Tables III and IV that the log does not have.

    Their members are 100 k-means runs with 2 to sqrt(N) clusters; SSCSPA, SSHGPA
    and SSMCLA have those on stratified samples of the features.
    """
    for seed, name in itertools.product(seeds, names):
        key = Key("rivals", name, "default", seed)
        if key in log or not is_held(HELD[name].file):
            continue
        data = load(HELD[name].file)
        k = (2, math.ceil(math.sqrt(len(data.y))))
        plain = RandomKMeans(100, n_clusters=k).generate(data.X, seed=seed, n_jobs=1)
        stratified = StratifiedSubspace(100, n_clusters=k).generate(
            data.X, seed=seed, n_jobs=1
        )
        results = {}
        for method, part in RIVALS.items():
            ensemble = stratified if method.startswith("SS") else plain
            start = time.perf_counter()
            weights = part is RIVALS["LWGP"] and EntropyWeighter().weigh(ensemble)
            labels = part.combine(
                ensemble, data.n_classes, weights=weights or None, seed=seed
            ).labels
            seconds = time.perf_counter() - start
            results[method] = _measure(data.y, labels, seconds)
        log.add(key, results)
        found = "  ".join(f"{m} {r['nmi_max']:.1f}" for m, r in results.items())
        print(f"rivals  {name}  seed {seed}  {found}", flush=True)


def _measure(y: np.ndarray, labels: np.ndarray, seconds: float) -> dict[str, float]:
    return {
        "nmi_max": 100 * nmi(y, labels, average="max"),
        "ari": 100 * ari(y, labels),
        "seconds": seconds,
    }


def _tell(
    variant: Variant, name: str, seed: int, results: dict[str, dict[str, float]]
) -> None:
    found = "  ".join(f"{m} {r['nmi_max']:.1f}" for m, r in results.items())
    seconds = max(r["seconds"] for r in results.values())
    what = f"{variant.study} {variant.name}  {name}  seed {seed}"
    print(f"{what}  {found}  {seconds:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.mdec", description=__doc__
    )
    parser.add_argument(
        "task", choices=["tables", "diagonal", "rivals", "studies", "report"]
    )
    parser.add_argument("--seeds", type=int, default=10, help="seeds 0 .. SEEDS - 1")
    parser.add_argument("--only", nargs="+", choices=list(HELD), metavar="DATA")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    log = RunLog(RESULTS / "mdec_runs.csv", MEASURES)
    if options.task == "report":
        _mdec_report.write(log, RESULTS)
        return
    if options.task == "rivals":
        names = [name for name in HELD if not options.only or name in options.only]
        with threadpool_limits(1), kernel_threads(1), warnings.catch_warnings():
            warnings.simplefilter("ignore", ClusterSizesWarning)
            warnings.simplefilter("ignore", FewerClustersWarning)
            run_rivals(names, range(options.seeds), log)
        return
    variants, datasets = {
        "tables": ([TABLES], HELD),
        "diagonal": ([DIAGONAL], HELD),
        "studies": (STUDIES, STUDIED),
    }[options.task]
    chosen = [name for name in datasets if not options.only or name in options.only]
    with threadpool_limits(options.jobs), kernel_threads(options.jobs):
        try:
            run(variants, chosen, range(options.seeds), log, options.jobs)
        except FileNotFoundError as error:
            raise SystemExit(str(error)) from None


if __name__ == "__main__":
    main()
