"""Graphs of similar samples against the equations, and where these break down."""

import numpy as np
import oracles
import pytest
import scipy.sparse
from scipy.stats import spearmanr

from coterie._linalg import (
    _neighbors,
    _similarity,
    candidate_distances,
    density_graph,
    direction_graph,
    directions,
    exponential_graph,
    mirrored,
    nearest_neighbors,
    shared_searches,
)

KERNELS = {"density": density_graph, "exponential": exponential_graph}


def rng(seed=0):
    return np.random.default_rng(seed)


def blobs(n=120, d=9, seed=0):
    centers = rng(seed).normal(size=(4, d)) * 3
    noise = rng(seed + 2).normal(size=(n, d))
    return centers[rng(seed + 1).integers(4, size=n)] + noise


def lists_of_all(n):
    return np.array([[j for j in range(n) if j != i] for i in range(n)], dtype=np.int32)


def check(graph, n):
    W = graph.weights
    assert W.shape == (n, n)
    assert np.isfinite(W.data).all()
    assert (W.data > 0).all()
    assert (W.diagonal() == 0).all()
    assert W.has_canonical_format
    assert abs(W - W.T).max() == 0


every = pytest.mark.parametrize("kernel", list(KERNELS))


@every
@pytest.mark.parametrize("mu", [0.2, 0.5, 0.8, 3.0])
@pytest.mark.parametrize("k", [1, 5, 20])
def test_as_the_equations_say(kernel, mu, k):
    X = blobs()
    graph = KERNELS[kernel](X, k, mu)
    check(graph, len(X))
    expected = getattr(oracles, f"{kernel}_graph")(X, k, mu)
    np.testing.assert_array_equal(graph.weights.toarray() > 0, expected > 0)
    np.testing.assert_allclose(graph.weights.toarray(), expected, rtol=1e-10, atol=0)
    assert graph.recall == 1.0


def test_the_densest_are_not_the_nearest():
    X = blobs(seed=3)
    density = density_graph(X, 5, 0.2).weights.toarray() > 0
    nearest = exponential_graph(X, 5, 0.2).weights.toarray() > 0
    assert (density != nearest).sum() > 50


@every
@pytest.mark.parametrize(
    "make",
    [
        scipy.sparse.csr_matrix,
        scipy.sparse.csr_array,
        np.asfortranarray,
        lambda X: np.repeat(X, 2, axis=1)[:, ::2],
        lambda X: X.tolist(),
    ],
    ids=["csr_matrix", "csr_array", "fortran", "strided", "list"],
)
def test_layouts(kernel, make):
    X = np.where(rng(1).random((80, 12)) < 0.5, blobs(80, 12), 0.0)
    expected = KERNELS[kernel](X, 6, 0.4).weights
    weights = KERNELS[kernel](make(X), 6, 0.4).weights
    np.testing.assert_allclose(weights.toarray(), expected.toarray(), rtol=1e-9)


@every
@pytest.mark.parametrize("sparse", [False, True])
def test_candidates_that_are_all_rows_give_the_exact_graph(kernel, sparse):
    X = blobs(90)
    data = scipy.sparse.csr_array(X) if sparse else X
    graph = KERNELS[kernel](data, 7, 0.3, candidates=lists_of_all(90))
    expected = KERNELS[kernel](X, 7, 0.3).weights
    np.testing.assert_allclose(
        graph.weights.toarray(), expected.toarray(), rtol=1e-9, atol=0
    )
    assert graph.recall == 1.0


@every
def test_recall_says_what_candidates_miss(kernel):
    X = blobs(300, 12)
    few = nearest_neighbors(X, 60).indices
    good = KERNELS[kernel](X, 8, 0.4, candidates=few)
    assert good.recall > 0.95
    lists = lists_of_all(300)
    random = np.ascontiguousarray(rng(0).permuted(lists, axis=1)[:, :60])
    bad = KERNELS[kernel](X, 8, 0.4, candidates=random)
    assert 0.05 < bad.recall < 0.5
    check(bad, 300)


@every
def test_single_precision_is_close(kernel):
    X = blobs(400, 50)
    exact = KERNELS[kernel](X, 10, 0.5).weights
    single = KERNELS[kernel](X.astype(np.float32), 10, 0.5).weights
    common = (exact > 0).multiply(single > 0)
    assert common.nnz > 0.998 * exact.nnz
    difference = abs((exact - single).multiply(common)).max()
    assert difference < 1e-4 * exact.max()


