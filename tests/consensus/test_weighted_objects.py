"""WOMC, WOSP, WOHB and WOKM against the paper's equations."""

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import coterie
from coterie import Ensemble, Weights
from coterie.consensus import CSPA, HBGF, HGPA, WOHB, WOKM, WOMC, WOSP
from coterie.consensus._base import Task
from coterie.consensus._partitioning import strongest_participation
from coterie.consensus._products import jaccard
from coterie.consensus._weighted_objects import (
    probabilities,
    unit_descriptions,
    weighted_centers,
)
from coterie.exceptions import ClusterSizesWarning
from coterie.generation import MixedKMeans
from coterie.metrics import ari
from coterie.weighting import DifficultyWeighter

pytest.importorskip("pymetis")
pytest.importorskip("mtkahypar")

X, Y = make_blobs(60, n_features=3, centers=3, cluster_std=1.5, random_state=3)
ENSEMBLE = MixedKMeans(6, n_clusters=(2, 4)).generate(X, seed=0)
WEIGHTS = DifficultyWeighter().weigh(ENSEMBLE)


def test_jaccard_is_eq_5():
    expected = oracles.weighted_jaccard(ENSEMBLE.labels, WEIGHTS.samples)
    found = jaccard(ENSEMBLE, np.bincount(ENSEMBLE.core.index, WEIGHTS.samples))
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_example_of_fig_3():
    # five shared samples of weights .8 .8 .8 .2 .6; five others of .8 .2 .2 .2 .4
    w = np.array([0.8, 0.8, 0.8, 0.2, 0.6, 0.8, 0.2, 0.2, 0.2, 0.4])
    first = [0] * 5 + [0, 0, 1, 1, 1]
    second = [0] * 5 + [1, 1, 0, 0, 0]
    ensemble = Ensemble([first, second])
    S = jaccard(ensemble, np.bincount(ensemble.core.index, w))
    np.testing.assert_allclose(S[0, 2], 0.64)
    np.testing.assert_allclose(jaccard(ensemble)[0, 2], 0.5)


def spectral(S, k):
    """Return the k-means labels of the normalised cut of a graph, (n,)."""
    root = np.sqrt(S.sum(axis=1))
    U = np.linalg.eigh(S / np.outer(root, root))[1][:, -k:]
    U /= np.linalg.norm(U, axis=1, keepdims=True)
    return KMeans(k, n_init=5, random_state=0).fit_predict(U)


def test_spectral_cuts_are_those_of_the_same_graphs():
    P = probabilities(ENSEMBLE, WEIGHTS, X, "member", "WOSP")
    Q = unit_descriptions(P, ENSEMBLE.offsets)
    C = P.shape[1]
    similarity = WOSP(partition="spectral").combine(
        ENSEMBLE, 3, X=X, weights=WEIGHTS, seed=0
    )
    assert ari(spectral(Q @ Q.T, 3), similarity.labels) == 1.0
    bipartite = WOHB(partition="spectral").combine(
        ENSEMBLE, 3, X=X, weights=WEIGHTS, seed=0
    )
    # On samples alone, the two-sided cut is that of P D^-1 P^T.
    assert ari(spectral(P @ np.diag(1 / P.sum(axis=0)) @ P.T, 3), bipartite.labels) == 1
    S = jaccard(ENSEMBLE, np.bincount(ENSEMBLE.core.index, WEIGHTS.samples))
    meta = spectral(S + np.eye(C), 3)
    task = Task(ENSEMBLE, 3, WEIGHTS, None, np.random.default_rng(0))
    expected = strongest_participation(task, meta)
    found = WOMC(partition="spectral").combine(ENSEMBLE, 3, weights=WEIGHTS, seed=0)
    assert ari(expected, found.labels) > 0.9  # ties are broken at random


UNEQUAL, KINDS_OF = make_blobs([200, 80, 40], n_features=3, random_state=1)
UNEQUAL_MEMBERS = MixedKMeans(10, n_clusters=3).generate(UNEQUAL, seed=0)


