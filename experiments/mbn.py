"""The MBN family: Tables II to V and VII, Fig. 7 and the studies of Section VII-G.

``python -m experiments.mbn tables`` runs fMBN-E, fMBN-Ev2, MBN and the selections,
``main`` the two main rows alone, ``kmeans`` k-means on the same data, ``slow`` MBN-E
itself, ``weights`` writes the weights of Fig. 7, ``studies`` varies what Section VII-G
varies, ``communities`` runs the graphs (``--bottom columns``: the text's literal bottom
layer), and ``report`` writes ``experiments/results/mbn.md``. All of it can be stopped
and goes on where it was. Settings are the paper's (Z = 40, V = 400); nothing is chosen
by the known classes.
"""

import argparse
import csv
import itertools
import time
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.cluster import KMeans

from coterie import MBN, MBNEnsemble
from coterie.applications import communities
from coterie.consensus import (
    HBGF,
    KCC,
    LWEA,
    LWGP,
    CoassociationSpectral,
    CodePCA,
    Vote,
)
from coterie.ensemble import Ensemble
from coterie.experimental import AdaptiveSelection
from coterie.metrics import accuracy, nmi
from coterie.weighting import (
    ClusterSelection,
    EntropyWeighter,
    HullSelection,
    JointSelection,
    NetworkSelection,
)
from coterie.weighting._networks import SELECTIONS, networks_of
from experiments import _mbn_report
from experiments._mbn_data import HELD, edges, prepared
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = ("acc", "nmi", "bottom_seconds", "seconds")
GRAPHS = ("tvshow", "politician", "company", "public_figure", "athletes", "new_sites")
N_KEPT = {"mmd": 10}  # 3 for the others
NAMES = {"swc": "SWC", "pb": "PB", "pbm": "PBM", "vrc": "VRC"}


def scores(y: np.ndarray, labels: np.ndarray, bottom: float, whole: float) -> dict:
    return {
        "acc": accuracy(y, labels),
        "nmi": nmi(y, labels),
        "bottom_seconds": bottom,
        "seconds": whole,
    }


def cluster(ensemble: Ensemble, n_clusters: int, seed: int, how: str = "auto") -> Any:
    return CodePCA(how).combine(ensemble, n_clusters, seed=seed).labels


def kept_of(model: Any, networks: Any) -> Ensemble:
    """Return the clusterings of some networks."""
    kept = np.isin(networks_of(model.ensemble_), networks)
    return model.ensemble_.subset(np.flatnonzero(kept))


def timed(model: Any, X: Any) -> tuple[float, float]:
    """Fit; return the seconds of the bottom layer alone, and of the whole."""
    start = time.perf_counter()
    model.fit(X)
    whole = time.perf_counter() - start
    bottom = 0.0
    networks = model.parts(X.shape[0]).generator
    if networks.fast:
        networks.set_params(n_members=1, n_out=X.shape[0], last_layer="stop")
        start = time.perf_counter()
        networks.generate(X, seed=0, n_jobs=model.n_jobs)
        bottom = time.perf_counter() - start
    return bottom, whole


def tables(names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int) -> None:
    """Run fMBN-E, fMBN-Ev2, MBN and all selections."""
    for name in names:
        X, y, metric = prepared(name)
        c = len(np.unique(y))
        settings = {"metric": metric, "n_jobs": jobs}
        for seed in seeds:
            if (key := Key("tables", name, "default", seed)) in log:
                continue
            results = ensemble_and_selections(X, y, c, seed, SELECTIONS, settings)
            v2 = MBNEnsemble(c, feature_sampling=False, random_state=seed, **settings)
            seconds = timed(v2, X)
            results["fMBN-Ev2"] = scores(y, v2.labels_, *seconds)
            if X.shape[0] < 8000:
                one = MBN(c, random_state=seed, **settings)
                seconds = timed(one, X)
                results["MBN"] = scores(y, one.labels_, *seconds)
            log.add(key, results)
            tell(key, results)


def main_rows(
    names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int
) -> None:
    """Run fMBN-E and its selection by VRC alone."""
    for name in names:
        X, y, metric = prepared(name)
        c = len(np.unique(y))
        settings = {"metric": metric, "n_jobs": jobs}
        for seed in seeds:
            key = Key("tables", name, "main", seed)
            if key in log or key._replace(variant="default") in log:
                continue
            results = ensemble_and_selections(X, y, c, seed, ("vrc",), settings)
            log.add(key, results)
            tell(key, results)


