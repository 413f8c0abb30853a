import numpy as np
import oracles
import pytest

from coterie import Weights
from coterie.consensus import Borda, Vote
from coterie.datasets import make_planted_ensemble
from coterie.exceptions import FewerClustersWarning


def test_plurality_after_matching():
    labels = [[0, 0, 1, 1, 1], [5, 5, 9, 9, 5], ["b", "b", "a", "a", "a"]]
    np.testing.assert_array_equal(Vote().combine(labels, 2).labels, [0, 0, 1, 1, 1])


def test_weights_turn_the_vote():
    labels = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]]
    heavy = Weights(members=[1, 1, 5])
    np.testing.assert_array_equal(
        Vote().combine(labels, 2, weights=heavy).labels, [0, 1, 1, 1]
    )


def test_members_with_other_numbers_of_clusters():
    labels = [[0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1], [0, 1, 2, 2, 3, 3]]
    np.testing.assert_array_equal(Vote().combine(labels, 3).labels, [0, 0, 1, 1, 2, 2])


def test_no_member_has_k_clusters():
    labels = np.repeat([[0, 0], [0, 1], [1, 2], [1, 3]], 5, axis=0)
    labels = np.column_stack([labels, labels[:, 1]])
    result = Vote().combine(labels[:, [0, 1, 2]], 4, seed=0)
    assert result.labels.max() == 3
    result = Vote().combine(labels, 3, seed=0)
    assert 2 <= result.labels.max() + 1 <= 3


def test_fewer_clusters_are_warned_of():
    labels = [[0, 0, 0, 1]] * 3
    with pytest.warns(FewerClustersWarning, match="found 2 clusters, fewer than the 3"):
        Vote().combine(labels, 3, seed=0)


def test_a_sample_that_a_member_misses_is_placed_by_the_others():
    labels = [[0, 0, 1, -1], [0, 0, 1, 1], [0, 0, 1, 1]]
    np.testing.assert_array_equal(Vote().combine(labels, 2).labels, [0, 0, 1, 1])


def test_borda_ends_where_every_sample_has_most_points():
    planted = make_planted_ensemble(
        80, n_clusters=4, noise=0.4, missing=0.1, random_state=3
    )
    result = Borda().combine(planted.ensemble, 4, seed=0)
    assert result.converged
    points = oracles.borda_points(planted.ensemble.labels, result.labels, 4)
    own = points[np.arange(80), result.labels]
    np.testing.assert_allclose(own, points.max(axis=1), rtol=1e-12)
