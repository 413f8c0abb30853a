"""The numbers behind the plots."""

from types import SimpleNamespace

import numpy as np
import oracles
import pytest
from scipy.cluster.hierarchy import leaves_list
from sklearn.datasets import make_blobs
from sklearn.decomposition import PCA
from sklearn.metrics import silhouette_samples
from stand_ins import k_choice, panel

from coterie import MBN, SPCE, Ensemble, EnsembleClustering, explain, plot
from coterie.answers._kinds import votes_by_kind
from coterie.consensus import ConsensusResult
from coterie.ensemble._groups import groups_of
from coterie.generation import RandomKMeans, SubsampledKMeans
from coterie.plot._style import draw_samples

X, Y = make_blobs(120, n_features=4, centers=3, cluster_std=2.0, random_state=0)


@pytest.fixture(scope="module")
def found():
    return explain(
        EnsembleClustering(3, generator=RandomKMeans(6), random_state=0).fit(X)
    )


@pytest.fixture(scope="module")
def choice():
    return k_choice()


def test_consensus_matrix(found):
    data = plot.data("consensus_matrix", found)
    M = oracles.coassociation(found.ensemble.labels)
    at = data["samples"]
    np.testing.assert_allclose(data["matrix"], M[np.ix_(at, at)], atol=1e-6)
    np.testing.assert_array_equal(np.sort(at), np.arange(120))
    np.testing.assert_array_equal(at, leaves_list(data["linkage"]))
    np.testing.assert_array_equal(data["labels"], found.labels[at])


def test_consensus_matrix_of_some(found):
    data = plot.data("consensus_matrix", found, max_samples=30)
    M = oracles.coassociation(found.ensemble.labels)
    at = data["samples"]
    assert at.size == 30
    assert data["n_samples"] == 120
    assert set(data["labels"]) == {0, 1, 2}
    np.testing.assert_allclose(data["matrix"], M[np.ix_(at, at)], atol=1e-6)


def test_consensus_matrix_with_missing_labels():
    members = SubsampledKMeans(50, n_clusters=3, sample_ratio=0.8, rest="missing")
    model = EnsembleClustering(3, generator=members, consensus="eac", random_state=1)
    data = plot.data("consensus_matrix", model.fit(X))
    assert (data["linkage"][:, 2] >= 0).all()


def test_items_and_clusters(found):
    data = plot.data("item_consensus", found)
    expected = oracles.item_consensus(found.ensemble.labels, found.labels)
    np.testing.assert_allclose(data["items"], expected[data["samples"]])
    assert (np.diff(data["labels"]) >= 0).all()
    own = data["items"][np.arange(120), data["labels"]]
    for c in range(3):
        assert (np.diff(own[data["labels"] == c]) <= 1e-12).all()
    bars = plot.data("cluster_consensus", found)
    for c in range(3):
        mean = expected[found.labels == c, c].mean()
        assert bars["cluster_consensus"][c] == pytest.approx(mean)


def test_members(found):
    data = plot.data("member_agreement", found)
    expected = oracles.member_agreement(found.ensemble.labels)
    at = data["members"]
    np.testing.assert_allclose(data["nmi"], expected[np.ix_(at, at)], atol=1e-7)
    np.testing.assert_array_equal(np.sort(at), np.arange(6))
    table = plot.data("quality_diversity", found)
    np.testing.assert_array_equal(table["quality"], found.members["quality"])


def test_alluvial(found):
    data = plot.data("alluvial", found, (2, 0))
    labels = [found.ensemble.labels[:, 2], found.ensemble.labels[:, 0], found.labels]
    assert data["names"] == ["member 2", "member 0", "result"]
    for at, table in enumerate(data["tables"]):
        for i, a in enumerate(data["orders"][at]):
            for j, b in enumerate(data["orders"][at + 1]):
                both = (labels[at] == a) & (labels[at + 1] == b)
                assert table[i, j] == both.sum()
                if both.any():
                    reached = np.bincount(found.labels[both]).argmax()
                    assert data["reaches"][at][i, j] == reached


def test_alluvial_past_a_member_that_merges():
    fine, coarse = [0, 0, 1, 1, 1, 2], [0, 0, 0, 0, 0, 1]
    ensemble = Ensemble([fine, coarse])
    answer = ConsensusResult(np.array([0, 0, 1, 1, 1, 2], dtype=np.int32))
    data = plot.data("alluvial", explain(ensemble, answer), (0, 1))
    np.testing.assert_array_equal(data["reaches"][0], [[0, 0], [1, 0], [0, 2]])


