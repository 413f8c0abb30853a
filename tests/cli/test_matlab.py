"""MAT files on the command line."""

import json

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from mat_files import write_5, write_73


@pytest.mark.parametrize("write", [write_5, write_73])
def test_cluster(run, tmp_path, blobs, write):
    X, y = blobs
    write(tmp_path / "d.mat", fea=X, gt=y[:, None] + 1.0)
    words = ("--truth", "gt", "--members", 5, "-o", "out.csv")
    done = run("cluster", "d.mat", "-k", 3, *words)
    assert done.code == 0, done.err
    assert "4 columns; truth: gt" in done.out
    assert "ARI 1.000" in done.out
    assert (tmp_path / "out.csv").read_text().splitlines()[4].startswith("0,")


def test_the_matrix_is_named(run, fails, tmp_path, blobs):
    X, y = blobs
    write_5(tmp_path / "d.mat", one=X, two=X[:, :2], gt=y[:, None])
    text = fails("cluster", "d.mat", "-k", 3)
    assert "holds one (60 x 4 double), two (60 x 2 double), gt (60 x 1" in text
    assert text.endswith("which matrix should be used? Choose with --variable.")
    done = run("cluster", "d.mat", "-k", 3, "--variable", "two", "--json")
    assert json.loads(done.out)["input"]["n_columns"] == 2
    assert fails("cluster", "d.mat", "-k", 3, "--variable", "X").startswith(
        "d.mat has no variable 'X'. It holds one (60 x 4"
    )
    text = fails("cluster", "d.mat", "-k", 3, "--variable", "two", "--truth", "labels")
    assert "d.mat has no such array. It holds one, two, gt" in text


def test_a_sparse_matrix(run, tmp_path, blobs):
    write_5(tmp_path / "d.mat", X=sp.csc_matrix(np.abs(blobs[0])))
    done = run("cluster", "d.mat", "-k", 3, "--system", "ensemble")
    assert done.code == 0, done.err
    assert "3 clusters of 60 samples" in done.out


def test_combine_and_what_it_wrote(run, tmp_path, blobs):
    y = blobs[1]
    members = np.column_stack([y + 1, y % 2 + 1, y + 1]).astype(float)
    write_5(tmp_path / "m.mat", baseCls=members, gt=y[:, None] + 1.0)
    done = run("combine", "m.mat", "-k", 3, "--truth", "gt", "-o", "out.mat")
    assert done.code == 0, done.err
    assert "ARI 1.000" in done.out
    written = scipy.io.loadmat(tmp_path / "out.mat")["label"]
    assert written.shape == (60, 1)
    assert written[:, 0].tolist() == y.tolist()


def test_the_matrix_of_an_npz_file(run, fails, tmp_path, blobs):
    np.savez(tmp_path / "d.npz", X=blobs[0][:, :1], other=blobs[0])
    done = run("cluster", "d.npz", "-k", 3, "--variable", "other", "--members", 5)
    assert "4 columns" in done.out
    text = fails("cluster", "d.npz", "-k", 3, "--variable", "Z")
    assert "holds the arrays X, other, and none is named Z" in text


def test_a_table_has_no_variables(fails, data_csv):
    text = fails("cluster", data_csv, "-k", 3, "--variable", "X")
    assert "holds one table. The option is for .npz and .mat files." in text
