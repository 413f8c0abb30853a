"""The same samples, wherever they lie; errors that name the row or the column."""

import numpy as np
import pandas as pd
import pytest

from coterie import use_engine
from coterie._large import ScaledRows, SelectedRows, open_rows, survey, take_rows

X = np.random.default_rng(0).normal(size=(1000, 3)).astype(np.float32)


def parquet(folder, X=X, **options):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    frame.to_parquet(folder / "data.parquet", row_group_size=130, **options)
    return folder / "data.parquet"


def parts_of_parquet(folder):
    (folder / "parts").mkdir()
    for i, part in enumerate(np.array_split(X, 3)):
        frame = pd.DataFrame(part, columns=["a", "b", "c"])
        frame.to_parquet(folder / "parts" / f"part-{i}.parquet", row_group_size=130)
    return folder / "parts"


def npy(folder):
    np.save(folder / "data.npy", X)
    return folder / "data.npy"


def mapped(folder):
    return np.load(npy(folder), mmap_mode="r")


def zarr(folder):
    library = pytest.importorskip("zarr")
    array = library.open_array(
        str(folder / "data.zarr"),
        mode="w",
        shape=X.shape,
        chunks=(90, 2),
        dtype="float32",
    )
    array[:] = X
    return folder / "data.zarr"


def dask(folder):
    return pytest.importorskip("dask.array").from_array(X, chunks=(210, 2))


def array(folder):
    return X


SOURCES = [array, mapped, npy, parquet, parts_of_parquet, zarr, dask]


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("block_rows", [None, 250])
def test_all_rows_in_order(source, block_rows, tmp_path):
    rows = open_rows(source(tmp_path), "Test", block_rows)
    assert rows.shape == X.shape
    assert rows.dtype == np.float32
    if block_rows is not None:
        assert rows.n_blocks > 1
    parts = [rows.read(b) for b in range(rows.n_blocks)]
    assert [len(part) for part in parts] == np.diff(rows.bounds).tolist()
    np.testing.assert_array_equal(np.concatenate(parts), X)


@pytest.mark.parametrize("source", SOURCES)
def test_some_rows(source, tmp_path):
    rows = open_rows(source(tmp_path), "Test", 250)
    wanted = np.array([0, 3, 249, 250, 900, 999])
    np.testing.assert_array_equal(take_rows(rows, wanted), X[wanted])


@pytest.mark.parametrize("source", SOURCES)
def test_the_hash_is_that_of_the_values(source, tmp_path):
    expected = survey(open_rows(X, "Test"), "Test")
    if source not in (parquet, parts_of_parquet, zarr, dask):  # these have own blocks
        assert survey(open_rows(source(tmp_path), "Test"), "Test") == expected
    other = X.copy()
    other[777, 1] += 1
    assert survey(open_rows(other, "Test"), "Test") != expected


def test_whole_numbers_become_floats(tmp_path):
    np.save(tmp_path / "pixels.npy", np.arange(12, dtype=np.uint8).reshape(4, 3))
    rows = open_rows(tmp_path / "pixels.npy", "Test")
    assert rows.read(0).dtype == np.float32
    assert open_rows(np.arange(12).reshape(4, 3), "Test").read(0).dtype == np.float64


def test_a_hole_is_named(tmp_path):
    data = X.copy()
    data[613, 2] = np.nan
    np.save(tmp_path / "holes.npy", data)
    rows = open_rows(tmp_path / "holes.npy", "Test", 100)
    with pytest.raises(ValueError, match="row 613, column 2 is NaN or infinite"):
        survey(rows, "Test")


def test_a_null_in_parquet_is_named(tmp_path):
    data = X.astype(float)
    data[613, 2] = np.nan
    rows = open_rows(parquet(tmp_path, data), "Test", 100)
    with pytest.raises(ValueError, match="row 613, column 2"):
        survey(rows, "Test")


def test_large_but_finite_values_are_fine():
    huge = np.full((10, 2), 1e38, dtype=np.float32)
    with np.errstate(all="raise"):
        survey(open_rows(huge, "Test"), "Test")


def test_text_in_parquet_is_refused(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"a": [1.0, 2.0], "city": ["x", "y"]})
    frame.to_parquet(tmp_path / "text.parquet")
    with pytest.raises(ValueError, match="non-numeric columns: city"):
        open_rows(tmp_path / "text.parquet", "Test")


