"""Trees of regions against a plain version."""

import numpy as np
import pytest

from coterie._linalg._regions import border_tree, region_tree


def grid_edges(height, width):
    n = np.arange(height * width).reshape(height, width)
    across = np.stack([n[:, :-1].ravel(), n[:, 1:].ravel()], axis=1)
    down = np.stack([n[:-1].ravel(), n[1:].ravel()], axis=1)
    return np.vstack([across, down])


def plain_tree(features, sizes, edges, power):
    """Merge the closest pair of touching sets, from the members of the sets."""
    regions = {i: [i] for i in range(len(sizes))}
    touching = {frozenset(map(int, edge)) for edge in edges}
    merges = []

    def apart(a, b):
        x, y = (
            np.average(features[regions[r]], axis=0, weights=sizes[regions[r]])
            for r in (a, b)
        )
        if power is None:
            return 1 - x @ y
        s, t = sizes[regions[a]].sum(), sizes[regions[b]].sum()
        return ((x - y) ** 2).sum() * (s * t / (s + t)) ** power

    while touching:
        height, a, b = min((apart(*sorted(pair)), *sorted(pair)) for pair in touching)
        merges.append((a, b, height))
        regions[a] += regions.pop(b)
        moved = {frozenset(a if r == b else r for r in pair) for pair in touching}
        touching = {pair for pair in moved if len(pair) == 2}
    return merges


@pytest.mark.parametrize("power", [None, 0.0, 0.5, 1.0])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_is_that_of_the_plain_version(power, seed):
    rng = np.random.default_rng(seed)
    features, sizes = rng.random((30, 4)), rng.integers(1, 9, 30).astype(float)
    edges = grid_edges(5, 6)
    before = features.copy()
    tree = region_tree(features, sizes, edges, power)
    expected = plain_tree(features, sizes, edges, power)
    np.testing.assert_array_equal(tree.pairs, [(a, b) for a, b, _ in expected])
    np.testing.assert_allclose(tree.heights, [height for _, _, height in expected])
    np.testing.assert_array_equal(features, before)


def plain_border_tree(strengths, lengths, sizes, edges, power):
    """Merge along the weakest border, computed from all first borders each time."""
    owner, sizes = np.arange(len(sizes)), np.array(sizes)
    merges = []
    while True:
        ends = np.sort(owner[edges], axis=1)
        best = None
        for a, b in np.unique(ends[ends[:, 0] != ends[:, 1]], axis=0):
            here = (ends == (a, b)).all(axis=1)
            s, t = sizes[owner == a].sum(), sizes[owner == b].sum()
            mean = strengths[here].sum() / lengths[here].sum()
            height = mean * (s * t / (s + t)) ** power
            best = min(best or (np.inf,), (height, a, b))
        if best is None:
            return merges
        merges.append(best)
        owner[owner == best[2]] = best[1]


@pytest.mark.parametrize("power", [0.0, 0.5])
@pytest.mark.parametrize("seed", range(3))
def test_the_tree_of_borders_is_that_of_the_plain_version(power, seed):
    rng = np.random.default_rng(seed)
    edges = rng.permutation(grid_edges(5, 6))
    strengths, lengths = rng.random(len(edges)), rng.integers(1, 9, len(edges)) * 1.0
    sizes = rng.integers(1, 9, 30) * 1.0
    given = (strengths, lengths, sizes, edges)
    before = [one.copy() for one in given]
    tree = border_tree(*given, power)
    expected = plain_border_tree(*given, power)
    np.testing.assert_array_equal(tree.pairs, [(a, b) for _, a, b in expected])
    np.testing.assert_allclose(tree.heights, [height for height, _, _ in expected])
    for one, old in zip(given, before, strict=True):
        np.testing.assert_array_equal(one, old)


def test_agreement_is_average_linkage_on_the_coassociation():
    rng = np.random.default_rng(0)
    members = rng.integers(0, 3, (20, 7))  # (n, n_members)
    rows = np.hstack([np.eye(3)[one] for one in members.T]) / np.sqrt(7)
    together = (members[:, None] == members[None]).mean(axis=2)
    tree = region_tree(rows, np.ones(20), grid_edges(4, 5), None)
    left, right = {i: [i] for i in range(20)}, tree.pairs
    for (a, b), height in zip(right, tree.heights, strict=True):
        assert height == pytest.approx(1 - together[np.ix_(left[a], left[b])].mean())
        left[a] += left.pop(b)


def test_cuts():
    features = np.array([[0.0], [0.1], [5.0], [5.1], [9.0]])
    edges = np.array([[0, 1], [1, 2], [2, 3], [3, 4]])
    tree = region_tree(features, np.array([1.0, 1, 1, 1, 8]), edges, 0.0)
    np.testing.assert_array_equal(tree.cut_at(3), [0, 0, 1, 1, 2])
    np.testing.assert_array_equal(tree.cut_at(99), np.arange(5))
    np.testing.assert_array_equal(tree.cut_below(0.1), [0, 0, 1, 1, 2])
    np.testing.assert_array_equal(tree.cut_below(1e9), [0] * 5)
    np.testing.assert_array_equal(tree.large_regions(2), [1, 2, 3, 2, 1])


def test_unconnected_regions_stay_apart():
    edges = np.array([[0, 1], [2, 3]])
    tree = region_tree(np.zeros((4, 1)), np.ones(4), edges, 0.0)
    np.testing.assert_array_equal(tree.cut_at(1), [0, 0, 1, 1])
    one = region_tree(np.zeros((1, 1)), np.ones(1), np.zeros((0, 2), int), 0.0)
    np.testing.assert_array_equal(one.cut_at(1), [0])
    tree = border_tree(np.ones(2), np.ones(2), np.ones(4), edges, 0.5)
    np.testing.assert_array_equal(tree.cut_at(1), [0, 0, 1, 1])
