"""
First steps: handwritten digits
===============================

Cluster 1797 handwritten digits without telling the program what a digit is, look at
what the clusters mean, and see which images it is unsure about.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

import coterie
from coterie.metrics import score

# %%
# A scikit-learn clusterer like any other
# ---------------------------------------
#
# This one line makes fifty k-means clusterings, weights their clusters, and builds a
# tree from how often two images go together.

digits = load_digits()
model = coterie.EnsembleClustering(n_clusters=10, random_state=0).fit(digits.data)
print(model.ensemble_)
print("images in each cluster:", [int((model.labels_ == c).sum()) for c in range(10)])

# %%
# What did it find?
# -----------------
#
# For each cluster: the mean of its images, the four that the members are surest about,
# and the four they disagree about most. The doubtful ones really are odd digits.

found = coterie.explain(model)
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
# How good is it?
# ---------------
#
# The digits come with the right answer, so we can check. Nothing above used it.

scores = score(digits.target, model.labels_)
print(", ".join(f"{name} {value:.2f}" for name, value in scores.items()))

# %%
# A different number of clusters needs no new members, and the members vote on where new
# images belong.

print("12 clusters:", sorted({int(c) for c in model.recut(12).labels_}))
print("new images:", model.predict(digits.data[:5]))