def test_map_of_agreement(found):
    data = plot.data("sample_map", found)
    again = plot.data("sample_map", found)
    np.testing.assert_array_equal(data["x"], again["x"])
    places = np.column_stack([data["x"], data["y"]])
    apart = np.linalg.norm(places[:, None] - places, axis=2)
    together = oracles.coassociation(found.ensemble.labels)
    near = np.argsort(apart, axis=1)[:, 1:6]
    assert np.take_along_axis(together, near, axis=1).mean() > together.mean() + 0.3
    some = plot.data("sample_map", found, max_samples=50)
    assert some["x"].shape == (50,)
    np.testing.assert_array_equal(some["labels"], found.labels[some["samples"]])


@pytest.mark.parametrize("n", [1, 2, 3, 4, 7])
def test_map_of_few_samples_or_one_row(n):
    for labels in (np.arange(n), np.zeros(n, dtype=int)):
        data = plot.data("sample_map", explain([labels, labels], labels))
        assert np.isfinite(data["x"]).all()
        assert len(set(zip(data["x"], data["y"], strict=True))) == n


def test_map_with_missing_labels_and_networks():
    members = SubsampledKMeans(30, n_clusters=3, sample_ratio=0.5, rest="missing")
    for model in (
        EnsembleClustering(3, generator=members, consensus="eac", random_state=1),
        MBN(3, n_clusterings=500, random_state=0),
    ):
        places = plot.data("sample_map", model.fit(X))
        assert np.isfinite(places["x"]).all()
        assert np.isfinite(places["y"]).all()


def test_map_counts_members_by_the_weight_of_their_kind():
    model = panel(X)
    votes = votes_by_kind(explain(model)).members
    shares = dict(
        zip(
            (group.name for group in groups_of(model.ensemble_)),
            model.consensus_.details["kind_weights"],
            strict=True,
        )
    )
    for name, share in shares.items():
        own = [m.name == name for m in model.ensemble_.members]
        np.testing.assert_allclose(votes[own], share / sum(own))


def test_map_of_components(found):
    data = plot.data("sample_map", found, X, coordinates="pca")
    expected = PCA(2, svd_solver="full").fit(X)
    places = expected.transform(X)
    for axis, name in enumerate("xy"):
        np.testing.assert_allclose(np.abs(data[name]), np.abs(places[:, axis]))
    assert f"({expected.explained_variance_ratio_[0]:.0%})" in data["axes"][0]
    own = plot.data("sample_map", found, coordinates=X[:, :2])
    np.testing.assert_array_equal(own["x"], X[:, 0])
    labels_only = plot.data("sample_map", found, coordinates="pca")
    assert labels_only["axes"][0].startswith("members' labels, component 1")
    with pytest.raises(ValueError, match="'pca', an array or None, got 'umap'"):
        plot.data("sample_map", found, coordinates="umap")
    with pytest.raises(ValueError, match=r"coordinates of shape \(120, 2\), got"):
        plot.data("sample_map", found, coordinates=X)


def test_kinds():
    model = panel(X)
    own = model.consensus_.details["kind_labels"]
    data = plot.data("kinds", model)
    at = data["groups"]
    np.testing.assert_array_equal(np.sort(at), np.arange(6))
    for i, g in enumerate(at):
        expected = [oracles.ari(own[:, g], own[:, h]) for h in at]
        np.testing.assert_allclose(data["ari"][i], expected)
        with_result = oracles.ari(model.labels_, own[:, g])
        assert data["agreement"][i] == pytest.approx(with_result)
        assert data["weight"][i] == model.consensus_.details["kind_weights"][g]
    assert {name.split()[0] for name in data["names"][-2:]} == {"noise"}  # lightest
    assert sorted(data["names"]) == sorted(g.name for g in groups_of(model.ensemble_))


def test_seen_by():
    model = panel(X)
    own = model.consensus_.details["kind_labels"]
    data = plot.data("seen_by", model)
    np.testing.assert_array_equal(data["groups"], plot.data("kinds", model)["groups"])
    for c in range(3):
        for i, g in enumerate(data["groups"]):
            expected = oracles.best_jaccard(model.labels_ == c, own[:, g])
            assert data["overlap"][c, i] == pytest.approx(expected)
    np.testing.assert_array_equal(data["seen"], (data["overlap"] > 0.5).sum(axis=1))


