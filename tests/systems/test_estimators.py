"""Every system keeps scikit-learn's contract and ours."""

import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.cluster import DBSCAN, KMeans
from sklearn.datasets import make_blobs
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from coterie import (
    C2SWCE,
    MBN,
    MDEC,
    SPCE,
    USENC,
    WOEC,
    EnsembleClustering,
    LargeEnsembleClustering,
    MBNEnsemble,
    WOKMeans,
)
from coterie._catalog import entries
from coterie.clusterers import GNMF, LSC, SCSRGF, SSC, USPEC, Genie
from coterie.consensus import EAC, HBGF, LWEA, Council
from coterie.exceptions import DegenerateMemberWarning, MemberFailedError
from coterie.generation import (
    FromClusterers,
    Panel,
    RandomKMeans,
    RandomProjection,
)
from coterie.metrics import ari
from coterie.weighting import AgreementWeighter

X, Y = make_blobs(150, n_features=5, centers=4, cluster_std=0.7, random_state=0)


def small(**params):
    """Return a system with few members, to be quick."""
    return EnsembleClustering(generator=RandomKMeans(8), random_state=0, **params)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::coterie.exceptions.WeightsDisagreeWarning")
@parametrize_with_checks(
    [
        EnsembleClustering(n_clusters=3, n_members=12),
        EnsembleClustering(n_clusters=3, generator=RandomKMeans(5)),
        EnsembleClustering(n_clusters=3, generator=RandomKMeans(5), consensus="lwgp"),
        EnsembleClustering(
            n_clusters=3, generator=RandomProjection(5), consensus="kcc"
        ),
        MDEC(n_clusters=3, n_members=5),
        MDEC(n_clusters=3, n_members=5, consensus="bg"),
        C2SWCE(n_clusters=3, n_members=5),
        C2SWCE(n_clusters=3, n_members=5, consensus="bg"),
        SPCE(n_clusters=3, n_members=5),
        WOEC(n_clusters=3, n_members=6),
        WOEC(n_clusters=3, n_members=6, consensus="bipartite"),
        WOKMeans(n_clusters=3, n_members=6),
        USENC(n_clusters=3, n_members=5),
        LargeEnsembleClustering(n_clusters=3, n_members=5),
        USPEC(n_clusters=3),
        LSC(n_clusters=3),
        SCSRGF(n_clusters=3, n_subspaces=4, n_steps=5),
        GNMF(n_clusters=3),
        SSC(n_clusters=3, n_init=3),
        Genie(n_clusters=3),
        MBN(n_clusters=3, n_clusterings=20),
        MBNEnsemble(n_clusters=3, n_clusterings=20, n_members=3),
        MBNEnsemble(
            n_clusters=3, n_clusterings=20, n_members=4, selection="vrc", fast=False
        ),
        MBN(n_clusters=3, n_clusterings=20, sparse_output=False),
    ]
)
def test_sklearn_checks(estimator, check):
    check(estimator)


def test_the_checks_cover_every_system():
    systems = {"ensemble", "mdec", "c2swce", "spce", "woec", "wokmeans"}
    systems |= {"mbn", "mbn-e", "usenc", "large"}
    assert {entry.name for entry in entries("system")} == systems
    clusterers = {"uspec", "lsc", "sc-srgf", "gnmf", "ssc", "genie"}
    assert {entry.name for entry in entries("clusterer")} == clusterers


def test_fitted_attributes():
    model = small(n_clusters=4).fit(X)
    assert ari(Y, model.labels_) > 0.95
    assert model.labels_.shape == model.confidence_.shape == (150,)
    assert model.ensemble_.n_members == 8
    assert model.weights_.clusters.shape == (model.ensemble_.n_total_clusters,)
    assert model.consensus_.labels is model.labels_
    assert model.n_features_in_ == 5
    assert "linkage" in model.consensus_.details


@pytest.mark.parametrize("consensus", ["lwea", "hbgf", "sc", "kcc", "vote"])
def test_labels_do_not_depend_on_n_jobs(consensus):
    one = small(n_clusters=4, consensus=consensus, n_jobs=1).fit(X)
    two = small(n_clusters=4, consensus=consensus, n_jobs=2).fit(X)
    np.testing.assert_array_equal(one.labels_, two.labels_)
    np.testing.assert_array_equal(one.confidence_, two.confidence_)


