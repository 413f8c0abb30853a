"""The record and what can be read off it."""

import copy
import pickle

import numpy as np
import oracles
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coterie import Ensemble
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Member
from coterie.ensemble._alignment import align_labels, relabel_by_appearance
from coterie.ensemble._votes import cluster_shares, placement
from coterie.ensemble._weights import Weights

matrices = arrays(
    np.int64,
    st.tuples(st.integers(1, 12), st.integers(1, 5)),
    elements=st.integers(-1, 3),
).filter(lambda labels: bool(((labels >= 0).any(axis=0)).all()))


@given(matrices)
def test_labels_are_coded_by_first_appearance(labels):
    ensemble = Ensemble(list(labels.T))
    for j in range(labels.shape[1]):
        coded, raw = ensemble.labels[:, j], labels[:, j]
        np.testing.assert_array_equal(coded < 0, raw < 0)
        seen = [c for c in dict.fromkeys(coded.tolist()) if c >= 0]
        assert seen == list(range(ensemble.n_clusters_per_member[j]))
        same_raw = raw[:, None] == raw[None, :]
        np.testing.assert_array_equal(same_raw, coded[:, None] == coded[None, :])


@given(matrices)
def test_core_holds_the_distinct_rows(labels):
    ensemble = Ensemble(list(labels.T))
    core = ensemble.core
    np.testing.assert_array_equal(core.rows[core.index], ensemble.labels)
    assert len(np.unique(core.rows, axis=0)) == len(core)
    np.testing.assert_array_equal(np.bincount(core.index), core.counts)
    np.testing.assert_array_equal(core.columns.T, core.rows)


@given(matrices)
def test_incidence_and_overlap(labels):
    ensemble = Ensemble(list(labels.T))
    B = oracles.incidence(ensemble.labels)
    np.testing.assert_array_equal(ensemble.incidence().toarray(), B)
    np.testing.assert_array_equal(ensemble.overlap(), B.T @ B)
    np.testing.assert_array_equal(ensemble.cluster_sizes, B.sum(axis=0))


@given(matrices, st.data())
def test_subset_and_concatenate(labels, data):
    ensemble = Ensemble(list(labels.T))
    M = ensemble.n_members
    chosen = data.draw(st.lists(st.integers(0, M - 1), min_size=1, max_size=M))
    part = ensemble.subset(chosen)
    np.testing.assert_array_equal(part.labels, ensemble.labels[:, chosen])
    whole = Ensemble.concatenate([part, ensemble])
    np.testing.assert_array_equal(
        whole.labels, np.hstack([part.labels, ensemble.labels])
    )
    np.testing.assert_array_equal(
        np.diff(whole.offsets),
        np.concatenate([np.diff(part.offsets), np.diff(ensemble.offsets)]),
    )


def test_subset_by_mask_and_slice():
    ensemble = make_planted_ensemble(20, n_members=4, random_state=0).ensemble
    by_mask = ensemble.subset(np.array([True, False, True, False]))
    np.testing.assert_array_equal(
        by_mask.labels, ensemble.subset(slice(0, 4, 2)).labels
    )


def test_errors_of_subset_and_concatenate():
    ensemble = Ensemble([[0, 1], [0, 0]])
    with pytest.raises(ValueError, match="would leave no member"):
        ensemble.subset([])
    with pytest.raises(ValueError, match=r"same samples, got \[2, 3\] samples"):
        Ensemble.concatenate([ensemble, Ensemble([[0, 1, 2]])])
    with pytest.raises(ValueError, match="at least one ensemble"):
        Ensemble.concatenate([])
    with pytest.raises(ValueError, match="a Member for each of its 2 label columns"):
        Ensemble([[0, 1], [0, 0]], members=[Member()])


def test_an_ensemble_does_not_change():
    ensemble = Ensemble([[0, 1]])
    with pytest.raises(ValueError, match="read-only"):
        ensemble.labels[0, 0] = 3
    with pytest.raises(AttributeError):
        ensemble.labels = None


def test_repr_tells_a_person_what_it_is():
    ensemble = Ensemble(np.array([[0, 0], [0, 1], [1, 2], [1, -1]]))
    assert repr(ensemble) == (
        "Ensemble of 2 members on 4 samples: 5 clusters (2 to 3 in each), "
        "4 distinct label rows, 1 label missing"
    )
    assert repr(Ensemble([[0]])) == (
        "Ensemble of 1 member on 1 sample: 1 cluster (1 in each), 1 distinct label row"
    )


def test_many_clusters_need_wide_columns():
    ensemble = Ensemble(np.arange(40000)[:, None])
    assert ensemble.core.columns.dtype == np.int32
    np.testing.assert_array_equal(ensemble.core.columns[0], np.arange(40000))


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_confidence_and_shares(missing):
    planted = make_planted_ensemble(60, missing=missing, random_state=1)
    sure = placement(planted.ensemble, Weights(), planted.truth).confidence
    expected = oracles.confidence(planted.ensemble.labels, planted.truth)
    np.testing.assert_allclose(sure, expected, atol=1e-12)
    shares = cluster_shares(planted.ensemble, planted.truth)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


@given(st.lists(st.integers(-5, 5), min_size=1))
def test_relabel_by_appearance(labels):
    result = relabel_by_appearance(np.array(labels))
    order = list(dict.fromkeys(labels))
    assert result.tolist() == [order.index(value) for value in labels]


def test_align_labels_matches_one_to_one_first():
    # Greedy by row would send both clusters to column 0.
    np.testing.assert_array_equal(align_labels(np.array([[9, 8], [9, 1]])), [1, 0])
    np.testing.assert_array_equal(align_labels(np.array([[1, 2, 3]])), [2])


def test_the_frame_has_a_column_for_each_member_and_comes_back():
    source = {"a": [0, 0, 1], "b": [0, 1, -1]}
    ensemble = Ensemble(pd.DataFrame(source))
    frame = ensemble.to_frame()
    assert frame.to_dict("list") == source
    np.testing.assert_array_equal(Ensemble(frame).labels, ensemble.labels)


def test_every_member_has_a_name_of_its_own():
    members = [Member(name=name) for name in ("KMeans", None, "KMeans", "DBSCAN")]
    ensemble = Ensemble([[0, 1]] * 4, members)
    assert ensemble.names == ["KMeans 0", "member 1", "KMeans 2", "DBSCAN"]
    assert list(ensemble.to_frame()) == ensemble.names


def test_an_ensemble_can_be_pickled_and_copied():
    ensemble = Ensemble([[0, 0, 1], [0, 1, None]])
    for again in (pickle.loads(pickle.dumps(ensemble)), copy.deepcopy(ensemble)):
        np.testing.assert_array_equal(again.labels, ensemble.labels)
        assert again.members[0].params == {}
