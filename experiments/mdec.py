"""MDEC: Tables III and IV and the studies of Figs. 4-7.

``python -m experiments.mdec tables`` runs the three forms on every data set we hold,
``studies`` varies the number of members, the metric and the share of features, and
``report`` writes ``experiments/results/mdec.md``. All of it can be stopped and goes on
where it was. The settings are the paper's; nothing is chosen by the known classes.
"""

import argparse
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from coterie._kernels._jit import kernel_threads
from coterie.consensus import LWEA, LWGP, CoassociationSpectral
from coterie.ensemble import Ensemble
from coterie.generation import MetricSubspaceSpectral
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


@dataclass(frozen=True)
class Variant:
    """One setting that differs from the paper's in at most one way."""

    study: str
    name: str
    settings: tuple[tuple[str, Any], ...] = ()  # of the generator
    n_members: int = 100  # the first of the 100 that are made


TABLES = Variant("tables", "default")
STUDIES = (
    *(Variant("size", f"M={m}", n_members=m) for m in range(10, 100, 10)),
    *(
        Variant("metric", name, (("metric", name),))
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
                    results = score(part, data, seed, made)
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


def _measure(y: np.ndarray, labels: np.ndarray, seconds: float) -> dict[str, float]:
    return {
        "nmi_max": 100 * nmi(y, labels, average="max"),
        "ari": 100 * ari(y, labels),
        "seconds": seconds,
    }


def _tell(
    variant: Variant, name: str, seed: int, results: dict[str, dict[str, float]]
) -> None:
    found = "  ".join(f"{form} {results[form]['nmi_max']:.1f}" for form in FORMS)
    seconds = results["MDEC-HC"]["seconds"]
    what = f"{variant.study} {variant.name}  {name}  seed {seed}"
    print(f"{what}  {found}  {seconds:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.mdec", description=__doc__
    )
    parser.add_argument("task", choices=["tables", "studies", "report"])
    parser.add_argument("--seeds", type=int, default=10, help="seeds 0 .. SEEDS - 1")
    parser.add_argument("--only", nargs="+", choices=list(HELD), metavar="DATA")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    log = RunLog(RESULTS / "mdec_runs.csv", MEASURES)
    if options.task == "report":
        _mdec_report.write(log, RESULTS)
        return
    variants, datasets = {
        "tables": ([TABLES], HELD),
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
