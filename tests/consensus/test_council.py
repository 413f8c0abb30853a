"""A consensus of consensuses: each kind by itself, then the kinds."""

import warnings

import numpy as np
import oracles
import pytest

from coterie import Ensemble
from coterie.consensus import EAC, HBGF, KCC, Council
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Member
from coterie.metrics import ari
from coterie.weighting import AgreementWeighter, EntropyWeighter, KindWeighter

N, K = 36, 3
KINDS = ["a"] * 5 + ["b"] * 4 + ["a"] * 4 + ["c"] * 3
VIEWS = ["raw"] * 9 + ["zscore"] * 4 + ["raw"] * 3
GROUPS = [("a", "raw"), ("b", "raw"), ("a", "zscore"), ("c", "raw")]


def mixed(seed=0, missing=0.0, n_samples=N, noise=0.35):
    """Return members of four groups, the third of which knows little."""
    planted = make_planted_ensemble(
        n_samples, n_clusters=K, n_members=16, noise=noise, random_state=seed
    )
    rng = np.random.default_rng(seed)
    labels = planted.ensemble.labels.copy()
    labels[:, 9:12] = rng.integers(4, size=(n_samples, 3))
    labels[rng.random(labels.shape) < missing] = -1
    return of_kinds(labels), planted.truth


def of_kinds(labels, kinds=KINDS, views=VIEWS):
    members = [
        Member(params={"kind": kind, "view": view})
        for kind, view in zip(kinds, views, strict=True)
    ]
    return Ensemble(list(np.asarray(labels).T), members)


def by_evidence(**params):
    return Council(EAC(), EAC(), **params)


def evidence(labels, weights):
    return EAC().combine(labels, K, weights=weights).labels


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_all_of_it_equals_the_definition(seed, missing):
    ensemble, _ = mixed(seed, missing)
    result = by_evidence().combine(ensemble, K, seed=0)
    expected = oracles.council(ensemble.labels, KINDS, VIEWS, evidence)
    for name in ("kind_steadiness", "kind_weights"):
        np.testing.assert_allclose(
            result.details[name], expected[name], rtol=1e-9, atol=1e-8
        )
    for own, other in zip(
        result.details["kind_labels"].T, expected["kind_labels"].T, strict=True
    ):
        np.testing.assert_array_equal(own < 0, other < 0)
        assert ari(own[own >= 0], other[own >= 0]) == 1.0
    assert ari(result.labels, expected["labels"]) == 1.0
    assert result.details["kind_labels"].dtype == np.int32


@pytest.mark.parametrize("seed", range(3))
def test_given_weights_are_shared_by_groups(seed):
    ensemble, _ = mixed(seed)
    given = np.random.default_rng(seed).uniform(0.5, 2.0, 16)
    result = by_evidence().combine(ensemble, K, weights=given, seed=0)
    expected = oracles.council(ensemble.labels, KINDS, VIEWS, evidence, given)
    np.testing.assert_allclose(result.details["kind_weights"], expected["kind_weights"])
    np.testing.assert_allclose(
        result.details["kind_steadiness"], expected["kind_steadiness"], atol=1e-12
    )
    assert ari(result.labels, expected["labels"]) == 1.0
    share = result.weights.members
    np.testing.assert_allclose(share[:5] / share[0], given[:5] / given[0])


def test_members_share_the_weight_of_their_group():
    ensemble, _ = mixed()
    result = Council().combine(ensemble, K, seed=0)
    w = result.weights.members
    for number, (kind, view) in enumerate(GROUPS):
        own = [(k, v) == (kind, view) for k, v in zip(KINDS, VIEWS, strict=True)]
        total = w[own].sum() / w.sum()
        np.testing.assert_allclose(total, result.details["kind_weights"][number])
        np.testing.assert_allclose(w[own], w[own][0])
    np.testing.assert_allclose(w.mean(), 1.0)
    votes = oracles.votes(ensemble.labels, result.labels, w)
    np.testing.assert_allclose(
        result.confidence, votes[np.arange(N), result.labels], rtol=1e-9
    )


def test_what_disagrees_counts_little():
    ensemble, truth = mixed(1, n_samples=120, noise=0.1)
    result = Council().combine(ensemble, K, seed=0)
    assert ari(truth, result.labels) == 1.0
    assert result.details["kind_weights"].argmin() == 2
    assert result.details["kind_weights"].sum() == pytest.approx(1.0)
    assert (result.details["kind_weights"] > 0).all()


