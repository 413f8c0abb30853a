"""The MBN family: Tables II to V and VII, Fig. 7 and the studies of Section VII-G.

``python -m experiments.mbn tables`` runs fMBN-E, fMBN-Ev2, MBN and the selections,
``main`` the two main rows alone, ``single`` MBN where these lack it, ``kmeans`` k-means
on the same data, ``rivals`` the consensus functions of Table II on small tables,
``slow`` MBN-E itself, ``optimum`` MBN with every delta (Table I), ``weights`` writes
the weights of Fig. 7, ``studies`` varies what Section VII-G varies, ``communities``
runs the graphs (``communities-columns`` with the text's literal bottom layer,
``communities-full`` with as many networks and clusterings as elsewhere),
``communities-rivals`` what igraph has of Table VII, ``segments`` the photos of Fig. 8
beside people's outlines, and ``report`` writes ``experiments/results/mbn.md``; ``all``
does what the report holds. All of it can be stopped and goes on where it was. Settings
are the paper's (Z = 40, V = 400); nothing is chosen by the known classes.
"""

import argparse
import csv
import itertools
import random
import time
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import igraph
import numpy as np
from sklearn.cluster import KMeans

from coterie import MBN, MBNEnsemble
from coterie.applications import communities
from coterie.exceptions import UnscaledDataWarning
from coterie.generation import RandomKMeans
from coterie.metrics import accuracy, modularity, nmi
from coterie.weighting._networks import SELECTIONS
from experiments import _mbn_report, mbn_segments
from experiments._mbn_cells import FEW_VIEWS
from experiments._mbn_data import HELD, edges, prepared
from experiments._mbn_studies import (
    FUNCTIONS,
    NAMES,
    STUDIES,
    Grown,
    base_partitions,
    cluster,
    combined,
    kept_of,
    weigh,
)
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = ("acc", "nmi", "bottom_seconds", "seconds")
GRAPHS = ("tvshow", "politician", "company", "public_figure", "athletes", "new_sites")
N_KEPT = {"mmd": 10}  # 3 for the others
DELTAS = tuple(d / 20 for d in range(1, 20))  # searched for Table I
STARTS = 100  # of k-means
EXACT = 5000  # samples up to which all codes are compared by default


def scores(y: np.ndarray, labels: np.ndarray, bottom: float, whole: float) -> dict:
    return {
        "acc": accuracy(y, labels),
        "nmi": nmi(y, labels),
        "bottom_seconds": bottom,
        "seconds": whole,
    }


def timed(model: Any, X: Any) -> tuple[float, float]:
    """Fit; return the CPU seconds of the bottom layer alone, and of the whole."""
    start = time.process_time()
    model.fit(X)
    whole = time.process_time() - start
    networks = model.parts(X.shape[0]).generator
    networks.set_params(n_out=X.shape[0], last_layer="stop")
    if networks.fast:
        networks.set_params(n_members=1)
    start = time.process_time()
    networks.generate(X, seed=0, n_jobs=model.n_jobs)
    return time.process_time() - start, whole


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
                results |= of_one(X, y, seed, settings)
            log.add(key, results)
            tell(key, results)


def of_one(X: Any, y: np.ndarray, seed: int, settings: dict) -> dict:
    """Score one MBN, which compares all codes, and with those of the default."""
    results = {}
    c = len(np.unique(y))
    views = {"MBN": "all"} if X.shape[0] <= EXACT else {"MBN": "all", FEW_VIEWS: None}
    for method, n_views in views.items():
        one = MBN(c, n_views=n_views, random_state=seed, **settings)
        seconds = timed(one, X)
        results[method] = scores(y, one.labels_, *seconds)
    return results


def single(names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int) -> None:
    """Add MBN to the finished runs that lack it."""
    for name in names:
        X, y, metric = prepared(name)
        settings = {"metric": metric, "n_jobs": jobs}
        for seed in seeds:
            runs = [Key("tables", name, v, seed) for v in ("default", "main")]
            done = [key for key in runs if key in log]
            if done and not any("MBN" in log.runs[key] for key in done):
                results = of_one(X, y, seed, settings)
                log.add(done[0], results)
                tell(done[0], results)


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
        start = time.process_time()
        weights = weigh(model, criterion, seed)
        kept = np.argsort(-weights, kind="stable")[: N_KEPT.get(criterion, 3)]
        labels = cluster(kept_of(model, kept), c, seed)
        took = whole + time.process_time() - start
        form = NAMES.get(criterion)
        method = "MBN-SD" if form is None else f"MBN-SO ({form})"
        results[method] = scores(y, labels, bottom, took)
    return results


