from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracles
import pytest
import scipy.sparse

from coterie._kernels import _jit
from coterie._kernels._spmm import csr_chebyshev_steps, csr_matmat
from coterie._linalg import largest_eigenpairs
from coterie._linalg._eigen import _filter, _Interval, lanczos_step
from coterie._linalg._spectral import _SparseOperator


def operator(values, seed=0):
    """A symmetric matrix with these eigenvalues, and its eigenvectors."""
    n = len(values)
    Q, _ = np.linalg.qr(np.random.default_rng(seed).standard_normal((n, n)))
    return (Q * values) @ Q.T, Q


def solve(A, n_vectors, dtype=np.float64, tol=1e-8, seed=0, lower=-1.0, **kwargs):
    A = A.astype(dtype)
    return largest_eigenpairs(
        lambda V: A @ V,
        len(A),
        n_vectors,
        rng=np.random.default_rng(seed),
        lower=lower,
        dtype=dtype,
        tol=tol,
        **kwargs,
    )


def check_pairs(pairs, A, n_vectors, tol):
    n = len(A)
    expected = np.linalg.eigvalsh(A)[::-1][:n_vectors]
    V = pairs.vectors.astype(float)
    eps = np.finfo(pairs.vectors.dtype).eps
    assert pairs.converged
    assert V.shape == (n, n_vectors)
    np.testing.assert_allclose(V.T @ V, np.eye(n_vectors), atol=1e-11 + 100 * eps)
    np.testing.assert_allclose(pairs.values, expected, atol=max(tol, 100 * eps))
    residuals = np.linalg.norm(A @ V - V * pairs.values, axis=0)
    assert residuals.max() <= 2 * max(tol, 100 * eps)
    largest = V[np.abs(V).argmax(axis=0), np.arange(n_vectors)]
    assert (largest > 0).all()


@pytest.mark.parametrize(("dtype", "tol"), [(np.float32, 1e-4), (np.float64, 1e-8)])
@pytest.mark.parametrize("n", [20, 600])
@pytest.mark.parametrize("n_vectors", [1, 7, 20])
def test_pairs_are_those_of_numpy(dtype, tol, n, n_vectors):
    rng = np.random.default_rng(n)
    values = np.sort(np.concatenate([[1.0], rng.uniform(-0.5, 0.95, n - 1)]))[::-1]
    A, Q = operator(values)
    pairs = solve(A, n_vectors, dtype, tol)
    check_pairs(pairs, A, n_vectors, tol)
    if n_vectors < n:
        gap = values[n_vectors - 1] - values[n_vectors]
        assert oracles.outside(pairs.vectors, Q[:, :n_vectors]) <= 3 * tol / gap + 1e-5


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("multiplicity", [3, 12, 100])
def test_multiple_eigenvalues(dtype, multiplicity):
    # 100 is more than the 12 wanted and the guards together.
    values = np.linspace(0.8, -0.9, 700)
    values[:multiplicity] = 1.0
    A, Q = operator(values)
    pairs = solve(A, 12, dtype, 1e-4)
    check_pairs(pairs, A, 12, 1e-4)
    n_ones = min(12, multiplicity)
    assert oracles.outside(pairs.vectors[:, :n_ones], Q[:, :multiplicity]) < 2e-3


@pytest.mark.parametrize("n_vectors", [150, 449, 450])
def test_nearly_all_vectors(n_vectors):
    A, _ = operator(np.linspace(1.0, -1.0, 450))
    check_pairs(solve(A, n_vectors), A, n_vectors, 1e-8)


@pytest.mark.parametrize("n", [1, 50, 500])
@pytest.mark.parametrize("value", [0.0, 1.0, -1.0])
def test_multiples_of_the_identity(n, value):
    A = value * np.eye(n)
    check_pairs(solve(A, min(n, 4), np.float32, 1e-4), A, min(n, 4), 1e-4)


def test_one_large_value_among_zeros():
    A = np.zeros((500, 500))
    A[3, 3] = 1.0
    pairs = solve(A, 3, np.float32, 1e-4, lower=0.0)
    check_pairs(pairs, A, 3, 1e-4)
    assert pairs.vectors[3, 0] == pytest.approx(1.0, abs=1e-5)


def test_a_negative_end_larger_than_the_positive_one():
    values = np.linspace(0.1, -1.0, 500)
    A, _ = operator(values)
    check_pairs(solve(A, 5, np.float64, 1e-6), A, 5, 1e-6)


def test_bounds_of_any_scale():
    A, _ = operator(np.linspace(1000.0, 200.0, 500))
    pairs = solve(A, 5, np.float64, 1e-8, lower=0.0, upper=2000.0)
    check_pairs(pairs, A, 5, 2e-5)


def test_too_few_rounds_are_owned_up():
    values = 1.0 - 1e-6 * np.arange(600)
    values[300:] = np.linspace(0.9, -1.0, 300)
    A, _ = operator(values)
    pairs = solve(A, 10, np.float64, 1e-10, max_iter=3)
    assert not pairs.converged
    assert pairs.n_iter == 3
    assert pairs.residual > 1e-10
    assert np.isfinite(pairs.vectors).all()
    np.testing.assert_allclose(pairs.vectors.T @ pairs.vectors, np.eye(10), atol=1e-10)


@pytest.mark.parametrize("n", [60, 600])
def test_known_vectors_are_left_out(n):
    values = np.concatenate([[1.0, 1.0], np.linspace(0.9, -1.0, n - 2)])
    A, Q = operator(values)
    known = Q[:, :2]
    pairs = solve(A, 6, project=lambda V: V - known @ (known.T @ V))
    np.testing.assert_allclose(pairs.values, values[2:8], atol=1e-8)
    assert oracles.outside(pairs.vectors, Q[:, 2:8]) < 1e-4


