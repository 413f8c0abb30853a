"""MDEC's members: what they draw, on which graphs, and data that break graphs."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_digits, make_blobs
from sklearn.preprocessing import normalize, scale

from coterie.exceptions import DegenerateMemberWarning
from coterie.generation import MetricSubspaceSpectral, _metric_subspace
from coterie.generation._views import look
from coterie.metrics import ari, nmi

METRICS = ["cosine", "correlation", "spearman"]
X, Y = make_blobs(300, n_features=20, centers=4, cluster_std=2.0, random_state=0)
every_graph = pytest.mark.parametrize(
    "params",
    [{}, {"kernel": "exponential"}, *({"metric": metric} for metric in METRICS)],
    ids=["density", "exponential", *METRICS],
)


@pytest.fixture(scope="module")
def digits():
    return load_digits(return_X_y=True)


def test_what_is_drawn():
    generator = MetricSubspaceSpectral(200, n_init=1, max_iter=1)
    ensemble = generator.generate(X[:60], seed=0)
    drawn = {
        name: np.array([member.params[name] for member in ensemble.members])
        for name in ("n_neighbors", "mu", "n_clusters", "recall")
    }
    assert set(drawn["n_neighbors"]) == set(range(5, 21))
    assert set(drawn["n_clusters"]) == set(range(2, 9))  # ceil(sqrt(60)) = 8
    assert 0.2 <= drawn["mu"].min() < 0.22
    assert 0.78 < drawn["mu"].max() <= 0.8
    assert (drawn["recall"] == 1).all()
    for member in ensemble.members:
        assert member.features.size == np.unique(member.features).size == 10
    counts = np.bincount(np.concatenate([m.features for m in ensemble.members]))
    assert counts.min() > 70


def test_a_half_feature_counts():
    """The authors' program rounds 324.5 to 325."""
    ensemble = MetricSubspaceSpectral(1).generate(X[:, :13], seed=0)
    assert ensemble.members[0].features.size == 7


def test_few_samples_have_few_neighbours():
    generator = MetricSubspaceSpectral(3, neighbors_range=(9, 9), n_clusters=2)
    ensemble = generator.generate(X[:4], seed=0)
    assert [member.params["n_neighbors"] for member in ensemble.members] == [3] * 3


@pytest.mark.parametrize(("recall", "slope"), [(0.99, 3), (0.9899, 6)])
def test_lists_are_as_short_as_recall_allows(monkeypatch, recall, slope):
    generator = MetricSubspaceSpectral(1, neighbors="shared", neighbors_range=(5, 5))
    monkeypatch.setattr(generator, "_recall", lambda task: recall)
    assert generator._task(X).slope == slope


@pytest.mark.parametrize(("ratio", "dtype"), [(1e12, "f8"), (0.999e12, "f4")])
def test_features_that_vanish_in_single_precision(ratio, dtype):
    apart = np.array([[-ratio, -1.0], [ratio, 1.0]])
    assert _metric_subspace._around_origin(apart).values.dtype == dtype


def test_labels_belong_to_samples_whose_rows_were_reordered(monkeypatch):
    monkeypatch.setattr(_metric_subspace, "_AS_GIVEN", 100)
    ensemble = MetricSubspaceSpectral(3, n_clusters=4).generate(X, seed=0)
    for labels, member in zip(ensemble.labels.T, ensemble.members, strict=True):
        for cluster, center in enumerate(member.centers):
            mean = member.view(X)[labels == cluster].mean(axis=0)
            np.testing.assert_allclose(center, mean, atol=1e-4)
        assert ari(Y, labels) > 0.9


def test_ranges_can_be_set():
    generator = MetricSubspaceSpectral(
        5,
        mu_range=[0.3, 0.3],
        neighbors_range=(7, 7),
        n_clusters=4,
        subspace_ratio=0.2,
    )
    for member in generator.generate(X, seed=0).members:
        assert member.params["mu"] == 0.3
        assert member.params["n_neighbors"] == 7
        assert member.params["n_clusters"] == 4
        assert member.features.size == 4


@every_graph
def test_clusters_are_found(params):
    generator = MetricSubspaceSpectral(10, n_clusters=4, **params)
    ensemble = generator.generate(X, seed=0)
    scores = [ari(Y, labels) for labels in ensemble.labels.T]
    assert np.median(scores) > 0.7


@every_graph
def test_sparse_and_dense_data_give_the_same_members(params):
    data = np.where(X > 2, np.round(X), 0.0)
    generator = MetricSubspaceSpectral(8, n_clusters=3, **params)
    dense = generator.generate(data, seed=0)
    sparse = generator.generate(sp.csr_matrix(data), seed=0)
    pairs = zip(dense.labels.T, sparse.labels.T, strict=True)
    scores = sorted(ari(a, b) for a, b in pairs)
    # last bits differ, and the eigenvectors with them: one k-means may end elsewhere
    assert scores[1] > 0.9


