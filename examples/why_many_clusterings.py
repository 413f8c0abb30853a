"""
Why many clusterings?
=====================

One run of k-means cannot see that these are two moons and a ball: it makes round
pieces, and different ones each time. Where fifty runs *agree*, there is a cluster.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs, make_moons

import coterie
from coterie.generation import RandomKMeans
from coterie.metrics import ari
from coterie.plot import cluster_colors

moons, y = make_moons(500, noise=0.06, random_state=0)
ball, _ = make_blobs(150, centers=[(3.1, 0.25)], cluster_std=0.22, random_state=0)
X = np.vstack([moons, ball])
y = np.concatenate([y, np.full(150, 2)])

# %%
# Fifty opinions, one answer
# --------------------------
#
# Each member is a k-means clustering with its own number of clusters, between 6 and 20.
# None of them is right. The consensus joins what most of them put together: average
# linkage on how often two samples share a cluster.

ensemble = RandomKMeans(50, n_clusters=(6, 20)).generate(X, seed=0)
result = coterie.combine(ensemble, n_clusters=3, consensus="eac", return_result=True)

figure, axes = plt.subplots(2, 2, figsize=(9, 4.4), layout="constrained")
for j, axis in zip((0, 7, 21), axes.flat, strict=False):
    member = ensemble.labels[:, j]
    k = int(member.max()) + 1
    axis.scatter(*X.T, s=9, c=np.array(cluster_colors(k))[member])
    axis.set_title(f"one of 50 members: {k} pieces", size=11)
axes[1, 1].scatter(*X.T, s=9, c=np.array(cluster_colors(3))[result.labels])
axes[1, 1].set_title("all 50 together: 3 clusters", size=11, weight="bold")
for axis in axes.flat:
    axis.set(xticks=[], yticks=[], aspect="equal")

print(f"agreement with the truth (1 is perfect): {ari(y, result.labels):.2f}")

# %%
# How often do two samples go together?
# -------------------------------------
#
# That table, the *co-association*, is what the members know together. White pairs never
# share a cluster, black ones always do. Sorted by the tree, the ball is one block, and
# the moons are two chains of pieces that overlap from member to member. No single
# member has seen them.

found = coterie.explain(ensemble, result)
order = coterie.plot.data("consensus_matrix", found, max_samples=None)["samples"]
S = ensemble.coassociation()

figure, axes = plt.subplots(1, 3, figsize=(11, 3.7), layout="constrained")
one = ensemble.labels[order, 0]
axes[0].imshow(one[:, None] == one[None, :], cmap="gray_r")
axes[0].set_title("one member: together or not", size=11)
axes[1].imshow(S[np.ix_(order, order)], cmap="gray_r")
axes[1].set_title("fifty members: how often", size=11)
for axis in axes[:2]:
    axis.set(xticks=[], yticks=[], xlabel="samples", ylabel="samples")
anchor = 0
near = axes[2].scatter(*X.T, s=9, c=S[anchor], cmap="viridis")
axes[2].scatter(*X[anchor], s=90, c="none", edgecolors="k")
axes[2].set(xticks=[], yticks=[], aspect="equal")
axes[2].set_title("how often with the circled sample", size=11)
figure.colorbar(near, ax=axes[2], shrink=0.5)

# %%
# For comparison: one k-means with three clusters, the usual way, and the consensus of
# fewer members.

single = KMeans(3, n_init=10, random_state=0).fit_predict(X)
print(f"one k-means, k = 3: {ari(y, single):.2f}")
for m in (2, 5, 10, 50):
    scores = []
    for seed in range(10):
        members = RandomKMeans(m, n_clusters=(6, 20)).generate(X, seed=seed)
        scores.append(ari(y, coterie.combine(members, 3, "eac")))
    print(f"{m:3d} members: {np.mean(scores):.2f} ± {np.std(scores):.2f}")
