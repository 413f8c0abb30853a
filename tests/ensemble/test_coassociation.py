"""Four forms of one matrix."""

import numpy as np
import oracles
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.spatial.distance import squareform

from coterie import Ensemble, Weights
from coterie.datasets import make_planted_ensemble
from coterie.ensemble._coassociation import coassociation_rows
from coterie.exceptions import MemoryLimitError

matrices = arrays(
    np.int64,
    st.tuples(st.integers(1, 9), st.integers(1, 4)),
    elements=st.integers(-1, 2),
).filter(lambda labels: bool((labels >= 0).any(axis=0).all()))


def _forms(ensemble, weights):
    yield ensemble.coassociation(weights)
    condensed = ensemble.coassociation(weights, format="condensed")
    assert condensed.dtype == np.float32
    yield squareform(condensed) + np.eye(ensemble.n_samples)
    yield ensemble.coassociation(weights, format="sparse").toarray()
    rows = coassociation_rows(ensemble, weights, ensemble.labels)
    of_all = rows(0, ensemble.n_samples)[:, ensemble.core.index]
    yield of_all * (1 - np.eye(ensemble.n_samples)) + np.eye(ensemble.n_samples)
    if not ensemble.has_missing:
        operator = ensemble.coassociation(weights, format="operator")
        yield operator @ np.eye(ensemble.n_samples)


@given(matrices, st.integers(0, 2**32 - 1))
def test_all_forms_equal_the_definition(labels, seed):
    ensemble = Ensemble(list(labels.T))
    rng = np.random.default_rng(seed)
    members = rng.random(ensemble.n_members) + 0.1
    clusters = rng.random(ensemble.n_total_clusters)
    expected = oracles.coassociation(ensemble.labels, members, clusters)
    for S in _forms(ensemble, Weights(members=members, clusters=clusters)):
        np.testing.assert_allclose(S, expected, atol=2e-6)


def test_the_operator_works_on_single_vectors():
    ensemble = make_planted_ensemble(40, random_state=0).ensemble
    v = np.arange(40.0)
    S = ensemble.coassociation(format="operator")
    expected = oracles.coassociation(ensemble.labels) @ v
    np.testing.assert_allclose(S.matvec(v), expected)


@pytest.mark.parametrize("format", ["dense", "condensed", "sparse"])
def test_the_byte_limit(format):
    ensemble = make_planted_ensemble(100, random_state=0).ensemble
    text = r"would need .* more than the limit of 1.0 kB. Use a method that does not"
    with pytest.raises(MemoryLimitError, match=text):
        ensemble.coassociation(format=format, memory_limit=1000)


def test_the_byte_limit_from_the_environment(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1e3")
    ensemble = make_planted_ensemble(100, random_state=0).ensemble
    with pytest.raises(MemoryLimitError, match=r"limit of 1\.0 kB"):
        ensemble.coassociation()


def test_errors():
    ensemble = Ensemble([[0, 1, -1]])
    with pytest.raises(ValueError, match=r"expects format as one of .*got 'csr'"):
        ensemble.coassociation(format="csr")
    with pytest.raises(ValueError, match="without missing labels"):
        ensemble.coassociation(format="operator")
