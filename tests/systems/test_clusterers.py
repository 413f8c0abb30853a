"""GNMF and SSC against plain versions of their papers' equations."""

from itertools import pairwise

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits

from coterie.clusterers import GNMF, SSC
from coterie.clusterers._graph_factors import neighbor_graph
from coterie.clusterers._self_expression import fit_weight, self_expression
from coterie.exceptions import MemoryLimitError
from coterie.metrics import ari, nmi

X, Y = load_digits(return_X_y=True)


def subspaces(n=30, seed=0, offset=0.0):
    """Three planes in eight dimensions."""
    rng = np.random.default_rng(seed)
    parts = [
        rng.standard_normal((n, 2)) @ rng.standard_normal((2, 8))
        + offset * rng.standard_normal(8)
        for _ in range(3)
    ]
    return np.vstack(parts), np.repeat([0, 1, 2], n)


def test_gnmf_updates_are_the_papers():
    few = X[:40] + 0.5  # no feature is zero throughout
    model = GNMF(
        3, alpha=2.0, unit_length=False, max_iter=4, tol=0.0, random_state=5
    ).fit(few)
    from coterie._seeds import seed_sequence

    rng = np.random.default_rng(seed_sequence(5))
    U, V = rng.random((64, 3)), rng.random((40, 3))
    W = neighbor_graph(few, 5).toarray()
    for _ in range(4):
        U, V = oracles.gnmf_step(few.T, U, V, W, 2.0)
    lengths = np.linalg.norm(U, axis=0)
    np.testing.assert_allclose(model.embedding_, V * lengths, rtol=1e-6)
    np.testing.assert_allclose(model.components_.T, U / lengths, rtol=1e-6)
    L = np.diag(W.sum(axis=1)) - W
    value = ((few.T - U @ V.T) ** 2).sum() + 2.0 * np.trace(V.T @ L @ V)
    np.testing.assert_allclose(model.objective_, value, rtol=1e-8)


def test_gnmf_never_rises():
    values = [
        GNMF(5, max_iter=m, tol=0.0, random_state=0).fit(X[:200]).objective_
        for m in range(1, 15)
    ]
    assert all(b <= a * (1 + 1e-12) for a, b in pairwise(values))


@pytest.mark.slow
def test_gnmf_digits():
    model = GNMF(10, random_state=0).fit(X)
    assert nmi(Y, model.labels_) > 0.8
    sparse = GNMF(10, random_state=0).fit(sp.csr_array(X))
    assert nmi(model.labels_, sparse.labels_) > 0.95


def test_gnmf_graph():
    W = neighbor_graph(np.array([[0.0], [1.0], [3.0], [7.0]]), 1).toarray()
    expected = [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]]
    np.testing.assert_array_equal(W, expected)


def test_gnmf_shifts_negative_features():
    few = X[:50].copy()
    shifted = few.copy()
    shifted[:, 20] -= 7.0 + few[:, 20].min()
    few[:, 20] -= few[:, 20].min()
    labels = GNMF(3, random_state=0).fit_predict(few)
    np.testing.assert_array_equal(GNMF(3, random_state=0).fit_predict(shifted), labels)
    with pytest.raises(ValueError, match="GNMF needs sparse data without negative"):
        GNMF(3).fit(sp.csr_array(shifted))


@pytest.mark.parametrize("affine", [False, True])
def test_ssc_iterations_are_the_papers(affine):
    data = subspaces(10)[0]
    found = self_expression(data, 20.0, affine, 7, 0.0)
    penalty = fit_weight(data, 20.0)
    expected = oracles.ssc_admm(data.T, penalty, 20.0, affine, 7)
    np.testing.assert_allclose(found.C, expected, atol=1e-9)


def test_ssc_finds_the_minimum():
    data = subspaces(10)[0]
    found = self_expression(data, 20.0, False, 20_000, 1e-9)
    assert found.converged
    penalty = fit_weight(data, 20.0)

    def value(C):
        return np.abs(C).sum() + penalty / 2 * ((data.T - data.T @ C) ** 2).sum()

    from sklearn.linear_model import Lasso

    plain = np.zeros((30, 30))
    for i in range(30):
        others = np.arange(30) != i
        lasso = Lasso(1 / (penalty * 8), fit_intercept=False, max_iter=10**6, tol=1e-10)
        plain[others, i] = lasso.fit(data[others].T, data[i]).coef_
    np.testing.assert_allclose(value(found.C), value(plain), rtol=1e-5)


@pytest.mark.parametrize("affine", [False, True])
def test_ssc_finds_subspaces(affine):
    data, truth = subspaces(offset=2.0 if affine else 0.0)
    model = SSC(3, affine=affine, random_state=0).fit(data)
    assert ari(truth, model.labels_) > 0.95
    C = model.coefficients_.toarray()
    np.testing.assert_array_equal(C.diagonal(), 0.0)


def test_ssc_guards_memory(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "10000")
    with pytest.raises(MemoryLimitError, match="SSC: the coefficients of 100"):
        SSC(3).fit(X[:100])
