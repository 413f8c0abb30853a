"""Hard samples and shifted centres: pictures like Figs. 6 to 8 of the WOEC paper.

Three discs, of which the lower one is larger and sparser, are clustered by k-means and
by the ways of WOEC. Prints how well each does; where matplotlib is installed, writes
``weighted_objects.png``: the samples that are hard to cluster, how the centres of one
member move towards them, and the clusters of each method.
"""

import numpy as np
from sklearn.preprocessing import scale

from coterie import WOEC, WOKMeans
from coterie.consensus import WOKM
from coterie.datasets import make_toy2
from coterie.metrics import ari

X, y = make_toy2(seed=1)
X = scale(X)
models = {
    form: WOEC(3, consensus=form, random_state=0)
    for form in ("meta", "similarity", "bipartite")
}
for model in models.values():
    model.fit(X)
ensemble, weights = models["meta"].ensemble_, models["meta"].weights_
results = {
    "k-means": WOKM().combine(ensemble, 3, X=X, seed=0).labels,
    "WOKMeans": WOKMeans(3, ensemble=ensemble, random_state=0).fit_predict(X),
    "WOMC": models["meta"].labels_,
    "WOSP": models["similarity"].labels_,
    "WOHB": models["bipartite"].labels_,
}
for name, labels in results.items():
    print(f"{name:9} ARI {ari(y, labels):.3f}")

member = ensemble.labels[:, 0]
plain = np.array([X[member == c].mean(axis=0) for c in range(3)])
moved = np.array(
    [
        np.average(X[member == c], axis=0, weights=weights.samples[member == c])
        for c in range(3)
    ]
)
hardest = weights.samples > 0.5 * weights.samples.max()
steps = np.linalg.norm(moved - plain, axis=1)
print("centres of the first member move by", ", ".join(f"{s:.2f}" for s in steps))

try:
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt
except ImportError:
    print("install matplotlib to see the picture")
    raise SystemExit from None

COLORS = np.array(["#4477aa", "#cc6677", "#999933"])
figure, axes = plt.subplots(2, 3, figsize=(12, 8), sharex=True, sharey=True)
first, *others = axes.flat
first.scatter(*X.T, s=6, c=COLORS[member], alpha=0.5)
first.scatter(*X[hardest].T, s=30, marker="s", facecolors="none", edgecolors="0.3")
for c in range(3):
    first.annotate("", moved[c], plain[c], arrowprops={"arrowstyle": "->", "lw": 1.5})
first.scatter(*plain.T, s=110, facecolors="white", edgecolors="k", zorder=3)
first.scatter(*moved.T, s=110, c="k", zorder=3)
first.set_title("hard samples (squares), centres that move (o to •)", size=10)
for axis, (name, labels) in zip(others, results.items(), strict=True):
    table = np.array([np.bincount(y[labels == c], minlength=3) for c in range(3)])
    wrong = table.argmax(axis=1)[labels] != y
    axis.scatter(*X.T, s=6, c=COLORS[table.argmax(axis=1)[labels]], alpha=0.5)
    axis.scatter(*X[wrong].T, s=30, marker="x", c="k", linewidths=1)
    axis.set_title(f"{name}: {wrong.sum()} of {y.size} wrong (x)", size=10)
for axis in axes.flat:
    axis.set_aspect("equal")
figure.tight_layout()
figure.savefig("weighted_objects.png", dpi=100)
print("weighted_objects.png written")