def ensemble_and_selections(
    X: Any, y: Any, c: int, seed: int, selections: Iterable[str], settings: dict
) -> dict[str, dict[str, float]]:
    """Score fMBN-E, its last step done otherwise, and what selections keep."""
    model = MBNEnsemble(c, random_state=seed, **settings)
    bottom, whole = timed(model, X)
    results = {"fMBN-E": scores(y, model.labels_, bottom, whole)}
    for how in ("ward", "kmeans"):
        labels = cluster(model.ensemble_, c, seed, how)
        results[f"fMBN-E {how}"] = scores(y, labels, bottom, whole)
    for criterion in selections:
        start = time.perf_counter()
        weights = weigh(model, criterion, seed)
        kept = np.argsort(-weights, kind="stable")[: N_KEPT.get(criterion, 3)]
        labels = cluster(kept_of(model, kept), c, seed)
        took = whole + time.perf_counter() - start
        form = NAMES.get(criterion)
        method = "MBN-SD" if form is None else f"MBN-SO ({form})"
        results[method] = scores(y, labels, bottom, took)
    return results


def plain(names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int) -> None:
    """Run k-means on the same data (Table II)."""
    for name, seed in itertools.product(names, seeds):
        if (key := Key("kmeans", name, "default", seed)) in log:
            continue
        X, y, _ = prepared(name)
        start = time.perf_counter()
        labels = KMeans(len(np.unique(y)), n_init=1, random_state=seed).fit_predict(X)
        results = {"kmeans": scores(y, labels, 0.0, time.perf_counter() - start)}
        log.add(key, results)
        tell(key, results)


def slow(names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int) -> None:
    """Run MBN-E itself, and fMBN-E of the same seeds beside it."""
    for name in names:
        X, y, metric = prepared(name)
        c = len(np.unique(y))
        for seed in seeds:
            if (key := Key("slow", name, "default", seed)) in log:
                continue
            results = {}
            for method, fast in (("fMBN-E", True), ("MBN-E", False)):
                model = MBNEnsemble(
                    c, fast=fast, metric=metric, random_state=seed, n_jobs=jobs
                )
                results[method] = scores(y, *_labels_and_seconds(model, X))
            log.add(key, results)
            tell(key, results)


def _labels_and_seconds(model: Any, X: Any) -> tuple[Any, float, float]:
    bottom, whole = timed(model, X)
    return model.labels_, bottom, whole


def weigh(model: MBNEnsemble, criterion: str, seed: int, labels: Any = None) -> Any:
    found = (
        model.consensus_ if labels is None else replace(model.consensus_, labels=labels)
    )
    rng = np.random.default_rng(seed)
    networks = networks_of(model.ensemble_)
    return NetworkSelection(criterion=criterion).scores(
        model.ensemble_, networks, found, rng
    )


def base_partitions(model: MBNEnsemble, c: int, seed: int) -> np.ndarray:
    """Return what each network alone says, (N, Z)."""
    return np.stack(
        [cluster(kept_of(model, [z]), c, seed) for z in range(model.n_members)],
        axis=1,
    )