def test_kinds_that_leave_samples_out():
    members = Ensemble([[0, 0, 0, 1, 1, 1]] * 2)
    own = np.array([[0, 0, -1, 1, 1, 0], [-1, -1, 0, 0, -1, 1]], dtype=np.int32).T
    answer = ConsensusResult(
        np.array([0, 0, 0, 1, 1, 1], dtype=np.int32),
        details={
            "kind_labels": own,
            "kind_weights": np.array([0.9, 0.1]),
            "kind_steadiness": np.ones(2),
        },
    )
    data = plot.data("seen_by", explain(members, answer))
    np.testing.assert_allclose(data["overlap"], [[2 / 3, 1 / 2], [2 / 3, 1 / 2]])
    for c in range(2):
        for g in range(2):
            expected = oracles.best_jaccard(answer.labels == c, own[:, g])
            assert data["overlap"][c, g] == pytest.approx(expected)
    assert data["names"] == ["group 0", "group 1"]  # the members have no kinds


def test_without_kinds(found):
    for name in ("kinds", "seen_by"):
        with pytest.raises(ValueError, match=f"{name} needs the kinds of a panel"):
            plot.data(name, found)


def test_silhouette(found):
    data = plot.data("silhouette", found, X)
    expected = silhouette_samples(X, found.labels)
    np.testing.assert_allclose(data["width"], expected[data["samples"]])
    assert data["mean"] == pytest.approx(expected.mean())
    of_matrix = plot.data("silhouette", found)
    D = 1 - oracles.coassociation(found.ensemble.labels)
    np.fill_diagonal(D, 0)
    expected = silhouette_samples(D, found.labels, metric="precomputed")
    np.testing.assert_allclose(
        of_matrix["width"], expected[of_matrix["samples"]], atol=1e-6
    )


def test_self_paced_weights(found):
    model = SPCE(3, n_members=6, random_state=0).fit(X)
    data = plot.data("self_paced_weights", model)
    stages = model.consensus_.details["mean_weight"]
    np.testing.assert_array_equal(data["mean_weight"], stages)
    for s in range(5):
        for c in range(3):
            mean = stages[s][model.labels_ == c].mean()
            assert data["clusters"][s, c] == pytest.approx(mean)
        assert data["quantiles"][s, 1] == pytest.approx(np.median(stages[s]))
    with pytest.raises(ValueError, match="needs the stages of SPCE"):
        plot.data("self_paced_weights", found)


def test_curves(choice):
    np.testing.assert_array_equal(plot.data("cdf", choice)["cdf"], choice.cdf)
    np.testing.assert_array_equal(plot.data("pac", choice)["pac"], choice.curves["pac"])
    assert plot.data("delta_area", choice)["k"].tolist() == [2, 3, 4]
    with pytest.raises(ValueError, match="no curve 'pac'; it has delta_area"):
        plot.data("pac", SimpleNamespace(curves={"delta_area": [1]}))


def test_tracking_keeps_numbers():
    rows = np.array([[0, 0, 0, 1, 1, 1], [1, 1, 2, 0, 0, 0], [0, 3, 2, 1, 1, 1]])
    choice = SimpleNamespace(
        k_values=[2, 3, 4], labels=rows, samples=np.arange(10, 16), n_clusters=2
    )
    data = plot.data("tracking", choice)
    by_sample = data["labels"][:, np.argsort(data["samples"])]
    np.testing.assert_array_equal(by_sample[0], [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(by_sample[1], [0, 0, 2, 1, 1, 1])
    assert by_sample[2, 2] == 2
    assert (by_sample[2, 3:] == 1).all()
    assert set(by_sample[2, :2]) == {0, 3}
    for row, given in zip(by_sample, rows, strict=True):  # the same partitions
        assert len({*zip(row, given, strict=True)}) == len(set(given))


def test_drawn_samples_keep_small_clusters():
    labels = np.repeat([0, 1, 2], [1000, 10, 1])
    drawn = draw_samples(labels, 50)
    counts = np.bincount(labels[drawn], minlength=3)
    assert drawn.size == 50
    assert counts[2] == 1
    assert counts[0] > 40
    assert (np.diff(drawn) > 0).all()
    np.testing.assert_array_equal(drawn, draw_samples(labels, 50))
    assert draw_samples(labels, None).size == 1011


def test_colors_differ():
    colors = plot.cluster_colors(30)
    assert len(set(colors)) == 30
    assert all(len(color) == 7 for color in colors)
