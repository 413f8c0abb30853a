"""SPCE: Tables III-IX and Figs. 2 and 3.

``python -m experiments.spce tables`` runs SPCE, SPCE-fixW and SPCE-W with every theta
of the paper's grid on every data set we hold, with k-means and with spectral members,
``members`` measures single clusterings of data and of spectra, with rows of length one
and without, ``convergence`` records the objective of every step, ``exactness`` compares
distinct label rows with all samples, ``thresholds`` compares the components of S with
those of a co-association that is cut once, ``matrices`` measures how blurred the
consensus matrices are, ``clusters`` reads exactly k clusters off S in two ways on every
data set we hold, beside plain average linkage and LWEA, and ``report`` writes
``experiments/results/spce.md``; ``all`` does all of it. Tables and clusters can be
stopped and go on where they were. One run of the tables gives both rules for
components: what was found, and exactly k clusters.
"""

import argparse
import csv
import itertools
import time
import warnings
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from scipy.sparse import csr_matrix
from scipy.sparse.csgraph import connected_components
from threadpoolctl import threadpool_limits

from coterie.consensus import LWEA, RSEC, OneHotLinkage, SelfPaced
from coterie.consensus._low_rank import represent
from coterie.consensus._self_paced import cut_similarity, with_exactly
from coterie.consensus._self_paced_core import Problem, descend
from coterie.ensemble import CoreClusters
from coterie.exceptions import (
    ClusterSizesWarning,
    DegenerateMemberWarning,
    FewerClustersWarning,
)
from coterie.generation import RandomKMeans
from coterie.metrics import accuracy, ari, nmi
from coterie.metrics._ensemble import agreement_with_ensemble
from coterie.weighting import EntropyWeighter
from experiments import _spce_report
from experiments._data import is_held
from experiments._runs import Key, RunLog
from experiments._spce_data import (
    ALL_SETS,
    HELD,
    N_KMEANS,
    N_RUNS,
    Run,
    all_spectral,
    is_available,
    make,
    members_of,
    n_seeds,
    read,
)
from experiments._tables import figures, write_csv

RESULTS = Path(__file__).parent / "results"
MEASURES = ("acc", "nmi", "ari", "n_clusters", "seconds", "n_iter", "n_inexact")
THETAS = tuple(t / 10 for t in range(10))
CUTS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)  # theta, where S is cut by average linkage
OLD_THETA = 0.3  # where components were merged and split
CLUSTER_MEASURES = ("nmi", "ari", "agreement", "largest")
PACES = {"SPCE": "self", "SPCE-fixW": "fixed", "SPCE-W": "none"}
SETTINGS = ("kmeans", "spectral")
MEMBERS = ("raw", "unit", "spectral raw", "spectral unit")
EXACTNESS = ("glioma", "warpar", "tox", "lung", "umist")
MOST_CUBIC = 750  # distinct rows of labels for RSEC
CONVERGENCE = ("glioma", "lung", "ar", "coil20")


def tables(names: Iterable[str], seeds: Iterable[int], log: RunLog) -> None:
    """Run what the log does not have."""
    seeds = list(seeds)
    for name in names:
        for setting in SETTINGS:
            if not is_available(name, setting):
                print(f"{name}, {setting}: skipped, no data", flush=True)
                continue
            for seed in seeds:
                key = Key(setting, name, "default", seed)
                if key in log:
                    continue
                start = time.process_time()
                run = make(name, setting, seed)
                log.add(key, score(run, seed))
                seconds = time.process_time() - start
                print(f"{setting} {name} run {seed}: {seconds:.1f} s", flush=True)


