"""Each update of SelfPaced against the paper's equations, the whole, and its edges."""

import warnings

import numpy as np
import pytest
import spce_oracle
from scipy.cluster.hierarchy import average, fcluster
from spce_oracle import Oracle

from coterie import Ensemble, Weights
from coterie.consensus import SelfPaced, _self_paced_core
from coterie.consensus._base import quiet
from coterie.consensus._self_paced_core import Problem, age, descend, member_shares
from coterie.datasets import make_planted_ensemble
from coterie.exceptions import (
    ClusterSizesWarning,
    FewerClustersWarning,
    MemoryLimitError,
)
from coterie.metrics import ari

KINDS = ["plain", "missing", "weighted"]
kinds = pytest.mark.parametrize("kind", KINDS)
seeds = pytest.mark.parametrize("seed", range(4))


class Case:
    """A random problem, collapsed and as n x n matrices, in the same random state."""

    def __init__(self, kind, seed, n=24, m=6, c=3):
        rng = np.random.default_rng(seed)
        planted = make_planted_ensemble(
            n,
            n_clusters=4,
            n_members=m,
            noise=0.25,
            missing=0.2 if kind == "missing" else 0.0,
            random_state=seed,
        )
        self.ensemble = planted.ensemble
        self.weights = np.ones(m)
        if kind == "weighted":
            self.weights = rng.uniform(0.5, 3, m)
        core = self.ensemble.core
        self.index = core.index
        self.problem = Problem.of(core.rows, core.counts, self.weights)
        self.oracle = Oracle(self.ensemble.labels, self.weights)
        self.c = c
        alpha = rng.uniform(0.5, 2, m)
        self.alpha = alpha / (self.weights @ alpha)
        self.S = self.oracle.S_hat * rng.uniform(0.5, 1)  # symmetric, as the rows
        self.S[self.oracle.Omega] = self.oracle.S_hat[self.oracle.Omega]
        rows = rng.standard_normal((len(core), c)) / 3
        self.Y = rows[self.index]

    def listed(self, full):
        """Return the entries of an n x n matrix at the listed pairs of rows."""
        first = np.unique(self.index, return_index=True)[1]
        small = full[np.ix_(first, first)]
        p = self.problem
        return small[np.repeat(np.arange(len(first)), np.diff(p.indptr)), p.indices]

    def expanded(self, listed):
        """Return the n x n matrix of the entries at the listed pairs of rows."""
        p, u = self.problem, len(self.problem.labels)
        small = np.eye(u)
        small[np.repeat(np.arange(u), np.diff(p.indptr)), p.indices] = listed
        return small[np.ix_(self.index, self.index)]

    @property
    def rows_of_Y(self):
        return self.Y[np.unique(self.index, return_index=True)[1]]


@kinds
@seeds
def test_coassociation_is_eq_2(kind, seed):
    case = Case(kind, seed)
    S = case.expanded(case.problem.coassociation())
    np.testing.assert_allclose(S, case.oracle.S_hat, atol=1e-14)


@kinds
@seeds
def test_weights_of_pairs_are_eq_13(kind, seed):
    case = Case(kind, seed)
    for r in (0.9, 0.7, 0.5):
        lam = age(r, case.weights.sum())
        assert lam == pytest.approx(spce_oracle.age(r, case.weights.sum()))
        W = case.problem.pair_weights(case.listed(case.S), case.alpha, lam)
        expected = case.oracle.W(case.S, case.alpha, lam)
        np.testing.assert_allclose(W, case.listed(expected), rtol=1e-12)
        assert np.ptp(W) > 0
        sums = case.problem.sum_of_weights(W)[case.index]
        np.testing.assert_allclose(sums, expected.sum(axis=1), rtol=1e-12)


