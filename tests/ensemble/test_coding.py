"""Labels of any kind become the same columns."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.cluster import DBSCAN, KMeans

from coterie import Ensemble

EXPECTED = np.array([[0, 0], [0, 1], [1, 1], [1, -1]])


@pytest.mark.parametrize(
    "source",
    [
        np.array([[5, 2], [5, 9], [1, 9], [1, -1]]),
        np.array([[5, 2], [5, 9], [1, 9], [1, np.nan]]),
        np.array([["x", "p"], ["x", "q"], ["y", "q"], ["y", None]], dtype=object),
        [[5, 5, 1, 1], [2, 9, 9, None]],
        np.array([["x", 2], ["x", 9], ["y", 9], ["y", np.int64(-1)]], dtype=object),
        [("x", "x", "y", "y"), np.array([2.0, 9.0, 9.0, np.nan])],
        [[(1, 2), (1, 2), (3,), (3,)], [True, False, False, -1]],
        pd.DataFrame({"a": ["x", "x", "y", "y"], "b": [2, 9, 9, None]}),
        pd.DataFrame(
            {"a": ["x", "x", "y", "y"], "b": pd.array([2, 9, 9, None], "Int64")}
        ),
        pd.DataFrame({"a": pd.Categorical(list("xxyy")), "b": [*list("pqq"), None]}),
        pl.DataFrame({"a": ["x", "x", "y", "y"], "b": [2, 9, 9, None]}),
        np.array([[5, 2], [5, 9], [1, 9], [1, -1]], dtype=np.int8),
        np.asfortranarray(np.array([[5, 2], [5, 9], [1, 9], [1, -1]])),
        np.repeat(np.array([[5, 2], [5, 9], [1, 9], [1, -1]]), 2, axis=0)[::2],
        np.array([[2**62, 2], [2**62, 9], [1, 9], [1, -1]]),
        np.array([[-7, 2], [-7, -(2**60)], [1, -(2**60)], [1, -1]]),
    ],
)
def test_any_labels(source):
    ensemble = Ensemble(source)
    np.testing.assert_array_equal(ensemble.labels, EXPECTED)
    np.testing.assert_array_equal(ensemble.offsets, [0, 2, 4])
    assert ensemble.labels.dtype == np.int32
    assert not ensemble.labels.flags.writeable


def test_huge_unsigned_labels():
    source = np.array([[2**64 - 1], [0], [2**64 - 1]], dtype=np.uint64)
    np.testing.assert_array_equal(Ensemble(source).labels, [[0], [1], [0]])


def test_read_only_input_is_not_changed():
    source = np.array([[3, 1], [2, 1]], dtype=np.int32)
    source.flags.writeable = False
    np.testing.assert_array_equal(Ensemble(source).labels, [[0, 0], [1, 0]])
    np.testing.assert_array_equal(source, [[3, 1], [2, 1]])


def test_writable_input_stays_writable():
    source = np.array([[0, 0], [1, 0]], dtype=np.int32)
    Ensemble(source)
    source[0, 0] = 5


@pytest.mark.parametrize(
    ("labels", "got"),
    [
        (np.array([0, 1, 1]), r"an array of shape \(3,\)"),
        (np.ma.array([0, 1, 1]), r"an array of shape \(3,\)"),
        ([0, 1, 1], "a flat list of 3 labels"),
        (("a", "b"), "a flat list of 2 labels"),
        ([0, None, 1.0], "a flat list of 3 labels"),
        (pd.Series([0, 1, 1]), "a Series of 3 labels"),
        (pl.Series([0, 1, 1]), "a Series of 3 labels"),
    ],
)
def test_one_labeling_is_not_an_ensemble(labels, got):
    with pytest.raises(ValueError, match=f"is not an ensemble, got {got}. Pass sever"):
        Ensemble(labels)
    assert Ensemble([labels]).n_members == 1


def test_a_dict_names_its_members():
    ensemble = Ensemble({"a": [5, 5, 1, 1], 2: np.array([2, 9, 9, -1])})
    np.testing.assert_array_equal(ensemble.labels, EXPECTED)
    assert [m.name for m in ensemble.members] == ["a", "2"]


def test_wide_arrays_are_refused_unless_said_to_be_meant():
    labels = np.random.default_rng(0).integers(3, size=(5, 600))
    text = (
        r"got an array of shape \(5, 600\): 600 members of 5 samples. If each row is a "
        r"labeling, pass labels.T or a list of labelings; .* pass list\(labels.T\)"
    )
    for given in (labels, labels.astype(float), np.ma.array(labels)):
        with pytest.raises(ValueError, match=text):
            Ensemble(given)
    assert Ensemble(labels.T).labels.shape == (600, 5)
    assert Ensemble(list(labels)).labels.shape == (600, 5)
    for wide in (list(labels.T), pd.DataFrame(labels), dict(enumerate(labels.T))):
        assert Ensemble(wide).labels.shape == (5, 600)
    assert Ensemble(labels[:, :5]).labels.shape == (5, 5)


HIDDEN = np.array([[False, False], [False, False], [False, False], [False, True]])


@pytest.mark.parametrize(
    "values",
    [
        np.array([[5, 2], [5, 9], [1, 9], [1, 2]]),
        np.array([[5, 2], [5, 9], [1, 9], [1, 2]], dtype=np.uint8),
        np.array([[5, 2], [5, 2**64 - 1], [1, 2**64 - 1], [1, 2]], dtype=np.uint64),
        np.array([[5, 2], [5, 9], [1, 9], [1, 0.5]]),
        np.array([[True, True], [True, False], [False, False], [False, True]]),
        np.array([["x", "p"], ["x", "q"], ["y", "q"], ["y", "p"]]),
    ],
)
def test_what_a_mask_hides_is_not_assigned(values):
    masked = np.ma.array(values, mask=HIDDEN)
    columns = [masked[:, 0], masked[:, 1]]
    for source in (masked, columns, [list(column) for column in columns]):
        np.testing.assert_array_equal(Ensemble(source).labels, EXPECTED)
    plain = Ensemble(np.ma.array(values[:, :1]))
    np.testing.assert_array_equal(plain.labels, EXPECTED[:, :1])


def test_integers_of_different_types_are_not_rounded():
    source = [np.array([2**53, 2**53 + 1]), np.array([0, 2**64 - 1], dtype=np.uint64)]
    np.testing.assert_array_equal(Ensemble(source).labels, [[0, 0], [1, 1]])


def test_fitted_clusterers_and_noise():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [99.0]])
    models = [KMeans(2, n_init=1, random_state=0).fit(X), DBSCAN(min_samples=2).fit(X)]
    ensemble = Ensemble(models)
    assert [m.name for m in ensemble.members] == ["KMeans", "DBSCAN"]
    np.testing.assert_array_equal(ensemble.labels[:, 1], [0, 0, 1, 1, -1])


def test_names_of_columns_are_kept():
    frame = pd.DataFrame({"leiden_0.5": [0, 1], "leiden_1.0": [0, 0]})
    assert [m.name for m in Ensemble(frame).members] == ["leiden_0.5", "leiden_1.0"]


def test_an_ensemble_of_an_ensemble_is_the_same():
    ensemble = Ensemble([[0, 1], [0, 0]])
    assert Ensemble(ensemble).labels is ensemble.labels


@pytest.mark.parametrize(
    ("source", "error", "text"),
    [
        (np.array([[0.5], [1.0]]), ValueError, r"member 0 has 0\.5 at sample 0, which"),
        (np.array([[np.inf], [1.0]]), ValueError, "member 0 has inf at sample 0"),
        ([[0, 1], [0.25, 1]], ValueError, r"member 1 has 0\.25 at sample 0"),
        ([[0, 1], [0, 1, 2]], ValueError, "one length, got lengths 2, 3. Mark samples"),
        ([[0, 1], [-1, -1]], ValueError, "member 1 assigns no sample at all"),
        (
            pd.DataFrame({"a": [0, 1], "b": [None, None]}),
            ValueError,
            r"member 1 \(b\) assigns no sample at all",
        ),
        (np.empty((5, 0), int), ValueError, r"at least one member, got none \(M = 0\)"),
        ([], ValueError, r"at least one member, got none \(M = 0\)"),
        (np.empty((0, 3), int), ValueError, r"at least one sample, got none \(N = 0\)"),
        (np.zeros((2, 2, 2), int), ValueError, "an array of 3 dimensions"),
        ([[0, 1], 5], TypeError, "one for each member, but number 1 is 5"),
        ({"a": [0, 1], "b": "xy"}, TypeError, "but number 1 is 'xy'"),
        ({}, ValueError, r"at least one member, got none \(M = 0\)"),
        ("labels.csv", TypeError, "got str"),
        (7, TypeError, r"or an \(n_samples, n_members\) array; got int"),
        ([KMeans(2)], ValueError, r"clusterer 0 \(KMeans\) is not fitted. Fit it"),
        ([[[1], [2]]], TypeError, "has a list at sample 0"),
        ([np.zeros((2, 2))], ValueError, r"one dimension, got shape \(2, 2\)"),
    ],
)
def test_errors(source, error, text):
    with pytest.raises(error, match=text):
        Ensemble(source)