def score(run: Run, seed: int) -> dict[str, dict[str, float]]:
    """Score every form and theta, the rivals and the members."""
    results = {}
    k, ensemble, y = run.n_classes, run.ensemble, run.y
    for form, pace in PACES.items():
        for theta in THETAS:
            start = time.process_time()
            part = SelfPaced(theta, pace=pace, components="exact")
            result = part.combine(ensemble, k, seed=seed)
            work = {
                "seconds": time.process_time() - start,
                "n_iter": result.n_iter,
                "n_inexact": int((~result.details["exact"]).sum()),
            }
            found = result.details["components"]
            results[f"{form} found {theta}"] = {**measure(y, found), **work}
            if form == "SPCE":
                results[f"{form} exact {theta}"] = {**measure(y, result.labels), **work}
    weights = EntropyWeighter().weigh(ensemble)
    rivals = {
        "LWEA": lambda: LWEA().combine(ensemble, k, weights=weights, seed=seed),
        "average linkage": lambda: OneHotLinkage().combine(ensemble, k, seed=seed),
    }
    nothing = {"n_iter": 0, "n_inexact": 0}
    for rival, combine in rivals.items():
        start = time.process_time()
        labels = combine().labels
        seconds = time.process_time() - start
        results[rival] = {**measure(y, labels), "seconds": seconds, **nothing}
    members = [
        {**measure(y, labels), "seconds": 0.0, **nothing}
        for labels in ensemble.labels.T
    ]
    for which, choose in (("mean member", np.mean), ("best member", np.max)):
        results[which] = {
            name: float(choose([member[name] for member in members]))
            for name in MEASURES
        }
    return results


def measure(y: np.ndarray, labels: np.ndarray) -> dict[str, float]:
    """ACC, NMI by the geometric mean and ARI in percent, and the number of clusters."""
    return {
        "acc": round(100 * accuracy(y, labels), 2),
        "nmi": round(100 * nmi(y, labels, average="geometric"), 2),
        "ari": round(100 * ari(y, labels), 2),
        "n_clusters": int(labels.max()) + 1,
    }


def clusters(names: Iterable[str], log: RunLog) -> None:
    """Read exactly k clusters off S in both ways, beside the rivals."""
    for name in names:
        if not is_held(name):
            print(f"{name}: skipped, no data", flush=True)
            continue
        for seed in range(n_seeds(name)):
            key = Key("clusters", name, "default", seed)
            if key in log:
                continue
            start = time.process_time()
            run = members_of(name, seed)
            if len(run.ensemble.core) > SelfPaced.most_rows:
                print(f"{name}: skipped, too many distinct label rows", flush=True)
                break
            log.add(key, score_clusters(run, seed))
            seconds = time.process_time() - start
            print(f"{name} run {seed}: {seconds:.1f} s", flush=True)


def score_clusters(run: Run, seed: int) -> dict[str, dict[str, float]]:
    """Score k clusters by average linkage of S, by its components, and by rivals."""
    k, ensemble = run.n_classes, run.ensemble
    core = ensemble.core
    problem = Problem.of(core.rows, core.counts, np.ones(ensemble.n_members))
    found = {}
    for theta in CUTS:
        outcome = descend(problem, k, theta)
        found[f"linkage {theta}"] = cut_similarity(problem, outcome.S, k)[core.index]
        if theta == OLD_THETA:
            rng = np.random.default_rng(seed)
            labels = with_exactly(k, problem, outcome.spectrum, rng)
            found[f"exact {theta}"] = labels[core.index]
    weights = EntropyWeighter().weigh(ensemble)
    found["LWEA"] = LWEA().combine(ensemble, k, weights=weights, seed=seed).labels
    found["average linkage"] = OneHotLinkage().combine(ensemble, k, seed=seed).labels
    largest = ensemble.cluster_sizes.max()
    return {
        method: {
            "nmi": nmi(run.y, labels, average="geometric"),
            "ari": ari(run.y, labels),
            "agreement": agreement_with_ensemble(labels, ensemble),
            "largest": np.bincount(labels).max() / largest,
        }
        for method, labels in found.items()
    }


