"""
Hard samples and moved centres: WOEC
====================================

There are three discs, the lower one larger and sparser. We cluster them by k-means and
by the forms of WOEC, and draw pictures like Figs. 6 to 8 of its paper.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.preprocessing import scale

from coterie import WOEC, WOKMeans
from coterie.consensus import WOKM
from coterie.datasets import make_toy2
from coterie.metrics import ari

X, y = make_toy2(random_state=1)
X = scale(X)
models = {
    form: WOEC(3, consensus=form, random_state=0).fit(X)
    for form in ("meta", "similarity", "bipartite")
}
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

# %%
# Samples that members disagree about are hard (squares). The centres of the members'
# clusters move towards them (from white to black), and so do the borders: the large
# disc loses fewer samples to the small ones (crosses).

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

COLORS = np.array(["#4477aa", "#cc6677", "#999933"])
figure, axes = plt.subplots(
    2, 3, figsize=(11, 7.4), sharex=True, sharey=True, layout="constrained"
)
first, *others = axes.flat
first.scatter(*X.T, s=6, c=COLORS[member], alpha=0.5)
first.scatter(*X[hardest].T, s=30, marker="s", facecolors="none", edgecolors="0.3")
for c in range(3):
    first.annotate("", moved[c], plain[c], arrowprops={"arrowstyle": "->", "lw": 1.5})
first.scatter(*plain.T, s=110, facecolors="white", edgecolors="k", zorder=3)
first.scatter(*moved.T, s=110, c="k", zorder=3)
first.set_title("hard samples, centres that move", size=11)
for axis, (name, labels) in zip(others, results.items(), strict=True):
    table = np.array([np.bincount(y[labels == c], minlength=3) for c in range(3)])
    wrong = table.argmax(axis=1)[labels] != y
    axis.scatter(*X.T, s=6, c=COLORS[table.argmax(axis=1)[labels]], alpha=0.5)
    axis.scatter(*X[wrong].T, s=30, marker="x", c="k", linewidths=1)
    axis.set_title(f"{name}: {wrong.sum()} of {y.size} wrong", size=11)
for axis in axes.flat:
    axis.set(xticks=[], yticks=[], aspect="equal")
