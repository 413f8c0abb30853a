"""Why do entropy weights fail on easy blobs, and does the warning see it?

``python -m experiments.entropy_weights`` clusters blobs of equal and unequal sizes;
``--papers`` does the same with the papers' data sets up to 2,500 samples. Both can be
stopped and go on. ``--report`` writes ``results/entropy_weights.md`` and its picture.
Known classes score, they choose nothing.
"""

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
from sklearn.cluster import KMeans

from coterie import Ensemble, Weights
from coterie.consensus import EAC, LWEA, LWGP
from coterie.consensus._base import quiet
from coterie.consensus._misled import UNWEIGHTED
from coterie.generation import MetricSubspaceSpectral, RandomKMeans
from coterie.metrics import ari, member_quality
from coterie.weighting import EntropyWeighter
from experiments._data import load
from experiments._mdec_data import HELD
from experiments._runs import Key, RunLog
from experiments._tables import markdown

RESULTS = Path(__file__).parent / "results"
SIZES = {
    "200/200/200": (200, 200, 200),
    "900/60/40": (900, 60, 40),
    "400/30/30/30": (400, 30, 30, 30),
}
FEATURES = (2, 8, 30, 100)
APART = 10.0  # of the two nearest centres, in standard deviations
MOST_SAMPLES = 2500
MEMBERS = {  # a generator, and the theta of its paper
    "k-means": (RandomKMeans(), 0.4),
    "MDEC": (MetricSubspaceSpectral(100), 1.0),
}
SCORES = ("kmeans", "lwea", "eac", "lwgp")  # ARI with the classes
METHODS = ("LWEA", "EAC", "LWGP")
PARTS = ("bits", "weight", "together", "weighted")  # of a cluster or of pairs
MEASURES = (
    *SCORES,
    "alike",  # ARI of LWEA and EAC
    "gain",  # agreement of EAC with the members, relative to that of LWEA
    "warned",
    *(f"{part}_large" for part in PARTS),
    *(f"{part}_small" for part in PARTS),
)


_SETTING = """\
`python -m experiments.entropy_weights`, then `--papers`, then `--report`. Round
blobs whose two nearest centres are {apart:g} standard deviations apart, {draws}
draws; k-means members (50, weights with theta 0.4, as in LWEA) and members of MDEC
(100, theta 1). Scores are ARI with the blobs. LWEA is the weighted tree, EAC the
unweighted tree of the same members, LWGP the weighted bipartite graph."""

_HOW_OFTEN = """\
Draws with an ARI below .95, among the *easy* ones, in which scikit-learn's k-means
(ten starts) has .99 or more. *Told*: of the draws in which LWEA fails and EAC does
not, those with a `WeightsDisagreeWarning`. *False*: warnings where LWEA is right.
With two features MDEC's members see one feature each, in which blobs overlap."""

_WHY = """\
The entropy of a cluster counts the pieces in which the other members have its
samples.

- The members cut the *large* blob into many pieces, because it holds most of the
  samples, and each member cuts it elsewhere, the more so the more features there
  are. So all clusters inside it are scattered: two to three bits or so. A member with
  the large blob as one cluster fares worst: the entropy is concave, so its weight is
  at most the geometric mean of those of any member that cuts the blob. What is right
  counts least.
- A cluster that *joins two small blobs* is wrong, but the other members cut it into
  little more than these two: one bit for two blobs of equal size, less if one is much
  smaller, and what their own pieces add.
- The weight is exp(-bits / theta), so that pairs of the small blobs gain a factor of
  two to forty over pairs of the large one. A few members that join the small blobs
  are enough: average linkage joins them before the large blob is complete, and the
  cut at the number of blobs leaves the large one in two.

Blobs of equal size are cut alike, and a cluster that joins two of them is in as many
pieces as both together: the weights are then on the right side. Below, each point is
an easy draw of 900/60/40 with k-means members. Above the line the small blobs go
together more than the samples of the large one do. At the bottom no member joins the
small blobs, and nothing can go wrong."""

_COLUMNS = """\
Medians over the draws. *Bits*: mean entropy over the members; *weight*: exp(-bits /
theta). *Large*: of clusters inside the largest blob; *joined small*: of clusters
that consist of two or more of the other blobs. *S*: mean co-association of pairs in
the largest blob, and of pairs from those two others that go together most, without
and with weights."""

