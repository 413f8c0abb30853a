"""Laws that every weighter in the catalog keeps."""

import numpy as np
import pytest

from coterie import Ensemble
from coterie._catalog import entries
from coterie.datasets import make_planted_ensemble

PLANTED = make_planted_ensemble(80, n_members=8, random_state=0)
every = pytest.mark.parametrize(
    "entry", entries("weighter"), ids=lambda entry: entry.name
)
# Weighters that choose: they leave members out, also one of several that are equal.
CHOOSE = {
    "joint-selection",
    "cluster-selection",
    "hull-selection",
    "adaptive-selection",
    "network-selection",
}
# It compares all labels of the members.
NEEDS_ALL_LABELS = {"network-selection"}


def vectors(weights):
    named = (weights.members, weights.clusters, weights.samples)
    return [v for v in named if v is not None]


def weigh(entry, labels):
    """Weigh with the one-hot labels for data, where the weighter looks at them."""
    X = Ensemble(labels).incidence().toarray() if entry.load().needs_X else None
    return entry.load()().weigh(labels, X=X)


@every
def test_says_of_what_its_weights_are(entry):
    assert weigh(entry, PLANTED.ensemble).used == entry.load()().gives_weights


@every
def test_relabelling_changes_nothing(entry):
    labels = 9 - PLANTED.ensemble.labels
    for a, b in zip(
        vectors(weigh(entry, PLANTED.ensemble)),
        vectors(weigh(entry, labels)),
        strict=True,
    ):
        np.testing.assert_array_equal(a, b)


@every
def test_permuting_samples_changes_no_weight(entry):
    order = np.random.default_rng(0).permutation(80)
    permuted = weigh(entry, PLANTED.ensemble.labels[order])
    for a, b in zip(
        vectors(weigh(entry, PLANTED.ensemble)), vectors(permuted), strict=True
    ):
        np.testing.assert_allclose(np.sort(a), np.sort(b), rtol=1e-12)


# No pair is doubtful, so all samples have the least weight, which is not one.
WEIGH_LITTLE = {"difficulty": 0.01 / 1.01}


@every
def test_identical_members_weigh_the_same(entry):
    if entry.name in CHOOSE:
        pytest.skip("it chooses")
    weights = weigh(entry, [[0, 0, 1, 1]] * 4)
    for vector in vectors(weights):
        if entry.name in WEIGH_LITTLE:
            np.testing.assert_allclose(vector, WEIGH_LITTLE[entry.name])
        np.testing.assert_allclose(vector / vector[0], 1.0)


@every
def test_one_member_and_missing_labels(entry):
    for labels in ([[0, 0, 1]], [[0, 0, None, 1], [0, 1, 1, None]]):
        if entry.name in NEEDS_ALL_LABELS and len(labels) > 1:
            with pytest.raises(ValueError, match="some are missing"):
                weigh(entry, labels)
            continue
        for vector in vectors(weigh(entry, labels)):
            assert np.isfinite(vector).all()
            assert (vector > 0).all() or entry.name in CHOOSE
            assert vector.any()
