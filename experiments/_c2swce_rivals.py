"""The rivals of C2SWCE in Tables 5 and 6: how we run them, and their tables."""

import itertools
import math
import time
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from scipy.stats import rankdata
from sklearn.cluster import KMeans

from coterie.clusterers import GNMF, LSC, SCSRGF, SSC
from coterie.consensus import (
    ECPCSHC,
    ECPCSMC,
    GPMGLA,
    LWEA,
    LWGP,
    WEAC,
    CoassociationSpectral,
)
from coterie.generation import MetricSubspaceSpectral, RandomKMeans
from coterie.weighting import EntropyWeighter
from experiments._c2swce_data import BY_NUMBER, printed, read
from experiments._data import Data
from experiments._runs import WHOLE, Key, RunLog
from experiments._tables import gain_table, markdown

N_MEMBERS = 20
ALLOWED = 2.0  # points below the printed figure
OWN_SEEDS = 20  # of C2SWCE itself
BY_MEMBERS: dict[str, Any] = {
    "LWEA": LWEA(),
    "LWGP": LWGP(),
    "WEAC-AL": WEAC(),
    "GP-MGLA": GPMGLA(),
    "ECPCS-HC": ECPCSHC(),
    "ECPCS-MC": ECPCSMC(),
}
ALONE: dict[str, Callable[..., Any]] = {
    "K-means": lambda k, seed: KMeans(k, n_init=1, random_state=seed),
    "GNMF": lambda k, seed: GNMF(k, random_state=seed),
    "LSC": lambda k, seed: LSC(k, random_state=seed),
    "SSC": lambda k, seed: SSC(k, random_state=seed),
    "SC-SRGF": lambda k, seed: SCSRGF(k, random_state=seed),
}
BY_METRICS: dict[str, Any] = {
    "MDEC-HC": LWEA(),
    "MDEC-SC": CoassociationSpectral(),
    "MDEC-BG": LWGP(),
}
RIVALS = (*ALONE, *BY_METRICS, *BY_MEMBERS)
SHARES = (0.2, 0.6, 1.0)  # of USPS, Fig. 5
TIMED = (*(f"C2SWCE-{form}" for form in ("HC", "SC", "BG", "MC")), *BY_METRICS)
TIMED = (*TIMED, *BY_MEMBERS)
FORMS = ("HC", "SC", "BG", "MC")


def run(
    names: Iterable[str],
    seeds: Iterable[int],
    log: RunLog,
    measure: Callable[[np.ndarray, np.ndarray, float], dict[str, float]],
) -> None:
    """Run the rivals that the log does not have; SSC, which draws little, once."""
    for seed, name in itertools.product(seeds, names):
        key = Key("rivals", name, "default", seed)
        if key in log:
            continue
        whole = time.process_time()
        data = read(name)
        results = {}
        for rival, make in ALONE.items():
            if rival == "SSC" and seed:
                continue
            start = time.process_time()
            labels = make(data.n_classes, seed).fit_predict(data.X)
            spent = time.process_time() - start
            results[rival] = measure(data.y, np.asarray(labels), spent)
        for rival, labels, spent in integrated(data, seed):
            results[rival] = measure(data.y, labels, spent)
        log.add(key, results | cost(log, whole))
        told = "  ".join(f"{m} {v['nmi_max']:.1f}" for m, v in results.items())
        print(f"rivals {name} {seed}  {told}", flush=True)


def cost(log: RunLog, start: float) -> dict[str, dict[str, float]]:
    """Return the CPU seconds since a start as a row of its own."""
    seconds = time.process_time() - start
    return {WHOLE: dict.fromkeys(log.measures, math.nan) | {"integrate_s": seconds}}


def integrated(data: Data, seed: int) -> Iterable[tuple[str, np.ndarray, float]]:
    """Yield MDEC and the methods on k-means members with the seconds to combine."""
    spread = (2, math.ceil(math.sqrt(len(data.y))))
    plain = RandomKMeans(N_MEMBERS, n_clusters=spread)
    for generator, parts in (
        (MetricSubspaceSpectral(), BY_METRICS),
        (plain, BY_MEMBERS),
    ):
        ensemble = generator.generate(data.X, seed=seed, n_jobs=1)
        for name, part in parts.items():
            start = time.process_time()
            weights = None
            if name in BY_METRICS:
                weights = EntropyWeighter(theta=1.0).weigh(ensemble)
            elif name in ("LWEA", "LWGP"):
                weights = EntropyWeighter().weigh(ensemble)
            labels = part.combine(
                ensemble, data.n_classes, weights=weights, seed=seed
            ).labels
            yield name, labels, time.process_time() - start


