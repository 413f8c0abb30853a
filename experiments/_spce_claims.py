"""What each claim of the SPCE paper gains, with an error over data sets."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from experiments._runs import RunLog
from experiments._tables import gain_table

RESULTS = Path(__file__).parent / "results"
RIVALS = {
    "spce": ("KC", "NMFC", "BCE"),
    "spce further": ("CSPA", "HGPA", "MCLA", "LWGP", "DREC"),
    "spce cubic": ("RSEC",),
}


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
    others = []
    rivals = RunLog(RESULTS / "rivals_runs.csv", ("acc", "nmi", "ari", "seconds"))
    own = _by_data(cells, "kmeans", "SPCE", "acc")
    for study, methods in RIVALS.items():
        for rival in methods:
            runs = {n: rivals.values(study, n, "default", rival, "acc") for n in own}
            found = [
                own[n] - values.mean() for n, values in runs.items() if values.size
            ]
            others.append((f"SPCE against {rival}", found))
    for method, told in (("LWEA", "LWEA"), ("best member", "the best member")):
        runs = {n: log.values("kmeans", n, "default", method, "acc") for n in own}
        found = [own[n] - values.mean() for n, values in runs.items() if values.size]
        others.append((f"SPCE against {told}", found))
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
        f"{gain_table(rows)}\n\nAccuracy with k-means members, SPCE with the best "
        "theta of the grid, the rivals as they are (`rivals_runs.csv`, on the sets "
        f"that were run):\n\n{gain_table(others)}\n\nWith exactly k clusters and "
        f"theta = 0.4 for all, no label used:\n\n{gain_table(linkage)}"
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
