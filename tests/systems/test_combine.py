import numpy as np
import pytest

import coterie
from coterie import Weights
from coterie.consensus import EAC, LWEA
from coterie.datasets import make_planted_ensemble
from coterie.metrics import ari
from coterie.weighting import AgreementWeighter, EntropyWeighter

TWO = [[0, 1], [0, 1]]
PLANTED = make_planted_ensemble(80, n_clusters=3, random_state=0)


def test_method_by_name_and_by_object():
    weights = EntropyWeighter().weigh(PLANTED.ensemble)
    expected = LWEA().combine(PLANTED.ensemble, 3, weights=weights).labels
    for method in ("lwea", "LWEA", LWEA(), None):
        np.testing.assert_array_equal(
            coterie.combine(PLANTED.ensemble.labels, 3, method), expected
        )


def test_weights_of_every_kind():
    plain = EAC().combine(PLANTED.ensemble, 3).labels
    np.testing.assert_array_equal(
        coterie.combine(PLANTED.ensemble, 3, "lwea", weighter=None), plain
    )
    for weights in (
        {"weights": Weights(members=np.ones(20))},
        {"weights": np.ones(20)},
        {"weighter": "agreement"},
        {"weighter": AgreementWeighter()},
    ):
        labels = coterie.combine(PLANTED.ensemble, 3, "lwea", **weights)
        assert ari(PLANTED.truth, labels) > 0.95


def test_the_whole_result():
    result = coterie.combine(PLANTED.ensemble, 3, return_result=True)
    assert result.confidence.shape == (80,)


def test_many_samples_are_combined_without_a_quadratic_method(monkeypatch):
    def quadratic(*args):
        raise AssertionError("a tree of 20,001 samples")

    monkeypatch.setattr(LWEA, "_combine", quadratic)
    labels = np.arange(20_001)[:, None] % np.array([2, 3, 2])
    assert coterie.combine(labels, 2, random_state=0).shape == (20_001,)


def test_errors():
    with pytest.raises(ValueError, match=r"'lwga' is not a known .*Did you mean lwgp"):
        coterie.combine(TWO, 2, "lwga")
    with pytest.raises(
        TypeError, match="consensus as a name or a consensus function, got 3"
    ):
        coterie.combine(TWO, 2, 3)
    with pytest.raises(ValueError, match="not a known weighter name"):
        coterie.combine(TWO, 2, weighter="heavy")


def test_members_of_every_form():
    first, second = [0, 0, 1, 1], ["a", "a", "b", "b"]
    for members in ([first, second], {"one": first, "two": second}):
        labels = coterie.combine(members, 2)
        np.testing.assert_array_equal(labels, [0, 0, 1, 1])


@pytest.mark.parametrize(
    "labels", [[[0, 1, 1]], np.array([[0], [1], [1]]), coterie.Ensemble([[0, 1, 1]])]
)
def test_one_labeling_is_not_combined(labels):
    text = "one labeling is not an ensemble, so there is nothing to combine. Pass sever"
    with pytest.raises(ValueError, match=f"combine: {text}"):
        coterie.combine(labels, 2)
    with pytest.raises(ValueError, match=f"compare: {text}"):
        coterie.compare(labels, 2)


def test_auto_takes_the_number_that_agrees_best_with_the_members():
    result = coterie.combine(PLANTED.ensemble, "auto", return_result=True)
    tried, nmi = result.details["k_tried"], result.details["mean_nmi"]
    assert result.labels.max() + 1 == tried[nmi.argmax()]
    sizes = PLANTED.ensemble.n_clusters_per_member
    assert tried.tolist() == list(range(sizes.min(), sizes.max() + 1))


def test_a_subclass_has_the_weights_of_its_base():
    class Mine(LWEA):
        pass

    noisy = make_planted_ensemble(80, n_clusters=3, noise=0.6, random_state=1).ensemble
    result = coterie.combine(noisy, 3, Mine(), return_result=True)
    expected = coterie.combine(noisy, 3, "lwea", return_result=True)
    plain = coterie.combine(noisy, 3, Mine(), weighter=None, return_result=True)
    linkage = [r.details["linkage"] for r in (result, expected, plain)]
    np.testing.assert_array_equal(linkage[0], linkage[1])
    assert not np.array_equal(linkage[0], linkage[2])
