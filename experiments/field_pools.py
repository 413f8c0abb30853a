"""Consensus functions on the pools of 100 members of the LWEA and LWGP program.

``python -m experiments.field_pools`` draws 10 of the 100 members at random, 20 times
(seeds 0 to 19), combines them into as many clusters as there are classes, and can be
stopped; ``--report`` writes ``results/field_pools.md`` from what is there. NMI is
divided by the larger entropy, as in the programs of these papers' authors.
"""

import argparse
import time
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from threadpoolctl import threadpool_limits

from coterie import USENC, Ensemble
from coterie._catalog import METHODS, find
from coterie._kernels._jit import kernel_threads
from coterie.clusterers import LSC, USPEC
from coterie.consensus import PTA, WEAC
from coterie.exceptions import FewerClustersWarning
from coterie.metrics import ari, nmi
from coterie.systems._combine import combine
from experiments._data import data_folder, load
from experiments._runs import Key, RunLog
from experiments._tables import figures, markdown, spread, write_csv

RESULTS = Path(__file__).parent / "results"
PUBLISHED = Path(__file__).parent / "published"
POOLS = {"semeion": "semeion", "mf": "multiple_features", "usps": "usps"}
N_DRAWN = 10
MEASURES = ("nmi_max", "nmi", "ari", "cpu_seconds")
LINKAGES = {
    "pta (complete)": PTA("complete"),
    "pta (single)": PTA("single"),
    "weac (complete)": WEAC("complete"),
}
NAMES = (
    *("lwea", "lwgp", "pta", "pta (complete)", "pta (single)", "ptgp", "ecpcs-hc"),
    *("ecpcs-mc", "hbgf", "weac", "weac (complete)", "gp-mgla", "drec", "cts"),
    *("srs", "asrs", "eac", "sc", "onehot-kmeans", "bipartite-svd", "mean member"),
)
SLOW = {"usps": ("pta (complete)", "pta (single)")}  # left out
SINGLE = {
    "uspec": lambda k, seed: USPEC(k, random_state=seed),
    "lsc": lambda k, seed: LSC(k, random_state=seed),
    "usenc": lambda k, seed: USENC(k, random_state=seed),
}
# Printed for other members of the same data; the names that the tables have.
PRINTED = {
    "mdec": {"ptgp": "PTGP", "lwgp": "LWGP"},
    "c2swce": {
        "lwea": "LWEA",
        "lwgp": "LWGP",
        "ecpcs-hc": "ECPCS-HC",
        "ecpcs-mc": "ECPCS-MC",
        "weac": "WEAC-AL",
        "gp-mgla": "GP-MGLA",
    },
}
WHOSE = {"mdec": "MDEC, Table III", "c2swce": "C2SWCE, Table 5"}


class Pool(NamedTuple):
    """Members of one data set, and its classes."""

    members: np.ndarray
    y: np.ndarray


def load_pool(name: str) -> Pool:
    with np.load(data_folder() / f"pool_{name}.npz", allow_pickle=False) as parts:
        return Pool(parts["members"], parts["y"])


def scores(y: np.ndarray, labels: np.ndarray, seconds: float) -> dict[str, float]:
    return {
        "nmi_max": nmi(y, labels, average="max"),
        "nmi": nmi(y, labels),
        "ari": ari(y, labels),
        "cpu_seconds": seconds,
    }


def draw(pool: Pool, seed: int) -> Ensemble:
    n_members = pool.members.shape[1]
    drawn = np.random.default_rng(seed).choice(n_members, N_DRAWN, replace=False)
    return Ensemble(pool.members[:, drawn])


def run_pool(log: RunLog, name: str, pool: Pool, seed: int) -> None:
    key = Key("pool", name, f"{N_DRAWN} members", seed)
    if key in log:
        return
    k = len(np.unique(pool.y))
    ensemble, results = draw(pool, seed), {}
    for method in NAMES[:-1]:
        if name in SLOW and method in SLOW[name]:
            continue
        start = time.process_time()
        part = LINKAGES.get(method) or find(method, METHODS).name
        labels = combine(ensemble, k, part, random_state=seed)
        results[method] = scores(pool.y, labels, time.process_time() - start)
    members = [scores(pool.y, column, 0.0) for column in ensemble.labels.T]
    results[NAMES[-1]] = {m: np.mean([row[m] for row in members]) for m in MEASURES}
    log.add(key, results)
    print(key, flush=True)


