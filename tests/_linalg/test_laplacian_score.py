"""The Gaussian graph and the Laplacian score against their formulas."""

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from coterie._linalg import gaussian_graph, laplacian_score

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 7))


@pytest.mark.parametrize("k", [1, 5, 39])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_graph(k, make):
    W = gaussian_graph(make(X), k)
    np.testing.assert_allclose(W.toarray(), oracles.gaussian_graph(X, k), rtol=1e-12)


def test_graph_of_duplicates_and_few_samples():
    same = gaussian_graph(np.ones((5, 2)), 2)
    assert set(same.data) == {1.0}
    assert gaussian_graph(X[:3], 10).nnz == 6
    with pytest.raises(ValueError, match="two samples and n_neighbors of at least 1"):
        gaussian_graph(X[:1], 3)
    with pytest.raises(ValueError, match="two samples and n_neighbors of at least 1"):
        gaussian_graph(X, 0)


@given(st.integers(0, 2**32 - 1), st.integers(3, 30), st.integers(1, 4))
def test_scores(seed, n, k):
    rng = np.random.default_rng(seed)
    data = rng.normal(size=(n, 6)) * 10.0 ** rng.integers(-8, 9, size=6)
    data += rng.normal(size=6) * 10
    W = oracles.gaussian_graph(data, k=min(k, n - 1))
    # Each feature is scaled: the oracle knows no small variances.
    expected = [oracles.laplacian_score((f - f.mean()) / f.std(), W) for f in data.T]
    found = laplacian_score(data, sp.csr_array(W))
    big = data.std(axis=0) > 1e-4 * np.abs(data).max(axis=0)  # nothing is cancelled
    np.testing.assert_allclose(found[big], np.array(expected)[big], atol=1e-9)
    assert (found >= 0).all()


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
def test_scores_of_sparse_many_and_constant_features(make):
    data = np.where(RNG.random((40, 600)) < 0.3, RNG.normal(size=(40, 600)), 0.0)
    data[:, 17] = 0.0
    data[:, 300] = 2.5
    W = sp.csr_array(oracles.gaussian_graph(data, 5))
    expected = [oracles.laplacian_score(f, W.toarray()) for f in data.T]
    found = laplacian_score(make(data), W)
    np.testing.assert_allclose(found, expected, atol=1e-10)
    assert np.flatnonzero(np.isinf(found)).tolist() == [17, 300]


def test_scores_do_not_depend_on_units():
    W = gaussian_graph(X, 5)
    for factor in (1e-60, 1e60):
        np.testing.assert_allclose(
            laplacian_score(X * factor, W), laplacian_score(X, W)
        )
    single = laplacian_score(X.astype(np.float32), W)
    np.testing.assert_allclose(single, laplacian_score(X, W), rtol=1e-5)


def test_good_features_have_small_scores():
    groups = np.repeat([0.0, 10.0], 20)
    data = np.column_stack([groups + RNG.normal(size=40), RNG.normal(size=(40, 5))])
    scores = laplacian_score(data, gaussian_graph(data, 5))
    assert scores.argmin() == 0


def test_a_graph_of_other_samples():
    with pytest.raises(ValueError, match=r"graph of the 40 samples .* shape"):
        laplacian_score(X, sp.csr_array((39, 39)))
