"""`coterie cluster` of data that are read some rows at a time."""

import json

import numpy as np
import pandas as pd
import pytest

from coterie.cli import _engine, _system

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 200)
X = (Y[:, None] * 10 + RNG.normal(size=(600, 3))).astype(np.float32)
WORDS = ("-k", 3, "--members", 5, "--jobs", 1)


def test_a_npy_file_block_by_block(run, tmp_path):
    np.save("data.npy", X)
    done = run("cluster", "data.npy", *WORDS, "--system", "large", "-o", "labels.npy")
    assert done.code == 0, done.err
    assert "3 clusters of 600 samples" in done.out
    assert "combined by lwgp with entropy weights" in done.out
    np.testing.assert_array_equal(np.load("labels.npy"), Y)


def test_a_folder_of_parquet_files_is_taken_by_itself(run, tmp_path):
    pytest.importorskip("pyarrow")
    (tmp_path / "parts").mkdir()
    for i in range(3):
        part = pd.DataFrame(X[200 * i : 200 * (i + 1)], columns=list("abc"))
        part.to_parquet(tmp_path / "parts" / f"{i}.parquet")
    done = run("cluster", "parts", *WORDS, "--json")
    assert done.code == 0, done.err
    told = json.loads(done.out)
    assert told["labels"] == Y.tolist()
    assert told["parameters"]["system"] == "large"
    assert told["system_reason"].startswith("large, as the rows of a folder")
    assert told["input"]["n_samples"] == 600
    assert told["input"]["n_columns"] == 3


def test_many_rows_are_taken_by_blocks(run, monkeypatch):
    monkeypatch.setattr(_system, "BLOCK_ROWS", 600)
    np.save("data.npy", X)
    done = run("cluster", "data.npy", *WORDS)
    assert "large, as 600 rows are read block by block" in done.out
    # parts that only ensemble takes are named
    done = run("cluster", "data.npy", *WORDS, "--generator", "kmeans")
    assert "ensemble, as parts were named" in done.out


def frame():
    names = np.array(["x", "y", "z"])[Y]
    data = pd.DataFrame(X * [1, 1000, 1], columns=list("abc"))
    noise = RNG.normal(0, 1e6, 600)
    return data.assign(noise=noise, kind=names, who=[f"s{i}" for i in range(600)])


@pytest.mark.parametrize("name", ["one.parquet", "parts"])
def test_column_options_keep_the_blocks(run, tmp_path, monkeypatch, name):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr(_system, "BLOCK_ROWS", 600)
    table = frame()
    if name == "parts":
        (tmp_path / "parts").mkdir()
        for i in range(3):
            table[200 * i : 200 * (i + 1)].to_parquet(f"parts/{i}.parquet", index=False)
    else:
        table.to_parquet(name, index=False, row_group_size=200)
    words = ("--truth", "kind", "--index", "who", "--drop", "noise")
    done = run("cluster", name, *WORDS, *words, "-o", "labels.csv")
    assert done.code == 0, done.err
    assert "read block by block" in done.out
    assert "columns  Standardized: b has 99.9% of the variance" in done.out
    assert "3 columns; index: who; truth: kind; dropped: noise" in done.out
    assert "ARI 1.000" in done.out
    rows = pd.read_csv("labels.csv")
    assert rows["who"].tolist() == table["who"].tolist()
    assert rows["label"].tolist() == Y.tolist()


def test_column_options_of_a_npy_file(run, monkeypatch):
    monkeypatch.setattr(_system, "BLOCK_ROWS", 600)
    np.save("data.npy", np.column_stack([Y, X, RNG.normal(0, 1e5, 600)]))
    words = ("--truth", 1, "--drop", -1, "--standardize", "yes", "--json")
    told = json.loads(run("cluster", "data.npy", *WORDS, *words).out)
    assert told["parameters"]["system"] == "large"
    assert told["scores"]["ari"] == 1
    assert told["input"]["n_columns"] == 3


def test_report_and_ensemble_of_blocks(run, tmp_path):
    np.save("data.npy", X)
    words = ("--system", "large", "--save-ensemble", "e.npz", "--report", "r.html")
    done = run("cluster", "data.npy", *WORDS, *words)
    assert done.code == 0, done.err
    assert "3 clusters" in (tmp_path / "r.html").read_text()
    combined = json.loads(run("combine", "e.npz", "-k", 3, "--json").out)
    assert combined["labels"] == Y.tolist()


def test_a_whole_file_by_the_large_system(run, data_csv):
    words = ("--system", "large", "--truth", "class", "--set", "sample_size=50")
    told = json.loads(run("cluster", data_csv, *WORDS, *words, "--json").out)
    assert told["scores"]["ari"] == 1


def test_a_zarr_array(run):
    zarr = pytest.importorskip("zarr")
    array = zarr.open_array(
        "data.zarr", mode="w", shape=X.shape, chunks=(100, 3), dtype="float32"
    )
    array[:] = X
    done = run("cluster", "data.zarr", *WORDS, "-o", "labels.csv")
    assert done.code == 0, done.err
    frame = pd.read_csv("labels.csv")
    assert frame.columns.tolist() == ["label", "confidence", "second", "margin"]
    assert frame["label"].tolist() == Y.tolist()


def test_a_checkpoint_of_blocks(run, tmp_path):
    np.save("data.npy", X)
    words = (*WORDS, "--system", "large", "--checkpoint", "kept", "-o", "labels.npy")
    for _ in range(2):
        assert run("cluster", "data.npy", *words).code == 0
        assert (tmp_path / "kept" / "members" / "member-000004").exists()
        assert (tmp_path / "kept" / "labels" / "block-000000").exists()
        np.testing.assert_array_equal(np.load("labels.npy"), Y)


@pytest.mark.parametrize(
    ("more", "text"),
    [
        (("--generator", "kmeans"), "does not take --generator kmeans"),
        (("--consensus", "lwea"), "--consensus is one of hbgf, kcc, lwgp, sec, vote"),
        (("--variable", "X"), "--variable X: data.npy holds one table"),
        (("--memory-limit", "10kB"), "more than the limit of 10.0 kB"),
        (("--memory-limit", "much"), "--memory-limit expects a size such as 8GB"),
    ],
)
def test_what_blocks_do_not_have(fails, more, text):
    np.save("data.npy", X)
    assert text in fails("cluster", "data.npy", "-k", 3, "--system", "large", *more)


def test_a_limit_for_whole_tables(fails):
    np.save("data.npy", X)
    words = ("--system", "mdec", "--consensus", "hc", "--memory-limit", "50kB")
    assert "LWEA, if the 600 samples all have" in fails(
        "cluster", "data.npy", "-k", 3, *words
    )


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("8GB", 8 * 10**9), ("500 mb", 5 * 10**8), ("2e9", 2 * 10**9), (None, None)],
)
def test_sizes(text, n_bytes):
    assert _engine.parse_bytes(text) == n_bytes
