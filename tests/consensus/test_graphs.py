"""Bipartite and spectral consensus against dense definitions."""

import numpy as np
import oracles
import pytest
from scipy.linalg import subspace_angles

from coterie import Ensemble, Weights
from coterie._linalg import BipartiteGraph, transfer_cut, unit_rows
from coterie.consensus import HBGF, LWGP, CoassociationSpectral
from coterie.datasets import make_planted_ensemble


def graph_of(ensemble, weights):
    core = ensemble.core
    return BipartiteGraph(
        core.rows, core.columns, ensemble.offsets, core.counts, weights
    )


@pytest.mark.parametrize("form", ["overlap", "operator"])
@pytest.mark.parametrize("missing", [0.0, 0.2])
@pytest.mark.parametrize("k", [1, 2, 4])
def test_transfer_cut_gives_eigenvectors_of_the_bipartite_graph(form, missing, k):
    planted = make_planted_ensemble(60, n_members=6, missing=missing, random_state=0)
    ensemble = planted.ensemble
    clusters = np.random.default_rng(0).random(ensemble.n_total_clusters) + 0.1
    rng = np.random.default_rng(1)
    embedding = transfer_cut(graph_of(ensemble, clusters), k, rng=rng, form=form)

    B = oracles.incidence(ensemble.labels) * clusters
    d_x, d_y = B.sum(axis=1), B.sum(axis=0)
    U, _, _ = np.linalg.svd(B / np.sqrt(np.outer(d_x, d_y)))
    # The graph's own eigenvectors on the samples are D_x^-1/2 u.
    expected = U[:, :k] / np.sqrt(d_x)[:, None]
    found = embedding[ensemble.core.index]
    assert subspace_angles(expected, found).max() < 1e-4


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_spectral_embedding_equals_the_dense_one(missing):
    ensemble = make_planted_ensemble(
        70, n_members=6, split=1, missing=missing, random_state=2
    ).ensemble
    clusters = np.random.default_rng(0).random(ensemble.n_total_clusters) + 0.1
    weights = Weights(clusters=clusters)
    result = CoassociationSpectral().combine(ensemble, 4, weights=weights, seed=0)
    S = oracles.coassociation(ensemble.labels, None, clusters)
    expected = oracles.normalised_cut_embedding(S, 4)
    found = result.details["embedding"]
    # Embeddings are the same up to a rotation: inner products of rows agree.
    np.testing.assert_allclose(found @ found.T, expected @ expected.T, atol=1e-3)


@pytest.mark.parametrize("method", [HBGF, LWGP, CoassociationSpectral])
def test_a_graph_that_falls_apart(method):
    labels = np.repeat([[0, 0], [1, 1], [2, 2], [3, 3], [4, 4]], 6, axis=0)
    result = method().combine(labels, 5, seed=0)
    np.testing.assert_array_equal(result.labels, np.repeat(np.arange(5), 6))


def test_a_cluster_of_weight_zero_is_left_out():
    ensemble = Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    weights = Weights(clusters=[1, 1, 0, 0])
    result = LWGP().combine(ensemble, 2, weights=weights, seed=0)
    np.testing.assert_array_equal(result.labels, [0, 0, 1, 1])


def test_objective_is_the_scatter_of_the_embedding():
    planted = make_planted_ensemble(80, noise=0.3, random_state=3)
    result = LWGP().combine(planted.ensemble, 4, seed=0)
    points = result.details["embedding"]
    scatter = sum(
        (
            (points[result.labels == c] - points[result.labels == c].mean(axis=0)) ** 2
        ).sum()
        for c in range(4)
    )
    np.testing.assert_allclose(result.objective, scatter, rtol=1e-8)


def test_unit_rows_leave_zero_rows_zero():
    rows = unit_rows(np.array([[3.0, 4.0], [0.0, 0.0]]))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [0.0, 0.0]])
