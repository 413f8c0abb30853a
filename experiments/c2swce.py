"""C2SWCE: Tables 3 to 6, Figs. 2 to 5, and the readings of a text of many voices.

``python -m experiments.c2swce all`` runs everything and writes the report: ``tables``
the ensembles of Tables 3 to 6 (20 seeds, with and without feature selection),
``readings`` the literal readings of the text (10 seeds), ``cores`` the number of core
clusters (Fig. 2), ``grid`` members by the share of features that selection keeps (Fig.
3), ``base`` the base clusterer at the number of classes (Fig. 4), ``timing`` the
seconds to combine (Fig. 5), ``members`` how many make results steady, ``rivals`` the
other rows of Tables 5 and 6, and ``report`` writes ``experiments/results/c2swce.md``.
All of it can be stopped and goes on where it was. One setting for all data; the known
classes score results and choose nothing.
"""

import argparse
import itertools
import time
import warnings
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.preprocessing import StandardScaler
from threadpoolctl import threadpool_limits

from coterie._kernels._jit import kernel_threads
from coterie.consensus import (
    ConsensusResult,
    CoreBipartite,
    CoreLinkage,
    CoreMetaClusters,
    CoreSpectral,
)
from coterie.ensemble import Ensemble
from coterie.exceptions import FewerClustersWarning
from coterie.generation import LaplacianSubspaceSpectral
from coterie.metrics import accuracy, ari, nmi
from coterie.weighting import CoreStabilityWeighter
from experiments import _c2swce_report, _c2swce_rivals
from experiments._c2swce_data import HELD, read, stratified
from experiments._c2swce_rivals import cost
from experiments._data import Data, is_held, load
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = ("nmi_max", "nmi_sqrt", "acc", "n_cores", "generate_s", "integrate_s")


@dataclass(frozen=True)
class Form:
    """One way to combine the members: a consensus function and its weights."""

    name: str
    consensus: Any
    levels: str | None = None  # of the weights; None: no weights
    scale: str | None = "mean"


PLAIN = {"similarity": "membership"}
LITERAL = {"similarity": "distance", "scale": None}

FORMS = (
    Form("HC", CoreLinkage(), "members"),
    Form("SC", CoreSpectral(), "members"),
    Form("BG", CoreBipartite(), "both"),
    Form("MC", CoreMetaClusters()),
)
# The same ensembles combined in another way.
OTHERS = (
    Form("HC no weights", CoreLinkage()),
    Form("SC no weights", CoreSpectral()),
    Form("BG no weights", CoreBipartite()),
    Form("HC no weights, no distances", CoreLinkage(**PLAIN)),
    Form("SC no weights, no distances", CoreSpectral(**PLAIN)),
    Form("MC weighted", CoreMetaClusters(), "both"),
    Form("HC on samples", CoreLinkage(unit="samples"), "members"),
    Form("SC on samples", CoreSpectral(unit="samples"), "members"),
    Form("BG on samples", CoreBipartite(unit="samples"), "both"),
    Form("BG no cluster edges", CoreBipartite(cluster_edges=False), "both"),
    Form("MC on samples", CoreMetaClusters(unit="samples")),
    Form("HC literal", CoreLinkage(**LITERAL), "members", None),
    Form("SC literal", CoreSpectral(**LITERAL), "members", None),
    Form("BG literal", CoreBipartite(), "both", None),
)


@dataclass(frozen=True)
class Variant:
    """One setting of the generator, and how its ensembles are combined."""

    study: str
    name: str
    settings: tuple[tuple[str, Any], ...] = ()
    forms: tuple[Form, ...] = FORMS
    standardize: bool = False


