"""MAT files of version 5 and of version 7.3."""

import h5py
import numpy as np
import pytest
import scipy.sparse as sp
from mat_files import write_5, write_73

from coterie.datasets import load_mat

RNG = np.random.default_rng(0)
FEA = RNG.normal(size=(7, 3))
SPARSE = sp.random(7, 4, 0.4, format="csc", random_state=0)
GT = np.array([1, 1, 2, 2, 3, 3, 3.0])[:, None]
NAMES = ["setosa", "setosa", "versicolor", "a", "b", "c", "d"]


WRITERS = pytest.mark.parametrize("write", [write_5, write_73])


@WRITERS
def test_a_matrix_is_not_transposed(tmp_path, write):
    path = tmp_path / "d.mat"
    write(path, fea=FEA, gt=GT)
    np.testing.assert_array_equal(load_mat(path), FEA)
    X, y = load_mat(str(path), labels="gt")
    np.testing.assert_array_equal(X, FEA)
    assert y.tolist() == [1, 1, 2, 2, 3, 3, 3]  # as they are, from 1


@WRITERS
def test_sparse_logical_and_text(tmp_path, write):
    path = tmp_path / "d.mat"
    write(path, A=SPARSE, flags=FEA > 0, species=NAMES)
    X, y = load_mat(path, "A", labels="species")
    assert X.format == "csr"
    np.testing.assert_array_equal(X.toarray(), SPARSE.toarray())
    assert y.tolist() == NAMES
    np.testing.assert_array_equal(load_mat(path, "flags"), FEA > 0)


@WRITERS
def test_which_matrix(tmp_path, write):
    path = tmp_path / "d.mat"
    write(path, gt=GT, measured=FEA)
    np.testing.assert_array_equal(load_mat(path), FEA)  # the only matrix
    np.testing.assert_array_equal(load_mat(path, "gt"), GT)
    write(path, gt=GT, first=FEA, second=FEA)
    text = r"holds .*first \(7 x 3 double\), .*: which matrix should be used"
    with pytest.raises(ValueError, match=text):
        load_mat(path)
    with pytest.raises(ValueError, match=r"no variable 'Y'. It holds .*gt \(7 x 1 "):
        load_mat(path, "Y")
    with pytest.raises(ValueError, match="no variable 'labels'"):
        load_mat(path, "first", labels="labels")
    text = r"second has shape \(7, 3\), but a label for each of the 7 rows of first"
    with pytest.raises(ValueError, match=text):
        load_mat(path, "first", labels="second")


@WRITERS
def test_what_is_no_matrix(tmp_path, write):
    path = tmp_path / "d.mat"
    write(path, species=NAMES, cube=np.zeros((2, 3, 4)))
    text = r"matrix \(samples, features\) was expected, but species is cell of shape"
    with pytest.raises(ValueError, match=text):
        load_mat(path, "species")
    with pytest.raises(ValueError, match=r"cube is double of shape \(2, 3, 4\)"):
        load_mat(path, "cube")


def test_a_matrix_of_zeros(tmp_path):
    path = tmp_path / "d.mat"
    write_73(path, X=SPARSE)
    with h5py.File(path, "r+") as file:  # MATLAB writes no data then
        del file["X"]["data"], file["X"]["ir"]
        file["X"]["jc"][:] = 0
    assert load_mat(path).shape == (7, 4)
    assert load_mat(path).nnz == 0


@pytest.mark.parametrize("content", [b"nonsense", b"\x89HDF\r\n\x1a\n and so on"])
def test_what_is_no_mat_file(tmp_path, content):
    path = tmp_path / "d.mat"
    path.write_bytes(content * 100)
    with pytest.raises(ValueError, match="cannot be read as a MAT file: it is damaged"):
        load_mat(path)


def test_h5py_is_named_where_it_is_needed(tmp_path, monkeypatch):
    path = tmp_path / "d.mat"
    write_73(path, X=FEA)
    monkeypatch.setitem(__import__("sys").modules, "h5py", None)
    with pytest.raises(ImportError, match="pip install h5py"):
        load_mat(path)
    write_5(path, X=FEA)
    np.testing.assert_array_equal(load_mat(path), FEA)