@pytest.mark.parametrize("method", [WOSP, WOHB])
def test_unequal_classes(method):
    """Balance is forced and said, or not forced."""
    with pytest.warns(ClusterSizesWarning, match=r"200, 80 and 40 samples"):
        equal = method().combine(UNEQUAL_MEMBERS, 3, X=UNEQUAL, seed=0)
    assert np.bincount(equal.labels).max() < 130
    free = method(partition="spectral").combine(UNEQUAL_MEMBERS, 3, X=UNEQUAL, seed=0)
    assert ari(KINDS_OF, free.labels) == 1.0


@pytest.mark.parametrize("method", [CSPA(), HBGF(partition="metis"), HGPA()])
def test_balance_is_said_by_all_that_force_it(method):
    with pytest.warns(ClusterSizesWarning, match=f"{type(method).__name__} makes"):
        method.combine(UNEQUAL_MEMBERS, 3, seed=0)
    method.imbalance = 1.0  # nothing is forced, nothing is said
    method.combine(UNEQUAL_MEMBERS, 3, seed=0)


@pytest.mark.parametrize("bandwidth", ["member", "first", 3.5])
def test_probabilities_are_eqs_6_to_9(bandwidth):
    expected = oracles.woec_probabilities(
        X, ENSEMBLE.labels, WEIGHTS.samples, bandwidth
    )
    found = probabilities(ENSEMBLE, WEIGHTS, X, bandwidth, "test")
    np.testing.assert_allclose(found, np.hstack(expected), atol=1e-12)


def test_probabilities_far_from_the_origin_are_the_same():
    near = probabilities(ENSEMBLE, WEIGHTS, X, "member", "test")
    far = probabilities(ENSEMBLE, WEIGHTS, X + 1e8, "member", "test")
    np.testing.assert_allclose(far, near, atol=1e-6)


@pytest.mark.parametrize("bandwidth", ["member", "first"])
def test_similarity_is_eqs_10_and_11(bandwidth):
    P = probabilities(ENSEMBLE, WEIGHTS, X, bandwidth, "test")
    Q = unit_descriptions(P, ENSEMBLE.offsets)
    S = oracles.woec_similarity(X, ENSEMBLE.labels, WEIGHTS.samples, bandwidth)
    np.testing.assert_allclose(Q @ Q.T, S, atol=1e-12)


def test_objective_of_wosp_is_the_cut_of_s():
    result = WOSP().combine(ENSEMBLE, 3, weights=WEIGHTS, X=X, seed=0)
    S = oracles.woec_similarity(X, ENSEMBLE.labels, WEIGHTS.samples, "member")
    apart = result.labels[:, None] != result.labels
    np.testing.assert_allclose(result.objective, S[apart].sum() / 2, rtol=1e-5)
    assert result.details["balance"] < 1.06


def test_samples_choose_by_their_unweighted_share():
    ensemble = Ensemble([[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]])
    meta = np.array([0, 1, 0, 1, 0, 1])
    task = Task(ensemble, 2, Weights(), None, np.random.default_rng(0))
    found = strongest_participation(task, meta)
    np.testing.assert_array_equal(found, [0, 0, 1, 1])


def test_ties_are_broken_at_random_by_the_seed():
    ensemble = Ensemble([[0, 0, 1, 1] * 20, [0, 1, 0, 1] * 20])
    meta = np.array([0, 1, 0, 1])
    draws = set()
    for seed in range(20):
        task = Task(ensemble, 2, Weights(), None, np.random.default_rng(seed))
        draws.add(tuple(strongest_participation(task, meta)[:4]))
    assert {d[0] for d in draws} == {0}
    assert {d[3] for d in draws} == {1}
    assert {d[1] for d in draws} == {0, 1}


