"""The four consensus functions of C2SWCE against their formulas."""

import warnings

import numpy as np
import oracles
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from coterie import Ensemble, Weights
from coterie.consensus import (
    LWEA,
    CoassociationSpectral,
    CoreBipartite,
    CoreLinkage,
    CoreMetaClusters,
    CoreSpectral,
)
from coterie.ensemble import Member
from coterie.exceptions import FewerClustersWarning, MemoryLimitError
from coterie.metrics import ari
from coterie.weighting import CoreStabilityWeighter

METRICS = st.sampled_from(["euclidean", "manhattan", "cosine"])
SIMILARITIES = st.sampled_from(["exponential", "distance", "membership"])
UNITS = st.sampled_from(["cores", "samples"])
SEEDS = st.integers(0, 2**32 - 1)


def problem(seed):
    """Return an ensemble of members with their own features, and its data."""
    rng = np.random.default_rng(seed)
    n, M = int(rng.integers(12, 25)), int(rng.integers(2, 5))
    X = rng.normal(size=(n, 6))
    features = [np.sort(rng.choice(6, 4, replace=False)) for _ in range(M)]
    labels = rng.integers(0, 3, size=(n, M))
    labels[: n // 2] = labels[rng.integers(0, n // 2, size=n // 2)]  # duplicate rows
    ensemble = Ensemble(labels, [Member(features=f) for f in features])
    return ensemble, X, [X[:, f] for f in features], rng.random(M) + 0.1


def cores_of(ensemble):
    return [o[0] for o in oracles.core_clusters(ensemble.labels)]


@pytest.mark.slow
@given(SEEDS, METRICS, SIMILARITIES, UNITS, st.booleans())
def test_linkage_is_the_formula(seed, metric, similarity, unit, scaled):
    ensemble, X, views, w = problem(seed)
    scale = "mean" if scaled else None
    part = CoreLinkage(similarity, metric=metric, scale=scale, unit=unit)
    result = part.combine(ensemble, 2, weights=w, X=X)
    share = w / w.sum()
    A = oracles.core_similarity(
        ensemble.labels, views, share, metric, scaled, similarity
    )
    counts = ensemble.core.counts if unit == "samples" else np.ones(len(A))
    expected = oracles.linkage(A.max() - A, "average", counts)  # Eq. 18
    found = result.details["core_linkage"][:, 2]
    np.testing.assert_allclose(
        np.diff(found), np.diff(expected[:, 2]), atol=1e-5 * max(1.0, A.max())
    )


@given(SEEDS, METRICS, SIMILARITIES, UNITS)
def test_spectral_is_the_formula(seed, metric, similarity, unit):
    ensemble, X, views, w = problem(seed)
    A = oracles.core_similarity(
        ensemble.labels, views, w / w.sum(), metric, True, similarity
    )
    first = cores_of(ensemble)
    if unit == "samples":
        index = ensemble.core.index
        A, first = A[np.ix_(index, index)], np.arange(ensemble.n_samples)
    k = 2
    d = A.sum(axis=1)
    values = np.linalg.eigvalsh(A / np.sqrt(np.outer(d, d)))[::-1]
    assume(values[k - 1] - values[k] > 1e-2)  # or eigenvectors are not determined
    part = CoreSpectral(similarity, metric=metric, unit=unit)
    result = part.combine(ensemble, k, weights=w, X=X, seed=0)
    U = oracles.normalised_cut_embedding(A, k)
    found = result.details["embedding"][first]
    np.testing.assert_allclose(found @ found.T, U @ U.T, atol=2e-3)


@given(SEEDS, UNITS)
def test_bipartite_is_the_formula(seed, unit):
    ensemble, X, _, _ = problem(seed)
    weights = CoreStabilityWeighter().weigh(ensemble, X=X)
    E = oracles.stacked_bipartite(ensemble.labels, weights.per_cluster(ensemble), unit)
    left, right = E.sum(axis=1), E.sum(axis=0)
    U, values, _ = np.linalg.svd(E / np.sqrt(np.outer(left, right)))
    k = 3
    assume(values[k - 1] - values[k] > 1e-2)  # or eigenvectors are not determined
    # The normalised cut of the whole graph, on the side of the core clusters.
    points = U[:, :k] / np.sqrt(left)[:, None]
    points *= values[:k] / values[:k].max()  # the lift does not divide by these
    points /= np.linalg.norm(points, axis=1, keepdims=True)
    result = CoreBipartite(unit=unit).combine(ensemble, k, weights=weights, seed=0)
    found = result.details["embedding"][cores_of(ensemble)]
    counts = ensemble.core.counts if unit == "samples" else np.ones(len(found), int)
    at = np.concatenate([[0], np.cumsum(counts)[:-1]])
    np.testing.assert_allclose(found @ found.T, points[at] @ points[at].T, atol=1e-5)


def test_bipartite_weights_are_those_of_members_times_clusters():
    ensemble, X, _, _ = problem(3)
    weights = CoreStabilityWeighter().weigh(ensemble, X=X)
    spread = np.repeat(weights.members, ensemble.n_clusters_per_member)
    expected = spread * weights.clusters  # Eq. 26
    np.testing.assert_allclose(weights.per_cluster(ensemble), expected)


@given(SEEDS, UNITS)
def test_meta_clusters_are_the_formula(seed, unit):
    ensemble, _, _, _ = problem(seed)
    part = CoreMetaClusters(unit)
    Z = part._jaccard(ensemble)
    np.testing.assert_allclose(Z, oracles.cluster_jaccard(ensemble.labels, unit))
    for m in range(ensemble.n_members):  # clusters of one member do not meet
        own = slice(ensemble.offsets[m], ensemble.offsets[m + 1])
        np.testing.assert_array_equal(Z[own, own], np.eye(own.stop - own.start))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        result = part.combine(ensemble, 3, seed=0)
    shares = oracles.meta_vote(ensemble.labels, result.details["meta_clusters"])
    chosen = result.labels[cores_of(ensemble)]
    for label in set(chosen):  # one group is the best of all its core clusters
        best = np.isclose(shares, shares.max(axis=1, keepdims=True))[chosen == label]
        assert best.all(axis=0).any()


def test_without_distances_and_weights_they_are_the_known_methods():
    rng = np.random.default_rng(5)
    truth = np.repeat([0, 1, 2], 30)
    noisy = np.where(
        rng.random((90, 8)) < 0.15, rng.integers(0, 3, (90, 8)), truth[:, None]
    )
    linkage = CoreLinkage("membership", unit="samples").combine(noisy, 3)
    np.testing.assert_array_equal(linkage.labels, LWEA().combine(noisy, 3).labels)
    spectral = CoreSpectral("membership", unit="samples").combine(noisy, 3, seed=0)
    known = CoassociationSpectral().combine(noisy, 3, seed=0)
    assert ari(spectral.labels, known.labels) == 1.0


def test_distances_decide_where_labels_do_not():
    """Every member joins the middle to both ends equally often; it lies to the left."""
    X = np.array([[0.0], [1.0], [9.0]])
    labels = [[0, 0, 1], [0, 1, 1]]
    found = CoreLinkage().combine(labels, 2, X=X).labels
    np.testing.assert_array_equal(found, [0, 0, 1])
    literal = CoreLinkage("distance", scale=None).combine(labels, 2, X=X).labels
    np.testing.assert_array_equal(literal, [0, 1, 1])  # far core clusters are joined


def test_cluster_edges():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, size=(40, 5))
    with_edges = CoreBipartite().combine(labels, 3, seed=0)
    without = CoreBipartite(cluster_edges=False).combine(labels, 3, seed=0)
    assert ari(with_edges.labels, without.labels) < 1.0


