"""Outputs of the MDEC authors' program, number by number."""

import numpy as np
import pytest

from coterie import Ensemble
from coterie.consensus import LWEA, LWGP, CoassociationSpectral
from coterie.metrics import ari
from coterie.weighting import EntropyWeighter

NAMES = ["mdec_MF_seed1", "mdec_Yeoh02v1_seed1", "mdec_COIL20_seed2"]


@pytest.fixture(scope="module", params=NAMES)
def reference(request, refs):
    return dict(np.load(refs / f"{request.param}.npz"))


@pytest.fixture(scope="module")
def ensemble(reference):
    return Ensemble(reference["labels"])


@pytest.fixture(scope="module")
def weights(ensemble):
    return EntropyWeighter(theta=1.0).weigh(ensemble)


def n_classes(reference):
    return len(np.unique(reference["truth"]))


def test_eci(reference, ensemble, weights):
    authors = reference["eci"][reference["eci_offsets"] + reference["labels"]]
    ours = weights.clusters[ensemble.offsets[:-1] + ensemble.labels]
    np.testing.assert_allclose(ours, authors, rtol=0, atol=1e-12)


def test_hc_labels_are_identical(reference, ensemble, weights):
    result = LWEA().combine(ensemble, n_classes(reference), weights=weights)
    assert ari(reference["hc"], result.labels) == 1.0


def scatter(points, labels):
    return sum(
        ((points[labels == c] - points[labels == c].mean(axis=0)) ** 2).sum()
        for c in np.unique(labels)
    )


@pytest.mark.parametrize(
    ("key", "method"), [("bg", LWGP), ("sc", CoassociationSpectral)]
)
def test_objective_is_no_worse_than_the_authors(
    key, method, reference, ensemble, weights
):
    """The last step is k-means, which may stop in another optimum."""
    result = method(n_init=10).combine(
        ensemble, n_classes(reference), weights=weights, seed=0
    )
    points = result.details["embedding"]
    authors = scatter(points, reference[key])
    assert result.objective <= authors * (1 + 1e-9)