def run_single(log: RunLog, pool: str, seed: int) -> None:
    """Run the clusterers on the data themselves."""
    for method, make in SINGLE.items():
        key = Key("single", pool, method, seed)
        if key in log:
            continue
        data = load(POOLS[pool])
        start = time.process_time()
        labels = make(data.n_classes, seed).fit_predict(data.X)
        spent = time.process_time() - start
        log.add(key, {method: scores(data.y, labels, spent)})
        print(key, flush=True)


def cell(values: np.ndarray) -> str:
    return (
        f"{100 * values.mean():.1f} ± {100 * spread(values):.1f}" if len(values) else ""
    )


def printed(pool: str, method: str) -> str:
    """Return the figures that the five papers print for this method and data."""
    found = []
    for paper, names in PRINTED.items():
        for row in figures(PUBLISHED / f"{paper}.csv"):
            fits = row["dataset"] == POOLS[pool] and row["metric"] == "nmi"
            if fits and row["method"] == names.get(method):
                value = float(row["mean"]) * (100 if paper == "c2swce" else 1)
                found.append(f"{value:.1f} ({paper})")
    return ", ".join(found)


INTRODUCTION = f"""\
# Consensus functions on pools of members

`python -m experiments.field_pools`. {N_DRAWN} of 100 members drawn at random, 20 times
(seeds 0 to 19); k is the number of classes. Mean x 100 ± the deviation over draws; NMI
is divided by the larger entropy. CPU is seconds of one core. `hbgf` is the consensus of
U-SENC.

The papers that introduced these methods print results on pools of their own (LWEA and
LWGP on these very pools); we do not hold these papers. *Printed* are figures of papers
that we hold, for the same data and **other members**, so they need not agree:
{", ".join(f"{paper} is {where}" for paper, where in WHOSE.items())}.
"""


def report(log: RunLog) -> str:
    parts = [INTRODUCTION, *(pool_table(log, pool) for pool in POOLS)]
    return "\n".join([*parts, single_table(log)])


def pool_table(log: RunLog, pool: str) -> str:
    rows, n_draws = [], 0
    for method in NAMES:
        args = ("pool", pool, f"{N_DRAWN} members", method)
        score, rand, cpu = (
            log.values(*args, measure) for measure in ("nmi_max", "ari", "cpu_seconds")
        )
        if score.size:
            n_draws = score.size
            seconds = f"{cpu.mean():.2f}"
            rows.append(
                [method, cell(score), cell(rand), seconds, printed(pool, method)]
            )
    head = ["method", "NMI", "ARI", "CPU s", "printed NMI"]
    return f"## {pool} ({n_draws} draws)\n\n{markdown(head, rows)}\n"


def single_table(log: RunLog) -> str:
    rows = []
    for pool in POOLS:
        for method in SINGLE:
            score, rand, cpu = (
                log.values("single", pool, method, method, measure)
                for measure in ("nmi_max", "ari", "cpu_seconds")
            )
            if score.size:
                seconds = f"{cpu.mean():.1f}"
                rows.append(
                    [pool, method, score.size, cell(score), cell(rand), seconds]
                )
    head = ["data", "method", "seeds", "NMI", "ARI", "CPU s"]
    return f"## Landmarks, on the data themselves\n\n{markdown(head, rows)}\n"


def means(log: RunLog) -> list[list[object]]:
    """Return the mean NMI of each method on each pool, with its deviation."""
    rows: list[list[object]] = []
    for pool in POOLS:
        for method in NAMES:
            args = ("pool", pool, f"{N_DRAWN} members", method)
            score = log.values(*args, "nmi_max")
            if score.size:
                numbers = f"{score.mean():.4f}", f"{spread(score):.4f}"
                rows.append([pool, method, score.size, *numbers])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.field_pools")
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--only", nargs="+", choices=POOLS, default=list(POOLS))
    parser.add_argument("--single", type=int, default=10, help="seeds on the data")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    log = RunLog(RESULTS / "field_pools_runs.csv", MEASURES)
    warnings.simplefilter("ignore", FewerClustersWarning)
    if not options.report:
        with threadpool_limits(1), kernel_threads(1):
            for name in options.only:
                pool = load_pool(name)
                combine(draw(pool, 0), 3, "ptgp", random_state=0)  # compiles
                for seed in range(options.seeds):
                    run_pool(log, name, pool, seed)
                for seed in range(options.single):
                    run_single(log, name, seed)
    (RESULTS / "field_pools.md").write_text(report(log))
    write_csv(RESULTS / "field_pools.csv", "pool method draws nmi_max sd", means(log))
    print(report(log))


if __name__ == "__main__":
    main()
