"""``results/panel.md``: means with intervals, ranks, tests and a picture per group."""

import math
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
from scipy.stats import friedmanchisquare, rankdata, wilcoxon

from experiments._data import data_folder
from experiments._field_report import ALPHA, critical_difference, holm, picture
from experiments._panel_data import GROUPS
from experiments._runs import RunLog
from experiments._tables import figures, markdown

PUBLISHED = ("genie", "itm", "gmm", "spectral", "ward", "kmeans")
MEASURES = ("nmi", "ari", "acc", "cpu", "seeds")
TIE = 0.005  # scores nearer than this are no win
CLEARLY = 0.02
N_RESAMPLES = 5_000
_HEAD = f"""# The panel beside everything people use

Made by `python -m experiments.panel report` from `panel_runs.csv`: two groups of data,
each method on the features as they are (raw) and at mean 0 and variance 1 (zscore). On
sparse data the zscore row repeats the raw one; methods that need dense data get 100
components of it. Scores are means over the seeds that were run, whose number (fewest to
most over the data sets) the tables give. The true number of clusters is given to all
but Leiden and HDBSCAN. Labels score and choose nothing. One thread on
a busy machine. "Published" is the ARI of labels that others published.

NMI by the geometric mean; ACC by the best matching. In brackets: 95% bootstrap
intervals of the mean over the data sets. Means with intervals are over the data sets
that all methods finished, "own" means over all that the method itself finished; in the
ranks, a method that did not finish shares the last place. W/T/L: data sets where the
panel is better, within {TIE}, or worse, where both finished. p: Wilcoxon's signed-rank
test of the panel with the method there, adjusted by Holm's method. CPU s: median over
the data sets."""

Row = dict[str, float]  # measure -> value
Table = dict[str, np.ndarray]  # measure -> (n_sets,)


class Entry(NamedTuple):
    """A row of the tables: a method on one version of the data."""

    method: str
    scaling: str

    def __str__(self) -> str:
        return f"{self.method} ({self.scaling})"


PANEL = Entry("panel", "raw")
KMEANS = (Entry("kmeans", "raw"), Entry("kmeans", "zscore"))


@dataclass(frozen=True, eq=False)
class Group:
    """All scores of one group; NaN where a method did not finish."""

    sets: list[str]
    scores: dict[Entry, Table]
    ablations: dict[Entry, Table]
    pending: list[Entry]  # not yet tried on every data set

    def ranked(self, measure: str) -> list[Entry]:
        """Return the entries that have this measure at all."""
        return [e for e, own in self.scores.items() if np.isfinite(own[measure]).any()]

    def ranks(self, measure: str) -> np.ndarray:
        """Return (n_entries, n_sets) ranks, 1 the best, those without a score last."""
        rows = [self.scores[entry][measure] for entry in self.ranked(measure)]
        told = np.round(rows, 4)  # as the published ones are
        filled = np.nan_to_num(told, nan=-np.inf)
        return np.apply_along_axis(lambda column: rankdata(-column), 0, filled)

    def common(self) -> np.ndarray:
        """Return which data sets all methods that were run finished."""
        run = [self.scores[entry]["nmi"] for entry in self.ranked("nmi")]
        return np.all(np.isfinite(run), axis=0)


def collect(log: RunLog, name: str, only: list[str] | None = None) -> Group:
    """Gather the means over seeds of one group, and published ARI for the shapes."""
    runs: dict[tuple[Entry, str], dict[int, Row]] = {}
    for key, results in log.runs.items():
        if key.study != name or (only and key.dataset not in only):
            continue
        for method, row in results.items():
            place = Entry(method, key.variant), key.dataset
            runs.setdefault(place, {})[key.seed] = row
    sets = sorted({dataset for _, dataset in runs})
    scaled = {dataset for entry, dataset in runs if entry.scaling == "zscore"}
    group = Group(sets, {}, {}, [])
    for entry in dict.fromkeys(entry for entry, _ in runs):
        found = []
        for dataset in sets:  # sparse data are never scaled
            own = entry if dataset in scaled else entry._replace(scaling="raw")
            found.append(_mean(runs.get((own, dataset), {})))
        table = {m: np.array([one.get(m, np.nan) for one in found]) for m in MEASURES}
        if entry.method.startswith("panel:"):
            group.ablations[entry] = table
        elif all(found):
            group.scores[entry] = table
        else:
            group.pending.append(entry)
    if name == "shapes":
        group.scores.update(_published(sets))
    return group


