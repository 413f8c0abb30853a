"""Layers equal brute force, for every kind of input and every way to find the best."""

import numpy as np
import pytest
import scipy.sparse as sp

from coterie._kernels import _codes
from coterie._linalg import _code_layers, code_layer, draw_centroids, sampled_code_layer
from coterie._linalg._centroids import (
    as_similarity,
    nearest_drawn,
    nearest_drawn_sparse,
    strongest_drawn,
)
from coterie._linalg._code_layers import code_dtype


def brute_layer(codes, k, n_clusterings, rng, n_fit=None):
    """Algorithm 2, lines 9 to 16: the n x n similarity, random columns, argmax."""
    B = (codes[:, None, :] == codes[None, :, :]).sum(axis=2)
    draws = draw_centroids(n_fit or len(codes), k, n_clusterings, rng)
    return np.stack([B[:, draw].argmax(axis=1) for draw in draws], axis=1)


def random_codes(n, V, k, seed=0, dtype=np.uint8):
    return np.random.default_rng(seed).integers(0, k, (n, V)).astype(dtype)


def test_draws_are_samples_without_repetition():
    draws = draw_centroids(20, 7, 3000, np.random.default_rng(0))
    assert all(len(set(draw)) == 7 for draw in draws.tolist())
    assert draws.min() == 0
    assert draws.max() == 19
    each_place = np.stack([np.bincount(d, minlength=20) for d in draws.T])
    assert abs(each_place / 3000 - 1 / 20).max() < 0.02  # five standard deviations
    assert draw_centroids(5, 5, 2, np.random.default_rng(1)).shape == (2, 5)


WAYS = ["lists", "rank", "columns"]


@pytest.mark.parametrize("way", ["auto", *WAYS])
@pytest.mark.parametrize(
    ("n", "V", "below", "k", "dtype"),
    [
        (60, 70, 30, 12, np.uint8),
        (60, 64, 3, 2, np.uint8),
        (97, 130, 48, 40, np.uint16),
        (40, 5, 20, 9, np.uint32),
        (9, 1, 2, 4, np.uint8),
        (3, 8, 1, 3, np.uint8),
    ],
)
def test_a_layer_is_the_largest_similarity(way, n, V, below, k, dtype):
    codes = random_codes(n, V, below, dtype=dtype)
    draws = draw_centroids(n, k, 75, np.random.default_rng(1))
    out = code_layer(codes, draws, way=way)
    expected = brute_layer(codes, k, 75, np.random.default_rng(1))
    np.testing.assert_array_equal(out, expected)
    assert out.dtype == code_dtype(k)


@pytest.mark.parametrize("way", WAYS)
def test_further_samples_are_coded_but_never_drawn(way):
    codes = random_codes(80, 33, 8)
    draws = draw_centroids(50, 10, 20, np.random.default_rng(2))
    whole = code_layer(codes, draws, way=way)
    alone = code_layer(codes[:50], draws, way=way)
    np.testing.assert_array_equal(whole[:50], alone)
    expected = brute_layer(codes, 10, 20, np.random.default_rng(2), n_fit=50)
    np.testing.assert_array_equal(whole, expected)


@pytest.mark.parametrize("way", WAYS[1:])
def test_the_last_tile_ends_with_the_samples(way, monkeypatch):
    ends, run = [], getattr(_codes, f"layer_by_{way}")

    def noted(tile, first, *others):
        ends.append(first + len(tile))
        assert ends[-1] <= 152  # rows come in fours
        run(tile, first, *others)

    monkeypatch.setattr(_codes, f"layer_by_{way}", noted)
    monkeypatch.setattr(_code_layers, "_TILE_BYTES", 1)
    codes = random_codes(150, 20, 8)
    draws = draw_centroids(150, 10, 20, np.random.default_rng(2))
    out = code_layer(codes, draws, way=way)
    assert ends[:-1] == [32, 64, 96, 128]
    assert ends[-1] >= 150
    expected = brute_layer(codes, 10, 20, np.random.default_rng(2))
    np.testing.assert_array_equal(out, expected)


def test_equal_rows_are_coded_once(monkeypatch):
    seen, run = [], _codes.layer_by_lists

    def noted(rows, *others):
        seen.append(len(rows))
        run(rows, *others)

    monkeypatch.setattr(_codes, "layer_by_lists", noted)
    codes = random_codes(30, 20, 8)[np.random.default_rng(5).integers(0, 30, 200)]
    draws = draw_centroids(200, 40, 20, np.random.default_rng(2))
    out = code_layer(codes, draws, way="lists")
    assert seen == [len(np.unique(codes, axis=0))]
    expected = brute_layer(codes, 40, 20, np.random.default_rng(2))
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16, np.uint32])
@pytest.mark.parametrize("n_codes", [1, 255, 256, 600])
def test_agreements_of_many_codes(n_codes, dtype):
    codes = random_codes(130, n_codes, 2, dtype=dtype)
    codes[:66] = codes[0]  # all agree
    expected = (codes[:, None] == codes[None]).sum(axis=2)
    rows, blocks = _code_layers.padded(codes), _code_layers.in_blocks(codes)
    for first, counts in _code_layers.agreements(rows, blocks):
        found = counts[: len(codes) - first, : len(codes)]
        np.testing.assert_array_equal(found, expected[first : first + len(found)])


