"""Does confidence mean something, and does ``predict`` repeat the clusters?

``python -m experiments.confidence`` clusters digits, COIL20 and Yeoh-2002-v1 by every
system (it can be stopped and goes on); ``--report`` writes ``results/confidence.md``,
the curves as CSV and the picture. Known classes score, they choose nothing.
"""

import argparse
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.datasets import load_digits

from coterie import (
    C2SWCE,
    MBN,
    MDEC,
    SPCE,
    WOEC,
    EnsembleClustering,
    MBNEnsemble,
    WOKMeans,
    explain,
)
from coterie.ensemble._alignment import align_labels
from coterie.metrics import ari
from experiments._data import Data, load
from experiments._runs import Key, RunLog
from experiments._tables import markdown, write_csv

RESULTS = Path(__file__).parent / "results"
SYSTEMS: dict[str, Any] = {
    "EnsembleClustering": EnsembleClustering(),
    "MDEC": MDEC(),
    "C2SWCE": C2SWCE(),
    "SPCE": SPCE(),
    "WOEC": WOEC(),
    "WOKMeans": WOKMeans(),
    "MBN": MBN(),
    "MBNEnsemble": MBNEnsemble(n_members=10),
}
DATA = ("digits", "coil20", "yeoh2002v1")
SHARES = np.arange(5, 101, 5)  # percent of the samples, the surest first
MEASURES = (
    "accuracy",
    "surest_half",
    "rest",
    "surest_half_by_margin",
    "rest_by_margin",
    "agreement",
    "tried",
    "by_neighbors",
    "held_out_accuracy",
    "held_out_means",
    "held_out_neighbors",
    "held_out_ari",
    *(f"curve_{share}" for share in SHARES),
)


def data_of(name: str) -> Data:
    if name != "digits":
        return load(name)
    X, y = load_digits(return_X_y=True)
    return Data(name, X, y)