def members(names: Iterable[str], log: RunLog) -> None:
    """Measure single clusterings of the data and spectra, scaled or as they are."""
    for name in names:
        if not HELD[name].file or not is_available(name, "kmeans"):
            continue
        for variant in MEMBERS:
            key = Key("members", name, variant, 0)
            if key in log:
                continue
            unit = variant.endswith("unit")
            if variant.startswith("spectral"):
                run = all_spectral(name, unit)
            else:
                X, y = read(name, unit)
                generator = RandomKMeans(
                    N_KMEANS, n_clusters=len(np.unique(y)), init="random"
                )
                run = Run(generator.generate(X, seed=0, n_jobs=1), y)
            scores = [measure(run.y, labels) for labels in run.ensemble.labels.T]
            mean = {m: np.mean([s.get(m, 0.0) for s in scores]) for m in MEASURES}
            log.add(key, {"mean member": mean})
            print(f"members {name} {variant}: {mean['acc']:.1f}", flush=True)


def convergence(names: Iterable[str]) -> None:
    """Write the objective of every step of one run (Fig. 2)."""
    path = RESULTS / "spce_convergence.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["dataset", "iteration", "stage", "rho", "n_components", "objective"]
        )
        for name in names:
            if name not in CONVERGENCE or not is_available(name, "kmeans"):
                continue
            run = make(name, "kmeans", 0)
            part = SelfPaced(0.3, components="exact")
            details = part.combine(run.ensemble, run.n_classes, seed=0).details
            columns = ("stage", "rho", "n_components")
            for i, after in enumerate(details["objective"][:, -1]):
                told = [details[column][i] for column in columns]
                writer.writerow([name, i + 1, *told, f"{after:.8g}"])


def exactness(names: Iterable[str]) -> None:
    """Compare the collapsed problem with that of all samples."""
    path = RESULTS / "spce_exactness.csv"
    with path.open("w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(
            ["dataset", "run", "theta", "n_inexact", "largest_difference", "ari"]
        )
        for name in names:
            if name not in EXACTNESS or not is_available(name, "kmeans"):
                continue
            for seed in range(2):
                run = make(name, "kmeans", seed)
                core, labels = run.ensemble.core, run.ensemble.labels
                alone = np.ones(len(labels)), np.arange(len(labels))
                for theta in THETAS:
                    few = _descend(core.rows, core.counts, core.index, run, theta)
                    all_ = _descend(labels, *alone, run, theta)
                    n_inexact = few[2].count(False)
                    difference = np.abs(few[0] - all_[0]).max()
                    told = [
                        n_inexact,
                        f"{difference:.3g}",
                        f"{ari(few[1], all_[1]):.4f}",
                    ]
                    writer.writerow([name, seed, theta, *told])
                    file.flush()


def thresholds(names: Iterable[str]) -> None:
    """Compare the components of S with a co-association that is cut where SPCE does.

    The first stage cuts pairs on which a smaller share than 1 - 0.09 / theta agrees.
    """
    path = RESULTS / "spce_thresholds.csv"
    rows = []
    for setting, name in itertools.product(SETTINGS, names):
        if not is_available(name, setting):
            continue
        for seed in range(2):
            run = make(name, setting, seed)
            core = run.ensemble.core
            first = np.unique(core.index, return_index=True)[1]
            together = run.ensemble.coassociation()[np.ix_(first, first)]
            problem = Problem.of(
                core.rows, core.counts, np.ones(run.ensemble.n_members)
            )
            for theta in THETAS[1:]:
                learned = descend(problem, run.n_classes, theta).spectrum.component
                kept = csr_matrix(together >= max(1 - 0.09 / theta, 0.0) - 1e-6)
                n_plain, plain = connected_components(kept, directed=False)
                told = learned.max() + 1, n_plain, f"{ari(plain, learned):.4f}"
                rows.append([setting, name, seed, theta, *told])
        print(f"thresholds {setting} {name}", flush=True)
    write_csv(path, "setting dataset run theta learned cut_once ari", rows)


