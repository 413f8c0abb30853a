"""ECMC against the plain iteration on all samples."""

import warnings

import numpy as np
import oracles
import pytest

from coterie.consensus import ECMC
from coterie.consensus._completion import complete
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Ensemble
from coterie.exceptions import MemoryLimitError, UnsuitableMethodWarning
from coterie.metrics import ari

ENSEMBLE = make_planted_ensemble(
    50, n_clusters=3, n_members=4, noise=0.15, random_state=0
).ensemble
INDEX = ENSEMBLE.core.index
COUNTS = ENSEMBLE.core.counts.astype(float)


def flawed_members(n_samples=90, n_members=20, share=0.07, seed=0):
    """Three clusters in members that misplace a share of the samples."""
    rng = np.random.default_rng(seed)
    truth = np.repeat([0, 1, 2], n_samples // 3)
    labels = np.tile(truth[:, None], n_members)
    wrong = rng.random(labels.shape) < share
    labels[wrong] = rng.integers(0, 3, wrong.sum())
    return truth, Ensemble(labels)


def problem():
    """Return A and the reliable pairs of the label rows, and of all samples."""
    S = oracles.coassociation(ENSEMBLE.labels)
    np.fill_diagonal(S, 1.0)
    A, reliable = (S >= 0.75).astype(float), (S >= 0.75) | (S <= 0.25)
    first = np.unique(INDEX, return_index=True)[1]
    rows = np.ix_(first, first)
    return A, reliable, A[rows], reliable[rows]


@pytest.mark.parametrize("n_iter", [1, 4, 15])
def test_iterations_on_distinct_rows_are_those_of_all_samples(n_iter):
    A, reliable, of_rows, known = problem()
    assert len(of_rows) < 50
    assert not reliable.all()
    found = complete(of_rows, known, COUNTS, 0.2, n_iter, 0.0)
    expected = oracles.completion(A, reliable, 0.2, n_iter)
    assert expected.any()
    np.testing.assert_allclose(found.M[np.ix_(INDEX, INDEX)], expected, atol=1e-9)


def test_a_low_rank_matrix_is_found_again():
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(3), 30)
    A = (truth[:, None] == truth).astype(float)
    seen = np.triu(rng.random(A.shape) < 0.6)
    seen |= seen.T
    wrong = np.triu(rng.random(A.shape) < 0.02, 1)
    wrong |= wrong.T
    observed = np.where(wrong, 1.0 - A, A)
    weight = 1.0 / np.sqrt(seen.mean() * 90)
    found = complete(observed, seen, np.ones(90), weight, 500, 1e-7)
    assert found.converged
    np.testing.assert_allclose(found.M, A, atol=1e-4)


def test_members_that_misplace_samples_are_mended():
    truth, ensemble = flawed_members()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = ECMC().combine(ensemble, 3, seed=0)
    np.testing.assert_array_equal(result.labels, truth)


def test_members_that_split_the_clusters_bring_a_warning():
    planted = make_planted_ensemble(
        120, n_clusters=3, n_members=20, noise=0.3, random_state=1
    )
    with pytest.warns(UnsuitableMethodWarning, match="only .*% of the pairs are relia"):
        result = ECMC().combine(planted.ensemble, 3, seed=0)
    assert ari(planted.truth, result.labels) < 0.5  # the warning is right


@pytest.mark.filterwarnings("ignore::coterie.exceptions.UnsuitableMethodWarning")
def test_the_default_weight_is_that_of_the_known_share():
    _, ensemble = flawed_members(share=0.15)
    S = oracles.coassociation(ensemble.labels)
    np.fill_diagonal(S, 1.0)
    known = ((S > 0.8 + 1e-6) | (S < 0.2 - 1e-6)).mean()
    weight = 1.0 / np.sqrt(known * 90)
    one, two, other = (
        ECMC(error_weight=w).combine(ensemble, 3, seed=0).details["embedding"]
        for w in (None, weight, 2 * weight)
    )
    one, two, other = one @ one.T, two @ two.T, other @ other.T  # signs are free
    np.testing.assert_allclose(one, two, atol=1e-6)
    assert not np.allclose(one, other, atol=1e-2)


def test_shares_in_the_wrong_order():
    with pytest.raises(ValueError, match="ECMC needs seldom < often"):
        ECMC(0.3, 0.6).combine(ENSEMBLE, 3)


def test_memory(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="ECMC: its matrices of"):
        ECMC().combine(ENSEMBLE, 3)
