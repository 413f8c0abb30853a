"""Linear algebra against scikit-learn and scipy."""

from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import minimum_spanning_tree
from scipy.sparse.linalg import eigsh
from scipy.spatial.distance import pdist, squareform
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from sklearn.neighbors import NearestNeighbors, kneighbors_graph

from benchmarks.harness import Case
from coterie._linalg import kmeans, nearest_neighbors, spanning_tree, spectral_embedding


class Start(NamedTuple):
    """Data and first centres."""

    X: np.ndarray
    centers: np.ndarray


def _kmeans_data() -> Start:
    X = make_blobs(11_000, n_features=128, centers=60, cluster_std=6, random_state=0)[0]
    rows = np.random.default_rng(0).choice(len(X), 50, replace=False)
    return Start(X, X[rows].copy())


def kmeans_ours(data: Start) -> float:
    rng = np.random.default_rng(0)
    return kmeans(data.X, 50, rng=rng, init=data.centers, max_iter=30, tol=0).inertia


def kmeans_sklearn(data: Start) -> float:
    model = KMeans(50, init=data.centers, n_init=1, max_iter=30, tol=0)
    return float(model.fit(data.X).inertia_)


def _points() -> np.ndarray:
    X = make_blobs(5000, n_features=392, centers=30, cluster_std=5, random_state=0)[0]
    return X.astype(np.float32)


def neighbors_ours(X: np.ndarray) -> np.ndarray:
    return nearest_neighbors(X, 20).indices


def neighbors_sklearn(X: np.ndarray) -> np.ndarray:
    model = NearestNeighbors(n_neighbors=20, algorithm="brute").fit(X)
    return model.kneighbors(return_distance=False)


def _graph() -> sp.csr_array:
    X = make_blobs(11_000, n_features=20, centers=60, cluster_std=4, random_state=0)[0]
    W = kneighbors_graph(X, 15, mode="connectivity")
    return sp.csr_array(W.maximum(W.T))


def spectral_ours(W: sp.csr_array) -> np.ndarray:
    return spectral_embedding(W, 100, rng=np.random.default_rng(0))


def spectral_scipy(W: sp.csr_array) -> np.ndarray:
    scale = sp.diags_array(1 / np.sqrt(W.sum(axis=1)))
    start = np.random.default_rng(0).standard_normal(W.shape[0])
    return eigsh(scale @ W @ scale, 100, which="LA", v0=start, tol=1e-4)[1]


def tree_ours(X: np.ndarray) -> float:
    return float(spanning_tree(X).lengths.sum())


def tree_scipy(X: np.ndarray) -> float:
    return float(minimum_spanning_tree(squareform(pdist(X))).sum())


CASES = [
    Case(
        "kmeans",
        "30 Lloyd steps from the same start, 11,000 x 128, k = 50",
        _kmeans_data,
        {"coterie": kmeans_ours, "scikit-learn": kmeans_sklearn},
        lambda r: f"inertia, ours / theirs: {r['coterie'] / r['scikit-learn']:.5f}",
    ),
    Case(
        "neighbors",
        "20 nearest neighbours, 5,000 x 392, float32",
        _points,
        {"coterie": neighbors_ours, "scikit-learn": neighbors_sklearn},
        lambda r: f"equal neighbours: {np.mean(r['coterie'] == r['scikit-learn']):.5f}",
    ),
    Case(
        "spectral",
        "100 eigenvectors of a neighbour graph, N = 11,000",
        _graph,
        {"coterie": spectral_ours, "scipy": spectral_scipy},
    ),
    Case(
        "spanning-tree",
        "Euclidean minimum spanning tree, 5,000 x 392, float32",
        _points,
        {"coterie": tree_ours, "scipy": tree_scipy},
        lambda r: f"length, ours / theirs: {r['coterie'] / r['scipy']:.6f}",
    ),
]
