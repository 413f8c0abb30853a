"""pandas and polars in; names of features and samples kept; text refused."""

import datetime
import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_blobs

import coterie
from coterie import MBN, MDEC, Ensemble, EnsembleClustering, MBNEnsemble, explain
from coterie._catalog import METHODS, entries
from coterie.exceptions import FewerClustersWarning
from coterie.generation import RandomKMeans

X, Y = make_blobs(60, n_features=3, centers=3, cluster_std=0.6, random_state=0)
FEW = {
    "n_members": 6,
    "n_clusterings": 10,
    "n_landmarks": 20,
    "n_subspaces": 4,
    "n_steps": 5,
}
COLUMNS = list("abc")
ESTIMATORS = [*entries("system"), *entries("clusterer")]
NAMES = [f"s{i}" for i in range(60)]
PANDAS = pd.DataFrame(X, columns=COLUMNS, index=NAMES)
POLARS = pl.DataFrame(X, schema=COLUMNS)
FRAMES = pytest.mark.parametrize("frame", [PANDAS, POLARS], ids=["pandas", "polars"])


def quick(entry):
    known = entry.load()().get_params(deep=False)
    params = {name: n for name, n in FEW.items() if name in known}
    return entry.load()(n_clusters=3, random_state=0, **params)


@pytest.mark.slow
@FRAMES
@pytest.mark.parametrize("entry", ESTIMATORS, ids=lambda entry: entry.name)
def test_every_estimator_takes_frames(entry, frame):
    model = quick(entry).fit(frame)
    assert model.feature_names_in_.tolist() == COLUMNS
    labels = quick(entry).fit_predict(X)
    np.testing.assert_array_equal(model.labels_, labels)
    if hasattr(model, "predict"):
        again = quick(entry).fit(X)
        np.testing.assert_array_equal(model.predict(frame[:7]), again.predict(X[:7]))
        other = frame[["b", "a", "c"]]
        with pytest.raises(
            ValueError, match=r"(?i)feature names (should match|must be in)"
        ):
            model.predict(other)


@pytest.mark.filterwarnings("ignore:X does not have valid feature names")
@pytest.mark.parametrize("entry", ESTIMATORS, ids=lambda entry: entry.name)
def test_every_estimator_refuses_text_with_advice(entry):
    kinds = pd.Categorical(list("xyz") * 20)
    text = r"1 of 4 columns are not numeric: kind \(category\). Encode them"
    if getattr(entry.load(), "takes_tables", False):
        quick(entry).fit(PANDAS.assign(kind=kinds))
        return
    with pytest.raises(ValueError, match=text):
        quick(entry).fit(PANDAS.assign(kind=kinds))


DAY = datetime.date(2020, 1, 1)


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        (
            pd.DataFrame({"a": [1.0, 2], "city": ["x", "y"]}),
            r"1 of 2 columns .*: city \(text\). Encode them: .*OneHotEncoder if the "
            r"values have no order, .* OrdinalEncoder .*: X.drop\(columns=\['city'\]\)",
        ),
        (
            pl.DataFrame({"a": [1.0, 2], "city": ["x", "y"]}),
            r"1 of 2 columns .*: city \(text\). .* drop them: X.drop\('city'\)",
        ),
        (
            pl.DataFrame({"k": ["x", "y"]}, schema={"k": pl.Categorical}),
            r"1 of 1 columns .*: k \(categorical\)",
        ),
        (
            pd.DataFrame({"a": [1.0, 2], "day": pd.to_datetime(["2020", "2021"])}),
            r"day \(datetime64\). Convert dates to numbers, such as days since",
        ),
        (pl.DataFrame({"day": [DAY, DAY]}), r"day \(date\). Convert dates to numbers"),
        (
            pd.DataFrame({f"c{j}": ["x", "y"] for j in range(7)}),
            r"7 of 7 columns .*: c0 \(text\), .*c4 \(text\), .... .*'c4', ...\]\)",
        ),
    ],
)
def test_what_is_no_number(frame, text):
    with pytest.raises(ValueError, match=f"(?s){text}.*EnsembleClustering takes"):
        MDEC(2).fit(frame)


def test_whole_numbers_and_flags_are_numbers():
    frame = pd.DataFrame(
        {
            "n": pd.array([1, 2, 9, 8], dtype="Int64"),
            "flag": [True, True, False, False],
            "small": np.array([0, 0, 1, 1], dtype=np.int8),
        }
    )
    assert EnsembleClustering(2, random_state=0).fit_predict(frame).tolist() == [
        0, 0, 1, 1,
    ]  # fmt: skip


