"""Genie against thirty plain lines, on random trees."""

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from coterie._linalg import SpanningTree, genie, spanning_tree
from coterie.metrics import ari


def random_tree(n, rng, bushy):
    """Join each vertex to an earlier one, then rename and reorder."""
    below = np.arange(1, n)
    above = rng.integers(0, below) if bushy else np.maximum(below - 1, 0)
    names = rng.permutation(n)
    ends = np.sort(np.column_stack([names[below], names[above]]), axis=1)
    order = rng.permutation(n - 1)
    return SpanningTree(ends[order].astype(np.int32), np.arange(n - 1.0))


@given(
    st.integers(2, 60),
    st.integers(0, 10**6),
    st.floats(0, 1),
    st.booleans(),
)
@settings(max_examples=150, deadline=None)
def test_labels_are_those_of_the_definition(n, seed, threshold, bushy):
    rng = np.random.default_rng(seed)
    tree = random_tree(n, rng, bushy)
    k = int(rng.integers(1, n, endpoint=True))
    labels = genie(tree, k, threshold)
    expected = oracles.genie(tree.ends.tolist(), n, k, threshold)
    assert ari(expected, labels) == 1.0
    first = np.unique(labels, return_index=True)[1]
    assert (np.diff(first) > 0).all()
    assert labels.max() == k - 1


def test_threshold_one_is_single_linkage():
    X = np.random.default_rng(0).standard_normal((200, 2))
    from scipy.cluster.hierarchy import fcluster, linkage

    Z = linkage(X, "single")
    for k in (1, 2, 7, 50, 200):
        expected = fcluster(Z, k, "maxclust")
        assert ari(expected, genie(spanning_tree(X), k, 1.0)) == 1.0


@pytest.mark.parametrize("bushy", [True, False])
def test_many_samples(bushy):
    tree = random_tree(30_000, np.random.default_rng(0), bushy)
    sizes = np.bincount(genie(tree, 12, 0.1))
    assert sizes.sum() == 30_000
    assert sizes.max() < 8000
