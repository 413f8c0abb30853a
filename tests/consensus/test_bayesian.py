"""BCE against plain variational inference."""

from itertools import pairwise

import numpy as np
import oracles
import pytest
from scipy.special import digamma, gammaln

from coterie._kernels import _mixed_membership
from coterie.consensus import BCE
from coterie.consensus._bayesian import _dirichlet_bound, _newton_alpha
from coterie.datasets import make_planted_ensemble
from coterie.metrics import ari


def test_digamma():
    x = np.concatenate([np.logspace(-4, 4, 300), [1.0, 5.999999, 6.0]])
    ours = [_mixed_membership.digamma(v) for v in x]
    np.testing.assert_allclose(ours, digamma(x), rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("missing", [0.0, 0.4])
def test_memberships(missing):
    ensemble = make_planted_ensemble(
        40, n_members=5, noise=0.4, missing=missing, random_state=0
    ).ensemble
    rng = np.random.default_rng(0)
    k, rows = 3, ensemble.core.rows
    beta = [rng.dirichlet(np.ones(n), k).T for n in ensemble.n_clusters_per_member]
    alpha = rng.random(k) + 0.1
    gamma = np.ones((len(rows), k)) + (rows >= 0).sum(axis=1)[:, None] / k
    geometric = np.empty_like(gamma)
    _mixed_membership.infer_memberships(
        rows, ensemble.offsets, np.vstack(beta), alpha, 50, 1e-4, gamma, geometric
    )
    expected = [oracles.mixed_membership(r, beta, alpha, 50, 1e-4) for r in rows]
    np.testing.assert_allclose(gamma, expected, rtol=1e-9)
    logs = digamma(gamma) - digamma(gamma.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(geometric, np.exp(logs), rtol=1e-9)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_the_bound_never_falls(missing):
    ensemble = make_planted_ensemble(
        150, noise=0.5, missing=missing, random_state=1
    ).ensemble
    costs = [
        BCE(1, m, tol=0.0).combine(ensemble, 4, seed=2).objective for m in range(1, 12)
    ]
    assert all(b <= a + 1e-6 * abs(a) for a, b in pairwise(costs))
    assert costs[-1] < costs[0]


def test_the_dirichlet_part_is_a_divergence():
    rng = np.random.default_rng(0)
    alpha, gamma = rng.random(3) + 0.5, rng.random((1, 3)) + 0.5
    logs = digamma(gamma) - digamma(gamma.sum())
    theta = rng.dirichlet(gamma[0], 200_000)

    def density(a):
        constant = gammaln(a.sum()) - gammaln(a).sum()
        return constant + np.log(theta) @ (a - 1)

    drawn = (density(alpha) - density(gamma[0])).mean()
    found = _dirichlet_bound(alpha, gamma, logs, np.ones(1))
    np.testing.assert_allclose(found, drawn, atol=0.02)


def test_newton_finds_alpha():
    rng = np.random.default_rng(0)
    truth = np.array([0.5, 2.0, 1.0])
    log_sums = np.log(rng.dirichlet(truth, 20_000)).sum(axis=0)
    alpha = np.ones(3)
    for _ in range(30):
        alpha = _newton_alpha(alpha, log_sums, 20_000)
    np.testing.assert_allclose(alpha, truth, rtol=0.05)


def test_memberships_are_shares():
    planted = make_planted_ensemble(100, n_clusters=3, missing=0.2, random_state=0)
    result = BCE().combine(planted.ensemble, 3, seed=0)
    memberships = result.details["memberships"]
    np.testing.assert_allclose(memberships.sum(axis=1), 1.0)
    assert ari(memberships.argmax(axis=1), result.labels) == 1.0
