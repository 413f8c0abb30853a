"""k-means on label rows without forming them."""

from itertools import pairwise

import numpy as np
import oracles
import pytest

from coterie.consensus import KCC, OneHotKMeans
from coterie.datasets import make_planted_ensemble


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_objective_equals_the_definition(missing):
    ensemble = make_planted_ensemble(
        60, noise=0.4, missing=missing, random_state=0
    ).ensemble
    members = np.random.default_rng(0).random(ensemble.n_members) + 0.2
    result = KCC().combine(ensemble, 4, weights=members, seed=0)
    expected = oracles.kcc_objective(
        ensemble.labels, result.labels, members / members.sum()
    )
    assert result.converged
    np.testing.assert_allclose(result.objective, expected, rtol=1e-10)


@pytest.mark.parametrize("seed", range(4))
def test_no_worse_than_sklearn(seed):
    ensemble = make_planted_ensemble(
        150, n_clusters=5, noise=0.4, random_state=seed
    ).ensemble
    weights = np.full(ensemble.n_members, 1 / ensemble.n_members)
    ours = KCC().combine(ensemble, 5, seed=seed).labels
    plain = OneHotKMeans().combine(ensemble, 5, seed=seed).labels
    our_cost = oracles.kcc_objective(ensemble.labels, ours, weights)
    assert our_cost <= 1.01 * oracles.kcc_objective(ensemble.labels, plain, weights)


def test_more_iterations_never_raise_the_objective():
    ensemble = make_planted_ensemble(150, noise=0.5, random_state=1).ensemble
    costs = [
        KCC(n_init=1, max_iter=m).combine(ensemble, 4, seed=2).objective
        for m in range(1, 12)
    ]
    assert all(b <= a + 1e-12 for a, b in pairwise(costs))
    assert costs[-1] < costs[0]


def test_says_when_it_did_not_converge():
    ensemble = make_planted_ensemble(150, noise=0.5, random_state=1).ensemble
    assert not KCC(n_init=1, max_iter=1).combine(ensemble, 4, seed=2).converged
