"""The smallest eigenpairs against LAPACK."""

import numpy as np
import pytest

from coterie._linalg import smallest_eigenpairs


def graph_laplacian(n, seed, density=0.2):
    """Return the Laplacian of a random weighted graph of very different degrees."""
    rng = np.random.default_rng(seed)
    S = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    scale = np.exp(rng.standard_normal(n))
    S = scale[:, None] * (S + S.T) * scale
    return np.diag(S.sum(axis=1)) - S


@pytest.mark.parametrize("n", [40, 300])
@pytest.mark.parametrize("n_vectors", [1, 5, 12])
def test_against_lapack(n, n_vectors):
    L = graph_laplacian(n, seed=n + n_vectors)
    rng = np.random.default_rng(0)
    pairs = smallest_eigenpairs(lambda V: L @ V, L.diagonal(), n_vectors, rng=rng)
    values, vectors = np.linalg.eigh(L)
    assert pairs.converged
    np.testing.assert_allclose(pairs.values, values[:n_vectors], atol=1e-8)
    ours, theirs = pairs.vectors, vectors[:, :n_vectors]
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-6)


def test_known_vectors_are_left_out():
    L = graph_laplacian(200, seed=1)
    ones = np.full((200, 1), 200**-0.5)
    pairs = smallest_eigenpairs(
        lambda V: L @ V,
        L.diagonal(),
        3,
        rng=np.random.default_rng(0),
        project=lambda V: V - ones @ (ones.T @ V),
    )
    np.testing.assert_allclose(pairs.values, np.linalg.eigvalsh(L)[1:4], atol=1e-8)
    np.testing.assert_allclose(ones.T @ pairs.vectors, 0, atol=1e-10)


def test_a_near_start_saves_work():
    L = graph_laplacian(400, seed=2)
    noise = graph_laplacian(400, seed=3)
    rng = np.random.default_rng(0)
    cold = smallest_eigenpairs(lambda V: L @ V, L.diagonal(), 6, rng=rng)
    near = L + 1e-6 * noise
    args = (lambda V: near @ V, near.diagonal(), 6)
    again = smallest_eigenpairs(*args, rng=rng)
    warm = smallest_eigenpairs(*args, rng=rng, start=cold.vectors)
    np.testing.assert_allclose(warm.values, again.values, atol=1e-8)
    assert warm.n_iter < again.n_iter


def test_multiple_eigenvalues():
    diagonal = np.repeat([1.0, 1.0, 1.0, 5.0], [1, 1, 4, 94])
    rng = np.random.default_rng(0)
    pairs = smallest_eigenpairs(lambda V: diagonal[:, None] * V, diagonal, 6, rng=rng)
    np.testing.assert_allclose(pairs.values, 1.0)
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(6), atol=1e-12)


def test_all_of_them():
    L = graph_laplacian(12, seed=4, density=0.9)
    pairs = smallest_eigenpairs(
        lambda V: L @ V, L.diagonal(), 12, rng=np.random.default_rng(0)
    )
    np.testing.assert_allclose(pairs.values, np.linalg.eigvalsh(L), atol=1e-9)


def test_says_when_it_did_not_converge():
    L = graph_laplacian(300, seed=5)
    pairs = smallest_eigenpairs(
        lambda V: L @ V, L.diagonal(), 4, rng=np.random.default_rng(0), max_iter=1
    )
    assert not pairs.converged
    assert pairs.residual > 0
