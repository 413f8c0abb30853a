"""`coterie cluster` of data that are read some rows at a time."""

import json

import numpy as np
import pandas as pd
import pytest

from coterie.cli import _engine, _large

RNG = np.random.default_rng(0)
Y = np.repeat([0, 1, 2], 200)
X = (Y[:, None] * 10 + RNG.normal(size=(600, 3))).astype(np.float32)
WORDS = ("-k", 3, "--members", 5, "--jobs", 1)


def test_a_npy_file_block_by_block(run, tmp_path):
    np.save("data.npy", X)
    done = run("cluster", "data.npy", *WORDS, "--system", "large", "-o", "labels.npy")
    assert done.code == 0, done.err
    assert "3 clusters of 600 samples" in done.out
    assert "mini-batch k-means" in done.out
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
    monkeypatch.setattr(_large, "FROM_ROWS", 600)
    np.save("data.npy", X)
    done = run("cluster", "data.npy", *WORDS)
    assert "large, as 600 rows are read block by block" in done.out
    # what only whole tables have keeps the other systems
    done = run("cluster", "data.npy", *WORDS, "--standardize")
    assert "large" not in done.out


def test_a_zarr_array(run):
    zarr = pytest.importorskip("zarr")
    array = zarr.open_array(
        "data.zarr", mode="w", shape=X.shape, chunks=(100, 3), dtype="float32"
    )
    array[:] = X
    done = run("cluster", "data.zarr", *WORDS, "-o", "labels.csv")
    assert done.code == 0, done.err
    frame = pd.read_csv("labels.csv")
    assert frame.columns.tolist() == ["label", "confidence"]
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
        (("--truth", "1"), "leave out --truth"),
        (("--standardize", "--drop", "1"), "leave out --standardize, --drop"),
        (("--generator", "kmeans"), "leave out --generator"),
        (("--consensus", "lwea"), "lwgp, hbgf, kcc, sec, vote"),
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
    assert "LWEA, if no two of 600 samples" in fails(
        "cluster", "data.npy", "-k", 3, *words
    )


@pytest.mark.parametrize(
    ("text", "n_bytes"),
    [("8GB", 8 * 10**9), ("500 mb", 5 * 10**8), ("2e9", 2 * 10**9), (None, None)],
)
def test_sizes(text, n_bytes):
    assert _engine.parse_bytes(text) == n_bytes
