"""The number of clusters: members at each k against plain scikit-learn, a whole run."""

from typing import Any

import numpy as np
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from benchmarks.harness import Case
from coterie.choice import choose_k
from coterie.choice._criteria import consensus_levels, pac
from coterie.choice._members import divide_by_kmeans

K_VALUES = range(2, 11)
N_SPLITS = 10


def data() -> np.ndarray:
    X, _ = make_blobs(1000, 20, centers=5, cluster_std=3.0, random_state=0)
    return X


def half() -> np.ndarray:
    return data()[:500]


def ours(X: np.ndarray) -> list[float]:
    divisions = divide_by_kmeans(X, K_VALUES, N_SPLITS, np.random.default_rng(0))
    return [pac(consensus_levels(division.ensemble)) for division in divisions]


def plain(X: np.ndarray) -> list[float]:
    """Halves by scikit-learn, and the dense consensus matrix."""
    rng, found = np.random.default_rng(0), []
    for k in K_VALUES:
        S = np.zeros((len(X), len(X)))
        for _ in range(N_SPLITS):
            order = rng.permutation(len(X))
            for seen in (order[: len(X) // 2], order[len(X) // 2 :]):
                labels = KMeans(k, n_init=3, random_state=0).fit(X[seen]).predict(X)
                S += labels[:, None] == labels
        pairs = S[np.triu_indices(len(X), 1)] / (2 * N_SPLITS)
        found.append(float(np.mean((pairs > 0.1) & (pairs <= 0.9))))
    return found


def whole(X: np.ndarray) -> Any:
    return choose_k(X, random_state=0)


CASES = [
    Case(
        "choose-k-members",
        "PAC at k = 2 to 10 of 500 x 20, 20 k-means members of halves at each k",
        half,
        {"coterie": ours, "scikit-learn": plain},
        lambda found: (
            f"PAC at k = 5: {found['coterie'][3]:.3f}, {found['scikit-learn'][3]:.3f}"
        ),
    ),
    Case(
        "choose-k",
        "choose_k of 1,000 x 20 as it is: k = 2 to 10, 59 references",
        data,
        {"coterie": whole},
        lambda found: found["coterie"].sentence,
    ),
]
