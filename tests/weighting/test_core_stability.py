"""The cluster stability index against its formulas."""

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coterie import Ensemble
from coterie.ensemble import Member
from coterie.weighting import CoreStabilityWeighter


@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(["euclidean", "manhattan", "cosine"]),
    st.booleans(),
)
def test_it_is_the_formula(seed, metric, scaled):
    rng = np.random.default_rng(seed)
    n, M = rng.integers(4, 15), rng.integers(1, 4)
    X = rng.normal(size=(n, 5))
    features = [np.sort(rng.choice(5, 3, replace=False)) for _ in range(M)]
    ensemble = Ensemble(
        rng.integers(0, 3, size=(n, M)), [Member(features=f) for f in features]
    )
    weighter = CoreStabilityWeighter(metric, scale="mean" if scaled else None)
    found = weighter.weigh(ensemble, X=X)
    views = [X[:, f] for f in features]
    clusters, members = oracles.csi(ensemble.labels, views, metric, scaled)
    np.testing.assert_allclose(found.clusters, clusters, rtol=1e-9)
    np.testing.assert_allclose(found.members, members, rtol=1e-9)
    assert found.members.sum() == pytest.approx(1.0)  # Eq. 13
    only = CoreStabilityWeighter(metric, scale=weighter.scale, levels="members")
    assert only.weigh(ensemble, X=X).used == only.gives_weights == {"members"}


def test_units_do_not_matter_unless_asked_for():
    X = np.random.default_rng(0).normal(size=(20, 3))
    labels = np.random.default_rng(1).integers(0, 3, size=(20, 4))
    free = CoreStabilityWeighter()
    bound = CoreStabilityWeighter(scale=None)
    for factor in (1e-3, 1e3):
        np.testing.assert_allclose(
            free.weigh(labels, X=X * factor).clusters, free.weigh(labels, X=X).clusters
        )
    assert bound.weigh(labels, X=X * 5).clusters.max() < 0.1
    # All vanish: the ratios are kept.
    vanishing = bound.weigh(labels, X=X * 1e6)
    assert vanishing.clusters.max() == 1.0
    assert vanishing.members.sum() == pytest.approx(1.0)


def test_a_compact_cluster_counts_more():
    X = [[0.0], [0.1], [5.0], [9.0], [20.0], [20.1]]
    weights = CoreStabilityWeighter().weigh(
        [[0, 0, 1, 1, 2, 2], [0, 1, 2, 3, 4, 5]], X=X
    )
    assert weights.clusters[1] < weights.clusters[0] < 1.0
    np.testing.assert_array_equal(weights.clusters[3:], 1.0)  # one core cluster each


def test_x_is_needed():
    with pytest.raises(ValueError, match="CoreStabilityWeighter needs the data X"):
        CoreStabilityWeighter().weigh([[0, 1]])
    with pytest.raises(ValueError, match="'metric' parameter of CoreStabilityWeighter"):
        CoreStabilityWeighter("chebyshev").weigh([[0, 1]], X=[[0.0], [1.0]])
