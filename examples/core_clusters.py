"""Core clusters: samples that no member of an ensemble ever separates.

C2SWCE makes few members, each on features that it selects itself, and combines their
core clusters in one of four ways.
"""

import numpy as np
from sklearn.datasets import load_digits

from coterie import C2SWCE
from coterie.consensus import CoreBipartite, CoreLinkage, CoreMetaClusters, CoreSpectral
from coterie.metrics import nmi

X, y = load_digits(return_X_y=True)
X = np.hstack([X, np.random.default_rng(0).normal(scale=4, size=(len(X), 64))])

model = C2SWCE(n_clusters=10, consensus="hc", random_state=0).fit(X)
core = model.ensemble_.core
print(model.ensemble_)
print(f"{len(core)} core clusters; the largest has {core.counts.max()} samples")

# Half of the features are noise. Which ones did the members keep?
kept = np.concatenate([member.features for member in model.ensemble_.members])
print(f"pixels kept {np.sum(kept < 64)} times, noise {np.sum(kept >= 64)} times")

# One ensemble serves all four consensus functions.
for part in (CoreLinkage(), CoreSpectral(), CoreBipartite(), CoreMetaClusters()):
    result = part.combine(model.ensemble_, 10, X=X, seed=0)
    print(f"{type(part).__name__:>16}: NMI {nmi(y, result.labels):.3f}")
