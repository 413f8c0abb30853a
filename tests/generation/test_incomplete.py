"""Members of data with missing values."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from coterie import EnsembleClustering, use_engine
from coterie.exceptions import StoreError
from coterie.generation import (
    BootstrapNetworks,
    FromClusterers,
    IncompleteMembers,
    RandomKMeans,
    RandomProjection,
    RandomSubspace,
    SampledMembers,
)
from coterie.metrics import ari

FULL, Y = make_blobs(120, n_features=6, centers=3, cluster_std=0.7, random_state=0)
X = FULL.copy()
X[::4, 4] = np.nan
X[1::6, 2:4] = np.nan


def test_without_gaps_it_is_the_generator():
    plain = RandomKMeans(5).generate(FULL, seed=3)
    same = IncompleteMembers(RandomKMeans(5)).generate(FULL, seed=3)
    np.testing.assert_array_equal(same.labels, plain.labels)
    assert same.members[0].features is None


def test_labels_are_missing_where_values_are():
    ensemble = IncompleteMembers(RandomKMeans(30)).generate(X, seed=0)
    assert ensemble.n_members == 30
    for j, member in enumerate(ensemble.members):
        whole = ~np.isnan(X[:, member.features]).any(axis=1)
        np.testing.assert_array_equal(ensemble.labels[:, j] >= 0, whole)
        assert member.centers.shape[1] == member.features.size
    assert (ensemble.labels >= 0).any(axis=1).all()
    assert {member.params["block"] for member in ensemble.members} == {0, 1, 2, 3}
    np.testing.assert_array_equal(ensemble.members[0].features, [0, 1, 5])


@pytest.mark.filterwarnings("ignore::coterie.exceptions.DegenerateMemberWarning")
@given(st.data())
@settings(max_examples=15)
def test_any_pattern_of_gaps(data):
    n, d = data.draw(st.integers(2, 30)), data.draw(st.integers(1, 6))
    share = data.draw(st.floats(0, 0.9))
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    Z = rng.normal(size=(n, d))
    Z[rng.random((n, d)) < share] = np.nan
    Z[np.isnan(Z).all(axis=1), 0] = 0.0
    generator = IncompleteMembers(RandomKMeans(6, n_clusters=1))
    ensemble = generator.generate(Z, seed=0)
    assert ensemble.n_members >= 6
    assert (ensemble.labels >= 0).any(axis=1).all()
    for j, member in enumerate(ensemble.members):
        features = slice(None) if member.features is None else member.features
        assert not np.isnan(Z[:, features][ensemble.labels[:, j] >= 0]).any()


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_a_seed_fixes_all_whatever_n_jobs_is(n_jobs):
    generator = IncompleteMembers(RandomKMeans(8))
    first = generator.generate(X, seed=7)
    again = generator.generate(X, seed=7, n_jobs=n_jobs)
    np.testing.assert_array_equal(first.labels, again.labels)
    seed = np.random.SeedSequence(5)
    a, b = generator.generate(X, seed=seed), generator.generate(X, seed=seed)
    np.testing.assert_array_equal(a.labels, b.labels)


@pytest.mark.parametrize(
    "inner",
    [
        RandomSubspace(8),
        RandomProjection(8),
        FromClusterers([KMeans(3, n_init=1), KMeans(4, n_init=1)]),
        BootstrapNetworks(2, n_clusterings=10),
        None,
    ],
    ids=lambda inner: type(inner).__name__,
)
def test_members_see_their_own_columns(inner):
    ensemble = IncompleteMembers(inner).generate(X, seed=0)
    assert (ensemble.labels >= 0).any(axis=1).all()
    for j, member in enumerate(ensemble.members[:12]):
        view = member.view(X)
        if member.centers is not None:
            k = ensemble.n_clusters_per_member[j]
            assert member.centers.shape == (k, view.shape[1])
        assert not np.isnan(view[ensemble.labels[:, j] >= 0]).any()


def test_progress_counts_all_members():
    told = []
    generator = IncompleteMembers(RandomKMeans(12))
    generator.generate(X, seed=0, progress=lambda *done: told.append(done))
    assert told == [(done, 12) for done in range(1, 13)]


def test_blocks_keep_their_members_apart(tmp_path):
    generator = IncompleteMembers(RandomKMeans(9))
    with use_engine(checkpoint=tmp_path):
        first = generator.generate(X, seed=0)
        again = generator.generate(X, seed=0)
    np.testing.assert_array_equal(first.labels, again.labels)
    np.testing.assert_array_equal(first.labels, generator.generate(X, seed=0).labels)
    assert len(list(tmp_path.glob("block-*/member-*"))) == 9
    with use_engine(checkpoint=tmp_path), pytest.raises(StoreError, match="another"):
        generator.generate(X, seed=1)
    with use_engine(checkpoint=tmp_path), pytest.raises(ValueError, match="a seed"):
        generator.generate(X)


def test_notes():
    generator = IncompleteMembers(n_blocks=2)
    assert generator.notes(FULL, list("abcdef")) == []
    rare = np.column_stack([X, np.where(np.arange(120) < 3, 1.0, np.nan)])
    said = generator.notes(rare, list("abcddfg"))
    assert "No value was imputed: members were made from" in said[0]
    assert "120 rows and 3 columns" in said[0]
    assert said[1:] == ["Left out 'g': only 3 of 120 rows have it."]


def test_gaps_hardly_matter_for_clear_clusters():
    model = EnsembleClustering(3, n_members=40, random_state=0).fit(X)
    assert ari(Y, model.labels_) > 0.95


@pytest.mark.parametrize(
    ("generator", "text"),
    [
        (IncompleteMembers(SampledMembers()), "cannot use SampledMembers"),
        (IncompleteMembers(n_blocks=0), "'n_blocks' parameter of IncompleteMembers"),
        (IncompleteMembers("kmeans"), "'generator' parameter of IncompleteMembers"),
    ],
)
def test_bad_parameters(generator, text):
    with pytest.raises(ValueError, match=text):
        generator.generate(X)


def test_rows_without_values_are_named():
    bad = X.copy()
    bad[[5, 17]] = np.nan
    text = r"2 samples have no value at all \(numbers from 0: 5, 17\). Remove them"
    with pytest.raises(ValueError, match=text):
        IncompleteMembers().generate(bad)
    bad[3, 0] = np.inf
    with pytest.raises(ValueError, match="infinity"):
        IncompleteMembers().generate(bad)
