"""Each criterion against its definition on the N x N matrix."""

import numpy as np
import oracles
import pytest
from scipy.cluster.hierarchy import cophenet, linkage
from scipy.spatial.distance import squareform
from sklearn.metrics import adjusted_rand_score

from coterie.choice import _criteria as criteria
from coterie.choice._vote import choose, compare, relative_stability, votes
from coterie.ensemble import Ensemble

RNG = np.random.default_rng(0)
TRUE = np.repeat([0, 1, 2], 10)
LABELS = np.where(
    RNG.random((30, 10)) < 0.8, TRUE[:, None], RNG.integers(3, size=(30, 10))
)
ENSEMBLE = Ensemble(LABELS)
S = oracles.consensus_values(LABELS)
PAIRS = S[np.triu_indices(30, 1)]
LEVELS = criteria.consensus_levels(ENSEMBLE)


def test_levels():
    expected = np.bincount(np.round(PAIRS * 10).astype(int), minlength=11) / PAIRS.size
    np.testing.assert_allclose(LEVELS, expected, atol=1e-12)


def test_cdf():
    grid = np.linspace(0, 1, 101)
    expected = [np.mean(value + 1e-9 >= PAIRS) for value in grid]
    np.testing.assert_allclose(criteria.consensus_cdf(LEVELS), expected, atol=1e-12)


def test_pac():
    ambiguous = np.mean((PAIRS > 0.1 + 1e-9) & (PAIRS <= 0.9 + 1e-9))
    assert criteria.pac(LEVELS) == pytest.approx(ambiguous)


def test_area_and_its_growth():
    grid = np.linspace(0, 1, 100_001)
    area = np.mean(criteria.consensus_cdf(LEVELS, grid)[:-1])  # by rectangles
    assert criteria.cdf_area(LEVELS) == pytest.approx(area, abs=1e-4)
    np.testing.assert_allclose(criteria.delta_area([0.5, 0.6, 0.6]), [0.5, 0.2, 0.0])


def test_dispersion():
    expected = np.mean(4 * (PAIRS - 0.5) ** 2)
    assert criteria.dispersion(LEVELS) == pytest.approx(expected)


def test_stability():
    expected = [
        adjusted_rand_score(LABELS[:, j], LABELS[:, j + 1]) for j in range(0, 10, 2)
    ]
    assert criteria.stability(ENSEMBLE) == pytest.approx(np.mean(expected))


def test_cophenetic():
    distances = squareform(1 - S, checks=False)
    fit, _ = cophenet(linkage(distances, "average"), distances)
    Z, found = criteria.consensus_tree(ENSEMBLE)
    assert found == pytest.approx(fit, abs=1e-5)
    labels = criteria.consensus_labels(Z, ENSEMBLE, 3)
    assert adjusted_rand_score(TRUE, labels) == 1.0


def test_eigengap():
    degrees = S.sum(axis=1)
    values = np.linalg.eigvalsh(S / np.sqrt(np.outer(degrees, degrees)))[::-1]
    found = criteria.eigengap(ENSEMBLE, [2, 3, 4])
    np.testing.assert_allclose(found, values[1:4] - values[2:5], atol=1e-9)
    assert np.argmax(found) == 1


def test_members_that_agree():
    same = Ensemble(np.repeat(TRUE[:, None], 4, axis=1))
    levels = criteria.consensus_levels(same)
    assert criteria.pac(levels) == 0.0
    assert criteria.dispersion(levels) == criteria.stability(same) == 1.0
    Z, fit = criteria.consensus_tree(same)
    assert fit == pytest.approx(1.0)
    assert len(np.unique(criteria.consensus_labels(Z, same, 5))) == 3
    np.testing.assert_allclose(criteria.eigengap(same, [2, 3, 4]), [0, 1, 0], atol=1e-9)
    alone = Ensemble(np.zeros((5, 4), dtype=int))
    assert criteria.consensus_tree(alone)[1] == 1.0


def test_p_values_count_the_data_as_one_of_the_references():
    null = {"pac": np.array([[0.5, 0.2], [0.4, 0.3], [0.6, 0.4]])}
    each, overall = compare({"pac": np.array([0.45, 0.1])}, null, "pac")
    np.testing.assert_allclose(each, [2 / 4, 1 / 4])  # small is good
    assert overall == 1 / 4
    each, overall = compare({"pac": np.array([0.9, 0.9])}, null, "pac")
    np.testing.assert_allclose(each, 1.0)
    assert overall == 1.0


def test_the_overall_p_value_pays_for_looking_at_many_k():
    """The best of many k is nothing special if each reference has as good a one."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(400):
        both = rng.normal(size=(20, 8))
        each, overall = compare(
            {"stability": both[0]}, {"stability": both[1:]}, "stability"
        )
        found.append((each.min(), overall))
    least, overall = np.array(found).T
    assert np.mean(least <= 0.05) > 0.2
    assert np.mean(overall <= 0.05) == pytest.approx(0.05, abs=0.03)


def test_votes_are_relative_to_the_references():
    curves = {"pac": np.array([0.1, 0.1, 0.1]), "cophenetic": np.array([0.9, 0.8, 1.0])}
    null = {"pac": np.array([[0.2, 0.4, 0.3]])}
    assert votes(curves, null, [2, 3, 4]) == {"pac": 3, "cophenetic": 4}
    gain = relative_stability(curves["pac"], null["pac"])
    np.testing.assert_allclose(gain, np.log(np.array([0.205, 0.405, 0.305]) / 0.105))


def test_of_several_perfect_k_the_largest_is_named():
    curves = {
        "pac": np.array([0.0, 0.002, 0.2]),
        "stability": np.array([0.999, 0.998, 0.9]),
        "cophenetic": np.array([1.0, 0.999, 1.0]),
        "separation": np.array([1.0, 0.9, 0.9]),
    }
    null = {
        "pac": np.array([[0.4, 0.2, 0.9]]),
        "stability": np.array([[0.1, 0.5, 0.2]]),
    }
    named = {"pac": 3, "stability": 3, "cophenetic": 4, "separation": 2}
    assert votes(curves, null, [2, 3, 4]) == named
    null["stability"][0, 2] = 0.0  # not perfect, but the best beside the references
    assert votes(curves, null, [2, 3, 4])["stability"] == 4


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({"pac": 3, "stability": 2, "eigengap": 2}, 2),
        ({"pac": 4, "stability": 3, "eigengap": 2}, 4),
        ({"eigengap": 4, "stability": 3, "cophenetic": 2}, 3),
        ({"eigengap": 4, "cophenetic": 3}, 3),
    ],
)
def test_choice(named, expected):
    assert choose(named) == expected
