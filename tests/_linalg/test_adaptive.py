"""Locally adaptive clustering against its plain definition."""

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from coterie._linalg import lac, weighted_sqdist
from coterie.metrics import ari


def stretched(seed=0):
    """Two clusters, each long in a direction of its own."""
    rng = np.random.default_rng(seed)
    a = rng.standard_normal((60, 3)) * [0.3, 5.0, 0.3]
    b = rng.standard_normal((60, 3)) * [5.0, 0.3, 0.3] + [0, 4, 3]
    return np.vstack([a, b]), np.repeat([0, 1], 60)


def test_distances():
    rng = np.random.default_rng(0)
    X, C, W = rng.random((9, 4)) + 100, rng.random((3, 4)) + 100, rng.random((3, 4))
    plain = [[(w * (x - c) ** 2).sum() for c, w in zip(C, W, strict=True)] for x in X]
    np.testing.assert_allclose(weighted_sqdist(X, C, W), plain, rtol=1e-9)
    sparse = weighted_sqdist(sp.csr_array(X), C, W)
    np.testing.assert_allclose(sparse, plain, atol=1e-9)


@pytest.mark.parametrize("max_iter", [1, 2, 5])
def test_iterations_are_the_papers(max_iter):
    X = make_blobs(80, n_features=4, centers=3, random_state=1)[0]
    found = lac(
        X, 3, h=0.7, rng=np.random.default_rng(2), init="random", max_iter=max_iter
    )
    centers = X[np.random.default_rng(2).choice(80, 3, replace=False)]
    weights = np.full((3, 4), 0.25)
    for _ in range(found.n_iter):
        labels, centers, weights = oracles.lac_step(X, centers, weights, 0.7)
    np.testing.assert_array_equal(found.labels, labels)
    np.testing.assert_allclose(found.centers, centers, rtol=1e-9)
    np.testing.assert_allclose(found.feature_weights, weights, rtol=1e-7, atol=1e-12)


def test_scattered_start_takes_the_farthest():
    X = np.array([[0.0], [1.0], [10.0], [4.0]])
    found = lac(X, 2, h=1.0, rng=np.random.default_rng(0), max_iter=1)
    assert found.labels[0] == found.labels[1] != found.labels[2]


def test_finds_clusters_that_are_long_in_their_own_directions():
    X, y = stretched()
    scores = [
        ari(y, lac(X, 2, h=1.0, rng=np.random.default_rng(s)).labels) for s in range(10)
    ]
    assert max(scores) > 0.9
    found = lac(X, 2, h=1.0, rng=np.random.default_rng(int(np.argmax(scores))))
    own = found.feature_weights[found.labels[0]]
    assert own.argmin() == 1
    np.testing.assert_allclose(found.feature_weights.sum(axis=1), 1.0)


def test_sparse_gives_the_same():
    X = np.abs(stretched()[0])
    dense = lac(X, 3, h=1.0, rng=np.random.default_rng(0))
    sparse = lac(sp.csr_array(X), 3, h=1.0, rng=np.random.default_rng(0))
    np.testing.assert_array_equal(sparse.labels, dense.labels)


@pytest.mark.parametrize("k", [1, 3, 6])
def test_duplicates_and_as_many_clusters_as_samples(k):
    X = np.repeat([[0.0, 1.0], [2.0, 3.0]], 3, axis=0)
    found = lac(X, k, h=1.0, rng=np.random.default_rng(0))
    assert np.unique(found.labels).size == k
    assert np.isfinite(found.centers).all()