def correct(y: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """Whether each sample's cluster is the one matched to its class."""
    classes = np.unique(y)
    counts = np.zeros((labels.max() + 1, classes.size))
    np.add.at(counts, (labels, np.searchsorted(classes, y)), 1)
    return classes[align_labels(counts)[labels]] == y


def curve(right: np.ndarray, sure: np.ndarray, shares: np.ndarray) -> np.ndarray:
    """Accuracy among the surest; samples that are as sure count alike."""
    group = np.unique(-sure, return_inverse=True)[1]
    sizes = np.bincount(group)
    mean = np.bincount(group, right) / sizes
    expected = np.repeat(mean, sizes)  # the surest level first
    reached = np.cumsum(expected) / np.arange(1, right.size + 1)
    return reached[np.maximum(1, np.round(shares / 100 * right.size).astype(int)) - 1]


def halves(right: np.ndarray, sure: np.ndarray) -> tuple[float, float]:
    """Accuracy among the surer half, and among the rest."""
    n = right.size
    first = round(n / 2)
    of_first = float(curve(right, sure, np.array([50.0]))[0])
    return of_first, (right.sum() - of_first * first) / (n - first)


def held_out(system: Any, data: Data, whole: np.ndarray, seed: int) -> dict[str, float]:
    """Fit one half of the samples and place the other."""
    order = np.random.default_rng(seed).permutation(data.y.size)
    known, new = order[::2], order[1::2]
    model = clone(system).fit(data.X[known])
    y = np.unique(data.y, return_inverse=True)[1]
    k = model.labels_.max() + 1
    # the class of most of a cluster's known samples
    of_cluster = np.array(
        [np.bincount(y[known][model.labels_ == c]).argmax() for c in range(k)]
    )
    placed = model.predict(data.X[new])
    found = {
        "held_out_accuracy": float(np.mean(of_cluster[placed] == y[new])),
        "held_out_ari": ari(whole[new], placed),
    }
    for way in ("means", "neighbors"):
        found[f"held_out_{way}"] = np.nan
        if way == "neighbors" or model._has_means():
            model._fit_trial = {way: 1.0}
            placed = model.predict(data.X[new])
            found[f"held_out_{way}"] = float(np.mean(of_cluster[placed] == y[new]))
    return found


def run(log: RunLog, name: str, method: str, data: Data, seed: int) -> None:
    key = Key("confidence", name, method, seed)
    if key in log:
        return
    start = time.perf_counter()
    system = clone(SYSTEMS[method]).set_params(
        n_clusters=data.n_classes, random_state=seed
    )
    model = clone(system).fit(data.X)
    right = correct(data.y, model.labels_).astype(float)
    margin = model.consensus_.margin
    values = {
        "accuracy": right.mean(),
        "agreement": np.mean(model.predict(data.X) == model.labels_),
        "tried": model.predict_agreement_,
        "by_neighbors": float(model.predicts_by_ == "neighbors"),
        **held_out(system, data, model.labels_, seed),
    }
    values["surest_half"], values["rest"] = halves(right, model.confidence_)
    values["surest_half_by_margin"], values["rest_by_margin"] = halves(right, margin)
    points = curve(right, model.confidence_, SHARES)
    values |= {f"curve_{s}": v for s, v in zip(SHARES, points, strict=True)}
    log.add(key, {method: values})
    spent = time.perf_counter() - start
    print(
        f"{name} {method} {seed}: {values['surest_half']:.3f} against "
        f"{values['rest']:.3f}, predict {values['agreement']:.3f} ({spent:.0f} s)",
        flush=True,
    )


def run_items(log: RunLog, name: str, method: str, data: Data, seed: int) -> None:
    """Score item-consensus as what says how sure a sample is."""
    key = Key("items", name, method, seed)
    if key in log:
        return
    model = clone(SYSTEMS[method])
    model.set_params(n_clusters=data.n_classes, random_state=seed).fit(data.X)
    right = correct(data.y, model.labels_).astype(float)
    own = explain(model).samples["item_consensus"]
    first, rest = halves(right, np.nan_to_num(own))  # a sample alone comes last
    log.add(key, {method: {"surest_half": first, "rest": rest}})
    print(f"{name} {method} {seed}: {first:.3f} against {rest:.3f}", flush=True)


def means(log: RunLog, name: str, method: str, *measures: str) -> list[float]:
    return [
        float(np.mean(log.values("confidence", name, method, method, measure)))
        for measure in measures
    ]


def done(log: RunLog) -> Iterator[tuple[str, str, int]]:
    for name in DATA:
        for method in SYSTEMS:
            n = log.values("confidence", name, method, method, "accuracy").size
            if n:
                yield name, method, n


def compared(log: RunLog, study: str, name: str, method: str) -> list[str]:
    """Return the surer half, the rest, and in how many seeds the first is better."""
    first, rest = (
        log.values(study, name, method, method, measure)
        for measure in ("surest_half", "rest")
    )
    if not first.size:
        return ["", "", ""]
    better = f"{np.sum(first > rest)}/{first.size}"
    return [f"{first.mean():.3f}", f"{rest.mean():.3f}", better]


def report(log: RunLog, items: RunLog) -> str:
    sure, placed, points = [], [], []
    for name, method, n in done(log):
        (accuracy,) = means(log, name, method, "accuracy")
        by_vote = compared(log, "confidence", name, method)
        by_item = compared(items, "items", name, method)
        sure.append([name, method, f"{accuracy:.3f}", *by_vote, *by_item])
        values = means(log, name, method, *MEASURES[5:12])
        values[2] = round(n * values[2])
        cells = [f"{v:.3f}" if v == v else "" for v in values]
        cells[2] = f"{values[2]}/{n}"
        placed.append([name, method, *cells])
        curve_of = means(log, name, method, *MEASURES[12:])
        for share, value in zip(SHARES, curve_of, strict=True):
            points.append([name, method, share, f"{value:.4f}"])
    write_csv(RESULTS / "confidence_curve.csv", "data system percent accuracy", points)
    draw(log)
    seeds = max(n for _, _, n in done(log))
    return "\n".join(
        [
            "# Does confidence mean something?",
            "",
            f"Means over {seeds} seeds (0 to {seeds - 1}), the true number of clusters,"
            " each system's own defaults (MBNEnsemble: 10",
            "networks). `python -m experiments.confidence`, then `--report`. Accuracy"
            " is by one matching of clusters to classes for",
            "all samples. Yeoh-2002-v1 has two classes of 205 and 43 samples.",
            "",
            "## Accuracy among the surer half of the samples, and among the rest",
            "",
            "By confidence (the vote for a sample's own cluster), and by item-consensus"
            " (how often it goes with the others of its",
            "cluster); the seeds are those in which the surer half is strictly more"
            " accurate. Results by margin are like those by",
            "confidence (`confidence_runs.csv`). Confidence says how well the members"
            " respect a cluster's border. Where a result",
            "lumps classes together (SPCE on COIL20) the border of the lump is"
            " respected, and confidence is high; item-consensus",
            "is low there. The curve of EnsembleClustering on COIL20 starts at zero for"
            " the same reason: its surest 5% lie in one",
            "cluster of more than 220 samples, three whole objects of 72 or nearly so"
            " and parts of others.",
            "",
            markdown(
                (
                    "data",
                    "system",
                    "all",
                    "confidence: surer half",
                    "rest",
                    "seeds",
                    "item-consensus: surer half",
                    "rest",
                    "seeds",
                ),
                sure,
            ),
            "",
            "![accuracy among the surest](confidence.png)",
            "",
            "## Does `predict` repeat the clusters, and what of new samples?",
            "",
            "*Agreement*: share of the training samples that `predict` places as"
            " `labels_` does; *tried*: what `fit` measured",
            "(`predict_agreement_`, each sample without itself as a neighbour);"
            " *neighbours*: seeds in which `fit` chose them.",
            "Then one half is fitted and the other placed: accuracy of what `predict`"
            " does, of means and of neighbours, and ARI",
            "with the labels that these samples get when all are clustered.",
            "",
            markdown(
                (
                    "data",
                    "system",
                    "agreement",
                    "tried",
                    "neighbours",
                    "new: predict",
                    "new: means",
                    "new: neighbours",
                    "new: ARI",
                ),
                placed,
            ),
            "",
        ]
    )


def draw(log: RunLog) -> None:
    from matplotlib.figure import Figure

    from coterie.plot import cluster_colors

    figure = Figure(figsize=(10.5, 3.6), layout="constrained")
    panels = figure.subplots(1, len(DATA), sharey=True)
    colors = dict(zip(SYSTEMS, cluster_colors(len(SYSTEMS)), strict=True))
    for ax, name in zip(panels, DATA, strict=True):
        for data, method, _ in done(log):
            if data == name:
                values = means(log, name, method, *MEASURES[12:])
                ax.plot(SHARES, values, color=colors[method], label=method)
        ax.set(title=name, xlabel="% of the samples, surest first", ylim=(0, 1.02))
        ax.grid(color="#e6e6e6")
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].set_ylabel("accuracy among them")
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="outside right center", frameon=False, fontsize=8)
    figure.savefig(RESULTS / "confidence.png", dpi=80)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    log = RunLog(RESULTS / "confidence_runs.csv", MEASURES)
    items = RunLog(RESULTS / "confidence_items.csv", ("surest_half", "rest"))
    if not options.report:
        for seed in range(options.seeds):
            for name in reversed(DATA):
                data = data_of(name)
                for method in SYSTEMS:
                    run(log, name, method, data, seed)
                    run_items(items, name, method, data, seed)
    text = report(log, items)
    (RESULTS / "confidence.md").write_text(text)
    print(text)


if __name__ == "__main__":
    main()
