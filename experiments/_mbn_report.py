"""The report on the MBN family: printed figures beside ours."""

import csv
from functools import partial
from pathlib import Path

import numpy as np
from scipy.stats import rankdata

from experiments import mbn_segments
from experiments._mbn_cells import (
    FEW_VIEWS,
    GRAPH_RIVALS,
    SAME_DATA,
    compare,
    is_near,
    rival_printed,
    summary,
)
from experiments._mbn_claims import (
    best_deltas,
    claims,
    of_tables,
    seconds_of,
    seeds,
    studies,
    weight_ranks,
)
from experiments._mbn_data import HELD
from experiments._runs import Key, RunLog
from experiments._tables import markdown, spread

PRINTED = Path(__file__).parent / "published" / "mbn.csv"
METHODS = (
    "fMBN-E",
    "MBN",
    "fMBN-Ev2",
    "MBN-SO (SWC)",
    "MBN-SO (PB)",
    "MBN-SO (PBM)",
    "MBN-SO (VRC)",
    "MBN-SD",
)
PRINTED_RANGE = {  # Table I
    "dermatology": "0 to 0.2",
    "umist": "0.75 to 0.85",
    "yaleb": "0.6 to 0.75",
    "coil20": "0.8 to 0.9",
    "coil100": "0.8 to 0.9",
    "newsgroups20": "0.4 to 0.5",
    "mnist5000": "0.35 to 0.75",
}
NEAR = 0.02  # of the best mean: where delta is as good as optimal


def write(log: RunLog, folder: Path) -> None:
    """Write ``mbn.md``."""
    printed = _printed()
    parts = [
        _introduction(),
        summary(compare(log, folder, printed)),
        _accuracies(log, printed),
        _optimum(log, printed),
        _rivals(log, printed),
        _tables_rivals(log, printed),
        _slow(log, printed),
        _seconds(log, printed),
        _graphs(folder, printed),
        _graph_rivals(folder, printed),
        mbn_segments.report(folder),
        _weights(folder),
        *studies(log),
        seeds(log),
        claims(log, folder),
        _large(folder),
        _remarks(),
    ]
    text = "\n\n".join(part for part in parts if part)
    (folder / "mbn.md").write_text(text + "\n")
    print(text)


def _printed() -> dict[tuple[str, str, str], tuple[float, float]]:
    with PRINTED.open(newline="") as file:
        return {
            (row["dataset"], row["method"], row["metric"]): (
                float(row["mean"]),
                float(row["sd"] or 0),
            )
            for row in csv.DictReader(file)
        }


def _introduction() -> str:
    return """\
# The MBN family: the printed figures and ours

Made by `python -m experiments.mbn report` from `mbn_runs.csv`, `mbn_graphs.csv` and
`mbn_weights.csv`; printed figures are in `experiments/published/mbn.csv`. Seeds are 0,
1, ... The paper's setting: Z = 40 networks, V = 400 clusterings, a = 0.5,
delta uniform on [0.05, 0.95], number of clusters = number of classes, average linkage
of the principal components; images by PCA to 100 dimensions, text by tf-idf and cosine,
tables as they are. It differs where a table says so: graphs have 10 networks of 100
clusterings, and beyond 5,000 samples (COIL100, newsgroups, MNIST) an upper layer of
the ensembles compares 64 codes. Known classes score results and choose nothing."""


