"""Laws of all systems in the catalog: one fit, and everything works on each."""

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import coterie
from coterie._catalog import entries, entry_of
from coterie.consensus import ConsensusResult
from coterie.ensemble import Ensemble
from coterie.systems import BaseSystem

X, Y = make_blobs(120, n_features=5, centers=3, cluster_std=1.5, random_state=2)
NEW = make_blobs(40, n_features=5, centers=3, cluster_std=1.5, random_state=2)[0]
SMALL = {"n_members": 4, "n_clusterings": 20, "n_landmarks": 30, "block_rows": 50}
SYSTEMS = entries("system")
every = pytest.mark.parametrize("entry", SYSTEMS, ids=lambda entry: entry.name)


def make(entry, n_clusters=3, **params):
    model = entry.load()(n_clusters, random_state=0)
    known = model.get_params(deep=False)
    few = {name: value for name, value in SMALL.items() if name in known}
    return model.set_params(**few, **params)


@pytest.fixture(scope="module")
def fitted():
    return {entry.name: make(entry).fit(X) for entry in SYSTEMS}


def test_there_are_ten_systems_and_one_fit():
    assert len(SYSTEMS) == 10
    for entry in SYSTEMS:
        assert issubclass(entry.load(), BaseSystem)
        assert entry.load().fit is BaseSystem.fit


@every
def test_fit_sets_what_it_promises(entry, fitted):
    model = fitted[entry.name]
    assert isinstance(model.ensemble_, Ensemble)
    assert isinstance(model.consensus_, ConsensusResult)
    assert model.labels_ is model.consensus_.labels
    assert model.confidence_ is model.consensus_.confidence
    assert model.n_clusters_ == 3
    assert model.ensemble_.n_samples == len(X)
    assert model.consensus_.second.shape == model.consensus_.margin.shape == (len(X),)
    if model.weights_ is not None:
        model.weights_.check_for(model.ensemble_)


@every
def test_the_parts_alone_give_the_same_labels(entry, fitted):
    model = fitted[entry.name]
    parts = model.parts(len(X))
    data = model._fit_X
    weights = None
    if parts.weighter is not None:
        weights = parts.weighter.weigh(model.ensemble_, X=data, seed=model._fit_rest)
    found = parts.consensus.combine(
        model.ensemble_, 3, weights=weights, X=data, seed=model._fit_rest
    )
    np.testing.assert_array_equal(found.labels, model.labels_)
    for part in parts:
        if part is not None and hasattr(part, "get_params"):
            assert entry_of(type(part)).summary


@every
def test_explain_and_report(entry, fitted, tmp_path):
    model = fitted[entry.name]
    found = coterie.explain(model)
    np.testing.assert_array_equal(found.samples["cluster"], model.labels_)
    np.testing.assert_array_equal(found.samples["confidence"], model.confidence_)
    np.testing.assert_array_equal(found.clusters["size"], np.bincount(model.labels_))
    assert len(found.members["quality"]) == found.ensemble.n_members
    assert np.isfinite(found.samples["difficulty"]).all()
    page = coterie.report(model, X, tmp_path / "report.html", y=Y).read_text()
    assert type(model).__name__ in page


@every
def test_predict(entry, fitted):
    model = fitted[entry.name]
    again = model.predict(X)
    assert np.mean(again == model.labels_) > 0.85
    labels, sure = model.predict(NEW), model.predict_confidence(NEW)
    assert labels.shape == sure.shape == (40,)
    assert labels.dtype == np.int32
    assert 0 <= sure.min() <= sure.max() <= 1
    assert 0 <= model.predict_agreement_ <= 1
    assert model.predicts_by_ in {"means", "neighbors", "rules"}


@every
def test_recut_needs_no_data_and_leaves_the_model_alone(entry, fitted):
    model = fitted[entry.name]
    before = model.labels_.copy()
    other = model.recut(2)
    assert other.n_clusters == other.n_clusters_ == 2
    assert other.ensemble_ is model.ensemble_
    assert other.labels_.max() <= 1
    np.testing.assert_array_equal(other.recut(3).labels_, before)
    np.testing.assert_array_equal(model.labels_, before)
    assert other.predict(NEW).max() <= 1


@every
def test_a_fitted_model_owns_what_it_needs(entry, fitted):
    data = X.copy()
    model = make(entry).fit(data)
    labels, cut = model.predict(NEW), model.recut(2).labels_
    data[:] = -7.0
    np.testing.assert_array_equal(model.predict(NEW), labels)
    np.testing.assert_array_equal(model.recut(2).labels_, cut)
    np.testing.assert_array_equal(fitted[entry.name].predict(NEW), labels)


@every
def test_a_fit_that_fails_leaves_the_old_model_whole(entry):
    model = make(entry).fit(X)
    before = dict(vars(model))
    labels, sure = model.predict(NEW), model.predict_confidence(NEW)
    bad = X[:50].copy()
    bad[7, 1] = np.inf
    for wrong in (bad, X[:2], np.array([["a", "b"]])):
        with pytest.raises(ValueError, match=r".+"):
            model.fit(wrong)
    assert {**vars(model), "_fit_trial": 0} == {**before, "_fit_trial": 0}
    np.testing.assert_array_equal(model.predict(NEW), labels)
    np.testing.assert_array_equal(model.predict_confidence(NEW), sure)


@every
def test_prepare_leaves_the_model_alone(entry, fitted):
    model = fitted[entry.name]
    before = dict(vars(model))
    assert model.prepare(X[:40, :3]).shape == (40, 3)
    assert vars(model) == before


@every
def test_engines_and_checkpoints_change_nothing(entry, fitted, tmp_path):
    expected = fitted[entry.name].labels_
    for _ in range(2):  # the second time from what is kept
        with coterie.use_engine("serial", checkpoint=tmp_path / "kept"):
            np.testing.assert_array_equal(make(entry).fit_predict(X), expected)
    assert any((tmp_path / "kept").rglob("*-000000"))
    with (
        coterie.use_engine(checkpoint=tmp_path / "other"),
        pytest.raises(ValueError, match="a checkpoint needs a seed"),
    ):
        make(entry).set_params(random_state=None).fit(X)


@pytest.mark.slow
@every
def test_the_number_of_clusters_may_be_left_open(entry):
    model = make(entry, "auto").fit(X)
    assert model.n_clusters_ == model.k_choice_.n_clusters
    assert model.labels_.max() < model.n_clusters_
    assert not hasattr(model.set_params(n_clusters=2).fit(X), "k_choice_")
