"""CEAM against diffusion on one large graph of all layers."""

import numpy as np
import oracles
import pytest

from coterie.consensus import CEAM
from coterie.consensus._multiplex import mend
from coterie.datasets import make_planted_ensemble
from coterie.exceptions import MemoryLimitError
from coterie.metrics import ari

PLANTED = make_planted_ensemble(
    60, n_clusters=3, n_members=4, noise=0.5, random_state=0
)
RNG = np.random.default_rng(0)
# Soft members, in which no two samples are alike: neighbours have no ties.
MEMBERS = [RNG.random((25, k)) ** 4 for k in (3, 4, 6)]


@pytest.mark.parametrize(("n_rounds", "n_steps"), [(0, 1), (1, 1), (1, 20), (3, 5)])
def test_layers_are_those_of_the_large_graph(n_rounds, n_steps):
    found = mend(MEMBERS, 0.85, 4, n_rounds, n_steps).toarray()
    expected = oracles.ceam(MEMBERS, 0.85, 4, n_rounds, n_steps)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_diffusion_mends_the_members():
    labels = PLANTED.ensemble.labels
    single = [ari(PLANTED.truth, member) for member in labels.T]
    for n_steps in (1, 20):
        found = CEAM(n_steps=n_steps).combine(labels, 3, seed=0).labels
        assert ari(PLANTED.truth, found) > max(single) + 0.1


def test_fewer_samples_than_neighbours():
    members = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 0, 1, 2]]
    assert CEAM().combine(members, 2, seed=0).labels.tolist() == [0, 0, 1, 1]


def test_memory(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="CEAM: 4 layers of 60 samples"):
        CEAM().combine(PLANTED.ensemble, 3)
