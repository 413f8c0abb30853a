"""SC-SRGF against the plain fusion of dense graphs."""

import numpy as np
import oracles
import pytest
from sklearn.datasets import load_digits

from coterie.clusterers import SCSRGF
from coterie.clusterers._subspace_fusion import fused, neighbor_graph
from coterie.exceptions import MemoryLimitError
from coterie.metrics import nmi


def plain_graph(X, k):
    D = np.sqrt(oracles.squared_distances(X, X))
    sigma = D.mean()
    W = np.zeros_like(D)
    for i in range(len(X)):
        others = np.argsort(np.where(np.arange(len(X)) == i, np.inf, D[i]))[:k]
        W[i, others] = np.exp(-D[i, others] / (2 * sigma))
    return np.maximum(W, W.T)


def plain_fusion(graphs, k, n_steps):
    n, m = len(graphs[0]), len(graphs)
    full, strong = [], []
    for W in graphs:
        W = W / W.sum(axis=1, keepdims=True)
        W = (W + W.T) / 2
        S = np.zeros_like(W)
        for i in range(n):
            kept = np.argsort(-W[i], kind="stable")[:k]
            S[i, kept] = W[i, kept]
        full.append(W)
        strong.append(S / S.sum(axis=1, keepdims=True))
    for _ in range(n_steps):
        new = []
        for i in range(m):
            others = sum(full[j] for j in range(m) if j != i) / (m - 1)
            W = strong[i] @ others @ strong[i].T + np.eye(n)
            new.append((W + W.T) / 2)
        full = new
    W = sum(full) / m
    W = W / W.sum(axis=1, keepdims=True)
    return (W + W.T + np.eye(n)) / 2


@pytest.mark.parametrize("n_steps", [1, 5, 20])
def test_fusion(n_steps):
    rng = np.random.default_rng(0)
    views = [rng.normal(size=(40, 3)) for _ in range(3)]
    graphs = [neighbor_graph(X, 4, rng) for X in views]
    plain = [plain_graph(X, 4) for X in views]
    for ours, expected in zip(graphs, plain, strict=True):
        np.testing.assert_allclose(ours.toarray(), expected, atol=1e-9)
    expected = plain_fusion(plain, 4, n_steps)
    np.testing.assert_allclose(fused(graphs, 4, n_steps), expected, atol=1e-5)


def test_finds_digits():
    X, y = load_digits(return_X_y=True)
    model = SCSRGF(10, n_subspaces=8, n_steps=10, random_state=0)
    assert nmi(y[:500], model.fit_predict(X[:500])) > 0.8


def test_memory_is_checked_before_any_work(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "100000")
    with pytest.raises(MemoryLimitError, match="20 dense graphs of 300 samples"):
        SCSRGF(2).fit(np.zeros((300, 4)))


def test_few_equal_and_lonely_samples():
    assert SCSRGF(1).fit_predict([[1.0, 2.0]]).tolist() == [0]
    assert SCSRGF(2).fit_predict(np.ones((6, 2))).max() <= 1
    assert len(set(SCSRGF(3).fit_predict([[0.0], [1.0], [5.0]]).tolist())) == 3
