"""
Easy pairs first: SPCE
======================

SPCE first learns from the pairs of samples that nearly all members agree on, then from
increasingly disputed ones. What it learns shows which samples are hard.
"""

import matplotlib.pyplot as plt
import numpy as np

from coterie import SPCE, plot
from coterie.datasets import make_toy1
from coterie.generation import RandomKMeans
from coterie.metrics import ari

X, y = make_toy1(random_state=0)
members = RandomKMeans(20, n_clusters=(3, 8))
model = SPCE(n_clusters=3, generator=members, random_state=0).fit(X)
print(f"ARI with the three classes: {ari(y, model.labels_):.2f}")

# %%
# The hard samples lie where the classes touch. Their pairs count little in the first
# stage and more in each later one, as the clusters around them take shape.

difficulty = model.consensus_.details["difficulty"]
figure, axes = plt.subplots(1, 2, figsize=(11, 4.3), layout="constrained")
shown = axes[0].scatter(*X.T, c=difficulty, cmap="magma_r", s=22)
axes[0].set(xticks=[], yticks=[], title="difficulty of each sample")
figure.colorbar(shown, ax=axes[0], shrink=0.8)
plot.self_paced_weights(model, ax=axes[1])

# %%
# Are hard samples wrong more often? Here all but the hardest tenth are nearly perfect.

majority = np.array([np.bincount(y[model.labels_ == c]).argmax() for c in range(3)])
wrong = majority[model.labels_] != y
hard = difficulty > np.quantile(difficulty, 0.9)
print(f"wrong among the hardest tenth: {wrong[hard].mean():.1%}")
print(f"wrong among the others:        {wrong[~hard].mean():.1%}")
