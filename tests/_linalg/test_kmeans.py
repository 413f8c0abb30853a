"""k-means against plain Lloyd, against scikit-learn, and at the edges."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracles
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from layouts import LAYOUTS, lay_out
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from threadpoolctl import threadpool_limits

from coterie._linalg import _samples, kmeans_from_sample, kmeans_labels
from coterie._linalg._kmeans import assign_to_centers, kmeans
from coterie._linalg._samples import draw_spread_rows, samples_around


def rng(seed=0):
    return np.random.default_rng(seed)


def blobs(n=300, d=6, k=5, seed=0, spread=2.0):
    X, _ = make_blobs(n, d, centers=k, cluster_std=spread, random_state=seed)
    return X


def same(a, b):
    assert np.array_equal(a.labels, b.labels)
    assert np.array_equal(a.centers, b.centers)
    assert (a.inertia, a.n_iter, a.converged) == (b.inertia, b.n_iter, b.converged)


def check_valid(result, X, k):
    X = X.toarray() if scipy.sparse.issparse(X) else np.asarray(X, dtype=float)
    assert result.labels.dtype == np.int32
    assert result.labels.shape == (len(X),)
    assert result.labels.min() >= 0
    assert result.labels.max() < k
    assert result.centers.shape == (k, X.shape[1])
    assert np.isfinite(result.centers).all()
    own = ((X - result.centers[result.labels]) ** 2).sum(axis=1)
    nearest = oracles.squared_distances(X, result.centers).min(axis=1)
    scale = 1e-5 if result.centers.dtype == np.float32 else 1e-10
    np.testing.assert_allclose(own, nearest, rtol=scale, atol=scale)
    np.testing.assert_allclose(result.inertia, own.sum(), rtol=scale, atol=scale)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_one_step_equals_the_oracle(layout):
    X = blobs()
    labels, moved = oracles.lloyd_step(X, X[:5])
    given = lay_out(X, layout)
    assert np.array_equal(assign_to_centers(given, X[:5])[0], labels)
    result = kmeans(given, 5, rng=rng(), init=X[:5], max_iter=1, tol=0)
    rtol = 1e-4 if layout == "float32" else 1e-10
    np.testing.assert_allclose(result.centers, moved, rtol=rtol, atol=rtol)
    assert result.centers.dtype == np.float64
    assert result.n_iter == 1


def test_many_float32_samples_are_computed_in_float32():
    X = np.float32(np.random.default_rng(0).normal(size=(2**14, 8)))
    many, few = (kmeans(rows, 3, rng=rng(), max_iter=3) for rows in (X, X[1:]))
    assert (many.centers.dtype, few.centers.dtype) == (np.float32, np.float64)
    for result, rows in ((many, X), (few, X[1:])):
        assert np.array_equal(assign_to_centers(rows, result.centers)[0], result.labels)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(3))
def test_whole_lloyd_equals_the_oracle(layout, seed):
    X = blobs(seed=seed, k=4)
    start = X[rng(seed).choice(len(X), 7, replace=False)]
    labels, centers = oracles.lloyd(X, start)
    given = lay_out(X, layout)
    result = kmeans(given, 7, rng=rng(), init=start, tol=0)
    assert np.array_equal(result.labels, labels)
    rtol = 1e-4 if layout == "float32" else 1e-9
    np.testing.assert_allclose(result.centers, centers, rtol=rtol, atol=rtol)
    assert result.converged
    check_valid(result, given, 7)


def test_layouts_give_the_same_bits():
    X = blobs()
    results = [
        kmeans(lay_out(X, layout), 5, rng=rng(1))
        for layout in ("float64", "fortran", "readonly", "strided")
    ]
    for other in results[1:]:
        same(results[0], other)
    as_matrix, as_array = (
        kmeans(lay_out(X, layout), 5, rng=rng(1)) for layout in ("csr", "csr_array")
    )
    same(as_matrix, as_array)


def test_data_is_not_changed():
    X = blobs()
    before = X.copy()
    kmeans(X, 5, rng=rng(), init=X[:5])
    assert np.array_equal(X, before)


@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
def test_inertia_never_rises(layout):
    X = lay_out(blobs(n=400, k=3, spread=4.0), layout)
    plain = X.toarray() if layout == "csr" else X
    values = [
        kmeans(X, 12, rng=rng(), init=plain[:12], max_iter=t, tol=0).inertia
        for t in range(1, 25)
    ]
    assert np.all(np.diff(values) <= 1e-6 * values[0])


@pytest.mark.parametrize("d", [2, 20, 150])
@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
def test_as_good_as_sklearn(d, layout):
    X = blobs(n=600, d=d, k=8, seed=d)
    ours = kmeans(lay_out(X, layout), 8, rng=rng(), n_init=3)
    theirs = KMeans(8, n_init=3, random_state=0).fit(X)
    assert ours.inertia <= 1.02 * theirs.inertia_


def test_more_runs_are_never_worse():
    X = blobs(k=12, spread=3.0)
    one, many = (kmeans(X, 12, rng=rng(3), n_init=n).inertia for n in (1, 8))
    assert many <= one * (1 + 1e-12)


def test_plus_plus_beats_random_starts():
    X = blobs(n=500, k=20, spread=0.5)
    means = {
        init: np.mean([kmeans(X, 20, rng=rng(s), init=init).inertia for s in range(8)])
        for init in ("k-means++", "random")
    }
    assert means["k-means++"] < means["random"]


@pytest.mark.parametrize("layout", ["float64", "csr"])
def test_empty_clusters_are_refilled(layout):
    X = blobs(n=60, k=3)
    start = np.vstack([X[:2], np.full((3, X.shape[1]), 1e3)])
    result = kmeans(lay_out(X, layout), 5, rng=rng(), init=start)
    assert np.array_equal(np.unique(result.labels), np.arange(5))
    check_valid(result, lay_out(X, layout), 5)


def test_refill_takes_the_farthest_and_spares_singletons():
    X = np.array([[0.0], [1.0], [2.0], [9.0], [100.0]])
    start = np.array([[1.0], [100.0], [1000.0]])
    result = kmeans(X, 3, rng=rng(), init=start, max_iter=1)
    assert result.labels.tolist() == [0, 0, 0, 2, 1]
    # all but one are alone, so there is nobody to take
    start = np.array([[0.0], [1.0], [2.0], [9.0], [100.0]])
    result = kmeans(X, 5, rng=rng(), init=start)
    assert result.labels.tolist() == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("init", ["k-means++", "random"])
@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
@pytest.mark.parametrize(
    ("X", "k"),
    [
        (np.zeros((1, 1)), 1),
        (np.ones((1, 3)), 1),
        (np.arange(6.0)[:, None], 1),
        (np.arange(6.0)[:, None], 6),
        (np.arange(6.0)[:, None], 3),
        (np.full((7, 2), 3.7), 4),
        (np.zeros((7, 2)), 7),
        (np.repeat(np.eye(3), 4, axis=0), 5),
        (np.repeat(np.eye(3), 4, axis=0), 12),
        (np.repeat(np.arange(4.0)[:, None] + 0.1, 3, axis=0), 6),
        (np.eye(5) * 1e-20, 3),
        (np.eye(5) * 1e20, 3),
        (np.array([[1e9], [1e9 + 1], [1e9 + 64], [1e9 + 65]]), 2),
    ],
)
def test_edges(X, k, layout, init):
    X = lay_out(X, layout)
    result = kmeans(X, k, rng=rng(), init=init, n_init=2)
    plain = X.toarray() if layout == "csr" else X
    assert np.isfinite(result.centers).all()
    assert np.isfinite(result.inertia)
    assert result.labels.min() >= 0
    assert result.labels.max() < k
    assert result.converged
    n_distinct = len(np.unique(plain, axis=0))
    if layout != "float32" and n_distinct >= k and plain.max() < 1e9:
        assert len(np.unique(result.labels)) == k
    if n_distinct <= k:
        assert result.inertia <= 1e-10 * max(1.0, float(plain.max()) ** 2)


def test_far_from_the_origin_nothing_cancels():
    X = blobs()
    start = X[:5]
    near = kmeans(X, 5, rng=rng(), init=start)
    far = kmeans(X + 1e7, 5, rng=rng(), init=start + 1e7)
    assert np.array_equal(near.labels, far.labels)
    np.testing.assert_allclose(far.inertia, near.inertia, rtol=1e-6)


def test_structure_far_below_single_precision_is_found():
    pair = np.array([[0.0], [1e-6]])
    X = np.vstack([pair + 1.0, pair + 1e3]).repeat(10, axis=0)
    result = kmeans(X, 4, rng=rng())
    assert len(np.unique(result.labels)) == 4
    assert result.inertia < 1e-15


@pytest.mark.parametrize("layout", ["float64", "csr"])
def test_weights_are_repetitions(layout):
    X = blobs(n=120, k=4, spread=3.0)
    weights = rng(5).integers(1, 4, size=len(X))
    start = X[:4]
    weighted = kmeans(
        lay_out(X, layout), 4, rng=rng(), init=start, sample_weight=weights
    )
    repeated = kmeans(
        lay_out(np.repeat(X, weights, axis=0), layout), 4, rng=rng(), init=start
    )
    assert np.array_equal(np.repeat(weighted.labels, weights), repeated.labels)
    np.testing.assert_allclose(weighted.centers, repeated.centers, rtol=1e-9)
    np.testing.assert_allclose(weighted.inertia, repeated.inertia, rtol=1e-9)
    assert weighted.n_iter == repeated.n_iter


@pytest.mark.parametrize("init", ["k-means++", "random"])
def test_weight_zero_does_not_count(init):
    X = blobs(n=100, k=3, spread=0.3)
    outlier = np.vstack([X, np.full((5, X.shape[1]), 1e4)])
    weights = np.r_[np.ones(100), np.zeros(5)]
    result = kmeans(outlier, 3, rng=rng(), sample_weight=weights, n_init=5, init=init)
    assert np.abs(result.centers).max() < 100
    np.testing.assert_allclose(
        result.inertia, oracles.inertia(X, result.centers), rtol=1e-9
    )


@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
def test_threads_give_the_same_bits(layout):
    X = lay_out(blobs(n=2000, d=37, k=10, spread=5.0), layout)

    def run(_):
        return kmeans(X, 13, rng=rng(7), n_init=2)

    with threadpool_limits(1):
        here = run(0)
    with threadpool_limits(2):
        same(here, run(0))
    with ThreadPoolExecutor(2) as pool:
        for other in pool.map(run, range(4)):
            same(here, other)


def test_seed_fixes_all():
    X = blobs(k=12, spread=4.0)
    same(kmeans(X, 12, rng=rng(4)), kmeans(X, 12, rng=rng(4)))
    assert kmeans(X, 12, rng=rng(4)).inertia != kmeans(X, 12, rng=rng(5)).inertia


@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
@pytest.mark.parametrize("max_iter", [1, 3, 100])
def test_labels_belong_to_the_centers(layout, max_iter):
    X = lay_out(blobs(n=500, k=3, spread=5.0), layout)
    result = kmeans(X, 15, rng=rng(), max_iter=max_iter)
    labels, sqdist = assign_to_centers(X, result.centers)
    assert np.array_equal(result.labels, labels)
    np.testing.assert_allclose(result.inertia, sqdist.sum(), rtol=1e-12)


@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
def test_batches_are_assigned_as_one(layout):
    # a grid has many samples exactly between two centres
    X = np.array(np.meshgrid(*[np.arange(8.0)] * 3)).reshape(3, -1).T + 0.1
    centers = X[rng(2).choice(len(X), 40, replace=False)]
    X = lay_out(X, layout)
    labels, sqdist = assign_to_centers(X, centers)
    for size in (1, 7, 100):
        for s in range(0, X.shape[0], size):
            part = assign_to_centers(X[s : s + size], centers)
            assert np.array_equal(part[0], labels[s : s + size])
            assert np.array_equal(part[1], sqdist[s : s + size])


@given(st.integers(0, 2**16), st.integers(1, 12), st.integers(1, 5), st.integers(1, 40))
def test_assignment_equals_the_oracle(seed, k, d, n):
    draw = rng(seed)
    X = draw.integers(-3, 4, size=(n, d)).astype(float)
    centers = draw.integers(-3, 4, size=(k, d)).astype(float)
    distances = oracles.squared_distances(X, centers)
    for layout in ("float64", "float32", "csr"):
        labels, sqdist = assign_to_centers(lay_out(X, layout), centers)
        np.testing.assert_allclose(sqdist, distances.min(axis=1), atol=1e-5)
        own = distances[np.arange(n), labels]
        np.testing.assert_allclose(own, distances.min(axis=1), atol=1e-5)


@pytest.mark.parametrize("layout", ["float64", "float32"])
def test_bounds_change_no_label(layout):
    X = lay_out(blobs(n=700, d=9, k=6, spread=3.0), layout)
    samples = samples_around(X, X.mean(axis=0))
    run = samples.descend(samples.take(np.arange(20)), np.ones(700), 30, 0.0)
    assert run.n_iter > 5
    assert np.array_equal(run.labels, samples.assign(run.centers))


@pytest.mark.parametrize("d", [6, 19])  # eight features at a time, and the rest
@pytest.mark.parametrize("layout", ["float64", "float32", "csr"])
def test_own_distances_equal_the_oracle(layout, d):
    X = lay_out(blobs(n=200, d=d), layout)
    samples = samples_around(X, np.zeros(d, X.dtype))
    labels = rng().integers(0, 9, 200).astype(np.int32)
    centers = samples.take(np.arange(9))
    plain = X.toarray() if layout == "csr" else X.astype(float)
    expected = oracles.squared_distances(plain, plain[:9])[np.arange(200), labels]
    scale = 1e-4 if layout == "float32" else 1e-9
    own = samples.own_sqdist(centers, labels)
    np.testing.assert_allclose(own, expected, rtol=scale, atol=scale)


@pytest.mark.parametrize("n", [40, 700])
@pytest.mark.parametrize("layout", ["float64", "float32", "csr", "large"])
def test_first_centres_equal_the_oracle(layout, n, monkeypatch):
    X = blobs(n=n, d=7)
    if layout == "large":
        monkeypatch.setattr(_samples, "_TURNED_BYTES", 0)
    samples = samples_around(lay_out(X, layout), np.zeros(7, np.float32))
    weights = rng(1).integers(1, 4, n).astype(float)
    uniform = rng(2).random((9, 4))
    expected, nearest = oracles.greedy_seeds(X, weights, uniform)
    assert samples.seed(weights, uniform).tolist() == expected
    chosen, labels = draw_spread_rows(
        weights, uniform, lambda rows: oracles.squared_distances(X[rows], X)
    )
    assert chosen.tolist() == expected
    assert labels.tolist() == nearest


@pytest.mark.parametrize("layout", ["float64", "csr"])
def test_no_more_first_centres_than_distinct_samples(layout):
    X = lay_out(np.repeat(np.eye(3) + 0.1, 5, axis=0), layout)
    samples = samples_around(X, np.zeros(3))
    chosen = samples.seed(np.ones(15), rng().random((6, 3)))
    assert len({i // 5 for i in chosen}) == len(chosen) == 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_clusters": 0}, "at least 1, got 0"),
        ({"n_clusters": 11}, "only n_samples=10"),
        ({"n_init": 0}, "n_init of at least 1"),
        ({"max_iter": 0}, "max_iter of at least 1"),
        ({"init": "best"}, "'random' or an array, got 'best'"),
        ({"init": np.zeros((3, 2))}, "each of n_clusters=2 clusters, got 3"),
        ({"init": np.zeros((2, 5))}, r"shape \(n_clusters, 2\), got \(2, 5\)"),
        ({"init": np.full((2, 2), np.nan)}, "finite init"),
        ({"sample_weight": np.ones(3)}, r"shape \(10,\), got \(3,\)"),
        ({"sample_weight": -np.ones(10)}, "not negative"),
        ({"sample_weight": np.zeros(10)}, "positive weight"),
        ({"X": np.full((10, 2), np.nan)}, "contains NaN"),
    ],
)
def test_errors_say_what_to_do(change, message):
    arguments = {"X": np.arange(20.0).reshape(10, 2), "n_clusters": 2, "rng": rng()}
    arguments.update(change)
    X = arguments.pop("X")
    n_clusters = arguments.pop("n_clusters")
    with pytest.raises(ValueError, match=message):
        kmeans(X, n_clusters, **arguments)


@pytest.mark.parametrize("n", [90, 700])
def test_labels_alone_are_those_of_the_whole_result(n):
    random = np.random.default_rng(0)
    X = random.normal(size=(n, 4)) + 6 * random.integers(0, 5, size=(n, 1))
    options = {"n_init": 3, "max_iter": 50}
    alone = kmeans_labels(X, 5, 100, rng=np.random.default_rng(1), **options)
    whole = kmeans_from_sample(X, 5, 100, rng=np.random.default_rng(1), **options)
    assert np.array_equal(alone, whole.labels)
