"""How many clusters are there, and are there any?"""

import numpy as np
from sklearn.datasets import make_blobs

import coterie

rng = np.random.default_rng(0)
planted, _ = make_blobs(200, n_features=4, centers=3, random_state=3)
square = rng.random((200, 2))  # k-means divides it well, but it has no clusters

for name, X in (("three groups", planted), ("a square", square)):
    choice = coterie.choose_k(None, X, range(2, 7), n_null=39, random_state=0)
    print(f"{name}: {choice.sentence}")
    for criterion, k in choice.votes.items():
        print(f"  {criterion:>11} says {k}")

# The same inside any system, which then clusters:
model = coterie.EnsembleClustering(n_clusters="auto", random_state=0).fit(planted)
print(f"EnsembleClustering took {model.n_clusters_} clusters.")
print(model.k_choice_.to_frame().round(3).to_string(index=False))
