"""EAC and LWEA against the N x N definition."""

import numpy as np
import oracles
import pytest
from scipy.cluster.hierarchy import cut_tree, linkage
from scipy.spatial.distance import squareform

from coterie import Weights
from coterie.consensus import EAC, LWEA
from coterie.consensus._base import quiet
from coterie.datasets import make_planted_ensemble
from coterie.metrics import ari


def random_weights(ensemble, seed):
    """Weights without ties, so that trees are unique."""
    rng = np.random.default_rng(seed)
    return Weights(
        members=rng.random(ensemble.n_members) + 0.5,
        clusters=rng.random(ensemble.n_total_clusters),
    )


def same_cuts(Z, cut, most):
    """Compare two trees at every number of clusters that ties leave no choice about."""
    N = len(Z) + 1
    heights = np.concatenate([[-1.0], Z[:, 2], [2.0]])
    clear = [k for k in range(1, most) if heights[N - k + 1] - heights[N - k] > 1e-5]
    assert len(clear) > most // 3
    return [k for k in clear if ari(cut_tree(Z, k).ravel(), cut(k)) != 1.0] == []


@pytest.mark.parametrize("seed", range(6))
def test_lwea_on_distinct_rows_equals_lwea_on_samples(seed):
    ensemble = make_planted_ensemble(
        60, n_members=7, split=1, noise=0.12, random_state=seed
    ).ensemble
    assert len(ensemble.core) < 50  # duplicates are what is tested
    weights = random_weights(ensemble, seed)
    S = oracles.coassociation(ensemble.labels, weights.members, weights.clusters)
    Z = linkage(squareform(1 - S, checks=False), "average")
    lwea = quiet(LWEA())  # random weights mislead, and that is right to be told of
    found = lwea.combine(ensemble, 2, weights=weights).details["linkage"]
    np.testing.assert_allclose(np.sort(found[:, 2]), np.sort(Z[:, 2]), atol=1e-5)
    assert same_cuts(
        Z,
        lambda k: lwea.combine(ensemble, k, weights=weights).labels,
        len(ensemble.core),
    )


@pytest.mark.slow
@pytest.mark.parametrize("method", ["average", "single", "complete"])
@pytest.mark.parametrize("seed", range(3))
def test_eac_equals_scipy(method, seed):
    ensemble = make_planted_ensemble(
        50, n_members=7, noise=0.3, random_state=seed
    ).ensemble
    members = np.random.default_rng(seed).random(7) + 0.5
    S = oracles.coassociation(ensemble.labels, members)
    Z = linkage(squareform(1 - S, checks=False), method)
    result = EAC(method).combine(ensemble, 4, weights=members)
    np.testing.assert_allclose(
        np.sort(result.details["linkage"][:, 2]), np.sort(Z[:, 2]), atol=1e-5
    )
    assert same_cuts(
        Z,
        lambda k: EAC(method).combine(ensemble, k, weights=members).labels,
        len(ensemble.core),
    )


def test_lwea_with_unit_weights_is_eac():
    ensemble = make_planted_ensemble(80, random_state=1).ensemble
    np.testing.assert_array_equal(
        LWEA().combine(ensemble, 4).labels, EAC().combine(ensemble, 4).labels
    )


def test_eac_refuses_weights_of_clusters():
    ensemble = make_planted_ensemble(20, random_state=0).ensemble
    clusters = np.ones(ensemble.n_total_clusters)
    with pytest.raises(ValueError, match=r"EAC takes members .* of clusters"):
        EAC().combine(ensemble, 2, weights=Weights(clusters=clusters))


def test_bad_linkage():
    with pytest.raises(ValueError, match="'linkage' parameter of EAC must be a str"):
        EAC("ward").combine([[0, 1]], 2)