def plain(names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int) -> None:
    """Run k-means on the same data, the best of 100 starts (Table II)."""
    for name, seed in itertools.product(names, seeds):
        if (key := Key("kmeans", name, "default", seed)) in log:
            continue
        X, y, _ = prepared(name)
        start = time.process_time()
        kmeans = KMeans(len(np.unique(y)), n_init=STARTS, random_state=seed)
        labels = kmeans.fit_predict(X)
        results = {"kmeans": scores(y, labels, 0.0, time.process_time() - start)}
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
    """Vary what Section VII-G varies."""
    for name in names:
        X, y, metric = prepared(name)
        c = len(np.unique(y))
        for seed in seeds:
            keys = [Key(s, name, "default", seed) for s in STUDIES]
            if all(key in log for key in keys):
                continue
            model = MBNEnsemble(c, metric=metric, random_state=seed, n_jobs=jobs)
            grown = Grown(model.fit(X), X, y, c, seed)
            for key in keys:
                if key not in log:
                    found = STUDIES[key.study](grown)
                    results = {m: scores(y, lab, 0, 0) for m, lab in found.items()}
                    log.add(key, results)
                    tell(key, results)


def optimum(names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int) -> None:
    """Run MBN with every delta of a grid (Table I)."""
    for name in names:
        X, y, metric = prepared(name)
        for seed in seeds:
            if (key := Key("optimum", name, "default", seed)) in log:
                continue
            results = {}
            for delta in DELTAS:
                one = MBN(
                    len(np.unique(y)),
                    delta=delta,
                    metric=metric,
                    random_state=seed,
                    n_jobs=jobs,
                )
                start = time.process_time()
                labels = one.fit_predict(X)
                seconds = time.process_time() - start
                results[f"{delta}"] = scores(y, labels, 0.0, seconds)
            log.add(key, results)
            tell(key, results)


def rivals(names: Iterable[str], seeds: Iterable[int], log: RunLog, jobs: int) -> None:
    """Combine 40 k-means members of 2c to 10c clusters (Table II, small tables)."""
    for name in names:
        if HELD[name].kind != "table":
            continue
        X, y, _ = prepared(name)
        c = len(np.unique(y))
        for seed in seeds:
            if (key := Key("rivals", name, "default", seed)) in log:
                continue
            generator = RandomKMeans(40, n_clusters=(2 * c, 10 * c))
            members = generator.generate(X, seed=seed, n_jobs=jobs)
            results = {}
            for function in FUNCTIONS:
                start = time.process_time()
                labels = combined(function, members, c, seed)
                seconds = time.process_time() - start
                results[function] = scores(y, labels, 0.0, seconds)
            log.add(key, results)
            tell(key, results)


def graphs(names: Iterable[str], seeds: Iterable[int], jobs: int, **settings) -> None:
    """Run Table VII."""
    log = _graph_log()
    variant = " ".join(f"{k}={v}" for k, v in settings.items()) or "default"
    for name in names:
        for seed in seeds:
            if (key := Key("graphs", f"facebook_{name}", variant, seed)) in log:
                continue
            start = time.process_time()
            found = communities(
                edges(f"facebook_{name}"),
                method="mbn",
                random_state=seed,
                n_jobs=jobs,
                **settings,
            )
            seconds = time.process_time() - start
            numbers = found.modularity, found.n_communities, seconds
            results = {"fMBN-E": dict(zip(log.measures, numbers, strict=True))}
            log.add(key, results)
            tell(key, results)