def test_a_parquet_file_without_rows(tmp_path):
    with pytest.raises(ValueError, match="holds no rows"):
        open_rows(parquet(tmp_path, X[:0]), "Test")
    parts_of_parquet(tmp_path)  # an empty file among others does no harm
    pd.DataFrame(X[:0], columns=["a", "b", "c"]).to_parquet(
        tmp_path / "parts" / "part-1b.parquet"
    )
    rows = open_rows(tmp_path / "parts", "Test", 250)
    parts = [rows.read(b) for b in range(rows.n_blocks)]
    np.testing.assert_array_equal(np.concatenate(parts), X)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda f: f / "nothing.npy", "there is no file"),
        (lambda f: f, "reads NPY and Parquet files"),
    ],
)
def test_what_cannot_be_opened(make, text, tmp_path):
    with pytest.raises((ValueError, FileNotFoundError), match=text):
        open_rows(make(tmp_path), "Test")


def test_a_damaged_npy(tmp_path):
    np.save(tmp_path / "data.npy", X)
    content = (tmp_path / "data.npy").read_bytes()
    (tmp_path / "data.npy").write_bytes(content[: len(content) // 2])
    with pytest.raises(ValueError, match="damaged"):
        open_rows(tmp_path / "data.npy", "Test")


def test_a_vector_is_refused(tmp_path):
    np.save(tmp_path / "data.npy", X[:, 0])
    with pytest.raises(ValueError, match=r"has shape \(1000,\)"):
        open_rows(tmp_path / "data.npy", "Test")


@pytest.mark.slow
def test_rows_reach_other_processes(tmp_path):
    with use_engine("processes"):
        expected = survey(open_rows(X, "Test", 300), "Test", n_jobs=2)
        found = survey(open_rows(npy(tmp_path), "Test", 300), "Test", n_jobs=2)
    assert found == expected == survey(open_rows(X, "Test", 300), "Test")


def whole(rows):
    return np.concatenate([rows.read(b) for b in range(rows.n_blocks)])


@pytest.mark.parametrize("make", SOURCES)
def test_some_columns(make, tmp_path):
    source = make(tmp_path)
    rows = open_rows(source, "Test", 300, columns=[2, 0])
    assert rows.shape == (1000, 2)
    assert rows.read(0).flags.c_contiguous
    np.testing.assert_array_equal(whole(rows), X[:, [2, 0]])
    chosen = np.array([0, 5, 400, 999])
    np.testing.assert_array_equal(take_rows(rows, chosen), X[chosen][:, [2, 0]])


def test_columns_of_text_may_be_left_out(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"city": ["x", "y"], "a": [1.0, 2.0]})
    frame.to_parquet(tmp_path / "text.parquet")
    rows = open_rows(tmp_path / "text.parquet", "Test", columns=[1])
    np.testing.assert_array_equal(rows.read(0), [[1.0], [2.0]])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scaled_rows_are_those_of_scikit_learn(dtype):
    from sklearn.preprocessing import StandardScaler

    rng = np.random.default_rng(1)
    data = rng.normal([0, 1e4, -3, 0], [1, 10, 1e-3, 0], (1000, 4))
    data[:, 3] = 0.1  # constant
    data = data.astype(dtype)
    rows = ScaledRows(open_rows(data, "Test", 130))
    assert rows.dtype == dtype
    scaler = StandardScaler().fit(data.astype(np.float64))
    np.testing.assert_allclose(rows.mean, scaler.mean_, rtol=1e-12)
    np.testing.assert_allclose(rows.scale, scaler.scale_, rtol=1e-9)
    expected = scaler.transform(data.astype(np.float64))
    tolerance = 1e-6 if dtype == np.float32 else 1e-9
    np.testing.assert_allclose(whole(rows), expected, atol=tolerance)
    chosen = np.array([3, 700])
    np.testing.assert_array_equal(take_rows(rows, chosen), whole(rows)[chosen])


def test_scaled_rows_name_the_place_of_a_gap(tmp_path):
    data = X.copy()
    data[777, 1] = np.nan
    np.save(tmp_path / "gap.npy", data)
    with pytest.raises(ValueError, match=r"Test expects .* row 777, column 1 is NaN"):
        ScaledRows(open_rows(tmp_path / "gap.npy", "other", 130), "Test")


@pytest.mark.slow
def test_views_reach_other_processes(tmp_path):
    rows = ScaledRows(SelectedRows(open_rows(npy(tmp_path), "Test", 300), [0, 2]))
    with use_engine("processes"):
        assert survey(rows, "Test", n_jobs=2) == survey(rows, "Test")


def test_blocks_of_a_zarr_array_are_whole_chunks(tmp_path):
    zarr = pytest.importorskip("zarr")
    shape, chunks = (230, 3), (50, 3)
    path = tmp_path / "x.zarr"
    zarr.open_array(str(path), mode="w", shape=shape, chunks=chunks, dtype="f8")
    rows = open_rows(path, "me", block_rows=120)
    assert rows.bounds.tolist() == [0, 100, 200, 230]