@kinds
@seeds
@pytest.mark.parametrize("theta", [0.0, 0.3, 0.6])
def test_similarity_is_eqs_16_and_17(kind, seed, theta):
    case = Case(kind, seed)
    m = case.weights.sum()
    gamma, rho = (theta * m) ** 2, 5.0
    W = case.oracle.W(case.S, case.alpha, age(0.8, m))
    S, listed_W = case.listed(case.S), case.listed(W)
    before = case.oracle.objective(case.S, W, case.Y, case.alpha, 0, gamma, rho)
    fit = case.problem.update_similarity(
        S, listed_W, case.rows_of_Y, case.alpha, rho, gamma
    )
    expected = case.oracle.S(W, case.Y, case.alpha, rho, gamma)
    np.testing.assert_allclose(case.expanded(S), expected, atol=1e-12)
    np.testing.assert_allclose(fit.residuals, case.oracle.residuals(expected, W))
    after = case.oracle.objective(expected, W, case.Y, case.alpha, 0, gamma, rho)
    for terms, whole in ((fit.before, before), (fit.after, after)):
        found = terms.objective(gamma, rho)
        assert found == pytest.approx(whole, rel=1e-12)
    assert after < before


@seeds
def test_similarity_minimises_eq_15(seed):
    case = Case("plain", seed)
    m = case.weights.sum()
    gamma, rho = (0.4 * m) ** 2, 20.0
    W = case.oracle.W(case.S, case.alpha, age(0.8, m))
    S = case.listed(case.S)
    case.problem.update_similarity(
        S, case.listed(W), case.rows_of_Y, case.alpha, rho, gamma
    )
    S = case.expanded(S)
    D = ((case.Y[:, None] - case.Y[None]) ** 2).sum(axis=2)

    def eq_15(s):
        loss = np.tensordot(1 / case.alpha, case.oracle.losses(s), 1) * W**2
        return loss + gamma * (s != 0) + rho * D * s

    best = eq_15(S)
    free = ~case.oracle.Omega
    for s in np.linspace(0, 1, 101):
        other = eq_15(np.full_like(S, s))
        assert (best <= other + 1e-9)[free].all()


@kinds
@seeds
@pytest.mark.parametrize("dense", [True, False])
def test_eigenvectors_are_eq_18(kind, seed, dense, monkeypatch):
    if not dense:
        monkeypatch.setattr(_self_paced_core, "_DENSE_UP_TO", 0)
        monkeypatch.setattr(_self_paced_core, "_DENSE_WIDTH", 0)
    case = Case(kind, seed)
    found = case.problem.spectrum(case.listed(case.S), case.c)
    values, Y = case.oracle.Y(case.S, case.c)
    assert found.is_exact
    np.testing.assert_allclose(found.values, values[: case.c], atol=1e-8)
    # Vectors may be rotated; distances of rows, which S needs, may not.
    ours = found.Y[case.index]
    np.testing.assert_allclose(ours @ ours.T, Y @ Y.T, atol=1e-7)
    np.testing.assert_allclose(ours.T @ ours, np.eye(case.c), atol=1e-9)


def test_shares_of_members_are_eq_21():
    residuals, weights = np.array([1.0, 4.0, 9.0]), np.array([1.0, 2.0, 1.0])
    alpha = member_shares(residuals, weights)
    np.testing.assert_allclose(alpha, np.array([1, 2, 3]) / 8)
    assert weights @ alpha == pytest.approx(1)
    rng = np.random.default_rng(0)
    for other in rng.dirichlet(np.ones(3), 100) / weights:
        assert (weights / alpha) @ residuals <= (weights / other) @ residuals + 1e-12


def test_shares_of_members_that_agree_with_S():
    np.testing.assert_allclose(member_shares(np.zeros(4), np.ones(4)), 0.25)
    alpha = member_shares(np.array([0.0, 1.0]), np.ones(2))
    assert 0 < alpha[0] < 1e-15


def full_similarity(ensemble, c, theta, *, exact, pace="self", weights=None):
    """Return S of the samples and the records."""
    m = ensemble.n_members
    core = ensemble.core
    rows, counts, index = core.rows, core.counts, core.index
    if exact:
        n = ensemble.n_samples
        rows, counts, index = ensemble.labels, np.ones(n), np.arange(n)
    weights = np.ones(m) if weights is None else weights
    problem = Problem.of(rows, counts, weights)
    outcome = descend(problem, c, theta, pace)
    small = np.eye(len(rows))
    at = np.repeat(np.arange(len(rows)), np.diff(problem.indptr))
    small[at, problem.indices] = outcome.S
    return small[np.ix_(index, index)], outcome


