"""Members on random features, the telling ones kept."""

import warnings

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from coterie.generation import LaplacianSubspaceSpectral, _laplacian_subspace
from coterie.metrics import ari

X, Y = make_blobs(120, n_features=12, centers=3, cluster_std=1.0, random_state=0)
NOISE = np.random.default_rng(0).normal(scale=3.0, size=(120, 12))
MIXED = np.hstack([X, NOISE])


def test_draws():
    made = LaplacianSubspaceSpectral(60, subspace_ratio=0.5, selection_ratio=0.6)
    members = made.generate(MIXED, seed=0).members
    drawn = [m.params for m in members]
    assert {m.features.size for m in members} == {7}  # round(0.6 * 12)
    assert {p["n_clusters"] for p in drawn} == set(range(2, 11))  # floor of 10.95
    assert {p["n_neighbors"] for p in drawn} == set(range(5, 21))
    assert all(0.2 <= p["mu"] <= 0.8 for p in drawn)
    assert all((np.diff(m.features) > 0).all() for m in members)
    assert set(np.concatenate([m.features for m in members])) >= set(range(12))


@pytest.mark.parametrize("order", ["smallest", "largest"])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_the_features_of_the_best_scores_are_kept(order, make):
    part = LaplacianSubspaceSpectral(order=order, selection_ratio=0.25)
    kept = part._select(make(MIXED), np.random.default_rng(0))
    W = oracles.gaussian_graph(MIXED, 5)
    scores = np.array([oracles.laplacian_score(f, W) for f in MIXED.T])
    best = np.argsort(scores if order == "smallest" else -scores)[:6]
    assert kept.tolist() == sorted(best)
    assert (kept < 12).all() == (order == "smallest")  # the noise comes last


def test_selection_can_be_switched_off(monkeypatch):
    def score(*args, **kwargs):
        raise AssertionError("scored")

    monkeypatch.setattr(_laplacian_subspace, "laplacian_score", score)
    part = LaplacianSubspaceSpectral(3, subspace_ratio=0.5, selection_ratio=1.0)
    assert {m.features.size for m in part.generate(X, seed=0).members} == {6}


@pytest.mark.parametrize("order", ["smallest", "largest"])
def test_constant_features_are_kept_last(order):
    data = np.hstack([np.ones((120, 6)), X])
    part = LaplacianSubspaceSpectral(
        4, subspace_ratio=1.0, selection_ratio=2 / 3, order=order
    )
    for member in part.generate(data, seed=0).members:
        np.testing.assert_array_equal(member.features, np.arange(6, 18))


@pytest.mark.parametrize("graph", ["density", "gaussian"])
def test_members_find_the_groups(graph):
    part = LaplacianSubspaceSpectral(6, graph=graph, n_clusters=3)
    ensemble = part.generate(MIXED, seed=0)
    assert np.mean([ari(Y, labels) for labels in ensemble.labels.T]) > 0.9
    assert ("mu" in ensemble.members[0].params) == (graph == "density")


def test_many_samples(monkeypatch):
    part = LaplacianSubspaceSpectral(4, n_clusters=3)
    monkeypatch.setattr(_laplacian_subspace, "_ALL_PAIRS", 80)
    monkeypatch.setattr(_laplacian_subspace, "_N_CANDIDATES", 60)
    shared = part.generate(MIXED, seed=0)
    assert all(0.8 < m.params["recall"] <= 1.0 for m in shared.members)
    assert np.mean([ari(Y, labels) for labels in shared.labels.T]) > 0.9
    monkeypatch.setattr(_laplacian_subspace, "_N_CANDIDATES", 20)  # too few of them
    alone = part.generate(MIXED, seed=0)
    assert {m.params["recall"] for m in alone.members} == {1.0}


HARD = {
    "constant features only": np.ones((30, 4)),
    "duplicate rows": np.repeat(X[:10], 4, axis=0),
    "three samples": X[:3],
    "two samples": X[:2],
    "one feature": X[:, :1],
    "huge values": X * 1e12,
    "tiny values": X * 1e-12,
    "an outlier": np.vstack([X, np.full((1, 12), 1e9)]),
    "sparse": sp.csr_array(np.where(np.abs(X) > 5, X, 0.0)),
}


@pytest.mark.parametrize("graph", ["density", "gaussian"])
@pytest.mark.parametrize("name", HARD)
def test_hard_data(name, graph):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ensemble = LaplacianSubspaceSpectral(6, graph=graph).generate(
            HARD[name], seed=0
        )
    assert not ensemble.has_missing
    assert (ensemble.n_clusters_per_member > 1).all()


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"selection_ratio": 0.0}, "'selection_ratio' parameter of Laplacian"),
        ({"order": "descending"}, "'order' parameter of LaplacianSubspaceSpectral"),
        ({"graph": "knn"}, "'graph' parameter of LaplacianSubspaceSpectral"),
        ({"mu_range": (0.0, 1.0)}, "mu_range as two positive numbers"),
        ({"mu_range": (0.5,)}, "mu_range as two positive numbers"),
        ({"neighbors_range": (9, 3)}, "neighbors_range as two positive whole numbers"),
        ({"n_clusters": (2, 500)}, "up to 500 clusters, but there are only"),
    ],
)
def test_bad_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        LaplacianSubspaceSpectral(**params).generate(X)
