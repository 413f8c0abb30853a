"""What attacks found, each in its smallest form."""

import numpy as np
import pandas
import pyarrow
import pytest
import scipy.sparse
from sklearn.datasets import make_blobs

import coterie
from coterie import Ensemble
from coterie._catalog import entries, find
from coterie._linalg import assign_to_centers, nearest_neighbors
from coterie.clusterers import USPEC, Genie
from coterie.generation import RandomKMeans
from coterie.metrics import ari, validity

X, Y = make_blobs(60, n_features=4, centers=3, random_state=0)
named = {"ids": lambda entry: entry.name}
every = pytest.mark.parametrize("entry", entries("system", "clusterer"), **named)


def with_value(value, dtype=np.float64):
    data = X.astype(dtype)
    data[7, 2] = value
    return data


def make(entry):
    model = entry.load()(3, random_state=0)
    if "n_members" in model.get_params(deep=False):
        model.set_params(n_members=4)
    return model


@every
@pytest.mark.parametrize("value", [1e71, -1e300, np.finfo(float).max])
def test_values_whose_squares_overflow_are_named(entry, value):
    with pytest.raises(ValueError, match=r"row 7, column 2 .* holds .*e\+.* overflow"):
        make(entry).fit(with_value(value))
    frame = pandas.DataFrame(with_value(value), columns=["a", "b", "c", "d"])
    with pytest.raises(ValueError, match=r"row 7, column 'c' .* overflow"):
        make(entry).fit(frame)


@every
def test_data_that_vanish_when_squared_are_refused(entry):
    for tiny in (X * 1e-80, X * 1e-200, np.where(X > 0, 5e-324, 0.0)):
        with pytest.raises(
            ValueError, match=r"vanish\. Multiply the data by a constant"
        ):
            make(entry).fit(tiny)


@pytest.mark.parametrize("name", ["spce", "usenc", "large", "wokmeans", "c2swce"])
@pytest.mark.parametrize("factor", [1e20, 1e-25])
def test_large_and_small_float32_are_computed_in_float64(name, factor):
    model = make(find(name, {"system"}))
    labels = model.fit_predict((X * factor).astype(np.float32))
    assert ari(Y, labels) == 1.0
    assert ari(Y, model.predict((X * factor).astype(np.float32))) == 1.0


def test_one_value_of_3e38_in_float32_corrupts_nothing():
    data = with_value(-3.4e38, np.float32)
    for name in ("laplacian-subspace", "leiden"):
        ensemble = find(name, {"generator"}).load()(3).generate(data, seed=0)
        assert ensemble.labels.min() >= 0
    found = nearest_neighbors(data, 3)
    assert found.indices.min() >= 0
    assert np.isfinite(found.sqdist).all()


def test_sparse_values_that_overflow_are_named():
    matrix = scipy.sparse.csr_matrix(with_value(1e200))
    with pytest.raises(ValueError, match=r"RandomKMeans: row 7, column 2 .* 1e\+200"):
        RandomKMeans(2).generate(matrix)


def test_new_samples_far_beyond_float32_are_placed():
    near = X.astype(np.float32)
    model = coterie.WOKMeans(3, n_members=4, random_state=0).fit(near)
    far = np.array([[1e40, 0, 0, 0], [0, 1e60, 0, 0]])
    assert model.predict(far).shape == (2,)
    assert assign_to_centers(near, far)[0].max() <= 1
    assert nearest_neighbors(near, 2, queries=far).indices.min() >= 0


def test_masked_data_are_missing():
    hidden = np.ma.array(X, mask=X > 8)
    for model in (coterie.MDEC(3, n_members=4), Genie(3)):
        with pytest.raises(ValueError, match="contains NaN"):
            model.fit(hidden)
    notes = coterie.EnsembleClustering(
        3, n_members=4, generator="kmeans", random_state=0
    )
    assert "are missing" in notes.fit(hidden).notes_[0]


def test_arrow_tables_are_data():
    table = pyarrow.table({"a": X[:, 0], "b": X[:, 1]})
    model = coterie.WOKMeans(3, n_members=4, random_state=0)
    expected = model.fit_predict(X[:, :2])
    np.testing.assert_array_equal(model.fit_predict(table), expected)


@every
def test_columns_of_one_name_are_named(entry):
    frame = pandas.DataFrame(X, columns=["a", "b", "b", "c"])
    with pytest.raises(ValueError, match="'b' is the name of 2 columns"):
        make(entry).fit(frame)


@pytest.mark.parametrize("name", ["mdec", "c2swce", "woec"])
def test_a_parameter_changed_after_fit(name):
    model = make(find(name, {"system"})).fit(X)
    labels = model.predict(X)
    model.set_params(consensus="nope")
    np.testing.assert_array_equal(model.predict(X), labels)
    for call in (lambda: model.recut(2), model.parts, lambda: model.fit(X)):
        with pytest.raises(ValueError, match=r"'consensus' parameter of .* must be"):
            call()


def test_a_clusterer_that_fails_to_fit_again_is_unchanged():
    model = USPEC(3, n_landmarks=20, random_state=0).fit(X)
    before = dict(vars(model))
    with pytest.raises(ValueError, match="overflow"):
        model.fit(with_value(1e200)[:, 1:])
    assert vars(model) == before


def test_a_single_clusterer_has_no_members_to_explain():
    with pytest.raises(TypeError, match="Genie is a single clusterer"):
        coterie.explain(Genie(3).fit(X))


def test_the_report_takes_classes_with_gaps(tmp_path):
    model = coterie.WOKMeans(3, n_members=4, random_state=0).fit(X)
    y = pandas.Series(Y).astype("Int64").mask(Y == 1)
    assert coterie.report(model, X, tmp_path / "report.html", y=y).exists()


def test_labels_that_floats_would_merge():
    with pytest.raises(ValueError, match=r"merge neighbouring integers\. Pass such"):
        Ensemble([np.array([2.0**53, 2.0**53 + 2])])
    with pytest.raises(ValueError, match=r"ari: y has .* merge neighbouring integers"):
        ari([2.0**60, 1.0], [0, 1])
    assert Ensemble([[2**63, 2**63 + 1, -1]]).labels[:, 0].tolist() == [0, 1, -1]


def test_validity_of_one_sample_and_of_gaps():
    assert validity([[1.0]], [0], "pb") == 0.0
    with pytest.raises(ValueError, match="1 of 2 missing"):
        validity([[1.0], [2.0]], [0, np.nan])


def test_decimals_in_a_table_are_numbers():
    from decimal import Decimal

    table = pandas.DataFrame({"a": [Decimal(str(v)) for v in X[:, 0]], "b": X[:, 1]})
    model = coterie.EnsembleClustering(3, n_members=4, generator="kmeans")
    assert not [note for note in model.fit(table).notes_ if "Left out" in note]
