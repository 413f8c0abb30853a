"""
Add your own generator, weighter, consensus
===========================================

A part is a small class with one method. Three of them, written here from nothing, make
a whole system: members that see the data through a random rotation and rounding,
weights for balanced members, and a consensus by the most typical member.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import make_blobs

from coterie import EnsembleClustering, Weights, plot
from coterie.consensus import BaseConsensus
from coterie.generation import BaseGenerator
from coterie.metrics import ari, nmi
from coterie.weighting import BaseWeighter

# %%
# A generator
# -----------
#
# It returns the labels of one member, made from its own stream of random numbers;
# seeds, threads, checkpoints, errors and the record of each member are the base class's
# work.


class RandomGrid(BaseGenerator):
    """Cut the data by a random grid: samples of the same cell are a cluster."""

    def __init__(self, n_members=50, *, n_cells=4, on_error="raise"):
        self.n_members = n_members
        self.n_cells = n_cells
        self.on_error = on_error

    def _member(self, X, number, rng):
        direction = np.linalg.qr(rng.normal(size=(X.shape[1], X.shape[1])))[0]
        turned = X @ direction[:, :2]
        low, high = turned.min(axis=0), turned.max(axis=0)
        shift = rng.random(2)
        cell = np.floor((turned - low) / (high - low) * self.n_cells + shift)
        return np.unique(cell, axis=0, return_inverse=True)[1].ravel()


# %%
# A weighter
# ----------
#
# It says how much members, clusters or samples count, and declares which of them its
# weights apply to.


class BalanceWeighter(BaseWeighter):
    """Members count by the entropy of their cluster sizes."""

    gives_weights = frozenset({"members"})

    def _weigh(self, task):
        weights = np.empty(task.ensemble.n_members)
        for j, labels in enumerate(task.ensemble.labels.T):
            share = np.bincount(labels[labels >= 0]) / np.sum(labels >= 0)
            weights[j] = -np.sum(share * np.log(share))
        return Weights(members=weights / weights.mean())


# %%
# A consensus function
# --------------------
#
# It gets a task (the ensemble, the number of clusters, and the weights that it says it
# uses) and returns labels.


class Typical(BaseConsensus):
    """Merge the clusters of the member that agrees best with all others."""

    uses_weights = frozenset({"members"})

    def _combine(self, task):
        ensemble, weights = task.ensemble, task.weights
        M = ensemble.n_members
        count = np.ones(M) if weights.members is None else weights.members
        agreement = np.array(
            [[nmi(a, b) for a in ensemble.labels.T] for b in ensemble.labels.T]
        )
        typical = ensemble.labels[:, np.argmax(agreement @ count)]
        S = ensemble.coassociation(weights)
        groups = [np.flatnonzero(typical == c) for c in range(typical.max() + 1)]
        while len(groups) > task.n_clusters:
            together = np.array(
                [[S[np.ix_(a, b)].mean() for a in groups] for b in groups]
            )
            np.fill_diagonal(together, -1.0)
            i, j = sorted(np.unravel_index(together.argmax(), together.shape))
            groups[i] = np.concatenate([groups[i], groups.pop(j)])
        labels = np.empty(ensemble.n_samples, dtype=int)
        for c, group in enumerate(groups):
            labels[group] = c
        return labels


# %%
# Together
# --------
#
# They are at home at once: in a system, with ``recut``, ``predict``, confidence and
# plots, beside any other part.

X, y = make_blobs(300, centers=4, cluster_std=1.0, random_state=2)
model = EnsembleClustering(
    n_clusters=4,
    generator=RandomGrid(40),
    weighter=BalanceWeighter(),
    consensus=Typical(),
    random_state=0,
).fit(X)
known = EnsembleClustering(n_clusters=4, generator=RandomGrid(40), random_state=0)
print(f"your own three parts:            ARI {ari(y, model.labels_):.2f}")
print(f"your members, the default rest:  ARI {ari(y, known.fit_predict(X)):.2f}")

figure, axes = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
member = model.ensemble_.labels[:, 0]
colors = np.array(plot.cluster_colors(int(member.max()) + 1))
axes[0].scatter(*X.T, s=16, c=colors[member])
axes[0].set(xticks=[], yticks=[], title="one member: cells of a random grid")
plot.sample_map(model, coordinates=X, ax=axes[1])
