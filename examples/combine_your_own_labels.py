"""Combine clusterings from different tools, and look at the doubtful samples.

Four scikit-learn clusterers disagree about the wine data. Their labels, noise included,
are combined into one clustering; the confidence tells which samples they fight over.
"""

import numpy as np
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans, SpectralClustering
from sklearn.datasets import load_wine
from sklearn.preprocessing import scale

import coterie
from coterie.metrics import diversity, score

X, y = load_wine(return_X_y=True)
X = scale(X)
models = [
    KMeans(5, n_init=1, random_state=0),
    AgglomerativeClustering(3, linkage="complete"),
    SpectralClustering(4, affinity="nearest_neighbors", random_state=0),
    DBSCAN(eps=2.3),
]
for model in models:
    model.fit(X)

ensemble = coterie.Ensemble(models)
print(ensemble)
print(f"diversity of the members: {diversity(ensemble):.2f}")

result = coterie.combine(ensemble, n_clusters=3, method="lwea", return_result=True)
for model in models:
    print(f"{type(model).__name__:24} ARI {score(y, model.labels_)['ari']:.2f}")
print(f"{'together':24} ARI {score(y, result.labels)['ari']:.2f}")

doubtful = np.argsort(result.confidence)[:5]
print("least sure:", ", ".join(f"{i} ({result.confidence[i]:.2f})" for i in doubtful))
