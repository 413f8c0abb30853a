"""The MBN family: layers, codes, selection, transform and predict."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from coterie import MBN, Ensemble, MBNEnsemble
from coterie._linalg import code_gram
from coterie._linalg._centroids import draw_centroids
from coterie.consensus import KCC, CodePCA
from coterie.generation import BootstrapNetworks, _bootstrap_networks
from coterie.generation._network_layers import layer_sizes
from coterie.metrics import accuracy, validity
from coterie.metrics._validity import CRITERIA
from coterie.weighting._networks import _mmd

X, Y = make_blobs(120, n_features=6, centers=4, cluster_std=0.8, random_state=0)
SMALL = {"n_clusterings": 40, "random_state": 0}


@pytest.mark.parametrize(
    ("k", "delta", "n_out", "last", "expected"),
    [
        (720, 0.5, 30, "force", [720, 360, 180, 90, 45]),
        (720, 0.05, 30, "force", [720, 36]),
        (183, 0.04, 9, "force", [183, 9]),
        (183, 0.04, 9, "stop", [183]),
        (720, 0.5, 30, "append", [720, 360, 180, 90, 45, 30]),
        (5, 0.5, 9, "force", [5]),
        (1, 0.5, 1, "append", [1]),
    ],
)
def test_layers_shrink_by_delta(k, delta, n_out, last, expected):
    assert layer_sizes(k, delta, n_out, last) == expected


def literal_fmbn_e(X, n_members, n_out, n_clusterings, seed):
    """Algorithm 2 with the n x n similarity, drawing as the networks do."""
    n = len(X)
    for_bottom, for_models = np.random.SeedSequence(seed).spawn(2)
    columns = []
    for child in for_bottom.spawn(n_clusterings):
        rng = np.random.default_rng(child)
        draw = draw_centroids(n, n // 2, 1, rng)[0]
        half = max(1, int(0.5 * X.shape[1] + 0.5))
        features = np.sort(rng.choice(X.shape[1], size=half, replace=False))
        V = X[:, features]
        d = ((V[:, None] - V[None, draw]) ** 2).sum(axis=2)
        columns.append(d.argmin(axis=1))
    bottom = np.stack(columns, axis=1)
    found = []
    for child in for_models.spawn(n_members):
        rng = np.random.default_rng(child)
        delta = 0.05 + 0.9 * rng.random()
        codes = bottom
        for k in layer_sizes(n // 2, delta, n_out, "force")[1:]:
            B = (codes[:, None] == codes[None]).sum(axis=2)
            draws = draw_centroids(n, k, n_clusterings, rng)
            codes = np.stack([B[:, draw].argmax(axis=1) for draw in draws], axis=1)
        found.append(codes)
    return np.hstack(found)


def test_fmbn_e_is_the_literal_algorithm():
    networks = BootstrapNetworks(5, 6, (0.05, 0.95), n_clusterings=30)
    ensemble = networks.generate(X, seed=3)
    np.testing.assert_array_equal(ensemble.labels, literal_fmbn_e(X, 5, 6, 30, 3))
    assert ensemble.labels.dtype == np.uint8
    assert ensemble.n_members == 5 * 30
    layers = [member.params["layers"] for member in ensemble.members]
    assert all(k[0] == 60 and k[-1] >= 6 for k in layers)
    tops = [k[-1] for k in layers]
    np.testing.assert_array_equal(ensemble.n_clusters_per_member, tops)


@pytest.mark.parametrize(
    "model",
    [
        MBN(4, **SMALL),
        MBNEnsemble(4, n_members=5, **SMALL),
        MBNEnsemble(4, n_members=5, fast=False, **SMALL),
        MBNEnsemble(4, n_members=5, feature_sampling=False, **SMALL),
        MBNEnsemble(4, n_members=5, selection="vrc", **SMALL),
        MBNEnsemble(4, n_members=5, selection="mmd", n_selected=2, **SMALL),
        MBNEnsemble(4, n_members=5, n_views=16, delta_draw="stratified", **SMALL),
        MBNEnsemble(4, n_members=3, partition="kmeans", **SMALL),
        MBNEnsemble(4, n_members=3, partition="ward", metric="cosine", **SMALL),
        MBNEnsemble(4, n_members=3, partition="average_squared", **SMALL),
    ],
    ids=lambda model: type(model).__name__,
)
def test_clear_groups_are_found_by_all_forms(model):
    model.fit(X)
    assert accuracy(Y, model.labels_) > 0.95
    assert model.embedding_.shape == (120, 4)
    assert model.confidence_.min() >= 0
    assert model.confidence_.max() <= 1
    np.testing.assert_array_equal(model.predict(X), model.labels_)


@pytest.mark.parametrize("fast", [True, False])
def test_labels_and_codes_do_not_depend_on_n_jobs(fast):
    one = MBNEnsemble(4, n_members=4, fast=fast, n_jobs=1, **SMALL).fit(X)
    two = MBNEnsemble(4, n_members=4, fast=fast, n_jobs=2, **SMALL).fit(X)
    np.testing.assert_array_equal(one.ensemble_.labels, two.ensemble_.labels)
    np.testing.assert_array_equal(one.labels_, two.labels_)


def test_codes_are_an_ensemble_and_a_sparse_matrix():
    model = MBNEnsemble(4, n_members=3, **SMALL).fit(X)
    ensemble = model.ensemble_
    assert ensemble.n_members == 3 * 40
    assert ensemble.members[-1].params["network"] == 2
    assert model.deltas_.shape == (3,)
    assert len(model.layers_) == 3
    H = model.transform(X)
    assert sp.issparse(H)
    assert H.shape == (120, ensemble.n_total_clusters)
    np.testing.assert_array_equal((H @ H.T).toarray(), code_gram(ensemble.labels))
    S = ensemble.coassociation()
    np.testing.assert_allclose(S * 120, code_gram(ensemble.labels), rtol=1e-5)
    found = KCC(n_init=3).combine(ensemble, 4, seed=0).labels
    assert accuracy(Y, found) > 0.95


def test_thousands_of_clusterings_send_four_hundred_voters():
    ensemble = BootstrapNetworks(6, 6, n_clusterings=100).generate(X, seed=0)
    asked = ensemble.voters()
    assert asked.labels.dtype == np.int32
    assert asked.n_members == 400
    taken = np.arange(400) * 600 // 400
    np.testing.assert_array_equal(asked.labels, ensemble.labels[:, taken])


def test_an_ensemble_of_networks_survives_a_file(tmp_path):
    ensemble = BootstrapNetworks(2, 6, n_clusterings=5).generate(X, seed=0)
    ensemble.save(tmp_path / "networks.npz")
    again = Ensemble.load(tmp_path / "networks.npz")
    np.testing.assert_array_equal(again.labels, ensemble.labels)
    np.testing.assert_array_equal(again.offsets, ensemble.offsets)


@pytest.mark.parametrize("selection", [None, "pb"])
@pytest.mark.parametrize("kind", ["dense", "sparse", "similarity"])
def test_further_samples_go_through_the_same_networks(kind, selection):
    data, metric = X, "euclidean"
    if kind == "sparse":
        data = sp.csr_matrix(np.abs(X))
    elif kind == "similarity":
        data, metric = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2)), "precomputed"
        data[data < 1e-3] = 0
    model = MBNEnsemble(
        4, n_members=4, metric=metric, selection=selection, n_selected=2, **SMALL
    )
    fit, new = data[:100], data[100:]
    if kind == "similarity":
        fit, new = fit[:, :100], new[:, :100]
    model.fit(fit)
    # rows of the data themselves, asked for one by one
    again = model.transform(fit[:7])
    assert (again != model.transform(fit)[:7]).nnz == 0
    assert model.transform(new).shape == (20, model.transform(fit).shape[1])
    assert accuracy(Y[100:], model.predict(new)) > 0.9


def test_selection_keeps_the_networks_of_largest_weight():
    model = MBNEnsemble(4, n_members=6, selection="swc", n_selected=2, **SMALL).fit(X)
    order = np.argsort(-model.network_scores_)
    np.testing.assert_array_equal(model.selected_, order[:2])
    networks = [member.params["network"] for member in model.ensemble_.members]
    np.testing.assert_array_equal(model.weights_.members, np.isin(networks, order[:2]))
    plain = MBNEnsemble(4, n_members=6, **SMALL).fit(X)
    assert plain.network_scores_ is None
    assert plain.selected_ is None
    kept = plain.ensemble_.subset(np.isin(networks, order[:2]))
    alone = CodePCA().combine(kept, 4, seed=model._fit_rest)
    np.testing.assert_array_equal(alone.labels, model.labels_)


@pytest.mark.parametrize("criterion", CRITERIA)
def test_weights_are_the_criterion_on_one_hot_codes(criterion):
    plain = MBNEnsemble(4, n_members=3, **SMALL).fit(X)
    model = MBNEnsemble(4, n_members=3, selection=criterion, **SMALL).fit(X)
    for z in range(3):
        own = plain.ensemble_.subset(slice(40 * z, 40 * (z + 1)))
        expected = validity(own.incidence().toarray(), plain.labels_, criterion)
        assert model.network_scores_[z] == pytest.approx(expected, rel=1e-5)


def test_mmd_is_zero_for_the_same_and_positive_for_others():
    rng = np.random.default_rng(0)
    U = rng.standard_normal((300, 3))
    assert _mmd(U, U) == pytest.approx(0, abs=1e-6)
    assert _mmd(U, -5 * U) == pytest.approx(0, abs=1e-6)  # no scale, no sign
    V = rng.exponential(size=(300, 3))
    assert _mmd(U, V) > 0.05


def test_another_number_of_clusters_from_the_same_codes():
    model = MBNEnsemble(4, n_members=4, **SMALL).fit(X)
    before = model.labels_.copy()
    other = model.recut(2)
    assert other.n_clusters == 2
    assert other.labels_.max() == 1
    assert other.ensemble_ is model.ensemble_
    assert other.embedding_.shape == (120, 2)
    np.testing.assert_array_equal(model.labels_, before)
    assert model.n_clusters == 4
    assert (other.transform(X[:9]) != model.transform(X[:9])).nnz == 0
    with pytest.raises(ValueError, match=r"MBNEnsemble.recut was asked for"):
        model.recut(121)


def test_stratified_deltas_cover_the_range():
    networks = BootstrapNetworks(
        8, 6, (0.1, 0.9), delta_draw="stratified", n_clusterings=4
    )
    members = networks.generate(X, seed=0).members
    deltas = np.array([member.params["delta"] for member in members[::4]])
    np.testing.assert_array_equal(((deltas - 0.1) / 0.1).astype(int), np.arange(8))


@pytest.mark.parametrize(
    ("data", "k"),
    [
        (np.ones((6, 2)), 2),
        (np.arange(3.0)[:, None], 3),
        (np.array([[1.0, 2.0]]), 1),
        (np.repeat([[0.0], [1.0]], 10, axis=0), 2),
        (np.hstack([X[:20], np.ones((20, 2))]).astype(np.float32), 4),
        (np.asfortranarray(X[:30]), 1),
    ],
)
def test_tiny_and_degenerate_data(data, k):
    for model in (MBN(k, **SMALL), MBNEnsemble(k, n_members=3, **SMALL)):
        model.fit(data)
        assert model.labels_.shape == (len(data),)
        assert model.labels_.max() < k
        assert np.isfinite(model.embedding_).all()


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"delta_range": (0.9, 0.1)}, r"delta_range as two numbers .* got \(0.9, 0.1"),
        ({"delta_range": (0.0, 0.5)}, "0 < low <= high < 1"),
        ({"selection": "dunn"}, "'selection' parameter of MBNEnsemble"),
        ({"n_clusters": 500}, "n_clusters=500, but there are only n_samples=120"),
        ({"metric": "precomputed"}, "similarity matrix that is square, got shape"),
    ],
)
def test_wrong_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        MBNEnsemble(**{"n_clusters": 3, **params}).fit(X)


def test_fewer_views_of_many_samples(monkeypatch):
    def fit(**params):
        return MBNEnsemble(4, n_members=3, **params, **SMALL).fit(X)

    monkeypatch.setattr(_bootstrap_networks, "_VIEWS", 5)
    everything = fit().ensemble_.labels
    monkeypatch.setattr(_bootstrap_networks, "_ALL_VIEWS_UP_TO", 10)
    some = fit().ensemble_.labels
    assert not np.array_equal(some, everything)
    np.testing.assert_array_equal(fit(n_views=5).ensemble_.labels, some)
    np.testing.assert_array_equal(fit(n_views="all").ensemble_.labels, everything)


def test_members_tell_the_error_of_the_bottom_layer(monkeypatch):
    """Noise features mislead the candidates; the estimate is the measured share."""
    rng = np.random.default_rng(0)
    points = rng.standard_normal((400, 6)).astype(np.float32)
    generator = BootstrapNetworks(1, 8, n_clusterings=4, feature_ratio=0.34)
    exact = generator.generate(points, seed=0).members[0].params["bottom_error"]
    assert exact == 0.0
    monkeypatch.setattr(_bootstrap_networks, "_EXACT_UP_TO", 100)
    told = generator.generate(points, seed=0).members[0].params["bottom_error"]
    prepared = generator._prepared(points, 400)
    candidates = generator._candidates(prepared, 400)
    tasks = [
        _bootstrap_networks.Task(prepared, 400, 200, by, None)
        for by in (candidates, None)
    ]
    wrong = [
        np.mean(
            np.not_equal(
                *(
                    generator._bottom_column(task, np.random.default_rng(seed))
                    for task in tasks
                )
            )
        )
        for seed in range(20)
    ]
    assert np.mean(wrong) > 0.05
    assert abs(told - np.mean(wrong)) < 0.05


def test_a_single_network_compares_all_codes_for_longer():
    assert MBN(3).parts(10_000).generator.n_views == "all"
    assert MBN(3).parts(10_001).generator.n_views is None
    assert MBN(3, n_views=5).parts(100).generator.n_views == 5
    assert MBNEnsemble(3).parts(10_000).generator.n_views is None
