"""Spanning trees against Kruskal's algorithm on all pairs."""

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree
from scipy.spatial.distance import cdist

from coterie._linalg import _spanning_tree, spanning_tree
from coterie._linalg._spanning_tree import _boruvka, _prim


def scipy_length(X):
    return minimum_spanning_tree(cdist(X, X)).sum()


def assert_tree(ends, n):
    assert ends.shape == (n - 1, 2)
    assert (ends[:, 0] < ends[:, 1]).all()
    links = sp.coo_array((np.ones(n - 1), tuple(ends.T)), shape=(n, n))
    assert connected_components(links, directed=False)[0] == 1


@given(
    st.integers(1, 3).flatmap(
        lambda d: st.lists(
            st.lists(st.integers(0, 4), min_size=d, max_size=d), min_size=2, max_size=30
        )
    )
)
@settings(max_examples=60, deadline=None)
def test_prim_prefers_small_numbers_among_equals(rows):
    X = np.array(rows, dtype=float)
    tree = spanning_tree(X)
    expected = oracles.spanning_tree(X)
    assert tree.ends.tolist() == [[i, j] for i, j, _ in expected]
    np.testing.assert_allclose(tree.lengths, [length for *_, length in expected])


@given(st.integers(0, 10**6), st.integers(2, 90), st.booleans())
@settings(max_examples=60, deadline=None)
def test_both_algorithms_find_the_shortest_tree(seed, n, whole):
    rng = np.random.default_rng(seed)
    X = rng.standard_normal((n, rng.choice([1, 2, 4, 8])))
    X += rng.integers(0, 4, size=(n, 1)) * rng.choice([0.0, 1.0, 30.0])
    X = np.round(X) if whole else X
    expected = sum(length for *_, length in oracles.spanning_tree(X))
    for ends, sqdist in (_prim(X), _boruvka(X), _boruvka(sp.csr_array(X))):
        assert_tree(ends, n)
        np.testing.assert_allclose(np.sqrt(sqdist).sum(), expected, atol=1e-9)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("shape", [(600, 2), (600, 11), (300, 400), (700, 300)])
def test_length_is_that_of_scipy(shape, dtype):
    X = np.random.default_rng(0).standard_normal(shape)
    X[: shape[0] // 3] += 5
    tree = spanning_tree(X.astype(dtype))
    assert_tree(tree.ends, shape[0])
    assert (np.diff(tree.lengths) >= 0).all()
    np.testing.assert_allclose(tree.lengths.sum(), scipy_length(X), rtol=1e-5)
    own = np.linalg.norm(X[tree.ends[:, 0]] - X[tree.ends[:, 1]], axis=1)
    np.testing.assert_allclose(tree.lengths, own, rtol=1e-4)


@pytest.mark.parametrize("n_features", [2, 7])
def test_distant_crowds_of_duplicates(n_features, monkeypatch):
    monkeypatch.setattr(_spanning_tree, "_PRIM_ROWS", 0)
    rng = np.random.default_rng(0)
    places = rng.standard_normal((25, n_features)) * 100
    X = np.repeat(places, 20, axis=0)[rng.permutation(500)]
    tree = spanning_tree(X)
    assert_tree(tree.ends, 500)
    assert (tree.lengths == 0).sum() == 475
    np.testing.assert_allclose(tree.lengths.sum(), scipy_length(places))


@pytest.mark.parametrize("scale", [1e-60, 1e-30, 1e30, 1e60])
def test_scale_does_not_matter(scale):
    X = np.random.default_rng(0).standard_normal((50, 3))
    one, other = spanning_tree(X), spanning_tree(X * scale)
    np.testing.assert_array_equal(one.ends, other.ends)
    np.testing.assert_allclose(other.lengths, one.lengths * scale)


def test_equal_samples_and_single_ones():
    assert spanning_tree([[1.0, 2.0]]).ends.shape == (0, 2)
    assert spanning_tree(np.zeros((40, 3))).lengths.tolist() == [0.0] * 39
    assert_tree(spanning_tree(sp.csr_array((40, 3))).ends, 40)