@pytest.mark.parametrize(
    "part",
    [
        CoreLinkage(),
        CoreSpectral(),
        CoreSpectral(unit="samples"),
        CoreBipartite(),
        CoreMetaClusters(),
    ],
)
def test_more_clusters_than_core_clusters(part):
    labels = np.repeat(np.arange(3), 4)[:, None] * np.ones(2, dtype=int)
    X = labels[:, :1] + 0.0
    with pytest.warns(FewerClustersWarning, match="found 3 clusters, fewer than the 5"):
        result = part.combine(labels, 5, X=X, seed=0)
    np.testing.assert_array_equal(result.labels, np.repeat([0, 1, 2], 4))


@pytest.mark.parametrize("part", [CoreLinkage, CoreSpectral, CoreBipartite])
def test_weights_that_vanish_do_no_harm(part):
    ensemble, X, _, _ = problem(7)
    clusters = np.full(ensemble.n_total_clusters, 1e-320)
    clusters[0] = 1.0
    result = part().combine(
        ensemble, 2, weights=Weights(clusters=clusters), X=X, seed=0
    )
    assert np.isfinite(result.confidence).all()


def test_labels_alone():
    ensemble, _, _, _ = problem(0)
    for part in (CoreLinkage, CoreSpectral):
        part("membership").combine(ensemble, 2, seed=0)
        with pytest.raises(ValueError, match="needs the data X, but got only labels"):
            part().combine(ensemble, 2)


def test_memory_limit(monkeypatch):
    ensemble, X, _, _ = problem(0)
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "100")
    with pytest.raises(MemoryLimitError, match=r"core clusters .*core-bg"):
        CoreLinkage().combine(ensemble, 2, X=X)
    with pytest.raises(MemoryLimitError, match=r"The similarities of .* clusters"):
        CoreMetaClusters().combine(ensemble, 2)
