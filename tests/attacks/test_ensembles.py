"""Every consensus function and weighter on degenerate ensembles."""

import numpy as np
import pytest
from attacking import attack, check_labels, check_shares, examples
from generated import ensembles
from hypothesis import given
from laws.test_consensus_laws import data_of
from laws.test_weighter_laws import vectors

from coterie import Ensemble
from coterie._catalog import METHODS, entries

named = {"ids": lambda entry: entry.name}


def relabelled(labels):
    """Return the same partitions under other names, as a list of vectors."""
    return [np.where(column < 0, -1, 1000 - 7 * column) for column in labels.T]


@pytest.mark.parametrize("entry", entries(*METHODS), **named)
@examples(5)
@given(drawn=ensembles())
def test_consensus(entry, drawn):
    labels, k = drawn
    before = labels.copy()
    with attack("consensus"):
        part = entry.load()()
        X = data_of(list(labels.T)) if part.needs_X else None
        result = part.combine(list(labels.T), k, X=X, seed=3)
        np.testing.assert_array_equal(labels, before)
        check_labels(result.labels, len(labels), k)
        check_shares(result.confidence, len(labels))
        assert np.isfinite(result.margin).all()
        assert ((result.second >= -1) & (result.second < max(k, 2))).all()
        again = part.combine(relabelled(labels), k, X=X, seed=3)
        np.testing.assert_array_equal(again.labels, result.labels)
        np.testing.assert_array_equal(again.confidence, result.confidence)


@pytest.mark.parametrize("entry", entries("weighter"), **named)
@examples(10)
@given(drawn=ensembles())
def test_weighter(entry, drawn):
    labels, _ = drawn
    with attack("weighter"):
        part = entry.load()()
        ensemble = Ensemble(list(labels.T))
        X = data_of(ensemble) if part.needs_X else None
        weights = part.weigh(ensemble, X=X, seed=3)
        weights.check_for(ensemble)
        for vector in vectors(weights):
            assert np.isfinite(vector).all()
            assert vector.min() >= 0
            assert vector.max() > 0
        again = part.weigh(relabelled(labels), X=X, seed=3)
        for one, other in zip(vectors(weights), vectors(again), strict=True):
            np.testing.assert_array_equal(one, other)
