from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracles
import pytest
import scipy.linalg
import scipy.sparse
from sklearn.neighbors import kneighbors_graph

from coterie._linalg import spectral_embedding, unit_rows


def random_graph(n, seed=0, density=0.05):
    rng = np.random.default_rng(seed)
    W = np.triu(rng.random((n, n)) * (rng.random((n, n)) < density), 1)
    W[np.arange(n - 1), np.arange(1, n)] = 0.5  # connected
    return W + W.T


def embed(W, k, seed=0, **kwargs):
    return spectral_embedding(W, k, rng=np.random.default_rng(seed), **kwargs)


def check_embedding(U, W, tol=1e-4):
    A = oracles.normalized_adjacency(W)
    k = U.shape[1]
    U = U.astype(float)
    values = np.linalg.eigvalsh(A)[::-1][:k]
    np.testing.assert_allclose(U.T @ U, np.eye(k), atol=1e-4)
    rayleigh = np.einsum("ij,ij->j", U, A @ U)
    np.testing.assert_allclose(rayleigh, values, atol=tol)
    residuals = np.linalg.norm(A @ U - U * values, axis=0)
    assert residuals.max() < 5 * tol


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n", "k"), [(30, 1), (30, 5), (600, 1), (600, 12)])
def test_columns_are_the_eigenvectors(sparse, dtype, n, k):
    W = random_graph(n)
    U = embed(scipy.sparse.csr_array(W) if sparse else W, k, dtype=dtype)
    assert U.dtype == dtype
    assert U.shape == (n, k)
    check_embedding(U, W)


@pytest.mark.parametrize("n", [1, 2, 40])
def test_all_columns(n):
    W = random_graph(n) if n > 1 else np.ones((1, 1))
    for k in {1, n - 1, n} - {0}:
        check_embedding(embed(W, k), W)


def test_bipartite_graph_and_all_columns():
    W = np.kron([[0, 1], [1, 0]], np.ones((5, 5)))  # eigenvalues 1, -1, and zeros
    check_embedding(embed(W, 10), W)


@pytest.mark.parametrize("n_nodes", [20, 200])
def test_components_and_lone_nodes_lie_on_known_axes(n_nodes):
    blocks = [random_graph(n_nodes, seed) for seed in range(3)]
    W = scipy.linalg.block_diag(*blocks, np.zeros((2, 2)))
    U = embed(scipy.sparse.csr_array(W), 9)
    check_embedding(U, W)
    component = np.repeat(np.arange(5), [n_nodes] * 3 + [1, 1])
    rows = unit_rows(U[:, :5])
    np.testing.assert_allclose(rows, np.eye(5)[component], atol=1e-6)


@pytest.mark.parametrize("k", [1, 2, 4, 5])
def test_more_components_than_columns(k):
    sizes = [6, 40, 3, 30, 1, 1, 1]
    W = scipy.linalg.block_diag(
        *(random_graph(size) if size > 1 else [[0.0]] for size in sizes)
    )
    component = np.repeat(np.arange(7), sizes)
    U = embed(W, k)
    check_embedding(U, W)
    rows = unit_rows(U)
    np.testing.assert_allclose(np.sort(rows, axis=1)[:, -1], 1.0, rtol=1e-6)
    axis = rows.argmax(axis=1)
    assert set(axis) == set(range(k))
    for c in range(7):
        assert len(set(axis[component == c])) == 1
    largest = [1, 3, 0, 2, 4][:k]
    assert [axis[component == c][0] for c in largest] == list(range(k))


def test_different_seeds_join_lone_nodes_differently():
    W = np.zeros((60, 60))
    axes = [embed(W, 3, seed).argmax(axis=1) for seed in (0, 1, 0)]
    assert (axes[0] != axes[1]).any()
    np.testing.assert_array_equal(axes[0], axes[2])


def test_nearest_neighbour_graph_with_clusters():
    rng = np.random.default_rng(0)
    centers = rng.standard_normal((8, 6)) * 4
    y = np.arange(960) % 8
    G = kneighbors_graph(centers[y] + rng.standard_normal((960, 6)), 10)
    W = ((G + G.T) / 2).tocsr()
    check_embedding(embed(W, 8), W.toarray())


@pytest.mark.parametrize("scale", [1e-200, 1e-30, 1e200])
def test_scale_does_not_matter(scale):
    W = random_graph(50)
    np.testing.assert_allclose(embed(W * scale, 4), embed(W, 4), atol=1e-4)


def test_explicit_zeros_are_no_edges():
    W = scipy.sparse.csr_array(random_graph(12))
    pair = scipy.sparse.block_diag([W, W]).tocoo()
    rows = np.concatenate([pair.row, [0, 23]])
    columns = np.concatenate([pair.col, [23, 0]])
    data = np.concatenate([pair.data, [0.0, 0.0]])
    W = scipy.sparse.csr_array((data, (rows, columns)), shape=(24, 24))
    before = W.copy()
    rows = unit_rows(embed(W, 2))
    np.testing.assert_array_equal(rows.argmax(axis=1), np.repeat([0, 1], 12))
    np.testing.assert_array_equal(W.data, before.data)


def test_seed_fixes_all_in_any_thread():
    W = scipy.sparse.csr_array(random_graph(500))
    here = embed(W, 6, seed=3)
    np.testing.assert_array_equal(embed(W, 6, seed=3), here)
    with ThreadPoolExecutor(2) as pool:
        for there in pool.map(lambda seed: embed(W, 6, seed), [3, 3]):
            np.testing.assert_array_equal(there, here)


def test_unit_rows():
    U = np.array([[3.0, 4.0], [0.0, 0.0], [1e-30, 0.0], [-1e30, 1e30]], np.float32)
    rows = unit_rows(U)
    assert rows.dtype == np.float32
    half = np.sqrt(0.5)
    expected = [[0.6, 0.8], [0.0, 0.0], [1.0, 0.0], [-half, half]]
    np.testing.assert_allclose(rows, expected, rtol=1e-6)


@pytest.mark.parametrize("sparse", [True, False])
@pytest.mark.parametrize(
    ("W", "message"),
    [
        ([[0.0, 1.0], [0.5, 0.0]], "symmetric"),
        ([[0.0, -1.0], [-1.0, 0.0]], "nonnegative weights"),
        ([[0.0, np.nan], [np.nan, 0.0]], "finite"),
        ([[0.0, np.inf], [np.inf, 0.0]], "finite"),
        ([[0.0, 1.0, 1.0], [1.0, 0.0, 1.0]], "square"),
    ],
)
def test_errors_say_what_is_wrong(sparse, W, message):
    W = scipy.sparse.csr_array(W) if sparse else np.array(W)
    with pytest.raises(ValueError, match=message):
        embed(W, 1)


@pytest.mark.parametrize("k", [0, 4])
def test_number_of_columns(k):
    with pytest.raises(ValueError, match="between 1 and 3"):
        embed(np.ones((3, 3)), k)
