"""The picture at the top of the README: six methods on scikit-learn's toy data.

The data are those of scikit-learn's own page "Comparing different clustering
algorithms", with its sizes and seeds, plus blobs of unequal size. Every method is told
the number of clusters, but for HDBSCAN, which finds its own; none is tuned. With how
many of ten seeds coterie is right is printed, too; the picture has seed 0.

Run ``python -m experiments.readme_picture``.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from scipy.optimize import linear_sum_assignment
from sklearn import datasets
from sklearn.cluster import HDBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.mixture import GaussianMixture
from sklearn.preprocessing import StandardScaler

import coterie
from coterie.metrics import ari
from experiments.answers_pictures import save

PICTURE = Path(__file__).parents[1] / "docs" / "images" / "beside_others.png"
N, SEED = 500, 30
COLORS = ["#377eb8", "#ff7f00", "#4daf4a", "#999999"]

METHODS: dict[str, Callable[[int], Any]] = {
    "KMeans": lambda k: KMeans(k, n_init=10, random_state=0),
    "Ward": AgglomerativeClustering,
    "Gaussian mixture": lambda k: GaussianMixture(k, random_state=0),
    "spectral": lambda k: SpectralClustering(
        k, affinity="nearest_neighbors", random_state=0
    ),
    "HDBSCAN": lambda k: HDBSCAN(copy=True),
    "coterie": lambda k: coterie.EnsembleClustering(k, random_state=0),
}


def cases() -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Return the data sets and their clusters by name."""
    skewed, y = datasets.make_blobs(N, random_state=170)
    return {
        "circles": datasets.make_circles(N, factor=0.5, noise=0.05, random_state=SEED),
        "moons": datasets.make_moons(N, noise=0.05, random_state=SEED),
        "varied": datasets.make_blobs(N, cluster_std=[1.0, 2.5, 0.5], random_state=170),
        "skewed": (skewed @ np.array([[0.6, -0.6], [-0.4, 0.8]]), y),
        "unequal": datasets.make_blobs([440, 30, 30], random_state=SEED),
    }


def colors(labels: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return a color for each sample; a cluster has that of the class it is most of."""
    inside = labels >= 0
    shared = np.zeros((labels.max() + 1, y.max() + 1))
    np.add.at(shared, (labels[inside], y[inside]), 1)
    of_cluster = np.full(len(shared), len(COLORS) - 1)
    clusters, classes = linear_sum_assignment(-shared)
    of_cluster[clusters] = classes
    return np.where(inside, np.array(COLORS)[of_cluster[labels]], "#000000")


def main() -> None:
    """Draw, and print the scores."""
    found = cases()
    figure = Figure(figsize=(10.5, 6.4), layout="constrained")
    grid = figure.subplots(len(found), len(METHODS))
    for line, (case, (raw, y)) in zip(grid, found.items(), strict=True):
        X = StandardScaler().fit_transform(raw)
        for ax, (name, method) in zip(line, METHODS.items(), strict=True):
            labels = method(len(np.unique(y))).fit_predict(X)
            score = ari(y, labels)
            print(f"{case:10} {name:18} {score:.2f}")
            ax.scatter(*X.T, s=3, c=colors(labels, y), linewidths=0)
            ax.set(xticks=[], yticks=[])
            ax.text(
                0.98, 0.03, f"{abs(score):.2f}", transform=ax.transAxes, ha="right",
                fontsize=9, weight="bold" if score > 0.9 else "normal",
                bbox={"color": "white", "alpha": 0.7, "pad": 0.5},
            )  # fmt: skip
            ax.spines[:].set_color("#cccccc")
            if case == "circles":
                ax.set_title(name, weight="bold" if name == "coterie" else "normal")
    save(figure, PICTURE, dpi=110)
    for case, (raw, y) in found.items():
        X, k = StandardScaler().fit_transform(raw), len(np.unique(y))
        models = [coterie.EnsembleClustering(k, random_state=s) for s in range(10)]
        n_right = sum(ari(y, model.fit_predict(X)) > 0.9 for model in models)
        print(f"{case:10} coterie above .9 with {n_right} of 10 seeds")


if __name__ == "__main__":
    main()
