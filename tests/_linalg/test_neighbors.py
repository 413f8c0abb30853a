"""Nearest neighbours against brute force, ties and duplicates included."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracles
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS, lay_out
from sklearn.neighbors import NearestNeighbors
from threadpoolctl import threadpool_limits

from coterie._kernels._jit import kernel_threads
from coterie._linalg import _neighbors
from coterie._linalg._neighbors import nearest_neighbors, shared_searches


def rng(seed=0):
    return np.random.default_rng(seed)


def check(X, k, queries=None, layout="float64"):
    """Compare with brute force, on data whose distances have no rounding errors."""
    indices, sqdist = oracles.neighbors(X, k, queries)
    wrapped = None if queries is None else lay_out(queries, layout)
    found = nearest_neighbors(lay_out(X, layout), k, queries=wrapped)
    assert found.indices.dtype == np.int32
    assert found.sqdist.dtype == (np.float32 if layout == "float32" else np.float64)
    assert np.array_equal(found.indices, indices)
    assert np.array_equal(found.sqdist, sqdist)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("k", [1, 5, 59])
def test_equals_brute_force_with_many_ties(layout, k):
    X = rng().integers(0, 4, size=(60, 3)).astype(float)  # duplicates too
    check(X, k, layout=layout)
    check(X, k, queries=X[::3] + 1.0, layout=layout)


@given(st.integers(0, 2**16), st.integers(2, 40), st.integers(1, 6), st.data())
def test_equals_brute_force_on_small_grids(seed, n, d, data):
    X = rng(seed).integers(-2, 3, size=(n, d)).astype(float)
    k = data.draw(st.integers(1, n - 1))
    for layout in ("float64", "float32", "csr"):
        check(X, k, layout=layout)


@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
def test_many_tiles(layout, monkeypatch):
    monkeypatch.setattr(_neighbors, "_TILE", 16)
    monkeypatch.setattr(_neighbors, "_SPARSE_BYTES", 2048)
    X = rng(1).integers(0, 30, size=(131, 7)).astype(float)
    check(X, 9, layout=layout)
    check(X, 9, queries=X[5:90] + 2.0, layout=layout)


@pytest.mark.parametrize("layout", ["float32", "csr"])
@pytest.mark.parametrize("asked", [None, slice(40, 400)])
def test_lists_need_no_second_look(layout, asked, monkeypatch):
    """They are shortened again and again: 600 rows, and room for some 70."""
    monkeypatch.setattr(_neighbors, "_TILE", 128)
    monkeypatch.setattr(_neighbors, "_SPARSE_BYTES", 2**15)
    monkeypatch.delattr("coterie._kernels._neighbors.refine_dense")
    monkeypatch.delattr("coterie._kernels._neighbors.refine_csr")
    X = rng(4).normal(size=(600, 5))
    queries = None if asked is None else X[asked] + 1.0
    indices, _ = oracles.neighbors(X, 3, queries)
    wrapped = None if queries is None else lay_out(queries, layout)
    found = nearest_neighbors(lay_out(X, layout), 3, queries=wrapped)
    assert np.mean(found.indices == indices) > 0.999


def test_a_shared_search_has_the_same_bits():
    X = rng(5).normal(size=(300, 8)).astype(np.float32)
    alone = [nearest_neighbors(X, k) for k in (5, 2, 30)]
    with shared_searches(at_least=10):
        shared = [nearest_neighbors(X, k) for k in (5, 2, 30)]
        other = nearest_neighbors(2 * X, 5)
    for one, two in zip(alone, shared, strict=True):
        assert np.array_equal(one.indices, two.indices)
        assert np.array_equal(one.sqdist, two.sqdist)
    assert np.array_equal(other.sqdist, 4 * alone[0].sqdist)


def test_a_shared_search_is_made_once(monkeypatch):
    X, searched = rng(6).normal(size=(50, 3)), []
    search = _neighbors._search
    monkeypatch.setattr(
        _neighbors, "_search", lambda *args: searched.append(args[1]) or search(*args)
    )
    with shared_searches(at_least=10):
        for k in (5, 10, 12, 3):
            nearest_neighbors(X.copy(), k)
    assert searched == [10, 12]
    nearest_neighbors(X, 3)
    assert searched == [10, 12, 3]


@pytest.mark.parametrize("layout", ["float64", "csr"])
def test_equals_brute_force_on_real_numbers(layout):
    X = rng(2).normal(size=(300, 33))
    indices, sqdist = oracles.neighbors(X, 12)
    found = nearest_neighbors(lay_out(X, layout), 12)
    assert np.array_equal(found.indices, indices)
    np.testing.assert_allclose(found.sqdist, sqdist, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_equals_sklearn(dtype):
    X = rng(3).normal(size=(1500, 40)).astype(dtype)
    found = nearest_neighbors(X, 10)
    distances, indices = (
        NearestNeighbors(n_neighbors=10, algorithm="brute")
        .fit(X.astype(np.float64))
        .kneighbors()
    )
    assert np.mean(found.indices == indices) > (
        0.999 if dtype == np.float32 else 1 - 1e-9
    )
    np.testing.assert_allclose(found.sqdist, distances**2, rtol=1e-4)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_duplicates_are_neighbours_at_zero(layout):
    X = np.repeat(rng(4).normal(size=(20, 5)) * 1e3 + 0.1, 3, axis=0)
    found = nearest_neighbors(lay_out(X, layout), 2)
    triples = np.arange(60).reshape(20, 3)
    expected = [[i for i in triples[q // 3] if i != q] for q in range(60)]
    assert np.array_equal(found.indices, expected)
    assert np.all(found.sqdist == 0)


@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
def test_constant_data(layout):
    X = np.full((50, 4), 0.1)
    found = nearest_neighbors(lay_out(X, layout), 3)
    assert np.array_equal(found.indices[5], [0, 1, 2])
    assert np.array_equal(found.indices[1], [0, 2, 3])
    assert np.all(found.sqdist == 0)


def test_structure_far_below_single_precision():
    X = np.r_[np.arange(40), 1e4 * 2**20 + np.arange(40)][:, None] * 2.0**-20
    check(X, 4)


def test_far_from_the_origin():
    X = rng(5).integers(0, 50, size=(80, 3)).astype(float)
    near, far = nearest_neighbors(X, 6), nearest_neighbors(X + 2.0**40, 6)
    assert np.array_equal(near.indices, far.indices)
    assert np.array_equal(near.sqdist, far.sqdist)


@pytest.mark.parametrize("scale", [2.0**-70, 2.0**70])
def test_scales_beyond_single_precision(scale):
    X = rng(6).integers(0, 50, size=(80, 3)).astype(float)
    plain, scaled = nearest_neighbors(X, 6), nearest_neighbors(X * scale, 6)
    assert np.array_equal(plain.indices, scaled.indices)
    assert np.array_equal(plain.sqdist * scale**2, scaled.sqdist)


@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
def test_threads_give_the_same_bits(layout):
    X = lay_out(rng(7).normal(size=(1300, 21)).round(1), layout)

    def run(_):
        return nearest_neighbors(X, 8)

    with threadpool_limits(1), kernel_threads(1):
        here = run(0)
    others = [run(0)]
    with ThreadPoolExecutor(2) as pool:
        others += pool.map(run, range(3))
    for other in others:
        assert np.array_equal(here.indices, other.indices)
        assert np.array_equal(here.sqdist, other.sqdist)


def test_queries_in_batches():
    X = rng(8).normal(size=(400, 11)).round(1)
    queries = rng(9).normal(size=(57, 11)).round(1)
    whole = nearest_neighbors(X, 5, queries=queries)
    for q in range(57):
        one = nearest_neighbors(X, 5, queries=queries[q : q + 1])
        assert np.array_equal(one.indices[0], whole.indices[q])
        assert np.array_equal(one.sqdist[0], whole.sqdist[q])


@pytest.mark.parametrize("k", [0, 10])
def test_too_many_neighbours(k):
    X = np.arange(10.0)[:, None]
    with pytest.raises(ValueError, match="Ask for 1 to 9 neighbours"):
        nearest_neighbors(X, k)
    if k:
        assert nearest_neighbors(X, k, queries=X).indices.shape == (10, 10)
    with pytest.raises(ValueError, match="Ask for 1 to 10 neighbours"):
        nearest_neighbors(X, 11, queries=X)


def test_a_single_row_has_no_neighbours():
    with pytest.raises(ValueError, match="pass more rows"):
        nearest_neighbors(np.ones((1, 2)), 1)


def test_queries_must_match():
    X = np.arange(10.0)[:, None]
    with pytest.raises(ValueError, match="1 features of X, got 2"):
        nearest_neighbors(X, 2, queries=np.ones((3, 2)))
    with pytest.raises(TypeError, match="both dense or both sparse"):
        nearest_neighbors(X, 2, queries=scipy.sparse.csr_array(X))


def test_few_rows_in_single_precision_are_ranked_in_double():
    few = np.random.default_rng(0).normal(size=(60, 30)).astype(np.float32)
    single = nearest_neighbors(few, 5)
    double = nearest_neighbors(few.astype(np.float64), 5)
    assert single.sqdist.dtype == np.float32
    np.testing.assert_array_equal(single.indices, double.indices)
    np.testing.assert_array_equal(single.sqdist, double.sqdist.astype(np.float32))
