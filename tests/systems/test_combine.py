import numpy as np
import pytest

import coterie
from coterie import Weights
from coterie.consensus import EAC, LWEA
from coterie.datasets import make_planted_ensemble
from coterie.metrics import ari
from coterie.weighting import AgreementWeighter, EntropyWeighter

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
        coterie.combine(PLANTED.ensemble, 3, "lwea", weights=None), plain
    )
    for weights in (
        Weights(members=np.ones(20)),
        np.ones(20),
        "agreement",
        AgreementWeighter(),
    ):
        labels = coterie.combine(PLANTED.ensemble, 3, "lwea", weights=weights)
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
        coterie.combine([[0, 1]], 2, "lwga")
    with pytest.raises(
        TypeError, match="method as a name or a consensus function, got 3"
    ):
        coterie.combine([[0, 1]], 2, 3)
    with pytest.raises(ValueError, match="not a known weighter name"):
        coterie.combine([[0, 1]], 2, weights="heavy")


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
