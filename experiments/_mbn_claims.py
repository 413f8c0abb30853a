"""The studies of Section VII-G, and what each claim of the MBN paper gains."""

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy.stats import spearmanr

from experiments._mbn_data import HELD
from experiments._runs import RunLog
from experiments._tables import gain, gain_table, markdown, spread

STUDIES = {
    "number_kept": "Networks kept (VII-G 1)",
    "reference_labels": "Labels by which networks are judged (VII-G 2)",
    "meta_clustering": "Consensus functions on the networks' partitions (VII-G 3)",
    "member_selection": "Rules that choose networks (VII-G 4)",
}
WHOLE = "concatenation"
LEAST_SEEDS = 3  # for a deviation
SIMPLE = (  # what is claimed, study, method, instead of
    (
        "MBN-SO: 10 networks instead of 3",
        *("number_kept", "MBN-SO (VRC) B=10", "MBN-SO (VRC) B=3"),
    ),
    (
        "MBN-SD: 10 networks instead of 3",
        *("number_kept", "MBN-SD B=10", "MBN-SD B=3"),
    ),
    (
        "judged by MBN-E instead of random labels",
        *("reference_labels", "VRC by MBN-E", "VRC by random"),
    ),
    (
        "judged by MBN-E instead of MBN",
        *("reference_labels", "VRC by MBN-E", "VRC by MBN"),
    ),
    (
        "judged by the truth instead of MBN-E",
        *("reference_labels", "VRC by truth", "VRC by MBN-E"),
    ),
)


def of_tables(log: RunLog, name: str, method: str, measure: str) -> np.ndarray:
    """Return a measure over the seeds, from complete runs or those of main rows."""
    found = {}
    for variant in ("main", "default"):  # a seed that has both counts once
        for key, methods in log.runs.items():
            if key[:3] == ("tables", name, variant) and method in methods:
                found[key.seed] = methods[method][measure]
    return np.array([found[seed] for seed in sorted(found)])


def seconds_of(
    log: RunLog, study: str, name: str, method: str, measure: str
) -> np.ndarray:
    """Return seconds of the runs of the tables, or of those beside MBN-E.

    Those beside MBN-E that were not measured are NaN and left out.
    """
    if study == "tables":  # the main rows alone are runs of older code
        whole = log.values("tables", name, "default", method, measure)
        return whole if whole.size else of_tables(log, name, method, measure)
    values = log.values(study, name, "default", method, measure)
    return values[~np.isnan(values)]


def best_deltas(log: RunLog, name: str) -> dict[float, float]:
    """Return the mean accuracy of MBN for each delta that was run."""
    methods = {
        method
        for key, run in log.runs.items()
        if key[:2] == ("optimum", name)
        for method in run
    }
    of = {m: log.values("optimum", name, "default", m, "acc") for m in methods}
    return {float(m): float(of[m].mean()) for m in sorted(methods, key=float)}


def studies(log: RunLog) -> list[str]:
    """Return a table for each study: mean accuracies by data set."""
    parts = []
    for study, title in STUDIES.items():
        names = _sets(log, study)
        if not names:
            continue
        methods: dict[str, None] = {}
        for key, results in log.runs.items():
            if key.study == study:
                methods |= dict.fromkeys(results)
        rows = []
        for method in methods:
            means = [_mean(log, study, name, method) for name in names]
            told = (f"{mean:.3f}" for mean in means)
            rows.append((method, *told, f"{np.mean(means):.3f}"))
        n_seeds = [_values(log, study, n, next(iter(methods))).size for n in names]
        heads = (f"{n} ({s} seeds)" for n, s in zip(names, n_seeds, strict=True))
        table = markdown(("", *heads, "mean"), rows)
        parts.append(f"## {title}\n\nMean accuracy.\n\n{table}")
    return parts


