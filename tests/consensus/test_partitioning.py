"""CSPA, MCLA, HGPA and HBGF by partitions."""

import numpy as np
import oracles
import pytest

from coterie import Ensemble, Weights, _validation
from coterie.consensus import CSPA, HBGF, HGPA, MCLA
from coterie.datasets import make_planted_ensemble
from coterie.ensemble._coassociation import coassociation_rows
from coterie.metrics import ari

pytest.importorskip("pymetis")
pytest.importorskip("mtkahypar")

PLANTED = make_planted_ensemble(
    150, n_clusters=3, n_members=10, noise=0.05, random_state=0
)
METHODS = [CSPA(), MCLA(), HGPA(), HBGF(partition="metis")]
every = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)


@every
def test_finds_the_planted_partition_and_says_how_balanced(method):
    result = method.combine(PLANTED.ensemble, 3, seed=0)
    assert ari(PLANTED.truth, result.labels) > 0.95
    assert 1.0 <= result.details["balance"] < 1.1
    assert result.objective > 0


@every
def test_by_mt_kahypar(method):
    if hasattr(method, "backend"):
        method = type(method)(**{**method.get_params(), "backend": "mtkahypar"})
    labels = method.combine(PLANTED.ensemble, 3, seed=0).labels
    assert ari(PLANTED.truth, labels) > 0.95


@every
def test_without_metis(method, monkeypatch):
    real = _validation.importlib.import_module

    def importer(name, *args):
        if name == "pymetis":
            raise ModuleNotFoundError(name)
        return real(name, *args)

    monkeypatch.setattr(_validation.importlib, "import_module", importer)
    labels = method.combine(PLANTED.ensemble, 3, seed=0).labels
    assert ari(PLANTED.truth, labels) > 0.95
    np.testing.assert_array_equal(
        labels, method.combine(PLANTED.ensemble, 3, seed=0).labels
    )


@every
def test_without_any_partitioner(method, monkeypatch):
    def importer(name, *args):
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(_validation.importlib, "import_module", importer)
    with pytest.raises(ImportError, match=r"pip install (pymetis|mtkahypar)"):
        method.combine(PLANTED.ensemble, 3, seed=0)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_tiles_equal_the_coassociation(missing):
    planted = make_planted_ensemble(40, n_members=7, missing=missing, random_state=2)
    ensemble = planted.ensemble
    members = np.random.default_rng(0).uniform(0.5, 2, 7)
    rows = coassociation_rows(ensemble, Weights(members=members), ensemble.labels)
    S = oracles.coassociation(ensemble.labels, members)
    for start, stop in ((0, 5), (5, 40)):
        tile = rows(start, stop)[:, ensemble.core.index]
        np.fill_diagonal(tile[:, start:], 1.0)
        np.testing.assert_allclose(tile, S[start:stop], atol=1e-6)


def test_cut_of_cspa_counts_pairs_of_samples():
    labels = np.repeat(PLANTED.ensemble.labels[:30], 3, axis=0)
    ensemble = Ensemble(labels)
    result = CSPA().combine(ensemble, 3, seed=0)
    S = oracles.coassociation(ensemble.labels)
    apart = result.labels[:, None] != result.labels
    np.testing.assert_allclose(result.objective, S[apart].sum() / 2, rtol=1e-5)


def test_cut_of_hgpa_counts_parts_that_a_cluster_touches():
    result = HGPA().combine(PLANTED.ensemble, 3, seed=0)
    labels = PLANTED.ensemble.labels
    extra = 0
    for m in range(labels.shape[1]):
        for c in range(labels[:, m].max() + 1):
            extra += len(set(result.labels[labels[:, m] == c])) - 1
    np.testing.assert_allclose(result.objective, extra / labels.shape[1])


def test_fewer_neighbours():
    result = CSPA(n_neighbors=10).combine(PLANTED.ensemble, 3, seed=0)
    assert ari(PLANTED.truth, result.labels) > 0.9


@pytest.mark.parametrize(
    ("method", "text"),
    [
        (CSPA(n_neighbors=0), "'n_neighbors' parameter of CSPA"),
        (CSPA(imbalance=-0.1), "'imbalance' parameter of CSPA"),
        (MCLA(backend="x"), "'backend' parameter of MCLA"),
        (HGPA(imbalance="x"), "'imbalance' parameter of HGPA"),
        (HBGF(partition="x"), "'partition' parameter of HBGF"),
    ],
)
def test_bad_parameters(method, text):
    with pytest.raises(ValueError, match=text):
        method.combine(PLANTED.ensemble, 3)
