import numpy as np
import oracles
import pytest
from scipy.cluster import hierarchy
from scipy.spatial.distance import pdist, squareform

from coterie._linalg import cut_tree, expand_linkage, linkage

METHODS = ["average", "single", "complete"]


def distances(n, seed=0, dtype=np.float64):
    return pdist(np.random.default_rng(seed).random((n, 3))).astype(dtype)


def check_tree(Z, n, n_samples=None):
    """Each node is merged once, children come first, heights never fall."""
    assert Z.shape == (n - 1, 4)
    assert sorted(Z[:, :2].ravel()) == list(range(2 * n - 2))
    for m, (a, b) in enumerate(Z[:, :2]):
        assert a < b < n + m
    assert (np.diff(Z[:, 2]) >= 0).all()
    if n > 1:
        assert Z[-1, 3] == (n if n_samples is None else n_samples)


def same_partition(a, b):
    return len(set(a)) == len(set(b)) == len(set(zip(a, b, strict=True)))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("seed", range(3))
def test_linkage_is_that_of_the_definition(method, dtype, seed):
    rng = np.random.default_rng(seed)
    d = distances(30, seed, dtype)
    sizes = rng.integers(1, 6, 30)
    Z = linkage(d, method, sizes=sizes)
    expected = oracles.linkage(squareform(d.astype(float)), method, sizes)
    check_tree(Z, 30, sizes.sum())
    np.testing.assert_array_equal(Z[:, [0, 1, 3]], expected[:, [0, 1, 3]])
    np.testing.assert_allclose(Z[:, 2], expected[:, 2], rtol=1e-6)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n", [2, 3, 9, 10, 11, 500])