@pytest.mark.slow
@kinds
@pytest.mark.parametrize("theta", [0.0, 0.3, 0.5])
@pytest.mark.parametrize("pace", ["self", "fixed", "none"])
def test_whole_is_algorithm_1(kind, theta, pace):
    n_exact = 0
    for seed in range(5):
        case = Case(kind, seed, n=30)
        labels, weights = case.ensemble.labels, case.weights
        expected, component = spce_oracle.spce(labels, 3, theta, pace, weights)
        S, outcome = full_similarity(
            case.ensemble, 3, theta, exact=False, pace=pace, weights=weights
        )
        if all(outcome.records["exact"]):
            n_exact += 1
            np.testing.assert_allclose(S, expected, atol=1e-8)
            found = outcome.spectrum.component[case.index]
            assert ari(component, found) == 1.0
        S, outcome = full_similarity(
            case.ensemble, 3, theta, exact=True, pace=pace, weights=weights
        )
        np.testing.assert_allclose(S, expected, atol=1e-8)
    assert n_exact >= 3


@pytest.mark.slow
@pytest.mark.parametrize("theta", [0.0, 0.2, 0.3, 0.5, 0.8])
@pytest.mark.parametrize("pace", ["self", "fixed", "none"])
def test_objective_never_rises_in_an_inner_loop(theta, pace):
    for seed in range(8):
        hard = make_planted_ensemble(
            60, n_clusters=5, n_members=9, noise=0.4, random_state=seed
        )
        part = SelfPaced(theta, pace=pace)
        details = part.combine(hard.ensemble, 5, seed=0).details
        steps = details["objective"]  # before, after S, after Y, after alpha
        assert steps.shape == (len(details["rho"]), 4)
        rise = np.diff(steps, axis=1) / np.abs(steps).max(axis=1, keepdims=True)
        assert rise.max() <= 1e-13
        # An iteration begins where the last one ended, if rho, W and Y are the same.
        kept = (
            (np.diff(details["rho"]) == 0)
            & (np.diff(details["stage"]) == 0)
            & (details["n_components"][:-1] <= 5)
        )
        np.testing.assert_allclose(steps[1:, 0][kept], steps[:-1, 3][kept], rtol=1e-9)


@pytest.mark.parametrize("theta", [0.1, 0.3, 0.5])
def test_collapsed_and_exact_agree_where_the_check_holds(theta):
    n_exact = 0
    for seed in range(8):
        hard = make_planted_ensemble(
            90, n_clusters=4, n_members=5, noise=0.3, random_state=seed
        )
        collapsed, outcome = full_similarity(hard.ensemble, 4, theta, exact=False)
        if not all(outcome.records["exact"]):
            continue
        n_exact += 1
        whole, _ = full_similarity(hard.ensemble, 4, theta, exact=True)
        assert np.abs(collapsed - whole).max() < 1e-8
    assert n_exact >= 6


def test_where_the_check_fails_rows_stay_together():
    """Two samples of a row that is hardly joined, and more clusters than the rest has.

    The paper's Y then has a vector that tells the two apart, the collapsed one has not;
    S differs, but samples of the same row are certain and stay together in both.
    """
    labels = np.array([[0, 0, 0]] * 30 + [[0, 0, 1]] * 30 + [[0, 1, 2]] * 2)
    labels = np.vstack([labels, [[1, 1, 2]] * 30, [[1, 2, 2]] * 30])
    ensemble = Ensemble(labels)
    collapsed, outcome = full_similarity(ensemble, 5, 0.0, exact=False)
    whole, _ = full_similarity(ensemble, 5, 0.0, exact=True)
    assert not all(outcome.records["exact"])
    assert np.abs(collapsed - whole).max() > 1e-3
    for S in (collapsed, whole):
        np.testing.assert_array_equal(S[60:62, 60:62], 1.0)
    result = SelfPaced(0.0).combine(ensemble, 5)
    assert not result.details["exact"].all()
    assert len(set(result.labels[60:62])) == 1


