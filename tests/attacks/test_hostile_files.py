"""Files that lie, that are huge, broken or linked, and names that attack."""

import importlib
import io
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

from coterie import EnsembleClustering, use_engine
from coterie._archives import open_arrays
from coterie._large import open_rows
from coterie.answers import report
from coterie.cli._columns import Columns
from coterie.cli._files import spelled, unspelled, write_columns
from coterie.cli._tables import read_data, read_labels
from coterie.datasets import load_mat
from coterie.exceptions import MemoryLimitError

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(c, 1.0, (20, 3)) for c in (0, 5, 9)])


def npy(array=X, shape=None, version=(1, 0)):
    """Return an NPY file, perhaps with another shape in its header."""
    file = io.BytesIO()
    about = np.lib.format.header_data_from_array_1_0(array)
    about["shape"] = shape or array.shape
    writer = {
        (1, 0): np.lib.format.write_array_header_1_0,
        (2, 0): np.lib.format.write_array_header_2_0,
    }
    writer[version](file, about)
    return file.getvalue() + array.tobytes()


def archive(**entries):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in entries.items():
            packed.writestr(name.replace("_npy", ".npy"), content)
    return file.getvalue()


def marked(content, at, value):
    """Return an archive with a byte of all of its directories changed."""
    changed = bytearray(content)
    for mark, place in ((b"PK\x03\x04", at), (b"PK\x01\x02", at + 2)):
        changed[changed.find(mark) + place] = value
    return bytes(changed)


BROKEN = {
    "a header of terabytes": (npy(shape=(10**12, 3)), "claims 24000.0 GB, but holds"),
    "in an archive, too": (archive(X_npy=npy(shape=(10**12, 3))), "claims 24000.0 GB"),
    "a shape below zero": (npy(shape=(-60, -3)), "is damaged: it claims the shape"),
    "a file that ends early": (npy()[:-8], "claims 1.4 kB, but holds"),
    "no header": (b"\x93NUMPY\x01\x00", "it is damaged or has another format"),
    "an unknown version": (b"\x93NUMPY\x07\x00" + npy()[8:], "damaged or has another"),
    "a header of gigabytes": (
        b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100,
        "it is damaged or has another format",
    ),
    "encrypted": (marked(archive(X_npy=npy()), 6, 1), "encrypted. Save it without a"),
    "an unknown method": (marked(archive(X_npy=npy()), 8, 99), "unknown to Python"),
    "not an array": (archive(X_npy=b"hello"), "it is damaged or has another format"),
    "no arrays": (archive(readme=b"hello"), "holds no arrays"),
    "nothing": (archive(), "holds no arrays"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_files_are_refused_by_a_sentence(tmp_path, case):
    content, text = BROKEN[case]
    path = tmp_path / "data.npz"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=text):
        read_data(path, Columns())


def test_pickles_are_never_loaded(tmp_path):
    class Evil:
        def __reduce__(self):
            return os.mkdir, (str(tmp_path / "owned"),)

    np.save(tmp_path / "x.npy", np.array([[Evil()]]), allow_pickle=True)
    np.savez(tmp_path / "x.npz", X=np.array([[Evil()]]))
    for name in ("x.npy", "x.npz"):
        with pytest.raises(ValueError, match="Python objects, which are not loaded"):
            read_data(tmp_path / name, Columns())
    assert not (tmp_path / "owned").exists()


def test_arrays_that_nobody_asked_for_are_not_read(tmp_path):
    path = tmp_path / "x.npz"
    np.savez_compressed(path, X=X, more=np.zeros((2000, 2000)))
    with use_engine(memory_limit=10**6):
        assert read_data(path, Columns()).values.shape == (60, 3)
        with pytest.raises(MemoryLimitError, match=r"'more' of .* would need 32.0 MB"):
            read_data(path, Columns(variable="more"))


def test_names_with_paths_are_only_names(tmp_path):
    with open_arrays(archive(**{"../../x_npy": npy()}), "It") as file:
        assert file.read("../../x").shape == (60, 3)
    assert not any(tmp_path.iterdir())


def test_sparse_files_of_any_format_are_read_as_they_are(tmp_path):
    dense = np.arange(9.0).reshape(3, 3)  # square: a transpose would go unnoticed
    for kind in ("csr", "csc", "coo", "bsr"):
        sp.save_npz(tmp_path / "x.npz", sp.csr_array(dense).asformat(kind))
        found = read_data(tmp_path / "x.npz", Columns()).values
        np.testing.assert_array_equal(found.toarray(), dense)


@pytest.mark.parametrize(
    ("part", "change", "text"),
    [
        ("indices", lambda a: a + 10**9, "index 10000000.. is out of range"),
        ("indices", lambda a: a - 10**6, "index -1000000 is out of range"),
        ("indptr", lambda a: a * 1000, "is broken"),
        ("shape", lambda a: a * [1, 2**40], "a single number for each of its rows"),
    ],
)
def test_sparse_files_with_wrong_parts(tmp_path, part, change, text):
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(X))
    with np.load(tmp_path / "x.npz") as file:
        arrays = dict(file)
    arrays[part] = change(arrays[part])
    np.savez(tmp_path / "x.npz", **arrays)
    with pytest.raises((ValueError, MemoryLimitError), match=text):
        read_data(tmp_path / "x.npz", Columns())


