import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coterie import Ensemble
from coterie.datasets import make_planted_ensemble
from coterie.weighting import DifficultyWeighter, _difficulty

matrices = arrays(
    np.int64,
    st.tuples(st.integers(1, 15), st.integers(1, 6)),
    elements=st.integers(-1, 3),
).filter(lambda labels: bool((labels >= 0).any(axis=0).all()))


@given(matrices, st.sampled_from([0.01, 0.5]))
def test_weights_equal_the_definition(labels, smoothing):
    ensemble = Ensemble(list(labels.T))
    weights = DifficultyWeighter(smoothing).weigh(ensemble)
    expected = oracles.difficulty(ensemble.labels, smoothing)
    np.testing.assert_allclose(weights.samples, expected, rtol=1e-12)


def test_both_ways_to_count_agree(monkeypatch):
    ensemble = make_planted_ensemble(
        200, n_members=12, noise=0.4, random_state=0
    ).ensemble
    by_overlap = DifficultyWeighter().weigh(ensemble).samples
    monkeypatch.setattr(_difficulty, "_TABLE", 1)
    by_lists = DifficultyWeighter().weigh(ensemble).samples
    np.testing.assert_allclose(by_lists, by_overlap, rtol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_ten_thousand_samples_equal_the_square_formula_on_some_rows(missing):
    planted = make_planted_ensemble(
        10_000, n_clusters=5, n_members=20, noise=0.2, missing=missing, random_state=1
    )
    labels = planted.ensemble.labels
    found = DifficultyWeighter().weigh(planted.ensemble).samples
    for i in np.random.default_rng(0).choice(10_000, 25, replace=False):
        both = (labels >= 0) & (labels[i] >= 0)
        n_both = both.sum(axis=1)
        together = ((labels == labels[i]) & both).sum(axis=1)
        A = np.divide(together, n_both, out=np.zeros(10_000), where=n_both > 0)
        A[i] = 1.0
        w = 4 / 10_000 * (A * (1 - A)).sum()  # Eqs. 1-3
        np.testing.assert_allclose(found[i], (w + 0.01) / 1.01, rtol=1e-12)  # Eq. 4


def test_samples_between_clusters_weigh_most():
    left, right = [0] * 5 + [1] * 6, [0] * 6 + [1] * 5
    weights = DifficultyWeighter().weigh([left, right, left, right]).samples
    assert weights.argmax() == 5
    assert weights[5] > 0.9
    assert (np.delete(weights, 5) < 0.2).all()


@pytest.mark.parametrize("smoothing", [0, -1.0, "a", None])
def test_bad_smoothing(smoothing):
    with pytest.raises(ValueError, match="'smoothing' parameter of DifficultyWeighter"):
        DifficultyWeighter(smoothing).weigh([[0, 1]])