def test_details_and_what_was_learned():
    hard = make_planted_ensemble(
        80, n_clusters=4, n_members=10, noise=0.3, random_state=1
    )
    result = SelfPaced().combine(hard.ensemble, 4, seed=0)
    details = result.details
    assert result.n_iter == len(details["rho"]) == len(details["stage"])
    assert result.objective == details["objective"][-1, -1]
    assert sorted(set(details["stage"])) == [0.5, 0.6, 0.7, 0.8, 0.9]
    assert details["mean_weight"].shape == (5, 80)
    assert (np.diff(details["mean_weight"].mean(axis=1)) >= 0).all()  # easy ones first
    np.testing.assert_allclose(details["difficulty"], 1 - details["mean_weight"][0])
    # Samples that members dispute are the difficult ones: at first S is the mean of
    # the members, and W is one where nine of ten agree (Eqs. 22, 23).
    S = hard.ensemble.coassociation().astype(float)
    with np.errstate(divide="ignore"):
        W = np.minimum(0.9 * 0.1 / (S * (1 - S)), 1)
    np.testing.assert_allclose(details["difficulty"], 1 - W.mean(axis=1), atol=1e-6)
    np.testing.assert_allclose(result.weights.members.mean(), 1)
    np.testing.assert_allclose(result.weights.samples, 1 - details["difficulty"])
    np.testing.assert_allclose(
        result.weights.members * details["alpha"],
        result.weights.members[0] * details["alpha"][0],
    )


def test_a_noisy_member_counts_less():
    clean = make_planted_ensemble(
        90, n_clusters=3, n_members=8, noise=0.1, random_state=0
    )
    noise = np.random.default_rng(0).integers(0, 3, 90)
    ensemble = Ensemble(np.column_stack([clean.ensemble.labels, noise]))
    weights = SelfPaced().combine(ensemble, 3, seed=0).weights.members
    assert weights.argmin() == 8


def test_exactly_or_as_found():
    hard = make_planted_ensemble(
        100, n_clusters=4, n_members=10, noise=0.45, random_state=2
    )
    found = SelfPaced(0.7, components="found").combine(hard.ensemble, 4, seed=0)
    exact = SelfPaced(0.7, components="exact").combine(hard.ensemble, 4, seed=0)
    n_found = found.labels.max() + 1
    assert n_found > 4
    assert exact.labels.max() + 1 == 4
    assert not exact.converged
    assert ari(found.labels, exact.details["components"]) == 1.0
    # Components are merged, never split.
    pairs = set(zip(found.labels.tolist(), exact.labels.tolist(), strict=True))
    assert len(pairs) == n_found


@pytest.mark.parametrize("theta", [0.2, 0.4])
def test_linkage_is_that_of_all_samples(theta):
    n_exact = 0
    for seed in range(6):
        case = Case("weighted", seed, n=20)  # no two similarities tie
        labels = np.repeat(case.ensemble.labels, np.arange(20) % 3 + 1, axis=0)
        oracle = Oracle(labels, case.weights)
        S, _ = spce_oracle.spce(labels, 3, theta, weights=case.weights)
        mixed = 0.99 * S + 0.01 * oracle.S_hat
        tree = average(1 - mixed[np.triu_indices(len(S), 1)])
        result = SelfPaced(theta).combine(labels, 3, weights=case.weights)
        if not result.details["exact"].all():
            continue
        n_exact += 1
        assert result.labels.max() == 2
        assert ari(fcluster(tree, 3, "maxclust"), result.labels) == 1.0
    assert n_exact >= 4


def chained_clusters():
    """Return four clusters of 20, samples that lead from one to the next, and three
    samples that belong nowhere."""
    clusters = np.repeat(np.arange(4), 20)[:, None] * np.ones(10, dtype=int)
    ladder = [[a] * (10 - j) + [a + 1] * j for a in range(3) for j in range(1, 10)]
    strays = [[(i + (i % 3 + 1) * j) % 4 for j in range(10)] for i in range(3)]
    return Ensemble(np.vstack([clusters, ladder, strays]))


def test_linkage_does_not_chain():
    ensemble = chained_clusters()
    with pytest.warns(ClusterSizesWarning, match="one cluster has 107 of 110 samples"):
        chained = SelfPaced(0.5, components="exact").combine(ensemble, 4, seed=0)
    assert chained.converged  # which says nothing about the clusters
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sizes = np.bincount(SelfPaced(0.5).combine(ensemble, 4).labels)
        quiet(SelfPaced(0.5, components="exact")).combine(ensemble, 4, seed=0)
    assert sizes.size == 4
    assert sizes.min() > 20