def seeds(log: RunLog) -> str:
    """Return what may make a seed bad."""
    names = [
        name
        for name in _sets(log, "one_seed")
        if _values(log, "one_seed", name, "fMBN-E").size >= LEAST_SEEDS
    ]
    if not names:
        return ""
    rows = []
    for name in names:
        n_networks = sum(
            method.startswith("network ")
            for method in next(
                run for key, run in log.runs.items() if key[:2] == ("one_seed", name)
            )
        )
        networks = np.stack(
            [_values(log, "one_seed", name, f"network {z}") for z in range(n_networks)]
        )  # (Z, seeds)
        whole = _values(log, "one_seed", name, "fMBN-E")
        halves = [_values(log, "one_seed", name, f"half {part}") for part in (0, 1)]
        apart = float(np.abs(halves[0] - halves[1]).mean())
        rank = spearmanr(networks.mean(axis=0), whole).statistic
        spreads = (
            spread(_values(log, "one_seed", name, f"fMBN-E{how}"))
            for how in ("", " ward", " kmeans")
        )
        rows.append(
            (
                *(name, whole.size, *(f"{sd:.3f}" for sd in spreads), f"{apart:.3f}"),
                f"{spread(networks.mean(axis=0)):.3f}",
                f"{np.mean([spread(column) for column in networks.T]):.3f}",
                f"{rank:+.2f}",
            )
        )
    head = (
        *("data", "seeds", "sd of fMBN-E", "with Ward", "with k-means"),
        *("two halves of a seed differ by", "sd of the mean network"),
        *("sd of a seed's networks", "rank correlation"),
    )
    return (
        "## What makes a seed bad\n\nStandard deviations of the accuracy over seeds: "
        "of fMBN-E, of the same networks with another last step, and of the mean "
        "accuracy of its 40 networks; the mean difference between two ensembles of 20 "
        "networks of one seed (every other delta); and the rank correlation, over "
        "seeds, between the accuracy of fMBN-E and the mean accuracy of its networks."
        "\n\n" + markdown(head, rows)
    )


def claims(log: RunLog, folder: Path) -> str:
    """Return what each claim of the paper gains, with an error over data sets."""
    pairs = (
        ("fMBN-E", "MBN"),
        ("fMBN-E", "fMBN-Ev2"),
        ("MBN-SO (VRC)", "fMBN-E"),
        ("MBN-SD", "fMBN-E"),
        ("MBN-SO (VRC)", "MBN-SD"),
    )
    rows = [(f"{a} instead of {b}", _differences(log, a, b)) for a, b in pairs]
    nearer = [
        float(of_tables(log, n, "fMBN-E", "acc").mean() - max(found.values()))
        for n in HELD
        if (found := best_deltas(log, n))
    ]
    rows.append(("fMBN-E instead of MBN with the best delta", nearer))
    parts = [
        "## Claims\n\nDifference in accuracy: the mean over data sets and its standard "
        f"error.\n\n{gain_table(rows, 3)}",
        f"The studies of VII-G, in the same way:\n\n{gain_table(_study_rows(log), 3)}",
        *_beside_full(log),
        *_literal(folder),
    ]
    return "\n\n".join(parts)


def _differences(log: RunLog, one: str, other: str) -> list[float]:
    found = []
    for name in HELD:
        a, b = (of_tables(log, name, method, "acc") for method in (one, other))
        if a.size and b.size:
            found.append(float(a.mean() - b.mean()))
    return found


def _study_rows(log: RunLog) -> list[tuple[str, Sequence[float]]]:
    """Return differences by data set, of what the paper says about VII-G."""
    rows: list[tuple[str, Sequence[float]]] = [
        (
            what,
            [
                _mean(log, study, name, one) - _mean(log, study, name, other)
                for name in _sets(log, study)
            ],
        )
        for what, study, one, other in SIMPLE
    ]
    for own, study, what in (
        (WHOLE, "meta_clustering", "functions"),
        ("VRC, 3 (MBN-SO)", "member_selection", "other rules"),
    ):
        others = _others(log, study)
        for which, of in (("best", np.max), ("median", np.median)):
            gained = [
                _mean(log, study, name, own)
                - float(of([_mean(log, study, name, other) for other in others]))
                for name in _sets(log, study)
            ]
            rows.append(
                (f"{own} instead of the {which} of {len(others)} {what}", gained)
            )
    return rows