def test_a_sampled_layer_compares_a_share_of_the_codes():
    codes = random_codes(50, 40, 6)
    out = sampled_code_layer(codes, 8, 30, 0.5, rng=np.random.default_rng(3))
    rng = np.random.default_rng(3)
    draws = draw_centroids(50, 8, 30, rng)
    for v, draw in enumerate(draws):
        part = codes[:, rng.choice(40, size=20, replace=False)]
        B = (part[:, None] == part[None, draw]).sum(axis=2)
        np.testing.assert_array_equal(out[:, v], B.argmax(axis=1))


def test_code_types():
    assert code_dtype(256) == np.uint8
    assert code_dtype(257) == np.uint16
    assert code_dtype(65537) == np.uint32


def data(n=70, d=6, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 4, (n, d)).astype(np.float64)  # many ties and duplicates
    X[5] = 0
    return X, rng.permutation(n)[: n // 2].astype(np.int32)


def cosines(X, C):
    norms = np.linalg.norm(C, axis=1)
    return X @ np.divide(C, norms[:, None], where=norms[:, None] > 0, out=0 * C).T


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_dense_rows_go_to_the_nearest_first_drawn(dtype):
    X, draw = data()
    X = X.astype(dtype)
    d = ((X[:, None] - X[None, draw]) ** 2).sum(axis=2)
    np.testing.assert_array_equal(nearest_drawn(X, draw), d.argmin(axis=1))


def test_dense_rows_by_cosine():
    X = np.random.default_rng(1).standard_normal((60, 5))  # no ties to round
    draw = np.arange(0, 60, 2, dtype=np.int32)
    codes = nearest_drawn(X, draw, metric="cosine")
    np.testing.assert_array_equal(codes, cosines(X, X[draw]).argmax(axis=1))


def test_candidates_rule_out_the_rest():
    X, draw = data(d=12, seed=4)
    d = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    near = np.argsort(d, axis=1, kind="stable")[:, :10].astype(np.int32)
    found = nearest_drawn(X, draw, candidates=near)
    for i in range(len(X)):
        own = [p for p, j in enumerate(draw) if j in near[i]] or range(draw.size)
        best = min(own, key=lambda p: (d[i, draw[p]], p))
        assert d[i, draw[found[i]]] == d[i, draw[best]]
    everything = np.tile(np.arange(len(X), dtype=np.int32), (len(X), 1))
    np.testing.assert_array_equal(
        nearest_drawn(X, draw, candidates=everything), nearest_drawn(X, draw)
    )


@pytest.mark.parametrize("metric", ["cosine", "euclidean"])
def test_sparse_rows_in_some_features(metric):
    X, draw = data(d=9, seed=2)
    X = X.astype(np.float32)
    features = np.array([0, 2, 3, 7])
    V = X[:, features].astype(np.float64)
    found = nearest_drawn_sparse(sp.csr_matrix(X), draw, features, metric=metric)
    if metric == "euclidean":
        d = ((V[:, None] - V[None, draw]) ** 2).sum(axis=2)
        np.testing.assert_array_equal(found, d.argmin(axis=1))
    else:
        scores = cosines(V, V[draw])
        best = scores.max(axis=1)
        chosen = scores[np.arange(len(X)), found]
        np.testing.assert_allclose(chosen, best, atol=1e-12)  # ties round either way
        sure = (scores > best[:, None] - 1e-9).sum(axis=1) == 1
        np.testing.assert_array_equal(found[sure], scores.argmax(axis=1)[sure])


def test_a_graph_takes_the_strongest_link():
    rng = np.random.default_rng(0)
    S = rng.integers(0, 3, (50, 50)) * (rng.random((50, 50)) < 0.1)
    S[7] = 0
    order = rng.permutation(50).astype(np.int32)
    found = strongest_drawn(as_similarity(S.astype(float)), order, 12)
    drawn = S[:, order[:12]]
    linked = drawn.max(axis=1) > 0
    np.testing.assert_array_equal(found[linked], drawn.argmax(axis=1)[linked])
    # The others go on along the order.
    rest = S[:, order[12:]].argmax(axis=1) + 12
    rest[7] = 0
    assert (~linked).sum() > 5
    np.testing.assert_array_equal(found[~linked], rest[~linked] % 12)


@pytest.mark.parametrize(
    ("S", "text"),
    [
        (np.ones((3, 2)), r"similarity matrix that is square, got shape \(3, 2\)"),
        (-np.eye(3), "nonnegative similarities, got -1"),
    ],
)
def test_wrong_similarities(S, text):
    with pytest.raises(ValueError, match=text):
        as_similarity(S)
