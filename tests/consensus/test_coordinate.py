"""CDKM against the definition of k-means."""

from itertools import pairwise

import numpy as np
import oracles
import pytest

from coterie.consensus import CDKM, KCC
from coterie.datasets import make_planted_ensemble


def points(ensemble, scaled):
    B = oracles.incidence(ensemble.labels)
    B = B / np.sqrt(ensemble.n_members)
    return B / np.sqrt((B > 0).sum(axis=0)) if scaled else B


def cost(X, labels):
    return sum(
        ((X[labels == c] - X[labels == c].mean(axis=0)) ** 2).sum()
        for c in np.unique(labels)
    )


@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_objective_and_no_single_move_helps(scaled, missing):
    ensemble = make_planted_ensemble(
        50, n_clusters=4, noise=0.4, missing=missing, random_state=0
    ).ensemble
    result = CDKM(scaled=scaled).combine(ensemble, 4, seed=0)
    X = points(ensemble, scaled)
    assert result.converged
    np.testing.assert_allclose(result.objective, cost(X, result.labels), rtol=1e-9)
    assert len(ensemble.core) == 50
    for i in range(50):
        for c in range(4):
            moved = result.labels.copy()
            moved[i] = c
            assert cost(X, moved) >= result.objective - 1e-9


def test_sweeps_never_raise_the_cost():
    ensemble = make_planted_ensemble(150, noise=0.5, random_state=1).ensemble
    costs = [CDKM(1, m).combine(ensemble, 4, seed=2).objective for m in range(1, 8)]
    assert all(b <= a + 1e-12 for a, b in pairwise(costs))
    assert costs[-1] < costs[0]


def test_finds_the_best_of_all_partitions():
    ensemble = make_planted_ensemble(
        7, n_clusters=3, n_members=5, noise=0.5, random_state=1
    ).ensemble
    X = points(ensemble, True)
    best = min(cost(X, z) for z in oracles.partitions(7, 3))
    found = CDKM(60).combine(ensemble, 3, seed=0)
    np.testing.assert_allclose(found.objective, best, rtol=1e-9)


def test_goes_deeper_than_lloyd_from_the_same_starts():
    deeper = []
    for seed in range(10):
        ensemble = make_planted_ensemble(
            120, n_clusters=5, noise=0.5, random_state=seed
        )
        ours = CDKM(1, scaled=False).combine(ensemble.ensemble, 5, seed=seed)
        lloyd = KCC(1).combine(ensemble.ensemble, 5, seed=seed)
        deeper.append(ours.objective <= lloyd.objective + 1e-9)
    assert np.mean(deeper) >= 0.7


def test_rows_that_repeat_move_together():
    ensemble = make_planted_ensemble(
        300, n_members=3, noise=0.2, random_state=0
    ).ensemble
    assert len(ensemble.core) < 300
    result = CDKM().combine(ensemble, 4, seed=0)
    X = points(ensemble, True)
    np.testing.assert_allclose(result.objective, cost(X, result.labels), rtol=1e-9)
