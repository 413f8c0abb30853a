"""The rivals of SPCE beside the figures that its paper prints.

``python -m experiments.rivals run`` combines the members of the paper's settings on the
data sets we hold: 20 k-means members (Tables III-V; for Lung the authors' own) and 9
spectral ones (Tables VI-VIII). RSEC, which is cubic in the distinct rows of labels,
runs where there are at most 600. ``report`` writes ``experiments/results/rivals.md``
and needs the runs of ``experiments.spce tables`` too. Runs can be stopped and go on
where they were. Known classes score the results and choose nothing but SPCE's theta.
"""

import argparse
import time
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata, ttest_1samp
from threadpoolctl import threadpool_limits

from coterie._kernels._jit import kernel_threads
from coterie.consensus import (
    BCE,
    CSPA,
    DREC,
    HGPA,
    KC,
    LWGP,
    MCLA,
    NMFC,
    RSEC,
)
from coterie.exceptions import (
    ClusterSizesWarning,
    DegenerateMemberWarning,
    FewerClustersWarning,
)
from coterie.metrics import accuracy, ari, nmi
from coterie.weighting import EntropyWeighter
from experiments import _spce_data
from experiments._runs import Key, RunLog
from experiments._tables import figures, markdown, spread

HERE = Path(__file__).parent
RESULTS = HERE / "results"
PUBLISHED = HERE / "published"
METRICS = ("acc", "nmi", "ari")
MEASURES = (*METRICS, "seconds")
_FURTHER: dict[str, Any] = {
    "CSPA": CSPA(),
    "HGPA": HGPA(),
    "MCLA": MCLA(),
    "LWGP": LWGP(),
    "DREC": DREC(),
}
METHODS: dict[str, dict[str, Any]] = {
    "spce": {"KC": KC(), "NMFC": NMFC(), "BCE": BCE()},
    "spce further": _FURTHER,
    "spce cubic": {"RSEC": RSEC()},
    "spce spectral": {"KC": KC(), "NMFC": NMFC(), "BCE": BCE(), **_FURTHER},
    "spce spectral cubic": {"RSEC": RSEC()},
}
SETTINGS = {  # of SPCE's members: the studies whose methods make one table
    "kmeans": ("spce", "spce further", "spce cubic"),
    "spectral": ("spce spectral", "spce spectral cubic"),
}
KINDS = {"kmeans": "k-means", "spectral": "spectral"}
OWN = ("LWEA", "SPCE")  # run by experiments.spce on the same members
THETAS = tuple(t / 10 for t in range(10))  # of SPCE: the best mean, as in the paper
MOST_CUBIC = 600  # distinct rows of labels
LEVEL = 0.05  # of the t-tests
LEAST_SEEDS = 5  # or a cell is shown but not judged
LEAST_BAND = 2.0  # percent points; or twice the printed deviation


def run(seeds: Iterable[int], only: list[str] | None, log: RunLog) -> None:
    """Run what the log does not have."""
    names = [
        (study, setting, name)
        for setting, studies in SETTINGS.items()
        for study in studies
        for name in _spce_data.HELD
        if _spce_data.is_available(name, setting) and (not only or name in only)
    ]
    for seed in seeds:
        for study, setting, name in names:
            key = Key(study, name, "default", seed)
            if key in log:
                continue
            made = _spce_data.make(name, setting, seed)
            if not study.endswith("cubic") or len(made.ensemble.core) <= MOST_CUBIC:
                log.add(key, _score(study, made, seed))
                print(f"{study}  {name}  seed {seed}", flush=True)


def _score(study: str, run: _spce_data.Run, seed: int) -> dict[str, dict[str, float]]:
    results = {}
    ensemble, y = run.ensemble, run.y
    for method, part in METHODS[study].items():
        start = time.process_time()
        weights = EntropyWeighter().weigh(ensemble) if method == "LWGP" else None
        found = part.combine(ensemble, run.n_classes, weights=weights, seed=seed)
        labels = found.labels
        seconds = time.process_time() - start
        results[method] = {
            "acc": 100 * accuracy(y, labels),
            "nmi": 100 * nmi(y, labels),
            "ari": 100 * ari(y, labels),
            "seconds": seconds,
        }
    return results


