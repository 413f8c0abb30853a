"""What files mean: headers, index, truth, and each format."""

import csv
import importlib
import io

import numpy as np
import pytest

from coterie.cli._columns import Columns
from coterie.cli._delimited import MISSING
from coterie.cli._files import write_columns
from coterie.cli._tables import read_data, read_labels


def write(tmp_path, text, name="t.csv"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize(
    ("text", "names", "index", "header"),
    [
        ("a,b\n1,2\n3,4\n", ["a", "b"], None, True),
        ("1,2\n3,4\n", ["column 1", "column 2"], None, False),
        (",a,b\n0,1,2\n1,3,4\n", ["a", "b"], "index", True),  # pandas with index
        ("0,1,2\n5,6,7\n8,9,7\n", ["0", "1", "2"], None, True),  # pandas' numbers
        ("id,a,b\n7,1,2\n8,3,4\n", ["a", "b"], "id", True),
        ("x,1,2\ny,3,4\nz,5,6\n", ["column 2", "column 3"], "column 1", False),
        ("name,a,b\nx,1,2\ny,3,4\nz,5,6\n", ["a", "b"], "name", True),
        ("gen,a,b\nx,1,2\ny,3,4\nz,5,6\n", ["a", "b"], "gen", True),
        ("a,b\nx,1,2\ny,3,4\nz,5,6\n", ["a", "b"], "index", True),  # R's row names
        ("\n\na,b\n1,2\n\n3,4\n", ["a", "b"], None, True),  # blank lines
        ("a;b\n1;2\n3;4\n", ["a", "b"], None, True),  # semicolons
        ("\ufeffa,b\n1,2\n3,4\n", ["a", "b"], None, True),  # byte order mark
        ('"a, x",b\r\n1,2\r\n3,4\r\n', ["a, x", "b"], None, True),
    ],
)
def test_header_and_index_of_data(tmp_path, text, names, index, header):
    table = read_data(write(tmp_path, text), Columns())
    assert table.names == names
    assert table.index_name == index
    assert table.has_header is header
    assert table.values.dtype == np.float64
    assert table.values.shape[1] == len(names)


@pytest.mark.parametrize(
    ("text", "names", "index"),
    [
        ("m1,m2\na,b\na,c\nd,c\n", ["m1", "m2"], None),
        ("a,b\na,c\nd,b\n", ["column 1", "column 2"], None),
        ("0,0\n0,1\n1,1\n", ["column 1", "column 2"], None),
        ("cell,m\nc1,0\nc2,0\n", ["m"], "cell"),
        ("who,m\nann,0\nbob,0\ncid,1\n", ["m"], "who"),
        (
            "n,m\n" + "".join(f"{i},{i % 2}\n" for i in range(12)),
            ["m"],
            "n",  # numbers that are all different are no labels
        ),
    ],
)
def test_header_and_index_of_labels(tmp_path, text, names, index):
    table = read_labels(write(tmp_path, text), Columns())
    assert table.names == names
    assert table.index_name == index


def test_header_can_be_forced(tmp_path):
    path = write(tmp_path, "1,2\n3,4\n5,6\n")
    assert read_data(path, Columns(header=True)).names == ["1", "2"]
    path = write(tmp_path, "a,b\na,c\nd,c\n")
    assert len(read_labels(path, Columns(header=False)).values) == 3


def test_columns_by_name_and_number(data_csv):
    by_name = read_data(data_csv, Columns(truth="class", drop=("b",), index="id"))
    by_number = read_data(data_csv, Columns(truth="-1", drop=("3",), index="1"))
    for table in (by_name, by_number):
        assert table.names == ["a", "c", "d"]
        assert table.truth.tolist() == list("x" * 20 + "y" * 20 + "z" * 20)
        assert table.index[:2].tolist() == ["s00", "s01"]
        assert table.dropped == ["b"]


def test_numbers_have_the_bits_of_python(request, tmp_path):
    texts = [repr(x) for x in np.random.default_rng(0).normal(size=2000).tolist()]
    texts += ["1e-320", "123456789012345678", "0.30000000000000004", "1e400", "+2"]
    path = write(tmp_path, "id,a,b\n" + "".join(f"NA,{t},1\n" for t in texts))
    expected = [float(text) for text in texts]
    with pytest.raises(ValueError, match=r"1 infinite cell; .*\(line 2005\)"):
        read_data(path, Columns())
    for _ in range(2):
        table = read_labels(path, Columns(drop=("b",)))
        assert [float(x) for x in table.values["a"]] == expected
        assert set(table.index) == {"NA"}
        request.getfixturevalue("no_pyarrow")


def test_index_keeps_its_text(tmp_path):
    path = write(tmp_path, "id,a\n001,1\n002,2\n1e3,3\n")
    assert read_data(path, Columns()).index.tolist() == ["001", "002", "1e3"]


def test_index_none_makes_it_a_column(tmp_path):
    path = write(tmp_path, "id,a\n1,1\n2,2\n")
    assert read_data(path, Columns(index="none")).names == ["id", "a"]


TRICKY = [
    "a,b\n1,2\n3,4\n",
    "a,b\n 1 ,2e3\n-3.5,.5\n",
    'a,b\n"1","2"\n3,4\n',
    "a,b\n1,inf\n3,-Infinity\n",
    "a,b\n1,\nNA,4\nnan,NULL\n",
    "a,b\n1_000,2\n3,4\n",
    "a,b\ntrue,2\nfalse,4\n",
    "a,b\n2020-01-01,2\n2020-01-02,4\n",
    'a,b\n"x\ny",2\nz,4\n',
    "a,b\n0.1,0.30000000000000004\n1e-320,123456789012345678\n",
    "a,b\n x , y\nNA,\n",
    "a,b\n0x10,2\n3,4\n",
]


def by_hand(cell):
    """Return a number as Python reads it, None for a gap, or the text."""
    cell = cell.strip()
    if cell in MISSING:
        return None
    try:
        return cell if "_" in cell else float(cell)
    except ValueError:
        return cell


@pytest.mark.parametrize("reader", ["pyarrow", "pandas"])
@pytest.mark.parametrize("text", TRICKY)
def test_cells_are_read_as_python_reads_them(request, tmp_path, text, reader):
    if reader == "pandas":
        request.getfixturevalue("no_pyarrow")
    rows = list(csv.reader(io.StringIO(text)))[1:]
    table = read_labels(write(tmp_path, text), Columns(header=True, index="none"))
    for name, cells in zip("ab", zip(*rows, strict=True), strict=True):
        expected = [by_hand(cell) for cell in cells]
        if any(isinstance(cell, str) for cell in expected):
            expected = [None if by_hand(c) is None else c.strip() for c in cells]
        found = table.values[name].tolist()
        same = [None if v is None or v != v else v for v in found]
        big = any(isinstance(v, float) and abs(v) >= 2**53 for v in expected if v)
        assert same == expected or (big and [float(v) for v in same] == expected)


@pytest.mark.parametrize("gap", ["", "\n,7,0\n"])
def test_labels_beyond_float64_are_kept_apart(tmp_path, gap):
    lines = [f"{2**53 + i},{2**63 + i},{10**30 + i}" for i in range(3)]
    text = "a,b,c\n" + "\n".join(lines) + gap
    table = read_labels(write(tmp_path, text), Columns(header=True, index="none"))
    for name in "abc":
        found = [v for v in table.values[name].tolist() if v is not None and v == v]
        assert len(set(found[:3])) == 3


def test_ids_keep_their_text(tmp_path):
    path = write(tmp_path, "id,m\nNA,1\nnan,2\n,1\n")
    assert read_labels(path, Columns()).index.tolist() == ["NA", "nan", ""]


def test_an_id_at_the_end_is_an_index(tmp_path):
    path = write(tmp_path, "a,b,patient_id\n1,2,17\n3,4,18\n")
    table = read_data(path, Columns())
    assert (table.names, table.index_name) == (["a", "b"], "patient_id")


def test_columns_without_names(tmp_path):
    path = write(tmp_path, "m,,(no name),\n1,2,3,4\n1,3,3,4\n")
    table = read_labels(path, Columns(header=True))
    assert table.names == ["m", "column 2", "(no name)", "column 4"]
    assert table.values["(no name)"].tolist() == [3, 3]


@pytest.mark.parametrize("text", ["a;b\n1,5;2\n3;4,25\n", "1,5;2\n3;4,25\n"])
def test_decimal_commas(tmp_path, text):
    path = write(tmp_path, text)
    for columns in (Columns(), Columns(decimal=",")):
        table = read_data(path, columns)
        np.testing.assert_array_equal(table.values, [[1.5, 2], [3, 4.25]])
    line = 2 if text.startswith("a") else 1
    with pytest.raises(ValueError, match=rf"line {line}, .*'1,5' .* --decimal ,"):
        read_data(path, Columns(decimal="."))


def test_words_for_missing_values(tmp_path):
    path = write(tmp_path, "a,b\n1,-\n2,1\n2,?\n")
    assert read_labels(path, Columns(na=("-", "?"))).values["b"].isna().sum() == 2
    with pytest.raises(ValueError, match=r"2 empty cells.*\(line 2\), column 'b'"):
        read_data(path, Columns(na=("-", "?")))


@pytest.mark.slow
def test_thirty_thousand_columns_are_read_in_time(tmp_path):
    import time

    names = ",".join(f"g{j}" for j in range(30_000))
    cells = ",".join("1.5" for _ in range(30_000))
    path = write(tmp_path, "\n".join([names, *[cells] * 20]))
    start = time.process_time()
    assert read_data(path, Columns()).values.shape == (20, 30_000)
    assert time.process_time() - start < 9  # 18 s while names were counted one by one


def test_many_rows_come_in_order(tmp_path):
    rows = np.arange(20_000, dtype=float).reshape(-1, 2)
    text = "a,b\n" + "".join(f"{a},{b}\n" for a, b in rows.tolist())
    table = read_data(write(tmp_path, text), Columns())
    np.testing.assert_array_equal(table.values, rows)


def test_a_word_late_in_a_column_is_found(tmp_path):
    text = "a,b\n" + "1,2\n" * 5000 + "1,x\n"
    with pytest.raises(ValueError, match=r"column b holds .*\('x' in line 5002\)"):
        read_data(write(tmp_path, text), Columns())


def test_csv_needs_no_extra(data_csv, no_pyarrow):
    with pytest.raises(ImportError):
        importlib.import_module("pyarrow")
    table = read_data(data_csv, Columns(truth="class"))
    assert table.values.shape == (60, 4)


def test_parquet_names_the_extra(run, fails, tmp_path, no_pyarrow, data_csv):
    (tmp_path / "t.parquet").write_bytes(b"PAR1")
    assert "pip install pyarrow" in fails("cluster", "t.parquet", "-k", 2)
    words = ("cluster", data_csv, "-k", 2, "-o", "out.parquet")
    assert "pip install pyarrow" in fails(*words)


@pytest.mark.parametrize("name", ["t.csv", "t.tsv", "t.parquet", "t.npz"])
def test_what_is_written_is_read(tmp_path, name):
    if name.endswith("parquet"):
        pytest.importorskip("pyarrow")
    columns = {
        "index": np.array(["s1", "s,2", 's"3'], dtype=object),
        "label": np.array([0, 1, 1], dtype=np.int32),
        "confidence": np.array([0.5, 0.25, 1.0]),
    }
    write_columns(tmp_path / name, columns)
    table = read_labels(
        tmp_path / name, Columns(drop=("confidence",) * (name != "t.npz"))
    )
    if name == "t.npz":
        assert table.values[:, 0].tolist() == [0, 1, 1]
    else:
        assert table.index.tolist() == columns["index"].tolist()
        assert table.values["label"].tolist() == [0, 1, 1]
    assert [p.name for p in tmp_path.iterdir()] == [name]  # no temporary file is left


def test_npy_holds_labels_alone(tmp_path):
    labels = np.array([0, 1, 1], dtype=np.int32)
    write_columns(tmp_path / "t.npy", {"label": labels, "confidence": labels / 2})
    assert np.load(tmp_path / "t.npy").tolist() == [0, 1, 1]


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = write(tmp_path, "old")
    monkeypatch.setattr("pathlib.Path.replace", lambda *_: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        write_columns(path, {"label": np.array([1])})
    assert path.read_text() == "old"
    assert len(list(tmp_path.iterdir())) == 1


class TestArrays:
    def test_npy(self, tmp_path, blobs):
        np.save(tmp_path / "t.npy", np.column_stack(blobs))
        table = read_data(tmp_path / "t.npy", Columns(truth="-1"))
        np.testing.assert_array_equal(table.values, blobs[0])
        np.testing.assert_array_equal(table.truth, blobs[1])

    @pytest.mark.parametrize("key", ["X", "data", "whatever"])
    def test_npz(self, tmp_path, blobs, key):
        np.savez(tmp_path / "t.npz", **{key: blobs[0], "y": blobs[1]})
        table = read_data(tmp_path / "t.npz", Columns(truth="y"))
        np.testing.assert_array_equal(table.values, blobs[0])
        np.testing.assert_array_equal(table.truth, blobs[1])

    def test_sparse(self, tmp_path, blobs):
        from scipy.sparse import csr_array

        X = csr_array(blobs[0])
        np.savez(
            tmp_path / "t.npz",
            data=X.data,
            indices=X.indices,
            indptr=X.indptr,
            shape=X.shape,
            y=blobs[1],
        )
        table = read_data(tmp_path / "t.npz", Columns(truth="y", drop=("2",)))
        expected = np.delete(blobs[0], 1, axis=1)
        np.testing.assert_array_equal(table.values.toarray(), expected)

    def test_ensemble(self, tmp_path):
        from coterie import Ensemble

        Ensemble([[0, 0, 1], [0, 1, 1]]).save(tmp_path / "t.npz")
        table = read_labels(tmp_path / "t.npz", Columns())
        assert table.values.n_members == 2


def test_parquet(tmp_path, blobs):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame(blobs[0], columns=list("abcd"))
    frame["class"] = np.array(list("xyz"))[blobs[1]]
    frame.index = [f"s{i}" for i in range(60)]
    frame.to_parquet(tmp_path / "t.parquet")
    table = read_data(tmp_path / "t.parquet", Columns(truth="class"))
    np.testing.assert_array_equal(table.values, blobs[0])
    assert table.index_name == "index"
    assert table.index[1] == "s1"
    assert table.truth[0] == "x"


def test_large_numbers_of_cells_are_read_in_time(tmp_path):
    import time

    path = write(tmp_path, ("1.25," * 49 + "3.5\n") * 10_000)
    start = time.process_time()
    assert read_data(path, Columns()).values.shape == (10_000, 50)
    assert time.process_time() - start < 10  # some 0.2 s on a quiet machine
