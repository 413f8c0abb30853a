"""Kept networks code new samples as networks that are grown again would."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs

from coterie import MBNEnsemble
from coterie._linalg import code_layer, draw_centroids
from coterie._linalg._kept_layers import KeptLayers, Layer, kept_bytes
from coterie.generation import BootstrapNetworks, _bootstrap_networks

X, _ = make_blobs(220, 9, centers=4, cluster_std=4.0, random_state=0)
X = X.astype(np.float32)
FIT, NEW = X[:200], X[200:]
SMALL = {"n_members": 4, "n_clusterings": 30, "random_state": 0}


@pytest.mark.parametrize("sizes", [(100, 70, 5), (100, 99, 80, 66, 64, 3), (60, 1)])
def test_kept_layers_code_as_whole_layers_do(sizes):
    rng = np.random.default_rng(0)
    bottom = rng.integers(0, sizes[0], (150, 40)).astype(np.uint16)
    bottom[75:] = bottom[:75]  # ties
    codes, layers = bottom, []
    for k in sizes[1:]:
        draws = draw_centroids(150, k, 40, rng)
        layers.append(Layer(codes, draws))
        codes = code_layer(codes, draws)
    kept = KeptLayers.with_room(150, 40, [sizes[:1], sizes])
    kept.fill(0, [])
    kept.fill(1, layers)
    for i in range(0, 150, 7):
        found = kept.codes(bottom[i])
        np.testing.assert_array_equal(found[0], bottom[i])  # no upper layer
        np.testing.assert_array_equal(found[1], codes[i])
    arrays = [a for name, a in vars(kept).items() if name in ("starts", "members")]
    arrays += [kept.ends, kept.entries]
    needed = sum(kept_bytes(150, 40, own) for own in (sizes[:1], sizes))
    assert sum(a.nbytes for a in arrays) == needed


def similarities(rows):
    distances = ((rows[:, None] - FIT[None]) ** 2).sum(axis=2)
    return sp.csr_matrix(np.where(distances < 150, np.exp(-distances / 100), 0.0))


@pytest.mark.parametrize(
    ("settings", "fit", "new"),
    [
        ({}, FIT, NEW),
        ({"feature_sampling": False}, FIT, NEW),
        ({"metric": "cosine"}, FIT, np.vstack([NEW, np.zeros_like(NEW[:1])])),
        ({}, np.round(FIT), np.round(NEW)),  # many equal distances
        ({}, FIT.astype(np.float64) + 1e4, NEW.astype(np.float64) + 1e4),
        ({"metric": "cosine"}, sp.csr_matrix(FIT), sp.csr_matrix(NEW)),
        ({"metric": "precomputed"}, similarities(FIT), similarities(NEW)),
        ({"delta_draw": "stratified", "last_layer": "append"}, FIT, NEW),
    ],
)
def test_codes_are_those_of_networks_grown_again(settings, fit, new):
    networks = BootstrapNetworks(3, 6, n_clusterings=30, **settings)
    kept = networks.keep(fit, seed=1)
    assert kept is not None
    slow = networks.extend(fit, new, seed=1)
    np.testing.assert_array_equal(kept.codes(new), slow)


@pytest.mark.parametrize("settings", [{}, {"selection": "vrc", "n_selected": 2}])
def test_predictions_are_those_of_networks_grown_again(settings, monkeypatch):
    model = MBNEnsemble(4, **settings, **SMALL).fit(FIT)
    labels, codes = model.predict(NEW), model.transform(NEW)
    assert model._fit_grown["networks"] is not None
    one_by_one = [model.predict(x[None])[0] for x in NEW]
    np.testing.assert_array_equal(labels, one_by_one)

    monkeypatch.setattr(_bootstrap_networks, "_MOST_KEPT", 0)
    slow = MBNEnsemble(4, **settings, **SMALL).fit(FIT)
    np.testing.assert_array_equal(slow.predict(NEW), labels)
    assert slow._fit_grown["networks"] is None
    assert (slow.transform(NEW) != codes).nnz == 0


def test_networks_are_kept_once_and_not_pickled(monkeypatch):
    model = MBNEnsemble(4, **SMALL).fit(FIT)
    labels = model.predict(NEW)
    copy = pickle.loads(pickle.dumps(model))
    assert copy._fit_grown == {}

    def refuse(*args, **kwargs):
        raise AssertionError("grown again")

    monkeypatch.setattr(BootstrapNetworks, "_network", refuse)
    np.testing.assert_array_equal(model.predict(NEW), labels)
    model.recut(3)  # may keep or drop them, but needs none
    with pytest.raises(AssertionError, match="grown again"):
        copy.predict(NEW)


def test_where_networks_are_not_kept(monkeypatch):
    assert BootstrapNetworks(2, 6, fast=False, n_clusterings=9).keep(FIT) is None
    assert BootstrapNetworks(2, 6, n_views=5, n_clusterings=9).keep(FIT) is None
    monkeypatch.setattr(_bootstrap_networks, "_EXACT_UP_TO", 100)
    assert BootstrapNetworks(2, 6, n_clusterings=9).keep(FIT) is None