class Hdf5:
    """Writes MAT files of version 7.3."""

    def __init__(self, folder):
        self.h5py = pytest.importorskip("h5py")
        self.path = folder / "x.mat"
        self.other = folder / "other.h5"
        with self.h5py.File(self.other, "w") as file:
            file["X"] = X.T

    def write(self, fill):
        with self.h5py.File(self.path, "w", userblock_size=512) as file:
            fill(file)
        return self.path

    def external(self, file):
        file["X"] = self.h5py.ExternalLink(str(self.other), "X")

    def soft(self, file):
        file["X"] = self.h5py.SoftLink("/X")

    def virtual(self, file):
        layout = self.h5py.VirtualLayout(X.T.shape, "f8")
        layout[:] = self.h5py.VirtualSource(str(self.other), "X", X.T.shape)
        file.create_virtual_dataset("X", layout)

    def stored_outside(self, file):
        where = [(str(self.other), 0, X.nbytes)]
        file.create_dataset("X", shape=X.T.shape, dtype="f8", external=where)


@pytest.mark.parametrize("kind", ["external", "soft", "virtual", "stored_outside"])
def test_links_in_mat_files_are_not_followed(tmp_path, kind):
    maker = Hdf5(tmp_path)
    path = maker.write(getattr(maker, kind))
    with pytest.raises(ValueError, match="X is a link, or its values are in another"):
        load_mat(path)


def test_a_mat_file_that_claims_terabytes(tmp_path):
    def huge(file):
        shape, chunks = (10**6, 10**6), (1000, 1000)
        file.create_dataset("X", shape, "f8", chunks=chunks, compression="gzip")

    with pytest.raises(MemoryLimitError, match=r"X of .*mat would need 8000.0 GB"):
        load_mat(Hdf5(tmp_path).write(huge))


@pytest.mark.parametrize("change", [10**9, -(10**6)])
def test_a_sparse_mat_file_with_wrong_indices(tmp_path, change):
    columns = sp.csc_array(X)

    def fill(file):
        group = file.create_group("X")
        group.attrs["MATLAB_sparse"] = len(X)
        group.attrs["MATLAB_class"] = np.bytes_("double")
        group["data"], group["jc"] = columns.data, columns.indptr
        group["ir"] = columns.indices.astype(np.int64) + change

    with pytest.raises(ValueError, match="is out of range"):
        load_mat(Hdf5(tmp_path).write(fill))


# --- tables that repeat one value, and arrays that claim much


def repeated(path, n_rows, writer):
    """Write two columns of one value, which take a few kB."""
    arrow = pytest.importorskip("pyarrow")
    importlib.import_module(f"pyarrow.{writer}")
    table = arrow.table({name: np.zeros(n_rows) for name in "ab"})
    if writer == "parquet":
        arrow.parquet.write_table(table, path, row_group_size=n_rows)
    else:
        arrow.feather.write_feather(table, path, compression="zstd", chunksize=10_000)
    assert path.stat().st_size < n_rows
    return path


@pytest.mark.parametrize("kind", ["parquet", "feather"])
def test_tables_that_unpack_to_more_than_the_limit(tmp_path, kind):
    path = repeated(tmp_path / f"x.{kind}", 500_000, kind)
    with use_engine(memory_limit=10**8):
        assert read_data(path, Columns()).values.shape == (500_000, 2)
    text = r"The table of .* would need .* MB, more than the limit of 2.0 MB"
    with use_engine(memory_limit=2 * 10**6):
        for read in (read_data, read_labels):
            with pytest.raises(MemoryLimitError, match=text):
                read(path, Columns())


def test_row_groups_that_unpack_to_more_than_the_limit(tmp_path):
    path = repeated(tmp_path / "x.parquet", 500_000, "parquet")
    assert open_rows(path, "me").shape == (500_000, 2)
    text = "A part of .*, 500,000 rows, would need 8.0 MB"
    limit = use_engine(memory_limit=4 * 10**6)
    with limit, pytest.raises(MemoryLimitError, match=text):
        open_rows(path, "me")


CLAIMS = {
    "rows": ((10**15, 3), (1000, 3), "One label for each of .* would need 4000000.0"),
    "a chunk": ((10**7, 10**5), (10**7, 10**5), "A part of .* would need 8000.0 GB"),
    "a wide chunk": ((1000, 3), (1000, 10**9), "A part of .* would need 8000.0 GB"),
}


@pytest.mark.parametrize("case", CLAIMS)
def test_zarr_arrays_that_claim_terabytes(tmp_path, case):
    zarr = pytest.importorskip("zarr")
    shape, chunks, text = CLAIMS[case]
    path = tmp_path / "x.zarr"
    zarr.open_array(str(path), mode="w", shape=shape, chunks=chunks, dtype="f8")
    with pytest.raises(MemoryLimitError, match=text):
        open_rows(path, "me")