def graph_rivals(names: Iterable[str], seeds: Iterable[int]) -> None:
    """Run the rivals of Table VII that igraph has."""
    log = _graph_log()
    for name in names:
        links = edges(f"facebook_{name}")
        graph = igraph.Graph(edges=links.tolist()).simplify()
        A = graph.get_adjacency_sparse()
        ways = {
            "Walktrap": lambda g: g.community_walktrap().as_clustering(),
            "Fast greedy": lambda g: g.community_fastgreedy().as_clustering(),
            "Label propagation": lambda g: g.community_label_propagation(),
        }
        for seed in seeds:
            if (key := Key("graphs", f"facebook_{name}", "rivals", seed)) in log:
                continue
            random.seed(seed)
            results = {}
            for method, find in ways.items():
                start = time.process_time()
                labels = np.array(find(graph).membership)
                seconds = time.process_time() - start
                numbers = modularity(A, labels), labels.max() + 1, seconds
                results[method] = dict(zip(log.measures, numbers, strict=True))
            log.add(key, results)
            tell(key, results)


def _graph_log() -> RunLog:
    return RunLog(RESULTS / "mbn_graphs.csv", ("modularity", "n_found", "seconds"))


def tell(key: Key, results: dict[str, dict[str, float]]) -> None:
    parts = "  ".join(
        f"{method} {next(iter(values.values())):.3f}"
        for method, values in results.items()
    )
    print(*key, parts, flush=True)


def perform(what: str, names: Iterable[str] | None, n_seeds: int, jobs: int) -> None:
    """Do one task for some data sets or graphs, or for all of them."""
    log = RunLog(RESULTS / "mbn_runs.csv", MEASURES)
    seeds = range(n_seeds)
    if what in GRAPH_SETTINGS:
        graphs(names or GRAPHS, seeds, jobs, **GRAPH_SETTINGS[what])
    elif what == "communities-rivals":
        graph_rivals(names or GRAPHS, seeds)
    elif what == "segments":
        mbn_segments.run(RESULTS)
    elif what == "report":
        _mbn_report.write(log, RESULTS)
    elif what == "weights":
        weights(names or ("dermatology", "umist", "coil20"), log, jobs)
    else:
        TASKS[what](names or list(HELD), seeds, log, jobs)


TASKS: dict[str, Callable[[Iterable[str], Iterable[int], RunLog, int], None]] = {
    "tables": tables,
    "main": main_rows,
    "single": single,
    "kmeans": plain,
    "rivals": rivals,
    "slow": slow,
    "studies": studies,
    "optimum": optimum,
}
GRAPH_SETTINGS: dict[str, dict[str, Any]] = {
    "communities": {},
    "communities-columns": {"bottom_layer": "columns"},
    "communities-full": {"n_members": 40, "n_clusterings": 400},
}
SMALL = ("dermatology", "umist", "coil20")
PLAN: tuple[tuple[str, tuple[str, ...] | None, int], ...] = (
    ("rivals", SMALL, 5),
    ("kmeans", SMALL, 5),
    ("kmeans", ("yaleb", "coil100", "mnist5000"), 1),
    ("communities-rivals", GRAPHS[:5], 5),
    ("tables", SMALL, 5),
    ("tables", ("yaleb",), 3),
    ("tables", ("coil100",), 1),
    ("main", ("yaleb",), 5),
    ("main", ("coil100",), 3),
    ("main", ("mnist5000",), 1),
    ("single", ("coil100", "mnist5000"), 1),
    ("studies", SMALL[:2], 5),
    ("studies", SMALL[2:], 3),
    ("studies", ("yaleb",), 1),
    ("optimum", SMALL[:2], 3),
    ("optimum", SMALL[2:], 1),
    ("weights", (*SMALL, "yaleb"), 1),
    ("slow", SMALL[:2], 5),
    ("communities", GRAPHS[:5], 5),
    ("communities", GRAPHS[5:], 3),
    ("communities-columns", GRAPHS[:1], 3),
    ("communities-full", GRAPHS[:1], 1),
    ("main", ("newsgroups20",), 1),
    ("segments", None, 1),
    ("report", None, 0),
)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.mbn")
    others = (
        *GRAPH_SETTINGS,
        "communities-rivals",
        "segments",
        "weights",
        "report",
        "all",
    )
    parser.add_argument("what", choices=[*TASKS, *others])
    parser.add_argument("--only", nargs="+", help="data sets or graphs")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    RESULTS.mkdir(exist_ok=True)
    warnings.simplefilter("ignore", UnscaledDataWarning)  # tables as they are
    if options.what == "all":
        for what, names, n_seeds in PLAN:
            perform(what, names, n_seeds, options.jobs)
        return
    perform(options.what, options.only, options.seeds, options.jobs)


if __name__ == "__main__":
    main()
