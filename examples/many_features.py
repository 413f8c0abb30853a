"""
Many features: MDEC
===================

Leukaemia data have thousands of genes, most of which say nothing about the disease. We
simulate such data: 200 patients of five kinds and 1,000 genes, of which 5% matter.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.cluster import KMeans

from coterie import MDEC, plot
from coterie.metrics import ari

rng = np.random.default_rng(0)
kinds = np.repeat(np.arange(5), [80, 50, 40, 20, 10])
genes = rng.normal(size=(200, 1000))
for kind in range(5):
    genes[np.ix_(kinds == kind, np.arange(10 * kind, 10 * kind + 10))] += 2.5

# %%
# MDEC gives each of a hundred members its own half of the genes and its own notion of
# distance, and asks what they agree on.

model = MDEC(n_clusters=5, random_state=0).fit(genes)
single = KMeans(5, n_init=10, random_state=0).fit_predict(genes)
print(f"one k-means, best of ten starts: ARI {ari(kinds, single):.2f}")
print(f"MDEC:                            ARI {ari(kinds, model.labels_):.2f}")
members = [ari(kinds, labels) for labels in model.ensemble_.labels.T]
print(f"its members:                     ARI {np.mean(members):.2f} on average")

# %%
# The consensus matrix shows how often two patients go together. The lower band under
# the tree is the clustering, the upper one the truth.

figure, axes = plt.subplots(1, 2, figsize=(11.5, 5.0), layout="constrained")
plot.consensus_matrix(model, annotations={"kind": kinds}, ax=axes[0])
plot.quality_diversity(model, ax=axes[1])
