"""What explain says, against plain oracles."""

import numpy as np
import oracles
import pandas as pd
import pytest
from sklearn.datasets import make_blobs
from stand_ins import OfKinds, panel

import coterie
from coterie import MBN, SPCE, WOEC, Ensemble, EnsembleClustering
from coterie.answers import _explain
from coterie.consensus import EAC, LWEA
from coterie.datasets import make_planted_ensemble
from coterie.ensemble._groups import groups_of
from coterie.generation import RandomKMeans
from coterie.weighting import AgreementWeighter

X, Y = make_blobs(90, n_features=4, centers=3, cluster_std=2.5, random_state=0)


@pytest.fixture(scope="module")
def model():
    return EnsembleClustering(
        3, generator=RandomKMeans(8), consensus=EAC(), random_state=0
    ).fit(X)


def test_samples(model):
    table = coterie.explain(model).samples
    votes = oracles.votes(model.ensemble_.labels, model.labels_)
    own = votes[np.arange(90), model.labels_]
    others = votes.copy()
    others[np.arange(90), model.labels_] = -1
    np.testing.assert_array_equal(table["cluster"], model.labels_)
    np.testing.assert_allclose(table["confidence"], own)
    np.testing.assert_allclose(table["confidence"], model.confidence_)
    np.testing.assert_allclose(table["margin"], own - others.max(axis=1))
    np.testing.assert_allclose(votes[np.arange(90), table["second"]], others.max(1))
    assert (table["second"] != model.labels_).all()
    items = oracles.item_consensus(model.ensemble_.labels, model.labels_)
    np.testing.assert_allclose(
        table["item_consensus"], items[np.arange(90), model.labels_]
    )
    expected = oracles.difficulty(model.ensemble_.labels, 0.01)
    np.testing.assert_allclose(table["difficulty"], expected)


def test_weights_count():
    model = EnsembleClustering(
        3,
        generator=RandomKMeans(6),
        consensus=LWEA(),
        weighter=AgreementWeighter(),
        random_state=1,
    ).fit(X)
    found = coterie.explain(model)
    votes = oracles.votes(model.ensemble_.labels, model.labels_, model.weights_.members)
    own = votes[np.arange(90), model.labels_]
    np.testing.assert_allclose(found.samples["confidence"], own)
    others = votes.copy()
    others[np.arange(90), model.labels_] = -1
    np.testing.assert_allclose(found.samples["margin"], own - others.max(axis=1))
    members = model.weights_.members
    np.testing.assert_allclose(found.members["weight"], members / members.mean())


def test_clusters_and_members(model):
    found = coterie.explain(model)
    clusters, members = found.clusters, found.members
    np.testing.assert_array_equal(clusters["size"], np.bincount(model.labels_))
    for c in range(3):
        inside = model.labels_ == c
        assert clusters["confidence"][c] == pytest.approx(
            model.confidence_[inside].mean()
        )
        seconds = np.bincount(found.samples["second"][inside], minlength=3)
        assert seconds[clusters["next"][c]] == seconds.max()
    agreement = oracles.member_agreement(model.ensemble_.labels)
    mean = (agreement.sum(axis=1) - 1) / 7
    np.testing.assert_allclose(members["agreement"], mean, atol=1e-7)
    np.testing.assert_allclose(members["diversity"], 1 - mean, atol=1e-7)
    quality = [oracles.nmi(model.labels_, m) for m in model.ensemble_.labels.T]
    np.testing.assert_allclose(members["quality"], quality)
    assert "weight" not in members
    assert members["name"][0] == "member 0"


def test_tables_are_frames(model):
    found = coterie.explain(model)
    for table, n in ((found.samples, 90), (found.clusters, 3), (found.members, 8)):
        assert len(pd.DataFrame(table)) == n
    assert coterie.explain(found) is found
    assert "3 clusters of 90 samples by 8 members" in repr(found)


def test_labels_from_anywhere():
    planted = make_planted_ensemble(50, 3, 6, noise=0.3, random_state=0)
    result = coterie.combine(planted.ensemble, 3, "lwea", return_result=True)
    found = coterie.explain(planted.ensemble, result)
    np.testing.assert_array_equal(found.samples["confidence"], result.confidence)
    by_labels = coterie.explain(planted.ensemble.labels, list("abc" * 16 + "ab"))
    assert by_labels.labels[:4].tolist() == [0, 1, 2, 0]
    assert np.isfinite(by_labels.samples["margin"]).all()


