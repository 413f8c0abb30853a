"""Core clusters of the paper's example, and distances between them."""

import numpy as np
import oracles
import pytest
import scipy.sparse as sp

from coterie import Ensemble
from coterie.ensemble import Member
from coterie.ensemble import _core_distances as module
from coterie.ensemble._core_distances import METRICS, core_distances

RNG = np.random.default_rng(1)
X = RNG.normal(size=(30, 6)) + 3.0
X[4] = X[5] = 0.0
LABELS = RNG.integers(0, 3, size=(30, 3))
FEATURES = [np.array([0, 2, 5]), np.array([1, 2, 3, 4]), None]
ENSEMBLE = Ensemble(LABELS, [Member(features=f) for f in FEATURES])
VIEWS = [X if f is None else X[:, f] for f in FEATURES]


def test_core_clusters_of_table_1():
    members = [[1, 1, 1, 2, 2, 2, 2], [1, 1, 2, 2, 2, 3, 3], [1, 1, 1, 2, 2, 3, 3]]
    core = Ensemble(members).core
    assert core.index.tolist() == [0, 0, 1, 2, 2, 3, 3]  # o1, o1, o2, o3, o3, o4, o4
    assert core.counts.tolist() == [2, 1, 2, 2]
    # o1 and o2 make the first cluster of S1, o3 and o4 the second.
    assert core.rows[:, 0].tolist() == [0, 0, 1, 1]
    samples = oracles.core_clusters(np.array(members).T)
    assert samples == [[0, 1], [2], [3, 4], [5, 6]]


@pytest.mark.parametrize("tile", [4, 1024])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_array])
@pytest.mark.parametrize("scaled", [True, False])
@pytest.mark.parametrize("metric", METRICS)
def test_distances(metric, scaled, make, tile, monkeypatch):
    monkeypatch.setattr(module, "_TILE", tile)
    cores = oracles.core_clusters(ENSEMBLE.labels)
    found = list(
        core_distances(ENSEMBLE, make(X), metric, scaled=scaled, who="The test")
    )
    assert [one.cluster for one in found] == list(range(ENSEMBLE.n_total_clusters))
    for one in found:
        view = VIEWS[one.member]
        unit = oracles.mean_distance(view, metric) if scaled else 1.0
        code = one.cluster - ENSEMBLE.offsets[one.member]
        inside = [
            a for a, o in enumerate(cores) if ENSEMBLE.labels[o[0], one.member] == code
        ]
        assert one.cores.tolist() == inside
        expected = [
            [oracles.ccs(view, cores[a], cores[b], metric) / unit for b in inside]
            for a in inside
        ]
        np.testing.assert_allclose(one.distances, expected, rtol=1e-7, atol=1e-7)


@pytest.mark.parametrize("metric", METRICS)
def test_missing_labels_belong_to_no_cluster(metric):
    labels = LABELS.copy()
    labels[:10, 0] = -1
    found = core_distances(Ensemble(labels), X, metric, scaled=True, who="The test")
    core = Ensemble(labels).core
    for one in found:
        assert (core.rows[one.cores, one.member] >= 0).all()


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("data", [np.ones((4, 2)), np.zeros((4, 2))])
def test_samples_that_coincide(metric, data):
    ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    for one in core_distances(ensemble, data, metric, scaled=True, who="The test"):
        assert np.isfinite(one.distances).all()


def test_large_offsets_do_not_hurt():
    near = list(core_distances(ENSEMBLE, X, "euclidean", scaled=True, who="x"))
    far = list(core_distances(ENSEMBLE, X + 1e6, "euclidean", scaled=True, who="x"))
    for a, b in zip(near, far, strict=True):
        np.testing.assert_allclose(a.distances, b.distances, rtol=1e-6, atol=1e-6)


def test_data_that_do_not_fit():
    with pytest.raises(ValueError, match=r"Who got X of 29 rows .* 30 samples. Pass"):
        next(core_distances(ENSEMBLE, X[1:], "cosine", scaled=True, who="Who"))
    with pytest.raises(ValueError, match=r"X of 5 features, but a member .* feature 5"):
        next(core_distances(ENSEMBLE, X[:, 1:], "cosine", scaled=True, who="Who"))
    with pytest.raises(ValueError, match="NaN"):
        next(core_distances(ENSEMBLE, X * np.nan, "cosine", scaled=True, who="Who"))
