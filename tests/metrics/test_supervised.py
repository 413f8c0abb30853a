"""The measures against known classes: laws, oracles, scikit-learn, error texts."""

import math

import numpy as np
import oracles
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics as sk

from coterie import metrics
from coterie.metrics import _contingency, _measures
from coterie.metrics._contingency import contingency

AVERAGES = ("max", "geometric", "arithmetic", "min")
MEASURES = {
    f"nmi_{a}": lambda y, z, a=a: metrics.nmi(y, z, average=a) for a in AVERAGES
}
MEASURES |= {
    "ari": metrics.ari,
    "ri": metrics.rand_index,
    "ami": metrics.ami,
    "acc": metrics.accuracy,
    "purity": metrics.purity,
    "f_pairwise": metrics.pairwise_f,
}
ORACLES = {f"nmi_{a}": lambda y, z, a=a: oracles.nmi(y, z, a) for a in AVERAGES}
ORACLES |= {
    "ari": oracles.ari,
    "ri": oracles.rand_index,
    "acc": oracles.accuracy,
    "purity": oracles.purity,
    "f_pairwise": oracles.pairwise_f,
}
SYMMETRIC = set(MEASURES) - {"purity"}
MAY_BE_NEGATIVE = {"ari", "ami"}
SKLEARN = {
    f"nmi_{a}": lambda y, z, a=a: sk.normalized_mutual_info_score(
        y, z, average_method=a
    )
    for a in AVERAGES
} | {
    "ari": sk.adjusted_rand_score,
    "ri": sk.rand_score,
    "ami": sk.adjusted_mutual_info_score,
}

each_measure = pytest.mark.parametrize("name", MEASURES)

two_labelings = st.integers(1, 24).flatmap(
    lambda n: st.tuples(
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
        st.lists(st.integers(0, 4), min_size=n, max_size=n),
    )
)