def section(log: RunLog) -> str:
    """Return the tables of the rivals with all mean ranks and gains, or nothing."""
    names = [n for n in BY_NUMBER if log.values(*_of(n), "K-means", "acc").size]
    if not names:
        return ""
    tables = [
        _table(log, names, title, metric, measure)
        for title, metric, measure in (
            ("Table 5", "nmi", "nmi_max"),
            ("Table 6", "acc", "acc"),
        )
    ]
    seeds = ", ".join(
        f"{n} ({log.values(*_of(n), 'K-means', 'acc').size})" for n in names
    )
    return (
        "## The rivals (Tables 5 and 6)\n\nPrinted / ours, in percent. LWEA to ECPCS "
        f"have {N_MEMBERS} k-means members with 2 to sqrt(N) clusters; the paper takes "
        "the settings of each rival's own paper. Data as in the other tables, with the "
        f"number of seeds: {seeds}; SSC, which draws only the starts of k-means, has "
        "one. Semeion's printed accuracies are impossible and are not judged.\n\n"
        + "\n\n".join(tables)
        + "\n\n### Gains over each rival\n\nDifference in NMI, in points: the mean "
        "over data sets and its standard error; C2SWCE has 20 seeds of ten members.\n\n"
        + gain_table(_gains(log, names))
    )


def _gains(log: RunLog, names: list[str]) -> Iterable[tuple[str, np.ndarray]]:
    others = {
        rival: np.array([log.values(*_of(n), rival, "nmi_max").mean() for n in names])
        for rival in RIVALS
    }
    eleven = np.array([others[r] for r in RIVALS if r not in BY_METRICS])
    for form in FORMS:
        own = np.array([_own(log, n, form).mean() for n in names])
        yield f"{form} above the mean of the eleven beside MDEC", own - eleven.mean(0)
        yield f"{form} above the best of the eleven", own - eleven.max(0)
        for rival, other in others.items():
            yield f"{form} instead of {rival}", own - other


def _own(log: RunLog, name: str, form: str, measure: str = "nmi_max") -> np.ndarray:
    return log.values("tables", name, "default", form, measure)[:OWN_SEEDS]


def base(log: RunLog) -> str:
    """Return the forms above members with the number of classes (Fig. 4)."""
    rows, gains = [], {form: [] for form in FORMS}
    for name in BY_NUMBER:
        single = log.values("base", name, "default", "mean member", "nmi_max")
        if not single.size:
            continue
        drawn = _own(log, name, "mean member")
        own = [_own(log, name, form) for form in FORMS]
        told = [f"{v.mean():.1f}" for v in (single, drawn, *own)]
        rows.append((name, single.size, *told))
        for form, values in zip(FORMS, own, strict=True):
            gains[form].append(values.mean() - single.mean())
    if not rows:
        return ""
    head = ("data", "seeds", "base, k = classes", "base, k drawn", *FORMS)
    what = [(f"{f} above the base clusterer", gains[f]) for f in FORMS]
    return (
        "## The forms above their base clusterer (Fig. 4)\n\nMean NMI of ten spectral "
        "members with as many clusters as classes, of the members as drawn (2 to "
        "sqrt(N) clusters), and of the forms. The paper prints a picture, without "
        "saying which its base is: the four forms better on all data sets, "
        "significantly so on D1 to D3 and D6 to D8.\n\n"
        f"{markdown(head, rows)}\n\n{gain_table(what)}"
    )


