"""The default system: a panel, and everything that works on a fitted system."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs
from stand_ins import dask_worker

import coterie
from coterie import EnsembleClustering, use_engine
from coterie.consensus import LWEA, LWGP, Council
from coterie.ensemble._groups import groups_of
from coterie.generation import Panel, RandomKMeans
from coterie.metrics import ari
from coterie.weighting import AgreementWeighter, EntropyWeighter

X, Y = make_blobs(90, n_features=8, centers=3, cluster_std=1.5, random_state=0)
NEW, Y_NEW = make_blobs(60, n_features=8, centers=3, cluster_std=1.5, random_state=0)


def panel(n_clusters=3, **params):
    """Return the default system with few members."""
    return EnsembleClustering(
        n_clusters, **{"n_members": 24, "random_state": 0, **params}
    )


@pytest.fixture(scope="module")
def fitted():
    return panel().fit(X)


def test_the_default_is_a_panel_heard_by_a_council(fitted):
    parts = EnsembleClustering(3).parts(1000)
    assert isinstance(parts.generator, Panel)
    assert isinstance(parts.consensus, Council)
    assert parts.weighter is None
    assert EnsembleClustering(3).parts(10**6).consensus.name == "council"
    assert ari(Y, fitted.labels_) == 1.0
    groups = groups_of(fitted.ensemble_)
    assert len(groups) == 6
    details = fitted.consensus_.details
    assert details["kind_labels"].shape == (90, 6)
    assert details["kind_weights"].shape == details["kind_steadiness"].shape == (6,)
    assert fitted.weights_.members.shape == (24,)
    assert fitted.notes_ == fitted.ensemble_.notes


def test_whole_panel():
    model = EnsembleClustering(3, effort="quick", random_state=0).fit(X)
    assert ari(Y, model.labels_) == 1.0
    assert {group.kind for group in groups_of(model.ensemble_)} == {
        "spectral", "genie", "gmm", "mdec", "mbn",
    }  # fmt: skip


def test_notes_are_there():
    model = panel(n_members=8).fit(X[:, :4] * [1, 1, 1, 1e6])
    assert model.notes_ == model.ensemble_.notes
    assert model.notes_[0].startswith("Features differ in scale up to ")
    assert model.notes_[1].startswith("Left out mdec, mbn and kmeans, which need")
    with pytest.raises(AttributeError):
        _ = EnsembleClustering(3).notes_


def test_other_generators_have_their_old_consensus():
    for generator in ("kmeans", RandomKMeans(5), KMeans(4)):
        parts = EnsembleClustering(3, generator=generator).parts(500)
        assert isinstance(parts.consensus, LWEA)
        assert isinstance(parts.weighter, EntropyWeighter)
    parts = EnsembleClustering(3, generator="kmeans").parts(10**6)
    assert isinstance(parts.consensus, LWGP)


def test_a_given_panel_keeps_what_it_was_told():
    own = Panel(8, effort="quick", target=7)
    parts = EnsembleClustering(3, generator=own).parts()
    assert parts.generator.get_params() == own.get_params()
    faster = EnsembleClustering(3, effort="quick", generator=Panel(8)).parts()
    assert faster.generator.effort == "quick"
    model = EnsembleClustering(3, generator=Panel(8), random_state=0).fit(X)
    assert model.parts().generator.target == 3
    assert model.generator.target is None


@pytest.mark.parametrize("consensus", [None, "council"])
def test_weights_can_be_turned_off(consensus):
    model = panel(weighter=None, consensus=consensus).fit(X)
    np.testing.assert_allclose(model.consensus_.details["kind_weights"], 1 / 6)
    own = panel(weighter=None, consensus=Council()).parts().consensus
    assert own.weighter == "kinds"  # what is given is not changed


def test_a_weighter_weights_members():
    model = panel(weighter=AgreementWeighter()).fit(X)
    own = AgreementWeighter().weigh(model.ensemble_).members
    means = [own[group.members].mean() for group in groups_of(model.ensemble_)]
    np.testing.assert_allclose(
        model.consensus_.details["kind_weights"], np.array(means) / np.sum(means)
    )
    with pytest.raises(ValueError, match="Council takes members weights and would"):
        panel(weighter="entropy").fit(X)


@pytest.mark.parametrize("consensus", ["eac", "kcc", "lwea"])
def test_other_consensus_functions_pool_the_members(consensus):
    assert ari(Y, panel(consensus=consensus).fit_predict(X)) == 1.0


def test_recut_needs_no_data(fitted):
    two = fitted.recut(2)
    assert two.labels_.max() == 1
    assert two.consensus_.details["kind_labels"].max() == 1
    np.testing.assert_array_equal(two.recut(3).labels_, fitted.labels_)
    assert two.notes_ == fitted.notes_


def test_predict(fitted):
    assert fitted.predicts_by_ in {"neighbors", "scaled neighbors"}
    assert fitted.predict_agreement_ > 0.95
    assert np.mean(fitted.predict(X) == fitted.labels_) > 0.95
    assert ari(Y_NEW, fitted.predict(NEW)) == 1.0
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(NEW), fitted.predict(NEW))


def test_predict_where_scales_differ():
    scales = np.array([1.0] * 7 + [1e3])
    noise = np.random.default_rng(0).standard_normal((150, 1))
    wide = np.hstack([np.vstack([X, NEW])[:, :7], noise]) * scales
    model = panel(n_members=None, effort="quick").fit(wide[:90])
    assert ari(Y, model.labels_) == 1.0
    assert model.predicts_by_ == "scaled neighbors"
    assert ari(Y_NEW, model.predict(wide[90:])) > 0.9


def test_a_constant_feature_does_not_decide_where_new_samples_go():
    constant = np.hstack([X, np.full((90, 1), 0.1)])
    new = np.hstack([X, np.random.default_rng(0).normal(0.1, 1e-3, (90, 1))])
    model = panel(n_members=8).fit(constant)
    model._fit_trial = {"scaled neighbors": 1.0}
    assert ari(Y, model.predict(new)) == 1.0


def test_explain_and_report(fitted, tmp_path):
    found = coterie.explain(fitted)
    assert len(found.kinds["weight"]) == 6
    np.testing.assert_allclose(
        found.kinds["weight"], fitted.consensus_.details["kind_weights"]
    )
    page = coterie.report(fitted, X, tmp_path / "report.html").read_text()
    for group in groups_of(fitted.ensemble_):
        assert group.kind in page


@pytest.mark.slow
def test_engines_give_the_same_labels(fitted):
    for engine in ("serial", "processes"):
        with use_engine(engine):
            model = panel(n_jobs=2).fit(X)
        np.testing.assert_array_equal(model.labels_, fitted.labels_)
        np.testing.assert_array_equal(model.ensemble_.labels, fitted.ensemble_.labels)
        np.testing.assert_array_equal(model.confidence_, fitted.confidence_)


@pytest.mark.slow
def test_dask_gives_the_same_labels(fitted):
    with dask_worker() as client, use_engine(client):
        model = panel().fit(X)
    np.testing.assert_array_equal(model.ensemble_.labels, fitted.ensemble_.labels)
    np.testing.assert_array_equal(model.labels_, fitted.labels_)


def test_checkpoints(fitted, tmp_path):
    for _ in range(2):
        with use_engine("serial", checkpoint=tmp_path):
            model = panel().fit(X)
        np.testing.assert_array_equal(model.labels_, fitted.labels_)
    kept = {path.name for path in tmp_path.iterdir()}
    assert {"0-spectral", "1-genie", "2-gmm", "5-mbn"} <= kept
    with (
        use_engine("serial", checkpoint=tmp_path),
        pytest.raises(ValueError, match=r"effort=9\.0, a time limit, inside a check"),
    ):
        panel(effort=9.0).fit(X)


def test_a_time_limit():
    model = panel(effort=100.0, n_members=8).fit(X)
    assert model.ensemble_.n_members == 8
    np.testing.assert_array_equal(model.labels_, panel(n_members=8).fit(X).labels_)


@pytest.mark.slow
def test_the_number_of_clusters_may_be_left_open():
    model = panel("auto").fit(X)
    assert model.n_clusters_ == model.k_choice_.n_clusters == 3
    assert ari(Y, model.labels_) == 1.0
    wide = panel("auto").fit(X * np.geomspace(1, 1e4, 8))
    assert "The number of clusters was chosen from standardised features." in (
        wide.notes_
    )
    assert wide.n_clusters_ == 3


def test_sparse_counts():
    rng = np.random.default_rng(0)
    topics = rng.dirichlet(np.full(150, 0.1), 3)
    y = np.arange(90) % 3
    counts = sp.csr_matrix(np.array([rng.multinomial(80, topics[t]) for t in y], float))
    model = panel().fit(counts)
    assert ari(y, model.labels_) == 1.0
    assert model.predict(counts).shape == (90,)
    assert model.notes_[0].startswith("Sparse data: members see")


def test_parameters_are_nested_and_cloned():
    model = panel(generator=Panel(12), consensus=Council())
    model.set_params(generator__effort="quick", consensus__weighter=None)
    parts = clone(model).parts()
    assert (parts.generator.effort, parts.consensus.weighter) == ("quick", None)


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"effort": "lazy"}, "'effort' parameter of EnsembleClustering must be a str"),
        ({"effort": 0}, "'effort' parameter of EnsembleClustering must be"),
        ({"n_members": 0}, "'n_members' parameter of EnsembleClustering must be"),
        (
            {"effort": "quick", "generator": "kmeans"},
            "only a panel can vary its effort, not RandomKMeans. Set n_members, or om",
        ),
        ({"generator": Panel(seats=[])}, "Panel needs at least one seat"),
        (
            {"generator": Panel(views=["asinh"])},
            r"no kind of member for the views \['a",
        ),
        ({"generator": Panel(views=[])}, "expects views as a list or tuple of 'raw'"),
    ],
)
def test_bad_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        panel(**params).fit(X)


SIZES = [(300, 300, 300), (900, 60, 40), (400, 30, 30, 30)]


@pytest.mark.slow
@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("n_features", [2, 8, 50])
def test_easy_things_are_easy(sizes, n_features):
    """Blobs that k-means finds: nobody may lose them by asking a panel."""
    for draw in range(2):
        data, y = make_blobs(sizes, n_features, cluster_std=1.0, random_state=draw)
        plain = KMeans(len(sizes), n_init=10, random_state=0).fit_predict(data)
        if ari(y, plain) < 0.99:
            continue
        model = EnsembleClustering(len(sizes), effort="quick", random_state=0)
        assert ari(y, model.fit_predict(data)) >= 0.95
