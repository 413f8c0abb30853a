"""Partitions that gain modularity, and rewired graphs, against plain versions."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie._linalg import (
    climb,
    contracted,
    merged,
    rewired,
    settled,
    split_by_links,
)
from coterie.metrics import modularity

SEEDS = st.integers(0, 10**6)
QUICK = settings(max_examples=40, deadline=None)


def rng(seed=0):
    return np.random.default_rng(seed)


def random_graph(seed, n=None, chance=0.3, weighted=True):
    draw = rng(seed)
    n = n or int(draw.integers(2, 15))
    half = np.triu(draw.random((n, n)) < chance)  # with self-links
    weights = half * (draw.integers(1, 5, (n, n)) if weighted else 1)
    A = (weights + weights.T).astype(float)
    A[0, 1] = A[1, 0] = 1.0
    return A


def plain_modularity(A, labels, resolution=1.0):
    n, total, degrees = len(A), A.sum(), A.sum(axis=1)
    return sum(
        A[i, j] / total - resolution * degrees[i] * degrees[j] / total**2
        for i in range(n)
        for j in range(n)
        if labels[i] == labels[j]
    )


@given(SEEDS, st.sampled_from([0.5, 1.0, 2.5]))
@QUICK
def test_modularity_is_the_sum_over_pairs(seed, resolution):
    A = random_graph(seed)
    labels = rng(seed).integers(0, 3, len(A))
    expected = plain_modularity(A, labels, resolution)
    found = modularity(A, labels, resolution=resolution)
    np.testing.assert_allclose(found, expected, atol=1e-12)


@given(SEEDS, st.sampled_from([0.5, 1.0, 2.5]))
@QUICK
def test_climbing_ends_where_no_node_gains_by_moving(seed, resolution):
    A = random_graph(seed)
    start = rng(seed).integers(0, 4, len(A))
    labels = climb(sp.csr_array(A), start, resolution, rng=rng(seed))
    reached = plain_modularity(A, labels, resolution)
    assert reached >= plain_modularity(A, start, resolution) - 1e-9
    assert sorted(set(labels)) == list(range(labels.max() + 1))
    for i in range(len(A)):
        for c in range(labels.max() + 2):  # also to a community of its own
            moved = labels.copy()
            moved[i] = c
            assert plain_modularity(A, moved, resolution) <= reached + 1e-9
    for a in range(labels.max() + 1):
        joined = np.where(labels == a, 0, labels)
        assert plain_modularity(A, joined, resolution) <= reached + 1e-9


@given(SEEDS)
@QUICK
def test_bounds_are_not_crossed(seed):
    A = random_graph(seed)
    bounds = rng(seed).integers(0, 3, len(A))
    alone = np.arange(len(A))
    labels = climb(sp.csr_array(A), alone, 0.1, rng=rng(), bounds=bounds)
    for c in range(labels.max() + 1):
        assert len(set(bounds[labels == c])) == 1


def test_climbing_finds_the_best_partition_of_a_small_graph():
    A = random_graph(3, n=7, weighted=False)
    partitions = {
        tuple(np.unique(np.array(code), return_inverse=True)[1])
        for code in np.ndindex(*[4] * 7)
    }
    best = max(plain_modularity(A, p) for p in partitions)
    found = [climb(sp.csr_array(A), np.arange(7), 1.0, rng=rng(s)) for s in range(20)]
    reached = max(plain_modularity(A, labels) for labels in found)
    np.testing.assert_allclose(reached, best)


def test_a_graph_without_links_stays_as_it_is():
    labels = climb(sp.csr_array((3, 3)), np.array([5, 5, 7]), 1.0, rng=rng())
    np.testing.assert_array_equal(labels, [0, 0, 1])


@given(SEEDS)
@QUICK
def test_contracted_keeps_modularity(seed):
    A = random_graph(seed)
    labels = np.unique(rng(seed).integers(0, 4, len(A)), return_inverse=True)[1]
    small = contracted(sp.csr_array(A), labels)
    k = labels.max() + 1
    expected = [
        [A[labels == a][:, labels == b].sum() for b in range(k)] for a in range(k)
    ]
    np.testing.assert_allclose(small.toarray(), expected)
    np.testing.assert_allclose(modularity(small, range(k)), modularity(A, labels))


@given(SEEDS)
@QUICK
def test_merging_takes_the_best_pair_each_time(seed):
    A = random_graph(seed)
    A = A + 1e-3 * np.outer(range(len(A)), range(len(A)))  # all linked, no ties
    n = len(A)
    k = int(rng(seed).integers(1, n + 1))
    labels = np.arange(n)
    while len(set(labels)) > k:
        here = sorted(set(labels))
        joined = [np.where(labels == b, a, labels) for a in here for b in here if a < b]
        labels = max(joined, key=lambda one: plain_modularity(A, one))
    found = merged(sp.csr_array(A), k, 1.0)
    assert found.max() + 1 == k
    np.testing.assert_allclose(plain_modularity(A, found), plain_modularity(A, labels))


def test_merging_joins_even_what_no_link_joins():
    A = sp.csr_array(np.diag([4.0, 1.0, 2.0, 8.0]))
    np.testing.assert_array_equal(merged(A, 3, 1.0), [0, 1, 1, 2])
    np.testing.assert_array_equal(merged(A, 2, 1.0), [0, 0, 0, 1])
    assert merged(A, 1, 1.0).max() == 0


@given(SEEDS)
@QUICK
def test_settling_keeps_the_number_and_gains(seed):
    A = random_graph(seed)
    start = np.unique(rng(seed).integers(0, 4, len(A)), return_inverse=True)[1]
    labels = settled(sp.csr_array(A), start, 1.0, rng=rng())
    assert labels.max() == start.max()
    assert plain_modularity(A, labels) >= plain_modularity(A, start) - 1e-9


@given(SEEDS)
@QUICK
def test_parts_are_connected(seed):
    import networkx as nx

    A = random_graph(seed, chance=0.15)
    labels = rng(seed).integers(0, 3, len(A))
    parts = split_by_links(sp.csr_array(A), labels)
    expected = {
        frozenset(part)
        for c in range(3)
        for part in nx.connected_components(
            nx.from_numpy_array(A).subgraph(np.flatnonzero(labels == c))
        )
    }
    found = {frozenset(np.flatnonzero(parts == c)) for c in range(parts.max() + 1)}
    assert found == expected


class TestRewired:
    @given(SEEDS)
    @QUICK
    def test_degrees_weights_and_self_links_stay(self, seed):
        A = random_graph(seed, n=20, chance=rng(seed).choice([0.05, 0.2, 0.7]))
        B = rewired(sp.csr_array(A), rng=rng(seed)).toarray()
        np.testing.assert_array_equal(B, B.T)
        np.testing.assert_array_equal(np.diag(B), np.diag(A))
        np.testing.assert_array_equal((B > 0).sum(axis=1), (A > 0).sum(axis=1))
        above = np.triu_indices(20, 1)
        np.testing.assert_array_equal(np.sort(B[above]), np.sort(A[above]))

    def test_all_graphs_of_the_same_degrees_are_as_likely(self):
        # Six nodes with two links each: 60 rings of six, and 10 pairs of triangles.
        ring = np.roll(np.eye(6), 1, axis=0) + np.roll(np.eye(6), -1, axis=0)
        A = sp.csr_array(ring)
        draw = rng()
        made = [rewired(A, rng=draw).toarray() for _ in range(1400)]
        counts = np.unique([B.ravel() for B in made], axis=0, return_counts=True)[1]
        assert counts.size == 70
        assert np.sum((counts - 20) ** 2 / 20) < 110  # chi-square, 69 degrees, p = .001

    def test_what_cannot_be_rewired_stays(self):
        full = np.ones((5, 5)) - np.eye(5)
        np.testing.assert_array_equal(
            rewired(sp.csr_array(full), rng=rng()).toarray(), full
        )
        assert rewired(sp.csr_array((4, 4)), rng=rng()).nnz == 0

    @pytest.mark.parametrize("n", [2000])
    def test_large_ones(self, n):
        draw = rng()
        ends = draw.integers(0, n, (5 * n, 2))
        half = sp.csr_array((np.ones(len(ends)), ends.T), shape=(n, n))
        A = sp.csr_array(((half + half.T) > 0).astype(float))
        A.setdiag(0)
        A.eliminate_zeros()
        B = rewired(A, rng=draw)
        np.testing.assert_array_equal(B.sum(axis=1), A.sum(axis=1))
        assert A.multiply(B).sum() < 0.02 * A.sum()
