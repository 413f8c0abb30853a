"""The report on SPCE: what the paper prints, what we get, and what it is made of."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from experiments._runs import RunLog
from experiments._spce_claims import claims
from experiments._spce_data import HELD, TEXT
from experiments._spce_studies import (
    FORMS,
    METRICS,
    PRINTED,
    SETTINGS,
    THETAS,
    checks,
    convergence,
    exactness,
    inputs,
    matrices,
    printed_figure,
    spectra,
    thresholds,
    values_of,
)
from experiments._tables import (
    count_cells,
    figures,
    markdown,
    spread,
    write_csv,
)

FIXED = 0.3
GIANT = 1.5
CURVES = ("ar", "coil20", "lung")  # Fig. 3

# Why a data set misses, in a sentence; what is known, not what would be convenient.
REMARKS: dict[tuple[str, str], str] = {
    ("spectral", "glioma"): "our members have a mean ARI of 5.0 (printed for SC 7.0).",
    (
        "spectral",
        "umist",
    ): "at the limit; the sd of this cell is not legible, so only 2 "
    "points are allowed.",
    ("spectral", "coil20"): "LWEA on these members is far below the print too: the "
    "members are not the paper's.",
    ("spectral", "k1b"): "our members are poorer than the paper's (mean ACC "
    "71.1; printed for SC 77.9). The paper does not say which spectral clustering it "
    "used.",
    ("kmeans", "tox"): "the members fit the printed ones (KM), the other two forms "
    "are reproduced, and the sd of this cell is not legible, so only 2 points are "
    "allowed. Not explained beyond that.",
}


@dataclass(frozen=True)
class Cell:
    """One figure of the paper and ours."""

    setting: str
    dataset: str
    method: str
    metric: str
    printed: float
    printed_sd: float | None
    theta: float  # of the best mean of this metric
    n_inexact: int  # runs at this theta in which the collapse was not exact
    best: float
    best_sd: float
    n_components: float
    by_acc: float  # with the theta of the best mean ACC
    fixed: float
    fixed_components: float

    @property
    def allowed(self) -> float:
        """How far below the printed figure still counts as reproduced."""
        return max(2.0, 2 * (self.printed_sd or 0.0))

    @property
    def reproduced(self) -> bool:
        return self.best >= self.printed - self.allowed

    @property
    def reproduced_by_acc(self) -> bool:
        return self.by_acc >= self.printed - self.allowed

    @property
    def reproduced_fixed(self) -> bool:
        return self.fixed >= self.printed - self.allowed


def write(log: RunLog, cuts: RunLog, folder: Path) -> None:
    """Write ``spce.md``, ``spce_tables.csv`` and ``spce_theta.csv``."""
    cells = compare(log)
    write_csv(
        folder / "spce_tables.csv",
        "setting dataset method metric printed printed_sd best_of_grid sd theta "
        "inexact_runs components fixed_theta fixed_components allowed reproduced",
        (
            (
                *(c.setting, c.dataset, c.method, c.metric, c.printed, c.printed_sd),
                *(f"{c.best:.2f}", f"{c.best_sd:.2f}", c.theta, c.n_inexact),
                *(f"{c.n_components:.1f}", f"{c.fixed:.2f}"),
                *(f"{c.fixed_components:.1f}", f"{c.allowed:.1f}", int(c.reproduced)),
            )
            for c in cells
        ),
    )
    write_csv(
        folder / "spce_theta.csv",
        "setting dataset method rule theta acc nmi ari clusters",
        _theta_rows(log),
    )
    parts = [
        _introduction(),
        _summary(cells),
        *(_table(log, cells, s, m) for s in SETTINGS for m in METRICS),
        _misses(cells),
        *(_fixed(log, setting) for setting in SETTINGS),
        _clusters(cuts),
        inputs(log),
        spectra(log),
        _seconds(log),
        matrices(folder),
        _theta_curves(log),
        convergence(folder),
        exactness(folder),
        checks(log),
        thresholds(folder),
        claims(cells, log, cuts),
    ]
    text = "\n\n".join(part for part in parts if part)
    (folder / "spce.md").write_text(text + "\n")
    judged = [c for c in cells if c.metric in ("acc", "nmi")]
    print(
        f"{folder / 'spce.md'}: NMI and ACC, {count_cells(judged)}; "
        f"all, {count_cells(cells)}"
    )


def compare(log: RunLog) -> list[Cell]:
    """Return every printed figure of the three forms that we have runs for."""
    cells = []
    for row in figures(PRINTED):
        setting = row["source"].split(", ")[1]
        name, form, metric = row["dataset"], row["method"], row["metric"]
        if form not in FORMS or name not in HELD or metric not in METRICS:
            continue
        grid = _grid(log, setting, name, form, metric)
        if not grid[FIXED].size:
            continue
        theta = _best(grid)
        by_acc = grid[_best(_grid(log, setting, name, form, "acc"))]
        counts = _grid(log, setting, name, form, "n_clusters")
        inexact = _grid(log, setting, name, form, "n_inexact")
        cells.append(
            Cell(
                *(setting, name, form, metric, float(row["mean"])),
                float(row["sd"]) if row["sd"] else None,
                *(theta, int((inexact[theta] > 0).sum())),
                *(float(grid[theta].mean()), spread(grid[theta])),
                *(float(counts[theta].mean()), float(by_acc.mean())),
                *(float(grid[FIXED].mean()), float(counts[FIXED].mean())),
            )
        )
    order = list(HELD)
    return sorted(cells, key=lambda c: order.index(c.dataset))


def _grid(
    log: RunLog, setting: str, name: str, form: str, measure: str
) -> dict[float, np.ndarray]:
    return {
        t: values_of(log, setting, name, f"{form} found {t}", measure) for t in THETAS
    }


def _best(grid: dict[float, np.ndarray]) -> float:
    return max(THETAS, key=lambda theta: grid[theta].mean())


def _introduction() -> str:
    return """\
