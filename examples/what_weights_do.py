"""
What weights do
===============

Not every opinion is worth the same. Weights can apply to whole members, to single
clusters or to samples; they come from how well the members agree, never from known
classes.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from coterie import Ensemble
from coterie.consensus import EAC, LWEA
from coterie.generation import RandomKMeans
from coterie.metrics import ari
from coterie.plot import cluster_colors
from coterie.weighting import AgreementWeighter, DifficultyWeighter, EntropyWeighter

X, y = make_blobs(400, centers=5, cluster_std=1.3, random_state=4)
good = RandomKMeans(20, n_clusters=(4, 12)).generate(X, seed=0)

# %%
# Members: those that agree with nobody count little
# --------------------------------------------------
#
# We add thirty-five members with random labels to five k-means members, as if somebody
# had mixed up the files.

rng = np.random.default_rng(0)
noise = [rng.integers(0, 3, len(X)) for _ in range(35)]
ensemble = Ensemble(np.column_stack([good.labels[:, :5], *noise]))
members = AgreementWeighter(power=2).weigh(ensemble)

# %%
# Clusters: those that the other members tear apart count little
# --------------------------------------------------------------
#
# A cluster that the other members keep together has a low entropy and a weight near
# one. The same member may have good clusters and bad ones.

clusters = EntropyWeighter().weigh(good)

# %%
# Samples: the disputed ones
# --------------------------
#
# A sample is hard if many of its pairs are together in about half of the members. WOEC
# gives such samples *more* weight, because they decide where the borders are.

samples = DifficultyWeighter().weigh(good)

figure, axes = plt.subplots(1, 3, figsize=(13, 3.9), layout="constrained")
colors = np.where(np.arange(40) < 5, cluster_colors(1)[0], "#bbbbbb")
axes[0].bar(np.arange(40), members.members, color=colors)
axes[0].set(title="weights of 5 real and 35 random members", xlabel="member")
axes[0].spines[["top", "right"]].set_visible(False)
sizes = np.diff(good.offsets)  # clusters of each member
j = int(np.argmax(sizes))
weight = clusters.clusters[good.offsets[j] + good.labels[:, j]]
shown = axes[1].scatter(*X.T, s=12, c=weight, cmap="viridis")
axes[1].set_title(f"weights of the {sizes[j]} clusters of one member")
figure.colorbar(shown, ax=axes[1], shrink=0.8)
shown = axes[2].scatter(*X.T, s=12, c=samples.samples, cmap="magma_r")
axes[2].set_title("weights of samples: the disputed ones")
figure.colorbar(shown, ax=axes[2], shrink=0.8)
for axis in axes[1:]:
    axis.set(xticks=[], yticks=[])

# %%
# Do they help?
# -------------
#
# Against mixed-up members they do. When all members are decent, they change little: on
# the papers' real data sets the gain from weights alone is small, and the pages of the
# systems say so.

plain = EAC().combine(ensemble, 5).labels
weighted = EAC().combine(ensemble, 5, weights=members).labels
print(f"5 members and 35 random ones: {ari(y, plain):.2f} without weights", end=", ")
print(f"{ari(y, weighted):.2f} with weights of members")
plain = EAC().combine(good, 5).labels
weighted = LWEA().combine(good, 5, weights=clusters).labels
print(f"decent members only: {ari(y, plain):.2f} without weights", end=", ")
print(f"{ari(y, weighted):.2f} with weights of clusters")
