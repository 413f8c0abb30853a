"""Tables of numbers, categories and dates as numbers that count the same."""

import datetime
import pickle
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from coterie._tables import TableEncoder, is_table, missing_note

RNG = np.random.default_rng(0)
N = 60
PANDAS = pd.DataFrame(
    {
        "size": RNG.normal(5.0, 3.0, N),
        "color": RNG.choice(["red", "green", "blue"], N, p=[0.6, 0.3, 0.1]),
        "alive": RNG.random(N) < 0.3,
        "name": [f"n{i}" for i in range(N)],
        "planet": "earth",
    }
)
POLARS = pl.DataFrame({name: PANDAS[name].to_list() for name in PANDAS})
OBJECTS = PANDAS.to_numpy(dtype=object)


def squares(X):
    """Mean squared distance of two samples, drawn independently."""
    return np.mean(np.sum((X[:, None] - X[None]) ** 2, axis=2))


@pytest.mark.parametrize("table", [PANDAS, POLARS, OBJECTS], ids=["pd", "pl", "np"])
def test_each_column_counts_the_same(table):
    assert is_table(table)
    encoder = TableEncoder().fit(table)
    X = encoder.transform(table)
    np.testing.assert_array_equal(X, TableEncoder().fit(PANDAS).transform(PANDAS))
    assert X.shape == (N, 5)
    assert X.dtype == np.float64
    for source in dict.fromkeys(encoder.sources):
        block = X[:, np.array(encoder.sources) == source]
        np.testing.assert_allclose(squares(block), 2.0)


def test_names_and_notes():
    encoder = TableEncoder().fit(PANDAS)
    names = ["size", "color=blue", "color=green", "color=red", "alive=True"]
    assert encoder.names == names
    assert encoder.sources == ["size", "color", "color", "color", "alive"]
    assert encoder.notes == [
        "Encoded 2 columns of categories: 'color' (3), 'alive' (2).",
        "Standardized 1 column of numbers, so that each column counts the same.",
        "Left out 'name': 60 different values in 60 rows; it looks like an identifier.",
        "Left out 'planet': it is constant.",
    ]


def test_what_was_encoded_is_read_back():
    encoder = TableEncoder().fit(PANDAS)
    plain = encoder.plain(encoder.transform(PANDAS))
    np.testing.assert_allclose(plain[:, 0], PANDAS["size"])
    np.testing.assert_allclose(plain[:, 3], PANDAS["color"] == "red", atol=1e-12)
    np.testing.assert_allclose(plain[:, 4], PANDAS["alive"], atol=1e-12)
    again = pickle.loads(pickle.dumps(encoder))
    np.testing.assert_array_equal(again.transform(PANDAS), encoder.transform(PANDAS))


def test_missing_and_unknown_categories():
    encoder = TableEncoder().fit(PANDAS)
    new = PANDAS[:3].astype({"alive": object})
    new.loc[0, ["color", "alive", "size"]] = None
    new.loc[1, ["color", "alive"]] = ["violet", "perhaps"]
    X = encoder.transform(new)
    assert np.isnan(X[0]).all()
    np.testing.assert_array_equal(X[1, 1:], 0.0)
    np.testing.assert_array_equal(X[2], encoder.transform(PANDAS)[2])
    with pytest.raises(ValueError, match=r"'size' held numbers in fit, .* 'big'"):
        encoder.transform(new.astype({"size": object}).assign(size="big"))


def test_numbers_alone_keep_their_units():
    table = PANDAS[["size", "name"]].assign(same=1.0)
    encoder = TableEncoder().fit(table)
    X = encoder.transform(table)
    np.testing.assert_array_equal(X, table[["size", "same"]].to_numpy())
    assert len(encoder.notes) == 1


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame], ids=["pd", "pl"])
def test_columns_of_many_kinds(make):
    days = [datetime.date(2020, 1, 1), None, datetime.date(2020, 1, 5)] * 4
    times = [None if d is None else datetime.datetime(d.year, 1, d.day) for d in days]
    table = make(
        {
            "day": days,
            "time": times,
            "count": [1, None, 5] * 4,
            "flag": [True, None, False] * 4,
            "kind": ["a", None, "b"] * 4,
        }
    )
    encoder = TableEncoder().fit(table)
    X = encoder.transform(table)
    assert np.isnan(X[1::3]).all()
    np.testing.assert_allclose(np.abs(X[0::3]), 1.0)
    np.testing.assert_allclose(X[0::3, :3], -X[2::3, :3])
    assert "Took dates as days: 'day', 'time'." in encoder.notes


def test_pandas_types():
    table = pd.DataFrame(
        {
            "Int64": pd.array([1, None, 3, 3], dtype="Int64"),
            "boolean": pd.array([True, None, False, False], dtype="boolean"),
            "string": pd.array(["a", None, "b", "b"], dtype="string"),
            "category": pd.Categorical(["x", None, "y", "y"]),
            "zone": pd.to_datetime(["2020", None, "2021", "2021"]).tz_localize("UTC"),
            "span": pd.to_timedelta([1, None, 3, 3], unit="h"),
            "numbers": np.array([1, None, 3.5, 3.5], dtype=object),
        }
    )
    encoder = TableEncoder().fit(table)
    assert len(encoder.columns) == 7
    X = encoder.transform(table)
    assert np.isnan(X[1]).all()
    np.testing.assert_allclose(np.nanmean(X[:, 0]), 0.0, atol=1e-12)


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ([f"n{i // 2}" for i in range(400)], "200 .*, more than 100"),
        ([f"n{i % 201}" for i in range(400)], "201 different values in 400 rows; it"),
        (["same"] * 400, "it is constant"),
        ([None] * 400, "it has no values"),
        ([7.0] * 400, "it is constant"),
    ],
)
def test_what_is_left_out(cells, why):
    table = pd.DataFrame({"kind": ["a", "b"] * 200, "odd": cells})
    encoder = TableEncoder().fit(table)
    assert encoder.names == ["kind=b"]
    assert re.search(f"Left out 'odd': .*{why}", encoder.notes[-1])


def test_nothing_is_left():
    table = pd.DataFrame({"name": list("abcdef"), "same": ["x"] * 6})
    text = "No column can be clustered. Left out 'name': .* Left out 'same': it is"
    with pytest.raises(ValueError, match=text):
        TableEncoder().fit(table)


def test_what_is_no_table():
    assert not is_table(np.ones((3, 2)))
    assert not is_table(np.ones((3, 2), dtype=object))
    assert not is_table(PANDAS[["size", "alive"]])
    assert not is_table([["a", "b"]])


def test_how_many_are_missing():
    missing = np.zeros((10, 4), dtype=bool)
    missing[:2, 1:3] = True
    missing[5, 3] = True
    text = "10.0% of the values are missing: of 10 rows, 2 in 'b', 1 in 'c'."
    assert missing_note(missing, ["a", "b", "b", "c"]) == text
    assert missing_note(missing[6:], ["a", "b", "b", "c"]) is None
    many = np.ones((2, 12), dtype=bool)
    assert "and 4 more" in missing_note(many, [f"c{j}" for j in range(12)])
