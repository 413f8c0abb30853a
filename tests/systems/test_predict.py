"""New samples: where they go, how sure that is, and how it was decided."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs, make_moons

from coterie import MBN, MDEC, SPCE, WOEC, Ensemble, EnsembleClustering, WOKMeans
from coterie.consensus import EAC
from coterie.generation import FromClusterers, RandomKMeans
from coterie.metrics import ari
from coterie.systems._predict import _NEIGHBORS

X, Y = make_blobs(240, n_features=5, centers=4, cluster_std=1.2, random_state=0)
TRAIN, NEW = X[::2], X[1::2]

SYSTEMS = [
    EnsembleClustering(4, generator=RandomKMeans(8), random_state=0),
    MDEC(4, n_members=8, random_state=0),
    SPCE(4, n_members=8, random_state=0),
    WOEC(4, n_members=8, random_state=0),
    WOKMeans(4, n_members=8, random_state=0),
    MBN(4, n_clusterings=40, random_state=0),
]
ids = [type(system).__name__ for system in SYSTEMS]


@pytest.mark.parametrize("system", SYSTEMS, ids=ids)
def test_every_system_places_new_samples(system):
    model = system.fit(TRAIN)
    placed = model.predict(NEW)
    assert placed.dtype == np.int32
    assert ari(Y[1::2], placed) > 0.9
    sure = model.predict_confidence(NEW)
    assert sure.shape == (120,)
    assert ((sure >= 0) & (sure <= 1)).all()
    assert 0.9 < model.predict_agreement_ <= 1
    assert model.predicts_by_ in {"means", "neighbors"}
    again = pickle.loads(pickle.dumps(model))
    np.testing.assert_array_equal(again.predict(NEW), placed)


def moons_model():
    """Curved clusters that means cannot follow, from members that are right."""
    data, y = make_moons(200, noise=0.04, random_state=0)
    return data, EnsembleClustering(
        2,
        generator=FromClusterers([_Known(y)] * 3),
        consensus=EAC(),
        random_state=0,
    )


class _Known:
    def __init__(self, y):
        self.y = y

    def get_params(self, deep=True):
        return {"y": self.y}

    def set_params(self, **params):
        return self

    def fit_predict(self, X, y=None):
        return self.y


def test_curved_clusters_go_by_neighbours():
    data, model = moons_model()
    model.fit(data)
    assert model.predicts_by_ == "neighbors"
    assert model.predict_agreement_ == 1.0
    np.testing.assert_array_equal(model.predict(data), model.labels_)


def test_round_clusters_of_means_go_by_means():
    model = EnsembleClustering(
        4, generator=RandomKMeans(8, n_clusters=4), random_state=0
    ).fit(TRAIN)
    assert model.predicts_by_ == "means"


def test_neighbours_vote_by_their_confidence():
    data, model = moons_model()
    model.fit(data)
    model.confidence_ = np.linspace(0.2, 1.0, 200)
    new = np.array([[0.5, 0.3]])
    nearest = np.argsort(((data - new) ** 2).sum(axis=1))[:_NEIGHBORS]
    votes = [
        model.confidence_[nearest][model.labels_[nearest] == c].sum() / _NEIGHBORS
        for c in range(2)
    ]
    assert model.predict(new)[0] == np.argmax(votes)
    assert model.predict_confidence(new)[0] == pytest.approx(max(votes))


def test_a_sample_is_not_its_own_neighbour_when_the_ways_are_tried():
    data = np.arange(12.0)[:, None] * 10
    labels = np.arange(12) % 2  # each sample lies between samples of the other cluster
    members = FromClusterers([_Known(labels)] * 2)
    model = EnsembleClustering(
        2, generator=members, consensus=EAC(), random_state=0
    ).fit(data)
    tried = model._votes_by_neighbors(data, without=np.arange(12)).argmax(axis=1)
    assert np.mean(tried == model.labels_) < 0.5


def test_duplicates_do_not_break_it():
    data = np.repeat([[0.0], [1.0], [9.0]], 8, axis=0)
    model = EnsembleClustering(3, generator=RandomKMeans(4), random_state=0).fit(data)
    assert np.isfinite(model.predict_confidence(data)).all()
    alone = EnsembleClustering(1, generator=RandomKMeans(2, n_clusters=1))
    assert alone.fit([[1.0, 2.0]]).predict([[0.0, 0.0]]).tolist() == [0]


def test_a_given_ensemble_has_no_means():
    members = Ensemble(np.column_stack([Y[::2], Y[::2] // 2]))
    model = WOKMeans(4, ensemble=members, random_state=0).fit(TRAIN)
    assert model.predicts_by_ == "neighbors"
    assert model.predict_agreement_ == np.mean(model.predict(TRAIN) == model.labels_)
    assert model.predict_confidence(NEW).min() >= 0


def test_sparse_after_dense_and_back():
    data = np.abs(TRAIN)
    for known, new in ((data, sp.csr_matrix(data)), (sp.csr_matrix(data), data)):
        model = EnsembleClustering(4, generator=RandomKMeans(4), random_state=0)
        model.fit(known)
        model._fit_trial = {"neighbors": 1.0}
        assert model.predict(new).shape == (120,)


def test_recut_learns_again():
    model = EnsembleClustering(4, generator=RandomKMeans(8), random_state=0).fit(TRAIN)
    other = model.recut(2)
    assert other.predict(NEW).max() == 1
    assert other.predict_agreement_ > 0.9