def _mean(seeds: dict[int, Row]) -> Row:
    """Return the means over the seeds; those of seed 0 if it did not finish."""
    finished = [row for row in seeds.values() if not math.isnan(row["ari"])]
    if not finished:
        return seeds.get(0, {})
    means = {m: float(np.mean([row[m] for row in finished])) for m in MEASURES[:-1]}
    return {**means, "seeds": len(finished)}


def _published(sets: list[str]) -> dict[Entry, Table]:
    """Return the published ARI, of data as they are."""
    path = data_folder() / "shapes" / "published.csv"
    known = {row["set"]: row for row in figures(path)}
    nothing = np.full(len(sets), np.nan)
    found = {}
    for program in PUBLISHED:
        ari = np.array([float(known[name][program] or "nan") for name in sets])
        found[Entry(f"published {program}", "raw")] = {
            **dict.fromkeys(MEASURES, nothing),
            "ari": ari,
        }
    return found


def write(log: RunLog, folder: Path, only: list[str] | None = None) -> None:
    """Write the report and the pictures."""
    parts = [_HEAD]
    for name in GROUPS:
        group = collect(log, name, only)
        if not group.scores:
            continue
        parts += [f"## {name}: {len(group.sets)} data sets", _scope(group)]
        parts += [_averages(group), f"{_tests(group)} See `panel_{name}.png`."]
        if group.pending:
            part = collect(log, name, _tried_by_all(log, name, group.sets))
            title = (
                f"### All methods, on the {len(part.sets)} sets that each was tried on"
            )
            parts += [title, _averages(part), _tests(part)]
        if PANEL in group.scores:
            parts += ["### Where the panel is worse than k-means", _worse(group)]
            if group.ablations:
                parts += ["### Ablations", _ablations(group)]
        parts += ["### Left out", _missing(group), "### By data set", _by_set(group)]
        entries, mean_rank = group.ranked("ari"), group.ranks("ari").mean(axis=1)
        path = folder / f"panel_{name}.png"
        picture([*map(str, entries)], mean_rank, len(group.sets), "ARI", path)
    (folder / "panel.md").write_text("\n\n".join(parts) + "\n")


def _tried_by_all(log: RunLog, name: str, sets: list[str]) -> list[str]:
    """Return the data sets on which every method was tried, as they are."""
    tried: dict[str, set[str]] = {}
    for key, results in log.runs.items():
        if key.study == name and key.variant == "raw":
            for method in results:
                if not method.startswith("panel:"):
                    tried.setdefault(method, set()).add(key.dataset)
    return sorted(set(sets).intersection(*tried.values()))


def _scope(group: Group) -> str:
    common = group.common()
    lacking = [s for s, every in zip(group.sets, common, strict=True) if not every]
    told = f"All methods finished {common.sum()} of them"
    told += f"; not {', '.join(lacking)}." if lacking else "."
    if group.pending:
        waiting = ", ".join(map(str, group.pending))
        told += f" Not yet tried on all, and not shown: {waiting}."
    if PANEL not in group.scores:
        told += " The panel itself has not been run on all."
    return told