# SPCE: the printed figures and ours

Made by `python -m experiments.spce report` from `spce_runs.csv` (`... tables`,
`... members`); the printed figures are in `experiments/published/spce.csv`
(doi:10.1109/TNNLS.2020.2984814, Tables III-IX). As in the paper, each figure is a mean
over ten sets of members (fewer where *runs* says so): 20 k-means runs with as many
clusters as classes, or 9 spectral clusterings with a grid of kernel widths, the rows of
the eigenvectors as they are. Runs 0 to 9 were fixed before the first look. The members
of Lung are the authors' own; their data we do not hold, so it has no spectral members.
NMI is divided by the geometric mean of the entropies, ACC is by the best matching. All
figures are percent.

**Two choices stand behind the printed figures.** The paper picks theta on each data set
by the known classes: that is *best of grid* here, for each metric by itself, and it is
no way to use the method on data whose classes are not known. And the number of
components that S comes out with is left as it is, which may be far from the number of
classes (the columns *components*); NMI rewards many small clusters. Both are shown as
the paper does them, and beside them one theta for all, 0.3. What a user gets, exactly
as many clusters as were asked for, is compared on every set we hold in a section of its
own.

A cell is **reproduced** if our mean is no further than max(2 points, twice the printed
sd) below the printed mean. A star at theta marks a cell in some of whose runs the
collapse to distinct label rows was not exact: it may differ from what the literal
algorithm gives there.

