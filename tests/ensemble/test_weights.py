"""Weights are checked where they are made and where they are used."""

import numpy as np
import pytest

from coterie import Ensemble, Weights
from coterie.ensemble._weights import as_weights

ENSEMBLE = Ensemble([[0, 0, 1], [0, 1, 2]])


def test_per_cluster_folds_members_and_clusters():
    weights = Weights(members=[1, 3], clusters=[1, 1, 0.5, 0.5, 1])
    expected = [0.25, 0.25, 0.375, 0.375, 0.75]
    np.testing.assert_allclose(weights.per_cluster(ENSEMBLE), expected)
    np.testing.assert_allclose(Weights().per_cluster(ENSEMBLE), [0.5] * 5)


def test_subset_takes_the_clusters_of_its_members():
    weights = Weights(members=[1, 3], clusters=[1, 2, 3, 4, 5])
    part = weights.subset(ENSEMBLE, np.array([1]))
    np.testing.assert_array_equal(part.members, [3])
    np.testing.assert_array_equal(part.clusters, [3, 4, 5])


def test_as_weights():
    assert as_weights(None, ENSEMBLE).used == frozenset()
    assert as_weights([1, 2], ENSEMBLE).used == {"members"}


def test_weights_are_copies_and_read_only():
    source = np.array([1.0, 2.0])
    weights = Weights(members=source)
    source[0] = 9
    assert weights.members[0] == 1
    with pytest.raises(ValueError, match="read-only"):
        weights.members[0] = 3


def test_repr():
    text = repr(Weights(members=[1, 2], samples=[0.5]))
    assert text == "Weights: 2 members from 1 to 2, 1 sample from 0.5 to 0.5"
    assert repr(Weights()) == "Weights: all ones"


@pytest.mark.parametrize(
    ("weights", "text"),
    [
        ({"members": [[1]]}, r"Weights.members must have one dimension, got \(1, 1\)"),
        ({"clusters": [1, -2]}, "not negative, got -2.0 at position 1"),
        ({"samples": [np.nan]}, "must be finite and not negative, got nan"),
        ({"members": [0, 0]}, "Weights.members are all zero"),
    ],
)
def test_errors_when_made(weights, text):
    with pytest.raises(ValueError, match=text):
        Weights(**weights)


def test_errors_when_used():
    with pytest.raises(
        ValueError, match="has 3 values, but the ensemble has 2 members"
    ):
        as_weights([1, 2, 3], ENSEMBLE)


def test_the_frame_has_a_row_for_each_weight():
    frame = Weights(members=[1, 2], samples=[0.5]).to_frame()
    assert frame.to_dict("list") == {
        "kind": ["member", "member", "sample"],
        "number": [0, 1, 0],
        "weight": [1.0, 2.0, 0.5],
    }
    assert len(Weights().to_frame()) == 0
