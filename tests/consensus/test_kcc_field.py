"""KCC's utilities, ECC, SEC and KC against their definitions."""

from itertools import pairwise

import numpy as np
import oracles
import pytest

from coterie import Ensemble
from coterie.consensus import ECC, KC, KCC, SEC
from coterie.datasets import make_planted_ensemble
from coterie.exceptions import MemoryLimitError

UTILITIES = ["uc", "uh", "ucos", "ulp"]
CHECKED = pytest.mark.parametrize(
    ("utility", "normalised"), [(u, n) for u in UTILITIES for n in (False, True)]
)


def mean_utility(labels, partition, weights, utility, normalised, p):
    """Sum of weighted utilities, members counting by how many samples they assign."""
    total = 0.0
    for m in range(labels.shape[1]):
        gain, whole = oracles.utility(labels[:, m], partition, utility, p)
        share = np.mean(labels[:, m] >= 0)
        total += weights[m] * share * (gain / abs(whole) if normalised else gain)
    return total


def constant(labels, weights, utility, normalised, p):
    """The utility of the finest partition there is: each sample alone."""
    alone = np.arange(len(labels))
    return mean_utility(labels, alone, weights, utility, normalised, p)


@CHECKED
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_cost_and_utility_sum_to_a_constant(utility, normalised, missing):
    ensemble = make_planted_ensemble(
        60, noise=0.4, missing=missing, random_state=0
    ).ensemble
    weights = np.random.default_rng(0).random(ensemble.n_members) + 0.2
    method = KCC(utility=utility, normalised=normalised, p=3.0)
    result = method.combine(ensemble, 4, weights=weights, seed=0)
    assert result.converged
    args = (weights / weights.sum(), utility, normalised, 3.0)
    gain = mean_utility(ensemble.labels, result.labels, *args)
    expected = 60 * (constant(ensemble.labels, *args) - gain)
    np.testing.assert_allclose(result.objective, expected, rtol=1e-9)


@pytest.mark.slow
@CHECKED
def test_finds_the_best_of_all_partitions(utility, normalised):
    labels = make_planted_ensemble(
        7, n_clusters=3, n_members=5, noise=0.5, random_state=1
    ).ensemble.labels
    weights = np.full(5, 0.2)
    best = max(
        mean_utility(labels, z, weights, utility, normalised, 5.0)
        for z in oracles.partitions(7, 3)
    )
    method = KCC(60, utility=utility, normalised=normalised)
    found = method.combine(labels, 3, seed=0).labels
    gain = mean_utility(labels, found, weights, utility, normalised, 5.0)
    np.testing.assert_allclose(gain, best, rtol=1e-9)


@CHECKED
def test_more_iterations_never_raise_the_cost(utility, normalised):
    ensemble = make_planted_ensemble(150, noise=0.5, random_state=1).ensemble
    costs = [
        KCC(1, m, utility=utility, normalised=normalised)
        .combine(ensemble, 4, seed=2)
        .objective
        for m in range(1, 12)
    ]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(costs))
    assert costs[-1] < costs[0]


def test_a_constant_member_is_harmless():
    ensemble = make_planted_ensemble(60, random_state=0).ensemble
    more = np.column_stack([ensemble.labels, np.zeros(60, dtype=int)])
    for utility in UTILITIES:
        method = KCC(utility=utility, normalised=True)
        found = method.combine(more, 4, seed=0).labels
        np.testing.assert_array_equal(found, method.combine(ensemble, 4, seed=0).labels)


def test_ecc_is_kcc_with_entropy():
    ensemble = make_planted_ensemble(
        150, noise=0.5, missing=0.1, random_state=1
    ).ensemble
    ours = ECC().combine(ensemble, 4, seed=3)
    same = KCC(utility="uh").combine(ensemble, 4, seed=3)
    np.testing.assert_array_equal(ours.labels, same.labels)
    assert ours.objective == same.objective


def plain_coassociation(labels):
    return sum(
        (c[:, None] == c) & (c[:, None] >= 0) for c in labels.T.astype(int)
    ) / len(labels.T)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_sec_cost_is_the_normalised_cut(missing):
    ensemble = make_planted_ensemble(
        60, noise=0.4, missing=missing, random_state=0
    ).ensemble
    result = SEC().combine(ensemble, 4, seed=0)
    S = plain_coassociation(ensemble.labels)
    total = (S.diagonal() / S.sum(axis=1)).sum()
    expected = total - oracles.association(S, result.labels)
    assert result.converged
    np.testing.assert_allclose(result.objective, expected, rtol=1e-9)


def test_sec_finds_the_best_of_all_partitions():
    labels = make_planted_ensemble(
        7, n_clusters=3, n_members=5, noise=0.5, random_state=1
    ).ensemble.labels
    S = plain_coassociation(labels)
    best = max(oracles.association(S, z) for z in oracles.partitions(7, 3))
    found = SEC(60).combine(labels, 3, seed=0).labels
    np.testing.assert_allclose(oracles.association(S, found), best, rtol=1e-9)


def test_sec_never_rises():
    ensemble = make_planted_ensemble(150, noise=0.5, random_state=1).ensemble
    costs = [SEC(1, m).combine(ensemble, 4, seed=2).objective for m in range(1, 12)]
    assert all(b <= a + 1e-12 for a, b in pairwise(costs))
    assert costs[-1] < costs[0]


@pytest.mark.parametrize(
    ("n", "missing"), [(40, 0.0), (400, 0.0), (60, 0.3)], ids=["few", "many", "missing"]
)
def test_kc_is_kmeans_on_rows_of_the_coassociation(n, missing):
    planted = make_planted_ensemble(
        n, n_members=4, noise=0.4, missing=missing, random_state=0
    )
    ensemble = planted.ensemble
    result = KC().combine(ensemble, 4, seed=0)
    S = oracles.coassociation(ensemble.labels)
    cost = sum(
        ((S[result.labels == c] - S[result.labels == c].mean(axis=0)) ** 2).sum()
        for c in range(4)
    )
    np.testing.assert_allclose(result.objective, cost, rtol=1e-5)


def test_kc_guards_memory(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "10000")
    labels = np.random.default_rng(0).integers(0, 5, size=(500, 8))
    with pytest.raises(MemoryLimitError, match="Use KCC, SEC or HBGF"):
        KC().combine(Ensemble(labels), 3)


def test_bad_utility():
    with pytest.raises(ValueError, match="'utility' parameter of KCC must be"):
        KCC(utility="u").combine([[0, 1]], 2)
