"""Mixtures of Gaussians against scikit-learn's, and principal components."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris, load_wine
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture

from coterie._linalg import _principal as principal
from coterie._linalg import gaussian_mixture, kmeans, principal_components


def rng(seed=0):
    return np.random.default_rng(seed)


def unit(X):
    return (X - X.mean(axis=0)) / X.std(axis=0)


@pytest.mark.parametrize("load", [load_iris, load_wine])
@pytest.mark.parametrize("k", [1, 3, 8])
def test_from_the_same_start_it_is_that_of_scikit_learn(load, k):
    X = unit(load().data)
    start = kmeans(X, k, rng=rng()).labels
    groups = [X[start == c] for c in range(k)]
    covariances = [np.cov(g.T, bias=True) + 1e-6 * np.eye(X.shape[1]) for g in groups]
    model = GaussianMixture(
        k,
        weights_init=np.bincount(start) / len(X),
        means_init=[g.mean(axis=0) for g in groups],
        precisions_init=np.linalg.inv(covariances),
        reg_covar=1e-6,
        tol=1e-5,
        max_iter=500,
    ).fit(X)
    ours = gaussian_mixture(X, start, tol=1e-5, max_iter=500)
    assert ours.n_iter == model.n_iter_
    np.testing.assert_allclose(ours.log_likelihood, model.lower_bound_, rtol=1e-8)
    np.testing.assert_allclose(ours.weights, model.weights_, atol=1e-8)
    np.testing.assert_allclose(ours.means, model.means_, atol=1e-7)
    np.testing.assert_allclose(ours.covariances, model.covariances_, atol=1e-7)
    np.testing.assert_array_equal(ours.assign(X), model.predict(X))


def test_likelihood_never_falls():
    X = unit(load_wine().data[:, :5])
    start = rng().integers(0, 4, len(X))
    values = [
        gaussian_mixture(X, start, max_iter=m, tol=0.0).log_likelihood
        for m in range(1, 30)
    ]
    assert (np.diff(values) > -1e-9).all()


@given(st.integers(0, 10**6))
@settings(max_examples=40, deadline=None)
def test_flat_clusters_outliers_and_duplicates_do_no_harm(seed):
    draw = rng(seed)
    n, d = int(draw.integers(2, 40)), int(draw.integers(1, 11))
    X = draw.standard_normal((n, d))
    X[draw.random(n) < 0.3] = X[0]
    X[-1] *= 10.0 ** draw.integers(0, 8)
    X = X[:, np.r_[np.arange(d), 0]]  # two features are equal
    X = unit(X) if (X.std(axis=0) > 0).all() else X
    start = np.unique(draw.integers(0, n, n), return_inverse=True)[1]
    mixture = gaussian_mixture(X, start)
    assert np.isfinite(mixture.log_likelihood)
    assert set(mixture.assign(X)) <= set(start)


@pytest.mark.parametrize("shape", [(60, 12), (20, 90), (60, 60)])
@pytest.mark.parametrize("route", ["dense", "randomized", "sparse"])
def test_components_are_those_of_scikit_learn(shape, route, monkeypatch):
    if route != "dense":
        monkeypatch.setattr(principal, "_DENSE", 0)
    X = rng().standard_normal(shape) * 0.8 ** np.arange(shape[1]) + 3.0
    expected = PCA(4, svd_solver="full").fit_transform(X)
    found = principal_components(sp.csr_array(X) if route == "sparse" else X, 4)
    found *= np.linalg.norm(expected) / np.linalg.norm(found)
    tolerance = 0.05 if route == "randomized" else 1e-6
    np.testing.assert_allclose(np.abs(found), np.abs(expected), atol=tolerance)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
@pytest.mark.parametrize("make", [np.array, sp.csr_array])
def test_components_without_variance_are_left_out(scale, make, monkeypatch):
    plane = rng().standard_normal((50, 2)) @ rng(1).standard_normal((2, 40))
    assert principal_components(make(plane * scale), 10).shape == (50, 2)
    assert principal_components(make(np.ones((50, 40)) * scale), 10).shape == (50, 0)
    assert principal_components(make(np.zeros((50, 40))), 10).shape == (50, 0)
    monkeypatch.setattr(principal, "_DENSE", 0)
    assert principal_components(make(plane * scale), 10).shape == (50, 2)
    assert principal_components(make(np.ones((50, 40)) * scale), 10).shape == (50, 0)
