"""Agreement and diversity of members: laws, the oracle, error texts."""

import threading

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coterie import metrics
from coterie._kernels._agreement import all_pair_sums
from coterie._kernels._jit import kernel_threads
from coterie.ensemble import Ensemble
from coterie.metrics._ensemble import agreement_with_ensemble, member_diversity

each_measure = pytest.mark.parametrize("measure", ["nmi", "ari", "nmi_max"])
PLAIN = {
    "nmi": metrics.nmi,
    "ari": metrics.ari,
    "nmi_max": lambda y, labels: metrics.nmi(y, labels, average="max"),
}


def some_labels(n=120, n_members=6, missing=0.1, seed=0):
    rng = np.random.default_rng(seed)
    truth = rng.integers(4, size=(n, 1))
    noise = rng.integers(9, size=(n, n_members))
    labels = np.where(rng.random((n, n_members)) < 0.6, truth, noise)
    return np.where(rng.random((n, n_members)) < missing, -1, labels)


small_ensembles = st.tuples(st.integers(1, 15), st.integers(1, 4)).flatmap(
    lambda shape: arrays(np.int64, shape, elements=st.integers(-1, 3))
)


def assigned_somewhere(labels):
    labels = labels.copy()
    labels[0, (labels < 0).all(axis=0)] = 0
    return labels


@each_measure
@settings(max_examples=60, deadline=None, derandomize=True)
@given(labels=small_ensembles)
def test_agreement_equals_oracle_on_small_ensembles(measure, labels):
    labels = assigned_somewhere(labels)
    agreement = metrics.member_agreement(Ensemble(list(labels.T)), measure)
    expected = oracles.member_agreement(labels, measure)
    np.testing.assert_allclose(agreement, expected, atol=1e-7)
    assert np.array_equal(agreement, agreement.T)
    assert (np.diag(agreement) == 1.0).all()
    assert agreement.max() <= 1.0
    assert agreement.min() >= (-1.0 if measure == "ari" else 0.0)


@each_measure
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_agreement_equals_the_measures_of_two_labelings(measure, missing):
    labels = some_labels(missing=missing)
    agreement = metrics.member_agreement(Ensemble(labels), measure)
    for i in range(labels.shape[1]):
        for j in range(i):
            both = (labels[:, [i, j]] >= 0).all(axis=1)
            expected = PLAIN[measure](labels[both, i], labels[both, j])
            assert agreement[i, j] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("adjusted", [False, True])
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_sparse_cells_equal_dense_ones(adjusted, missing):
    labels = some_labels(missing=missing)
    columns = np.ascontiguousarray(Ensemble(labels).labels.T)
    counts = np.random.default_rng(0).integers(1, 9, size=len(labels))
    pairs = np.array([[0, 1], [2, 5]])
    found = []
    for k in (columns.max() + 1, 300):  # with empty clusters the table is too large
        sizes = np.full(len(columns), k, dtype=np.int64)
        sums, numbers = np.empty((2, 4)), np.empty((2, 4), dtype=np.int64)
        all_pair_sums(columns, counts, sizes, pairs, adjusted, sums, numbers)
        found.append((sums, numbers))
    np.testing.assert_allclose(found[1][0], found[0][0], rtol=1e-12)
    np.testing.assert_array_equal(found[1][1], found[0][1])


