"""
Which consensus when?
=====================

The same members, combined in five ways, beside one k-means. No way is best for all
data: it depends on sizes and shapes.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_circles, make_moons
from sklearn.preprocessing import scale

import coterie
from coterie.exceptions import FewerClustersWarning
from coterie.generation import RandomKMeans
from coterie.metrics import ari
from coterie.plot import cluster_colors

long, of_long = make_blobs(500, centers=3, random_state=170)
DATA = {
    "moons": make_moons(500, noise=0.06, random_state=0),
    "rings": make_circles(500, factor=0.5, noise=0.05, random_state=0),
    "large and small": make_blobs(
        [400, 60, 40],
        centers=[(0, 0), (4.2, 1), (2.5, -3.6)],
        cluster_std=[1.2, 0.4, 0.4],
        random_state=0,
    ),
    "slanted": (long @ [[0.6, -0.63], [-0.4, 0.85]], of_long),
    "touching": make_blobs(500, centers=4, cluster_std=1.25, random_state=3),
}
METHODS = {
    "lwea": "tree",
    "lwgp": "graph cut",
    "kcc": "k-means of labels",
    "vote": "aligned labels",
    "mcla": "equal sizes",
}

# %%
# Each data set has fifty k-means members with 10 to 30 clusters; each column is one way
# to combine them. The number in the corner is the adjusted Rand index with the true
# classes: 1 is perfect, 0 is chance.

figure, axes = plt.subplots(5, 6, figsize=(11, 9.2), layout="constrained")
table = np.zeros((5, 6))
for i, (name, (X, y)) in enumerate(DATA.items()):
    X, k = scale(X), int(y.max()) + 1
    ensemble = RandomKMeans(50, n_clusters=(10, 30)).generate(X, seed=0)
    answers = [KMeans(k, n_init=10, random_state=0).fit_predict(X)]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        answers += [coterie.combine(ensemble, k, m, random_state=0) for m in METHODS]
    for j, labels in enumerate(answers):
        axis = axes[i, j]
        table[i, j] = ari(y, labels)
        colors = np.array(cluster_colors(k))
        axis.scatter(*X.T, s=4, c=colors[labels], linewidths=0)
        axis.set(xticks=[], yticks=[])
        axis.text(
            0.97, 0.03, f"{table[i, j]:.2f}", transform=axis.transAxes, ha="right"
        )
    axes[i, 0].set_ylabel(name, size=11)
axes[0, 0].set_title("one k-means\n", size=11)
for axis, (method, what) in zip(axes[0, 1:], METHODS.items(), strict=True):
    axis.set_title(f"{method}\n{what}", size=11)

# %%
# What the pictures show
# ----------------------
#
# - A **tree** (``lwea``, ``eac``) follows any shape as long as the members' pieces are
#   small. It is the default for members of one kind, up to 20,000 samples.
# - A **graph cut** (``lwgp``, ``hbgf``) does nearly the same in linear time and memory;
#   it prefers clusters of similar size.
# - **k-means of labels** (``kcc``) is the cheapest for millions of samples. It wants
#   members with about as many clusters as the answer; with small pieces like these it
#   does badly.
# - **Aligned labels** (``vote``) are the easiest to explain: each member's clusters are
#   matched with the final clusters, and each sample goes where most votes go.
# - **Equal sizes** (``mcla``, ``cspa``, ``hgpa``) are for classes that you know have
#   equal sizes. Elsewhere they cut where there is no border: see the third row.

print(f"{'':16}{'k-means':>8}", *(f"{method:>6}" for method in METHODS))
for name, row in zip(DATA, table, strict=True):
    print(f"{name:16}{row[0]:8.2f}", *(f"{value:6.2f}" for value in row[1:]))