`python -m experiments.spce all` runs everything and goes on where it was; the whole
takes less than an hour of one core. The first five to seven runs of k-means members of
ar and k1b, those of coil20, and exactly k clusters on all sets but yeast are of an
earlier run; run 0 came out the same again on 40 of the latter (not tried on tdt2_30)
and on the six smaller sets."""


def _summary(cells: Sequence[Cell]) -> str:
    rows = []
    for setting, title in SETTINGS.items():
        for form in FORMS:
            for metric in METRICS:
                group = [
                    c
                    for c in cells
                    if (c.setting, c.method, c.metric) == (setting, form, metric)
                ]
                if group:
                    rows.append(
                        (
                            *(title, form, metric.upper(), len(group)),
                            sum(c.reproduced for c in group),
                            sum(c.reproduced_by_acc for c in group),
                            sum(c.reproduced_fixed for c in group),
                            *(
                                f"{np.mean([getattr(c, of) for c in group]):.1f}"
                                for of in ("printed", "best", "by_acc", "fixed")
                            ),
                        )
                    )
    judged = [c for c in cells if c.metric in ("acc", "nmi")]
    head = (
        *("members", "form", "metric", "cells", "reproduced: best of grid"),
        *("theta by ACC", "theta = 0.3", "mean printed", "best of grid"),
        *("theta by ACC", "theta = 0.3"),
    )
    n_by_acc = sum(c.reproduced_by_acc for c in judged)
    return (
        "## Summary\n\nACC and NMI, best of grid, components as found: "
        f"{count_cells(judged)}. With ARI: {count_cells(cells)}. "
        "The best NMI of the grid is far "
        "above the printed one, because it has many more components; it seems that the "
        "paper did not choose theta by NMI. With one theta for all metrics, that of "
        f"the best ACC, {n_by_acc} of the {len(judged)} are reproduced.\n\n"
        f"{markdown(head, rows)}"
    )


def _table(log: RunLog, cells: Sequence[Cell], setting: str, metric: str) -> str:
    group = [c for c in cells if (c.setting, c.metric) == (setting, metric)]
    rows = []
    for name in HELD:
        row = [name]
        for form in FORMS:
            for c in group:
                if (c.dataset, c.method) == (name, form):
                    mark = "" if c.reproduced else " **miss**"
                    sd = "" if c.printed_sd is None else f" ± {c.printed_sd:.1f}"
                    row += [
                        f"{c.printed:.1f}{sd}",
                        f"{c.best:.1f} ± {c.best_sd:.1f}{mark}",
                        f"{c.theta}{'*' * bool(c.n_inexact)} / {c.n_components:.0f}",
                    ]
        if len(row) > 1:
            classes = values_of(log, setting, name, "SPCE exact 0.3", "n_clusters")
            rows.append((row[0], classes.size, f"{classes.max():.0f}", *row[1:]))
    head = ["data", "runs", "classes"]
    for form in FORMS:
        head += [f"{form} printed", "best of grid", "theta / components"]
    number = {
        ("kmeans", "acc"): "III",
        ("kmeans", "nmi"): "IV",
        ("kmeans", "ari"): "V",
        ("spectral", "acc"): "VI",
        ("spectral", "nmi"): "VII",
        ("spectral", "ari"): "VIII",
    }[setting, metric]
    title = f"## Table {number}, {metric.upper()}, {SETTINGS[setting]}"
    return f"{title}\n\n{markdown(head, rows)}" if rows else ""


def _misses(cells: Sequence[Cell]) -> str:
    missed = [c for c in cells if not c.reproduced]
    if not missed:
        return "## Misses\n\nNone."
    rows = [
        (
            *(c.setting, c.dataset, c.method, c.metric.upper(), f"{c.printed:.1f}"),
            *(f"{c.best:.1f}", f"{c.best - c.printed:+.1f}", f"{-c.allowed:.1f}"),
        )
        for c in missed
    ]
    head = ("members", "data", "form", "metric", "printed", "ours", "off", "allowed")
    sets = dict.fromkeys((c.setting, c.dataset) for c in missed)
    remarks = [
        f"- {setting}, {name}: {REMARKS.get((setting, name), 'not explained.')}"
        for setting, name in sets
    ]
    return "\n\n".join(["## Misses", markdown(head, rows), "\n".join(remarks)])


def _fixed(log: RunLog, setting: str) -> str:
    """Return what a user gets, beside its rivals on the same members."""
    methods = ("SPCE exact 0.3", "LWEA", "average linkage")
    members = ("mean member", "best member")
    rows = []
    means: dict[tuple[str, str], list[float]] = {}
    for name in HELD:
        cells = []
        for metric in METRICS:
            for method in (*methods, *members):
                values = values_of(log, setting, name, method, metric)
                if values.size:
                    means.setdefault((metric, method), []).append(values.mean())
                    cells.append(f"{values.mean():.1f}")
        if cells:
            share = values_of(log, setting, name, "SPCE found 0.3", "n_clusters")
            wanted = values_of(log, setting, name, "SPCE exact 0.3", "n_clusters").max()
            as_asked = f"{(share == wanted).sum()} of {share.size}"
            rows.append((name, as_asked, *cells))
    if not rows:
        return ""
    mean = [
        f"**{np.mean(means[metric, method]):.1f}**"
        for metric in METRICS
        for method in (*methods, *members)
    ]
    rows.append(("mean", "", *mean))
    short = ("SPCE", "LWEA", "linkage", "member", "best member")
    head = ["data", "not repaired"]
    head += [f"{metric.upper()} {s}" for metric in METRICS for s in short]
    return (
        f"## theta = 0.3, exactly c clusters by components: {SETTINGS[setting]}\n\n"
        "Nothing is chosen by the known classes. *linkage* is ten lines of average "
        "linkage on the co-association. *Not repaired* counts the runs in which S came "
        f"out with that many components by itself.\n\n{markdown(head, rows)}"
    )


def _clusters(cuts: RunLog) -> str:
    """Return k clusters by linkage of S beside the components and the rivals."""
    sets = list(dict.fromkeys(key.dataset for key in cuts.runs))
    if not sets:
        return ""
    methods = list(next(iter(cuts.runs.values())))
    methods.sort(key=lambda method: not method.startswith("linkage"))
    rows = []
    for method in methods:
        means = [
            [
                cuts.values("clusters", name, "default", method, m).mean()
                for name in sets
            ]
            for m in ("nmi", "ari", "agreement")
        ]
        giant = np.concatenate(
            [cuts.values("clusters", n, "default", method, "largest") for n in sets]
        )
        rows.append(
            (
                *(method, *(f"{np.mean(values):.3f}" for values in means)),
                f"{(giant > GIANT).sum()} of {giant.size}",
            )
        )
    head = ("", "NMI", "ARI", "agreement with the members", "runs with a giant")
    text = [
        (
            name,
            *(
                f"{cuts.values('clusters', name, 'default', method, 'nmi').mean():.3f}"
                for method in methods
            ),
        )
        for name in TEXT
        if name in sets
    ]
    return (
        f"## Exactly k clusters: every set we hold\n\nMeans over {len(sets)} data sets "
        "(`... clusters`): 20 k-means members with as many clusters as classes, five "
        "runs, two beyond 2,500 samples. *linkage*: average linkage of S with that "
        "theta; *exact 0.3*: components merged or split, the old default; "
        "*average linkage*: of the co-association, without SPCE. *Agreement* is the "
        "mean NMI with the members and needs no classes; a *giant* is a cluster "
        f"more than {GIANT} times as large as the largest of the members. The default "
        "theta = 0.4 is the smallest whose agreement is within one percent of plain "
        f"average linkage's.\n\n{markdown(head, rows)}\n\nNMI on text:\n\n"
        f"{markdown(('data', *methods), text)}"
    )


def _seconds(log: RunLog) -> str:
    rows = []
    for name in HELD:
        printed = printed_figure(name, "SPCE", "seconds", "kmeans")
        ours = values_of(log, "kmeans", name, f"SPCE found {FIXED}", "seconds")
        if ours.size and printed:
            median = float(np.median(ours))
            inexact = values_of(log, "kmeans", name, f"SPCE found {FIXED}", "n_inexact")
            rows.append(
                (
                    name,
                    printed["mean"],
                    f"{median:.3f}",
                    f"{float(printed['mean']) / median:.0f}",
                    f"{(inexact == 0).sum()} of {inexact.size}",
                )
            )
    head = ("data", "printed", "ours", "ratio", "runs with the check held throughout")
    return (
        "## Table IX: seconds of the consensus, 20 members\n\nPrinted: MATLAB, "
        "4.2 GHz. Ours: CPU seconds, one core, median of the runs at theta = 0.3. "
        "The last column says how often the collapsed problem was that of the samples "
        "in every "
        f"iteration.\n\n{markdown(head, rows)}"
    )


def _theta_rows(log: RunLog) -> Iterable[Sequence[object]]:
    rules = [*((form, "found") for form in FORMS), ("SPCE", "exact")]
    for setting in SETTINGS:
        for name in HELD:
            for form, rule in rules:
                for theta in THETAS:
                    method = f"{form} {rule} {theta}"
                    values = [
                        values_of(log, setting, name, method, measure)
                        for measure in (*METRICS, "n_clusters")
                    ]
                    if values[0].size:
                        means = (f"{v.mean():.2f}" for v in values)
                        yield (setting, name, form, rule, theta, *means)


def _theta_curves(log: RunLog) -> str:
    rows = []
    for name in CURVES:
        for metric in ("acc", "nmi", "n_clusters"):
            for rule in ("found", "exact"):
                if metric == "n_clusters" and rule == "exact":
                    continue
                values = [
                    values_of(log, "kmeans", name, f"SPCE {rule} {t}", metric)
                    for t in THETAS
                ]
                if values[0].size:
                    title = "components" if metric == "n_clusters" else metric.upper()
                    rows.append(
                        (name, title, rule, *(f"{v.mean():.1f}" for v in values))
                    )
    head = ("data", "", "rule", *THETAS)
    return (
        "## Fig. 3: theta\n\nk-means members, SPCE. All data sets are in "
        f"`spce_theta.csv`.\n\n{markdown(head, rows)}"
    )
