"""WOEC and WOKMeans as a user meets them."""

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler

from coterie import WOEC, Ensemble, WOKMeans
from coterie.consensus import WOHB, WOMC, WOSP
from coterie.datasets import make_toy1, make_toy2, make_toy3
from coterie.exceptions import UnscaledDataWarning
from coterie.generation import MixedKMeans
from coterie.metrics import ari
from coterie.weighting import DifficultyWeighter

pytest.importorskip("pymetis")

X, Y = make_toy2(100, random_state=0)
FORMS = {"meta": WOMC, "similarity": WOSP, "bipartite": WOHB}


@pytest.mark.parametrize("form", FORMS)
def test_it_is_its_parts(form):
    model = WOEC(3, consensus=form, random_state=0).fit(X)
    parts = model.parts(len(X))
    assert isinstance(parts.generator, MixedKMeans)
    assert isinstance(parts.weighter, DifficultyWeighter)
    assert isinstance(parts.consensus, FORMS[form])
    assert set(model.ensemble_.n_clusters_per_member) == {3}
    assert ari(Y, model.labels_) > 0.8
    assert model.weights_.samples.shape == (300,)


def test_data_are_standardized_and_constant_features_guarded():
    stretched = np.column_stack([X * [1000.0, 0.001], np.full(300, 7.0)])
    plain = WOEC(3, n_members=10, random_state=0).fit(np.c_[X, np.full(300, 7.0)])
    model = WOEC(3, n_members=10, random_state=0).fit(stretched)
    assert np.isfinite(model.scaler_.transform(stretched)).all()
    assert ari(model.labels_, plain.labels_) > 0.95
    assert (model.predict(stretched) == model.labels_).mean() > 0.9
    with pytest.warns(UnscaledDataWarning, match="column 0 has 99.9% of the variance"):
        raw = WOEC(3, n_members=10, standardize=False, random_state=0).fit(stretched)
    assert not hasattr(raw, "scaler_")
    assert ari(Y, raw.labels_) < ari(Y, model.labels_)


def test_recut():
    model = WOEC(3, n_members=10, random_state=0).fit(X)
    np.testing.assert_array_equal(model.recut(3).labels_, model.labels_)
    two = model.recut(2)
    assert two.labels_.max() == 1
    assert two.predict(X).max() == 1


def test_unweighted():
    model = WOEC(3, n_members=10, weighted=False, random_state=0).fit(X)
    assert model.weights_ is None


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("data", "k"),
    [
        (np.ones((8, 2)), 2),
        (np.arange(6.0)[:, None], 3),
        (np.array([[1.0, 2.0]]), 1),
        (np.repeat([[0.0], [1.0]], 10, axis=0), 2),
        (np.arange(10.0)[:, None], 10),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_tiny_and_degenerate_data(form, data, k):
    model = WOEC(k, consensus=form, n_members=6, random_state=0).fit(data)
    assert model.labels_.max() < k
    assert np.isfinite(model.confidence_).all()


def test_wokmeans_with_an_ensemble_of_ones_own():
    made = WOKMeans(3, n_members=10, random_state=0).fit(X)
    given = WOKMeans(3, ensemble=made.ensemble_, random_state=0).fit(X)
    np.testing.assert_array_equal(given.labels_, made.labels_)
    labels_only = WOKMeans(3, ensemble=Ensemble(made.ensemble_.labels), random_state=0)
    np.testing.assert_array_equal(labels_only.fit(X).labels_, made.labels_)
    np.testing.assert_array_equal(labels_only.predict(X), made.labels_)
    with pytest.raises(ValueError, match="an ensemble of 300 samples and data of 90"):
        given.fit(X[:90])


def test_wokmeans_centres_move_towards_hard_samples():
    model = WOKMeans(3, n_members=20, random_state=0).fit(X)
    Z = StandardScaler().fit_transform(X)
    w = model.weights_.samples
    middle, shifts = Z[w.argmax()], []
    for c in range(3):
        own = model.labels_ == c
        np.testing.assert_allclose(
            model.cluster_centers_[c], np.average(Z[own], axis=0, weights=w[own])
        )
        plain = Z[own].mean(axis=0)
        shifts.append((model.cluster_centers_[c] - plain) @ (middle - plain))
    assert max(shifts) > 0.05
    assert min(shifts) > -1e-12
    np.testing.assert_array_equal(model.predict(X), model.labels_)


def test_one_cluster():
    model = WOKMeans(1, n_members=6, random_state=0).fit(X)
    Z = StandardScaler().fit_transform(X)
    mean = np.average(Z, axis=0, weights=model.weights_.samples)
    np.testing.assert_allclose(model.cluster_centers_, mean[None, :])
    np.testing.assert_array_equal(model.predict(X), 0)
    np.testing.assert_array_equal(WOEC(1, n_members=6).fit_predict(X), 0)


def test_toys_are_what_the_text_says():
    X1, y1 = make_toy1(20_000, random_state=0)
    np.testing.assert_allclose(
        [X1[y1 == c].mean(axis=0) for c in range(3)],
        [(-10, 10), (10, 10), (0, 0)],
        atol=0.1,
    )
    np.testing.assert_allclose(np.cov(X1[y1 == 0].T), 10 * np.eye(2), atol=0.3)
    X2, y2 = make_toy2(20_000, random_state=0)
    for c, center, r in ((0, (-4, 6), 3), (1, (4, 6), 3), (2, (0, 0), 4)):
        radii = np.linalg.norm(X2[y2 == c] - center, axis=1)
        assert radii.max() <= r
        np.testing.assert_allclose((radii < r / 2).mean(), 0.25, atol=0.01)
    X3, y3 = make_toy3(20_000, random_state=0)
    np.testing.assert_allclose(X3[y3 == 2].mean(axis=0), (0, 16.281), atol=0.1)
    np.testing.assert_allclose(np.cov(X3[y3 == 4].T), 5 * np.eye(2), atol=0.2)
    for make, n in ((make_toy1, 450), (make_toy2, 900), (make_toy3, 1500)):
        assert make(random_state=1)[0].shape == (n, 2)
        np.testing.assert_array_equal(make(random_state=1)[0], make(random_state=1)[0])


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"consensus": "wosp"}, "'consensus' parameter of WOEC must be"),
        ({"standardize": "yes"}, "'standardize' parameter of WOEC must be"),
        ({"bandwidth": -1}, "'bandwidth' parameter of WOSP must be"),
        ({"sample_ratio": 2.0}, "'sample_ratio' parameter of MixedKMeans must be"),
    ],
)
def test_bad_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        WOEC(3, n_members=4, **params).fit(X)