@pytest.mark.parametrize("part", [WOSP(), WOHB(), WOKM()])
class TestData:
    def combine(self, part, data, **more):
        return part.combine(ENSEMBLE, 3, weights=WEIGHTS, X=data, seed=0, **more).labels

    def test_data_of_many_kinds(self, part):
        expected = self.combine(part, X)
        frozen = X.copy()
        frozen.flags.writeable = False
        for data in (frozen, np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
            np.testing.assert_array_equal(self.combine(part, data), expected)
        for data in (X.tolist(), X.astype(np.float32), sp.csr_array(X)):
            assert ari(self.combine(part, data), expected) > 0.9

    def test_far_from_the_origin(self, part):
        assert ari(self.combine(part, X + 1e6), self.combine(part, X)) > 0.95

    def test_coinciding_samples(self, part):
        if isinstance(part, WOKM):
            pytest.skip("k-means finds one cluster in one point")
        labels = self.combine(part, np.ones((60, 2)))
        assert labels.max() == 2

    def test_bad_data(self, part):
        who = type(part).__name__
        with pytest.raises(ValueError, match=f"{who} needs the data X"):
            part.combine(ENSEMBLE, 3)
        with pytest.raises(
            ValueError, match=f"{who} got data of 59 samples for an ens"
        ):
            part.combine(ENSEMBLE, 3, X=X[1:])
        with pytest.raises(ValueError, match="NaN"):
            part.combine(ENSEMBLE, 3, X=np.full((60, 2), np.nan))


def test_a_cluster_without_weight_has_its_plain_mean():
    samples = np.where(ENSEMBLE.labels[:, 0] == 0, 0.0, 1.0)
    centers = weighted_centers(ENSEMBLE, samples, X)
    np.testing.assert_allclose(centers[0], X[ENSEMBLE.labels[:, 0] == 0].mean(axis=0))
    other = ENSEMBLE.labels[:, 0] == 1
    np.testing.assert_allclose(centers[1], X[other].mean(axis=0))
    P = probabilities(ENSEMBLE, Weights(samples=samples), X, "member", "test")
    assert np.isfinite(P).all()


def test_a_narrow_bandwidth_is_no_division_by_zero():
    P = probabilities(ENSEMBLE, WEIGHTS, X * 1e4, 1e-3, "test")
    sums = np.add.reduceat(P, ENSEMBLE.offsets[:-1], axis=1)
    np.testing.assert_allclose(sums, 1.0)


def test_wokm_is_weighted_k_means():
    result = WOKM().combine(ENSEMBLE, 3, weights=WEIGHTS, X=X, seed=0)
    w, centers = WEIGHTS.samples, result.details["centers"]
    for c in range(3):
        own = result.labels == c
        mean = np.average(X[own], axis=0, weights=w[own])  # Eq. 13
        np.testing.assert_allclose(centers[c], mean)
    nearest = oracles.squared_distances(X, centers).argmin(axis=1)
    np.testing.assert_array_equal(nearest, result.labels)


@pytest.mark.parametrize("method", ["womc", "wosp", "wohb", "wokm"])
def test_combine_takes_the_weights_of_the_paper(method):
    part = {"womc": WOMC, "wosp": WOSP, "wohb": WOHB, "wokm": WOKM}[method]()
    found = coterie.combine(ENSEMBLE, 3, method, X=X, random_state=0)
    expected = part.combine(ENSEMBLE, 3, weights=WEIGHTS, X=X, seed=0).labels
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("bandwidth", [0, -1.0, "all", None])
def test_bad_bandwidth(bandwidth):
    for part in (WOSP(bandwidth), WOHB(bandwidth)):
        with pytest.raises(ValueError, match="'bandwidth' parameter of WO"):
            part.combine(ENSEMBLE, 3, X=X)


def test_missing_labels():
    labels = ENSEMBLE.labels.copy()
    labels[np.random.default_rng(0).random(labels.shape) < 0.3] = -1
    labels[:, 0] = ENSEMBLE.labels[:, 0]
    for part in (WOMC(), WOSP(), WOHB(), WOKM()):
        weights = DifficultyWeighter().weigh(labels)
        found = part.combine(labels, 3, weights=weights, X=X, seed=0).labels
        assert ari(Y, found) > 0.6
