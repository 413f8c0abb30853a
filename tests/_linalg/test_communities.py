"""Shared neighbours against sets, and communities of planted graphs."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie._linalg import leiden, nearest_neighbors, shared_neighbor_graph
from coterie.metrics import ari, modularity


def rng(seed=0):
    return np.random.default_rng(seed)


@given(st.integers(0, 10**6), st.integers(2, 40))
@settings(max_examples=40, deadline=None)
def test_weights_are_shares_of_common_neighbours(seed, n):
    draw = rng(seed)
    k = int(draw.integers(1, n))
    near = nearest_neighbors(draw.integers(0, 5, (n, 2)), k).indices
    W = shared_neighbor_graph(near).toarray()
    around = [{i, *near[i].tolist()} for i in range(n)]
    for i in range(n):
        for j in range(n):
            joined = i != j and (i in around[j] or j in around[i])
            common, both = around[i] & around[j], around[i] | around[j]
            expected = len(common) / len(both) if joined else 0.0
            np.testing.assert_allclose(W[i, j], expected)


def planted(n=200, n_groups=4):
    y = np.arange(n) % n_groups
    chance = np.where(y[:, None] == y, 0.3, 0.02)
    A = np.triu(rng().random((n, n)) < chance, 1)
    return sp.csr_array((A | A.T).astype(float)), y


def test_planted_communities_are_found():
    graph, y = planted()
    labels = leiden(graph, 1.0, rng=rng())
    assert ari(y, labels) == 1.0
    assert labels.dtype == np.int32
    np.testing.assert_array_equal(leiden(graph, 1.0, rng=rng()), labels)
    counts = [leiden(graph, r, rng=rng()).max() + 1 for r in (0.01, 1.0, 30.0)]
    assert counts[0] == 1
    assert counts[1] < counts[2]


def test_modularity_is_that_of_igraph():
    igraph = pytest.importorskip("igraph")
    graph, _ = planted()
    noisy = graph + sp.csr_array(np.eye(200, k=1) + np.eye(200, k=-1))
    ends = np.argwhere(np.triu(noisy.toarray()))
    theirs = igraph.Graph(200, ends.tolist()).community_leiden(
        "modularity", weights=noisy.toarray()[tuple(ends.T)].tolist(), n_iterations=-1
    )
    ours = leiden(noisy, 1.0, rng=rng())
    best = modularity(noisy, theirs.membership)
    np.testing.assert_allclose(modularity(noisy, ours), best, atol=0.01)
