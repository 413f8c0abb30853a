"""WSPA and WBPA on members with weights of features."""

import numpy as np
import oracles
import pytest
from sklearn.datasets import load_iris
from sklearn.preprocessing import scale

from coterie import Ensemble, EnsembleClustering
from coterie.consensus import WBPA, WSPA
from coterie.consensus._weighted_subspaces import cluster_likelihoods
from coterie.exceptions import MemoryLimitError
from coterie.experimental import StratifiedSubspace
from coterie.generation import LocallyAdaptiveKMeans
from coterie.generation._stratified import feature_strata
from coterie.metrics import ari

X, Y = scale(load_iris().data), load_iris().target
ENSEMBLE = LocallyAdaptiveKMeans(6, n_clusters=(3, 5)).generate(X, seed=0)


def test_likelihoods():
    P = cluster_likelihoods(ENSEMBLE, X, "WSPA")
    for j, member in enumerate(ENSEMBLE.members):
        own = slice(ENSEMBLE.offsets[j], ENSEMBLE.offsets[j + 1])
        plain = oracles.wspa_likelihoods(X, member.centers, member.feature_weights)
        np.testing.assert_allclose(P[:, own], plain, rtol=1e-6)


def test_labels_alone_have_the_means_of_the_data():
    labels = Ensemble(ENSEMBLE.labels)
    P = cluster_likelihoods(labels, X, "WSPA")
    z = labels.labels[:, 2]
    means = np.array([X[z == c].mean(axis=0) for c in range(z.max() + 1)])
    plain = oracles.wspa_likelihoods(X, means, np.full(means.shape, 0.25))
    own = slice(labels.offsets[2], labels.offsets[3])
    np.testing.assert_allclose(P[:, own], plain, rtol=1e-6)


@pytest.mark.parametrize("method", [WSPA(), WBPA()])
def test_iris(method):
    result = method.combine(ENSEMBLE, 3, X=X, seed=0)
    assert ari(Y, result.labels) > 0.5
    assert np.bincount(result.labels).max() <= 53


def test_memory(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="WBPA: the likelihoods of"):
        WBPA().combine(ENSEMBLE, 3, X=X)


def test_weights_survive_a_file(tmp_path):
    ENSEMBLE.save(tmp_path / "e.npz")
    again = Ensemble.load(tmp_path / "e.npz")
    np.testing.assert_array_equal(
        again.members[1].feature_weights, ENSEMBLE.members[1].feature_weights
    )
    first = WSPA().combine(ENSEMBLE, 3, X=X, seed=0).labels
    np.testing.assert_array_equal(first, WSPA().combine(again, 3, X=X, seed=0).labels)


def test_members_place_new_samples_in_their_own_metric():
    model = EnsembleClustering(
        3, generator=LocallyAdaptiveKMeans(8), consensus="hbgf", random_state=0
    ).fit(X)
    assert np.mean(model.predict(X) == model.labels_) > 0.95


def test_strata_hold_like_features():
    rng = np.random.default_rng(0)
    base = rng.standard_normal((50, 3))
    wide = np.hstack([base[:, [g]] * (1 + rng.random(4)) for g in range(3)])
    groups = feature_strata(wide, 3)
    assert sorted(map(tuple, groups)) == [
        (0, 1, 2, 3),
        (4, 5, 6, 7),
        (8, 9, 10, 11),
    ]
    ensemble = StratifiedSubspace(5, n_clusters=2, n_strata=3).generate(wide, seed=0)
    for member in ensemble.members:
        assert np.bincount(member.features // 4).tolist() == [2, 2, 2]


def test_at_least_one_feature_of_each_stratum():
    ensemble = StratifiedSubspace(3, n_clusters=2, feature_ratio=0.01).generate(X)
    assert all(member.features.size == 4 for member in ensemble.members)