def matrices(names: Iterable[str]) -> None:
    """Write how much of each consensus matrix lies between classes (Fig. 1)."""
    path = RESULTS / "spce_matrices.csv"
    rows = [list(row.values()) for row in figures(path)] if path.exists() else []
    for name in names:
        if not is_available(name, "kmeans") or name in {row[0] for row in rows}:
            continue
        run = make(name, "kmeans", 0)
        core, k = run.ensemble.core, run.n_classes
        plain = run.ensemble.coassociation()
        found = {"co-association": plain}
        if len(core) <= MOST_CUBIC:
            found["RSEC"] = _robust(plain, core, k)
        problem = Problem.of(core.rows, core.counts, np.ones(N_KMEANS))
        for theta in (OLD_THETA, SelfPaced().theta):
            S = descend(problem, k, theta).S
            few = csr_matrix((S, problem.indices, problem.indptr)).toarray()
            np.fill_diagonal(few, 1.0)
            found[f"SPCE, theta {theta}"] = few[np.ix_(core.index, core.index)]
        rows += [[name, matrix, *_blur(S, run.y)] for matrix, S in found.items()]
        write_csv(path, "dataset matrix within between share", rows)
        print(f"matrices of {name} written", flush=True)


def _robust(S: np.ndarray, core: CoreClusters, n_clusters: int) -> np.ndarray:
    """Return the matrix from which RSEC reads its clusters, (N, N)."""
    part = RSEC()
    first = np.unique(core.index, return_index=True)[1]
    counts = core.counts.astype(float)
    weights = part.rank_weight, part.error_weight
    few = S[np.ix_(first, first)]
    np.fill_diagonal(few, 1.0)
    Z = represent(few, counts, n_clusters, weights, part.max_iter, part.tol).Z
    Z = np.abs(Z) / np.sqrt(np.outer(counts, counts))
    return (Z + Z.T)[np.ix_(core.index, core.index)]


def _blur(S: np.ndarray, y: np.ndarray) -> tuple[str, str, str]:
    """Return the mean within and between classes, and the share that is between."""
    same = y[:, None] == y
    between = float(S[~same].mean())
    np.fill_diagonal(same, False)
    within = float(S[same].mean())
    off = S.sum() - np.trace(S)
    share = 1.0 - float(S[same].sum()) / float(off)
    return f"{within:.4g}", f"{between:.4g}", f"{share:.4g}"


def _descend(
    rows: np.ndarray, counts: np.ndarray, index: np.ndarray, run: Run, theta: float
) -> tuple[np.ndarray, np.ndarray, list[bool]]:
    """Return S and the components of the samples, and whether the check held."""
    problem = Problem.of(rows, counts, np.ones(rows.shape[1]))
    outcome = descend(problem, run.n_classes, theta)
    S = np.eye(len(rows))
    S[np.repeat(np.arange(len(rows)), np.diff(problem.indptr)), problem.indices] = (
        outcome.S
    )
    component = outcome.spectrum.component[index]
    return S[np.ix_(index, index)], component, outcome.records["exact"]


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.spce", description=__doc__
    )
    parser.add_argument(
        "task",
        choices=[
            *("tables", "members", "convergence", "exactness", "thresholds"),
            *("matrices", "clusters", "report", "all"),
        ],
    )
    parser.add_argument("--runs", type=int, default=N_RUNS, help="runs 0 .. RUNS - 1")
    parser.add_argument("--only", nargs="+", metavar="DATA")
    options = parser.parse_args()
    log = RunLog(RESULTS / "spce_runs.csv", MEASURES)
    cuts = RunLog(RESULTS / "spce_clusters.csv", CLUSTER_MEASURES)
    known = [name for name in HELD if not options.only or name in options.only]
    every = [name for name in ALL_SETS if not options.only or name in options.only]
    tasks = {
        "members": lambda: members(known, log),
        "tables": lambda: tables(known, range(options.runs), log),
        "convergence": lambda: convergence(known),
        "exactness": lambda: exactness(known),
        "thresholds": lambda: thresholds(known),
        "matrices": lambda: matrices(known),
        "clusters": lambda: clusters(every, cuts),
        "report": lambda: _spce_report.write(log, cuts, RESULTS),
    }
    with threadpool_limits(1), warnings.catch_warnings():
        # Members of the widest kernels and one cluster fewer than asked are expected.
        warnings.simplefilter("ignore", DegenerateMemberWarning)
        warnings.simplefilter("ignore", FewerClustersWarning)
        warnings.simplefilter("ignore", ClusterSizesWarning)
        for task in tasks if options.task == "all" else [options.task]:
            tasks[task]()


if __name__ == "__main__":
    main()
