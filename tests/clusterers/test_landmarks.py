"""U-SPEC, LSC and the parts that they are made of, against plain definitions."""

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs, make_moons

from coterie import USENC
from coterie._linalg import (
    draw_landmarks,
    kmeans_from_sample,
    landmark_affinity,
    landmark_spectral,
    nearest_landmarks,
    unit_rows,
)
from coterie._linalg._neighbors import Neighbors
from coterie.clusterers import LSC, USPEC
from coterie.metrics import ari, nmi

MOONS, HALVES = make_moons(3000, noise=0.06, random_state=0)


def rng(seed=0):
    return np.random.default_rng(seed)


def test_nearest_landmarks_are_the_nearest_of_the_vicinity():
    X = rng().normal(size=(300, 3))
    L = rng(1).normal(size=(200, 3))
    found = nearest_landmarks(X, L, 3, rng=rng())
    exact = nearest_landmarks(X, L, 3, rng=rng(), exact=True)
    D = oracles.squared_distances(X, L)
    np.testing.assert_allclose(
        found.sqdist, np.take_along_axis(D, found.indices, axis=1), atol=1e-9
    )
    assert (np.diff(found.sqdist, axis=1) >= 0).all()
    assert all(len(set(row)) == 3 for row in found.indices.tolist())
    same = [
        len(set(a) & set(b)) / 3
        for a, b in zip(found.indices, exact.indices, strict=True)
    ]
    assert np.mean(same) > 0.97
    np.testing.assert_allclose(exact.sqdist, np.sort(D, axis=1)[:, :3], atol=1e-9)


def test_sparse_samples_have_the_same_landmarks():
    X = rng().random((80, 6))
    X[X < 0.6] = 0.0
    L = rng(1).random((30, 6))
    dense = nearest_landmarks(X, L, 4, rng=rng(), exact=True)
    sparse = nearest_landmarks(sp.csr_array(X), L, 4, rng=rng())
    np.testing.assert_array_equal(sparse.indices, dense.indices)
    np.testing.assert_allclose(sparse.sqdist, dense.sqdist, atol=1e-9)


@pytest.mark.parametrize("method", ["hybrid", "random", "kmeans"])
def test_landmarks_lie_among_the_samples(method):
    L = draw_landmarks(MOONS, 50, rng=rng(), method=method)
    assert L.shape == (50, 2)
    D = oracles.squared_distances(L, MOONS)
    assert np.sqrt(D.min(axis=1)).max() < 0.2
    assert np.sqrt(D.min(axis=0)).max() < 0.7
    everything = draw_landmarks(MOONS[:20], 50, rng=rng(), method=method)
    np.testing.assert_array_equal(everything, MOONS[:20])


def test_weights_of_landmarks():
    near = Neighbors(np.array([[0, 2], [1, 2]]), np.array([[1.0, 4.0], [0.0, 9.0]]))
    sigma = np.mean([1, 2, 0, 3])
    expected = np.zeros((2, 3))
    expected[0, [0, 2]] = np.exp(-np.array([1.0, 4.0]) / (2 * sigma**2))
    expected[1, [1, 2]] = np.exp(-np.array([0.0, 9.0]) / (2 * sigma**2))
    np.testing.assert_allclose(landmark_affinity(near, 3).toarray(), expected)
    equal = Neighbors(near.indices, np.zeros((2, 2)))
    assert landmark_affinity(equal, 3).data.tolist() == [1.0] * 4


def test_uspec_is_the_cut_of_samples_and_landmarks():
    X, y = make_blobs(200, n_features=4, centers=3, random_state=3)
    labels, L = landmark_spectral(X, 3, rng=rng(), n_landmarks=20, n_neighbors=20)
    D = oracles.squared_distances(X, L)
    sigma = np.sqrt(D).mean()
    U, _ = oracles.transfer_cut(np.exp(-D / (2 * sigma**2)), 3)
    points = unit_rows(U)
    expected = np.array([points[y == c].mean(axis=0) for c in range(3)])
    plain = oracles.lloyd(points, expected)[0]
    assert ari(plain, labels) == 1.0


