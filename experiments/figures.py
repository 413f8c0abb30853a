"""The few figures that the library quotes: ``python -m experiments.figures``.

Rewrites the rows of ``coterie/_figures.py`` and the tables of ``docs/which.md`` from
the runs of ``panel`` and ``field``. A figure is the mean ARI over the data sets that
both the method and the default finished, each the mean over its seeds, on the features
as they are.
"""

import re
from pathlib import Path

import numpy as np

from coterie import _figures
from coterie._figures import FEW, LABELS, MANY, TRIALS, Figure
from experiments._runs import RunLog

RESULTS = Path(__file__).parent / "results"
DEFAULT = {"panel": "panel", "field": "lwea"}
NAMES = {"panel": "ensemble"}  # as the library calls it
SYSTEMS = ("panel", "usenc", "c2swce", "mdec", "mbn-e", "spce", "woec")
RIVALS = ("spectral", "gmm", "kmeans", "hdbscan")
METHODS = {
    FEW: SYSTEMS + RIVALS,
    MANY: SYSTEMS + RIVALS,
    LABELS: ("lwea", "ptgp", "kcc", "lwgp", "eac", "onehot-kmeans", "hgpa", "wosp"),
}


def measured() -> dict[tuple[str, str], Figure]:
    """Return the figure of each trial and method, from the committed runs."""
    found = {}
    for trial, methods in METHODS.items():
        experiment, study, _ = TRIALS[trial]
        log = RunLog(RESULTS / f"{experiment}_runs.csv", ["ari"])
        scores = {m: _scores(log, study, m) for m in (*methods, DEFAULT[experiment])}
        own = scores[DEFAULT[experiment]]
        for method in methods:
            both = sorted(scores[method].keys() & own.keys())
            means = (
                np.mean([of[name] for name in both]) for of in (scores[method], own)
            )
            rounded = (round(float(mean), 3) for mean in means)
            found[trial, NAMES.get(method, method)] = Figure(len(both), *rounded)
    return found


def _scores(log: RunLog, study: str, method: str) -> dict[str, float]:
    """Return the mean ARI by data set, where the method finished."""
    runs: dict[str, list[float]] = {}
    for key, methods in log.runs.items():
        if key.study == study and key.variant in ("raw", method) and method in methods:
            runs.setdefault(key.dataset, []).append(methods[method]["ari"])
    means = {name: float(np.mean(values)) for name, values in runs.items()}
    return {name: mean for name, mean in means.items() if np.isfinite(mean)}


def rewritten(text: str) -> str:
    """Return the text of ``_figures.py`` with the rows measured anew."""
    rows = "".join(
        f'    ("{trial}", "{method}"): Figure{tuple(figure)},\n'
        for (trial, method), figure in measured().items()
    )
    return re.sub(
        r"^ROWS = \{\n.*?^\}", f"ROWS = {{\n{rows}}}", text, flags=re.M | re.S
    )


def page_rewritten(text: str) -> str:
    """Return the text of ``docs/which.md`` with its tables measured anew."""
    head, *sections = re.split(r"(?=^### )", text, flags=re.M)
    rows = measured()
    for at, trial in enumerate(METHODS):
        own = [(name, figure) for (of, name), figure in rows.items() if of == trial]
        own.sort(key=lambda row: -row[1].ari)
        lines = "".join(
            f"| `{name}` | {f.ari:.3f} | {f.default:.3f} | {f.n_sets} |\n"
            for name, f in own
        )
        sections[at] = re.sub(
            r"(\| --- \|[-| ]*\n)(?:\|.*\n)*", rf"\g<1>{lines}", sections[at], count=1
        )
    return head + "".join(sections)


if __name__ == "__main__":
    for path, renew in (
        (Path(_figures.__file__), rewritten),
        (RESULTS.parents[1] / "docs" / "which.md", page_rewritten),
    ):
        path.write_text(renew(path.read_text()))
