"""What each claim of the SPCE paper gains, with an error over data sets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

import numpy as np

from experiments._runs import RunLog
from experiments._tables import gain_table, markdown

RESULTS = Path(__file__).parent / "results"
FEW, CUBIC = ("KC", "NMFC", "BCE"), ("RSEC",)
FURTHER = ("CSPA", "HGPA", "MCLA", "LWGP", "DREC")
RIVALS = {
    "kmeans": {"spce": FEW, "spce further": FURTHER, "spce cubic": CUBIC},
    "spectral": {"spce spectral": FEW + FURTHER, "spce spectral cubic": CUBIC},
}
THETAS = tuple(t / 10 for t in range(10))
ADVISED = THETAS[2:7]  # where the paper says that theta should lie


class BestOfGrid(Protocol):
    """A cell of the tables: the mean with the best theta of the grid."""

    @property
    def setting(self) -> str: ...
    @property
    def dataset(self) -> str: ...
    @property
    def method(self) -> str: ...
    @property
    def metric(self) -> str: ...
    @property
    def best(self) -> float: ...


def claims(cells: Sequence[BestOfGrid], log: RunLog, cuts: RunLog) -> str:
    """Return the section on the paper's claims."""
    rows = []
    for setting in ("kmeans", "spectral"):
        for metric in ("acc", "nmi", "ari"):
            own = _by_data(cells, setting, "SPCE", metric)
            for form in ("SPCE-fixW", "SPCE-W"):
                other = _by_data(cells, setting, form, metric)
                found = [own[name] - other[name] for name in own if name in other]
                what = f"{setting} members, {metric.upper()}: SPCE instead of {form}"
                rows.append((what, found))
            fixed = _by_data(cells, setting, "SPCE-fixW", metric)
            plain = _by_data(cells, setting, "SPCE-W", metric)
            found = [fixed[name] - plain[name] for name in fixed if name in plain]
            what = f"{setting} members, {metric.upper()}: SPCE-fixW instead of SPCE-W"
            rows.append((what, found))
    rivals = RunLog(RESULTS / "rivals_runs.csv", ("acc", "nmi", "ari", "seconds"))
    tables = "\n\n".join(
        f"{title}:\n\n{gain_table(_others(cells, setting, log, rivals))}"
        for setting, title in (("kmeans", "k-means"), ("spectral", "spectral"))
    )
    thetas = [row for setting in RIVALS for row in _thetas(cells, setting, log)]
    names = sorted({key.dataset for key in cuts.runs})
    linkage = []
    for metric in ("nmi", "ari"):
        own = _cuts(cuts, names, "linkage 0.4", metric)
        for other in ("LWEA", "average linkage", "exact 0.3"):
            theirs = _cuts(cuts, names, other, metric)
            found = [100 * (a - b) for a, b in zip(own, theirs, strict=True)]
            linkage.append((f"{metric.upper()}: SPCE instead of {other}", found))
    return (
        "## Claims\n\nDifferences in points: the mean over data sets and its standard "
        "error. With the best theta of the grid for each form, as in the paper:\n\n"
        f"{gain_table(rows)}\n\nAccuracy, SPCE with the best theta of the grid, the "
        "rivals as they are (`rivals_runs.csv`, on the sets that were run), by the "
        f"kind of members. {tables}\n\nAccuracy by theta, the components as found:\n\n"
        f"{gain_table(thetas)}\n\nWith exactly k clusters and "
        f"theta = 0.4 for all, no label used:\n\n{gain_table(linkage)}\n\n"
        f"{_speed(log, rivals)}"
    )


def _others(
    cells: Sequence[BestOfGrid], setting: str, log: RunLog, rivals: RunLog
) -> list[tuple[str, list[float]]]:
    """Return SPCE's accuracy against each rival and the best member."""
    own = _by_data(cells, setting, "SPCE", "acc")
    found = [
        (f"SPCE against {rival}", rivals, study, rival)
        for study, methods in RIVALS[setting].items()
        for rival in methods
    ]
    found += [
        ("SPCE against LWEA", log, setting, "LWEA"),
        ("SPCE against the best member", log, setting, "best member"),
    ]
    return [
        (
            what,
            [
                own[name] - values.mean()
                for name in own
                if (values := runs.values(study, name, "default", method, "acc")).size
            ],
        )
        for what, runs, study, method in found
    ]


def _thetas(
    cells: Sequence[BestOfGrid], setting: str, log: RunLog
) -> list[tuple[str, list[float]]]:
    """Return what the threshold gains, and the mean over the advised range."""
    names = _by_data(cells, setting, "SPCE", "acc")
    means = {
        name: [
            float(log.values(setting, name, "default", f"SPCE found {t}", "acc").mean())
            for t in THETAS
        ]
        for name in names
    }
    inside = [THETAS.index(t) for t in ADVISED]
    others = [i for i in range(len(THETAS)) if i not in inside]
    return [
        (
            f"{setting} members: theta = 0.3 instead of 0",
            [of[3] - of[0] for of in means.values()],
        ),
        (
            f"{setting} members: theta from 0.2 to 0.6 instead of the others",
            [
                float(np.mean([of[i] for i in inside]))
                - float(np.mean([of[i] for i in others]))
                for of in means.values()
            ],
        ),
    ]


def _speed(log: RunLog, rivals: RunLog) -> str:
    """Return how many times faster SPCE is than RSEC."""
    rows = []
    for name in dict.fromkeys(key.dataset for key in log.runs):
        slow = rivals.values("spce cubic", name, "default", "RSEC", "seconds")
        fast = log.values("kmeans", name, "default", "SPCE found 0.3", "seconds")
        slow = slow[~np.isnan(slow)]
        if slow.size and fast.size:
            ratio = float(np.median(slow) / np.median(fast))
            rows.append((name, f"{ratio:.1f}"))
    return (
        "How many times faster SPCE is than RSEC, in CPU seconds on the same members:"
        "\n\n" + markdown(("data", "times as fast as RSEC"), rows)
    )


def _by_data(
    cells: Sequence[BestOfGrid], setting: str, form: str, metric: str
) -> dict[str, float]:
    key = (setting, form, metric)
    return {c.dataset: c.best for c in cells if (c.setting, c.method, c.metric) == key}


def _cuts(cuts: RunLog, names: Sequence[str], method: str, metric: str) -> list[float]:
    return [
        float(cuts.values("clusters", name, "default", method, metric).mean())
        for name in names
    ]
