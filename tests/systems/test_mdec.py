"""MDEC: the composition of its paper, on data kind and unkind."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from coterie import MDEC
from coterie.consensus import LWEA, LWGP, CoassociationSpectral
from coterie.exceptions import UnsuitableMethodWarning
from coterie.generation import MetricSubspaceSpectral
from coterie.metrics import ari, nmi
from coterie.weighting import EntropyWeighter

X, Y = make_blobs(120, n_features=20, centers=4, cluster_std=2.0, random_state=0)


@pytest.mark.parametrize(
    ("form", "consensus"), [("hc", LWEA), ("sc", CoassociationSpectral), ("bg", LWGP)]
)
def test_it_is_the_composition_of_its_parts(form, consensus):
    model = MDEC(4, consensus=form, n_members=15, random_state=3).fit(X)
    for_members, for_consensus = np.random.SeedSequence(3).spawn(2)
    ensemble = MetricSubspaceSpectral(15).generate(X, seed=for_members)
    weights = EntropyWeighter(theta=1.0).weigh(ensemble)
    result = consensus().combine(ensemble, 4, weights=weights, seed=for_consensus)
    np.testing.assert_array_equal(model.ensemble_.labels, ensemble.labels)
    np.testing.assert_array_equal(model.labels_, result.labels)
    assert ari(Y, model.labels_) > 0.95


def test_unweighted():
    model = MDEC(4, n_members=10, weighted=False, random_state=0).fit(X)
    assert model.weights_ is None


def test_parameters_reach_the_members():
    model = MDEC(
        4,
        n_members=12,
        subspace_ratio=0.25,
        mu_range=(0.5, 0.5),
        neighbors_range=(7, 7),
        member_clusters=(3, 5),
        random_state=0,
    ).fit(X)
    for member in model.ensemble_.members:
        assert member.features.size == 5
        assert member.params["mu"] == 0.5
        assert member.params["n_neighbors"] == 7
        assert 3 <= member.params["n_clusters"] <= 5


@pytest.mark.parametrize("kernel", ["density", "exponential"])
@pytest.mark.parametrize("metric", ["euclidean", "cosine", "correlation", "spearman"])
def test_kernels_and_metrics(kernel, metric):
    model = MDEC(4, n_members=10, kernel=kernel, metric=metric, random_state=0)
    assert ari(Y, model.fit_predict(X)) > 0.8


def test_predict():
    model = MDEC(4, n_members=15, random_state=0).fit(X)
    assert np.mean(model.predict(X) == model.labels_) > 0.95


HARD = {
    "falls apart": np.vstack([np.full((10, 6), 1e6 * i) for i in range(5)])
    + np.random.default_rng(0).normal(size=(50, 6)),
    "duplicate rows": np.repeat(X[:25], 4, axis=0),
    "all rows in pairs": np.repeat(X[:40], 2, axis=0),
    "constant features": np.hstack([X[:60], np.ones((60, 30))]),
    "N = 30": X[:30],
    "fewer samples than neighbours": X[:6],
    "three samples": X[:3],
    "one feature": X[:, :1],
    "huge values": X * 1e12,
    "tiny values": X * 1e-12,
    "sparse": sp.csr_array(np.where(np.abs(X) > 5, X, 0.0)),
}


@pytest.mark.slow
@pytest.mark.parametrize("form", ["hc", "sc", "bg"])
@pytest.mark.parametrize("name", HARD)
def test_hard_data(name, form):
    data = HARD[name]
    k = min(3, data.shape[0] - 1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UnsuitableMethodWarning)
        model = MDEC(k, consensus=form, n_members=12, random_state=0).fit(data)
    assert model.labels_.max() == k - 1
    assert np.isfinite(model.confidence_).all()
    assert (model.ensemble_.n_clusters_per_member > 1).all()  # no constant member


def test_a_graph_that_falls_apart_is_found():
    model = MDEC(5, n_members=12, random_state=0).fit(HARD["falls apart"])
    assert ari(np.repeat(np.arange(5), 10), model.labels_) == 1.0


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "form", "printed", "sd"),
    [
        ("yeoh2002v1", "hc", 94.35, 2.49),
        ("yeoh2002v1", "sc", 92.91, 2.50),
        ("yeoh2002v1", "bg", 93.64, 2.13),
        ("coil20", "hc", 91.66, 0.75),
    ],
)
def test_printed_figures(name, form, printed, sd, real_data):
    """Table III: within max(2 points, twice the printed sd), mean of three seeds."""
    data = np.load(real_data / f"{name}.npz")
    k = len(np.unique(data["y"]))
    found = [
        nmi(
            data["y"],
            MDEC(k, consensus=form, random_state=s, n_jobs=2).fit_predict(data["X"]),
            average="max",
        )
        for s in range(3)
    ]
    assert 100 * np.mean(found) > printed - max(2.0, 2 * sd)
