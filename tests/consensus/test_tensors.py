"""CELTA and GTLEC against the plain iterations, and the order of the samples."""

import numpy as np
import oracles
import pytest
from sklearn.base import clone

from coterie.consensus import CELTA, GTLEC
from coterie.consensus._tensors import (
    capped_simplex,
    nearest_spectrum,
    pass_on,
    refine,
    shrink_tensor,
)
from coterie.datasets import make_planted_ensemble
from coterie.exceptions import MemoryLimitError
from coterie.metrics import ari

PLANTED = make_planted_ensemble(
    41, n_clusters=3, n_members=4, noise=0.3, random_state=0
)
LABELS = PLANTED.ensemble.labels


@pytest.mark.parametrize("n", [12, 13])
def test_singular_values_of_the_transformed_slices_shrink(n):
    T = np.random.default_rng(0).normal(size=(3, n, n))
    shrunk = shrink_tensor(T, 4.0)
    np.testing.assert_allclose(shrunk, oracles.tensor_shrunk(T, 4.0), atol=1e-12)
    assert np.abs(shrunk).sum() < 0.8 * np.abs(T).sum()


@pytest.mark.parametrize("n_iter", [1, 60, 120])
def test_celta_is_the_plain_iteration(n_iter):
    W = oracles.coassociation(LABELS)
    np.fill_diagonal(W, 1.0)
    found = pass_on(W, W == 1.0, 0.2, n_iter, 0.0)
    expected = oracles.celta(W, W == 1.0, 0.2, n_iter)
    assert found.n_iter == n_iter
    if n_iter > 1:  # all is shrunk to zero at first
        assert np.ptp(expected) > 0.1
    np.testing.assert_allclose(found.similarity, expected, atol=1e-9)


def test_celta_keeps_its_constraints():
    W = oracles.coassociation(LABELS)
    np.fill_diagonal(W, 1.0)
    found = pass_on(W, W == 1.0, 0.2, 500, 1e-8)
    assert found.converged
    assert -1e-7 < found.similarity.min() < found.similarity.max() < 2.0 + 1e-7
    np.testing.assert_allclose(found.similarity, found.similarity.T)


@pytest.mark.parametrize("n_iter", [1, 6, 14])
def test_gtlec_is_the_plain_iteration(n_iter):
    H = (LABELS.T[:, :, None] == LABELS.T[:, None, :]).astype(float)
    found = refine(H, 3, 0.05, 0.5, n_iter, 0.0)
    expected = oracles.gtlec(LABELS, 3, 0.05, 0.5, n_iter)
    np.testing.assert_allclose(found.similarity, expected, atol=1e-9)
    if n_iter == 14:
        assert np.ptp(expected) > 0.1


def test_gtlec_converges():
    H = (LABELS.T[:, :, None] == LABELS.T[:, None, :]).astype(float)
    assert refine(H, 3, 0.05, 7.0, 32, 1e-8).converged


@pytest.mark.parametrize("total", [1, 2.5, 9])
def test_capped_values_are_those_of_bisection(total):
    values = np.random.default_rng(1).normal(size=9)
    found = capped_simplex(values, total)
    np.testing.assert_allclose(found, oracles.capped(values, total), atol=1e-12)
    assert found.sum() == pytest.approx(total)


def test_a_matrix_that_has_the_spectrum_stays():
    Q = np.linalg.qr(np.random.default_rng(2).normal(size=(8, 3)))[0]
    np.testing.assert_allclose(nearest_spectrum(Q @ Q.T, 3), Q @ Q.T, atol=1e-12)


HARD = make_planted_ensemble(150, n_clusters=5, n_members=5, noise=0.7, random_state=1)


@pytest.mark.parametrize("method", [CELTA(0.02), GTLEC()])
def test_the_order_of_the_file_leaks_the_classes_only_if_it_is_taken(method):
    by_class = np.argsort(HARD.truth, kind="stable")
    labels, truth = HARD.ensemble.labels[by_class], HARD.truth[by_class]
    given = clone(method).set_params(order="given")
    leaked = ari(truth, given.combine(labels, 5, seed=0).labels)
    assert leaked > ari(truth, method.combine(labels, 5, seed=0).labels) + 0.1
    shuffled = np.random.default_rng(3).permutation(150)
    assert (
        leaked > ari(truth[shuffled], given.combine(labels[shuffled], 5).labels) + 0.1
    )


def test_random_order_is_that_of_the_seed():
    method = CELTA(0.02, order="random")
    labels = HARD.ensemble.labels
    first, same, other = (method.combine(labels, 5, seed=s).labels for s in (0, 0, 1))
    np.testing.assert_array_equal(first, same)
    assert ari(first, other) < 1.0


@pytest.mark.parametrize("method", [CELTA(), GTLEC()])
def test_memory(method, monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="matrices of 41 samples"):
        method.combine(LABELS, 3)
