"""PTA, PTGP, ECPCS, WEAC, GP-MGLA and LinkCluE against their definitions."""

import numpy as np
import oracles
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

from coterie import Ensemble, combine
from coterie._linalg import matrix_transfer_cut, unit_rows
from coterie.consensus import (
    ASRS,
    CTS,
    DREC,
    EAC,
    ECPCSHC,
    ECPCSMC,
    GPMGLA,
    PTA,
    PTGP,
    SRS,
    WEAC,
)
from coterie.consensus._base import Task
from coterie.consensus._dense_representation import dense_representation
from coterie.consensus._linked_cut import linked_transfer_cut
from coterie.consensus._links import linked_similarity
from coterie.consensus._propagation import cluster_walks
from coterie.consensus._trajectories import _trajectory_similarity
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Weights
from coterie.ensemble._coassociation import coassociation_rows, core_coassociation
from coterie.exceptions import MemoryLimitError
from coterie.metrics import ari
from coterie.weighting import AgreementWeighter


def task(ensemble):
    return Task(ensemble, 3, Weights(), None, np.random.default_rng(0))


def some(seed, n=45, noise=0.25, **params):
    return make_planted_ensemble(
        n, n_clusters=3, n_members=6, split=1, noise=noise, random_state=seed, **params
    ).ensemble


def of_samples(ensemble, core):
    """The (N, N) similarity of the samples from that of the distinct rows."""
    S = squareform(core.condensed.astype(np.float64))
    np.fill_diagonal(S, core.self_similarity)
    full = S[np.ix_(ensemble.core.index, ensemble.core.index)]
    np.fill_diagonal(full, 1.0)
    return full


def is_cut(result, S, method, k):
    """Whether the labels are a cut of scipy's tree (if no tie leaves a choice)."""
    Z = linkage(squareform(1 - S, checks=False), method)
    N = len(S)
    gap = Z[N - k, 2] - Z[N - k - 1, 2]
    return gap < 1e-5 or ari(cut_tree(Z, k).ravel(), result.labels) == 1.0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(("n_elite", "n_steps"), [(1, 1), (3, 4), (5, 20)])
def test_trajectories_of_core_clusters(seed, n_elite, n_steps):
    ensemble = some(seed)
    core = ensemble.core
    P = oracles.elite_transitions(core.rows, core.counts, n_elite)
    expected = oracles.trajectory_similarity(P, n_steps)
    S = _trajectory_similarity(task(ensemble), n_elite, n_steps)
    np.testing.assert_allclose(S, expected, atol=5e-6)
    for method in ("average", "single", "complete"):
        Z = linkage(squareform(1 - expected, checks=False), method)
        result = PTA(method, n_elite=n_elite, n_steps=n_steps).combine(ensemble, 4)
        heights = result.details["core_linkage"][:, 2]
        np.testing.assert_allclose(np.sort(heights), np.sort(Z[:, 2]), atol=5e-6)


def test_elite_neighbours_and_steps_by_default():
    ensemble = some(0, n=400, noise=0.4)
    u = len(ensemble.core)
    usual = int(np.sqrt(u) / 2)
    assert 3 < usual < 20
    np.testing.assert_array_equal(
        _trajectory_similarity(task(ensemble), None, None),
        _trajectory_similarity(task(ensemble), usual, usual),
    )


@pytest.mark.parametrize("seed", range(3))
def test_ptgp_cuts_the_graph_of_the_paper(seed):
    ensemble = some(seed, n=80)
    core = ensemble.core
    P = oracles.elite_transitions(core.rows, core.counts, 4)
    belongs = oracles.incidence(core.rows)
    B = oracles.trajectory_similarity(P, 5) @ belongs / belongs.sum(axis=0)
    U, _ = oracles.transfer_cut(B, 3)
    points = unit_rows(U)[core.index]
    found = PTGP(n_elite=4, n_steps=5).combine(ensemble, 3, seed=0)
    embedding = found.details["embedding"]
    np.testing.assert_allclose(embedding @ embedding.T, points @ points.T, atol=1e-4)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_steps", [1, 3, 20])
