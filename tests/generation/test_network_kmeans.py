"""k-means members on the codes of bootstrap networks."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from coterie import use_engine
from coterie._linalg import code_pca, kmeans
from coterie.generation import BootstrapNetworks, NetworkKMeans
from coterie.metrics import ari

X, Y = make_blobs(80, n_features=10, centers=4, random_state=0)


def small(n_members=4, **params):
    return NetworkKMeans(n_members, **{"n_networks": 2, "n_clusterings": 20, **params})


def test_members_are_kmeans_on_the_components_of_the_codes():
    networks, space, members = np.random.SeedSequence(7).spawn(3)
    codes = BootstrapNetworks(2, 6, n_clusterings=20).generate(X, seed=networks)
    scores = code_pca(codes.labels, 5, rng=np.random.default_rng(space)).scores
    ensemble = small(n_out=6, n_components=5, n_clusters=4).generate(X, seed=7)
    assert scores.shape == (80, 5)
    for number, child in enumerate(members.spawn(4)):
        rng = np.random.default_rng(child)
        rng.integers(4, 4, endpoint=True)  # the number of clusters
        expected = kmeans(scores, 4, rng=rng).labels
        assert ari(ensemble.labels[:, number], expected) == 1.0


def test_clear_clusters_are_found():
    ensemble = small(6, n_clusters=4).generate(X, seed=0)
    assert np.median([ari(Y, labels) for labels in ensemble.labels.T]) > 0.9
    assert all(member.centers is None for member in ensemble.members)
    assert {member.params["n_clusters"] for member in ensemble.members} == {4}


def test_numbers_of_clusters_are_drawn():
    ensemble = small(20, n_clusters=(2, 5)).generate(X, seed=0)
    assert {m.params["n_clusters"] for m in ensemble.members} == {2, 3, 4, 5}
    with pytest.raises(ValueError, match="up to 81 clusters, but there are only"):
        small(n_clusters=81).generate(X)


def test_sparse_data_and_more_features_than_samples():
    wide = np.abs(np.random.default_rng(0).standard_normal((12, 50)))
    dense = small().generate(wide, seed=0)
    assert dense.labels.shape == (12, 4)
    assert small().generate(sp.csr_matrix(wide), seed=0).labels.shape == (12, 4)


def test_networks_and_members_are_kept(tmp_path):
    with use_engine("serial", checkpoint=tmp_path):
        with pytest.raises(ValueError, match="A checkpoint needs a seed"):
            small().generate(X)
        first = small().generate(X, seed=1)
        assert {path.name for path in tmp_path.iterdir()} == {"networks", "members"}
        again = small().generate(X, seed=1)
    np.testing.assert_array_equal(again.labels, first.labels)
    np.testing.assert_array_equal(small().generate(X, seed=1).labels, first.labels)


@pytest.mark.parametrize("name", ["n_networks", "n_clusterings", "n_out"])
def test_bad_parameters(name):
    with pytest.raises(ValueError, match=f"'{name}' parameter of NetworkKMeans must"):
        NetworkKMeans(**{name: 0}).generate(X)