def test_linkage_is_that_of_scipy(method, dtype, n):
    d = distances(n, n, dtype)
    Z = linkage(d, method)
    expected = hierarchy.linkage(d, method)
    check_tree(Z, n)
    np.testing.assert_allclose(Z[:, 2], expected[:, 2], rtol=2e-6)
    for k in {1, 2, n // 2, n - 1, n} - {0}:
        labels = hierarchy.cut_tree(expected, k).ravel()
        assert same_partition(cut_tree(Z, k), labels)


@pytest.mark.parametrize("method", METHODS)
def test_sizes_stand_for_repeated_samples(method):
    rng = np.random.default_rng(1)
    counts = rng.integers(1, 5, 25)  # (u,)
    index = rng.permutation(np.repeat(np.arange(25), counts))  # (n,)
    D = squareform(distances(25, 2)) + 1.0  # identical samples are not at distance 0
    self_distance = rng.random(25)
    np.fill_diagonal(D, self_distance)
    full = D[np.ix_(index, index)]
    np.fill_diagonal(full, 0.0)

    D_unique = D.copy()
    np.fill_diagonal(D_unique, 0.0)
    Z = linkage(squareform(D_unique), method, sizes=counts)
    Z_full = expand_linkage(Z, counts, index, self_distance)
    expected = linkage(squareform(full), method)
    check_tree(Z_full, index.size)
    np.testing.assert_allclose(Z_full[:, 2], expected[:, 2], rtol=1e-12)
    for k in range(1, 26):
        assert same_partition(cut_tree(Z_full, k), cut_tree(expected, k))
    groups_last = expected[:, 2] < 1.0  # all merges inside groups, in some order
    np.testing.assert_allclose(Z_full[groups_last, 2], expected[groups_last, 2])


def test_expanding_without_repetition_changes_nothing():
    Z = linkage(distances(12))
    counts = np.ones(12)
    np.testing.assert_array_equal(
        expand_linkage(Z, counts, np.arange(12), np.zeros(12)), Z
    )


def test_expanding_one_group():
    Z = expand_linkage(np.empty((0, 4)), [4], [0, 0, 0, 0], [0.25])
    check_tree(Z, 4)
    assert (Z[:, 2] == 0.25).all()
    np.testing.assert_array_equal(Z[:, 3], [2, 3, 4])
    assert expand_linkage(np.empty((0, 4)), [1], [0], [0.0]).shape == (0, 4)


def test_expanding_lifts_parents_that_lie_below_a_child():
    Z = linkage([0.1], sizes=[2, 1])
    Z_full = expand_linkage(Z, [2, 1], [0, 0, 1], [0.1 + 1e-9, 0.0])
    check_tree(Z_full, 3)
    np.testing.assert_array_equal(Z_full[:, :2], [[0, 1], [2, 3]])


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_all_distances_equal(method, dtype):
    n = 40
    Z = linkage(np.full(n * (n - 1) // 2, 0.1, dtype), method)
    check_tree(Z, n)
    assert (Z[:, 2] == np.array(0.1, dtype)).all()
    for k in (1, 7, 40):
        assert len(set(cut_tree(Z, k))) == k


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("n_levels", [2, 5, 30])
def test_many_ties_give_a_valid_tree(method, dtype, n_levels):
    rng = np.random.default_rng(n_levels)
    for n in (5, 60, 150):
        d = (rng.integers(0, n_levels, n * (n - 1) // 2) / n_levels).astype(dtype)
        sizes = rng.integers(1, 9, n)
        Z = linkage(d, method, sizes=sizes)
        check_tree(Z, n, sizes.sum())
        if method == "single":  # its heights do not depend on how ties are broken
            expected = hierarchy.single(d)
            np.testing.assert_allclose(Z[:, 2], expected[:, 2])


@pytest.mark.parametrize("method", ["average", "complete"])
def test_heights_under_ties_are_distances_between_the_clusters(method):
    rng = np.random.default_rng(0)
    n = 50
    d = rng.integers(0, 4, n * (n - 1) // 2) / 4
    D = squareform(d)
    Z = linkage(d, method)
    members = [[i] for i in range(n)]
    for a, b, height, _ in Z:
        block = D[np.ix_(members[int(a)], members[int(b)])]
        expected = block.mean() if method == "average" else block.max()
        assert height == pytest.approx(expected, abs=1e-12)
        members.append(members[int(a)] + members[int(b)])


def test_one_item():
    assert linkage(np.empty(0)).shape == (0, 4)
    np.testing.assert_array_equal(cut_tree(np.empty((0, 4)), 1), [0])


def test_two_items():
    np.testing.assert_array_equal(
        linkage([0.5], sizes=[2, 3.5]), [[0.0, 1.0, 0.5, 5.5]]
    )


def test_negative_distances_are_welcome():
    d = distances(20)
    Z = linkage(d - 10)
    expected = linkage(d)
    np.testing.assert_array_equal(Z[:, :2], expected[:, :2])
    np.testing.assert_allclose(Z[:, 2], expected[:, 2] - 10)


def test_input_is_not_changed_unless_allowed():
    d = distances(50, dtype=np.float32)
    before = d.copy()
    d.flags.writeable = False
    Z = linkage(d)
    np.testing.assert_array_equal(d, before)
    np.testing.assert_array_equal(linkage(d, overwrite=True), Z)
    np.testing.assert_array_equal(d, before)  # read-only is read-only
    np.testing.assert_array_equal(linkage(before, overwrite=True), Z)
    assert (before != d).any()


def test_cut_tree_is_that_of_the_definition():
    Z = linkage(distances(30))
    for k in range(1, 31):
        labels = cut_tree(Z, k)
        assert labels.dtype == np.int32
        np.testing.assert_array_equal(labels, oracles.cut_tree(Z, k))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"distances": np.zeros(4)}, "condensed distances"),
        ({"distances": np.zeros((3, 3))}, "condensed distances"),
        ({"distances": [1.0, np.nan, 1.0]}, "finite distances"),
        ({"distances": [1.0, np.inf, 1.0]}, "finite distances"),
        ({"distances": [1.0], "method": "ward"}, "method='ward'"),
        ({"distances": [1.0], "sizes": [1, 1, 1]}, "sizes of shape"),
        ({"distances": [1.0], "sizes": [1, 0]}, "positive"),
    ],
)
def test_linkage_says_what_is_wrong(arguments, message):
    with pytest.raises(ValueError, match=message):
        linkage(**arguments)


@pytest.mark.parametrize("n_clusters", [0, 4])
def test_cut_tree_says_what_is_wrong(n_clusters):
    with pytest.raises(ValueError, match="between 1 and 3"):
        cut_tree(linkage([1.0, 2.0, 3.0]), n_clusters)


@pytest.mark.parametrize(
    ("counts", "index", "message"),
    [
        ([1, 1, 1], [0, 1], "counts of shape"),
        ([1, 1], [0, 2], "entries from 0 to 1"),
        ([2, 1], [0, 1, 1], "counts that say"),
        ([2, 0], [0, 0], "counts that say"),
    ],
)
def test_expand_linkage_says_what_is_wrong(counts, index, message):
    with pytest.raises(ValueError, match=message):
        expand_linkage(linkage([1.0]), counts, index, [0.0, 0.0])