@FRAMES
@pytest.mark.parametrize("entry", entries(*METHODS), ids=lambda entry: entry.name)
def test_every_consensus_function_takes_frames(entry, frame):
    labels = {f"m{j}": [str(y % (2 + j)) for y in Y] for j in range(3)}
    columns = {"m0": labels["m0"], "m1": labels["m1"], "m2": Y.tolist()}
    table = pd.DataFrame(columns, index=NAMES, dtype="category")
    if frame is POLARS:
        table = pl.DataFrame(columns, schema_overrides={"m0": pl.Categorical})
    plain = [labels["m0"], labels["m1"], Y.tolist()]
    with warnings.catch_warnings():  # how many are found is not the question here
        warnings.simplefilter("ignore", FewerClustersWarning)
        found = coterie.combine(table, 3, entry.name, X=frame, random_state=0)
        expected = coterie.combine(plain, 3, entry.name, X=X, random_state=0)
    np.testing.assert_array_equal(found, expected)


@FRAMES
@pytest.mark.parametrize("entry", entries("weighter"), ids=lambda entry: entry.name)
def test_every_weighter_takes_frames(entry, frame):
    ensemble = RandomKMeans(4).generate(X, seed=0)
    given = entry.load()().weigh(ensemble, X=frame, seed=0)
    plain = entry.load()().weigh(ensemble, X=X, seed=0)
    for name in ("members", "clusters", "samples"):
        np.testing.assert_array_equal(getattr(given, name), getattr(plain, name))


@FRAMES
@pytest.mark.parametrize("entry", entries("generator"), ids=lambda entry: entry.name)
def test_every_generator_takes_frames(entry, frame):
    if entry.name == "clusterers":
        pytest.skip("takes clusterers, which see the data themselves")
    known = entry.load()().get_params(deep=False)
    params = {name: n for name, n in FEW.items() if name in known}
    made = entry.load()(**params).generate(frame, seed=0)
    plain = entry.load()(**params).generate(X, seed=0)
    np.testing.assert_array_equal(made.labels, plain.labels)


class TestIndex:
    def test_tables_of_samples_keep_it(self):
        model = EnsembleClustering(3, generator=RandomKMeans(5), random_state=0)
        found = explain(model.fit(PANDAS)).to_frame()
        assert found.index.tolist() == NAMES
        np.testing.assert_array_equal(found["cluster"], model.labels_)
        assert explain(model.recut(2)).to_frame().index.tolist() == NAMES
        assert explain(model).to_frame("members").index.tolist() == [0, 1, 2, 3, 4]
        assert len(explain(model).to_frame("clusters")) == 3
        assert explain(model.fit(X)).to_frame().index.tolist() == list(range(60))
        with pytest.raises(ValueError, match="expects table as samples, clusters, m"):
            explain(model).to_frame("sample")

    def test_networks(self):
        model = MBN(3, n_clusterings=10, random_state=0).fit(PANDAS)
        assert explain(model).to_frame().index.tolist() == NAMES

    def test_labels_that_came_in_a_frame(self):
        labels = pd.DataFrame({"a": Y, "b": Y % 2}, index=NAMES)
        found = explain(labels, coterie.combine(labels, 3)).to_frame()
        assert found.index.tolist() == NAMES
        assert [m.name for m in Ensemble(labels).members] == ["a", "b"]


class TestSetOutput:
    MODELS = pytest.mark.parametrize("system", [MBN, MBNEnsemble])

    @MODELS
    def test_pandas_and_polars(self, system):
        params = {name: n for name, n in FEW.items() if name in system().get_params()}
        model = system(3, sparse_output=False, random_state=0, **params)
        plain = model.fit_transform(PANDAS)
        assert isinstance(plain, np.ndarray)
        frame = model.set_output(transform="pandas").transform(PANDAS[:5])
        assert frame.index.tolist() == NAMES[:5]
        prefix = system.__name__.lower()
        assert frame.columns.tolist() == model.get_feature_names_out().tolist()
        assert frame.columns[0] == f"{prefix}0"
        np.testing.assert_array_equal(frame, plain[:5])
        polars = model.set_output(transform="polars").transform(PANDAS[:5])
        np.testing.assert_array_equal(polars.to_numpy(), plain[:5])

    @MODELS
    def test_sparse_codes_make_no_frame(self, system):
        params = {name: n for name, n in FEW.items() if name in system().get_params()}
        model = system(3, random_state=0, **params).set_output(transform="pandas")
        with pytest.raises(ValueError, match="outputs a scipy sparse matrix"):
            model.fit_transform(PANDAS)