@pytest.mark.parametrize(
    ("names", "parts"),
    [
        (
            {"generator": "kmeans", "consensus": "LWEA"},
            {"generator": RandomKMeans(), "consensus": LWEA()},
        ),
        (
            {"generator": "panel", "consensus": "council", "n_members": 12},
            {"generator": Panel(12), "consensus": Council()},
        ),
    ],
)
def test_parts_by_name_by_object_and_by_default(names, parts):
    by_name = EnsembleClustering(4, **names, random_state=1).fit(X)
    by_object = EnsembleClustering(4, **parts, random_state=1).fit(X)
    omitted = {"generator" if names["generator"] == "panel" else "", "consensus"}
    rest = {name: value for name, value in names.items() if name not in omitted}
    by_default = EnsembleClustering(4, **rest, random_state=1).fit(X)
    for model in (by_object, by_default):
        np.testing.assert_array_equal(model.labels_, by_name.labels_)
        np.testing.assert_array_equal(model.ensemble_.labels, by_name.ensemble_.labels)
        assert repr(model.consensus_) == repr(by_name.consensus_)


def test_nested_parameters():
    model = EnsembleClustering(
        n_clusters=2, generator=RandomKMeans(), consensus=EAC(), random_state=0
    )
    model.set_params(generator__n_members=3, consensus__linkage="single")
    assert model.fit(X).ensemble_.n_members == 3
    assert clone(model).get_params()["consensus__linkage"] == "single"


def test_weighters():
    none = small(n_clusters=4, weighter=None).fit(X)
    assert none.weights_ is None
    agreement = small(n_clusters=4, weighter=AgreementWeighter()).fit(X)
    assert agreement.weights_.members.shape == (8,)
    assert small(n_clusters=4, consensus=EAC()).fit(X).weights_ is None


def test_recut_keeps_the_members():
    model = small(n_clusters=4).fit(pd.DataFrame(X, columns=list("abcde")))
    other = model.recut(2)
    assert other.ensemble_ is model.ensemble_
    assert other.labels_.max() == 1
    assert model.labels_.max() == 3
    assert other.n_clusters == 2
    assert model.n_clusters == 4
    np.testing.assert_array_equal(model.recut(4).labels_, model.labels_)
    np.testing.assert_array_equal(other.feature_names_in_, list("abcde"))
    with pytest.raises(ValueError, match="recut was asked for n_clusters=151, but"):
        model.recut(151)


@pytest.mark.parametrize(
    "generator",
    [
        "kmeans",
        "subsample",
        "subspace",
        "projection",
        "bootstrap",
        FromClusterers([KMeans(4, n_init=1), DBSCAN(eps=1.5)]),
    ],
)
def test_predict_places_new_samples(generator):
    model = EnsembleClustering(4, generator=generator, random_state=0).fit(X)
    assert np.mean(model.predict(X) == model.labels_) > 0.97
    new, y_new = make_blobs(
        400, n_features=5, centers=4, cluster_std=0.7, random_state=0
    )
    assert ari(y_new, model.predict(new)) > 0.9


def test_predict_on_sparse_and_float32():
    data = np.abs(X).astype(np.float32)
    model = small(n_clusters=4).fit(sp.csr_array(data))
    np.testing.assert_array_equal(
        model.predict(sp.csr_matrix(data)), model.predict(data)
    )


def test_a_pipeline():
    pipeline = make_pipeline(StandardScaler(), small(n_clusters=4))
    assert ari(Y, pipeline.fit_predict(X)) > 0.9


@pytest.mark.parametrize(
    ("params", "text"),
    [
        (
            {"n_clusters": 0},
            "'n_clusters' parameter of EnsembleClustering must be an int",
        ),
        ({"n_clusters": 151}, "n_clusters=151, but there are only n_samples=150"),
        ({"consensus": "lwae"}, "'lwae' is not a known .* Did you mean lwea"),
        ({"generator": "kmean"}, "'kmean' is not a known generator name. Did you mean"),
        ({"weighter": "qqq"}, "'qqq' is not a known weighter name. Known are: adapt"),
        (
            {"consensus": "kcc", "weighter": "entropy"},
            "KCC takes members weights and would",
        ),
        ({"random_state": -1}, "must not be negative|'random_state' parameter"),
        ({"progress": "yes"}, "'progress' parameter of EnsembleClustering"),
    ],
)
def test_bad_parameters_come_before_any_work(params, text, monkeypatch):
    def work(*args, **kwargs):
        raise AssertionError("work began")

    monkeypatch.setattr("coterie.generation._base.run_members", work)
    with pytest.raises(ValueError, match=text):
        EnsembleClustering(**params).fit(X)


class Broken(KMeans):
    """Fails on every second seed."""

    def fit_predict(self, X, y=None, sample_weight=None):
        if self.random_state % 2:
            raise RuntimeError("it broke")
        return super().fit_predict(X)


def test_failed_members_are_reported_or_dropped():
    models = [Broken(3, n_init=1) for _ in range(8)]
    with pytest.raises(
        MemberFailedError, match=r"of 8 members failed; the first is mem"
    ):
        EnsembleClustering(3, generator=FromClusterers(models), random_state=0).fit(X)
    kept = FromClusterers(models, on_error="drop")
    with pytest.warns(DegenerateMemberWarning, match="it broke They were left out"):
        model = EnsembleClustering(3, generator=kept, random_state=0).fit(X)
    assert 0 < model.ensemble_.n_members < 8