_WARNING = """\
After the cut, the pieces of the weighted tree (80 in all, at least 4 of each
cluster) are grouped again by average linkage without cluster weights. LWEA warns if
the two results have an ARI below .7 and the members agree better with the second, by
a factor of 1.1 or more (mean NMI). The other rows put a whole unweighted tree (EAC)
in its place, with several limits.

*Blobs told*: warnings among easy draws in which LWEA fails and EAC does not;
*false*: among those in which LWEA is right. *Papers told*: warnings on the papers'
data of up to {most:,} samples ({sets} sets, {seeds} seeds), and in how many of them
the better of EAC and LWGP has a larger / about the same (.02) / a smaller ARI than
LWEA. The limits were chosen with the papers' sets up to 1,360 samples and the first
eight draws in view.

Cost, on 2,000 x 649 (Multiple Features) with 100 members of MDEC and one core: 2.5
ms for the check, 26 ms for LWEA without it, 25 ms for a second tree, 3.4 s for the
members."""


def blobs(
    sizes: tuple[int, ...], n_features: int, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """Draw round blobs whose two nearest centres are ``APART``."""
    rng = np.random.default_rng(seed)
    centers = rng.normal(size=(len(sizes), n_features))
    between = np.linalg.norm(centers[:, None] - centers, axis=2)
    centers *= APART / between[np.triu_indices(len(sizes), 1)].min()
    y = np.repeat(np.arange(len(sizes)), sizes)
    return centers[y] + rng.normal(size=(y.size, n_features)), y


def mechanism(
    ensemble: Ensemble, weights: Weights, theta: float, y: np.ndarray
) -> dict[str, float]:
    """Entropy and weight of two kinds of clusters, and how their samples go together.

    Large: clusters inside the largest class, and pairs of its samples. Small: clusters
    that join other classes, and pairs of samples of the two such classes that go
    together most. Means over samples, and over pairs.
    """
    large = int(np.bincount(y).argmax())
    counts = ensemble.incidence().T @ np.eye(y.max() + 1)[y]  # (C, classes)
    sizes = counts.sum(axis=1)
    inside = counts[:, large] == sizes
    joined = (counts[:, large] == 0) & (counts.max(axis=1) < sizes)
    bits = -theta * np.log(weights.clusters)  # mean entropy
    S, U = ensemble.coassociation(weights), ensemble.coassociation()
    near = [  # the mean co-association of two classes, weighted and not
        (U[np.ix_(y == a, y == b)].mean(), S[np.ix_(y == a, y == b)].mean())
        for a in range(y.max() + 1)
        for b in range(a)
        if large not in (a, b)
    ]
    own = y == large
    n = own.sum()
    together, weighted = (
        (matrix[np.ix_(own, own)].sum() - n) / (n * (n - 1)) for matrix in (U, S)
    )
    values = dict.fromkeys(MEASURES[7:], np.nan)
    values["together_large"], values["weighted_large"] = together, weighted
    values["together_small"], values["weighted_small"] = max(near)
    for kind, chosen in (("large", inside), ("small", joined)):
        if chosen.any():
            share = sizes[chosen] / sizes[chosen].sum()
            values[f"bits_{kind}"] = share @ bits[chosen]
            values[f"weight_{kind}"] = share @ weights.clusters[chosen]
    return values


def run(log: RunLog, key: Key, X: np.ndarray, y: np.ndarray) -> None:
    if key in log:
        return
    k = int(y.max()) + 1
    generator, theta = MEMBERS[key.variant]
    ensemble = generator.generate(X, seed=key.seed)
    weights = EntropyWeighter(theta=theta).weigh(ensemble)
    found = quiet(LWEA()).combine(ensemble, k, weights=weights)
    labels = {
        "kmeans": KMeans(k, n_init=10, random_state=key.seed).fit_predict(X),
        "lwea": found.labels,
        "eac": EAC().combine(ensemble, k).labels,
        "lwgp": LWGP().combine(ensemble, k, weights=weights, seed=key.seed).labels,
    }
    agreement = {
        name: member_quality(labels[name], ensemble).mean() for name in ("lwea", "eac")
    }
    values = {name: ari(y, each) for name, each in labels.items()}
    values["alike"] = ari(labels["lwea"], labels["eac"])
    values["gain"] = agreement["eac"] / agreement["lwea"]
    values["warned"] = float(UNWEIGHTED in found.details)
    if key.study == "blobs":
        values |= mechanism(ensemble, weights, theta, y)
    else:
        values |= dict.fromkeys(MEASURES[7:], np.nan)
    log.add(key, {"all": values})
    shown = {name: round(values[name], 2) for name in MEASURES[:7]}
    print(*key, shown, flush=True)


def run_blobs(log: RunLog, seeds: Iterable[int]) -> None:
    for seed in seeds:
        for name, sizes in SIZES.items():
            for n_features in FEATURES:
                X, y = blobs(sizes, n_features, seed)
                for members in MEMBERS:
                    run(log, Key("blobs", f"{name} {n_features}", members, seed), X, y)


def run_papers(log: RunLog, seeds: Iterable[int]) -> None:
    for name, held in HELD.items():
        if held.n_samples > MOST_SAMPLES:
            continue
        data = load(held.file)
        y = np.unique(data.y, return_inverse=True)[1]
        for members in MEMBERS:
            for seed in seeds:
                run(log, Key("papers", name, members, seed), data.X, y)


def table(log: RunLog, study: str, members: str, dataset: str = "") -> dict:
    """Return the measures of all runs of a kind, each an array."""
    rows = [
        found["all"]
        for key, found in log.runs.items()
        if key.study == study
        and key.variant == members
        and dataset in ("", key.dataset)
    ]
    return {name: np.array([row[name] for row in rows]) for name in MEASURES}


def rates(log: RunLog) -> Iterable[list[str]]:
    """How often each method fails where k-means does not."""
    for members in MEMBERS:
        for name in SIZES:
            for n_features in FEATURES:
                found = table(log, "blobs", members, f"{name} {n_features}")
                easy = found["kmeans"] >= 0.99
                bad = {m: easy & (found[m] < 0.95) for m in SCORES[1:]}
                helped = bad["lwea"] & ~bad["eac"]
                told = found["warned"] > 0
                yield [
                    members,
                    name,
                    str(n_features),
                    str(easy.sum()),
                    *(str(bad[m].sum()) for m in SCORES[1:]),
                    f"{(helped & told).sum()} of {helped.sum()}",
                    str((easy & told & ~bad["lwea"]).sum()),
                ]


def causes(log: RunLog) -> Iterable[list[str]]:
    """Entropies, weights and co-associations, medians over the draws."""
    for members in MEMBERS:
        for name in SIZES:
            for n_features in FEATURES:
                found = table(log, "blobs", members, f"{name} {n_features}")
                cells = [members, name, str(n_features)]
                for part in PARTS:
                    for kind in ("large", "small"):
                        values = found[f"{part}_{kind}"]
                        known = values[np.isfinite(values)]
                        cells.append(f"{np.median(known):.2g}" if known.size else "")
                yield cells


def judged(log: RunLog) -> Iterable[list[str]]:
    """What a warning would mean, for several limits, by a full second tree."""
    for limit in (0.5, 0.7, 0.9):
        for factor in (1.0, 1.02, 1.05, 1.1):
            yield [
                f"ARI < {limit}, gain >= {factor}",
                *outcome(
                    log,
                    lambda found, limit=limit, factor=factor: (
                        (found["alike"] < limit) & (found["gain"] >= factor)
                    ),
                ),
            ]
    yield ["the warning", *outcome(log, lambda found: found["warned"] > 0)]


def outcome(log: RunLog, told: Callable[[dict], np.ndarray]) -> list[str]:
    cells = []
    for members in MEMBERS:
        found = table(log, "blobs", members)
        easy = found["kmeans"] >= 0.99
        helped = easy & (found["lwea"] < 0.95) & (found["eac"] >= 0.95)
        cells.append(f"{(helped & told(found)).sum()} of {helped.sum()}")
        fine = easy & (found["lwea"] >= 0.95)
        cells.append(f"{(fine & told(found)).sum()} of {fine.sum()}")
    for members in MEMBERS:
        found = table(log, "papers", members)
        seen = told(found)
        other = np.maximum(found["eac"], found["lwgp"])
        change = (other - found["lwea"])[seen]
        better, worse = (change > 0.02).sum(), (change < -0.02).sum()
        cells.append(f"{seen.sum()} of {seen.size}")
        cells.append(f"{better} / {seen.sum() - better - worse} / {worse}")
    return cells


def alarms(log: RunLog) -> Iterable[list[str]]:
    """The runs on the papers' data with a warning."""
    for key, found in sorted(log.runs.items()):
        values = found["all"]
        if key.study == "papers" and values["warned"]:
            scores = [f"{values[name]:.2f}" for name in (*SCORES, "alike", "gain")]
            yield [key.dataset, key.variant, str(key.seed), *scores]


def draw(log: RunLog) -> None:
    """Draw the pairs of the large and of the small blobs, unweighted and weighted."""
    from matplotlib.figure import Figure

    from coterie.plot import cluster_colors

    figure = Figure(figsize=(8.4, 3.9), layout="constrained")
    panels = figure.subplots(1, 2)
    titles = {"together": "without weights", "weighted": "with entropy weights"}
    right, wrong = cluster_colors(2)
    for ax, (part, title) in zip(panels, titles.items(), strict=True):
        rows = [
            found["all"]
            for key, found in log.runs.items()
            if key.study == "blobs"
            and key.variant == "k-means"
            and "900" in key.dataset
        ]
        rows = [row for row in rows if row["kmeans"] >= 0.99]
        large = np.array([row[f"{part}_large"] for row in rows])
        small = np.array([row[f"{part}_small"] for row in rows])
        low = large.min() / 30
        failed = np.array([row["lwea"] < 0.95 for row in rows])
        for chosen, color, name in (
            (~failed, right, "LWEA right"),
            (failed, wrong, "LWEA wrong"),
        ):
            ax.scatter(
                large[chosen],
                np.maximum(small[chosen], low),
                s=18,
                color=color,
                label=name,
                alpha=0.8,
            )
        ends = [large.min() / 2, max(large.max(), small.max()) * 1.2]
        ax.plot(ends, ends, color="#999999", linewidth=1)
        ax.set(
            xscale="log",
            yscale="log",
            title=title,
            xlabel="mean co-association in the large blob",
            ylabel="between the two small blobs",
        )
        ax.spines[["top", "right"]].set_visible(False)
    panels[0].legend(frameon=False, fontsize=8)
    figure.savefig(RESULTS / "entropy_weights.png", dpi=80)


def report(log: RunLog) -> str:
    n_draws = len({key.seed for key in log.runs if key.study == "blobs"})
    n_seeds = len({key.seed for key in log.runs if key.study == "papers"})
    n_sets = len({key.dataset for key in log.runs if key.study == "papers"})
    pairs = ("large", "joined small") * 2 + ("large", "small") * 2
    names = ("bits", "bits", "weight", "weight", "S", "S", "weighted S", "weighted S")
    sections = [
        "# When entropy weights mislead",
        _SETTING.format(apart=APART, draws=n_draws),
        "## How often",
        _HOW_OFTEN,
        markdown(
            ["members", "sizes", "features", "easy", *METHODS, "told", "false"],
            rates(log),
        ),
        "## Why",
        _WHY,
        "![pairs in the large blob and between the small ones](entropy_weights.png)",
        _COLUMNS,
        markdown(
            [
                "members",
                "sizes",
                "features",
                *(f"{name}, {kind}" for name, kind in zip(names, pairs, strict=True)),
            ],
            causes(log),
        ),
        "## The warning",
        _WARNING.format(most=MOST_SAMPLES, sets=n_sets, seeds=n_seeds),
        markdown(
            [
                "rule",
                *(
                    f"{members}: {what}"
                    for members in MEMBERS
                    for what in ("blobs told", "blobs false")
                ),
                *(
                    f"{members}: {what}"
                    for members in MEMBERS
                    for what in ("papers told", "better / same / worse")
                ),
            ],
            judged(log),
        ),
        "The warnings on the papers' data:",
        markdown(
            ["data", "members", "seed", "k-means", *METHODS, "alike", "gain"],
            alarms(log),
        ),
    ]
    return "\n\n".join(sections) + "\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--papers", action="store_true")
    parser.add_argument("--report", action="store_true")
    options = parser.parse_args()
    log = RunLog(RESULTS / "entropy_weights_runs.csv", MEASURES)
    if options.report:
        draw(log)
        (RESULTS / "entropy_weights.md").write_text(report(log))
    elif options.papers:
        run_papers(log, range(3))
    else:
        run_blobs(log, range(20))


if __name__ == "__main__":
    main()