def _accuracies(log: RunLog, printed: dict) -> str:
    lines = [
        "## Accuracy (Tables II and III)",
        "Mean and sd over seeds ([fewer of them]), and in brackets the printed figure "
        "(5 runs).",
        "",
        "| data | seeds | " + " | ".join(METHODS) + " | what differs |",
        "| --- | ---: |" + " ---: |" * len(METHODS) + " --- |",
    ]
    for name, held in HELD.items():
        cells, n = [], 0
        for method in METHODS:  # fMBN-E, of which there are most, first
            ours = of_tables(log, name, method, "acc")
            n = max(n, ours.size)
            theirs = printed.get((SAME_DATA.get(name, name), method, "acc"))
            text = f"{ours.mean():.3f} ± {spread(ours):.3f}" if ours.size else "-"
            if 0 < ours.size < n:
                text += f" [{ours.size}]"
            text += f" ({theirs[0]:.3f})" if theirs else ""
            missed = theirs and ours.size and not is_near(ours.mean(), *theirs)
            cells.append(text + (" **miss**" if missed else ""))
        if n:
            lines.append(f"| {name} | {n} | {' | '.join(cells)} | {held.differs} |")
    lines += [
        "",
        "The last step of fMBN-E, by other partitions of the same components:",
    ]
    lines += ["", "| data | average | ward | kmeans |", "| --- | ---: | ---: | ---: |"]
    for name in HELD:
        forms = [
            of_tables(log, name, f"fMBN-E{how}", "acc")
            for how in ("", " ward", " kmeans")
        ]
        if forms[0].size:
            means = " | ".join(f"{v.mean():.3f}" for v in forms)
            lines.append(f"| {name} | {means} |")
    told = [
        f"{name} {few.mean():.3f} instead of {all_.mean():.3f}"
        for name in HELD
        for few, all_ in [[of_tables(log, name, m, "acc") for m in (FEW_VIEWS, "MBN")]]
        if few.size
    ]
    if told:
        lines += [
            "",
            "MBN compares all codes here, as the paper does. With 64 of them, the "
            f"default beyond 5,000 samples: {', '.join(told)}.",
        ]
    return "\n".join(lines)


def _rivals(log: RunLog, printed: dict) -> str:
    """Return k-means and the printed rivals of Table II beside fMBN-E."""
    rows = []
    for name in HELD:
        theirs = SAME_DATA.get(name, name)
        plain = log.values("kmeans", name, "default", "kmeans", "acc")
        own = of_tables(log, name, "fMBN-E", "acc")
        given = printed.get((theirs, "kmeans", "acc"))
        ranked = sorted(
            (method, mean)
            for (data, method, _), (mean, _) in printed.items()
            if data == theirs and method.startswith("Rank ")
        )
        told = [f"{method[7:].strip('()')} {mean:.3f}" for method, mean in ranked]
        ours = "-"
        if plain.size:
            ours = f"{plain.mean():.3f} ± {spread(plain):.3f} [{plain.size}]"
        rows.append(
            (
                *(name, f"{given[0]:.3f}" if given else "-"),
                *(
                    ours,
                    f"{own.mean():.3f}" if own.size else "-",
                ),
                *told,
                *[""] * (5 - len(told)),
            )
        )
    head = ("data", "k-means printed", "ours [seeds]", "fMBN-E, ours")
    head = (*head, *(f"rank {r}, printed" for r in range(1, 6)))
    return (
        "## The rivals (Table II)\n\nAccuracy. k-means is the best of 100 starts, on "
        "the data as we prepare them; the best five rivals are as printed, most of "
        "them deep networks that the paper did not run; we have none of those.\n\n"
        + markdown(head, rows)
    )


def _optimum(log: RunLog, printed: dict) -> str:
    """Return where delta is best for one network (Table I)."""
    rows = []
    for name in HELD:
        means = best_deltas(log, name)
        if not means:
            continue
        best = max(means, key=means.__getitem__)
        near = [delta for delta, mean in means.items() if mean >= means[best] - NEAR]
        theirs = printed.get((SAME_DATA.get(name, name), "MBN best delta", "acc"))
        n = log.values("optimum", name, "default", str(best), "acc").size
        rows.append(
            (
                *(name, n, PRINTED_RANGE[name], f"{min(near)} to {max(near)}", best),
                *(f"{means[best]:.3f}", f"{theirs[0]:.3f}" if theirs else "-"),
                f"{means[0.5]:.3f}",
                f"{means[best] - min(means.values()):.3f}",
            )
        )
    head = ("data", "seeds", "optimal delta, printed", "ours", "best", "accuracy there")
    head = (*head, "printed", "with 0.5", "best less worst")
    return (
        "## The best delta of one network (Table I)\n\nMBN with delta of 0.05, 0.10, "
        "..., 0.95, scored by the known classes: *ours* are the first and the last "
        f"delta whose mean accuracy is within {NEAR} of the best. It is no way to use "
        "the method; it says what choosing delta could gain.\n\n" + markdown(head, rows)
    )


