"""Weights by steadiness and by what other kinds say."""

import numpy as np
import oracles
import pytest

from coterie import Ensemble
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Member
from coterie.metrics._kinds import agreement_with_other_kinds
from coterie.weighting import KindWeighter

KINDS = ["a", "b", "a", "c", "b", "a"]
STEADY = [1.0, 0.5, None, 0.25, 0.9, 1.0]


def noisy(missing=0.0, kinds=KINDS, steady=STEADY):
    planted = make_planted_ensemble(
        40, n_members=len(kinds), noise=0.4, missing=missing, random_state=0
    )
    members = [
        Member(params={"kind": k} if s is None else {"kind": k, "steadiness": s})
        for k, s in zip(kinds, steady, strict=True)
    ]
    return Ensemble(planted.ensemble.labels, members)


@pytest.mark.parametrize("missing", [0.0, 0.4])
@pytest.mark.parametrize("power", [0.0, 0.5, 1.0, 3.5])
def test_weights_equal_the_definition(missing, power):
    ensemble = noisy(missing)
    agreement = oracles.kind_agreement(ensemble.labels, KINDS)
    np.testing.assert_allclose(agreement_with_other_kinds(ensemble), agreement)
    steady = [1.0 if s is None else s for s in STEADY]
    expected = (agreement * steady) ** power
    weights = KindWeighter(power).weigh(ensemble).members
    np.testing.assert_allclose(weights, expected / expected.mean(), rtol=1e-10)


@pytest.mark.parametrize("kinds", [["a"] * 6, ["a"], ["a", "b"]])
def test_one_kind_is_compared_with_itself(kinds):
    ensemble = noisy(kinds=kinds, steady=[1.0] * len(kinds))
    expected = np.sqrt(oracles.kind_agreement(ensemble.labels, kinds))
    weights = KindWeighter().weigh(ensemble).members
    np.testing.assert_allclose(weights, expected / expected.mean())
    np.testing.assert_allclose(
        KindWeighter().weigh(Ensemble(ensemble.labels)).members,
        KindWeighter()
        .weigh(noisy(kinds=["x"] * len(kinds), steady=[1.0] * len(kinds)))
        .members,
    )


def test_members_of_one_kind_do_not_praise_each_other():
    good, bad = [0, 0, 0, 1, 1, 1], [0, 1, 0, 1, 0, 1]
    kinds = ["bad"] * 5 + ["good", "other"]
    members = [Member(params={"kind": kind}) for kind in kinds]
    weights = KindWeighter().weigh(Ensemble([bad] * 5 + [good, good], members)).members
    assert weights[:5].max() < 0.1
    assert weights[5:].min() > 1


def test_no_agreement_at_all_is_no_weighting():
    members = [Member(params={"kind": kind}) for kind in "ab"]
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    weights = KindWeighter().weigh(Ensemble(labels, members)).members
    np.testing.assert_array_equal(weights, [1, 1])
    unsteady = [Member(params={"kind": kind, "steadiness": 0.0}) for kind in "ab"]
    same = Ensemble(labels[:, [0, 0]], unsteady)
    np.testing.assert_array_equal(KindWeighter().weigh(same).members, [1, 1])


def test_bad_power():
    with pytest.raises(ValueError, match="'power' parameter of KindWeighter must be"):
        KindWeighter(-1).weigh([[0, 1]])
