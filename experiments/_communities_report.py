"""The report on communities: ours beside Leiden's algorithm."""

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from experiments._runs import Key, RunLog
from experiments._tables import markdown

LEIDEN, BEST, OURS = "Leiden", "Leiden, best of 10", "coterie"
ALPHA = 0.01
_HEAD = """# Communities beside Leiden's algorithm

Written by `python -m experiments.communities report` from `communities_runs.csv`.
Leiden's algorithm is igraph's, run until nothing changes, with 30 seeds; *best of 10*
keeps the most modular of ten runs, three times. Ours is the default call with three
seeds. *Agreement* is the mean adjusted Rand index of two seeds. Seconds are CPU seconds
of one thread; ours include the test against random graphs and the tree of levels."""


def write(log: RunLog, folder: Path) -> None:
    """Write ``communities.md``."""
    parts = [_HEAD, *_graphs(log), *_lfr(log), *_random(log), *_million(log)]
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
                *(f"{run[m]['modularity']:.4f}" for m in (LEIDEN, BEST, OURS)),
                *(f"{run[m]['agreement']:.3f}" for m in (LEIDEN, BEST, OURS)),
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
            scores = [f"{run[m]['nmi']:.3f}" for m in (LEIDEN, BEST, OURS)]
            yield (
                f"NMI with the known groups of {name}: Leiden {scores[0]}, best of 10 "
                f"{scores[1]}, ours {scores[2]}."
            )


def _lfr(log: RunLog) -> Iterator[str]:
    runs = _of(log, "lfr")
    yield (
        "## Planted communities (LFR graphs)\n\nNMI with the planted communities; "
        "networkx, 1,000 nodes, mean degree 20, communities of 20 to 100, three graphs "
        "for each mixing."
    )
    rows = []
    for mixing in sorted({key.dataset for key in runs}):
        here = [run for key, run in runs.items() if key.dataset == mixing]

        def mean(method: str, measure: str, here=here) -> str:
            return f"{np.mean([run[method][measure] for run in here]):.3f}"

        scores = [mean(m, "nmi") for m in (LEIDEN, BEST, OURS)]
        sure = [mean(m, "agreement") for m in (LEIDEN, BEST, OURS)]
        rows.append([mixing, *scores, *sure])
    three = ["Leiden", "best of 10", "ours"]
    yield markdown(["mixing", *three, *(f"agreement: {one}" for one in three)], rows)


def _random(log: RunLog) -> Iterator[str]:
    yield "## Random graphs"
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
