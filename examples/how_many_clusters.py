"""
How many clusters are there, and are there any?
===============================================

Every clustering method returns clusters, even when the data contain none. ``choose_k``
first compares the data with reference data that have no clusters, and may answer one.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

import coterie
from coterie.plot import cluster_colors

rng = np.random.default_rng(0)
planted, _ = make_blobs(200, n_features=4, centers=3, random_state=3)
square = rng.random((200, 2))  # k-means divides it neatly, but it has no clusters
data = {"three groups": planted, "a square": square}

choices = {}
for name, X in data.items():
    choice = coterie.choose_k(X, range(2, 7), n_null=39, random_state=0)
    choices[name] = choice
    print(f"{name}: {choice.sentence}")
    for criterion, k in choice.votes.items():
        print(f"  {criterion:>11} says {k}")

# %%
# Valleys
# -------
#
# The blue line is the depth of the deepest valley between neighbouring clusters; the
# grey lines show the same for 39 data sets with the same spread but no clusters. Only
# the three groups rise above them.

figure, axes = plt.subplots(2, 2, figsize=(9, 6.6), layout="constrained")
for (name, X), row in zip(data.items(), axes, strict=True):
    choice = choices[name]
    labels = np.zeros(len(X), dtype=int)
    if choice.n_clusters > 1:
        at = list(choice.k_values).index(choice.n_clusters)
        labels[choice.samples] = choice.labels[at]
    row[0].scatter(*X[:, :2].T, s=12, c=np.array(cluster_colors(8))[labels])
    row[0].set(xticks=[], yticks=[], title=f"{name}: k = {choice.n_clusters}")
    for null in choice.null_curves["separation"]:
        row[1].plot(choice.k_values, null, c="#cccccc", lw=0.8)
    row[1].plot(choice.k_values, choice.curves["separation"], c="#0072B2", lw=2.5)
    row[1].set(xlabel="k", ylabel="separation", xticks=choice.k_values)
    row[1].set_title(f"p = {choice.p_value:.3f}")
    row[1].spines[["top", "right"]].set_visible(False)

# %%
# Any system can do the same and then cluster:

model = coterie.EnsembleClustering(n_clusters="auto", random_state=0).fit(planted)
print(f"EnsembleClustering took {model.n_clusters_} clusters.")
print(model.k_choice_.to_frame().round(3).to_string(index=False))
