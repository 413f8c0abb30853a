"""Gaussian mixtures and Leiden communities as members."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs, make_circles

from coterie.exceptions import DegenerateMemberWarning
from coterie.generation import (
    GaussianMixtures,
    GenieTree,
    LeidenCommunities,
    RandomKMeans,
)
from coterie.metrics import ari

KINDS = [GaussianMixtures, GenieTree, LeidenCommunities]
X, Y = make_blobs(300, n_features=4, centers=5, cluster_std=0.6, random_state=0)


def rng(seed=0):
    return np.random.default_rng(seed)


ODD_DATA = {
    "two samples": rng().standard_normal((2, 3)),
    "three samples": rng().standard_normal((3, 30)),
    "one feature": rng().standard_normal((40, 1)),
    "more features than samples": rng().standard_normal((12, 200)),
    "equal samples": np.ones((30, 4)),
    "two distinct samples": np.repeat([[0.0, 1.0], [2.0, 5.0]], 20, axis=0),
    "equal features": np.repeat(rng().standard_normal((50, 1)), 8, axis=1),
    "constant features": np.hstack([X[:60], np.full((60, 9), 1e9)]),
    "huge": rng().standard_normal((50, 4)) * 1e60,
    "tiny": rng().standard_normal((50, 12)) * 1e-60,
    "an outlier": np.vstack([rng().standard_normal((50, 3)), [[1e8, 0, 0]]]),
    "many zeros": (rng().random((60, 40)) < 0.03).astype(float),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ODD_DATA)
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_labels_always_come_out(kind, name, make):
    data = make(ODD_DATA[name])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateMemberWarning)
        ensemble = kind(4).generate(data, seed=0)
    assert ensemble.labels.shape == (data.shape[0], 4)
    assert not ensemble.has_missing


@pytest.mark.parametrize("kind", [GaussianMixtures, GenieTree])
def test_members_at_the_true_number_find_the_clusters(kind):
    ensemble = kind(8, n_clusters=5).generate(X, seed=0)
    assert max(ari(Y, labels) for labels in ensemble.labels.T) == 1.0


def test_mixtures_see_clusters_of_different_extents():
    wide, narrow = rng().standard_normal((2, 200, 2)) * [[[4.0]], [[0.3]]]
    narrow[:, 0] += 9.0
    data, y = np.vstack([wide, narrow]), np.arange(400) // 200

    def best(part):
        return max(ari(y, labels) for labels in part.generate(data, seed=0).labels.T)

    assert best(RandomKMeans(8, n_clusters=2)) < 0.85
    assert best(GaussianMixtures(8, n_clusters=2)) > 0.95


@pytest.mark.parametrize("n_components", [2, 10])
def test_units_of_features_matter_only_to_the_start(n_components):
    data = np.hstack([X, rng().standard_normal((300, 8))])
    part = GaussianMixtures(4, n_clusters=5, n_components=n_components)
    one = part.generate(data, seed=0)
    np.testing.assert_array_equal(part.generate(data * 1e9, seed=0).labels, one.labels)


def test_mixtures_learn_from_a_share_of_many_samples():
    part = GaussianMixtures(6, n_clusters=5, max_samples=100)
    ensemble = part.generate(X, seed=0)
    assert ensemble.n_samples == 300
    assert max(ari(Y, labels) for labels in ensemble.labels.T) == 1.0
    few = GaussianMixtures(20, max_samples=100).generate(X, seed=0)
    assert few.n_clusters_per_member.max() <= 10
    with pytest.raises(ValueError, match="up to 101 clusters, but there are only"):
        GaussianMixtures(n_clusters=101, max_samples=100).generate(X)


def test_communities_are_of_any_shape():
    rings, inner = make_circles(400, noise=0.02, factor=0.3, random_state=0)
    part = LeidenCommunities(10, resolution_range=(0.02, 0.1))
    ensemble = part.generate(rings, seed=0)
    for labels in ensemble.labels.T:  # no community is in both rings
        assert all(len(set(inner[labels == c])) == 1 for c in set(labels))


def test_communities_draw_neighbours_and_resolution():
    ensemble = LeidenCommunities(30).generate(X, seed=0)
    drawn = [m.params for m in ensemble.members]
    assert {p["n_neighbors"] for p in drawn} <= set(range(5, 21))
    assert len({p["n_neighbors"] for p in drawn}) > 8
    finest = max(range(30), key=lambda j: drawn[j]["resolution"])
    coarsest = min(range(30), key=lambda j: drawn[j]["resolution"])
    sizes = ensemble.n_clusters_per_member
    assert sizes[coarsest] < sizes[finest]


def test_one_community_is_split_if_the_range_allows():
    blob = rng().standard_normal((60, 2))
    part = LeidenCommunities(6, resolution_range=(0.001, 2.0))
    ensemble = part.generate(blob, seed=0)
    assert (ensemble.n_clusters_per_member >= 2).all()
    stays = LeidenCommunities(3, resolution_range=(0.001, 0.001))
    with pytest.warns(DegenerateMemberWarning):
        assert stays.generate(blob, seed=0).n_total_clusters == 3


@pytest.mark.parametrize(
    ("part", "text"),
    [
        (GaussianMixtures(n_components=0), "'n_components' parameter of GaussianMix"),
        (
            GaussianMixtures(max_samples=0),
            "'max_samples' parameter of Ga",
        ),
        (
            LeidenCommunities(neighbors_range=(0, 3)),
            "LeidenCommunities expects n",
        ),
        (LeidenCommunities(resolution_range=(2.0, 1.0)), "two positive numbers"),
    ],
)
def test_bad_parameters(part, text):
    with pytest.raises(ValueError, match=text):
        part.generate(X)