def test_beyond_all_pairs(monkeypatch):
    X = blobs(500, 20)
    exact = density_graph(X, 10, 0.4).weights
    monkeypatch.setattr(_similarity, "ALL_PAIRS", 100)
    near = density_graph(X, 10, 0.4).weights
    assert (exact > 0).multiply(near > 0).nnz > 0.999 * exact.nnz


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_far_from_the_origin_and_far_apart(dtype, offset):
    tight = np.repeat(np.eye(3) * 100, 40, axis=0) + rng(0).normal(size=(120, 3)) * 0.1
    X = (tight + offset).astype(dtype)
    graph = density_graph(X, 5, 0.5)
    check(graph, 120)
    expected = oracles.density_graph(X.astype(np.float64), 5, 0.5)
    np.testing.assert_allclose(
        graph.weights.toarray(), expected, rtol=1e-2, atol=1e-3 * expected.max()
    )


@every
@pytest.mark.parametrize("scale", [1e-60, 1e-9, 1e9, 1e60])
def test_scale_does_not_matter(kernel, scale):
    X = blobs(100)
    factor = scale**2 if kernel == "density" else 1.0
    weights = KERNELS[kernel](X * scale, 6, 0.4).weights.toarray() * factor
    expected = KERNELS[kernel](X, 6, 0.4).weights.toarray()
    np.testing.assert_allclose(weights, expected, rtol=1e-8)