def test_ecpcs(seed, n_steps):
    ensemble = some(seed)
    W = oracles.sample_jaccard(ensemble.labels)
    Z = oracles.trajectory_similarity(W / W.sum(axis=1, keepdims=True), n_steps)
    np.testing.assert_allclose(cluster_walks(ensemble, n_steps), Z, atol=1e-9)
    S = oracles.member_mean(ensemble.labels, Z)
    part = ECPCSHC(n_steps)
    ours = part._similarities(task(ensemble))
    np.testing.assert_allclose(of_samples(ensemble, ours), S, atol=1e-5)
    assert is_cut(part.combine(ensemble, 3), S, "average", 3)


def test_ecpcs_mc_votes_of_groups():
    ensemble = some(1, n=90)
    result = ECPCSMC().combine(ensemble, 3, seed=0)
    shares = oracles.meta_vote(ensemble.labels, result.details["meta_clusters"])
    shares = shares[ensemble.core.index]
    best = shares >= shares.max(axis=1, keepdims=True) - 1e-12
    chosen = {
        label: np.flatnonzero(best[result.labels == label].all(axis=0))
        for label in range(3)
    }
    assert sorted(group for groups in chosen.values() for group in groups) == [0, 1, 2]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("part", "oracle"),
    [
        (CTS(decay=0.7), lambda labels: oracles.cts(labels, 0.7)),
        (SRS(n_iter=2), lambda labels: oracles.srs(labels, 0.8, 2)),
        (SRS(n_iter=3), lambda labels: oracles.srs(labels, 0.8, 3)),
        (SRS(decay=0.9), lambda labels: oracles.srs(labels, 0.9, 5)),
        (ASRS(decay=0.6), lambda labels: oracles.asrs(labels, 0.6)),
    ],
    ids=["cts", "srs-2", "srs-3", "srs-5", "asrs"],
)
def test_link_based_similarities(seed, part, oracle):
    ensemble = some(seed)
    assert len(ensemble.core) < ensemble.n_samples  # duplicates are what is tested
    expected = oracle(ensemble.labels)
    S = of_samples(ensemble, part._similarities(task(ensemble)))
    np.testing.assert_allclose(S, expected, atol=2e-6)


@pytest.mark.parametrize("part", [CTS, SRS, ASRS])
@pytest.mark.parametrize("method", ["average", "single", "complete"])
def test_link_based_trees(part, method):
    labels = np.random.default_rng(3).integers(0, 4, size=(40, 7))
    ensemble = Ensemble(labels)
    assert len(ensemble.core) == 40
    S = of_samples(ensemble, part()._similarities(task(ensemble)))
    result = part(method).combine(ensemble, 5)
    assert is_cut(result, S, method, 5)


@pytest.mark.parametrize("seed", range(3))
def test_weac_is_eac_with_crowd_agreement(seed):
    ensemble = some(seed)
    agreement = oracles.member_agreement(ensemble.labels, "nmi_max")
    crowd = (agreement.sum(axis=1) - 1) / 5
    influence = (crowd / crowd.max()) ** 2
    weights = AgreementWeighter("nmi_max", power=2).weigh(ensemble).members
    np.testing.assert_allclose(weights / weights.max(), influence, rtol=1e-9)
    for method in ("average", "single", "complete"):
        expected = EAC(method).combine(ensemble, 4, weights=influence).labels
        found = WEAC(method).combine(ensemble, 4, weights=weights).labels
        np.testing.assert_array_equal(found, expected)
    by_name = combine(ensemble, 4, "weac")
    np.testing.assert_array_equal(
        by_name, WEAC().combine(ensemble, 4, weights=weights).labels
    )


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("alpha", [0.5, 2.0])
def test_gp_mgla_cuts_the_graph_of_the_paper(seed, alpha):
    ensemble = some(seed, n=70)
    influence = np.random.default_rng(seed).random(6) + 0.2
    influence /= influence.max()
    B = oracles.mgla_graph(ensemble.labels, influence, alpha)
    U, _ = oracles.transfer_cut(B, 3)
    points = unit_rows(U[:70])
    result = GPMGLA(alpha=alpha).combine(ensemble, 3, weights=influence * 7, seed=0)
    embedding = result.details["embedding"]
    np.testing.assert_allclose(embedding @ embedding.T, points @ points.T, atol=1e-6)


