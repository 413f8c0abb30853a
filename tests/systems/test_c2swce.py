"""C2SWCE: the composition of its paper, on data kind and unkind."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from coterie import C2SWCE
from coterie.consensus import (
    CoreBipartite,
    CoreLinkage,
    CoreMetaClusters,
    CoreSpectral,
)
from coterie.generation import LaplacianSubspaceSpectral
from coterie.metrics import ari, nmi
from coterie.weighting import CoreStabilityWeighter

X, Y = make_blobs(120, n_features=20, centers=4, cluster_std=2.0, random_state=0)
FORMS = ["hc", "sc", "bg", "mc"]


@pytest.mark.parametrize(
    ("form", "consensus", "levels"),
    [
        ("hc", CoreLinkage, "members"),
        ("sc", CoreSpectral, "members"),
        ("bg", CoreBipartite, "both"),
        ("mc", CoreMetaClusters, None),
    ],
)
def test_it_is_the_composition_of_its_parts(form, consensus, levels):
    model = C2SWCE(4, consensus=form, n_members=10, random_state=3).fit(X)
    for_members, for_consensus = np.random.SeedSequence(3).spawn(2)
    ensemble = LaplacianSubspaceSpectral().generate(X, seed=for_members)
    weights = None
    if levels is not None:
        weights = CoreStabilityWeighter(levels=levels).weigh(ensemble, X=X)
    result = consensus().combine(ensemble, 4, weights=weights, X=X, seed=for_consensus)
    np.testing.assert_array_equal(model.ensemble_.labels, ensemble.labels)
    np.testing.assert_array_equal(model.labels_, result.labels)
    assert model.ensemble_.n_members == 10
    assert ari(Y, model.labels_) > 0.95


@pytest.mark.parametrize(
    ("n_samples", "expected"),
    [(None, 10), (10_000, 10), (500, 10), (499, 11), (200, 25), (72, 50), (2, 50)],
)
def test_few_samples_get_more_members(n_samples, expected):
    assert C2SWCE(4).parts(n_samples).generator.n_members == expected
    assert C2SWCE(4, n_members=7).parts(n_samples).generator.n_members == 7


def test_parameters_reach_the_parts():
    model = C2SWCE(
        4,
        consensus="hc",
        n_members=6,
        subspace_ratio=0.5,
        selection_ratio=0.5,
        order="largest",
        graph="gaussian",
        n_neighbors=7,
        member_clusters=(3, 5),
        similarity="distance",
        metric="manhattan",
        scale=None,
        unit="samples",
        random_state=0,
    )
    generator, weighter, consensus = model.parts()
    assert generator.order == "largest"
    assert (weighter.metric, weighter.scale) == ("manhattan", None)
    assert (consensus.metric, consensus.scale) == ("manhattan", None)
    assert (consensus.similarity, consensus.unit) == ("distance", "samples")
    for member in model.fit(X).ensemble_.members:
        assert member.features.size == 5
        assert member.params["n_neighbors"] == 7
        assert 3 <= member.params["n_clusters"] <= 5


def test_unweighted():
    assert C2SWCE(4, weighted=False, random_state=0).fit(X).weights_ is None
    assert C2SWCE(4, consensus="mc", random_state=0).fit(X).weights_ is None


@pytest.mark.parametrize("form", FORMS)
def test_recut_and_predict(form):
    model = C2SWCE(4, consensus=form, random_state=0).fit(X)
    assert np.mean(model.predict(X) == model.labels_) > 0.95
    assert model.recut(2).labels_.max() == 1
    np.testing.assert_array_equal(model.recut(4).labels_, model.labels_)


@pytest.mark.parametrize("form", FORMS)
def test_one_member_and_one_cluster(form):
    one = C2SWCE(3, consensus=form, n_members=1, member_clusters=(5, 5), random_state=0)
    assert one.fit(X).labels_.max() == 2
    assert C2SWCE(1, consensus=form, random_state=0).fit(X).labels_.max() == 0


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "cosine"])
@pytest.mark.parametrize("form", ["hc", "sc", "bg"])
def test_metrics(form, metric):
    model = C2SWCE(4, consensus=form, metric=metric, random_state=0)
    assert ari(Y, model.fit_predict(X)) > 0.9


HARD = {
    "falls apart": np.vstack([np.full((10, 6), 1e6 * i) for i in range(5)])
    + np.random.default_rng(0).normal(size=(50, 6)),
    "duplicate rows": np.repeat(X[:25], 4, axis=0),
    "constant features": np.hstack([X[:60], np.ones((60, 30))]),
    "N = 30": X[:30],
    "five samples": X[:5],
    "one feature": X[:, :1],
    "huge values": X * 1e12,
    "tiny values": X * 1e-12,
    "sparse": sp.csr_array(np.where(np.abs(X) > 5, X, 0.0)),
    "float32": X.astype(np.float32),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("name", HARD)
def test_hard_data(name, form):
    data = HARD[name]
    k = min(3, data.shape[0] - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model = C2SWCE(k, consensus=form, n_members=10, random_state=0).fit(data)
    assert model.labels_.max() == k - 1
    assert np.isfinite(model.confidence_).all()
    assert (model.ensemble_.n_clusters_per_member > 1).all()  # no constant member


@pytest.mark.parametrize("form", FORMS)
def test_more_clusters_than_core_clusters(form):
    data = np.repeat(X[:4], 10, axis=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = C2SWCE(30, consensus=form, random_state=0).fit(data)
    assert model.labels_.max() + 1 <= len(model.ensemble_.core)


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"consensus": "xx"}, "'consensus' parameter of C2SWCE"),
        ({"similarity": "ccs"}, "'similarity' parameter of C2SWCE"),
        ({"metric": "l1"}, "'metric' parameter of C2SWCE"),
        ({"scale": "max"}, "'scale' parameter of C2SWCE"),
        ({"unit": "rows"}, "'unit' parameter of C2SWCE"),
        ({"n_clusters": 121}, "n_clusters=121, but there are only n_samples=120"),
    ],
)
def test_bad_parameters_come_before_any_work(params, text, monkeypatch):
    def work(*args, **kwargs):
        raise AssertionError("work began")

    monkeypatch.setattr("coterie.generation._base.run_members", work)
    with pytest.raises(ValueError, match=text):
        C2SWCE(**params).fit(X)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "form", "least"),
    [("yeoh2002v1", "hc", 88.0), ("yeoh2002v1", "bg", 88.0), ("semeion", "hc", 67.0)],
)
def test_figures_on_real_data(name, form, least, real_data):
    """Means over three seeds; experiments/results/c2swce.md has them over twenty."""
    data = np.load(real_data / f"{name}.npz")
    k = len(np.unique(data["y"]))
    found = [
        nmi(
            data["y"],
            C2SWCE(k, consensus=form, random_state=s).fit_predict(data["X"]),
            average="max",
        )
        for s in range(3)
    ]
    assert 100 * np.mean(found) > least