def test_all_but_the_known_vectors():
    values = np.concatenate([[1.0, 1.0], np.linspace(0.9, -1.0, 48)])
    A, Q = operator(values)
    known = Q[:, :2]
    pairs = solve(A, 48, project=lambda V: V - known @ (known.T @ V))
    np.testing.assert_allclose(pairs.values, values[2:], atol=1e-10)


def graph(n, dtype=np.float32):
    rng = np.random.default_rng(0)
    A = scipy.sparse.random_array((n, n), density=0.02, random_state=rng, format="csr")
    A = (A + A.T).tocsr()
    return (A / abs(A).sum(axis=1).max()).astype(dtype).tocsr()


def solve_sparse(A, seed):
    def apply(V):
        out = np.empty_like(V)
        csr_matmat(A.indptr, A.indices, A.data, V, out)
        return out

    return largest_eigenpairs(
        apply, A.shape[0], 8, rng=np.random.default_rng(seed), lower=-1.0
    )


def test_seed_fixes_all():
    A = graph(500)
    first, second, other = (solve_sparse(A, seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.vectors, second.vectors)
    np.testing.assert_array_equal(first.values, second.values)
    assert (first.vectors != other.vectors).any()


def test_threads_give_the_same_bits():
    A = graph(500)
    here = solve_sparse(A, 0)
    with ThreadPoolExecutor(2) as pool:
        for there in pool.map(lambda seed: solve_sparse(A, seed), [0, 0]):
            np.testing.assert_array_equal(here.vectors, there.vectors)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_vectors", [1, 3, 17])
def test_sparse_product(dtype, n_vectors):
    A = graph(200, dtype)[:150]  # rows of all lengths, not square
    V = np.random.default_rng(1).standard_normal((200, n_vectors)).astype(dtype)
    for product in (csr_matmat, csr_matmat.serial):
        out = np.full((150, n_vectors), np.nan, dtype)
        product(A.indptr, A.indices, A.data, V, out)
        np.testing.assert_allclose(
            out, A.toarray() @ V, rtol=100 * np.finfo(dtype).eps, atol=1e-7
        )


@pytest.mark.parametrize("degree", [1, 2, 3, 8])
@pytest.mark.parametrize("in_one_kernel", [False, True])
def test_filter_is_a_chebyshev_polynomial(in_one_kernel, degree):
    rng = np.random.default_rng(0)
    A = scipy.sparse.random_array((60, 60), density=0.1, rng=rng)
    A = scipy.sparse.csr_array(A + A.T) / 10
    V = rng.standard_normal((60, 9))
    interval = _Interval.between(-0.9, 0.2, 1.0)
    apply = _SparseOperator(A)
    found = _filter(
        apply if in_one_kernel else (lambda B: A @ B), V, A @ V, interval, degree
    )

    def polynomial(t):
        return np.cos(degree * np.arccos(t + 0j)).real

    values, Q = np.linalg.eigh(A.toarray())
    center, half_width = -0.35, 0.55
    factors = polynomial((values - center) / half_width)
    expected = Q @ ((Q.T @ V) * factors[:, None])
    expected /= polynomial((1.0 - center) / half_width)
    np.testing.assert_allclose(found, expected, rtol=1e-9, atol=1e-12)


def test_a_step_of_lanczos():
    rng = np.random.default_rng(0)
    basis = np.linalg.qr(rng.standard_normal((50, 4)))[0].T.copy()
    v = rng.standard_normal(50)
    left = v - basis[:3].T @ (basis[:3] @ v)
    product = basis[2] @ v
    alpha, norm = lanczos_step(basis[:3], v)
    np.testing.assert_allclose(v, left, atol=1e-13)
    np.testing.assert_allclose([alpha, norm], [product, np.linalg.norm(left)])


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n_vectors": 0}, "between 1 and 10"),
        ({"n_vectors": 11}, "between 1 and 10"),
        ({"lower": 1.0}, "lower must be below upper"),
        ({"dtype": np.int64}, "float32 or float64"),
    ],
)
def test_errors_say_what_is_wrong(changed, message):
    arguments = {"n_vectors": 2, "lower": -1.0, "rng": np.random.default_rng(0)}
    with pytest.raises(ValueError, match=message):
        largest_eigenpairs(lambda V: V, 10, **(arguments | changed))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 7, 8, 24, 40, 61])
@pytest.mark.parametrize("n_threads", [1, 3])
def test_chebyshev_steps_equal_their_formula(dtype, width, n_threads, monkeypatch):
    monkeypatch.setattr(_jit, "LARGE", 1)
    random = np.random.default_rng(width)
    A = scipy.sparse.random_array((90, 90), density=0.2, rng=random, format="csr")
    A = A.astype(dtype)
    first, second = random.standard_normal((2, 90, width)).astype(dtype)
    scales, weights = np.array([[1.1, 0.7, 0.4], [0.3, 0.2, 0.1]], dtype=dtype)
    before, now = first.astype(float), second.astype(float)
    for scale, weight in zip(scales, weights, strict=True):
        before, now = now, scale * (A @ now - 0.25 * now) - weight * before
    V_before, V = first.copy(), second.copy()
    with _jit.kernel_threads(n_threads):
        csr_chebyshev_steps(
            A.indptr, A.indices, A.data, V_before, V, dtype(0.25), scales, weights
        )
    tolerance = 50 * np.finfo(dtype).eps * np.abs(now).max()
    np.testing.assert_allclose(V_before, now, atol=tolerance)  # after an odd number
    np.testing.assert_allclose(V, before, atol=tolerance)