@pytest.mark.slow
def test_members_are_as_good_in_any_scale_and_place(digits):
    data, truth = digits[0][:600], digits[1][:600]
    generator = MetricSubspaceSpectral(10, n_clusters=10)
    scores = []
    moved = data.astype(np.float32) - 1e3
    for seen in (data, data * 1e-60, data * 1e30 + 1e32, moved):
        ensemble = generator.generate(seen, seed=0)
        scores.append(np.mean([nmi(truth, labels) for labels in ensemble.labels.T]))
    assert min(scores) > 0.7
    assert np.ptp(scores) < 0.03


def test_features_of_very_different_spreads():
    """Squares of the small ones would vanish in single precision."""
    wide = np.hstack([X * 1e-25, 1e20 * np.arange(300.0)[:, None] % 7])
    generator = MetricSubspaceSpectral(20, n_clusters=4)
    ensemble = generator.generate(wide, seed=0)
    without = [20 not in member.features for member in ensemble.members]
    scores = np.array([ari(Y, labels) for labels in ensemble.labels.T])
    assert np.median(scores[without]) > 0.7


@pytest.mark.slow
def test_shared_candidates_find_nearly_all_neighbours(digits):
    data, truth = digits
    exact = MetricSubspaceSpectral(20, neighbors="exact").generate(data, seed=0)
    shared = MetricSubspaceSpectral(20, neighbors="shared").generate(data, seed=0)
    assert all(member.params["recall"] == 1.0 for member in exact.members)
    recall = [member.params["recall"] for member in shared.members]
    assert 0.9 < np.mean(recall) < 1.0
    quality = [
        np.mean([nmi(truth, labels) for labels in ensemble.labels.T])
        for ensemble in (exact, shared)
    ]
    assert quality[1] > quality[0] - 0.02


@pytest.mark.slow
def test_lists_are_as_long_as_the_trial_asks(monkeypatch, digits):
    lengths = []
    for good in (0.5, 1.1):
        monkeypatch.setattr(_metric_subspace, "_RECALL_FEW", (good, 0.0))
        task = MetricSubspaceSpectral(neighbors="shared")._prepare(digits[0])[0]
        lengths.append([task.lists(k)["candidates"].shape[1] for k in (5, 20)])
    assert lengths == [[31, 76], [46, 136]]


@every_graph
def test_shared_candidates_with_every_graph(params, digits):
    generator = MetricSubspaceSpectral(2, neighbors="shared", **params)
    ensemble = generator.generate(digits[0][:400], seed=0)
    recall = np.array([member.params["recall"] for member in ensemble.members])
    assert (recall > 0.85).all()


def test_shared_candidates_of_few_samples_are_all():
    small = X[:50]
    exact = MetricSubspaceSpectral(3, neighbors="exact").generate(small, seed=0)
    shared = MetricSubspaceSpectral(3, neighbors="shared").generate(small, seed=0)
    np.testing.assert_array_equal(shared.labels, exact.labels)


@pytest.mark.slow
def test_auto_is_shared_for_many_samples_if_that_is_good(monkeypatch, digits):
    data = digits[0]

    def auto():
        return MetricSubspaceSpectral(3).generate(data, seed=0).labels

    exact = MetricSubspaceSpectral(3, neighbors="exact").generate(data, seed=0).labels
    shared = MetricSubspaceSpectral(3, neighbors="shared").generate(data, seed=0).labels
    assert (exact != shared).any()
    monkeypatch.setattr(_metric_subspace, "_EXACT_UP_TO", 5000)
    np.testing.assert_array_equal(auto(), exact)
    monkeypatch.setattr(_metric_subspace, "_EXACT_UP_TO", 100)
    good = _metric_subspace._RECALL_FEW[0]
    monkeypatch.setattr(_metric_subspace, "_RECALL_FEW", (good, 0.5))
    np.testing.assert_array_equal(auto(), exact)  # of only 64 features
    monkeypatch.setattr(_metric_subspace, "_FEW_FEATURES", 63)
    np.testing.assert_array_equal(auto(), shared)
    monkeypatch.setattr(_metric_subspace, "_RECALL_FEW", (good, 1.1))
    np.testing.assert_array_equal(auto(), exact)
    monkeypatch.setattr(_metric_subspace, "_RECALL_FEW", (good, 1.1))
    monkeypatch.setattr(_metric_subspace, "_EXACT_AT_MOST", 1000)
    np.testing.assert_array_equal(auto(), shared)


@pytest.mark.slow
@pytest.mark.parametrize("neighbors", ["exact", "shared"])
def test_n_jobs_changes_nothing_with_large_graphs(neighbors):
    data = np.random.default_rng(0).normal(size=(2500, 30))
    generator = MetricSubspaceSpectral(4, neighbors=neighbors, n_clusters=(2, 60))
    serial = generator.generate(data, seed=3, n_jobs=1)
    threaded = generator.generate(data, seed=3, n_jobs=2)
    np.testing.assert_array_equal(serial.labels, threaded.labels)


@pytest.mark.slow
def test_starts_of_kmeans_are_tried_on_a_sample():
    data, truth = make_blobs(2400, n_features=30, centers=8, random_state=1)
    ensemble = MetricSubspaceSpectral(6, n_clusters=8).generate(data, seed=0)
    scores = [ari(truth, labels) for labels in ensemble.labels.T]
    assert np.median(scores) > 0.9


