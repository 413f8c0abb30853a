"""The report on communities: ours beside Leiden's algorithm."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from experiments._runs import Key, RunLog
from experiments._tables import markdown, spread

LEIDEN, BEST, OURS = "Leiden", "Leiden, best of 10", "coterie"
ALONE = "Leiden alone"
ALPHA = 0.01
_THREE = (LEIDEN, BEST, OURS)
_COLUMNS = ("Leiden", "best of 10", "ours")
_HEAD = """# Communities beside Leiden's algorithm

Written by `python -m experiments.communities report` from `communities_runs.csv`.
Leiden's algorithm is igraph's, run until nothing changes; *best of 10* keeps the most
modular of ten runs. Ours is the default call, with ten seeds for graphs of fewer than
1,000 links and three for larger ones; Leiden's has ten times as many. *Agreement* is
the mean adjusted Rand index of two seeds. Seconds are CPU seconds of one thread; ours
include the test against random graphs and the tree of levels."""


def write(log: RunLog, folder: Path) -> None:
    """Write ``communities.md``."""
    sections = (_graphs, _lfr, _members, _random, _million)
    parts = [_HEAD, *(text for section in sections for text in section(log))]
    (folder / "communities.md").write_text("\n\n".join(parts) + "\n")


def _of(log: RunLog, study: str) -> dict[Key, dict[str, dict[str, float]]]:
    return {key: run for key, run in log.runs.items() if key.study == study}


def _graphs(log: RunLog) -> Iterator[str]:
    yield "## Graphs"
    yield markdown(
        [
            "graph",
            "modularity: Leiden",
            "best of 10",
            "ours",
            "agreement: Leiden",
            "best of 10",
            "ours",
            "communities",
            "p",
            "seconds: best of 10",
            "ours",
        ],
        [
            [
                key.dataset.removeprefix("graph_").replace("_", " "),
                *(f"{run[m]['modularity']:.4f}" for m in _THREE),
                *(f"{run[m]['agreement']:.3f}" for m in _THREE),
                f"{run[OURS]['n_found']:.0f}",
                f"{run[OURS]['p_value']:.0e}",
                *(f"{run[m]['seconds']:.2f}" for m in (BEST, OURS)),
            ]
            for key, run in _of(log, "graphs").items()
        ],
    )
    for key, run in _of(log, "graphs").items():
        if not np.isnan(run[OURS]["nmi"]):
            name = key.dataset.removeprefix("graph_")
            scores = [f"{run[m]['nmi']:.3f}" for m in _THREE]
            yield (
                f"NMI with the known groups of {name}: Leiden {scores[0]}, best of 10 "
                f"{scores[1]}, ours {scores[2]}."
            )


def _lfr(log: RunLog) -> Iterator[str]:
    runs = _of(log, "lfr")
    if not runs:
        return
    yield (
        "## Planted communities (LFR graphs)\n\nScores against the planted "
        "communities; networkx, 1,000 nodes, mean degree 20, communities of 20 to 100, "
        "two seeds of ours for each graph. *Ours minus Leiden* is the mean over graphs "
        "with its standard error. NMI grows with the number of communities even at "
        "chance level; AMI is adjusted for that."
    )
    scores: dict[str, list[list[str]]] = {"nmi": [], "ami": [], "agreement": []}
    for mixing in sorted({key.dataset for key in runs}):
        here = [run for key, run in runs.items() if key.dataset == mixing]
        for measure, rows in scores.items():
            values = np.array([[run[m][measure] for m in _THREE] for run in here])
            means = [f"{value:.3f}" for value in values.mean(axis=0)]
            lead = _with_error(values[:, 2] - values[:, 0])
            rows.append([mixing, len(here), *means, lead])
    for measure, rows in scores.items():
        name = measure.upper() if measure != "agreement" else "agreement of two seeds"
        yield markdown(
            [f"mixing, {name}", "graphs", *_COLUMNS, "ours minus Leiden"], rows
        )
    for mixing in sorted({key.dataset for key in runs}):
        here = [run for key, run in runs.items() if key.dataset == mixing]
        values = [np.array([run[m]["ami"] for run in here]) for m in (LEIDEN, OURS)]
        if all(abs(one.mean()) < 2 * _error(one) for one in values):
            leiden, ours = (_with_error(one) for one in values)
            yield (
                f"At mixing {mixing}, Leiden's algorithm and ours are at chance level: "
                f"their AMI is {leiden} and {ours}, within two standard errors of zero."
            )

    counts = []
    tested = _of(log, "tested")
    for mixing in sorted({key.dataset for key in tested}):
        here = [run[OURS] for key, run in tested.items() if key.dataset == mixing]
        none = sum(run["p_value"] > ALPHA for run in here)
        counts.append(f"{none} of {len(here)} at {mixing}")
    if counts:
        yield (
            "These are without the test against random graphs. With it, which is the "
            'default (`python -m experiments.communities tested`), the answer is "no '
            f'evidence of communities" in {", ".join(counts)}.'
        )


def _with_error(values: np.ndarray) -> str:
    return f"{values.mean():+.4f} ± {_error(values):.4f}"


def _error(values: np.ndarray) -> float:
    return spread(values) / np.sqrt(values.size)


def _members(log: RunLog) -> Iterator[str]:
    runs = _of(log, "members")
    if not runs:
        return
    mixings = sorted({key.dataset for key in runs})
    kinds = list(next(iter(runs.values())))
    n_draws = len({key.seed for key in runs})
    yield (
        "## Members of other kinds\n\n`python -m experiments.communities members`: one "
        "member of four is of another kind, on LFR graphs other than those above "
        f"({n_draws} for each mixing, one seed). AMI with the planted communities; the "
        "last columns have the mean over all graphs minus that of Leiden's members "
        "alone, with its standard error, and the CPU seconds."
    )
    alone = np.array([run[kinds[0]]["ami"] for run in runs.values()])
    rows = []
    for kind in kinds:
        ami = np.array([run[kind]["ami"] for run in runs.values()])
        at = [
            np.mean([run[kind]["ami"] for key, run in runs.items() if key.dataset == m])
            for m in mixings
        ]
        seconds = np.mean([run[kind]["seconds"] for run in runs.values()])
        lead = "" if kind == kinds[0] else _with_error(ami - alone)
        rows.append([kind, *(f"{value:.3f}" for value in at), lead, f"{seconds:.1f}"])
    yield markdown(["members", *mixings, "mean lead", "seconds"], rows)


def _random(log: RunLog) -> Iterator[str]:
    yield (
        "## Random graphs\n\n300 nodes: 1,200 links drawn at random, or degrees with a "
        "heavy tail (exponent 3, from 4 to 60)."
    )
    runs = _of(log, "random")
    for kind in dict.fromkeys(key.dataset for key in runs):
        p = [run[OURS]["p_value"] for key, run in runs.items() if key.dataset == kind]
        none = sum(value > ALPHA for value in p)
        yield f"{kind}: no evidence of communities in {none} of {len(p)}."


def _million(log: RunLog) -> Iterator[str]:
    for run in _of(log, "million").values():
        ours = run[OURS]
        yield (
            "## A million nodes\n\nA stochastic block model of 1,000 groups and five "
            f"million links, one thread: {ours['seconds'] / 60:.1f} minutes of CPU, "
            f"{ours['gb']:.1f} GB at most, {ours['n_found']:.0f} communities, "
            f"modularity {ours['modularity']:.4f}, "
            f"NMI {ours['nmi']:.3f} with the planted groups."
        )
