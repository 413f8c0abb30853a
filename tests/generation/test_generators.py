"""What is special to each generator."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import DBSCAN, AgglomerativeClustering, KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from coterie.generation import (
    Bootstrap,
    FromClusterers,
    RandomKMeans,
    RandomProjection,
    RandomSubspace,
    SubsampledKMeans,
)
from coterie.generation._base import cluster_means
from coterie.generation._draws import draw_n_clusters, draw_sorted
from coterie.metrics import ari

X, Y = make_blobs(120, n_features=8, centers=4, cluster_std=0.5, random_state=1)


def nearest(view, centers):
    return ((view[:, None] - centers) ** 2).sum(axis=2).argmin(axis=1)


def test_numbers_of_clusters():
    fixed = RandomKMeans(6, n_clusters=5).generate(X, seed=0)
    np.testing.assert_array_equal(fixed.n_clusters_per_member, 5)
    spread = RandomKMeans(60, n_clusters=(3, 6)).generate(X, seed=0)
    assert set(spread.n_clusters_per_member) == {3, 4, 5, 6}
    default = RandomKMeans(80).generate(X, seed=0).n_clusters_per_member
    assert default.min() >= 2
    assert default.max() <= 11  # ceil(sqrt(120))
    assert len(set(default)) >= 8


@pytest.mark.parametrize(("n", "most"), [(1, 1), (2, 2), (3, 2), (100, 10), (101, 11)])
def test_default_range(n, most):
    rng = np.random.default_rng(0)
    drawn = {draw_n_clusters(None, n, rng) for _ in range(300)}
    assert drawn == set(range(min(2, n), most + 1))


def test_draw_sorted():
    drawn = draw_sorted(10, 0.3, np.random.default_rng(0))
    assert drawn.size == 3
    assert (np.diff(drawn) > 0).all()
    assert draw_sorted(10, 0.01, np.random.default_rng(0)).size == 1


def test_kmeans_members_are_where_their_centres_are_nearest():
    ensemble = RandomKMeans(5).generate(X, seed=2)
    for j, member in enumerate(ensemble.members):
        np.testing.assert_array_equal(nearest(X, member.centers), ensemble.labels[:, j])
        assert member.params["n_clusters"] == ensemble.n_clusters_per_member[j]


def test_random_starts_differ_more_than_spread_ones():
    def agreement(init):
        ensemble = RandomKMeans(15, n_clusters=4, init=init).generate(X, seed=0)
        return np.mean([ari(Y, column) for column in ensemble.labels.T])

    assert agreement("random") < agreement("k-means++")


@pytest.mark.parametrize("generator", [SubsampledKMeans, Bootstrap])
def test_samples_left_out_go_to_the_nearest_centre_or_stay_unassigned(generator):
    completed = generator(6, n_clusters=4, rest="nearest").generate(X, seed=3)
    holed = generator(6, n_clusters=4, rest="missing").generate(X, seed=3)
    assert not completed.has_missing
    for j in range(6):
        out = holed.labels[:, j] < 0
        assert 0.2 < out.mean() < 0.45  # 30% and about 37%
        assert ari(completed.labels[~out, j], holed.labels[~out, j]) == 1.0
        assert ari(Y[out], completed.labels[out, j]) > 0.5


def test_subsample_takes_its_share():
    holed = SubsampledKMeans(4, sample_ratio=0.25, rest="missing").generate(X, seed=0)
    np.testing.assert_array_equal((holed.labels >= 0).sum(axis=0), 30)
    with pytest.raises(ValueError, match="up to 40 clusters, but there are only n_sam"):
        SubsampledKMeans(4, sample_ratio=0.25, n_clusters=40).generate(X)


def test_subspace_members_see_their_features_only():
    generator = RandomSubspace(5, n_clusters=4, feature_ratio=0.25)
    ensemble = generator.generate(X, seed=0)
    shuffled = X.copy()
    features = ensemble.members[0].features
    unseen = np.setdiff1d(np.arange(8), features)
    shuffled[:, unseen] = np.random.default_rng(0).permutation(X)[:, unseen]
    assert features.size == 2
    again = generator.generate(shuffled, seed=0)
    np.testing.assert_array_equal(again.labels[:, 0], ensemble.labels[:, 0])
    assert len({tuple(m.features) for m in ensemble.members}) > 1


def test_projections_keep_distances_on_average():
    ensemble = RandomProjection(40, n_components=6).generate(X, seed=0)
    lengths = np.mean([(m.view(X) ** 2).sum() for m in ensemble.members])
    assert abs(lengths / (X**2).sum() - 1) < 0.2
    assert RandomProjection(2).generate(X, seed=0).members[0].embedding.shape == (8, 3)


@pytest.mark.parametrize("generator", [RandomSubspace, RandomProjection, Bootstrap])
def test_any_clusterer(generator):
    part = generator(4, clusterer=AgglomerativeClustering(), n_clusters=(3, 5))
    sizes = part.generate(X, seed=0).n_clusters_per_member
    assert set(sizes) <= {3, 4, 5}
    own = generator(3, clusterer=KMeans(6, n_init=1)).generate(X, seed=0)
    np.testing.assert_array_equal(own.n_clusters_per_member, 6)


def test_noise_stays_noise():
    data = np.vstack([X, [[500.0] * 8]])
    ensemble = Bootstrap(3, clusterer=DBSCAN(eps=3)).generate(data, seed=0)
    assert ensemble.n_samples == 121
    listed = FromClusterers([DBSCAN(eps=3), KMeans(4, n_init=1)]).generate(data, seed=0)
    assert listed.labels[-1, 0] == -1
    assert [m.name for m in listed.members] == ["DBSCAN", "KMeans"]


def test_clusterers_inside_pipelines_are_seeded():
    model = make_pipeline(StandardScaler(), KMeans(7, init="random", n_init=1))
    generator = FromClusterers([model] * 4)
    first = generator.generate(X, seed=0)
    np.testing.assert_array_equal(generator.generate(X, seed=0).labels, first.labels)
    assert len({tuple(column) for column in first.labels.T}) > 1


def test_cluster_means_of_dense_and_sparse(monkeypatch):
    labels = np.array([0, 1, -1, 0])
    data = np.array([[1.0, 2.0], [3.0, 4.0], [9.0, 9.0], [3.0, 0.0]])
    expected = [[2.0, 1.0], [3.0, 4.0]]
    np.testing.assert_array_equal(cluster_means(data, labels), expected)
    np.testing.assert_array_equal(cluster_means(sp.csr_array(data), labels), expected)
    monkeypatch.setattr("coterie.generation._base._FEW_VALUES", 0)  # by our own kernel
    np.testing.assert_array_equal(cluster_means(data, labels), expected)


@pytest.mark.parametrize(
    ("generator", "error", "text"),
    [
        (
            RandomSubspace(feature_ratio=0.0),
            ValueError,
            "'feature_ratio' parameter of Ra",
        ),
        (
            RandomSubspace(feature_ratio=1.5),
            ValueError,
            "'feature_ratio' parameter of Ra",
        ),
        (
            RandomSubspace(clusterer="kmeans"),
            ValueError,
            "'clusterer' parameter of Random",
        ),
        (
            RandomProjection(n_components=0),
            ValueError,
            "'n_components' parameter of Ran",
        ),
        (
            SubsampledKMeans(rest="drop"),
            ValueError,
            "'rest' parameter of SubsampledKMea",
        ),
        (
            RandomKMeans(n_clusters=0),
            ValueError,
            "'n_clusters' parameter of RandomKMeans",
        ),
        (
            RandomKMeans(n_clusters=121),
            ValueError,
            "up to 121 clusters, but there are on",
        ),
        (RandomKMeans(n_clusters=(2, 3, 4)), ValueError, r"got \(2, 3, 4\)"),
        (FromClusterers([]), ValueError, "needs at least one clusterer, got none"),
        (
            FromClusterers([KMeans]),
            TypeError,
            "clusterers with fit_predict, but number 0",
        ),
        (FromClusterers([3]), TypeError, "but number 0 is 3"),
    ],
)
def test_bad_parameters(generator, error, text):
    with pytest.raises(error, match=text):
        generator.generate(X)
