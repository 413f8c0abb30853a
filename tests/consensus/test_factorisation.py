"""NMFC and WCC against plain matrix updates of all samples."""

from itertools import pairwise

import numpy as np
import oracles
import pytest
from scipy.optimize import minimize

from coterie.consensus import NMFC, WCC
from coterie.consensus._factorisation import (
    _Connectivity,
    _descend,
    _start,
    project_to_simplex,
    simplex_minimum,
)
from coterie.datasets import make_planted_ensemble

ENSEMBLE = make_planted_ensemble(
    80, n_clusters=3, n_members=6, noise=0.3, random_state=0
)
ENSEMBLE = ENSEMBLE.ensemble


def connectivity(labels, member):
    column = labels[:, member]
    return ((column[:, None] == column) & (column[:, None] >= 0)).astype(float)


def mean_connectivity(labels, shares):
    return sum(w * connectivity(labels, m) for m, w in enumerate(shares))


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_updates_of_distinct_rows_are_those_of_all_samples(missing):
    ensemble = make_planted_ensemble(
        80, n_clusters=3, n_members=3, noise=0.3, missing=missing, random_state=0
    ).ensemble
    assert len(ensemble.core) < 80
    shares = np.array([0.5, 0.2, 0.3])
    M = _Connectivity(ensemble)
    factors = _start(M, shares, 3, np.random.default_rng(0))
    Q, S = factors.Q[ensemble.core.index].copy(), factors.S.copy()
    plain = mean_connectivity(ensemble.labels, shares)
    first = ((plain - Q @ S @ Q.T) ** 2).sum()
    for _ in range(7):
        Q, S = oracles.nmf_step(plain, Q, S)
    _descend(M, shares, factors, 7, 0.0)
    np.testing.assert_allclose(factors.Q[ensemble.core.index], Q, rtol=1e-7)
    np.testing.assert_allclose(factors.S, S, rtol=1e-7)
    error = ((plain - Q @ S @ Q.T) ** 2).sum()
    np.testing.assert_allclose(factors.objective, error, rtol=1e-7)
    assert error < first


def test_the_update_of_s_never_raises_the_error():
    rng = np.random.default_rng(0)
    M = mean_connectivity(ENSEMBLE.labels, np.full(6, 1 / 6))
    Q, S = rng.random((80, 3)), rng.random((3, 3))
    S = S + S.T
    errors = []
    for _ in range(20):
        errors.append(((M - Q @ S @ Q.T) ** 2).sum())
        S = S * np.sqrt((Q.T @ M @ Q) / (Q.T @ Q @ S @ Q.T @ Q))
    assert all(b <= a + 1e-9 for a, b in pairwise(errors))


def test_nmfc_keeps_the_best_start():
    one = [NMFC(1).combine(ENSEMBLE, 3, seed=s).objective for s in range(3)]
    assert NMFC(20).combine(ENSEMBLE, 3, seed=0).objective <= min(one) * 1.05


def test_the_factor_becomes_nearly_orthogonal():
    M = _Connectivity(ENSEMBLE)
    shares = np.full(6, 1 / 6)
    factors = _start(M, shares, 3, np.random.default_rng(0))

    def away():
        return np.abs(factors.Q.T @ (M.counts * factors.Q) - np.eye(3)).max()

    first = away()
    _descend(M, shares, factors, 3000, 0.0)
    assert away() < 0.1 < 0.5 * first


@pytest.mark.parametrize("seed", range(5))
def test_simplex_minimum(seed):
    rng = np.random.default_rng(seed)
    B, b = rng.random((7, 7)), 3 * rng.random(7)
    A = B @ B.T
    start = np.full(7, 1 / 7)
    w = simplex_minimum(A, b, start)
    found = minimize(
        lambda v: v @ A @ v - 2 * b @ v,
        start,
        bounds=[(0, 1)] * 7,
        constraints={"type": "eq", "fun": lambda v: v.sum() - 1},
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 1000},
    )
    assert w.min() >= 0
    np.testing.assert_allclose(w.sum(), 1.0)
    assert w @ A @ w - 2 * b @ w <= found.fun + 1e-7


def test_projection_is_the_nearest_point():
    np.testing.assert_allclose(project_to_simplex(np.array([2.0, 0.0])), [1, 0])
    np.testing.assert_allclose(project_to_simplex(np.array([0.6, 0.6])), [0.5, 0.5])
    np.testing.assert_allclose(project_to_simplex(np.array([0.2, 0.8])), [0.2, 0.8])


def test_wcc_error_and_weights():
    M = _Connectivity(ENSEMBLE)
    shares, factors = WCC()._run(M, 3, np.random.default_rng(0))
    plain = mean_connectivity(ENSEMBLE.labels, shares)
    Q = factors.Q[ENSEMBLE.core.index]
    error = ((plain - Q @ factors.S @ Q.T) ** 2).sum()
    np.testing.assert_allclose(factors.objective, error, rtol=1e-6)
    A = M.inner_products()
    np.testing.assert_allclose(
        A[1, 4],
        (connectivity(ENSEMBLE.labels, 1) * connectivity(ENSEMBLE.labels, 4)).sum(),
    )


def test_wcc_distrusts_noise():
    labels = make_planted_ensemble(200, n_clusters=3, n_members=6, random_state=0)
    noise = np.random.default_rng(1).integers(0, 3, size=(200, 2))
    mixed = np.column_stack([labels.ensemble.labels, noise])
    result = WCC().combine(mixed, 3, seed=0)
    weights = result.weights.members
    np.testing.assert_allclose(weights.sum(), 1.0)
    assert weights[6:].mean() < 0.5 * weights[:6].mean()