def a_pair(n=300, k=5, k_found=7, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(k, size=n)
    return y, np.where(rng.random(n) < 0.6, y, rng.integers(k_found, size=n))


def with_singletons(labels):
    """The same labels, with each -1 a cluster of its own."""
    labels = np.asarray(labels)
    return np.where(labels == -1, 1000 + np.arange(len(labels)), labels)


# --- against others


@each_measure
@settings(max_examples=60, deadline=None, derandomize=True)
@given(pair=two_labelings)
def test_laws_on_small_vectors(name, pair):
    y, z = pair
    measure = MEASURES[name]
    value = measure(y, z)
    assert type(value) is float
    assert (-1.0 if name in MAY_BE_NEGATIVE else 0.0) <= value <= 1.0
    assert measure(y, y) == 1.0
    if name in SYMMETRIC:
        assert measure(z, y) == pytest.approx(value, abs=1e-12)
    if name in ORACLES:
        assert value == pytest.approx(ORACLES[name](y, z), abs=1e-9)
    if name in SKLEARN:
        assert value == pytest.approx(SKLEARN[name](y, z), abs=1e-9)


@each_measure
@pytest.mark.parametrize("k_found", [3, 5, 40])
def test_equals_sklearn(name, k_found):
    y, z = a_pair(n=2000, k_found=k_found)
    reference = SKLEARN.get(name)
    if reference is None:
        table = sk.cluster.contingency_matrix(y, z)
        reference = {
            "acc": lambda *_: _matched(table) / len(y),
            "purity": lambda *_: table.max(axis=0).sum() / len(y),
            "f_pairwise": lambda *_: _f_of(sk.cluster.pair_confusion_matrix(y, z)),
        }[name]
    assert MEASURES[name](y, z) == pytest.approx(reference(y, z), abs=1e-12)


def _matched(table):
    from scipy.optimize import linear_sum_assignment

    return table[linear_sum_assignment(-table)].sum()


def _f_of(pairs):
    return 2 * pairs[1, 1] / (2 * pairs[1, 1] + pairs[0, 1] + pairs[1, 0])


# --- laws


@each_measure
def test_relabelling_and_permuting_change_no_bit(name):
    y, z = a_pair()
    rng = np.random.default_rng(1)
    order = rng.permutation(len(y))
    renamed = rng.permutation(z.max() + 1)[z]
    measure = MEASURES[name]
    assert measure(y[order], renamed[order]) == measure(y, z)


@each_measure
def test_one_cluster_against_one_is_perfect(name):
    assert MEASURES[name]([3, 3, 3], ["a", "a", "a"]) == 1.0


@pytest.mark.parametrize("name", ["ari", "ami", *(f"nmi_{a}" for a in AVERAGES)])
def test_one_cluster_against_many_is_worthless(name):
    assert MEASURES[name]([0, 1, 2, 2], [0, 0, 0, 0]) == 0.0
    assert MEASURES[name]([0, 0, 0, 0], [0, 1, 2, 2]) == 0.0


@each_measure
def test_one_sample(name):
    assert MEASURES[name]([4], ["x"]) == 1.0


def test_accuracy_when_numbers_of_clusters_differ():
    assert metrics.accuracy([0, 0, 0, 1, 1, 1], [0, 0, 1, 2, 2, 3]) == 4 / 6
    assert metrics.accuracy([0, 0, 1, 1, 2, 2], [0, 0, 0, 0, 1, 1]) == 4 / 6


def test_score_has_all_measures():
    y, z = a_pair()
    measured = metrics.score(y, z)
    assert measured == {name: measure(y, z) for name, measure in MEASURES.items()}
    assert list(measured) == list(MEASURES)


# --- samples in no cluster


@pytest.mark.parametrize("name", sorted(set(MEASURES) - {"acc", "purity"}))
def test_unassigned_samples_are_clusters_of_one(name):
    y, z = a_pair()
    z[::3] = -1
    expected = MEASURES[name](y, with_singletons(z))
    assert MEASURES[name](y, z) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("name", ["acc", "purity"])
def test_unassigned_samples_count_as_wrong(name):
    y, z = a_pair()
    assigned = np.arange(len(y)) % 3 > 0
    expected = MEASURES[name](y[assigned], z[assigned]) * assigned.mean()
    assert MEASURES[name](y, np.where(assigned, z, -1)) == pytest.approx(expected)
    assert MEASURES[name](y, np.full(len(y), -1)) == 0.0


@pytest.mark.parametrize("name", sorted(set(MEASURES) - {"nmi_min"}))
def test_declining_to_answer_does_not_pay(name):
    y, _ = a_pair()
    declined = np.where(np.arange(len(y)) % 2, y, -1)
    assert MEASURES[name](y, declined) < MEASURES[name](y, y)


def test_all_unassigned():
    measured = metrics.score([0, 0, 1, 1], [None] * 4)
    assert measured["ari"] == measured["acc"] == measured["purity"] == 0.0
    assert measured["f_pairwise"] == 0.0
    assert measured["nmi_max"] == pytest.approx(0.5)


@pytest.mark.parametrize(
    "labels",
    [
        [1, 1, None, 0],
        [1.0, 1.0, math.nan, 0.0],
        ["b", "b", None, "a"],
        ["b", "b", math.nan, "a"],
        np.array([1, 1, -1, 0], dtype=np.int8),
        np.array(["b", "b", None, "a"], dtype=object),
        [("x", 1), ("x", 1), None, ("y", 2)],
        [0.5, 0.5, math.nan, 0.25],
        np.array(["2024-01-02", "2024-01-02", "NaT", "2024-01-01"], "datetime64[D]"),
    ],
    ids=repr,
)
def test_labels_of_any_type(labels):
    assert_two_and_one(contingency(["p", "p", "q", "q"], labels))


def assert_two_and_one(counts):
    assert sorted(counts.table.max(axis=0).tolist()) == [1, 2]
    assert counts.table.sum(axis=1).tolist() == [2, 1]
    assert counts.unassigned.tolist() == [0, 1]
    assert counts.n_samples == 4


def test_labels_in_a_pandas_series():
    pd = pytest.importorskip("pandas")
    for labels in (
        pd.Series([1, 1, None, 0], index=[9, 3, 5, 7]),
        pd.Series([1, 1, pd.NA, 0], dtype="Int64"),
        pd.Series(["b", "b", None, "a"]),
        pd.Series(["b", "b", None, "a"], dtype="category"),
    ):
        y = pd.Series(["p", "p", "q", "q"])
        assert_two_and_one(contingency(y, labels))


def test_labels_in_a_polars_series():
    pl = pytest.importorskip("polars")
    for labels in (pl.Series([1, 1, None, 0]), pl.Series(["b", "b", None, "a"])):
        assert_two_and_one(contingency(pl.Series([3, 3, 4, 4]), labels))


@pytest.mark.parametrize(
    "y",
    [
        [-1, 1, -1],
        [True, False, True],
        np.array([0, 2**64 - 1, 0], dtype=np.uint64),
        np.array([-128, 127, -128], dtype=np.int8),
        [-(2**62), 2**62, -(2**62)],
        [10**30, 5, 10**30],
        [1, "1", 1],
        [("a", 1), ("b", 2), ("a", 1)],
        [math.inf, 2.0, math.inf],
    ],
    ids=repr,
)
def test_every_value_of_y_is_a_class(y):
    counts = contingency(y, ["a", "b", "a"])
    assert sorted(counts.table.tolist()) == [[0, 1], [2, 0]]
    assert set(counts.classes.tolist()) == set(y)


# --- large


def test_sparse_table_equals_dense(monkeypatch):
    y, z = a_pair(n=3000, k=40, k_found=60)
    z[:50] = -1
    dense = metrics.score(y, z)
    monkeypatch.setattr(_contingency, "DENSE_CELLS", 10)
    assert not isinstance(contingency(y, z).table, np.ndarray)
    assert metrics.score(y, z) == pytest.approx(dense, abs=1e-12)


@pytest.mark.parametrize(("k", "k_found"), [(3, 3), (40, 60), (2, 900)])
def test_expected_information_equals_sklearn(monkeypatch, k, k_found):
    y, z = a_pair(n=2000, k=k, k_found=k_found)
    expected = sk.adjusted_mutual_info_score(y, z)
    monkeypatch.setattr(_measures, "_SKLEARN_TERMS", 0)
    assert metrics.ami(y, z) == pytest.approx(expected, abs=1e-9)
    assert type(metrics.ami(y, z)) is float


def test_many_clusters_need_no_dense_table():
    n, k = 200_000, 50_000
    y, z = a_pair(n=n, k=k, k_found=k)
    counts = contingency(y, z)
    assert counts.table.nnz <= n
    assert metrics.ari(y, z) == pytest.approx(sk.adjusted_rand_score(y, z), abs=1e-9)
    assert 0.0 < metrics.ami(y, z) < metrics.nmi(y, z)


@pytest.mark.slow
def test_pairs_do_not_overflow():
    n = 10**7  # some 5e13 pairs, whose products need 90 bits
    y = np.zeros(n, dtype=np.int8)
    y[: n // 2] = 1
    z = y.copy()
    z[0] = 2
    half = n // 2
    tp = math.comb(half, 2) + math.comb(half - 1, 2)
    fn, tn = half - 1, math.comb(n, 2) - tp - (half - 1)
    assert metrics.ari(y, z) == 2 * tp * tn / ((tp + fn) * (fn + tn) + tp * tn)
    assert metrics.accuracy(y, z) == (n - 1) / n


# --- errors


@pytest.mark.parametrize(
    "function",
    [
        metrics.accuracy,
        metrics.ami,
        metrics.ari,
        contingency,
        metrics.nmi,
        metrics.pairwise_f,
        metrics.purity,
        metrics.rand_index,
        metrics.score,
    ],
)
def test_errors_say_what_to_do(function):
    who = function.__name__
    with pytest.raises(ValueError, match=f"{who} expects y and labels of the same len"):
        function([0, 1], [0, 1, 1])
    with pytest.raises(ValueError, match=f"{who} expects at least one sample, got an"):
        function([], [])
    with pytest.raises(ValueError, match=r"shape \(n_samples,\), got shape \(2, 2\)"):
        function([0, 1], [[0, 1], [1, 0]])
    with pytest.raises(ValueError, match=r"1 of 2 missing.* Remove these samples"):
        function([0, None], [0, 1])


def test_other_errors():
    with pytest.raises(ValueError, match=r"average to be one of max, .*got 'mean'"):
        metrics.nmi([0, 1], [0, 1], average="mean")
    with pytest.raises(TypeError, match="hashable labels, but labels has a list"):
        metrics.ari([0, 1], [[0, 1], [1]])
    with pytest.raises(TypeError, match="hashable labels, but labels has a list"):
        metrics.ari([0, 1], [0, [1]])
    unhashable = np.empty(2, dtype=object)
    unhashable[:] = [{}, {}]
    with pytest.raises(TypeError, match="hashable labels, but labels has a dict"):
        metrics.ari([0, 1], unhashable)
