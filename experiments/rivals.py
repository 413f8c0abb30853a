"""The rivals of SPCE and WOEC beside the figures that these papers print.

``python -m experiments.rivals run`` combines the members of both papers' settings on
the data sets we hold: 20 k-means members (SPCE, Tables III-V; for Lung the authors'
own), 9 spectral ones (SPCE, Tables VI-VIII) and 40 k-means members on samples and
features by turns (WOEC, Table 4). RSEC, which is cubic, runs on data of at most 300
samples. ``report`` writes ``experiments/results/rivals.md``. It can be stopped and goes
on where it was. Known classes score the results and choose nothing.
"""

import argparse
import time
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from scipy.stats import rankdata
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
    WCC,
)
from coterie.ensemble import Ensemble
from coterie.exceptions import (
    ClusterSizesWarning,
    DegenerateMemberWarning,
    FewerClustersWarning,
)
from coterie.metrics import accuracy, ari, nmi
from coterie.weighting import EntropyWeighter
from experiments import _spce_data, _woec_data
from experiments._runs import Key, RunLog
from experiments._tables import figures, markdown, spread
from experiments.woec import members

HERE = Path(__file__).parent
RESULTS = HERE / "results"
MEASURES = ("acc", "nmi", "ari", "seconds")
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
    "spce spectral": {"KC": KC(), "NMFC": NMFC(), **_FURTHER},
    "woec": {"BCE": BCE(), "WCC": WCC()},
    "spce cubic": {"RSEC": RSEC()},
}
MOST_CUBIC = 300  # samples
LEAST_SEEDS = 5  # or a cell is shown but not judged
LEAST_BAND = 2.0  # percent points; or twice the printed deviation


def run(seeds: Iterable[int], only: list[str] | None, log: RunLog) -> None:
    """Run what the log does not have."""
    names = [("woec", name) for name in _woec_data.HELD]
    for setting in ("spce", "spce further", "spce spectral", "spce cubic"):
        names += [(setting, name) for name in _spce_data.HELD]
    for seed in seeds:
        for paper, name in names:
            key = Key(paper, name, "default", seed)
            if key in log or (only and name not in only):
                continue
            made = _members(paper, name, seed)
            if made is None:
                continue
            if paper != "spce cubic" or made[0].n_samples <= MOST_CUBIC:
                log.add(key, _score(paper, *made, seed))
                print(f"{paper}  {name}  seed {seed}", flush=True)


def _members(paper: str, name: str, seed: int) -> tuple[Ensemble, np.ndarray] | None:
    """Return the members and the known classes, or None where we lack the data."""
    if paper != "woec":
        setting = "spectral" if paper == "spce spectral" else "kmeans"
        if not _spce_data.is_available(name, setting):
            return None
        made = _spce_data.make(name, setting, seed)
        return made.ensemble, made.y
    if not _woec_data.is_here(name):
        return None
    data = _woec_data.prepared(name, seed)
    return members(data, 40, seed), data.y


def _score(
    paper: str, ensemble: Ensemble, y: np.ndarray, seed: int
) -> dict[str, dict[str, float]]:
    results = {}
    for method, part in METHODS[paper].items():
        start = time.perf_counter()
        weights = EntropyWeighter().weigh(ensemble) if method == "LWGP" else None
        k = len(np.unique(y))
        labels = part.combine(ensemble, k, weights=weights, seed=seed).labels
        seconds = time.perf_counter() - start
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
        "# Rivals of SPCE and WOEC: the printed figures and ours\n\n"
        "Made by `python -m experiments.rivals report` from `rivals_runs.csv`, in "
        "percent: printed / ours (deviation, seeds). A cell is reproduced if our mean "
        "is no further below the printed one than 2 points or twice the printed "
        "deviation. "
        "NMI by the geometric mean. Our members are new draws of each paper's setting, "
        "except Lung, where they are the SPCE authors' own. Where the whole row of a "
        "data set is higher or lower than printed, its members are: the reports on "
        "SPCE and WOEC tell of them."
    ]
    three = ("acc", "nmi", "ari")
    for paper, metrics in (
        ("spce", three),
        ("spce spectral", three),
        ("woec", ("ari",)),
    ):
        for metric in metrics:
            parts.append(_table(paper, metric, log))
    (RESULTS / "rivals.md").write_text("\n\n".join(parts) + "\n")


def _table(paper: str, metric: str, log: RunLog) -> str:
    printed = _printed(paper)
    studies = dict.fromkeys(METHODS[paper], paper)
    if paper == "spce":
        for study in ("spce further", "spce cubic"):
            studies |= dict.fromkeys(METHODS[study], study)
    rows, n_done, n_cells = [], 0, 0
    datasets = sorted({key.dataset for key in log.runs if key.study == paper})
    for name in datasets:
        row = [name]
        for method, study in studies.items():
            mean, sd = printed.get((name, method, metric), (np.nan, 0.0))
            ours = log.values(study, name, "default", method, metric)
            if ours.size == 0 or np.isnan(mean):
                row.append("-")
                continue
            told = f"{mean:.1f} / {ours.mean():.1f} ({spread(ours):.1f}, {ours.size})"
            if ours.size < LEAST_SEEDS:
                row.append(told)
                continue
            n_cells += 1
            done = ours.mean() >= mean - max(LEAST_BAND, 2 * sd)
            n_done += done
            row.append(told if done else f"{told} **misses**")
        rows.append(row)
    head = {
        "spce": "SPCE's Tables III-V, k-means members",
        "spce spectral": "SPCE's Tables VI-VIII, spectral members",
        "woec": "WOEC's Table 4, R = 40",
    }[paper]
    rows.append(_ranks(studies, datasets, metric, log))
    title = f"## {metric.upper()}, {head}: {n_done} of {n_cells} cells reproduced"
    return f"{title}\n\n{markdown(['data', *studies], rows)}"


def _ranks(
    studies: dict[str, str], datasets: list[str], metric: str, log: RunLog
) -> list[str]:
    """Return the mean ranks on the data sets on which all methods were run."""
    means = {
        method: [
            float(values.mean()) if values.size else np.nan
            for values in (
                log.values(study, name, "default", method, metric) for name in datasets
            )
        ]
        for method, study in studies.items()
    }
    table = np.array(list(means.values()))  # (methods, data sets)
    whole = ~np.isnan(table).any(axis=0)
    if not whole.any():
        return ["mean rank", *["-"] * len(studies)]
    ranks = rankdata(-table[:, whole], axis=0).mean(axis=1)
    return [f"mean rank ({whole.sum()} sets)", *(f"**{rank:.2f}**" for rank in ranks)]


def _printed(paper: str) -> dict[tuple[str, str, str], tuple[float, float]]:
    """Return printed means and deviations in percent."""
    found = {}
    for row in figures(
        HERE / "published" / ("woec.csv" if paper == "woec" else "rivals.csv")
    ):
        if paper == "woec" and (row["source"], row["members"]) != ("Table 4", "40"):
            continue
        setting = "spectral" if paper == "spce spectral" else "kmeans"
        if paper != "woec" and not row["source"].endswith(setting):
            continue
        scale = 100.0 if paper == "woec" else 1.0
        values = scale * float(row["mean"]), scale * float(row["sd"] or 0.0)
        found[row["dataset"], row["method"], row["metric"]] = values
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m experiments.rivals", description=__doc__
    )
    parser.add_argument("task", choices=["run", "report"])
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


if __name__ == "__main__":
    main()
