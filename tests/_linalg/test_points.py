"""Trees from centroids equal scipy's from distances."""

import numpy as np
import pytest
import scipy.cluster.hierarchy as sch
from scipy.spatial.distance import pdist

from coterie._linalg import cut_tree, linkage, linkage_points


def points(n=150, d=4, seed=0):
    return np.random.default_rng(seed).standard_normal((n, d))


def same_partition(a, b):
    return len({*zip(a.tolist(), b.tolist(), strict=True)}) == a.max() + 1


def test_ward():
    X = points()
    Z = linkage_points(X, "ward")
    expected = sch.linkage(X, "ward")
    np.testing.assert_allclose(Z[:, 2], expected[:, 2], rtol=1e-9)
    np.testing.assert_array_equal(Z[:, 3], expected[:, 3])


@pytest.mark.parametrize(
    ("method", "metric", "power"),
    [("average", "euclidean", 1), ("average_squared", "sqeuclidean", 2)],
)
def test_average_linkage(method, metric, power):
    X = points(seed=1)
    Z = linkage_points(X, method)
    expected = sch.linkage(pdist(X, metric), "average")
    np.testing.assert_allclose(Z[:, 2] ** power, expected[:, 2], rtol=1e-5)
    for k in (2, 5, 20):
        theirs = sch.cut_tree(expected, k).ravel()
        assert same_partition(cut_tree(Z, k), theirs)


def test_the_tree_from_centroids_is_that_from_distances():
    X = points(400, 3, seed=2)
    Z = linkage_points(X, "average_squared")
    other = linkage(pdist(X, "sqeuclidean"))
    np.testing.assert_allclose(Z[:, 2] ** 2, other[:, 2], rtol=1e-9)
    np.testing.assert_array_equal(Z[:, :2], other[:, :2])


def test_too_many_points_for_their_distances(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryError, match='Use "ward" or "average_squared"'):
        linkage_points(points(100))


@pytest.mark.parametrize("method", ["average", "average_squared", "ward"])
def test_duplicates_and_few_points(method):
    X = np.repeat(points(10), 3, axis=0).astype(np.float32)
    labels = cut_tree(linkage_points(X, method), 10)
    np.testing.assert_array_equal(labels, np.repeat(np.arange(10), 3))
    assert linkage_points(X[:1], method).shape == (0, 4)
    assert linkage_points(X[:2], method).shape == (1, 4)
    same = linkage_points(np.ones((5, 2)), method)
    np.testing.assert_array_equal(same[:, 2], 0)


def test_an_unknown_method():
    with pytest.raises(ValueError, match=r"method='single'; it must be one of"):
        linkage_points(points(4), "single")
