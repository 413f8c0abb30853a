"""Trees from centroids equal scipy's from distances."""

import numpy as np
import pytest
import scipy.cluster.hierarchy as sch
from scipy.spatial.distance import pdist

from coterie.linalg import cut_tree, linkage_points
from coterie.linalg._points import _through_centroids


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


@pytest.mark.parametrize("through_centroids", [False, True])
def test_average_of_squared_distances(through_centroids):
    X = points(seed=1)
    if through_centroids:
        Z = _through_centroids(X, "average")
        Z[:, 2] = np.sqrt(Z[:, 2])
    else:
        Z = linkage_points(X)
    expected = sch.linkage(pdist(X, "sqeuclidean"), "average")
    np.testing.assert_allclose(Z[:, 2] ** 2, expected[:, 2], rtol=1e-5)
    for k in (2, 5, 20):
        theirs = sch.cut_tree(expected, k).ravel()
        assert same_partition(cut_tree(Z, k), theirs)


@pytest.mark.parametrize("method", ["average", "ward"])
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
