"""The dip, the unimodal fit, and valleys between clusters."""

import numpy as np
import oracles
import pytest

from coterie._kernels._dip import valleys
from coterie._linalg._samples import DenseSamples
from coterie.choice._members import _valley, divide_by_kmeans
from coterie.choice._unimodal import fit_unimodal


def mixed(rng, n):
    return np.where(rng.random(n) < 0.5, rng.normal(size=n), rng.normal(4, 1, size=n))


@pytest.mark.parametrize("seed", range(12))
def test_dip(seed):
    rng = np.random.default_rng(seed)
    sample = mixed(rng, rng.integers(2, 14))
    assert fit_unimodal(sample).dip == pytest.approx(oracles.dip(sample), abs=1e-9)


@pytest.mark.parametrize("seed", range(6))
def test_dip_with_equal_values(seed):
    sample = np.random.default_rng(seed).integers(0, 7, size=15)
    assert fit_unimodal(sample).dip == pytest.approx(oracles.dip(sample), abs=1e-9)


@pytest.mark.parametrize("slack", [0.0, 0.1])
@pytest.mark.parametrize("seed", range(5))
def test_the_fit_is_unimodal_and_near(seed, slack):
    sample = mixed(np.random.default_rng(seed), 200)
    fit = fit_unimodal(sample, slack)
    slopes = np.diff(fit.values) / np.diff(fit.knots)
    top = int(np.argmax(slopes))
    assert np.all(np.diff(slopes[: top + 1]) >= -1e-9)
    assert np.all(np.diff(slopes[top:]) <= 1e-9)
    assert (fit.knots[top], fit.knots[top + 1]) == fit.interval
    assert (fit.values[0], fit.values[-1]) == (0.0, 1.0)
    x = np.sort(sample)
    G = np.interp(x, fit.knots, fit.values)
    upto = np.arange(1, 201) / 200
    away = max(np.max(upto - G), np.max(G - upto + 1 / 200))
    assert away <= max(2 * fit.dip, slack) + 1e-9


def test_slack_widens_the_modal_interval():
    sample = np.random.default_rng(0).normal(size=300)
    narrow, wide = fit_unimodal(sample), fit_unimodal(sample, 0.1)
    assert wide.interval[0] <= narrow.interval[0]
    assert wide.interval[1] >= narrow.interval[1]
    assert np.ptp(wide.interval) > np.ptp(narrow.interval)
    assert wide.dip == narrow.dip


def test_draws_have_one_mode_where_the_sample_has_two():
    rng = np.random.default_rng(0)
    sample = np.concatenate([rng.normal(size=250), rng.normal(8, 1, size=250)])
    draws = fit_unimodal(sample).draw(500, rng)
    assert fit_unimodal(sample).dip > 0.1
    assert fit_unimodal(draws).dip < 0.03
    assert sample.min() <= draws.min()
    assert draws.max() <= sample.max()


def test_a_single_value():
    fit = fit_unimodal([3.0, 3.0])
    assert fit.interval == (3.0, 3.0)
    np.testing.assert_array_equal(fit.draw(4, np.random.default_rng(0)), 3.0)


@pytest.mark.parametrize("seed", range(3))
def test_valleys(seed):
    rng = np.random.default_rng(seed)
    points = rng.normal(size=(24, 2)) * [3, 1]
    centers = rng.normal(size=(4, 2)) * [3, 1]
    labels = np.argmin(((points[:, None] - centers) ** 2).sum(-1), axis=1)
    out = np.full((4, 4), -1.0)
    scratch = np.empty((2, 24), dtype=np.int64), np.empty((6, 24))
    valleys(points, labels.astype(np.int32), centers, *scratch, out)
    expected = oracles.valleys(points, labels, centers)
    assert {(a, b) for a, b in np.argwhere(out >= 0).tolist()} == set(expected)
    for pair, depth in expected.items():
        assert out[pair] == pytest.approx(depth, abs=1e-9)


def test_halves_are_clustered_and_the_others_looked_at():
    rng = np.random.default_rng(0)
    points = np.concatenate([rng.normal(size=(12, 2)), rng.normal(9, 1, size=(12, 2))])
    [division] = divide_by_kmeans(points, [2], 1, np.random.default_rng(1))
    order = np.random.default_rng(1).permutation(24)
    depths = []
    for column, seen, unseen in zip(
        division.ensemble.labels.T,
        (order[:12], order[12:]),
        (order[12:], order[:12]),
        strict=True,
    ):
        assert len(set(column[:12])) == len(set(column[12:])) == 1
        assert column[0] != column[-1]
        centers = np.array(
            [points[seen[column[seen] == c]].mean(axis=0) for c in range(2)]
        )
        depth = oracles.valleys(points[unseen], column[unseen], centers)[0, 1]
        found = _valley(points[unseen], column[unseen], centers)
        assert found == pytest.approx(depth, abs=1e-9)
        depths.append(depth)
    assert division.separation == pytest.approx(np.mean(depths), abs=1e-9)


@pytest.mark.parametrize("n", [40, 700])  # one tile, and two
def test_the_best_of_several_starts_is_kept(n):
    rng = np.random.default_rng(n)
    X = rng.normal(size=(n, 3)) + 6 * rng.integers(3, size=(n, 1))
    uniform = rng.random((4, 3, 3))
    samples, ones = DenseSamples(X), np.ones(n)
    found, placed = samples.best_centers(uniform, 50, DenseSamples(X[::2].copy()))
    runs = [
        samples.descend(X[samples.seed(ones, draws)], ones, 50, -np.inf)
        for draws in uniform
    ]
    costs = [samples.own_sqdist(run.centers, run.labels).sum() for run in runs]
    best = runs[int(np.argmin(costs))]
    np.testing.assert_allclose(found, best.centers)
    np.testing.assert_array_equal(placed, best.labels[::2])


def test_centres_of_too_few_distinct_rows_repeat_the_first():
    X = np.repeat([[1.0, 2.0], [5.0, 6.0]], 6, axis=0)
    uniform = np.random.default_rng(0).random((2, 4, 3))
    found, _ = DenseSamples(X).best_centers(uniform, 50, DenseSamples(X))
    assert {tuple(row) for row in found.tolist()} == {(1.0, 2.0), (5.0, 6.0)}
    assert found[2:].tolist() == [[1.0, 2.0]] * 2