@every
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("n_copies", [2, 5, 40])
def test_duplicates(kernel, dtype, n_copies):
    X = np.repeat(blobs(30), n_copies, axis=0).astype(dtype)
    graph = KERNELS[kernel](X, 4, 0.3)
    check(graph, len(X))
    if n_copies > 4:  # copies are joined to copies only, all by the same weight
        W = graph.weights.tocoo()
        assert (W.row // n_copies == W.col // n_copies).all()
        assert W.data.min() == W.data.max()


def test_infinite_density_becomes_the_largest_finite_one():
    X = np.concatenate([np.zeros((4, 2)), blobs(20, 2) + 5])
    W = density_graph(X, 3, 0.5).weights.toarray()
    expected = oracles.density_graph(X, 3, 0.5)
    finite = np.isfinite(expected)
    assert not finite.all()
    np.testing.assert_allclose(W[finite], expected[finite], rtol=1e-10)
    np.testing.assert_allclose(W[~finite], expected[finite].max(), rtol=1e-10)


@every
def test_all_samples_are_the_same(kernel):
    graph = KERNELS[kernel](np.ones((12, 3)), 3, 0.5)
    check(graph, 12)
    assert (graph.weights.data == 1).all()


@every
def test_more_neighbours_than_samples(kernel):
    assert KERNELS[kernel](blobs(4), 20, 0.5).weights.nnz == 12
    assert KERNELS[kernel](blobs(2), 20, 0.5).weights.nnz == 2


@every
def test_spreads_of_many_orders(kernel):
    X = np.exp(8 * rng(0).normal(size=(200, 3)))
    for data in (X, X.astype(np.float32)):
        check(KERNELS[kernel](data, 6, 0.3), 200)


@every
def test_impossible_questions(kernel):
    with pytest.raises(ValueError, match="needs at least two samples, got 1"):
        KERNELS[kernel]([[1.0]], 3, 0.5)
    with pytest.raises(ValueError, match="n_neighbors of at least 1, got 0"):
        KERNELS[kernel](blobs(5), 0, 0.5)


@pytest.mark.parametrize("metric", ["cosine", "correlation", "spearman"])
@pytest.mark.parametrize("sparse", [False, True])
def test_directions_have_the_similarities_as_products(metric, sparse):
    X = blobs(30, 60)
    expected = {
        "cosine": X @ X.T / np.outer(*[np.linalg.norm(X, axis=1)] * 2),
        "correlation": np.corrcoef(X),
        "spearman": spearmanr(X.T).statistic,
    }[metric]
    U = directions(scipy.sparse.csr_array(X) if sparse else X, metric)
    U = U.toarray() if scipy.sparse.issparse(U) else U
    np.testing.assert_allclose(U @ U.T, expected, atol=1e-12)

    W = direction_graph(U, 4).weights.toarray()
    np.fill_diagonal(expected, -np.inf)
    kept = oracles.keep_largest(expected, 4)
    np.testing.assert_allclose(W, np.maximum(kept, 0), atol=1e-10)


@pytest.mark.parametrize("metric", ["cosine", "correlation", "spearman"])
def test_rows_without_direction(metric):
    X = blobs(40, 6)
    X[:5] = 0.0
    X[5:8] = 0.1
    U = directions(X, metric)
    assert np.isfinite(U).all()
    W = direction_graph(U, 3).weights.toarray()
    none = np.flatnonzero(~U.any(axis=1))
    assert none.size == (5 if metric == "cosine" else 8)
    assert W[np.ix_(none, none)].sum() > 0
    assert np.delete(W[none], none, axis=1).sum() == 0
    sparse = directions(scipy.sparse.csr_matrix(X), metric)
    np.testing.assert_allclose(
        direction_graph(sparse, 3).weights.toarray(), W, atol=1e-10
    )


@pytest.mark.parametrize("scale", [1e-200, 1e200])
def test_directions_do_not_overflow(scale):
    X = blobs(20, 5)
    for metric in ("cosine", "correlation"):
        np.testing.assert_allclose(directions(X * scale, metric), directions(X, metric))


@pytest.mark.parametrize("kernel", list(KERNELS))
@pytest.mark.parametrize("width", [40, 23])
def test_rows_that_list_each_other_are_compared_once(kernel, width):
    X = np.random.default_rng(0).normal(size=(300, 9))
    lists = nearest_neighbors(X, 40).indices
    mirror = mirrored(lists)
    for i, c in [(0, 0), (7, 39), (299, 12)]:
        theirs = lists[lists[i, c]].tolist()
        assert mirror[i, c] == (theirs.index(i) if i in theirs else -1)
    few = np.ascontiguousarray(lists[:, :width])
    half = np.ascontiguousarray(mirror[:, :width])
    plain = KERNELS[kernel](X, 8, 0.4, candidates=few)
    found = KERNELS[kernel](X, 8, 0.4, candidates=few, mirror=half)
    np.testing.assert_array_equal(found.weights.indices, plain.weights.indices)
    np.testing.assert_allclose(found.weights.data, plain.weights.data, rtol=1e-12)
    assert found.recall == plain.recall


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_distances_measured_once_give_the_same_graphs(dtype):
    X = blobs(300, 12).astype(dtype)
    lists = nearest_neighbors(X, 90).indices
    both = mirrored(lists)
    known = candidate_distances(X, lists, both, 8)
    for k, width in ((5, 40), (20, 90)):
        given = np.ascontiguousarray(lists[:, :width])
        options = {"candidates": given, "mirror": np.ascontiguousarray(both[:, :width])}
        once = density_graph(X, k, 0.4, candidates=given, distances=known)
        anew = density_graph(X, k, 0.4, **options)
        assert abs(once.weights - anew.weights).max() == 0
        assert once.recall == anew.recall


@pytest.mark.parametrize("k", [1, 7, 20])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_densest_of_lists_with_ties(k, dtype):
    """Halving finds no limit between equal numbers: the first of them count."""
    D = rng(4).integers(0, 9, size=(60, 70)).astype(dtype)
    D[:, ::9] = np.inf  # not itself
    ids = rng(5).permuted(np.tile(np.arange(70, dtype=np.int32), (60, 1)), axis=1)
    rho = rng(6).integers(0, 3, size=70).astype(float)
    rows = np.arange(60)
    found_rho, places, ranks = _similarity._densest_listed(
        _similarity._Search(D, ids, rows), k, 0.5, rho
    )
    nearest = np.sort(D, axis=1)[:, :k].astype(float)
    np.testing.assert_allclose(found_rho, nearest.mean(axis=1), rtol=1e-12)
    total = found_rho[:, None] + rho[ids] + D
    with np.errstate(divide="ignore", invalid="ignore"):
        expected = 4.5 / 0.5**2 * (D / total) ** 2 + np.log(total)
    expected = np.where(total > 0, expected, -1e4)
    expected[np.isinf(D)] = np.inf
    order = np.argsort(expected.round(9), axis=1, kind="stable")[:, :k]
    np.testing.assert_array_equal(np.sort(places), np.sort(order))
    found = np.take_along_axis(expected, places, axis=1)
    np.testing.assert_allclose(ranks, found, rtol=1e-12, atol=1e-12)


def test_members_keep_no_searches_of_their_own_features(monkeypatch):
    monkeypatch.setattr(_similarity, "ALL_PAIRS", 50)
    with shared_searches():
        density_graph(blobs(), 5, 0.5)
        exponential_graph(blobs(), 5, 0.5)
        kept = _neighbors._SEARCHES.get()
        nearest_neighbors(blobs(), 5)
        assert len(kept.found) == 1
