"""References: what they keep of the data, and what not."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.decomposition import PCA

from coterie.choice._nulls import (
    NULLS,
    _look_independent,
    independent_axes,
    principal_scores,
)
from coterie.choice._unimodal import fit_unimodal

RNG = np.random.default_rng(0)
TWO = np.concatenate([RNG.normal(-4, 1, (150, 1)), RNG.normal(4, 1, (150, 1))])
X = np.hstack([TWO, RNG.normal(size=(300, 3))]) @ RNG.normal(size=(4, 4))


@pytest.mark.parametrize("shape", [(40, 6), (20, 50)])
@pytest.mark.parametrize("sparse", [False, True])
def test_scores_are_those_of_pca(shape, sparse):
    data = np.random.default_rng(1).random(shape) * (np.arange(shape[1]) + 1)
    expected = PCA(4).fit_transform(data)
    found = principal_scores(sp.csr_matrix(data) if sparse else data, 4)[0]
    signs = np.sign(np.sum(found * expected, axis=0))
    np.testing.assert_allclose(found * signs, expected, atol=1e-8)


def test_components_without_variance_are_left_out():
    data = np.full((10, 3), 0.1)
    assert principal_scores(data, 3)[0].shape == (10, 0)
    assert principal_scores(data.astype(np.float32), 3)[0].shape == (10, 0)
    assert principal_scores(np.full((5, 9), 0.1), 3)[0].shape == (5, 0)
    data[:, 1] = np.arange(10)
    assert principal_scores(data, 3)[0].shape == (10, 1)


@pytest.mark.parametrize("kind", NULLS)
def test_references_keep_the_covariance(kind):
    scores = principal_scores(X, 4)[0]
    rng = np.random.default_rng(0)
    draw = NULLS[kind](scores, rng)
    one, two = draw(rng), draw(rng)
    assert not np.allclose(one, two)
    for found in (one, two):
        np.testing.assert_allclose(found.mean(axis=0), 0.0, atol=1e-9)
        np.testing.assert_allclose(found.T @ found, scores.T @ scores, atol=1e-6)


@pytest.mark.parametrize(
    ("kind", "has_one_mode"),
    [
        ("gaussian", True),
        ("unimodal", True),
        ("independent", True),
        ("permuted", False),
    ],
)
def test_who_keeps_two_modes(kind, has_one_mode):
    scores = principal_scores(X, 4)[0]
    rng = np.random.default_rng(0)
    drawn = NULLS[kind](scores, rng)(rng)
    assert fit_unimodal(scores[:, 0]).dip > 0.08
    assert (fit_unimodal(drawn[:, 0]).dip < 0.04) == has_one_mode


def test_independent_components_find_a_square_again():
    rng = np.random.default_rng(0)
    square = (rng.random((500, 2)) - 0.5) * np.sqrt(12)
    angle = np.pi / 4
    turn = np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])
    white = square @ turn
    white = white - white.mean(axis=0)
    left, _, right = np.linalg.svd(white, full_matrices=False)
    white = left @ right * np.sqrt(500)
    found = turn @ independent_axes(white, rng)
    assert np.sort(np.abs(found).ravel())[:2].max() < 0.1  # back along the sides
    corners = {}
    for kind in ("unimodal", "independent"):
        drawn = NULLS[kind](white, rng)(rng)
        corners[kind] = np.mean(np.abs(drawn).sum(axis=1) < 0.5 * np.sqrt(6))
    inside = np.mean(np.abs(white).sum(axis=1) < 0.5 * np.sqrt(6))
    assert abs(corners["independent"] - inside) < abs(corners["unimodal"] - inside)


def test_features_are_the_axes_unless_they_depend_on_each_other():
    square = np.random.default_rng(0).uniform(-1, 1, size=(400, 2))
    turned = square @ np.array([[1.0, 1.0], [-1.0, 1.0]]) / np.sqrt(2)
    for data, expected in ((square, True), (turned, False)):
        scores, axes = principal_scores(data, 2)
        white = scores / scores.std(axis=0)
        assert _look_independent(white @ axes.T) is expected
        # either way the references are squares: no draw lies beyond the sides
        draw = NULLS["independent"](scores, np.random.default_rng(1), axes)
        drawn = draw(np.random.default_rng(2)) / scores.std(axis=0)
        assert np.abs(drawn).max() < 2.7  # a Gaussian of 400 goes beyond 3


def test_draws_take_their_own_principal_components():
    data = np.random.default_rng(0).uniform(size=(60, 3))
    scores, axes = principal_scores(data, 3)
    drawn = NULLS["independent"](scores, np.random.default_rng(1), axes)(
        np.random.default_rng(2)
    )
    np.testing.assert_allclose(drawn.T @ drawn, scores.T @ scores, atol=1e-9)
