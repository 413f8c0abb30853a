"""``results/field.md``: averages, ranks, tests and the critical-difference picture."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, studentized_range, wilcoxon

from coterie._catalog import entries
from experiments._runs import RunLog
from experiments._tables import markdown

ALPHA = 0.05
NEARLY_ALL = 0.9  # of the methods
_HEAD = """# The field: every consensus function on the same ensembles

Made by `python -m experiments.field report` from `field_runs.csv`: {n_sets} data sets,
one ensemble of 50 k-means members each (c to sqrt(N) clusters, seed 0, data as they
are), all methods with their papers' weights and defaults, {seconds} CPU seconds and
{megabytes:,} MB each at most. The seconds of some runs are of the clock on a busy
machine, those of others CPU seconds. The number of clusters is
that of the classes; these score the answers and choose nothing. "Ten lines" marks the
baselines. A method that did not finish shares the last rank of its data set and counts
as zero in the averages.{older}{left}
"""


@dataclass(frozen=True, eq=False)
class Field:
    """All scores: methods x data sets, NaN where a method did not finish."""

    methods: list[str]
    sets: list[str]
    tables: dict[str, np.ndarray]  # measure -> (n_methods, n_sets)

    def ranks(self, measure: str) -> np.ndarray:
        """Return the ranks within each data set, 1 the best, NaN the last."""
        filled = np.nan_to_num(self.tables[measure], nan=-np.inf)
        return np.apply_along_axis(lambda column: rankdata(-column), 0, filled)


def collect(log: RunLog) -> Field:
    """Gather the runs of the data sets that nearly all methods were tried on.

    A method that was not tried on one of these is left out.
    """
    known = [entry.name for entry in entries("consensus", "baseline")]
    found: dict[str, dict[str, dict[str, float]]] = {}
    for key, results in log.runs.items():
        found.setdefault(key.dataset, {}).update(results)
    needed = NEARLY_ALL * len(known)
    sets = [
        name for name, rows in found.items() if len(set(known) & set(rows)) > needed
    ]
    methods = [m for m in known if all(m in found[name] for name in sets)]
    shown = [*methods, "mean member", "best member"]
    tables = {
        measure: np.array([[found[s][m][measure] for s in sets] for m in shown])
        for measure in log.measures
    }
    return Field(shown, sets, tables)


def critical_difference(n_methods: int, n_sets: int) -> float:
    """Return Nemenyi's critical difference of mean ranks."""
    q = studentized_range.ppf(1 - ALPHA, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def against_best(field: Field, order: np.ndarray) -> dict[str, float]:
    """Return Holm's adjusted p-values of Wilcoxon tests of the first with the rest."""
    nmi = np.nan_to_num(field.tables["nmi"], nan=0.0)
    best, others = order[0], order[1:]
    raw = []
    for m in others:
        differs = nmi[best] - nmi[m]
        raw.append(wilcoxon(differs).pvalue if differs.any() else 1.0)
    return {field.methods[m]: p for m, p in zip(others, holm(raw), strict=True)}


def holm(raw: Sequence[float]) -> np.ndarray:
    """Return p-values adjusted for their number by Holm's method."""
    adjusted = np.empty(len(raw))
    worst = 0.0
    for step, place in enumerate(np.argsort(raw)):
        worst = max(worst, min(1.0, (len(raw) - step) * raw[place]))
        adjusted[place] = worst
    return adjusted


def write(log: RunLog, folder: Path) -> None:
    """Write the report and the picture."""
    from experiments.field import MEGABYTES, SECONDS

    field = collect(log)
    n_ranked = len(field.methods) - 2  # the members are shown, not ranked
    ranked = Field(
        field.methods[:n_ranked],
        field.sets,
        {name: table[:n_ranked] for name, table in field.tables.items()},
    )
    ranks = ranked.ranks("nmi")
    mean_rank = ranks.mean(axis=1)
    order = np.argsort(mean_rank, kind="stable")
    parts = [
        _HEAD.format(
            n_sets=len(field.sets),
            seconds=SECONDS,
            megabytes=MEGABYTES,
            older=_older(log),
            left=_left_out(field),
        ),
        "## Averages, ordered by mean rank in NMI",
        _averages(field, ranked, mean_rank, order),
        _tests(ranked, ranks, order),
        "## Where the ten-line baselines win",
        _baselines(ranked),
        "## NMI by data set",
        _by_set(field, order),
    ]
    (folder / "field.md").write_text("\n\n".join(parts) + "\n")
    picture(ranked.methods, mean_rank, len(field.sets), "NMI", folder / "field.png")


def _older(log: RunLog) -> str:
    """Say which runs are from before partitioners shuffled ties (study "older")."""
    older = [
        key
        for key in log.runs
        if key.study == "older" and key._replace(study="field") not in log
    ]
    if not older:
        return ""
    methods = sorted({key.variant for key in older})
    sets = sorted({key.dataset for key in older})
    return (
        f" The runs of {', '.join(methods)} on {len(sets)} data sets "
        f"({', '.join(sets)}) are of older code: before partitioners shuffled vertices "
        "by the seed, and before SPCE's present default."
    )


def _left_out(field: Field) -> str:
    known = [entry.name for entry in entries("consensus", "baseline")]
    left = [name for name in known if name not in field.methods]
    return f" Not tried on all data sets: {', '.join(left)}." if left else ""


def _averages(field: Field, ranked: Field, mean_rank: np.ndarray, order) -> str:
    n = len(order)
    baselines = {entry.name for entry in entries("baseline")}
    other = {m: ranked.ranks(m).mean(axis=1) for m in ("ari", "acc")}
    rows = []
    for m in [*order, n, n + 1]:
        name = field.methods[m]
        means = [
            f"{np.nanmean(np.nan_to_num(field.tables[s][m])):.3f}"
            for s in ("nmi", "ari", "acc")
        ]
        places = (
            [f"{mean_rank[m]:.1f}", f"{other['ari'][m]:.1f}"] if m < n else ["", ""]
        )
        places.append(f"{other['acc'][m]:.1f}" if m < n else "")
        done = int(field.tables["finished"][m].sum())
        cost = ["", ""]
        if m < n and done:
            cost = [
                f"{np.nanmedian(field.tables['seconds'][m]):.2f}",
                f"{np.nanmax(field.tables['mb'][m]):.0f}",
            ]
        mark = " (ten lines)" if name in baselines else ""
        rows.append([name + mark, *means, *places, f"{done}/{len(field.sets)}", *cost])
    head = ["method", "NMI", "ARI", "ACC", "rank NMI", "rank ARI", "rank ACC"]
    return markdown([*head, "finished", "median s", "most MB"], rows)


def _tests(ranked: Field, ranks: np.ndarray, order) -> str:
    p = friedmanchisquare(*ranks).pvalue
    cd = critical_difference(len(order), ranks.shape[1])
    adjusted = against_best(ranked, order)
    alike = [name for name, value in adjusted.items() if value >= ALPHA]
    best = ranked.methods[order[0]]
    return (
        f"## Tests\n\nFriedman's test over {len(order)} methods: p = {p:.1e}. "
        f"Nemenyi's critical difference of mean ranks at {ALPHA}: {cd:.1f} "
        "(`field.png`). By Wilcoxon's signed-rank tests on NMI with Holm's correction, "
        f"{best} (the best mean rank) is not told apart from: "
        f"{', '.join(alike) or 'none'}."
    )


def _baselines(ranked: Field) -> str:
    nmi = np.nan_to_num(ranked.tables["nmi"], nan=-1.0)
    kinds = {entry.name: entry.kind for entry in entries("consensus", "baseline")}
    is_base = np.array([kinds[name] == "baseline" for name in ranked.methods])
    best_base, best_other = nmi[is_base].max(axis=0), nmi[~is_base].max(axis=0)
    won = [
        s for s, a, b in zip(ranked.sets, best_base, best_other, strict=True) if a >= b
    ]
    lines = [
        f"A baseline is at least as good as every other method on {len(won)} of "
        f"{len(ranked.sets)} data sets: {', '.join(won) or 'none'}."
    ]
    for b in np.flatnonzero(is_base):
        beaten = (nmi[~is_base].mean(axis=1) < nmi[b].mean()).sum()
        lines.append(
            f"- {ranked.methods[b]}: its mean NMI is above that of {beaten} of the "
            f"{(~is_base).sum()} other methods."
        )
    return "\n".join(lines)


def _by_set(field: Field, order) -> str:
    shown = [*order[:12], len(order), len(order) + 1]
    rows = [
        [name, *(f"{field.tables['nmi'][m, s]:.3f}" for m in shown)]
        for s, name in enumerate(field.sets)
    ]
    return markdown(["data", *(field.methods[m] for m in shown)], rows)


def picture(
    methods: Sequence[str], mean_rank: np.ndarray, n_sets: int, measure: str, path: Path
) -> None:
    """Draw mean ranks, and how far Nemenyi's test cannot tell from the best."""
    import matplotlib.pyplot as plt

    order = np.argsort(mean_rank, kind="stable")
    cd = critical_difference(len(order), n_sets)
    figure, ax = plt.subplots(figsize=(8, 0.24 * len(order) + 1))
    places = np.arange(len(order))
    ax.hlines(places, 0, mean_rank[order], color="0.85", lw=1)
    ax.plot(mean_rank[order], places, "o", color="#0072B2", ms=5)
    best = mean_rank[order[0]]
    ax.axvspan(best, best + cd, color="#E69F00", alpha=0.25, lw=0)
    note = f"critical difference {cd:.1f}"
    ax.text(best + cd, len(order) - 0.2, note, ha="right", fontsize=8)
    ax.set_yticks(places, [methods[m] for m in order], fontsize=8)
    ax.set_ylim(len(order) + 0.6, -0.8)
    ax.set_xlim(0, len(order) + 1)
    ax.set_xlabel(f"mean rank in {measure} over {n_sets} data sets (1 is best)")
    ax.spines[["top", "right", "left"]].set_visible(False)
    ax.tick_params(left=False)
    figure.savefig(path, dpi=100, bbox_inches="tight")
    plt.close(figure)
