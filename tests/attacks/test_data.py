"""Every generator, clusterer and system on degenerate data in odd containers."""

import numpy as np
import pytest
from attacking import attack, check_labels, check_shares, examples, snapshot
from generated import arrays, held
from hypothesis import given
from hypothesis import strategies as st
from laws.test_generator_laws import make as make_generator
from laws.test_system_laws import make as make_system

import coterie
from coterie._catalog import entries
from coterie.metrics._validity import CRITERIA

named = {"ids": lambda entry: entry.name}
JOBS = st.sampled_from([1, 2])


def n_rows(X):
    return X.shape[0] if hasattr(X, "shape") else len(X)


@pytest.mark.parametrize("entry", entries("generator"), **named)
@examples(6)
@given(X=held(arrays()), n_jobs=JOBS)
def test_generator(entry, X, n_jobs):
    before = snapshot(X)
    with attack("generator"):
        ensemble = make_generator(entry).generate(X, seed=1)
        assert ensemble.n_samples == n_rows(X)
        assert ensemble.labels.min() >= -1
        for member in ensemble.members:
            assert member.centers is None or np.isfinite(member.centers).all()
        again = make_generator(entry).generate(X, seed=1, n_jobs=n_jobs)
        np.testing.assert_array_equal(again.labels, ensemble.labels)
    assert snapshot(X) == before


@pytest.mark.parametrize("entry", entries("clusterer"), **named)
@examples(8)
@given(X=held(arrays()), k=st.integers(1, 4))
def test_clusterer(entry, X, k):
    k = min(k, n_rows(X))
    before = snapshot(X)
    with attack("clusterer"):
        labels = entry.load()(k, random_state=1).fit_predict(X)
        check_labels(labels, n_rows(X), k)
        again = entry.load()(k, random_state=1).fit_predict(X)
        np.testing.assert_array_equal(again, labels)
    assert snapshot(X) == before


@pytest.mark.parametrize("entry", entries("system"), **named)
@examples(4)
@given(X=held(arrays()), k=st.integers(1, 4), n_jobs=JOBS)
def test_system(entry, X, k, n_jobs):
    k = min(k, n_rows(X))
    extra = {"effort": "quick"} if entry.name == "ensemble" else {}
    before = snapshot(X)
    with attack("system"):
        model = make_system(entry, k, n_jobs=1, **extra).fit(X)
        check_labels(model.labels_, n_rows(X), k)
        check_shares(model.confidence_, n_rows(X))
        placed = model.predict(X)
        assert placed.shape == (n_rows(X),)
        assert 0 <= placed.min() <= placed.max() < k
        check_shares(model.predict_confidence(X), n_rows(X))
        again = make_system(entry, k, n_jobs=n_jobs, **extra).fit(X)
        np.testing.assert_array_equal(again.labels_, model.labels_)
        np.testing.assert_array_equal(again.confidence_, model.confidence_)
    assert snapshot(X) == before


@examples(10)
@given(X=held(arrays()))
def test_choice_of_k(X):
    with attack("choose_k"):
        choice = coterie.choose_k(X, k_range=[2, 3], n_null=9, random_state=1)
        assert 1 <= choice.n_clusters <= 3


@examples(10)
@given(X=held(arrays()))
def test_validity(X):
    with attack("measures"):
        labels = np.arange(n_rows(X)) % 2
        for criterion in CRITERIA:
            assert not np.isnan(coterie.metrics.validity(X, labels, criterion))
