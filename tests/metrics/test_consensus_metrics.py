"""Item- and cluster-consensus, quality and silhouettes against plain oracles."""

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sklearn.metrics import silhouette_samples as sklearn_silhouette
from sklearn.metrics.pairwise import euclidean_distances

from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Ensemble
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.metrics import (
    _consensus,
    cluster_consensus,
    item_consensus,
    member_quality,
)
from coterie.metrics._ensemble import agreement_with_ensemble
from coterie.metrics._validity import (
    distance_sums,
    silhouette_samples,
    silhouette_width,
)

ensembles = st.tuples(st.integers(2, 12), st.integers(1, 4)).flatmap(
    lambda shape: st.tuples(
        arrays(np.int64, shape, elements=st.integers(-1, 2)),
        arrays(np.int64, shape[0], elements=st.integers(0, 2)),
    )
)


@given(ensembles)
def test_item_consensus_equals_the_matrix(case):
    labels, partition = case
    labels[0, (labels < 0).all(axis=0)] = 0
    partition = relabel_by_appearance(partition)
    found = item_consensus(Ensemble(list(labels.T)), partition)
    expected = oracles.item_consensus(labels, partition)
    np.testing.assert_allclose(found, expected, atol=1e-6)


def test_cluster_consensus_is_the_mean_over_pairs():
    planted = make_planted_ensemble(60, 3, 5, noise=0.3, random_state=0)
    labels, truth = planted.ensemble.labels, planted.truth
    M = oracles.coassociation(labels)
    expected = [
        np.mean([M[i, j] for i in at for j in at if i < j])
        for at in (np.flatnonzero(truth == c) for c in range(3))
    ]
    np.testing.assert_allclose(cluster_consensus(planted.ensemble, truth), expected)


def test_a_sample_alone_has_no_consensus():
    ensemble = Ensemble([[0, 0, 1], [0, 0, 1]])
    found = item_consensus(ensemble, np.array([0, 0, 1]))
    np.testing.assert_array_equal(found, [[1, 0], [1, 0], [0, np.nan]])
    np.testing.assert_array_equal(
        cluster_consensus(ensemble, np.array([0, 0, 1])), [1, np.nan]
    )


def test_missing_labels_of_many_rows_are_a_ratio_of_sums(monkeypatch):
    rng = np.random.default_rng(0)
    labels = rng.integers(-1, 3, size=(30, 6))
    partition = relabel_by_appearance(rng.integers(3, size=30))
    monkeypatch.setattr(_consensus, "_EXACT_ROWS", 0)
    found = item_consensus(Ensemble(labels), partition)
    for i in range(30):
        for c in range(3):
            others = [j for j in range(30) if partition[j] == c and j != i]
            both = (labels[others] >= 0) & (labels[i] >= 0)
            same = both & (labels[others] == labels[i])
            assert found[i, c] == pytest.approx(same.sum() / both.sum())


@pytest.mark.parametrize(
    "labels", [[0, 1], [0, 1, 3, 2], [0.0, 1.0, 1.0], [-1, 0, 1], [[0, 1, 1]]]
)
def test_labels_that_do_not_fit(labels):
    ensemble = Ensemble([[0, 0, 1]])
    with pytest.raises(ValueError, match="expects one label, 0 to k - 1, for each of"):
        item_consensus(ensemble, labels)


def test_quality_is_the_agreement_with_each_member():
    planted = make_planted_ensemble(80, 4, 6, noise=0.4, random_state=1)
    found = member_quality(planted.truth, planted.ensemble)
    expected = [oracles.nmi(planted.truth, m) for m in planted.ensemble.labels.T]
    np.testing.assert_allclose(found, expected)
    mean = agreement_with_ensemble(planted.truth, planted.ensemble)
    assert mean == pytest.approx(np.mean(expected))


def test_silhouettes_are_those_of_sklearn():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50, 3))
    labels = np.append(rng.integers(3, size=49), 3)  # the last is alone
    squares = euclidean_distances(X, squared=True)
    sums = distance_sums([(slice(None), squares)], labels)
    np.testing.assert_allclose(silhouette_samples(sums), sklearn_silhouette(X, labels))
    assert silhouette_width(sums) == silhouette_samples(sums).mean()
    one = distance_sums([(slice(None), squares)], np.zeros(50, dtype=int))
    assert not silhouette_samples(one).any()