def _averages(group: Group) -> str:
    """Return the main table, ordered by the mean rank in ARI."""
    places, p_values = {}, {}
    for m in ("ari", "nmi"):
        mean_rank = group.ranks(m).mean(axis=1)
        places[m] = dict(zip(group.ranked(m), mean_rank, strict=True))
        p_values[m] = _p_values(group, m)
    common = group.common()
    rows = []
    for entry in sorted(places["ari"], key=places["ari"].__getitem__):
        own = group.scores[entry]
        rows.append(
            [
                *entry,
                *(_with_interval(own[m][common]) for m in ("nmi", "ari", "acc")),
                *(_number(_own_mean(own[m])) for m in ("nmi", "ari")),
                f"{np.isfinite(own['ari']).sum()}/{len(group.sets)}",
                _seeds(own),
                *(_number(places[m].get(entry), 1) for m in places),
                *(_record(group, entry, m) for m in places),
                *(_number(p_values[m].get(entry)) for m in places),
                _number(_own_mean(own["cpu"], np.median)),
            ]
        )
    head = ["method", "data", "NMI", "ARI", "ACC", "own NMI", "own ARI"]
    head += ["finished", "seeds"]
    head += ["rank ARI", "rank NMI", "W/T/L ARI", "W/T/L NMI", "p ARI", "p NMI"]
    return markdown([*head, "CPU s"], rows)


def _number(value: float | None, digits: int = 3) -> str:
    if value is None or math.isnan(value):
        return "-"
    return f"{value:.{digits}f}"


def _own_mean(values: np.ndarray, average=np.mean) -> float:
    finished = values[np.isfinite(values)]
    return float(average(finished)) if finished.size else math.nan


def _seeds(own: Table) -> str:
    counts = own["seeds"][np.isfinite(own["seeds"])]
    if not counts.size:
        return "-"
    few, most = counts.min(), counts.max()
    return f"{few:g}" if few == most else f"{few:g}-{most:g}"


def _with_interval(values: np.ndarray) -> str:
    if not values.size or np.isnan(values).any():
        return "-"
    low, high = _interval(values)
    return f"{values.mean():.3f} [{low:.2f}, {high:.2f}]"


def _interval(values: np.ndarray) -> np.ndarray:
    """Return the 95% bootstrap interval of a mean over data sets."""
    draws = np.random.default_rng(0).integers(
        len(values), size=(N_RESAMPLES, len(values))
    )
    return np.quantile(values[draws].mean(axis=1), [0.025, 0.975])


def _lead(group: Group, other: Table, measure: str) -> np.ndarray:
    """Return how far the panel is ahead where both finished."""
    ahead = group.scores[PANEL][measure] - other[measure]
    return ahead[np.isfinite(ahead)]


def _record(group: Group, entry: Entry, measure: str) -> str:
    if PANEL not in group.scores or entry == PANEL:
        return "-"
    return _wins(_lead(group, group.scores[entry], measure))


def _wins(ahead: np.ndarray) -> str:
    if not ahead.size:
        return "-"
    won, lost = (ahead > TIE).sum(), (ahead < -TIE).sum()
    return f"{won}/{ahead.size - won - lost}/{lost}"


def _p_values(group: Group, measure: str) -> dict[Entry, float]:
    """Return adjusted p-values of the panel with each other entry."""
    others = [entry for entry in group.ranked(measure) if entry != PANEL]
    if PANEL not in group.scores or not others:
        return {}
    raw = []
    for entry in others:
        ahead = _lead(group, group.scores[entry], measure)
        raw.append(wilcoxon(ahead).pvalue if ahead.any() else 1.0)
    return dict(zip(others, holm(raw), strict=True))


def _tests(group: Group) -> str:
    ranks = group.ranks("ari")
    n_entries, n_sets = ranks.shape
    told = (
        f"Nemenyi's critical difference of mean ranks in ARI at {ALPHA}, over "
        f"{n_entries} rows: {critical_difference(n_entries, n_sets):.1f}."
    )
    if n_entries > 2 and n_sets > 1:
        p = friedmanchisquare(*ranks).pvalue
        told = f"Friedman's test on ARI: p = {p:.1e}. {told}"
    return told