def test_a_giant_is_measured_against_members_with_more_clusters():
    quarters = np.repeat(np.arange(4), 15)[:, None] * np.ones(6, dtype=int)
    quarters[[0, 30], :3] += 1  # between the first two, and between the last two
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        labels = SelfPaced().combine(quarters, 2).labels
    np.testing.assert_array_equal(labels, np.repeat([0, 1], 30))


def test_components_are_merged_by_mean_coassociation():
    # theta leaves four components; the two that one member in three joins are merged.
    labels = np.repeat([[0, 0, 0], [0, 1, 1], [1, 2, 2], [2, 3, 3]], [4, 3, 5, 2], 0)
    result = SelfPaced(0.9, components="exact").combine(labels, 3)
    assert result.details["components"].max() == 3
    np.testing.assert_array_equal(result.labels, np.repeat([0, 0, 1, 2], [4, 3, 5, 2]))
    assert not result.converged


def test_components_are_split_by_Y():
    # One iteration of nothing: a chain of two groups stays one component.
    a, b = [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]
    labels = np.array([a] * 6 + [[0, 0, 0, 1, 1]] + [b] * 6)
    part = SelfPaced(0.0, components="exact", max_iter=1, last_max_iter=1)
    result = part.combine(labels, 2, seed=0)
    assert result.details["components"].max() == 0
    assert not result.converged
    assert result.labels.max() == 1
    assert ari(np.repeat([0, 1], [7, 6]), result.labels) == 1.0


@pytest.mark.parametrize("theta", [0.0, 0.3, 0.9])
@pytest.mark.parametrize("exact", [False, True])
@pytest.mark.parametrize("components", ["linkage", "exact"])
def test_as_many_clusters_as_rows_and_more(theta, exact, components):
    rng = np.random.default_rng(0)
    rows = np.unique(rng.integers(0, 3, (12, 4)), axis=0)
    labels = np.repeat(rows, 2, axis=0)
    u = len(rows)
    part = SelfPaced(theta, exact=exact, components=components)
    assert part.combine(labels, u, seed=0).labels.max() + 1 == u
    with pytest.warns(FewerClustersWarning, match=f"found {u} clusters, fewer than"):
        result = part.combine(labels, u + 2, seed=0)
    assert result.labels.max() + 1 == u
    assert not result.converged


def test_one_cluster():
    result = SelfPaced().combine([[0, 0, 1], [0, 1, 1]], 1)
    np.testing.assert_array_equal(result.labels, 0)


def test_one_member():
    labels = np.array([0, 0, 1, 1, 2, 2])[:, None]
    same = SelfPaced().combine(labels, 3)
    np.testing.assert_array_equal(same.labels, labels[:, 0])
    assert same.converged
    fewer = SelfPaced().combine(labels, 2)
    assert fewer.labels.max() + 1 == 2
    assert not fewer.converged


def test_identical_members():
    labels = np.repeat(np.arange(4), 5)[:, None] * np.ones(6, dtype=int)
    result = SelfPaced().combine(labels, 4)
    np.testing.assert_array_equal(result.labels, labels[:, 0])
    assert result.converged
    np.testing.assert_allclose(result.details["alpha"], 1 / 6)
    np.testing.assert_allclose(result.details["difficulty"], 0.0)
    assert np.isfinite(result.details["objective"]).all()


