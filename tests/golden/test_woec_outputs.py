"""Outputs of the WOEC authors' program, number by number."""

import numpy as np
import pytest

from coterie import Ensemble
from coterie.consensus import WOHB, WOMC, WOSP
from coterie.consensus._weighted_objects import probabilities, unit_descriptions
from coterie.metrics import ari
from coterie.weighting import DifficultyWeighter


@pytest.fixture(scope="module")
def reference(refs):
    return dict(np.load(refs / "woec_Iris.npz"))


@pytest.fixture(scope="module")
def ensemble(reference):
    return Ensemble(reference["base_labels"])


@pytest.fixture(scope="module")
def weights(ensemble):
    return DifficultyWeighter().weigh(ensemble)


@pytest.fixture(scope="module")
def P(ensemble, weights, reference):
    return probabilities(ensemble, weights, reference["X_zscored"], "first", "test")


def columns(reference, ensemble):
    """The authors' number of each of our clusters, which are coded by appearance."""
    theirs = reference["base_labels"]
    starts = np.concatenate([[0], np.cumsum(theirs.max(axis=0) + 1)])[:-1]
    found = np.empty(ensemble.n_total_clusters, dtype=int)
    found[ensemble.offsets[:-1] + ensemble.labels] = starts + theirs
    return found


def test_coassociation(reference, ensemble):
    ours = ensemble.coassociation()
    np.testing.assert_allclose(ours, reference["coassociation"], atol=1e-6)


def test_weights(reference, weights):
    np.testing.assert_allclose(weights.samples, reference["weight"], rtol=0, atol=1e-14)


def test_probabilities_of_wohb(reference, ensemble, P):
    authors = reference["P_wohb"][:, columns(reference, ensemble)]
    np.testing.assert_allclose(P, authors, rtol=0, atol=1e-12)


def test_similarity_of_wosp(reference, ensemble, P):
    Q = unit_descriptions(P, ensemble.offsets)
    np.testing.assert_allclose(Q @ Q.T, reference["S_wosp"], rtol=0, atol=1e-12)


def cut(S, labels):
    return S[labels[:, None] != labels].sum() / 2


def test_wosp_cuts_no_more_than_the_authors(reference, ensemble, weights):
    """Both are METIS, from another seed; parts that are equal too."""
    pytest.importorskip("pymetis")
    X = reference["X_zscored"]
    result = WOSP("first").combine(ensemble, 3, weights=weights, X=X, seed=0)
    authors = cut(reference["S_wosp"], reference["wosp"])
    assert cut(reference["S_wosp"], result.labels) <= 1.005 * authors
    np.testing.assert_allclose(
        result.objective, cut(reference["S_wosp"], result.labels), rtol=1e-5
    )
    assert result.details["balance"] < 1.05


@pytest.mark.parametrize(("key", "method"), [("wohb", WOHB("first")), ("womc", WOMC())])
def test_labels_are_near_the_authors(key, method, reference, ensemble, weights):
    pytest.importorskip("pymetis")
    X = reference["X_zscored"]
    result = method.combine(ensemble, 3, weights=weights, X=X, seed=0)
    assert ari(reference[key], result.labels) > 0.9
