"""
How sure is it?
===============

Doubtful samples, firm clusters, new samples, and a report to share.
"""

import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import coterie
from coterie import plot

wine = load_wine()
X = scale(wine.data)
known, new = X[::2], X[1::2]

# %%
# Samples and clusters
# --------------------
#
# ``margin`` is the votes for a sample's cluster minus those for the runner-up. Check
# the samples with the lowest margin by hand.

model = coterie.EnsembleClustering(3, random_state=0).fit(known)
found = coterie.explain(model)

table = found.samples
doubtful = table["margin"].argsort()[:5]
for i in doubtful:
    print(
        f"  {i:3d}: cluster {table['cluster'][i]} with confidence "
        f"{table['confidence'][i]:.2f}, or cluster {table['second'][i]}"
    )
for c, consensus in enumerate(found.clusters["cluster_consensus"]):
    print(f"cluster {c}: two of its samples go together in {consensus:.0%} of members")

figure, axes = plt.subplots(1, 2, figsize=(11.5, 4.8), layout="constrained")
plot.consensus_matrix(found, annotations={"wine": wine.target[::2]}, ax=axes[0])
plot.sample_map(found, ax=axes[1])
places = plot.data("sample_map", found)
axes[1].scatter(
    places["x"][doubtful], places["y"][doubtful], s=150, c="none", edgecolors="k"
)
axes[1].set_title("larger where surer; circles: the five most doubtful", size=11)

# %%
# New samples
# -----------
#
# They are placed by the members' vote or by the nearest samples, whichever reproduces
# the clusters of ``fit`` better. Each gets a confidence, too.

placed, sure = model.predict(new), model.predict_confidence(new)
print(f"{len(new)} new samples placed by {model.predicts_by_}, mean {sure.mean():.2f}")
print(f"{(sure < 0.6).sum()} of them are doubtful")

# %%
# One file to share
# -----------------

path = Path(tempfile.mkdtemp()) / "wine.html"
coterie.report(model, known, path, features=wine.feature_names)
print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB, opens offline")
