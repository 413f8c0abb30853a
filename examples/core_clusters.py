"""
Core clusters: samples that no member separates
===============================================

C2SWCE makes a few members, each on features that it selects itself, and combines their
core clusters in one of four ways.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from coterie import C2SWCE
from coterie.consensus import CoreBipartite, CoreLinkage, CoreMetaClusters, CoreSpectral
from coterie.metrics import nmi

# %%
# Half of the features are noise
# ------------------------------
#
# The digits have 64 pixels; we add 64 columns of noise.

X, y = load_digits(return_X_y=True)
X = np.hstack([X, np.random.default_rng(0).normal(scale=4, size=(len(X), 64))])

model = C2SWCE(n_clusters=10, consensus="hc", random_state=0).fit(X)
core = model.ensemble_.core
print(model.ensemble_)
print(f"{len(core)} core clusters; the largest has {core.counts.max()} samples")

# %%
# Which features did the members keep? Those that vary little between neighbours (with
# small Laplacian scores). They keep pixels in the middle more often than noise, and
# never the empty ones at the left edge; but much of the noise stays, and the consensus
# has to do the rest.

kept = np.concatenate([member.features for member in model.ensemble_.members])
times = np.bincount(kept, minlength=128)
print(f"pixels kept {times[:64].sum()} times, noise {times[64:].sum()} times")

figure, axes = plt.subplots(1, 3, figsize=(11, 3.5), layout="constrained")
for axis, part, name in zip(
    axes, (times[:64], times[64:]), ("pixels", "noise"), strict=False
):
    shown = axis.imshow(part.reshape(8, 8), cmap="viridis", vmin=0, vmax=10)
    axis.set(xticks=[], yticks=[], title=f"{name}: kept by how many of 10 members")
figure.colorbar(shown, ax=axes[1], shrink=0.8)
sizes = np.sort(core.counts)[::-1]
axes[2].plot(np.cumsum(sizes) / len(X), color="#0072B2", lw=2)
axes[2].set(xlabel="core clusters, largest first", ylabel="share of the samples")
axes[2].set_title(f"{len(core)} core clusters for {len(X)} samples")
axes[2].spines[["top", "right"]].set_visible(False)
for axis in axes[:2]:
    axis.title.set_size(10)

# %%
# One ensemble serves all four consensus functions.

for part in (CoreLinkage(), CoreSpectral(), CoreBipartite(), CoreMetaClusters()):
    result = part.combine(model.ensemble_, 10, X=X, seed=0)
    print(f"{type(part).__name__:>16}: NMI {nmi(y, result.labels):.3f}")