def weights(names: Iterable[str], log: RunLog, jobs: int) -> None:
    """Write delta, accuracy and weights of each network of one run (Fig. 7)."""
    path = RESULTS / "mbn_weights.csv"
    done = set()
    if path.exists():
        with path.open(newline="") as file:
            done = {row["dataset"] for row in csv.DictReader(file)}
    for name in names:
        if name in done:
            continue
        X, y, metric = prepared(name)
        c = len(np.unique(y))
        model = MBNEnsemble(c, metric=metric, random_state=0, n_jobs=jobs).fit(X)
        found = base_partitions(model, c, 0)
        columns = {criterion: weigh(model, criterion, 0) for criterion in SELECTIONS}
        new = not path.exists()
        with path.open("a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(["dataset", "delta", "acc", *SELECTIONS])
            for z in np.argsort(model.deltas_):
                numbers = (columns[s][z] for s in SELECTIONS)
                acc = accuracy(y, found[:, z])
                writer.writerow(
                    [name, f"{model.deltas_[z]:.4f}", f"{acc:.4f}"]
                    + [f"{value:.6g}" for value in numbers]
                )
        print(f"weights of {name} written", flush=True)


def studies(names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int) -> None:
    for name in names:
        X, y, metric = prepared(name)
        c = len(np.unique(y))
        for seed in seeds:
            keys = [Key(s, name, "default", seed) for s in STUDIES]
            if all(key in log for key in keys):
                continue
            model = MBNEnsemble(c, metric=metric, random_state=seed, n_jobs=jobs)
            model.fit(X)
            for key in keys:
                if key not in log:
                    found = STUDIES[key.study](model, X, y, c, seed)
                    results = {m: scores(y, lab, 0, 0) for m, lab in found.items()}
                    log.add(key, results)
                    tell(key, results)


def number_kept(model: Any, X: Any, y: Any, c: int, seed: int) -> dict[str, Any]:
    """VII-G 1: networks kept, from 1 to 10."""
    found = {}
    for criterion, form in (("vrc", "MBN-SO (VRC)"), ("mmd", "MBN-SD")):
        order = np.argsort(-weigh(model, criterion, seed), kind="stable")
        for B in range(1, 11):
            found[f"{form} B={B}"] = cluster(kept_of(model, order[:B]), c, seed)
    return found


def reference_labels(model: Any, X: Any, y: Any, c: int, seed: int) -> dict[str, Any]:
    """VII-G 2: the labels by which networks are judged."""
    one = MBN(c, metric=model.metric, random_state=seed, n_jobs=model.n_jobs).fit(X)
    references = {
        "random": np.random.default_rng(seed).integers(0, c, len(y)),
        "MBN": one.labels_,
        "MBN-E": model.labels_,
        "truth": y,
    }
    found = {}
    for reference, labels in references.items():
        order = np.argsort(-weigh(model, "vrc", seed, labels), kind="stable")
        found[f"VRC by {reference}"] = cluster(kept_of(model, order[:3]), c, seed)
    return found


def meta_clustering(model: Any, X: Any, y: Any, c: int, seed: int) -> dict[str, Any]:
    """VII-G 3: consensus functions on the networks' own partitions."""
    members = Ensemble(base_partitions(model, c, seed))
    entropy = EntropyWeighter().weigh(members)
    functions = {
        "LWEA": (LWEA(), entropy),
        "LWGP": (LWGP(), entropy),
        "SC": (CoassociationSpectral(), entropy),
        "HBGF": (HBGF(), None),
        "KCC": (KCC(), None),
        "Vote": (Vote(), None),
    }
    found = {"concatenation": model.labels_}
    for name, (function, weights) in functions.items():
        result = function.combine(members, c, weights=weights, seed=seed)
        found[name] = result.labels
    return found


def member_selection(model: Any, X: Any, y: Any, c: int, seed: int) -> dict[str, Any]:
    """VII-G 4: other rules that choose networks, by their own partitions."""
    members = Ensemble(base_partitions(model, c, seed))
    rules = {
        "joint criterion, 3": JointSelection(3),
        "joint criterion, 10": JointSelection(10),
        "cluster and select, 3": ClusterSelection(3),
        "cluster and select, 10": ClusterSelection(10),
        "convex hull": HullSelection(),
        "adaptive": AdaptiveSelection(c),
    }
    found = {"all": model.labels_}
    for name, rule in rules.items():
        kept = np.flatnonzero(rule.weigh(members).members)
        found[name] = cluster(kept_of(model, kept), c, seed)
    order = np.argsort(-weigh(model, "vrc", seed), kind="stable")
    found["VRC, 3 (MBN-SO)"] = cluster(kept_of(model, order[:3]), c, seed)
    return found


STUDIES: dict[str, Callable[..., dict[str, Any]]] = {
    "number_kept": number_kept,
    "reference_labels": reference_labels,
    "meta_clustering": meta_clustering,
    "member_selection": member_selection,
}


def graphs(names: Iterable[str], seeds: Iterable[int], jobs: int, **settings) -> None:
    """Run Table VII."""
    log = RunLog(RESULTS / "mbn_graphs.csv", ("modularity", "n_found", "seconds"))
    for name in names:
        for seed in seeds:
            variant = "default"
            if settings:
                variant = " ".join(f"{k}={v}" for k, v in settings.items())
            if (key := Key("graphs", f"facebook_{name}", variant, seed)) in log:
                continue
            start = time.perf_counter()
            found = communities(
                edges(f"facebook_{name}"),
                method="mbn",
                random_state=seed,
                n_jobs=jobs,
                **settings,
            )
            seconds = time.perf_counter() - start
            numbers = found.modularity, found.n_communities, seconds
            results = {"fMBN-E": dict(zip(log.measures, numbers, strict=True))}
            log.add(key, results)
            tell(key, results)


def tell(key: Key, results: dict[str, dict[str, float]]) -> None:
    parts = "  ".join(
        f"{method} {next(iter(values.values())):.3f}"
        for method, values in results.items()
    )
    print(*key, parts, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.mbn")
    known = ("tables", "main", "kmeans", "slow", "weights", "studies")
    known += ("communities", "report")
    parser.add_argument("what", choices=known)
    parser.add_argument("--only", nargs="+", help="data sets or graphs")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--bottom", choices=["nearest", "columns"], default="nearest", help="of graphs"
    )
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    log = RunLog(RESULTS / "mbn_runs.csv", MEASURES)
    seeds = range(options.seeds)
    if options.what == "communities":
        chosen = {} if options.bottom == "nearest" else {"bottom_layer": options.bottom}
        graphs(options.only or GRAPHS, seeds, options.jobs, **chosen)
    elif options.what == "report":
        _mbn_report.write(log, RESULTS)
    elif options.what == "weights":
        weights(options.only or ("dermatology", "umist", "coil20"), log, options.jobs)
    else:
        run = {
            "tables": tables,
            "main": main_rows,
            "kmeans": plain,
            "slow": slow,
            "studies": studies,
        }[options.what]
        run(options.only or list(HELD), seeds, log, options.jobs)


if __name__ == "__main__":
    main()
