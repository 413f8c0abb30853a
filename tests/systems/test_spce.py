"""SPCE: k-means members combined at their own pace."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, make_blobs

import coterie
from coterie import SPCE
from coterie.consensus import SelfPaced
from coterie.generation import RandomKMeans, RandomSubspace
from coterie.metrics import ari

X, Y = make_blobs(150, n_features=5, centers=4, cluster_std=0.7, random_state=0)


def test_the_papers_members():
    model = SPCE(n_clusters=4, random_state=0).fit(X)
    assert model.ensemble_.n_members == 20
    assert (model.ensemble_.n_clusters_per_member == 4).all()
    assert ari(Y, model.labels_) > 0.9
    assert model.labels_.max() == 3
    assert model.weights_.members.shape == (20,)
    assert model.weights_.samples.shape == (150,)
    assert model.consensus_.details["difficulty"].shape == (150,)
    assert ari(Y, model.predict(X)) > 0.9


def test_spectral_members():
    model = SPCE(n_clusters=4, generator="spectral", random_state=0).fit(X)
    widths = [member.params["sigma"] for member in model.ensemble_.members]
    assert len(widths) == 9
    assert widths[-1] == pytest.approx(widths[0] * 1e4)


def test_any_generator():
    generator = RandomSubspace(7, n_clusters=(3, 6))
    model = SPCE(n_clusters=4, generator=generator, random_state=0).fit(X)
    assert model.ensemble_.n_members == 7
    with pytest.raises(ValueError, match=r"n_members=5 and a generator of your own"):
        SPCE(n_clusters=4, generator=generator, n_members=5).fit(X)


def test_it_is_its_parts():
    model = SPCE(n_clusters=3, theta=0.5, pace="fixed", random_state=3)
    model.fit(load_iris().data)
    part = SelfPaced(0.5, pace="fixed")
    again = part.combine(model.ensemble_, 3, seed=model._fit_rest)
    np.testing.assert_array_equal(model.labels_, again.labels)


def test_found_components_may_be_more():
    X, _ = make_blobs(300, n_features=2, centers=1, random_state=0)
    found = SPCE(4, theta=0.8, components="found", random_state=0).fit(X)
    assert found.labels_.max() + 1 > 4
    for components in ("linkage", "exact"):
        model = SPCE(4, theta=0.8, components=components, random_state=0).fit(X)
        assert model.labels_.max() + 1 == 4
        assert not model.consensus_.converged


def test_one_cluster():
    model = SPCE(n_clusters=1, random_state=0).fit(X)
    np.testing.assert_array_equal(model.labels_, 0)
    assert model.recut(4).labels_.max() == 3


def test_recut_keeps_the_members():
    model = SPCE(n_clusters=4, random_state=0).fit(X)
    other = model.recut(2)
    assert other.ensemble_ is model.ensemble_
    assert other.labels_.max() == 1


def test_combine_by_name():
    ensemble = RandomKMeans(10, n_clusters=4).generate(X, seed=0)
    labels = coterie.combine(ensemble, 4, consensus="spce", random_state=0)
    expected = SelfPaced().combine(ensemble, 4, seed=0).labels
    np.testing.assert_array_equal(labels, expected)