@pytest.mark.parametrize("lam", [0.1, 100.0])
@pytest.mark.parametrize("n_iter", [1, 2, 5])
def test_drec_solves_for_the_dense_representation(lam, n_iter):
    ensemble = some(0, n=60)
    Z = oracles.dense_representation(ensemble.core.rows, lam, n_iter)
    U, s, _ = np.linalg.svd(Z)
    kept = s > 1e-4 * s[0]
    expected = unit_rows(U[:, kept] * np.sqrt(s[kept]))
    found = dense_representation(ensemble, lam, n_iter)
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-6)


def test_drec_is_spectral_clustering_of_the_fourth_power():
    ensemble = some(1, n=60)
    U = dense_representation(ensemble, 100.0, 5)
    points = unit_rows(oracles.normalised_cut_embedding((U @ U.T) ** 4, 3))
    points = points[ensemble.core.index]
    embedding = DREC().combine(ensemble, 3, seed=0).details["embedding"]
    np.testing.assert_allclose(embedding @ embedding.T, points @ points.T, atol=1e-3)


def test_transfer_cut_of_a_matrix():
    B = np.random.default_rng(0).random((30, 8))
    B[B < 0.5] = 0.0
    B[3] = 0.0
    rows = np.delete(np.arange(30), 3)
    expected, values = oracles.transfer_cut(B[rows], 4)
    U, found, _ = matrix_transfer_cut(B, 4, rng=np.random.default_rng(1))
    np.testing.assert_allclose(found, values, atol=1e-8)
    np.testing.assert_allclose(U[rows] @ U[rows].T, expected @ expected.T, atol=1e-8)
    np.testing.assert_array_equal(U[3], 0.0)


def test_linked_cut_without_links_is_the_plain_one():
    ensemble = some(2)
    w = np.full(ensemble.n_total_clusters, 0.5)
    counts = ensemble.core.counts.astype(float)
    rows, clusters = linked_transfer_cut(task(ensemble), w, counts, None)
    expected, _ = oracles.transfer_cut(oracles.incidence(ensemble.labels) * 0.5, 3)
    U = rows[ensemble.core.index]
    np.testing.assert_allclose(U @ U.T, expected @ expected.T, atol=1e-8)
    assert clusters is None


def test_identity_between_clusters_is_the_coassociation():
    ensemble = some(3, missing=0.2)
    Z = np.eye(ensemble.n_total_clusters)
    expected = core_coassociation(ensemble, Weights())
    found = linked_similarity(ensemble, Z)
    np.testing.assert_allclose(found.condensed, expected.condensed, atol=1e-6)
    np.testing.assert_allclose(found.self_similarity, 1.0, atol=1e-6)


def test_rows_of_the_coassociation():
    ensemble = some(4, missing=0.2)
    expected = squareform(core_coassociation(ensemble, Weights()).condensed)
    rows = coassociation_rows(ensemble, Weights(), ensemble.core.rows)(2, 9)
    at = np.arange(2, 9)
    rows[at - 2, at] = 0.0
    np.testing.assert_allclose(rows, expected[2:9], atol=1e-6)


@pytest.mark.parametrize("part", [PTA(), PTGP(), ECPCSHC(), CTS(), DREC(), SRS()])
def test_too_many_core_clusters_are_refused(part, monkeypatch):
    labels = np.random.default_rng(0).integers(0, 3, size=(300, 8))
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "50000")
    with pytest.raises(MemoryLimitError, match="Use a method that does not need them"):
        part.combine(labels, 3)


def test_many_clusters_are_refused(monkeypatch):
    labels = np.random.default_rng(0).integers(0, 60, size=(300, 8))
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "500000")
    for part in (ECPCSMC(), GPMGLA()):
        with pytest.raises(MemoryLimitError, match=r"similarities of 4.. clusters"):
            part.combine(labels, 3)