def members(log: RunLog) -> str:
    """Return how far two ensembles agree, by the number of their members."""
    keys = [key for key in log.runs if key.study == "steady"]
    few = {key.dataset for key in keys if key.seed}  # small sets have more seeds
    sizes = sorted({int(key.variant[2:]) for key in keys if key.dataset in few})
    if not few:
        return ""

    def means(m: int, form: str, measure: str) -> list[float]:
        run = (f"k={m}", form, measure)
        found = (log.values("steady", name, *run) for name in sorted(few))
        return [float(values.mean()) for values in found]

    rows = [
        (
            m,
            *(f"{np.mean(means(m, form, 'acc')) / 100:.2f}" for form in FORMS),
            *(f"{np.mean(means(m, form, 'nmi_max')):.1f}" for form in FORMS),
        )
        for m in sizes
    ]
    gains = [
        (
            f"{form}, {what}: {more} members instead of {less}",
            np.subtract(means(more, form, of), means(less, form, of)),
        )
        for more, less in ((50, 10), (50, 30))
        for form in FORMS
        for what, of in (("agreement in ARI", "acc"), ("NMI", "nmi_max"))
    ]
    n_seeds = max(key.seed for key in keys) + 1
    head = [f"{f}{what}" for what in (", agreement", " NMI") for f in FORMS]
    return (
        "## How many members\n\nHow far the results of two disjoint ensembles agree "
        "(ARI, no classes needed), and their NMI with the classes: means over "
        f"{len(few)} sets of at most 250 samples, {n_seeds} seeds: "
        f"{', '.join(sorted(few))}. "
        "The rule of `C2SWCE(n_members=None)`, 5,000 / N, at least 10 and at most 50, "
        "was chosen by the agreement.\n\n"
        f"{markdown(('members', *head), rows)}\n\nIn points:\n\n{gain_table(gains)}"
    )


def timing(log: RunLog) -> str:
    """Return the CPU seconds of the integration beside the rivals' (Fig. 5)."""
    rows = []
    for method in TIMED:
        found = [
            log.values("timing", "usps", f"share={s}", method, "integrate_s")
            for s in SHARES
        ]
        if found[-1].size:
            told = [f"{np.median(v):.2f}" if v.size else "-" for v in found]
            rows.append((method, *told))
    if not rows:
        return ""
    head = ("method", *(f"{share:.0%} of USPS" for share in SHARES))
    return (
        "## Seconds to combine, beside the rivals (Fig. 5)\n\nCPU seconds of one core "
        "of a shared machine for weights and consensus, the median of "
        f"{_n_timed(log)} runs; 10 members of C2SWCE, "
        "100 of MDEC, 20 of k-means. Printed for all of USPS: HC 195, SC 209, BG 221, "
        "MC 232 s. The text says: HC like WEAC-AL and much faster than ECPCS-HC and "
        "MDEC-HC; SC faster than MDEC-SC; BG a little slower than GP-MGLA, much faster "
        f"than MDEC-BG.\n\n{markdown(head, rows)}"
    )


def _n_timed(log: RunLog) -> int:
    return log.values("timing", "usps", "share=1.0", TIMED[0], "integrate_s").size


def _of(name: str) -> tuple[str, str, str]:
    return ("rivals", name, "default")


def _table(log: RunLog, names: list[str], title: str, metric: str, measure: str) -> str:
    cells = printed()
    n_cells = n_near = 0
    rows, scores = [], []
    for name in names:
        row: list[str] = [name]
        for rival in RIVALS:
            ours = log.values(*_of(name), rival, measure).mean()
            theirs = cells.get((title, name, rival, metric))
            row.append(f"{'-' if theirs is None else f'{theirs:.1f}'} / {ours:.1f}")
            if theirs is not None and (name, metric) != ("semeion", "acc"):
                n_cells += 1
                n_near += ours >= theirs - ALLOWED
        rows.append(row)
        own = [_own(log, name, form, measure).mean() for form in FORMS]
        others = [log.values(*_of(name), rival, measure).mean() for rival in RIVALS]
        scores.append([*own, *others])
    ranks = rankdata(-np.array(scores), axis=1).mean(axis=0)
    rows.append(["mean rank", *(f"**{rank:.2f}**" for rank in ranks[len(FORMS) :])])
    own_ranks = ", ".join(
        f"{form} {rank:.2f}" for form, rank in zip(FORMS, ranks, strict=False)
    )
    return (
        f"### {title}, {metric.upper()}\n\n{n_near} of {n_cells} cells at most "
        f"{ALLOWED:g} points below the printed figure. Mean ranks of C2SWCE among all "
        f"{len(FORMS) + len(RIVALS)}: {own_ranks}.\n\n"
        + markdown(("data", *RIVALS), rows)
    )