TABLES = (
    Variant("tables", "default", forms=(*FORMS, *OTHERS)),
    Variant(
        "tables", "no selection", (("selection_ratio", 1.0),), (*FORMS, *OTHERS[:5])
    ),
)
READINGS = (
    Variant("readings", "Eq. 3 graph", (("graph", "gaussian"),), FORMS),
    Variant("readings", "largest scores", (("order", "largest"),), FORMS),
    Variant(
        "readings",
        "all literal",
        (("graph", "gaussian"), ("order", "largest")),
        (*OTHERS[-3:], FORMS[3]),
    ),
    Variant("readings", "z-scores", standardize=True),
)
SIZES = (5, 10, 15, 20, 25)  # Figs. 2, 3
RATIOS = (0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # kept by the Laplacian score, Fig. 3
SEEDS = {
    "tables": 20,
    "readings": 10,
    "cores": 10,
    "base": 10,
    "rivals": 3,
    "grid": 3,
    "timing": 3,
    "members": 4,
}
SMALL = 250  # samples: more than one seed of the grid and of the members
STEADY_SIZES = (10, 20, 30, 40, 50)
MORE_GENES = (  # small sets that the paper does not have, for the members alone
    "risinger2003",
    "west2001",
    "nutt2003v1",
    "alizadeh2000v2",
    "armstrong2002v2",
    "chowdary2006",
)


def run(
    variants: Iterable[Variant],
    datasets: Iterable[str],
    seeds: Iterable[int],
    log: RunLog,
) -> None:
    """Run what the log does not have, one variant after the other."""
    names, seeds = list(_held(datasets)), list(seeds)
    for variant in variants:
        for name in names:
            data = None
            for seed in seeds:
                key = Key(variant.study, name, variant.name, seed)
                if key in log:
                    continue
                data = data or _prepared(name, variant)
                start = time.process_time()
                generator = LaplacianSubspaceSpectral(**dict(variant.settings))
                ensemble = generator.generate(data.X, seed=seed, n_jobs=1)
                made = time.process_time() - start
                results = score(ensemble, data, variant.forms, seed, made)
                log.add(key, results | cost(log, start))
                _tell(key, results)


def _prepared(name: str, variant: Variant) -> Data:
    data = read(name)
    if not variant.standardize:
        return data
    return Data(data.name, StandardScaler().fit_transform(data.X), data.y)


def count_cores(datasets: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Count the core clusters of the first members of ensembles of 25 (Fig. 2)."""
    seeds = list(seeds)
    for name in _held(datasets):
        data = None
        for seed in seeds:
            key = Key("cores", name, "r=0.5", seed)
            if key in log:
                continue
            data = data or read(name)
            start = time.process_time()
            ensemble = LaplacianSubspaceSpectral(
                SIZES[-1], subspace_ratio=0.5, selection_ratio=1.0
            ).generate(data.X, seed=seed, n_jobs=1)
            made = time.process_time() - start
            counts = {f"k={m}": len(ensemble.subset(slice(m)).core) for m in SIZES}
            blank = dict.fromkeys(MEASURES, 0.0) | {"generate_s": made}
            log.add(key, {m: blank | {"n_cores": n} for m, n in counts.items()})
            print(*key, counts, flush=True)


def grid(datasets: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Score the first k members of ensembles of 25 for each share kept (Fig. 3)."""
    names = list(_held(datasets))
    for seed, name, ratio in itertools.product(seeds, names, RATIOS):
        if seed and len(read(name).y) > SMALL:
            continue
        keys = {m: Key("grid", name, f"k={m} r={ratio}", seed) for m in SIZES}
        if all(key in log for key in keys.values()):
            continue
        data = read(name)
        start = time.process_time()
        ensemble = LaplacianSubspaceSpectral(SIZES[-1], selection_ratio=ratio).generate(
            data.X, seed=seed, n_jobs=1
        )
        made = time.process_time() - start
        for m, key in keys.items():
            if key not in log:
                part = ensemble.subset(slice(m))
                results = score(part, data, FORMS, seed, made)
                log.add(key, results | cost(log, start))
                start = time.process_time()
        print("grid", name, f"r={ratio}", seed, flush=True)


def steadiness(datasets: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Compare the results of two disjoint ensembles, for more and more members.

    Their agreement (ARI, in the place of the accuracy) needs no classes; NMI is beside.
    """
    names = list(_held(datasets))
    if set(datasets) == set(HELD):
        names += filter(is_held, MORE_GENES)
    for name, seed in itertools.product(names, seeds):
        keys = {m: Key("steady", name, f"k={m}", seed) for m in STEADY_SIZES}
        if all(key in log for key in keys.values()):
            continue
        data = read(name) if name in HELD else load(name)
        if seed and len(data.y) > SMALL:
            continue
        start = time.process_time()
        most = STEADY_SIZES[-1]
        both = LaplacianSubspaceSpectral(2 * most).generate(data.X, seed=seed, n_jobs=1)
        for m, key in keys.items():
            results = {}
            for form in FORMS:
                found = [
                    combine(form, both.subset(slice(at, at + m)), data, seed).labels
                    for at in (0, most)
                ]
                scores = [_measure(data.y, labels, both, 0.0, 0.0) for labels in found]
                mean = {n: float(np.mean([s[n] for s in scores])) for n in MEASURES}
                results[form.name] = mean | {"acc": 100 * ari(*found)}
            log.add(key, results | cost(log, start))
            start = time.process_time()
        print("steady", name, seed, flush=True)


def base(datasets: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Score members that all have as many clusters as there are classes (Fig. 4)."""
    for name, seed in itertools.product(list(_held(datasets)), seeds):
        key = Key("base", name, "default", seed)
        if key in log:
            continue
        data = read(name)
        start = time.process_time()
        generator = LaplacianSubspaceSpectral(n_clusters=data.n_classes)
        ensemble = generator.generate(data.X, seed=seed, n_jobs=1)
        made = time.process_time() - start
        log.add(key, score(ensemble, data, (), seed, made) | cost(log, start))
        print(*key, flush=True)


def timing(datasets: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Take the CPU seconds that each method needs to combine its members (Fig. 5)."""
    if "usps_10p" not in datasets:
        return
    warm = False
    for seed, share in itertools.product(seeds, _c2swce_rivals.SHARES):
        key = Key("timing", "usps", f"share={share}", seed)
        if key in log:
            continue
        if not warm:  # kernels are compiled, and no time taken
            _timed(stratified(load("usps"), 0.05), seed)
            warm = True
        whole = time.process_time()
        results = _timed(stratified(load("usps"), share), seed)
        log.add(key, results | cost(log, whole))
        print(*key, flush=True)


def _timed(data: Data, seed: int) -> dict[str, dict[str, float]]:
    """Combine by every method, with the seconds that each takes."""
    ensemble = LaplacianSubspaceSpectral().generate(data.X, seed=seed, n_jobs=1)
    results = {}
    for form in FORMS:
        start = time.process_time()
        labels = combine(form, ensemble, data, seed).labels
        spent = time.process_time() - start
        results[f"C2SWCE-{form.name}"] = _rival_measure(data.y, labels, spent)
    for rival, labels, spent in _c2swce_rivals.integrated(data, seed):
        results[rival] = _rival_measure(data.y, labels, spent)
    return results


def _held(datasets: Iterable[str]) -> Iterable[str]:
    for name in datasets:
        if is_held(HELD[name].file):
            yield name
        else:
            print(f"{name}: skipped, {HELD[name].file}.npz is not held", flush=True)


def score(
    ensemble: Ensemble, data: Data, forms: Iterable[Form], seed: int, made: float
) -> dict[str, dict[str, float]]:
    """Score each form on one ensemble, and the members themselves."""
    results = {}
    for form in forms:
        start = time.process_time()
        result = combine(form, ensemble, data, seed)
        taken = time.process_time() - start
        results[form.name] = _measure(data.y, result.labels, ensemble, made, taken)
    members = [_measure(data.y, z, ensemble, made, 0.0) for z in ensemble.labels.T]
    results["mean member"] = {
        name: float(np.mean([member[name] for member in members])) for name in MEASURES
    }
    return results


def combine(form: Form, ensemble: Ensemble, data: Data, seed: int) -> ConsensusResult:
    """Combine the members in one way."""
    weights = None
    if form.levels is not None:
        weigher = CoreStabilityWeighter(levels=form.levels, scale=form.scale)
        weights = weigher.weigh(ensemble, X=data.X)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        return form.consensus.combine(
            ensemble, data.n_classes, weights=weights, X=data.X, seed=seed
        )


def _measure(
    y: np.ndarray, labels: np.ndarray, ensemble: Ensemble, made: float, taken: float
) -> dict[str, float]:
    return {
        "nmi_max": 100 * nmi(y, labels, average="max"),
        "nmi_sqrt": 100 * nmi(y, labels, average="geometric"),
        "acc": 100 * accuracy(y, labels),
        "n_cores": len(ensemble.core),
        "generate_s": made,
        "integrate_s": taken,
    }


def rivals(datasets: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Run the other rows of Tables 5 and 6."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        names = list(_held(datasets))
        _c2swce_rivals.run(names, seeds, log, _rival_measure)


def _rival_measure(y: np.ndarray, labels: np.ndarray, taken: float) -> dict:
    ensemble = Ensemble(labels[:, None])
    return _measure(y, labels, ensemble, 0.0, taken) | {"n_cores": 0.0}


def _tell(key: Key, results: dict[str, dict[str, float]]) -> None:
    found = "  ".join(f"{m} {v['nmi_max']:.1f}" for m, v in list(results.items())[:4])
    print(*key, found, f"{results['mean member']['generate_s']:.1f} s", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.c2swce", description=__doc__
    )
    tasks: dict[str, Callable[..., None]] = {
        "tables": partial(run, TABLES),
        "readings": partial(run, READINGS),
        "cores": count_cores,
        "base": base,
        "rivals": rivals,
        "grid": grid,
        "timing": timing,
        "members": steadiness,
    }
    parser.add_argument("task", choices=["all", *tasks, "report"])
    told = ", ".join(f"{n} of {task}" for task, n in SEEDS.items())
    parser.add_argument("--seeds", type=int, help=f"at most; default {told}")
    parser.add_argument("--only", nargs="+", choices=list(HELD), metavar="DATA")
    options = parser.parse_args()
    log = RunLog(RESULTS / "c2swce_runs.csv", MEASURES)
    chosen = [name for name in HELD if not options.only or name in options.only]
    with threadpool_limits(1), kernel_threads(1):
        for name, task in tasks.items():
            if options.task in (name, "all"):
                task(chosen, range(options.seeds or SEEDS[name]), log)
    if options.task in ("report", "all"):
        _c2swce_report.write(log, RESULTS)


if __name__ == "__main__":
    main()