@pytest.mark.slow
@every_graph
@pytest.mark.parametrize(
    "data",
    [
        X[:30],
        X[:5],
        X[:2],
        np.repeat(X[:10], 30, axis=0),
        np.hstack([X, np.zeros((300, 60))]),
        np.concatenate([X, np.zeros((40, 20))]),
        np.concatenate([X[:100], X[100:200] + 1e5, X[200:] - 1e5]),
        np.eye(60),
        np.arange(40.0)[:, None],
        np.random.default_rng(0).integers(2, size=(200, 8)),
    ],
    ids=[
        "30 samples", "5 samples", "2 samples", "copies", "constant features",
        "zero rows", "far apart", "all equally far", "one feature", "binary",
    ],
)  # fmt: skip
def test_no_data_break_the_members(params, data):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateMemberWarning)
        ensemble = MetricSubspaceSpectral(8, **params).generate(data, seed=0)
    assert ensemble.n_members == 8
    assert not ensemble.has_missing
    assert all(np.isfinite(member.centers).all() for member in ensemble.members)
    if "metric" not in params and data.shape[0] > 2 and data.shape[1] > 1:
        assert (ensemble.n_clusters_per_member > 1).all()


def test_copies_stay_together():
    generator = MetricSubspaceSpectral(8, n_clusters=(2, 10))
    ensemble = generator.generate(np.repeat(X[:10], 30, axis=0), seed=0)
    for labels in ensemble.labels.T:
        assert all(len(set(group)) == 1 for group in labels.reshape(10, 30))


def test_islands_are_not_split_while_clusters_are_few():
    islands = np.concatenate([X[c == Y] + 1e6 * c for c in range(4)])
    truth = np.repeat(np.arange(4), np.bincount(Y))
    ensemble = MetricSubspaceSpectral(5, n_clusters=4).generate(islands, seed=0)
    assert [ari(truth, labels) for labels in ensemble.labels.T] == [1.0] * 5


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"mu_range": (0.8, 0.2)}, "mu_range as two positive numbers .* got"),
        ({"mu_range": (0.0, 0.2)}, "mu_range as two positive numbers"),
        ({"mu_range": (0.2,)}, "mu_range as two positive numbers"),
        ({"neighbors_range": (0, 5)}, "neighbors_range as two positive whole"),
        ({"neighbors_range": (2.5, 5)}, "neighbors_range as two positive whole"),
        ({"kernel": "gaussian"}, "'kernel' parameter of MetricSubspaceSpectral"),
        ({"metric": "l1"}, "'metric' parameter of MetricSubspaceSpectral must be"),
        ({"neighbors": "some"}, "'neighbors' parameter of MetricSubspaceSpectral"),
        ({"subspace_ratio": 0.0}, "'subspace_ratio' parameter"),
    ],
)
def test_bad_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        MetricSubspaceSpectral(2, **params).generate(X, seed=0)


def test_members_take_the_views_by_turns(digits):
    data = digits[0][:200]
    ensemble = MetricSubspaceSpectral(5, views=("raw", "asinh")).generate(data, seed=0)
    names = [member.params["view"] for member in ensemble.members]
    assert names == ["raw", "asinh", "raw", "asinh", "raw"]
    raw = MetricSubspaceSpectral(5).generate(data, seed=0)
    np.testing.assert_array_equal(ensemble.labels[:, ::2], raw.labels[:, ::2])
    for member, labels in zip(ensemble.members, ensemble.labels.T, strict=True):
        first = data[labels == 0][:, member.features].mean(axis=0)
        np.testing.assert_allclose(member.centers[0], first, atol=1e-6 * data.max())


def test_views_equal_their_definitions():
    away = X - np.median(X, axis=0)
    median = np.median(np.abs(away))
    np.testing.assert_allclose(look(X, "asinh"), np.arcsinh(away / median))
    np.testing.assert_allclose(look(X, "zscore"), scale(X))
    np.testing.assert_allclose(look(X, "cosine"), normalize(X))
    assert look(X, "raw") is X


@pytest.mark.parametrize("view", ["asinh", "zscore", "cosine"])
def test_views_of_constant_data_are_finite(view):
    assert np.isfinite(look(np.zeros((4, 3)), view)).all()
    mostly_zero = np.zeros((20, 3))
    mostly_zero[:3, 0] = 5.0
    assert np.isfinite(look(mostly_zero, view)).all()
    assert look(mostly_zero, view).any()


@pytest.mark.parametrize(
    ("views", "message"),
    [
        ((), "list or tuple"),
        (("raw", "log"), "got 'log'"),
        (("asinh",), "cannot apply the view 'asinh' to sparse data"),
    ],
)
def test_views_that_cannot_be(views, message):
    data = sp.csr_array(X) if views == ("asinh",) else X
    with pytest.raises(ValueError, match=message):
        MetricSubspaceSpectral(2, views=views).generate(data, seed=0)