def _tables_rivals(log: RunLog, printed: dict) -> str:
    """Return the consensus functions of Table II on small tables."""
    parts = []
    for name in HELD:
        run = log.runs.get(Key("rivals", name, "default", 0))
        if run is None:
            continue
        rows = []
        for method in run:
            ours = log.values("rivals", name, "default", method, "acc")
            given = rival_printed(printed, name, method)
            rows.append(
                (
                    *(method, f"{given:.3f}" if given else "-"),
                    *(f"{ours.mean():.3f} ± {spread(ours):.3f}", ours.size),
                )
            )
        parts.append(f"{name}:\n\n{markdown(('', 'printed', 'ours', 'seeds'), rows)}")
    return (
        "Consensus of 40 k-means members with 2c to 10c clusters, as the paper "
        "compares on small tables, on the data as they are; which twelve functions it "
        "took, only the five best are named.\n\n" + "\n\n".join(parts)
        if parts
        else ""
    )


def _slow(log: RunLog, printed: dict) -> str:
    """Return Table III: MBN-E, and its two fast forms."""
    rows = []
    for name in HELD:
        theirs = SAME_DATA.get(name, name)
        given = [
            f"{printed[theirs, method, 'acc'][0]:.3f}" for method in ("MBN-E", "fMBN-E")
        ]
        fast, full = (
            log.values("slow", name, "default", method, "acc")
            for method in ("fMBN-E", "MBN-E")
        )
        if fast.size:
            row = [name, fast.size, given[0], f"{full.mean():.3f} ± {spread(full):.3f}"]
            row += [given[1], f"{fast.mean():.3f} ± {spread(fast):.3f}"]
            rows.append((*row, f"{fast.mean() - full.mean():+.3f}"))
    head = ("data", "seeds", "MBN-E printed", "ours", "fMBN-E printed", "ours")
    return (
        "## fMBN-E against MBN-E (Table III)\n\nAccuracy, both of the same seeds; "
        "fMBN-Ev2 is in the first table.\n\n" + markdown((*head, "difference"), rows)
    )


def _seconds(log: RunLog, printed: dict) -> str:
    rows = []
    for name in HELD:
        for method in ("MBN-E", "fMBN-E", "fMBN-Ev2"):
            study = "slow" if method == "MBN-E" else "tables"
            of = partial(seconds_of, log, study, name, method)
            whole, bottom = of("seconds"), of("bottom_seconds")
            if not whole.size:
                continue
            theirs = [
                printed.get((name, method, metric), ("-",))[0]
                for metric in ("bottom_seconds", "upper_seconds")
            ]
            rows.append(
                (
                    *(name, method, f"{np.median(bottom):.1f}", theirs[0]),
                    *(f"{np.median(whole - bottom):.1f}", theirs[1]),
                )
            )
    head = ("data", "method", "bottom", "printed", "rest", "printed")
    return (
        "## Seconds (Tables IV and V)\n\nOurs are CPU seconds of one core, the last "
        "step included; of newsgroups20 they are seconds of the clock on a busy "
        "machine. The printed ones are of 48 cores.\n\n" + markdown(head, rows)
    )


def _graphs(folder: Path, printed: dict) -> str:
    log = RunLog(folder / "mbn_graphs.csv", ("modularity", "n_found", "seconds"))
    lines = [
        "## Modularity of communities (Table VII)",
        "fMBN-E, self-links left out: 10 networks of 100 clusterings where nothing "
        "else is said; CPU seconds.",
        "",
        "| graph | setting | seeds | modularity | printed | communities | seconds |",
        "| --- | --- | ---: | ---: | ---: | ---: | ---: |",
    ]
    runs = {(key.dataset, key.variant) for key in log.runs if key.variant != "rivals"}
    runs = sorted(runs)
    for name, variant in runs:
        run = ("graphs", name, variant, "fMBN-E")
        Q = log.values(*run, "modularity")
        mean, sd = printed[name, "fMBN-E", "modularity"]
        lines.append(
            f"| {name} | {variant} | {Q.size} | {Q.mean():.3f} ± {spread(Q):.3f} | "
            f"{mean:.3f} ± {sd:.3f} | {log.values(*run, 'n_found').mean():.0f} | "
            f"{log.values(*run, 'seconds').mean():.0f} |"
        )
    return "\n".join(lines) if runs else ""


