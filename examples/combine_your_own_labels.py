"""
Combine labels you already have
===============================

Four scikit-learn clusterers disagree about the wine data. We combine their labels,
noise included, into one clustering; the confidence shows where they disagree.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import coterie
from coterie import plot
from coterie.metrics import diversity, score

X, y = load_wine(return_X_y=True)
X = scale(X)
models = {
    "k-means": KMeans(5, n_init=1, random_state=0),
    "linkage": AgglomerativeClustering(3, linkage="complete"),
    "spectral": SpectralClustering(4, affinity="nearest_neighbors", random_state=0),
    "DBSCAN": DBSCAN(eps=2.3),
}
table = pd.DataFrame({name: model.fit_predict(X) for name, model in models.items()})
print(table.head(3))

# %%
# An ensemble can hold labels from anywhere: a table with a column for each clustering,
# a list of label vectors, or fitted clusterers. Samples that a clusterer leaves out
# (-1, like DBSCAN's noise) count as missing labels, not as a cluster.

ensemble = coterie.Ensemble(table)
print(ensemble)
print(f"diversity of the members: {diversity(ensemble):.2f}")

result = coterie.combine(ensemble, n_clusters=3, consensus="lwea", return_result=True)

# %%
# Where did the clusters go? Each band is a set of samples, coloured by its final
# cluster.

found = coterie.explain(ensemble, result)
figure, axes = plt.subplots(
    1, 2, figsize=(11, 4.4), width_ratios=(1.5, 1), layout="constrained"
)
plot.alluvial(found, (0, 1, 2, 3), ax=axes[0])
plot.sample_map(found, ax=axes[1])

# %%
# Here are the four clusterings and their consensus, scored against the known kinds of
# wine, which no method saw; and the samples to look at again.

for name, labels in table.items():
    print(f"{name:10} ARI {score(y, labels)['ari']:.2f}")
print(f"{'together':10} ARI {score(y, result.labels)['ari']:.2f}")

doubtful = np.argsort(result.confidence)[:5]
print("least sure:", ", ".join(f"{i} ({result.confidence[i]:.2f})" for i in doubtful))
