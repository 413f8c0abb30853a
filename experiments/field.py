"""All consensus functions on one k-means ensemble of each data set.

``python -m experiments.field run`` makes the ensembles (50 members of c to sqrt(N)
clusters, at least 2 c, for c classes; data as they are, seed 0) and combines each by
every method of the catalog, in a process of its own with a limit of time and memory;
those that would take minutes are not tried.
``report`` writes ``results/field.md`` and ``field.png``. It can be stopped and goes on
where it was, with methods that are new. Known classes give the number of clusters and
the scores, and choose nothing.
"""

import argparse
import math
import multiprocessing
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from coterie._catalog import entries
from coterie._kernels._jit import kernel_threads
from coterie.ensemble import Ensemble
from coterie.exceptions import ClusterSizesWarning, FewerClustersWarning
from coterie.generation import RandomKMeans
from coterie.metrics import score
from coterie.metrics._ensemble import agreement_with_ensemble
from coterie.systems import combine
from experiments import _field_report
from experiments._data import is_held, load
from experiments._runs import Key, RunLog

RESULTS = Path(__file__).parent / "results"
MEASURES = ("nmi", "ari", "acc", "agreement", "n_found", "seconds", "mb", "finished")
SETS = [
    "iris",
    "hayes_roth",
    "glass",
    "balance_scale",
    "dermatology",
    "australian_credit",
    "wall2",
    "satimage",
    "yeast",
    "beef",
    "semeion",
    "multiple_features",
    "isolet",
    "umist644",
    "coil20",
    "ar840",
    "warpar10p",
    "yaleb32",
    "flowers17_50",
    "mnist5000",
    "usps",
    "alizadeh2000v2",
    "alizadeh2000v3",
    "armstrong2002v2",
    "bhattacharjee2001",
    "bredel2005",
    "chowdary2006",
    "garber2001",
    "glioma",
    "golub1999v1",
    "golub1999v2",
    "nutt2003v1",
    "risinger2003",
    "tox171",
    "west2001",
    "yeoh2002v1",
    "yeoh2002v2",
    "pbmc68k_reduced",
    "medical",
    "k1b",
]
N_MEMBERS = 50
MEMBERS = ("mean member", "best member")
SECONDS, MEGABYTES = 60, 4096  # CPU seconds
WAIT = 20  # times as long on the clock, at most
UNFINISHED = dict.fromkeys(MEASURES, math.nan) | {"finished": 0.0}


def members_of(X: Any, n_classes: int) -> Ensemble:
    most = max(2 * n_classes, math.ceil(math.sqrt(X.shape[0])))
    generator = RandomKMeans(N_MEMBERS, n_clusters=(n_classes, min(most, X.shape[0])))
    return generator.generate(X, seed=0, n_jobs=1)


def scores(y: Any, labels: Any, ensemble: Ensemble) -> dict[str, float]:
    found = score(y, labels)
    return {
        "nmi": found["nmi_geometric"],
        "ari": found["ari"],
        "acc": found["acc"],
        "agreement": agreement_with_ensemble(labels, ensemble),
        "n_found": len(np.unique(labels)),
    }


def of_members(y: Any, ensemble: Ensemble) -> dict[str, dict[str, float]]:
    """Score the members: their mean, and the best by NMI (which needs the truth)."""
    each = [scores(y, column, ensemble) for column in ensemble.labels.T]
    mean = {name: float(np.mean([one[name] for one in each])) for name in each[0]}
    best = max(each, key=lambda one: one["nmi"])
    free = {"seconds": 0.0, "mb": 0.0, "finished": 1.0}
    return dict(zip(MEMBERS, ({**mean, **free}, {**best, **free}), strict=True))


def attempt(pipe: Any, method: str, ensemble: Ensemble, k: int, X: Any, y: Any) -> None:
    """Combine and send the row; runs in a process of its own."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    resource.setrlimit(resource.RLIMIT_DATA, ((MEGABYTES + 4096) * 2**20,) * 2)
    with threadpool_limits(1), kernel_threads(1):
        few = Ensemble(list(ensemble.labels[: max(60, k)].T))
        try:  # compiles
            warnings.simplefilter("ignore", FewerClustersWarning)
            warnings.simplefilter("ignore", ClusterSizesWarning)
            combine(few, min(k, few.n_samples), method, X=X[: few.n_samples])
        except Exception as error:  # the trial must not decide
            print(f"  {method} on a few samples: {error}", flush=True)
        start = time.process_time()
        most = math.ceil(start) + SECONDS
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))  # a busy machine may wait
        labels = combine(ensemble, k, method, X=X, random_state=0)
        seconds = time.process_time() - start
    peak = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    row = scores(y, labels, ensemble)
    pipe.send({**row, "seconds": seconds, "mb": peak, "finished": 1.0})


def limited(method: str, *task: Any) -> dict[str, float]:
    """Return the row of a method, without scores if it fails or takes too long."""
    context = multiprocessing.get_context("fork")
    receive, send = context.Pipe(duplex=False)
    process = context.Process(target=attempt, args=(send, method, *task))
    start = time.perf_counter()
    process.start()
    send.close()
    row = dict(UNFINISHED)
    try:
        if receive.poll(WAIT * SECONDS):
            row = receive.recv()
    except EOFError:
        row["seconds"] = time.perf_counter() - start
    process.kill()
    process.join()
    return row


def run(names: list[str], log: RunLog) -> None:
    known = {entry.name: entry for entry in entries("consensus", "baseline")}
    methods = list(known)
    for name in names:
        keys = {method: Key("field", name, method, 0) for method in methods}
        first = Key("field", name, "members", 0)
        if first in log and all(key in log for key in keys.values()):
            continue
        data = load(name)
        k = data.n_classes
        ensemble = members_of(data.X, k)
        if first not in log:
            log.add(first, of_members(data.y, ensemble))
        for method, key in keys.items():
            if key in log:
                continue
            row = dict(UNFINISHED)
            if not known[method].too_many(len(ensemble.core), ensemble.n_members):
                row = limited(method, ensemble, k, data.X, data.y)
            log.add(key, {method: row})
        done = {m: log.runs[key][m] for m, key in keys.items()}
        best = max(methods, key=lambda m: np.nan_to_num(done[m]["nmi"], nan=-1))
        print(f"{name}: best {best} {done[best]['nmi']:.3f}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.field")
    parser.add_argument("what", choices=("run", "report"))
    parser.add_argument("--only", nargs="+", help="data sets")
    options = parser.parse_args()
    log = RunLog(RESULTS / "field_runs.csv", MEASURES)
    if options.what == "report":
        _field_report.write(log, RESULTS)
    else:
        run([name for name in options.only or SETS if is_held(name)], log)


if __name__ == "__main__":
    main()
