"""Scores of segments against people's outlines: oracles, laws, error texts."""

import itertools
import math

import numpy as np
import pytest
from scipy.optimize import linear_sum_assignment

from coterie import metrics
from coterie.metrics import _segments


def maps(n_people=3, shape=(9, 11), seed=0):
    """Return a stack of people's maps and a segmentation, of blocks."""
    rng = np.random.default_rng(seed)
    blocks = rng.integers(0, 4, (n_people + 1, *(-(-side // 3) for side in shape)))
    for axis in range(1, blocks.ndim):
        blocks = blocks.repeat(3, axis=axis)
    cut = (slice(None), *(slice(side) for side in shape))
    return blocks[cut][:-1], blocks[cut][-1]


def rand_oracle(y, z):
    pairs = list(itertools.combinations(range(y.size), 2))
    y, z = y.ravel(), z.ravel()
    return np.mean([(y[i] == y[j]) == (z[i] == z[j]) for i, j in pairs])


def variation_oracle(y, z):
    total = 0.0
    for a in np.unique(y):
        for b in np.unique(z):
            both = np.mean((y == a) & (z == b))
            if both:
                total -= both * math.log2(both / np.mean(y == a))
                total -= both * math.log2(both / np.mean(z == b))
    return total


def covering_oracle(y, z):
    total = 0.0
    for a in np.unique(y):
        best = max(
            ((y == a) & (z == b)).sum() / ((y == a) | (z == b)).sum()
            for b in np.unique(z)
        )
        total += (y == a).mean() * best
    return total


def outline_oracle(labels):
    height, width = labels.shape
    return [
        (i, j)
        for i in range(height)
        for j in range(width)
        if (i + 1 < height and labels[i, j] != labels[i + 1, j])
        or (j + 1 < width and labels[i, j] != labels[i, j + 1])
    ]


def recall_oracle(people, z, reach):
    """Share of people's pixels that are matched, by solving the assignment."""
    ours, matched, drawn = outline_oracle(z), 0, 0
    for y in people:
        theirs = outline_oracle(y)
        near = np.array([[math.dist(a, b) <= reach for b in theirs] for a in ours])
        rows, columns = linear_sum_assignment(near, maximize=True)
        matched += near[rows, columns].sum()
        drawn += len(theirs)
    return matched / drawn


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("score", "oracle"),
    [
        (metrics.probabilistic_rand_index, rand_oracle),
        (metrics.variation_of_information, variation_oracle),
        (metrics.covering, covering_oracle),
    ],
    ids=["ri", "vi", "covering"],
)
def test_scores_equal_plain_versions(score, oracle, seed):
    people, found = maps(seed=seed)
    expected = np.mean([oracle(one, found) for one in people])
    assert score(people, found) == pytest.approx(expected)
    assert score(list(people), found) == pytest.approx(expected)
    assert score(people[0], found) == pytest.approx(oracle(people[0], found))


@pytest.mark.parametrize("seed", range(6))
def test_boundaries_are_matched_one_to_one(seed):
    people, found = maps(seed=seed)
    reach = 1.5
    tolerance = reach / math.hypot(*found.shape)
    ours, theirs = outline_oracle(found), outline_oracle(people[0])
    near = np.array([[math.dist(a, b) <= reach for b in theirs] for a in ours])
    rows, columns = linear_sum_assignment(near, maximize=True)
    n = near[rows, columns].sum()
    measured = metrics.boundary_f(people[0], found, tolerance=tolerance)
    assert measured == pytest.approx(2 * n / (len(ours) + len(theirs)))
    # With several people, precision is at least that with one of them.
    recall = recall_oracle(people, found, reach)
    together = metrics.boundary_f(people, found, tolerance=tolerance)
    low = 2 * (n / len(ours)) * recall / (n / len(ours) + recall)
    assert low - 1e-12 <= together <= 2 * recall / (1 + recall) + 1e-12


def test_precision_counts_lines_that_anybody_drew():
    found = np.zeros((8, 30), dtype=int)
    found[:, 10:] = 1
    found[:, 20:] = 2
    left, right = (found > 0).astype(int), (found > 1).astype(int)
    # precision 1; each person drew half of our lines, and all of theirs are found
    assert metrics.boundary_f([left, right], found) == 1.0
    assert metrics.boundary_f(left, found) == pytest.approx(2 * 0.5 / 1.5)


def test_all_scores_at_once():
    people, found = maps()
    measured = metrics.segment_scores(people, found)
    assert set(measured) == {"ari", "ri", "vi", "covering", "boundary_f"}
    flat = [metrics.ari(one.ravel(), found.ravel()) for one in people]
    assert measured["ari"] == pytest.approx(np.mean(flat))
    assert measured["vi"] == metrics.variation_of_information(people, found)
    same = metrics.segment_scores(people[0], people[0] + 7)
    assert same == {"ari": 1, "ri": 1, "vi": 0, "covering": 1, "boundary_f": 1}


def test_volumes_and_single_segments():
    people, found = maps(2, (4, 5, 6))
    assert 0 < metrics.segment_scores(people, found)["boundary_f"] < 1
    one = np.zeros((3, 4), dtype=int)
    assert metrics.boundary_f(one, one) == 1.0
    assert metrics.boundary_f(one, np.eye(3, 4, dtype=int)) == 0.0
    assert len(_segments._outline_pixels(one)) == 0


@pytest.mark.parametrize(
    ("people", "labels", "text"),
    [
        (np.zeros((2, 3)), np.zeros((3, 2)), r"the same shape as labels, \(3, 2\)"),
        (np.zeros(3), np.zeros(3), r"as a map of pixels.*got shape \(3,\)"),
        (np.zeros((0, 2, 2)), np.zeros((2, 2)), "of at least one person"),
        ([], np.zeros((2, 2)), "of at least one person"),
    ],
)
def test_wrong_maps(people, labels, text):
    with pytest.raises(ValueError, match=text):
        metrics.covering(people, labels)


def test_wrong_tolerance():
    with pytest.raises(ValueError, match="tolerance of at least zero, got -1"):
        metrics.boundary_f(np.eye(3), np.eye(3), tolerance=-1)