def test_weighters():
    ensemble, _ = mixed(2)
    plain = by_evidence().combine(ensemble, K, seed=0)
    same = by_evidence(weighter=KindWeighter()).combine(ensemble, K, seed=0)
    np.testing.assert_array_equal(
        same.details["kind_weights"], plain.details["kind_weights"]
    )
    equal = by_evidence(weighter=None).combine(ensemble, K, seed=0)
    np.testing.assert_allclose(equal.details["kind_weights"], 0.25)
    agreed = by_evidence(weighter=AgreementWeighter("ari")).combine(ensemble, K, seed=0)
    own = AgreementWeighter("ari").weigh(plain.details["kind_labels"]).members
    np.testing.assert_allclose(agreed.details["kind_weights"], own / own.sum())
    of_clusters = by_evidence(weighter=EntropyWeighter()).combine(ensemble, K, seed=0)
    np.testing.assert_allclose(of_clusters.details["kind_weights"], 0.25)


class Drawn(KindWeighter):
    """Draws its weights."""

    def _weigh(self, task):
        weights = super()._weigh(task)
        rng = np.random.default_rng(task.seed)
        drawn = rng.random(task.ensemble.n_members)
        return type(weights)(members=drawn)


def test_a_seed_fixes_a_weighter_too():
    ensemble, _ = mixed(2)
    council = Council(weighter=Drawn())
    one, two = (council.combine(ensemble, K, seed=5) for _ in range(2))
    np.testing.assert_array_equal(
        one.details["kind_weights"], two.details["kind_weights"]
    )


def test_one_group_is_its_own_consensus():
    ensemble, _ = mixed(3)
    alone = Ensemble(ensemble.labels)  # whose members say nothing of themselves
    result = Council(EAC()).combine(alone, K, seed=0)
    np.testing.assert_array_equal(result.labels, EAC().combine(alone, K).labels)
    np.testing.assert_allclose(
        result.confidence, EAC().combine(alone, K).confidence, rtol=1e-12
    )
    assert result.details["kind_weights"].tolist() == [1.0]
    assert result.details["kind_labels"].shape == (N, 1)


def test_a_group_of_few_members_is_steady():
    labels = np.array([[0, 0, 0], [0, 0, 1], [1, 1, 0], [1, 1, 1]])
    ensemble = of_kinds(labels, ["a", "a", "b"], ["raw"] * 3)
    result = Council().combine(ensemble, 2, seed=0)
    np.testing.assert_array_equal(result.details["kind_steadiness"], [1.0, 1.0])


def test_a_group_that_misses_samples():
    ensemble, truth = mixed(4, n_samples=60, noise=0.1)
    labels = ensemble.labels.copy()
    labels[:20, 13:] = -1  # no member of the last group knows them
    result = Council().combine(of_kinds(labels), K, seed=0)
    own = result.details["kind_labels"][:, 3]
    assert (own[:20] == -1).all()
    assert (own[20:] >= 0).all()
    assert ari(truth, result.labels) == 1.0


def test_halves_that_share_no_sample_are_not_steady():
    labels = np.tile(np.repeat([0, 1], 10)[:, None], (1, 6))
    labels[::2, [0, 2]] = -1
    labels[1::2, [1, 3]] = -1
    ensemble = of_kinds(labels, ["a"] * 4 + ["b"] * 2, ["raw"] * 6)
    result = Council().combine(ensemble, 2, seed=0)
    np.testing.assert_array_equal(result.details["kind_steadiness"], [0.0, 1.0])
    np.testing.assert_array_equal(result.labels, np.repeat([0, 1], 10))


def test_the_order_of_members_inside_groups_apart_does_not_matter():
    ensemble, _ = mixed(5)
    order = np.argsort(VIEWS, kind="stable")  # moves groups, keeps their members' order
    moved = ensemble.subset(order)
    one, two = by_evidence(), by_evidence()
    a, b = one.combine(ensemble, K, seed=0), two.combine(moved, K, seed=0)
    assert ari(a.labels, b.labels) == 1.0
    np.testing.assert_allclose(
        np.sort(a.details["kind_weights"]), np.sort(b.details["kind_weights"])
    )


@pytest.mark.parametrize("final", [HBGF(), KCC(), EAC("complete")])
def test_any_consensus_inside(final):
    ensemble, truth = mixed(6, n_samples=90, noise=0.1)
    result = Council(KCC(), final).combine(ensemble, K, seed=0)
    assert ari(truth, result.labels) == 1.0


def test_as_many_clusters_as_samples_and_few_of_them():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ensemble, _ = mixed(7, n_samples=8)
        assert Council().combine(ensemble, 8, seed=0).labels.max() == 7
        assert Council().combine(ensemble, 1, seed=0).labels.max() == 0


@pytest.mark.parametrize(
    ("params", "text"),
    [
        ({"consensus": "hbgf"}, "'consensus' parameter of Council must be"),
        ({"final": 3}, "'final' parameter of Council must be"),
        ({"weighter": "entropy"}, "'weighter' parameter of Council must be"),
    ],
)
def test_bad_parameters(params, text):
    with pytest.raises(ValueError, match=text):
        Council(**params).combine([[0, 1, 1]], 2)