@pytest.mark.filterwarnings("ignore::coterie.exceptions.ClusterSizesWarning")
def test_members_that_all_disagree():
    labels = np.array([[i // 4, i % 4, (i // 4 + i % 4) % 4] for i in range(16)])
    for theta in (0.0, 0.2, 0.3, 0.5):
        result = SelfPaced(theta).combine(labels, 4, seed=0)
        assert result.labels.max() + 1 == 4
        assert np.isfinite(result.details["objective"]).all()


def test_missing_labels_are_not_observed():
    # Samples 0 and 1 are together wherever both are seen; 4 is seen with 5 only.
    labels = np.array(
        [[0, 0, -1], [0, -1, 0], [1, 1, 1], [1, 1, -1], [-1, 2, 2], [-1, 2, 2]]
    )
    result = SelfPaced().combine(labels, 3)
    assert ari([0, 0, 1, 1, 2, 2], result.labels) == 1.0
    np.testing.assert_allclose(result.details["difficulty"], 0.0)
    # Where two samples are seen together but once or twice, being together then is no
    # certainty; the samples still find their clusters.
    planted = make_planted_ensemble(
        60, n_clusters=3, n_members=12, missing=0.5, random_state=0
    )
    assert ari(planted.truth, SelfPaced(0.1).combine(planted.ensemble, 3).labels) > 0.9


def test_samples_that_no_member_sees_together_are_not_joined():
    labels = np.array([[0, -1], [0, -1], [-1, 0], [-1, 0]])
    result = SelfPaced(0.0).combine(labels, 2)
    np.testing.assert_array_equal(result.labels, [0, 0, 1, 1])


def test_a_member_of_weight_zero_is_removed_from_what_is_learned():
    hard = make_planted_ensemble(
        60, n_clusters=3, n_members=6, noise=0.3, random_state=0
    )
    weights = np.array([1.0, 1, 0, 1, 2, 1])
    result = SelfPaced().combine(hard.ensemble, 3, weights=weights, seed=0)
    kept = np.flatnonzero(weights)
    alone = SelfPaced().combine(
        hard.ensemble.subset(kept), 3, weights=weights[kept], seed=0
    )
    np.testing.assert_array_equal(result.labels, alone.labels)
    assert result.weights.members[2] == 0
    np.testing.assert_allclose(result.weights.members[kept], alone.weights.members)


def test_a_weight_of_two_is_a_member_twice_exactly():
    hard = make_planted_ensemble(
        60, n_clusters=4, n_members=6, noise=0.35, random_state=3
    )
    twice = Ensemble.concatenate([hard.ensemble, hard.ensemble.subset([4])])
    weights = Weights(members=[1, 1, 1, 1, 2, 1])
    one = SelfPaced().combine(hard.ensemble, 4, weights=weights, seed=0)
    two = SelfPaced().combine(twice, 4, seed=0)
    np.testing.assert_array_equal(one.labels, two.labels)
    np.testing.assert_allclose(
        one.details["objective"], two.details["objective"], rtol=1e-9
    )


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"theta": 1.0}, "'theta' parameter of SelfPaced"),
        ({"theta": -0.1}, "'theta' parameter of SelfPaced"),
        ({"pace": "fast"}, "'pace' parameter of SelfPaced"),
        ({"components": "some"}, "'components' parameter of SelfPaced"),
        ({"max_iter": 0}, "'max_iter' parameter of SelfPaced"),
    ],
)
def test_bad_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        SelfPaced(**params).combine([[0, 1, 2]], 2)


def test_memory_limit_is_told_before_any_work(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    labels = np.random.default_rng(0).integers(0, 2, (60, 8))
    with pytest.raises(MemoryLimitError, match=r"SelfPaced on \d+ distinct label rows"):
        SelfPaced().combine(labels, 3)


@pytest.mark.slow
def test_large_and_dense_eigensolvers_agree(monkeypatch):
    hard = make_planted_ensemble(
        300, n_clusters=6, n_members=12, noise=0.4, random_state=0
    )
    dense, _ = full_similarity(hard.ensemble, 6, 0.2, exact=False)
    monkeypatch.setattr(_self_paced_core, "_DENSE_UP_TO", 0)
    monkeypatch.setattr(_self_paced_core, "_DENSE_WIDTH", 0)
    other, _ = full_similarity(hard.ensemble, 6, 0.2, exact=False)
    assert np.abs(dense - other).max() < 1e-6


def test_theta_cuts_at_once_what_less_than_1_minus_009_by_theta_agree_on():
    labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 2], [1, 2, 2]])  # s = 2/3 in pairs
    for theta, n_found in ((0.26, 2), (0.28, 4)):  # 1 - 0.09 / theta = 0.65, 0.68
        details = SelfPaced(theta).combine(labels, 2).details
        assert details["n_components"][0] == n_found


def test_no_warnings():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        SelfPaced().combine([[0, 0, 1, 1], [0, 1, 1, 0]], 2)
