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


def test_one_vector_is_one_member():
    assert Ensemble(np.array([0, 1, 1])).n_members == 1


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
        ([0, 1, 1], TypeError, r"item 0 is 0. For one member pass \[labels\]"),
        (["abc", "abd"], TypeError, "item 0 is 'abc'"),
        ("labels.csv", TypeError, "got str"),
        (7, TypeError, "a list of fitted clusterers; got int"),
        ([KMeans(2)], ValueError, r"clusterer 0 \(KMeans\) is not fitted. Fit it"),
        ([[[1], [2]]], TypeError, "has a list at sample 0"),
        ([np.zeros((2, 2))], ValueError, r"one dimension, got shape \(2, 2\)"),
    ],
)
def test_errors(source, error, text):
    with pytest.raises(error, match=text):
        Ensemble(source)