def report(log: RunLog) -> None:
    """Write the printed figures beside ours."""
    parts = [
        "# Rivals of SPCE: the printed figures and ours\n\n"
        "Made by `python -m experiments.rivals report` from `rivals_runs.csv`, in "
        "percent: printed / ours (deviation, seeds). A cell is reproduced if our mean "
        "is no further below the printed one than 2 points or twice the printed "
        "deviation. "
        "NMI by the geometric mean. Our members are new draws of the paper's setting, "
        "except Lung, where they are the authors' own. Where the whole row of a data "
        "set is higher or lower than printed, its members are: the report on SPCE "
        "tells of them. SPCE itself has the best theta of its grid, chosen by the "
        "classes as in the paper, and is judged in its own report. WOEC's rivals are "
        "in the report on WOEC. `python -m experiments.rivals all` runs what is "
        f"missing, then this report; {_cost(log)}."
    ]
    spce = RunLog(RESULTS / "spce_runs.csv", MEASURES)
    for setting in SETTINGS:
        parts += [_table(_spce_cells(setting, m, log, spce)) for m in METRICS]
        parts.append(_tests(setting, log, spce))
    parts.append(_seconds(log, spce))
    (RESULTS / "rivals.md").write_text("\n\n".join(parts) + "\n")


def _cost(log: RunLog) -> str:
    """Say what the runs took, as far as it was measured."""
    seconds = [row["seconds"] for run in log.runs.values() for row in run.values()]
    minutes = np.nansum(seconds) / 60
    return f"the methods alone took {minutes:.0f} CPU minutes of one core"


@dataclass(frozen=True, eq=False)
class Cells:
    """The runs of one table, by data set and method, and what the paper prints."""

    title: str
    ours: dict[str, dict[str, np.ndarray]]  # data set -> method -> a value for each run
    printed: dict[tuple[str, str], tuple[float, float]]


def _spce_cells(setting: str, metric: str, log: RunLog, spce: RunLog) -> Cells:
    """Return one of SPCE's Tables III to VIII."""
    ours: dict[str, dict[str, np.ndarray]] = {}
    for name in _spce_data.HELD:
        found = {
            method: log.values(study, name, "default", method, metric)
            for study in SETTINGS[setting]
            for method in METHODS[study]
        }
        of = partial(spce.values, setting, name, "default")
        found["LWEA"] = of("LWEA", metric)
        grid = [of(f"SPCE found {theta}", metric) for theta in THETAS]
        found["SPCE"] = max(grid, key=lambda v: v.mean() if v.size else 0.0)
        if found["LWEA"].size:
            ours[name] = found
    number = {"kmeans": ("III", "IV", "V"), "spectral": ("VI", "VII", "VIII")}[setting]
    table = number[METRICS.index(metric)]
    title = f"{metric.upper()}, SPCE's Table {table}, {KINDS[setting]} members"
    wanted = f"Table {table}, {setting}"
    rows = figures(PUBLISHED / "rivals.csv") + figures(PUBLISHED / "spce.csv")
    printed = {
        (row["dataset"], row["method"]): (float(row["mean"]), float(row["sd"] or 0.0))
        for row in rows
        if row["source"] == wanted
    }
    return Cells(title, ours, printed)


def _table(cells: Cells) -> str:
    methods = list(next(iter(cells.ours.values())))
    rows, n_done, n_cells = [], 0, 0
    for name, found in cells.ours.items():
        row = [name]
        for method in methods:
            ours = found[method]
            if ours.size == 0 or (name, method) not in cells.printed:
                row.append("-")
                continue
            mean, sd = cells.printed[name, method]
            told = f"{mean:.1f} / {ours.mean():.1f} ({spread(ours):.1f}, {ours.size})"
            if ours.size >= LEAST_SEEDS and method != "SPCE":
                n_cells += 1
                done = ours.mean() >= mean - max(LEAST_BAND, 2 * sd)
                n_done += done
                told = told if done else f"{told} **misses**"
            row.append(told)
        rows.append(row)
    rows.append(_ranks(methods, cells))
    title = f"## {cells.title}: {n_done} of {n_cells} cells reproduced"
    return f"{title}\n\n{markdown(['data', *methods], rows)}"