def test_a_zarr_chunk_that_holds_more_than_it_claims(tmp_path):
    zarr = pytest.importorskip("zarr")
    for name, n_rows in (("x.zarr", 60), ("y.zarr", 6000)):
        options = {"shape": (n_rows, 3), "chunks": (n_rows, 3), "dtype": "f8"}
        zarr.open_array(str(tmp_path / name), mode="w", **options)[:] = 1.0
    chunks = {
        name: next(p for p in (tmp_path / name).rglob("*0*") if p.is_file())
        for name in ("x.zarr", "y.zarr")
    }
    chunks["x.zarr"].write_bytes(chunks["y.zarr"].read_bytes())
    with pytest.raises(ValueError, match=r"Rows 0 to 59 of .* cannot be read \("):
        open_rows(tmp_path / "x.zarr", "me").read(0)


# --- names


FORMULAS = ["=1+1", "+x", "-x", "@a", "=cmd|' /C calc'!A0", "-2", "+5", "z", "'quoted"]


def test_formulas_are_harmless_in_csv_and_come_back(tmp_path):
    labels, path = np.arange(9) % 2, tmp_path / "labels.csv"
    ids = np.array(FORMULAS, dtype=object)
    write_columns(path, {"id": ids, "label": labels, "=more": labels})
    lines = path.read_text().splitlines()
    assert lines[0] == "id,label,'=more"
    starts = [line[:1] for line in lines[1:]]
    assert starts == ["'", "'", "'", "'", "'", "-", "+", "z", "'"]  # numbers stay
    table = read_labels(path, Columns(index="id"))
    assert table.index.tolist() == FORMULAS
    assert [unspelled(spelled(name)) for name in FORMULAS] == FORMULAS
    npz = tmp_path / "labels.npz"
    write_columns(npz, {"id": ids, "label": labels})
    with np.load(npz) as file:
        assert file["id"].tolist() == FORMULAS


def test_ids_that_look_missing_stay(tmp_path):
    ids = ["NA", "nan", "null", "None", "", "x"]
    path = tmp_path / "labels.csv"
    path.write_text("id,a,b\n" + "".join(f"{n},{i},{i}\n" for i, n in enumerate(ids)))
    assert read_labels(path, Columns(index="id")).index.tolist() == ids


def test_labels_beyond_the_floats_stay_apart(tmp_path):
    pandas = pytest.importorskip("pandas")
    big = [2**53, 2**53 + 1] * 3
    frame = pandas.DataFrame({"a": big, "b": [1, 2] * 3})
    frame.to_csv(tmp_path / "x.csv", index=False)
    frame.to_parquet(tmp_path / "x.parquet")
    frame["a"] = pandas.array([None, *big[1:]], dtype="Int64")
    frame.to_parquet(tmp_path / "y.parquet")
    for name in ("x.csv", "x.parquet", "y.parquet"):
        found = read_labels(tmp_path / name, Columns(index="none")).values["a"]
        assert found.dropna().nunique() == 2, name


def test_a_column_without_a_name_is_not_another(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text(",(no name),b\n" + "".join(f"{i % 2},{i},5\n" for i in range(6)))
    table = read_labels(path, Columns(index="none"))
    assert table.values.to_numpy()[3].tolist() == [1.0, 3.0, 5.0]


NAMES = [
    "</script><b>",
    "\u2028",
    "a\0b",
    "\udcff",
    "\u202eevil",
    '"',
    "<!--",
    "\ud800",
]


@pytest.mark.slow
def test_hostile_names_in_the_report(tmp_path):
    model = EnsembleClustering(3, random_state=0).fit(X)
    names = np.array([NAMES[i % len(NAMES)] for i in range(60)], dtype=object)
    path = tmp_path / "report.html"
    report(model, X, path, names=names, features=NAMES[:3], title=NAMES[0])
    text = path.read_bytes().decode()  # valid UTF-8
    assert "</script><b>" not in text
    assert "\0" not in text
    with pytest.raises(ValueError, match="it is a folder; a file name was expected"):
        report(model, X, tmp_path)


def coterie(*words, **options):
    return subprocess.run(
        [sys.executable, "-m", "coterie", *words], capture_output=True, **options
    )


@pytest.mark.slow
def test_file_names_that_are_not_text(tmp_path):
    folder = os.fsencode(tmp_path)
    data, page = folder + b"/\xff.npy", folder + b"/\xfe.html"
    np.save(os.fsdecode(data), X)
    done = coterie("cluster", data, "-k", "3", "--json", "--report", page)
    assert done.returncode == 0, done.stderr
    assert os.fsencode(json.loads(done.stdout)["input"]["path"]) == data
    assert Path(os.fsdecode(page)).exists()


@pytest.mark.slow
def test_links_that_lead_nowhere(tmp_path):
    np.save(tmp_path / "x.npy", X)
    loop = tmp_path / "loop.csv"
    loop.symlink_to(loop)
    done = coterie("cluster", loop, "-k", "2")
    assert b"loop.csv is a link to nothing, or to itself" in done.stderr
    done = coterie("cluster", tmp_path / "x.npy", "-k", "2", "-o", loop)
    assert b"loop.csv is a link to itself. Choose another name" in done.stderr
