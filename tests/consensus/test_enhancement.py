"""ECCMS against the plain iteration on all samples."""

import numpy as np
import oracles
import pytest

from coterie.consensus import ECCMS
from coterie.consensus._enhancement import Grouped, _coassociation, enhance
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Weights
from coterie.exceptions import MemoryLimitError
from coterie.weighting import EntropyWeighter

ENSEMBLE = make_planted_ensemble(
    60, n_clusters=3, n_members=4, noise=0.15, random_state=0
).ensemble
INDEX = ENSEMBLE.core.index
COUNTS = ENSEMBLE.core.counts.astype(float)


def whole(matrix):
    """Return the N x N matrix."""
    full = matrix.pairs[np.ix_(INDEX, INDEX)].copy()
    np.fill_diagonal(full, matrix.own[INDEX])
    return full


def random_grouped(seed):
    rng = np.random.default_rng(seed)
    u = len(COUNTS)
    return Grouped(rng.random((u, u)), 9.0 + rng.random(u))


def test_products_and_inverses_of_grouped_matrices():
    assert len(COUNTS) < 60
    a, b = random_grouped(0), random_grouped(1)
    np.testing.assert_allclose(whole(a.times(b, COUNTS)), whole(a) @ whole(b))
    np.testing.assert_allclose(
        whole(a.inverse(COUNTS)), np.linalg.inv(whole(a)), atol=1e-10
    )
    np.testing.assert_allclose(a.norm(COUNTS), np.linalg.norm(whole(a)))


@pytest.mark.parametrize("n_iter", [1, 3, 10])
def test_eccms_iterations_are_the_authors(n_iter):
    weights = EntropyWeighter().weigh(ENSEMBLE)
    A = _coassociation(ENSEMBLE, weights)
    plain = _coassociation(ENSEMBLE, Weights())
    sure = np.where(plain.pairs >= 0.8, plain.pairs, 0.0)
    H = Grouped(sure, np.zeros(len(sure)))
    found = enhance(A, H, COUNTS, 0.4, n_iter, 0.0)
    assert found.n_iter == n_iter
    expected = oracles.eccms(whole(A), whole(H), 0.4, n_iter)
    np.testing.assert_allclose(whole(found.C), expected, atol=1e-8)


def test_eccms_satisfies_its_constraints_in_the_end():
    A = _coassociation(ENSEMBLE, EntropyWeighter().weigh(ENSEMBLE))
    sure = np.where(_coassociation(ENSEMBLE, Weights()).pairs >= 0.8, 1.0, 0.0)
    H = Grouped(sure, np.zeros(len(sure)))
    found = enhance(A, H, COUNTS, 0.4, 5000, 1e-9)
    C = whole(found.C)
    assert found.converged
    np.testing.assert_allclose(C, C.T, atol=1e-6)
    assert C.min() > -1e-6
    assert C.max() < 1 + 1e-6
    sure_pairs = whole(H) > 0
    np.testing.assert_allclose(C[sure_pairs], whole(A)[sure_pairs], atol=1e-6)


def test_memory(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="distinct label rows"):
        ECCMS().combine(ENSEMBLE, 3)
