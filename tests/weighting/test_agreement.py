import numpy as np
import oracles
import pytest

from coterie import Ensemble
from coterie.datasets import make_planted_ensemble
from coterie.weighting import AgreementWeighter


@pytest.mark.parametrize("measure", ["nmi", "ari"])
def test_weights_equal_the_definition(measure):
    labels = make_planted_ensemble(40, n_members=5, random_state=0).ensemble.labels
    agree = getattr(oracles, measure)
    means = [
        np.mean([agree(labels[:, i], labels[:, j]) for j in range(5) if j != i])
        for i in range(5)
    ]
    weights = AgreementWeighter(measure).weigh(Ensemble(labels)).members
    np.testing.assert_allclose(weights, np.array(means) / np.mean(means), rtol=1e-10)


def test_a_member_that_contradicts_the_rest_counts_little():
    planted = make_planted_ensemble(200, n_members=6, random_state=1)
    labels = planted.ensemble.labels.copy()
    labels[:, 2] = np.random.default_rng(0).permutation(labels[:, 2])
    weights = AgreementWeighter().weigh(labels).members
    assert weights.argmin() == 2
    assert weights[2] < 0.2


def test_no_agreement_at_all_is_no_weighting():
    labels = np.array([[0, 0], [0, 1], [1, 0], [1, 1]])
    np.testing.assert_array_equal(AgreementWeighter().weigh(labels).members, [1, 1])


def test_bad_measure():
    with pytest.raises(ValueError, match="'measure' parameter of AgreementWeighter"):
        AgreementWeighter("vi").weigh([[0, 1]])
