"""What each part of the panel is worth: kinds, views, members, weights, combining.

``python -m experiments.panel_ablation run`` makes the members of each data set of up to
2,500 samples once, all seats with twice the usual members, and combines parts of them
in many ways; ``report`` writes ``results/panel_ablation.md``. It can be stopped and
goes on where it was. Known classes give the number of clusters and the scores, and
choose nothing.
"""

import argparse
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from coterie import Ensemble
from coterie._kernels._jit import kernel_threads
from coterie.consensus import EAC, HBGF, LWEA, Council
from coterie.ensemble._groups import Group, groups_of
from coterie.generation import Panel
from coterie.generation._seats import KINDS
from coterie.weighting import AgreementWeighter, EntropyWeighter, KindWeighter
from experiments._panel_data import GROUPS, Case, names, prepared, read, scores
from experiments._runs import Key, RunLog
from experiments._tables import markdown

RESULTS = Path(__file__).parent / "results"
MEASURES = ("nmi", "ari", "acc", "n_found")
MOST_SAMPLES = 2_500
OFTEN = 0.8  # share of the data sets of a group
VIEWS = ("raw", "zscore", "cosine", "ranks")
N_SEEDS = 1


def members(X, k: int, seed: int) -> Ensemble:
    """Return all seats with twice the usual members."""
    return Panel(target=k, effort="thorough").generate(X, seed=seed)


def subset(ensemble: Ensemble, groups: list[Group], share: float = 0.5) -> Ensemble:
    """Return some groups with a share of their members."""
    chosen = [g.members[: max(4, round(share * g.members.size))] for g in groups]
    return ensemble.subset(np.concatenate(chosen))


def variants(ensemble: Ensemble) -> Iterator[tuple]:
    """Yield (name, ensemble, consensus function, weighter)."""
    seated = list(groups_of(ensemble))
    panel = subset(ensemble, seated)
    council = Council()
    yield "panel", panel, council, None
    yield "half the members", subset(ensemble, seated, 0.25), council, None
    yield "twice the members", subset(ensemble, seated, 1.0), council, None
    for kind in KINDS:
        left = [group for group in seated if group.kind != kind]
        if left and len(left) < len(seated):
            yield f"without {kind}", subset(ensemble, left), council, None
    for view in VIEWS:
        left = [group for group in seated if group.view != view]
        if left and len(left) < len(seated):
            yield f"without {view}", subset(ensemble, left), council, None
    yield "no weights", panel, Council(weighter=None), None
    yield "weights to the power 1", panel, Council(weighter=KindWeighter(1)), None
    yield "weights to the power 2", panel, Council(weighter=KindWeighter(2)), None
    any_kind = AgreementWeighter("ari", power=2)
    yield "agreement with any group", panel, Council(weighter=any_kind), None
    yield "EAC, then EAC", panel, Council(EAC(), EAC()), None
    yield "EAC, then HBGF", panel, Council(EAC()), None
    yield "HBGF, then EAC", panel, Council(final=EAC()), None
    yield "all members in one, HBGF", panel, HBGF(), None
    yield "all members in one, EAC", panel, EAC(), None
    yield "all members in one, LWEA", panel, LWEA(), EntropyWeighter()
    for group in seated:
        yield f"only {group.name}", subset(ensemble, [group]), HBGF(), None


def rows_of(case: Case, X, seed: int) -> dict[str, dict[str, float]]:
    """Return the scores of each variant."""
    ensemble = members(X, max(case.n_clusters), seed)
    rows = {}
    for name, part, consensus, weighter in variants(ensemble):
        weights = None if weighter is None else weighter.weigh(part)
        found = {
            k: consensus.combine(part, k, weights=weights, seed=seed).labels
            for k in case.n_clusters
        }
        rows[name] = scores(case, found)
    return rows


def run(log: RunLog) -> None:
    warnings.simplefilter("ignore")
    with threadpool_limits(1), kernel_threads(1):
        for seed in range(N_SEEDS):
            for group in GROUPS:
                for name, n in names(group).items():
                    key = Key(group, name, "raw", seed)
                    if n > MOST_SAMPLES or key in log:
                        continue
                    X = prepared(group, name, "raw", True)
                    log.add(key, rows_of(read(group, name), X, seed))
                    print(group, name, seed, flush=True)


def report(log: RunLog) -> None:
    sets = {
        g: sorted({key.dataset for key in log.runs if key.study == g}) for g in GROUPS
    }
    methods = list(dict.fromkeys(m for rows in log.runs.values() for m in rows))
    lines = [
        "# What each part of the panel is worth",
        "",
        "Made by `python -m experiments.panel_ablation report`. Mean ARI and NMI over "
        f"{len(sets['shapes'])} sets of shapes and {len(sets['papers'])} of the papers "
        f"with at most {MOST_SAMPLES:,} samples; seeds: {N_SEEDS}. A variant that "
        "takes away what a data set has not got anyway counts as the panel there; a "
        "single seat is compared where it sits, and shown for a group if it sits on "
        "four fifths of its data sets. The last column is the standard error of the "
        "difference from the panel, over the data sets of both groups: differences "
        "below twice that are noise.",
        "",
    ]
    rows = []
    panel = {g: _means(log, g, sets[g], "panel") for g in GROUPS}
    for method in methods:
        found = {g: _means(log, g, sets[g], method) for g in GROUPS}
        cells, gains = [], []
        for g in GROUPS:
            run = np.isfinite(found[g][:, 1])
            if method.startswith("only "):
                own, to_beat = found[g][run], panel[g][run]
                shown = run.mean() >= OFTEN
            else:
                own, to_beat = np.where(run[:, None], found[g], panel[g]), panel[g]
                shown = True
            cells += [f"{own[:, m].mean():.3f}" if shown else "-" for m in (1, 0)]
            gains.append(own[:, 1] - to_beat[:, 1])
        gain = np.concatenate(gains)
        error = gain.std() / np.sqrt(gain.size)
        if cells != ["-"] * 4:
            rows.append([method, *cells, f"{gain.mean():+.3f}", f"{error:.3f}"])
    head = ["variant", "shapes ARI", "NMI", "papers ARI", "NMI", "ARI gain", "error"]
    best = [_best(log, g, sets[g]).mean() for g in GROUPS]
    lines += [markdown(head, rows), ""]
    lines += [
        "The best single seat of each data set, chosen by its labels: ARI "
        f"{best[0]:.3f} on shapes, {best[1]:.3f} on papers.",
        "",
    ]
    (RESULTS / "panel_ablation.md").write_text("\n".join(lines))


def _means(log: RunLog, group: str, sets: list[str], method: str) -> np.ndarray:
    """Return NMI and ARI of each data set, (n_sets, 2), NaN where it was not run."""
    out = np.full((len(sets), 2), np.nan)
    for i, name in enumerate(sets):
        for j, measure in enumerate(("nmi", "ari")):
            values = log.values(group, name, "raw", method, measure)
            if values.size:
                out[i, j] = values.mean()
    return out


def _best(log: RunLog, group: str, sets: list[str]) -> np.ndarray:
    single = [
        _means(log, group, sets, method)[:, 1]
        for method in {m for rows in log.runs.values() for m in rows}
        if method.startswith("only ")
    ]
    return np.nanmax(single, axis=0)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m experiments.panel_ablation")
    parser.add_argument("what", choices=("run", "report"))
    log = RunLog(RESULTS / "panel_ablation_runs.csv", MEASURES)
    run(log) if parser.parse_args().what == "run" else report(log)


if __name__ == "__main__":
    main()