def _graph_rivals(folder: Path, printed: dict) -> str:
    """Return Table VII with the rivals, printed and ours, and their mean ranks."""
    log = RunLog(folder / "mbn_graphs.csv", ("modularity", "n_found", "seconds"))
    names = sorted({key.dataset for key in log.runs if key.variant == "rivals"})
    methods = (*GRAPH_RIVALS, "fMBN-E")
    cells: dict[str, list[str]] = {}
    theirs, ours = [], []
    for name in names:
        given, found = [], []
        for method in methods:
            variant = "default" if method == "fMBN-E" else "rivals"
            values = log.values("graphs", name, variant, method, "modularity")
            mean = printed[name, method, "modularity"][0]
            told = f"{values.mean():.3f}" if values.size else "-"
            cells.setdefault(method, []).append(f"{mean:.3f} / {told}")
            given.append(mean)
            found.append(values.mean() if values.size else np.nan)
        theirs.append(given)
        ours.append(found)
    if not names:
        return ""
    run = ~np.isnan(ours).any(axis=0)
    ranks = np.full(len(methods), np.nan)
    ranks[run] = rankdata(-np.array(ours)[:, run], axis=1).mean(axis=0)
    first = rankdata(-np.array(theirs), axis=1).mean(axis=0)
    rows = [
        (method, *cells[method], f"{a:.2f}", "-" if np.isnan(b) else f"{b:.2f}")
        for method, a, b in zip(methods, first, ranks, strict=True)
    ]
    short = [name.removeprefix("facebook_") for name in names]
    return (
        "The rivals, printed / ours: igraph's algorithms on the same graphs (the paper "
        "copies its figures from another one; overlap factorization we do not have). "
        f"Mean ranks are over these {len(names)} graphs, ours among {run.sum()}.\n\n"
        + markdown(("", *short, "mean rank, printed", "ours"), rows)
    )


def _weights(folder: Path) -> str:
    path = folder / "mbn_weights.csv"
    if not path.exists():
        return ""
    with path.open(newline="") as file:
        networks = list(csv.DictReader(file))
    rows = []
    ranks = weight_ranks(path)
    for name, found in ranks.items():
        mine = [row for row in networks if row["dataset"] == name]
        best = max(mine, key=lambda row: float(row["acc"]))
        told = (f"{rank:.2f}" for rank in found.values())
        rows.append((name, best["delta"], best["acc"], *told))
    criteria = next(iter(ranks.values()))
    means = (f"{np.mean([r[c] for r in ranks.values()]):.2f}" for c in criteria)
    rows.append(("mean", "", "", *means))
    return (
        "## Weights against accuracy (Fig. 7)\n\nRank correlation, over the 40 "
        "networks of one run, between a network's weight and its own accuracy; the "
        "numbers by delta are in `mbn_weights.csv`.\n\n"
        + markdown(("data", "best delta", "accuracy there", *criteria), rows)
    )


def _large(folder: Path) -> str:
    path = folder / "mbn_large.csv"
    if not path.exists():
        return ""
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    lines = ["## MNIST, 70,000 images", "", "| " + " | ".join(rows[0]) + " |"]
    lines.append("|" + " --- |" * len(rows[0]))
    lines += ["| " + " | ".join(row.values()) + " |" for row in rows]
    return "\n".join(lines)


def _remarks() -> str:
    return """\
## Remarks

- Dermatology varies much from seed to seed (sd .08), and as much with another last
  step. Differences of a few points over 5 seeds say nothing.
- MBN-SD on dermatology stays below the print; the paper gives no kernel of the MMD.
- COIL20 is 32 x 32 pixels here; fMBN-E is .03 below the print, less than twice the sd.
- UMIST is another resampling of the faces.
- Of COIL20, COIL100, 20-Newsgroups and MNIST our copy of the paper lacks the printed
  MBN-SO, MBN-SD and best delta.
- New-Thyroid, Artists and Government are not among our data; DASC, JULE and the other
  deep rivals we do not have. The supplement, which names the functions and rules of
  VII-G, is not at hand.
- The accuracies of MBN-E on dermatology with seeds 1 to 9 are of an earlier run, whose
  seconds were not comparable and are left out; seed 0 came out the same again.
- MBN, fMBN-Ev2, MBN-SD and k-means of newsgroups20 were not run: one run of fMBN-E took
  23 minutes on the clock there.
- `python -m experiments.mbn all` runs what is here and goes on where it was: an hour of
  one core, and half an hour more for newsgroups20."""
