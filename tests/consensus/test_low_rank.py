"""RSEC against the plain iteration on all samples."""

import numpy as np
import oracles
import pytest

from coterie.consensus import RSEC
from coterie.consensus._low_rank import represent
from coterie.datasets import make_planted_ensemble
from coterie.exceptions import MemoryLimitError

ENSEMBLE = make_planted_ensemble(
    50, n_clusters=3, n_members=4, noise=0.15, random_state=0
).ensemble
INDEX = ENSEMBLE.core.index
COUNTS = ENSEMBLE.core.counts.astype(float)


def coassociations():
    S = oracles.coassociation(ENSEMBLE.labels)
    first = np.unique(INDEX, return_index=True)[1]
    return S, S[np.ix_(first, first)]


@pytest.mark.parametrize("n_iter", [1, 4, 12])
def test_iterations_on_distinct_rows_are_those_of_all_samples(n_iter):
    S, of_rows = coassociations()
    assert len(of_rows) < 50
    found = represent(of_rows, COUNTS, 3, (0.3, 0.2), n_iter, 0.0)
    Z, HH = oracles.rsec(S, 3, 0.3, 0.2, n_iter)
    at = np.ix_(INDEX, INDEX)
    np.testing.assert_allclose(found.Z[at], Z, atol=1e-7)
    np.testing.assert_allclose((found.H @ found.H.T)[at], HH, atol=1e-7)


def test_the_constraints_hold_in_the_end():
    _, S = coassociations()
    found = represent(S, COUNTS, 3, (0.3, 0.3), 500, 1e-7)
    assert found.converged
    assert found.n_iter < 300
    strength = np.linalg.svd(found.Z * np.sqrt(np.outer(COUNTS, COUNTS)))[1]
    assert (strength > 1e-3 * strength[0]).sum() < len(S)


def test_memory(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="RSEC: its matrices of"):
        RSEC().combine(ENSEMBLE, 3)