def _ranks(methods: list[str], cells: Cells) -> list[str]:
    """Return the mean ranks on the data sets on which all methods were run."""
    table = np.array(
        [
            [found[method].mean() for method in methods]
            for found in cells.ours.values()
            if all(values.size for values in found.values())
        ]
    )  # (data sets, methods)
    if not table.size:
        return ["mean rank", *["-"] * len(methods)]
    ranks = rankdata(-table, axis=1).mean(axis=0)
    return [f"mean rank ({len(table)} sets)", *(f"**{rank:.2f}**" for rank in ranks)]


def _tests(setting: str, log: RunLog, spce: RunLog) -> str:
    """Return on how many data sets SPCE differs from each rival beyond chance."""
    rows: dict[str, list[object]] = {}
    for metric in METRICS:
        cells = _spce_cells(setting, metric, log, spce)
        for method in next(iter(cells.ours.values())):
            if method == "SPCE":
                continue
            better = worse = n = 0
            for found in cells.ours.values():
                size = min(found[method].size, found["SPCE"].size)
                if size < LEAST_SEEDS:
                    continue
                n += 1
                gains = found["SPCE"][:size] - found[method][:size]
                t, p = ttest_1samp(gains, 0.0) if spread(gains) else (gains[0], 0.0)
                better += bool(p < LEVEL and t > 0)
                worse += bool(p < LEVEL and t < 0)
            told = f"{better} / {worse} of {n}"
            rows.setdefault(method, [method]).append(told)
    head = ("SPCE against", *(metric.upper() for metric in METRICS))
    return (
        f"## SPCE against its rivals, {KINDS[setting]} members: t-tests\n\n"
        "On how many data sets SPCE, with the best theta of the grid, is better / "
        "worse by a paired t-test over the runs "
        f"(p < {LEVEL}), as the paper's bold face. The rivals have no parameter "
        f"tuned.\n\n{markdown(head, rows.values())}"
    )


def _seconds(log: RunLog, spce: RunLog) -> str:
    """Return SPCE's Table IX."""
    printed = {
        (row["dataset"], row["method"]): row["mean"]
        for file in ("rivals.csv", "spce.csv")
        for row in figures(PUBLISHED / file)
        if row["source"].startswith("Table IX")
    }
    methods = {m: study for study in SETTINGS["kmeans"] for m in METHODS[study]}
    rows = []
    for name in _spce_data.HELD:
        row = [name]
        for method in (*methods, *OWN):
            if method in OWN:
                run = "SPCE found 0.3" if method == "SPCE" else method
                took = spce.values("kmeans", name, "default", run, "seconds")
            else:
                took = log.values(methods[method], name, "default", method, "seconds")
            took = took[~np.isnan(took)]  # runs of which it was not measured
            ours = f"{np.median(took):.3f}" if took.size else "-"
            row.append(f"{printed.get((name, method), '-')} / {ours}")
        rows.append(row)
    told = markdown(["data", *methods, *OWN], rows)
    return (
        "## Seconds, SPCE's Table IX\n\nPrinted (MATLAB, 4.2 GHz) / ours: median CPU "
        f"seconds of one core, the consensus alone.\n\n{told}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.rivals", description=__doc__
    )
    parser.add_argument("task", choices=["run", "report", "all"])
    parser.add_argument("--seeds", type=int, default=10, help="seeds 0 .. SEEDS - 1")
    parser.add_argument("--only", nargs="+", metavar="DATA")
    options = parser.parse_args()
    log = RunLog(RESULTS / "rivals_runs.csv", MEASURES)
    if options.task == "report":
        report(log)
        return
    with threadpool_limits(1), kernel_threads(1), warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        warnings.simplefilter("ignore", DegenerateMemberWarning)
        warnings.simplefilter("ignore", ClusterSizesWarning)
        run(range(options.seeds), options.only, log)
    if options.task == "all":
        report(log)


if __name__ == "__main__":
    main()