def test_no_member_left():
    models = [DBSCAN(eps=1e-9)]
    with pytest.raises(MemberFailedError, match="assigned no sample to any cluster"):
        FromClusterers(models).generate(X)
    with pytest.raises(MemberFailedError, match="No member is left"):
        FromClusterers(models, on_error="drop").generate(X)


def test_a_constant_member_is_warned_of():
    with pytest.warns(DegenerateMemberWarning, match="1 of 2 members found a single"):
        FromClusterers([KMeans(1, n_init=1), KMeans(2, n_init=1)]).generate(X)


def test_a_progress_bar(capsys):
    small(n_clusters=3, progress=True).fit(X)
    small(n_clusters=3, progress=lambda done, total: None).fit(X)
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize("consensus", [HBGF(), LWEA()])
def test_tiny_and_degenerate_data(consensus):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for data, k in [
            (np.ones((6, 2)), 2),
            (np.arange(3.0)[:, None], 3),
            (np.array([[1.0, 2.0]]), 1),
            (np.repeat([[0.0], [1.0]], 10, axis=0), 2),
        ]:
            model = small(n_clusters=k, consensus=consensus).fit(data)
            assert np.isfinite(model.confidence_).all()
            assert model.labels_.max() < k


class OnlyCombines:
    """A consensus of the user's own, which knows nothing of our base class."""

    def get_params(self, deep=True):
        return {}

    def combine(self, ensemble, n_clusters, *, weights=None, X=None, seed=None):
        return HBGF().combine(ensemble, n_clusters, seed=0)


def test_a_consensus_that_only_combines():
    labels = small(n_clusters=4, consensus=OnlyCombines()).fit_predict(X)
    assert ari(Y, labels) > 0.95


@pytest.mark.parametrize(
    ("generator", "n_members"),
    [(None, 7), ("projection", 7), (RandomKMeans(3), 7), (KMeans(4), 7)],
)
def test_the_number_of_members(generator, n_members):
    model = EnsembleClustering(
        4, n_members=n_members, generator=generator, random_state=0
    ).fit(X)
    assert model.ensemble_.n_members == n_members
    if isinstance(generator, RandomKMeans):
        assert generator.n_members == 3  # a copy is changed


def test_a_clusterer_is_run_with_different_seeds():
    model = EnsembleClustering(
        4, n_members=6, generator=KMeans(9, n_init=1, random_state=5), random_state=0
    ).fit(X)
    assert model.ensemble_.names[0] == "KMeans 0"
    assert (model.ensemble_.n_clusters_per_member == 9).all()
    assert (
        len({member.params["random_state"] for member in model.ensemble_.members}) == 6
    )
    assert len({tuple(column) for column in model.ensemble_.labels.T}) > 1
    again = clone(model).fit(X)
    np.testing.assert_array_equal(again.ensemble_.labels, model.ensemble_.labels)
    assert EnsembleClustering(generator=KMeans()).parts().generator._count() == 50


def test_a_pipeline_makes_members():
    pipe = make_pipeline(StandardScaler(), KMeans(5, n_init=1))
    model = EnsembleClustering(4, n_members=3, generator=pipe, random_state=0).fit(X)
    seeds = {m.params["kmeans__random_state"] for m in model.ensemble_.members}
    assert len(seeds) == 3


def test_a_list_of_clusterers_makes_a_member_each():
    models = [KMeans(3, n_init=1), DBSCAN(eps=2.0)]
    given = EnsembleClustering(4, generator=models, random_state=0).fit(X)
    same = EnsembleClustering(4, generator=FromClusterers(models), random_state=0)
    np.testing.assert_array_equal(given.ensemble_.labels, same.fit(X).ensemble_.labels)
    assert given.ensemble_.names == ["KMeans", "DBSCAN"]


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        ({"generator": KMeans}, TypeError, r"the class KMeans. Pass an instance, such"),
        ({"generator": 5}, TypeError, "a list of clusterers; got 5. FromClusterers"),
        ({"generator": "clusterers"}, ValueError, r"or FromClusterers\(\[...\]\)"),
        ({"generator": DBSCAN()}, ValueError, "DBSCAN has no random_state, so all its"),
        (
            {"generator": [RandomKMeans()]},
            TypeError,
            "FromClusterers expects clusterer",
        ),
        (
            {"generator": [KMeans()], "n_members": 4},
            ValueError,
            "n_members=4, but FromClusterers decides how many members it makes",
        ),
        ({"n_members": 0}, ValueError, "'n_members' parameter of EnsembleClustering"),
    ],
)
def test_what_makes_no_members(params, error, text):
    with pytest.raises(error, match=text):
        EnsembleClustering(4, **params).fit(X)