def _worse(group: Group) -> str:
    """Return the data sets where k-means is clearly ahead in NMI or ARI."""
    rows = []
    for i, name in enumerate(group.sets):
        behind, cells = set(), []
        for m in ("ari", "nmi"):
            ours = group.scores[PANEL][m][i]
            both = [group.scores[e][m][i] for e in KMEANS if e in group.scores]
            cells += [_number(ours), *map(_number, both)]
            if both[0] - ours > CLEARLY:
                behind.add("raw")
            if max(both) - ours > CLEARLY:
                behind.add("the better of both")
        if behind:
            rows.append([name, *cells, ", ".join(sorted(behind, reverse=True))])
    if not rows:
        return f"Nowhere by more than {CLEARLY} in ARI or NMI."
    n_raw = sum("raw" in row[-1] for row in rows)
    told = (
        f"By more than {CLEARLY} in ARI or NMI: {n_raw} of {len(group.sets)} data sets "
        f"against raw data, {len(rows)} against the better of raw and zscore."
    )
    columns = [f"{m} {w}" for m in ("ARI", "NMI") for w in ("panel", "raw", "zscore")]
    return f"{told}\n\n{markdown(['data', *columns, 'worse than'], rows)}"


def _ablations(group: Group) -> str:
    """Return what each change costs, on the data sets that both finished."""
    rows = []
    for entry, own in group.ablations.items():
        row = [entry.method.removeprefix("panel:")]
        for m in ("nmi", "ari"):
            lead = _lead(group, own, m)
            if not lead.size:
                row += ["-"] * 3
                continue
            low, high = -_interval(lead)[::-1]
            row += [_number(_own_mean(own[m])), f"{-lead.mean():+.3f}"]
            row += [f"[{low:+.3f}, {high:+.3f}]"]
        cpu = _own_mean(own["cpu"], np.median)
        rows.append([*row, _wins(_lead(group, own, "ari")), _number(cpu)])
    head = ["panel", "NMI", "change", "95%", "ARI", "change", "95%"]
    return markdown([*head, "W/T/L of the panel, ARI", "CPU s"], rows)


def _missing(group: Group) -> str:
    lines = []
    for entry, own in group.scores.items():
        if entry.method.startswith("published"):
            continue
        gone = np.flatnonzero(np.isnan(own["ari"]))
        slow = [group.sets[i] for i in gone if np.isinf(own["cpu"][i])]
        failed = [group.sets[i] for i in gone if not np.isinf(own["cpu"][i])]
        told = [f"took too long on {', '.join(slow)}"] if slow else []
        told += [f"failed on {', '.join(failed)}"] if failed else []
        if told:
            lines.append(f"- {entry}: {'; '.join(told)}.")
    return "\n".join(lines) or "Nothing."


def _by_set(group: Group) -> str:
    """Return the panel, k-means and the best row of each data set."""
    entries, ranks = group.ranked("ari"), group.ranks("ari")
    table = np.array([group.scores[entry]["ari"] for entry in entries])
    rows = []
    for i, name in enumerate(group.sets):
        best = int(np.nanargmax(table[:, i]))
        row = [name]
        if PANEL in group.scores:
            own = group.scores[PANEL]
            place = ranks[entries.index(PANEL), i]
            row += [*(_number(own[m][i]) for m in ("nmi", "ari")), f"{place:g}"]
        row += [_number(group.scores[e]["ari"][i]) for e in KMEANS if e in entries]
        rows.append([*row, str(entries[best]), _number(table[best, i])])
    head = ["panel NMI", "panel ARI", "rank"] if PANEL in group.scores else []
    head += [f"{e} ARI" for e in KMEANS if e in entries]
    return markdown(["data", *head, "best", "its ARI"], rows)
