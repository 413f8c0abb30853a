"""Choosing members: each rule against its plain form."""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

from coterie.consensus import EAC
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Ensemble
from coterie.experimental import AdaptiveSelection
from coterie.metrics import member_agreement, nmi
from coterie.weighting import ClusterSelection, HullSelection, JointSelection

ENSEMBLE = make_planted_ensemble(120, n_members=12, noise=0.3, random_state=1).ensemble


def chosen(weighter, ensemble=ENSEMBLE):
    members = weighter.weigh(ensemble).members
    assert set(members) <= {0.0, 1.0}
    return np.flatnonzero(members)


def joint(S, agreement, alpha):
    quality = agreement[list(S)].sum()
    apart = sum(1 - agreement[i, j] for i in S for j in S if i != j)
    return alpha * quality + (1 - alpha) * apart


@pytest.mark.parametrize("alpha", [0.0, 0.5, 1.0])
def test_the_joint_criterion_grows_greedily(alpha):
    agreement = member_agreement(ENSEMBLE)
    S = [int(agreement.sum(axis=1).argmax())]
    while len(S) < 5:
        rest = [m for m in range(12) if m not in S]
        S.append(max(rest, key=lambda m: joint([*S, m], agreement, alpha)))
    found = chosen(JointSelection(5, alpha=alpha))
    np.testing.assert_array_equal(found, np.sort(S))


def test_the_best_of_each_group_is_kept():
    a, b, c = (ENSEMBLE.labels[:, m].copy() for m in (0, 1, 2))
    rng = np.random.default_rng(0)
    b, c = rng.permutation(b), rng.permutation(c)
    groups = np.column_stack([a, a, a, b, b, c])  # three opinions
    found = chosen(ClusterSelection(3), Ensemble(groups))
    assert found.tolist() == [0, 3, 5]


def test_pairs_on_the_hull_are_kept():
    agreement = member_agreement(ENSEMBLE)
    quality = agreement.sum(axis=1)
    pairs = [(i, j) for i in range(12) for j in range(i + 1, 12)]
    points = [(1 - agreement[i, j], (quality[i] + quality[j]) / 2) for i, j in pairs]
    corners = ConvexHull(np.array(points)).vertices
    expected = sorted({m for v in corners for m in pairs[v]})
    assert chosen(HullSelection()).tolist() == expected
    assert len(expected) < 12


def test_stable_ensembles_are_kept_whole():
    assert chosen(AdaptiveSelection(threshold=0.0)).size == 12


def test_unstable_ensembles_keep_what_differs():
    k = int(np.median(ENSEMBLE.n_clusters_per_member))
    combined = EAC().combine(ENSEMBLE, k).labels
    near = [nmi(combined, ENSEMBLE.labels[:, m]) for m in range(12)]
    found = chosen(AdaptiveSelection(threshold=1.0))
    np.testing.assert_array_equal(found, np.sort(np.argsort(near)[:6]))


@pytest.mark.parametrize(
    "weighter", [JointSelection(), ClusterSelection(), HullSelection()]
)
def test_half_or_fewer_of_few_members(weighter):
    assert chosen(weighter, Ensemble([[0, 0, 1]])).tolist() == [0]
    assert chosen(weighter, Ensemble([[0, 0, 1]] * 2)).size >= 1
    assert chosen(JointSelection(50)).size == 12
    assert chosen(JointSelection()).size == 6
