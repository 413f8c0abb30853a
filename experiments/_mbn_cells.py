"""Which figures of the MBN paper we reach, counted by its tables' rows."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments._mbn_claims import best_deltas, of_tables
from experiments._mbn_data import HELD
from experiments._runs import Key, RunLog
from experiments._tables import count_cells, figures, markdown

BAND = 0.02  # below the printed figure: no deviations are printed of accuracies
SAME_DATA = {"mnist5000": "mnist"}
OWN = ("fMBN-E", "MBN", "fMBN-Ev2", "MBN-SO (VRC)", "MBN-SD")
BEST = "MBN best delta"
FEW_VIEWS = "MBN, 64 views"
GRAPH_RIVALS = ("Overlap factorization", "Walktrap", "Fast greedy", "Label propagation")

Printed = dict[tuple[str, str, str], tuple[float, float]]


@dataclass(frozen=True)
class Cell:
    """One figure of the paper and ours."""

    row: str
    own: bool  # of the paper's own methods, not of a rival
    same_data: bool
    printed: float
    printed_sd: float
    mean: float

    @property
    def reproduced(self) -> bool:
        return is_near(self.mean, self.printed, self.printed_sd)


def is_near(mean: float, printed: float, printed_sd: float = 0.0) -> bool:
    """Whether our figure is no further below the printed one than the rule allows."""
    return mean >= printed - max(BAND, 2 * printed_sd)


def rival_printed(printed: Printed, name: str, method: str) -> float | None:
    """Return the printed accuracy of a consensus function among the best five."""
    named = {"LinkCluE (CTS)": "LinkClueE"}.get(method, method)
    for (data, ranked, _), (mean, _) in printed.items():
        if data == name and ranked.startswith("Rank ") and f"({named})" in ranked:
            return mean
    return None


def compare(log: RunLog, folder: Path, printed: Printed) -> list[Cell]:
    """Return every printed accuracy and modularity that we have runs for."""
    return [
        *_accuracies(log, printed),
        *_all_of_mnist(folder, printed),
        *_modularities(folder, printed),
    ]


def _accuracies(log: RunLog, printed: Printed) -> Iterable[Cell]:
    for name, held in HELD.items():
        found = {method: of_tables(log, name, method, "acc") for method in OWN}
        found["MBN-E"] = log.values("slow", name, "default", "MBN-E", "acc")
        found[BEST] = np.array([max(best_deltas(log, name).values(), default=np.nan)])
        found["kmeans"] = log.values("kmeans", name, "default", "kmeans", "acc")
        for method, ours in found.items():
            theirs = printed.get((SAME_DATA.get(name, name), method, "acc"))
            if theirs and ours.size and not np.isnan(ours).any():
                row = "k-means" if method == "kmeans" else method
                own = method != "kmeans"
                yield Cell(row, own, not held.differs, *theirs, float(ours.mean()))
        for method in log.runs.get(Key("rivals", name, "default", 0), ()):
            ours = log.values("rivals", name, "default", method, "acc")
            mean = rival_printed(printed, name, method)
            if ours.size and mean is not None:
                row = "consensus functions"
                yield Cell(row, False, not held.differs, mean, 0.0, float(ours.mean()))


def _all_of_mnist(folder: Path, printed: Printed) -> Iterable[Cell]:
    path = folder / "mbn_large.csv"
    if path.exists():
        found = float(np.mean([float(row["acc"]) for row in figures(path)]))
        yield Cell("fMBN-E", True, True, *printed["mnist", "fMBN-E", "acc"], found)


def _modularities(folder: Path, printed: Printed) -> Iterable[Cell]:
    log = RunLog(folder / "mbn_graphs.csv", ("modularity", "n_found", "seconds"))
    for name in sorted({key.dataset for key in log.runs}):
        for method in ("fMBN-E", *GRAPH_RIVALS):
            variant = "default" if method == "fMBN-E" else "rivals"
            ours = log.values("graphs", name, variant, method, "modularity")
            if ours.size:
                own = method == "fMBN-E"
                row = "fMBN-E, communities" if own else "rivals, communities"
                theirs = printed[name, method, "modularity"]
                yield Cell(row, own, True, *theirs, float(ours.mean()))


def summary(cells: list[Cell]) -> str:
    """Say how many figures are reproduced, of own rows and of rivals."""
    groups = [
        ("own methods", [c for c in cells if c.own]),
        ("rivals", [c for c in cells if not c.own]),
        ("data as in the paper", [c for c in cells if c.same_data]),
        ("other version of the data", [c for c in cells if not c.same_data]),
    ]
    for row in dict.fromkeys(c.row for c in cells):
        groups.append((row, [c for c in cells if c.row == row]))
    rows = [
        (
            *(title, len(group), sum(c.reproduced for c in group)),
            f"{np.mean([c.printed for c in group]):.3f}",
            f"{np.mean([c.mean for c in group]):.3f}",
        )
        for title, group in groups
        if group
    ]
    own, others = (count_cells(group) for _, group in groups[:2])
    head = ("cells", "number", "reproduced", "mean printed", "mean ours")
    return (
        f"## Summary\n\nOwn methods: {own}. Rivals: {others}. A cell is **reproduced** "
        f"if our mean is no further than {BAND} below the printed one (no deviations "
        "are printed of accuracies), in Table VII twice the printed deviation if that "
        "is more. Our 5,000 images of MNIST are judged by the figures of all 70,000, "
        "which fMBN-E has as well. *MBN best delta* chooses delta by the classes, as "
        "the paper does.\n\n" + markdown(head, rows)
    )
