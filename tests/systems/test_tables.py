"""Systems on tables: categories, dates, missing values."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import make_blobs

import coterie
from coterie import MDEC, EnsembleClustering, choose_k, explain, plot
from coterie._catalog import entries
from coterie.metrics import ari

POINTS, Y = make_blobs(150, n_features=3, centers=3, cluster_std=0.6, random_state=0)
GAPS = POINTS.copy()
GAPS[::5, 1] = np.nan
RNG = np.random.default_rng(0)
TABLE = pd.DataFrame(
    {
        "a": POINTS[:, 0],
        "b": GAPS[:, 1],
        "kind": np.array(["x", "y", "z"])[Y],
        "flag": Y == 1,
        "name": [f"n{i}" for i in range(150)],
    },
    index=[f"s{i}" for i in range(150)],
)
TABLE.loc[TABLE.index[3], "kind"] = None


def panel():
    """Return the default system with few members, to be quick."""
    return EnsembleClustering(3, n_members=40, random_state=0)


@pytest.fixture(scope="module")
def model():
    return panel().fit(TABLE)


def test_tables_are_clustered(model):
    assert ari(Y, model.labels_) > 0.95
    assert model.feature_names_in_.tolist() == list(TABLE)
    assert model.n_features_in_ == 5
    assert model.notes_[0].startswith("Encoded 2 columns of categories: 'kind' (3)")
    assert "Left out 'name'" in model.notes_[2]
    gaps = "5.2% of the values are missing: of 150 rows, 30 in 'b', 1 in 'kind'."
    assert gaps == model.notes_[3]
    assert "No value was imputed" in model.notes_[4]
    frame = pl.from_pandas(TABLE)
    same = panel().fit(frame)
    np.testing.assert_array_equal(same.labels_, model.labels_)
    same = panel().fit(TABLE.to_numpy(dtype=object))
    np.testing.assert_array_equal(same.labels_, model.labels_)


def test_new_rows(model):
    assert model.predict_agreement_ > 0.95
    np.testing.assert_array_equal(model.predict(TABLE), model.labels_)
    odd = TABLE[:4].assign(kind="new", b=None)
    assert model.predict(odd).shape == (4,)
    assert model.predict_confidence(odd).max() <= 1.0
    only = TABLE[:3].assign(a=None, b=None, flag=None)
    np.testing.assert_array_equal(model.predict(only), model.labels_[:3])
    with pytest.raises(ValueError, match=r"(?i)feature names"):
        model.predict(TABLE[["b", "a", "kind", "flag", "name"]])
    with pytest.raises(ValueError, match=r"predict: 3 of the samples have no value"):
        model.predict(only.assign(kind=None))


def test_numbers_are_taken_as_ever():
    plain = panel().fit(POINTS)
    frame = pd.DataFrame(POINTS, columns=list("abc"))
    for data in (frame, frame.assign(name=[f"n{i}" for i in range(150)])):
        model = panel().fit(data)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        np.testing.assert_array_equal(model.confidence_, plain.confidence_)
    assert plain.notes_ == (
        "Left out mdec, mbn and kmeans, which need many features: there are only 3.",
    )


def test_gaps_in_arrays_and_frames():
    model = panel().fit(GAPS)
    whole = ~np.isnan(GAPS).any(axis=1)
    assert ari(Y[whole], model.labels_[whole]) > 0.95
    assert "30 in 'column 1'" in model.notes_[0]
    frame = pd.DataFrame(GAPS, columns=list("abc")).convert_dtypes()
    same = panel().fit(frame)
    np.testing.assert_array_equal(same.labels_, model.labels_)
    assert "30 in 'b'" in same.notes_[0]


def test_new_gaps_where_fit_had_none():
    model = panel().fit(POINTS)
    assert ari(Y, model.predict(GAPS)) > 0.85
    whole = ~np.isnan(GAPS).any(axis=1)
    np.testing.assert_array_equal(
        model.predict(GAPS)[whole], model.predict(POINTS)[whole]
    )


def test_everything_after_fit(model, tmp_path):
    assert set(model.recut(2).labels_) == {0, 1}
    found = explain(model)
    assert len(found.to_frame()) == 150
    assert np.isfinite(found.clusters["cluster_consensus"]).all()
    page = coterie.report(model, TABLE, tmp_path / "r.html", y=Y).read_text()
    assert "No value was imputed" in page
    assert "kind=x" in page
    places = plot.data("sample_map", model, TABLE, coordinates="pca")
    assert places["axes"][0].startswith("missing values at the mean, component 1")
    assert plot.data("silhouette", model, TABLE)["mean"] > 0.3


def test_the_number_of_clusters(tmp_path):
    model = panel().set_params(n_clusters="auto").fit(GAPS)
    assert model.n_clusters_ == 3
    assert model.k_choice_.settings["complete_part"] == (120, 3)
    chosen = "complete part of the table: 120 of 150 rows."
    assert sum(note.endswith(chosen) for note in model.notes_) == 1
    page = coterie.report(model, GAPS, tmp_path / "r.html").read_text()
    assert "No value was imputed" in page


def test_choose_k_uses_the_largest_complete_part():
    bad = POINTS.copy()
    bad[:20] = np.nan
    bad[:20, 0] = 1.0
    choice = choose_k(bad, range(2, 5), n_null=5, random_state=0)
    plain = choose_k(POINTS[20:], range(2, 5), n_null=5, random_state=0)
    np.testing.assert_array_equal(choice.samples, 20 + plain.samples)
    assert choice.curves["pac"].tolist() == plain.curves["pac"].tolist()
    table = choose_k(TABLE, range(2, 5), n_null=5, estimator=panel(), random_state=0)
    assert table.settings["complete_part"][0] == 149


@pytest.mark.parametrize("entry", entries("system"), ids=lambda entry: entry.name)
def test_other_systems_say_which_takes_gaps(entry):
    if entry.load().takes_tables:
        return
    with pytest.raises(ValueError, match=r"(?s)NaN|missing"):
        entry.load()(3).fit(GAPS)


def test_the_way_is_named():
    with pytest.raises(ValueError, match=r"MDEC expects complete data.*NaN.*Ensemble"):
        MDEC(3).fit(GAPS)


def test_parts_that_need_complete_data():
    model = EnsembleClustering(3, generator="kmeans", consensus="wosp")
    with pytest.raises(ValueError, match=r"WOSP needs data without missing values"):
        model.fit(GAPS)
