"""
First steps: a panel looks at handwritten digits
================================================

Cluster 1797 handwritten digits without telling the program what a digit is. Several
kinds of clusterer look at the data in several ways; see what they agree on, what the
clusters mean, and which images are doubtful.
"""

import matplotlib.pyplot as plt
from sklearn.cluster import KMeans
from sklearn.datasets import load_digits, load_wine
from sklearn.preprocessing import scale

import coterie
from coterie import plot
from coterie.generation import Panel
from coterie.metrics import ari

# %%
# A scikit-learn clusterer like any other
# ---------------------------------------
#
# Nothing to tune but the number of clusters. ``effort="quick"`` asks the kinds that
# gain most for their cost; leave it out for the full panel, or pass a time limit in
# seconds.

digits = load_digits()
model = coterie.EnsembleClustering(10, effort="quick", random_state=0)
model.fit(digits.data)
print(model.ensemble_)
print("images in each cluster:", [int((model.labels_ == c).sum()) for c in range(10)])

# %%
# Who agrees with whom?
# ---------------------
#
# The members of one kind on one view of the data are a group, and each group is
# combined by itself. This is how the groups' clusterings agree, similar ones side by
# side. A group counts more if its two halves say the same (steadiness) and if groups of
# other kinds agree with it.

found = coterie.explain(model)
plot.kinds(found)

# %%
# Which clusters does everybody see?
# ----------------------------------
#
# A cluster that all groups see does not depend on the method. Cluster 0, the zeros, is
# one. Cluster 9 is seen by three groups of nine: look at such a cluster before you
# trust it.

plot.seen_by(found)

# %%
# What do the clusters mean?
# --------------------------
#
# For each cluster: the mean of its images, the four that the members are surest about,
# and the four they disagree about most. Cluster 9 has 27 ones with a foot, which took
# the place of the eights: those share cluster 1 with the other ones.

margin = found.samples["margin"]
figure, axes = plt.subplots(10, 9, figsize=(7.2, 8.4))
for row, cluster in zip(axes, range(10), strict=True):
    inside = (model.labels_ == cluster).nonzero()[0]
    order = inside[margin[inside].argsort()]
    shown = [digits.images[inside].mean(axis=0)]
    shown += [digits.images[i] for i in (*order[-4:], *order[:4])]
    for axis, image in zip(row, shown, strict=True):
        axis.imshow(image, cmap="gray_r")
        axis.set(xticks=[], yticks=[])
    row[0].set_ylabel(f"cluster {cluster}", rotation=0, ha="right", va="center")
axes[0, 0].set_title("mean", size=10)
axes[0, 2].set_title("     surest four", size=10)
axes[0, 7].set_title("most doubtful four", size=10)
figure.subplots_adjust(left=0.13, right=0.99, top=0.95, bottom=0.01)

# %%
# The digits come with the right answer, so we can check. Nothing above used it.

single = KMeans(10, n_init=10, random_state=0).fit_predict(digits.data)
print(f"one k-means, best of ten starts: ARI {ari(digits.target, single):.2f}")
print(f"the panel:                       ARI {ari(digits.target, model.labels_):.2f}")

# %%
# No need to scale
# ----------------
#
# Wines are described by 13 measurements in different units. k-means depends on whether
# you scale them; the panel looks at both, and finds out which to trust.

X, y = load_wine(return_X_y=True)
for name, data in {"as they are": X, "scaled": scale(X)}.items():
    single = KMeans(3, n_init=10, random_state=0).fit_predict(data)
    print(f"k-means, {name}: ARI {ari(y, single):.2f}")
wines = coterie.EnsembleClustering(3, random_state=0).fit(X)
print(f"the panel, as they are: ARI {ari(y, wines.labels_):.2f}")
print(*wines.notes_, sep="\n")

# %%
# Choose who sits on it
# ---------------------
#
# ``plan`` says who would be asked. The list can be changed and passed on.

seats = Panel().plan(X)
print(*[f"{seat.kind} {seat.view}" for seat in seats], sep=", ")
small = Panel(seats=[seat for seat in seats if seat.kind in ("gmm", "genie")])
fewer = coterie.EnsembleClustering(3, generator=small, random_state=0).fit(X)
print(f"mixtures and Genie only: ARI {ari(y, fewer.labels_):.2f}")

# %%
# Another number of clusters needs no new members, and new samples find their place.

print("12 clusters:", sorted({int(c) for c in model.recut(12).labels_}))
print("new images:", model.predict(digits.data[:5]))