def _others(log: RunLog, study: str) -> list[str]:
    """Return the rules that are not the paper's own."""
    run = next(run for key, run in log.runs.items() if key.study == study)
    own = ("all", WHOLE)
    return [m for m in run if m not in own and not m.endswith("(MBN-SO)")]


def _beside_full(log: RunLog) -> list[str]:
    same, times = [], []
    for name in HELD:
        fast, full = (
            log.values("slow", name, "default", m, "acc") for m in ("fMBN-E", "MBN-E")
        )
        if not fast.size:
            continue
        same.append((name, gain(fast - full, 3), fast.size))
        whole, bottom = (
            [
                float(np.median(seconds_of(log, "slow", name, m, of)))
                for m in ("fMBN-E", "MBN-E")
            ]
            for of in ("seconds", "bottom_seconds")
        )
        single = seconds_of(log, "tables", name, "MBN", "seconds")
        times.append(
            (
                *(name, f"{whole[1] / whole[0]:.1f}", f"{bottom[1] / bottom[0]:.1f}"),
                f"{(whole[1] - bottom[1]) / (whole[0] - bottom[0]):.1f}",
                f"{np.median(single) / whole[0]:.1f}" if single.size else "-",
            )
        )
    head = ("data", "whole", "bottom layer", "the rest", "than one MBN")
    return [
        "fMBN-E instead of MBN-E, over seeds:\n\n"
        + markdown(("data", "gain ± its error", "seeds"), same),
        "How many times faster fMBN-E is than MBN-E, in CPU seconds, and than a single "
        f"MBN with delta 0.5:\n\n{markdown(head, times)}",
    ]


def _literal(folder: Path) -> list[str]:
    graphs = RunLog(folder / "mbn_graphs.csv", ("modularity", "n_found", "seconds"))
    columns: dict[str, list[float]] = {}
    for key, found in graphs.runs.items():
        if key.variant == "bottom_layer=columns":
            other = graphs.runs.get(key._replace(variant="default"))
            if other:
                gained = found["fMBN-E"]["modularity"] - other["fMBN-E"]["modularity"]
                columns.setdefault(key.dataset, []).append(gained)
    if not columns:
        return []
    told = [(n, f"{np.mean(v):+.4f}", len(v)) for n, v in columns.items()]
    return [
        "Modularity gained by the literal bottom layer of graphs (columns of the "
        "adjacency), by seed:\n\n" + markdown(("graph", "gain", "seeds"), told)
    ]


def weight_ranks(path: Path) -> dict[str, dict[str, float]]:
    """Return the rank correlation of each weight with accuracy, by data set."""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    criteria = [name for name in rows[0] if name not in ("dataset", "delta", "acc")]
    found: dict[str, dict[str, float]] = {}
    for name in dict.fromkeys(row["dataset"] for row in rows):
        mine = [row for row in rows if row["dataset"] == name]
        acc = [float(row["acc"]) for row in mine]
        found[name] = {
            c: spearmanr([float(row[c]) for row in mine], acc).statistic
            for c in criteria
        }
    return found


def _sets(log: RunLog, study: str) -> list[str]:
    run = {key.dataset for key in log.runs if key.study == study}
    return [name for name in HELD if name in run]


def _values(log: RunLog, study: str, name: str, method: str) -> np.ndarray:
    return log.values(study, name, "default", method, "acc")


def _mean(log: RunLog, study: str, name: str, method: str) -> float:
    return float(_values(log, study, name, method).mean())