def test_uspec_follows_shapes():
    model = USPEC(2, n_landmarks=200, random_state=0).fit(MOONS)
    assert ari(HALVES, model.labels_) == 1.0
    assert model.landmarks_.shape == (200, 2)
    X, y = load_digits(return_X_y=True)
    found = [
        nmi(y, USPEC(10, n_landmarks=500, random_state=seed).fit_predict(X))
        for seed in range(3)
    ]
    assert np.mean(found) > 0.8


def test_uspec_of_sparse_data():
    X, y = load_digits(return_X_y=True)
    model = USPEC(10, n_landmarks=300, random_state=0)
    assert nmi(y, model.fit_predict(sp.csr_array(X))) > 0.75


@pytest.mark.parametrize("first_vector", ["drop", "keep"])
def test_lsc_is_the_svd_of_the_normalised_z(first_vector):
    X, _ = make_blobs(120, n_features=3, cluster_std=6.0, random_state=1)
    model = LSC(3, n_landmarks=15, n_neighbors=4, first_vector=first_vector).fit(X)
    L = draw_landmarks(X, 15, rng=rng(), method="kmeans")
    near = nearest_landmarks(X, L, 4, rng=rng(), exact=True)
    B = landmark_affinity(near, 15)
    Z = B.toarray() / B.toarray().sum(axis=1, keepdims=True)
    used = Z.sum(axis=0) > 0
    Z = Z[:, used] / np.sqrt(Z[:, used].sum(axis=0))
    U = np.linalg.svd(Z, full_matrices=False)[0]
    U = U[:, 1:4] if first_vector == "drop" else U[:, :3]
    found = model._embed(B, rng())
    np.testing.assert_allclose(found @ found.T, U @ U.T, atol=1e-6)


def test_lsc_follows_shapes():
    for method in ("kmeans", "random"):
        model = LSC(2, n_landmarks=300, landmarks=method, random_state=1).fit(MOONS)
        assert ari(HALVES, model.labels_) > 0.95


def test_a_sample_for_the_starts_is_enough():
    X, y = make_blobs(4000, centers=5, cluster_std=0.3, random_state=0)
    found = kmeans_from_sample(X, 5, 300, rng=rng(), n_init=5)
    assert ari(y, found.labels) == 1.0
    few = kmeans_from_sample(X[:100], 5, 300, rng=rng(), n_init=5)
    assert few.labels.shape == (100,)


@pytest.mark.parametrize("n_sample", [30, 100])
def test_weights_count_in_the_sample_and_in_all_rows(n_sample):
    X = np.repeat([[0.0], [1.0], [10.0]], 30, axis=0)
    w = np.repeat([1.0, 1.0, 1e-9], 30)  # so the far ones are not worth a cluster
    found = kmeans_from_sample(X, 2, n_sample, rng=rng(), n_init=5, sample_weight=w)
    assert found.labels[:30].max() != found.labels[30:60].max()
    assert ari(found.labels[:60], np.repeat([0, 1], 30)) == 1.0


@pytest.mark.parametrize("model", [USPEC, LSC])
def test_few_equal_and_lonely_samples(model):
    assert model(1).fit_predict([[1.0, 2.0]]).tolist() == [0]
    assert model(3).fit_predict([[0.0], [1.0], [5.0]]).tolist() == [0, 1, 2]
    assert model(2).fit_predict(np.ones((6, 2))).max() <= 1
    twice = np.repeat([[0.0], [1.0]], 10, axis=0)
    assert ari(np.repeat([0, 1], 10), model(2, random_state=0).fit_predict(twice)) == 1


def test_usenc_follows_shapes():
    model = USENC(2, n_members=6, n_landmarks=200, random_state=0).fit(MOONS)
    assert ari(HALVES, model.labels_) == 1.0
    assert model.ensemble_.n_clusters_per_member.min() >= 20
    assert model.ensemble_.n_clusters_per_member.max() <= 60
    assert np.mean(model.predict(MOONS) == model.labels_) > 0.98


def test_usenc_of_few_samples():
    assert USENC(1).fit_predict([[1.0, 2.0]]).tolist() == [0]
    X, y = make_blobs(60, centers=3, cluster_std=0.3, random_state=0)
    assert ari(y, USENC(3, random_state=0).fit_predict(X)) == 1.0
