"""Principal components of codes equal those of the one-hot matrix."""

import numpy as np
import pytest

from coterie._linalg import _codes, code_gram, code_pca, project_codes
from coterie._linalg._codes import _gram_product


def one_hot(codes):
    return np.hstack([np.eye(int(c.max()) + 1)[c] for c in codes.T])


def grouped_codes(n=120, P=90, groups=5, seed=0):
    """Return codes that follow groups, so that the leading components stand out."""
    rng = np.random.default_rng(seed)
    truth = np.arange(n) % groups
    names = rng.integers(0, 20, (P, groups))
    codes = names[:, truth].T
    noise = rng.random((n, P)) < 0.2
    codes[noise] = rng.integers(0, 20, noise.sum())
    return codes.astype(np.uint8)


def test_the_gram_matrix_counts_agreements():
    codes = grouped_codes(P=2100).astype(np.uint16)
    H = one_hot(codes)
    np.testing.assert_array_equal(code_gram(codes), H @ H.T)


@pytest.mark.parametrize("n", [1, 63, 64, 65, 200])
def test_half_of_the_gram_matrix_is_mirrored(n, monkeypatch):
    monkeypatch.setattr(_codes, "_TILE_ROWS", 64)
    monkeypatch.setattr(_codes, "_MIRRORED", 48)
    monkeypatch.setattr(_codes, "_COLUMNS", 10)
    codes = np.random.default_rng(n).integers(0, 3, (n, 25)).astype(np.uint8)
    expected = (codes[:, None] == codes[None]).sum(axis=2)
    np.testing.assert_array_equal(code_gram(codes), expected)
    tiles = [counts.copy() for _, counts in _codes.agreement_tiles(codes)]
    np.testing.assert_array_equal(np.concatenate(tiles), expected)


@pytest.mark.parametrize("gram", [True, False])
def test_scores_are_those_of_a_singular_value_decomposition(gram):
    codes = grouped_codes()
    pca = code_pca(codes, 4, rng=np.random.default_rng(0), gram=gram)
    H = one_hot(codes)
    U, s, _ = np.linalg.svd(H - H.mean(axis=0), full_matrices=False)
    np.testing.assert_allclose(pca.values, s[:4] ** 2, rtol=2e-3)
    expected = U[:, :4] * s[:4]
    signs = np.sign((pca.scores * expected).sum(axis=0))
    error = np.abs(pca.scores * signs - expected).max() / np.abs(expected).max()
    assert error < 0.05
    np.testing.assert_allclose(pca.scores.mean(axis=0), 0, atol=1e-4)
    assert (pca.scores[np.abs(pca.scores).argmax(axis=0), range(4)] > 0).all()


def test_products_with_more_samples_than_a_tile():
    codes = grouped_codes(n=2500, P=40)
    B = np.random.default_rng(1).standard_normal((2500, 3))
    H = one_hot(codes)
    found = _gram_product(np.ascontiguousarray(codes.T), B)
    np.testing.assert_allclose(found, H @ (H.T @ B), rtol=1e-3, atol=0.05)


def test_few_samples():
    assert code_pca(np.zeros((1, 3), np.uint8), 2, rng=np.random.default_rng(0)).scores[
        0, 0
    ] == pytest.approx(0)
    flat = code_pca(np.zeros((6, 3), np.uint8), 9, rng=np.random.default_rng(0))
    assert flat.scores.shape == (6, 5)
    np.testing.assert_allclose(flat.scores, 0, atol=1e-5)


def test_projection_of_the_samples_and_of_others():
    codes = grouped_codes(n=160)
    fit, new = codes[:120], codes[120:]
    pca = code_pca(fit, 4, rng=np.random.default_rng(0))
    error = np.abs(project_codes(fit, fit, pca) - pca.scores).max()
    assert error < 0.05 * np.abs(pca.scores).max()
    both = np.vstack([fit, new])
    H = one_hot(both)
    H0, H1 = H[:120], H[120:]
    mean = H0.mean(axis=0)
    loadings = (H0 - mean).T @ (pca.scores / pca.values)
    np.testing.assert_allclose(
        project_codes(fit, new, pca), (H1 - mean) @ loadings, atol=1e-8
    )