def test_one_cluster_and_one_member():
    found = coterie.explain(Ensemble([[0, 0, 1]]), [5, 5, 5])
    assert found.samples["second"].tolist() == [-1, -1, -1]
    assert found.samples["margin"].tolist() == [1, 1, 1]
    assert found.clusters["next"].tolist() == [-1]
    assert found.members["agreement"].tolist() == [1]


def test_what_systems_learn_of_difficulty():
    spce = SPCE(3, n_members=6, random_state=0).fit(X)
    table = coterie.explain(spce).samples
    learned = spce.consensus_.details["difficulty"]
    np.testing.assert_array_equal(table["self_paced_difficulty"], learned)
    woec = WOEC(3, n_members=6, standardize=False, random_state=0).fit(X)
    table = coterie.explain(woec).samples
    np.testing.assert_allclose(table["difficulty"], woec.weights_.samples)


def test_networks():
    model = MBN(3, n_clusterings=30, random_state=0).fit(X)
    found = coterie.explain(model)
    np.testing.assert_allclose(found.samples["confidence"], model.confidence_)
    assert found.ensemble.n_members == 30


def test_kinds():
    model = panel(X)
    found = coterie.explain(model)
    details = model.consensus_.details
    table = found.kinds
    assert list(table) == [
        "name",
        "kind",
        "view",
        "weight",
        "steadiness",
        "agreement",
    ]
    assert table["name"].tolist() == [g.name for g in groups_of(model.ensemble_)]
    np.testing.assert_array_equal(table["weight"], details["kind_weights"])
    for g, own in enumerate(details["kind_labels"].T):
        expected = oracles.ari(model.labels_, own)
        assert table["agreement"][g] == pytest.approx(expected)
    for c, n_seen in enumerate(found.clusters["seen_by"]):
        inside = model.labels_ == c
        overlaps = [
            oracles.best_jaccard(inside, own) for own in details["kind_labels"].T
        ]
        assert n_seen == sum(value > 0.5 for value in overlaps)
    assert len(found.to_frame("kinds")) == 6
    assert repr(found).endswith(".members, .kinds")


def test_without_kinds(model):
    found = coterie.explain(model)
    assert found.kinds == {}
    assert "seen_by" not in found.clusters
    assert found.to_frame("kinds").empty


def test_kinds_without_members_of_weight_zero():
    whole = panel(X).ensemble_
    kinds = np.array([m.params["kind"] for m in whole.members])
    weights = (kinds != "noise").astype(float)
    result = OfKinds().combine(whole.subset(np.flatnonzero(weights)), 3)
    found = coterie.explain(whole, result, weights=weights)
    assert set(found.kinds["kind"]) == {"kmeans", "ward"}


def test_errors():
    with pytest.raises(TypeError, match="a fitted system, or an ensemble and labels"):
        coterie.explain([[0, 1], [0, 1]])
    with pytest.raises(TypeError, match="Fit the system first"):
        coterie.explain(EnsembleClustering(3))
    with pytest.raises(ValueError, match="a label for each of the 3 samples"):
        coterie.explain([[0, 0, 1]], [0, 1])


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_difficulty_of_very_many_rows_is_estimated(missing, monkeypatch):
    planted = make_planted_ensemble(
        300, 4, 8, noise=0.4, missing=missing, random_state=0
    )
    labels = planted.ensemble.labels
    exact = oracles.difficulty(labels, 0.01)
    all_partners = _explain._estimated_difficulty(planted.ensemble, 300)
    np.testing.assert_allclose(all_partners, exact, atol=1e-5)
    some = _explain._estimated_difficulty(planted.ensemble, 100)
    # terms lie in [0, 1]: their deviation is at most 0.5, that of the mean 0.05
    assert np.abs(some - exact).max() < 4 * 0.05
    assert np.abs(some - exact).mean() < 0.05
    monkeypatch.setattr(_explain, "_EXACT_ROWS", 0)
    monkeypatch.setattr(_explain, "_TABLE", 0)
    np.testing.assert_array_equal(
        coterie.explain(planted.ensemble, planted.truth).samples["difficulty"],
        _explain._estimated_difficulty(planted.ensemble),
    )