@each_measure
def test_members_of_very_many_clusters(measure):
    n = 3000
    rng = np.random.default_rng(0)
    labels = np.stack([rng.permutation(n) // 2, rng.permutation(n) // 3], axis=1)
    agreement = metrics.member_agreement(Ensemble(labels), measure)
    expected = PLAIN[measure](*labels.T)
    assert agreement[0, 1] == pytest.approx(expected, abs=1e-9)


@each_measure
def test_relabelling_and_permuting_samples_change_nothing(measure):
    labels = some_labels()
    rng = np.random.default_rng(1)
    renamed = np.where(labels >= 0, rng.permutation(9)[labels], -1)
    moved = renamed[rng.permutation(len(labels))]
    np.testing.assert_allclose(
        metrics.member_agreement(Ensemble(moved), measure),
        metrics.member_agreement(Ensemble(labels), measure),
        atol=1e-12,
    )


@each_measure
def test_repeating_the_samples_changes_no_nmi(measure):
    labels = some_labels()
    twice = metrics.member_agreement(Ensemble(np.tile(labels, (2, 1))), measure)
    once = metrics.member_agreement(Ensemble(labels), measure)
    # chance is a matter of the number of samples: only NMI is the same
    np.testing.assert_allclose(twice, once, atol=0.05 if measure == "ari" else 1e-12)


@each_measure
def test_threads_change_no_bit(measure):
    ensemble = Ensemble(some_labels(n=500, n_members=12))
    parallel = metrics.member_agreement(ensemble, measure)
    with kernel_threads(1):
        assert np.array_equal(metrics.member_agreement(ensemble, measure), parallel)
    found = []
    worker = threading.Thread(
        target=lambda: found.append(metrics.member_agreement(ensemble, measure))
    )
    worker.start()
    worker.join()
    assert np.array_equal(found[0], parallel)


def test_members_without_common_samples_do_not_agree():
    ensemble = Ensemble([[0, 1, -1, -1], [-1, -1, 0, 1]])
    assert metrics.member_agreement(ensemble)[0, 1] == 0.0
    assert metrics.diversity(ensemble) == 1.0


def test_diversity_of_one_member_and_of_equal_members():
    labels = some_labels(n_members=1)
    assert metrics.diversity(Ensemble(labels)) == 0.0
    assert member_diversity(Ensemble(labels)).tolist() == [0.0]
    assert metrics.diversity(Ensemble(np.repeat(labels, 3, axis=1))) == 0.0


@each_measure
def test_diversity_is_one_minus_mean_agreement(measure):
    ensemble = Ensemble(some_labels())
    agreement = metrics.member_agreement(ensemble, measure)
    others = agreement[~np.eye(6, dtype=bool)].reshape(6, 5)
    np.testing.assert_allclose(
        member_diversity(ensemble, measure), 1 - others.mean(axis=1)
    )
    assert metrics.diversity(ensemble, measure) == pytest.approx(1 - others.mean())
    assert type(metrics.diversity(ensemble, measure)) is float


@each_measure
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_agreement_with_ensemble_is_the_mean_over_members(measure, missing):
    labels = some_labels(n_members=5, missing=missing)
    own = some_labels(n_members=1, missing=missing, seed=3)[:, 0]
    value = agreement_with_ensemble(own, Ensemble(labels), measure)
    expected = oracles.member_agreement(np.column_stack([labels, own]), measure)[
        -1, :-1
    ]
    assert value == pytest.approx(expected.mean(), abs=1e-9)
    assert type(value) is float


def test_agreement_with_ensemble_takes_any_labels():
    ensemble = Ensemble(some_labels())
    own = some_labels(n_members=1, seed=3)[:, 0]
    names = [None if c < 0 else f"cluster {c}" for c in own]
    expected = agreement_with_ensemble(own, ensemble)
    found = agreement_with_ensemble(names, ensemble)
    assert found == pytest.approx(expected, abs=1e-12)
    assert agreement_with_ensemble(np.full(120, -1), ensemble) == 0.0


@pytest.mark.parametrize(
    "function", [metrics.member_agreement, member_diversity, metrics.diversity]
)
def test_unknown_measure(function):
    text = (
        f"{function.__name__} expects measure to be 'nmi', 'ari' or 'nmi_max', got 'vi'"
    )
    with pytest.raises(ValueError, match=text):
        function(Ensemble(some_labels()), "vi")


def test_errors_of_agreement_with_ensemble():
    ensemble = Ensemble(some_labels())
    with pytest.raises(
        ValueError, match=r"each of the 120 samples .* got 3\. Pass labels"
    ):
        agreement_with_ensemble([0, 1, 1], ensemble)
    with pytest.raises(
        ValueError, match="measure to be 'nmi', 'ari' or 'nmi_max', got 'vi'"
    ):
        agreement_with_ensemble(np.zeros(120), ensemble, "vi")
    with pytest.raises(ValueError, match=r"got shape \(120, 1\)"):
        agreement_with_ensemble(np.zeros((120, 1)), ensemble)
