"""Bad input: exit code 2, one sentence, never a traceback, and before the work."""

import os

import numpy as np
import pytest

from coterie.cli import _console


def put(name, content):
    mode = "wb" if isinstance(content, bytes) else "w"
    with open(name, mode) as file:  # noqa: PTH123
        file.write(content)
    return name


FILES = [
    ("t.csv", "", "is empty"),
    ("t.csv", "\n\n", "holds no rows"),
    ("t.csv", "a,b\n", "a header and no rows"),
    ("t.csv", "a,b\n1,2\n3\n", "but 2 were expected. Mend the line"),
    ("t.csv", "a,b\n1,2\n3,4,5\n", "Line 3 of t.csv has 3 cells"),
    ("t.csv", "a,b\n1,x\n3,4\n5,6\n", "the column b holds .* --drop 'b'.* --truth"),
    ("t.csv", "a,b\n1,2\n,\n3,4\n", "1 sample has no value at all"),
    ("t.csv", "a,b\n1,2\n3,inf\n", "1 infinite cell; .* row 2 of the data"),
    ("t.csv", b"a,b\n1,\xff\n3,4\n5,6\n", "'ÿ' in line 2.*add --na 'ÿ'"),
    ("t.csv", b"a,b\n1,\0\0\0\n3,4\n", "is not text: it has bytes of zero"),
    ("t.csv", ",\n,\n", "holds no values: all of its cells are empty"),
    ("t.doc", "a,b\n1,2\n", "has the suffix .doc; known are .csv, .tsv, .parquet"),
    ("data", "a,b\n1,2\n", "has no suffix; known are"),
    ("t.npy", b"nonsense", "cannot be read as NumPy arrays: it is damaged"),
    ("t.npz", b"nonsense", "cannot be read as NumPy arrays: it is damaged"),
]


TABLES = [
    ("a,b\n1,x\n3,y\n5,x\n", "the column b holds .* --drop 'b'.* takes categories"),
    (
        "a,b\n1,\n3,4\n5,\n",
        "2 empty cells.* row 1 of the data .line 2., column 'b'.* takes categories",
    ),
]


@pytest.mark.parametrize(
    "words",
    [("cluster", "t.csv", "-k", 2, "--system", "usenc"), ("compare", "t.csv", "-k", 2)],
    ids=["cluster", "compare"],
)
@pytest.mark.parametrize(("content", "text"), TABLES)
def test_what_takes_no_tables(fails, words, content, text):
    import re

    put("t.csv", content)
    assert re.search(text, fails(*words))


@pytest.mark.parametrize(("name", "content", "text"), FILES)
def test_bad_files(fails, name, content, text):
    import re

    put(name, content)
    assert re.search(text, fails("cluster", name, "-k", 2))


def test_bad_parquet(fails):
    pytest.importorskip("pyarrow")
    put("t.parquet", b"nonsense")
    assert "cannot be read as Parquet" in fails("cluster", "t.parquet", "-k", 2)


def test_places_that_are_no_files(fails, tmp_path):
    (tmp_path / "folder").mkdir()
    assert "There is no file none.csv" in fails("cluster", "none.csv", "-k", 2)
    assert "folder is a folder" in fails("cluster", "folder", "-k", 2)


def test_a_file_that_may_not_be_read(fails, data_csv, monkeypatch):
    monkeypatch.setattr(os, "access", lambda *_: False)
    assert "cannot be read (no permission)" in fails("cluster", data_csv, "-k", 2)


ARRAYS = [
    ({"X": np.zeros(3)}, (), r"two dimensions .* shape \(3,\)"),
    ({"X": np.array([["a"]])}, (), "an array of numbers was expected"),
    ({"X": np.array([[None]], dtype=object)}, (), "holds Python objects"),
    (
        {"a": np.eye(2), "b": np.eye(2)},
        (),
        "holds the arrays a, b, and none is named X",
    ),
    ({"X": np.eye(3)}, ("--truth", "y"), "has no such array. It holds X"),
    ({"X": np.eye(3), "y": np.ones(2)}, ("--truth", "y"), "has shape"),
    ({"X": np.full((2, 2), np.nan)}, (), "2 samples have no value at all"),
    ({"X": np.full((2, 2), np.nan)}, ("--system", "mdec"), "4 empty cells"),
    (
        {"data": np.ones(1), "indices": np.ones(1), "indptr": np.ones(1), "shape": [2]},
        (),
        "shape and indices must be whole numbers",
    ),
]


@pytest.mark.parametrize(("arrays", "words", "text"), ARRAYS)
def test_bad_arrays(fails, arrays, words, text):
    import re

    np.savez("t.npz", **arrays)
    assert re.search(text, fails("cluster", "t.npz", "-k", 2, *words))


OPTIONS = [
    (
        ("--truth", "nope"),
        "--truth nope: .* has no such column. Its 6 columns are id, a",
    ),
    (("--drop", "9"), "--drop 9: .* has no such column"),
    (("--index", "class", "--truth", "class"), "both --index and --truth"),
    (("--system", "mdex"), "'mdex' is not a known system name. Did you mean mdec"),
    (
        ("--system", "mdec", "--consensus", "lwea"),
        "mdec brings its own members.*--consensus is one of bg, hc, sc",
    ),
    (
        ("--system", "spce", "--consensus", "lwea"),
        "spce brings its own members and does not take --consensus lwea",
    ),
    (
        ("--system", "mdec", "--generator", "kmeans"),
        "mdec brings its own members.*Use --system ensemble to choose parts",
    ),
    (
        ("--system", "c2swce", "--consensus", "lwea"),
        "c2swce brings its own members.*--consensus is one of bg, hc, mc, sc",
    ),
    (("--truth", "class", "--method", "lwgq"), "not a known .*Did you mean lwgp"),
    (("--generator", "kmean"), "Did you mean kmeans"),
    (("--set", "n_init"), "--set expects NAME=VALUE such as n_init=5, got n_init"),
    (("--set", "n_clusters=4"), "use the option -k instead"),
    (
        ("--system", "mbn-e", "--set", "feature_samplin=false"),
        "the system mbn-e has no such parameter. Did you mean feature_sampling .* It "
        "has n_members, delta_range",
    ),
    (
        ("--system", "mbn-e", "--set", "selection=best"),
        "'selection' parameter of MBNEnsemble must be .* Got 'best'",
    ),
    (
        ("--generator", "kmeans", "--set", "generator.n_inits=5"),
        "the generator kmeans has no such parameter. Did you mean",
    ),
    (
        ("--set", "generator.max_sample=5"),
        "the generator panel has no such parameter. Did you mean max_samples",
    ),
    (("--effort", "slow"), "--effort expects quick, .* such as 30, got slow"),
    (("--effort", "0"), "--effort expects quick, .* such as 30, got 0"),
    (
        ("--system", "mdec", "--effort", "quick"),
        "--effort quick: only the panel can .* not the system mdec. Use --members",
    ),
    (
        ("--generator", "kmeans", "--effort", "9"),
        "--effort 9: only the panel can .* not the generator kmeans. Use --members",
    ),
    (
        ("--system", "large", "--effort", "quick", "--generator", "kmeans"),
        "does not take --generator kmeans, --effort quick",
    ),
    (
        ("--effort", "30", "--checkpoint", "kept", "--drop", "class"),
        "effort=30.0, a time limit, inside a checkpoint",
    ),
    (("--set", "consensus.x=5"), "which part is that.*--consensus NAME"),
    (
        ("--system", "woec", "--set", "generator.init=random"),
        "which part is that.*--generator NAME",
    ),
    (("--generator", "clusterers", "--truth", "class"), "takes Python objects"),
    (("--weighter", "entropie"), "Did you mean entropy"),
    (("--member-clusters", "9:3"), "LOW:HIGH such as 5:20, got 9:3"),
    (("--member-clusters", "a"), "LOW:HIGH such as 5:20, got a"),
    (("--member-clusters", "2:99", "--truth", "class"), "only n_samples=60"),
    (("-k", "61", "--truth", "class"), "Ask for at most 60 clusters"),
    (("-k", "0"), "Invalid value for '?-k.* See `coterie cluster --help`"),
    (("-k", "x"), "Invalid value"),
    (("--members", "0"), "Invalid value"),
    (("--nonsense",), "No such option"),
    (
        (
            "--drop",
            "1",
            "--drop",
            "2",
            "--drop",
            "3",
            "--drop",
            "4",
            "--drop",
            "5",
            "--truth",
            "class",
        ),
        "no column is left",
    ),
    (("-o", "none/labels.csv"), "the folder none does not exist"),
    (("-o", "."), "is a folder"),
    (("-o", "labels.txt"), "known are .csv, .tsv, .parquet, .npy, .npz and .mat"),
    (("-o", "labels.xlsx"), "has the suffix .xlsx; known are .csv"),
    (("--decimal", "x"), "--decimal expects one of 'auto', '.', ',', got 'x'"),
    (("--thousands", "_"), "--thousands expects one of 'auto', 'none', "),
    (("--dates", "us"), "--dates expects one of .*'dmy', 'mdy', 'ymd', got 'us'"),
    (("--decimal", ",", "--thousands", ","), "cannot both be ','"),
    (("--delimiter", "<>"), "--delimiter expects a single character"),
    (("--encoding", "utf-9"), "--encoding utf-9: there is no such encoding. Usual"),
    (("--sheet", "1"), "--sheet 1: data.csv has no sheets"),
    (("--text", "nope"), "--text nope: .* has no such column"),
    (("--standardize", "maybe"), "--standardize expects auto, yes or no, got maybe"),
    (("--impute", "zero"), "--impute expects none, median, mean or knn, got zero"),
    (("-o", "data.csv"), "is an input and would be overwritten"),
    (("--save-ensemble", "e.csv"), "must end in .npz"),
    (("-o", "e.npz", "--save-ensemble", "e.npz"), "would be overwritten"),
    (("-o", "-", "--json"), "both want standard output"),
    (("--quiet",), "would do the work and show nothing"),
    (
        ("--truth", "class", "--method", "kcc", "--weighter", "entropy"),
        "KCC takes .* weights",
    ),
]


@pytest.mark.parametrize(("words", "text"), OPTIONS)
def test_bad_options(fails, data_csv, words, text):
    import re

    assert re.search(text, fails("cluster", data_csv.name, "-k", 3, *words))


def test_an_output_that_may_not_be_written(fails, data_csv, monkeypatch):
    real = os.access
    monkeypatch.setattr(os, "access", lambda p, m: m != os.W_OK and real(p, m))
    words = ("cluster", data_csv, "-k", 2, "-o", "out.csv")
    assert "cannot be written (no permission)" in fails(*words)


def test_bad_output_is_told_before_reading(fails):
    put("bad.csv", "a,b\n1,\n")
    text = fails("cluster", "bad.csv", "-k", 2, "-o", "none/out.csv")
    assert "none does not exist" in text


@pytest.mark.parametrize("words", [("cluster",), ("combine", "t.csv"), ("nonsense",)])
def test_bad_usage(fails, words):
    assert "--help`" in fails(*words)


def test_a_misspelt_command(fails):
    assert fails("clutser").endswith("mean 'cluster'? See `coterie --help`.")


def test_truth_without_any_value(fails):
    put("t.csv", "a,c\n1,\n2,\n9,\n")
    assert "--truth is empty" in fails("cluster", "t.csv", "-k", 2, "--truth", "c")


def test_labels_that_are_data(fails):
    put("t.csv", "a,b\n0.5,1\n1.5,2\n")
    assert "not a whole number" in fails("combine", "t.csv", "-k", 2)


def test_labels_of_nobody(fails):
    put("t.csv", "a,b\n1,1\n,\n2,2\n,\n")
    assert "no member assigns" in fails("combine", "t.csv", "-k", 2, "--index", "none")


def test_ensemble_files_have_no_columns(fails):
    from coterie import Ensemble

    Ensemble([[0, 0, 1], [0, 1, 1]]).save("t.npz")
    assert "--truth does not apply" in fails(
        "combine", "t.npz", "-k", 2, "--truth", "y"
    )


def test_memory_limit(fails, labels_csv, monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    words = ("combine", labels_csv, "-k", 3, "--method", "onehot-linkage")
    assert "more than the limit" in fails(*words)


def test_interrupt(run, data_csv, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("coterie.cli._tables.read_data", stop)
    done = run("cluster", data_csv, "-k", 2)
    assert done.code == 130
    assert done.err.startswith("Error: Interrupted")


class TestBugs:
    @pytest.fixture(autouse=True)
    def _broken(self, monkeypatch):
        def broken(*_, **__):
            raise ZeroDivisionError("oh no")

        monkeypatch.setattr("coterie.cli._tables.read_data", broken)
        yield
        _console.Settings.debug = False

    def test_one_line(self, run, data_csv):
        done = run("cluster", data_csv, "-k", 2)
        assert done.code == 1
        assert done.err.count("\n") == 1
        assert "ZeroDivisionError: oh no. This is a bug in coterie" in done.err

    def test_debug_shows_the_traceback(self, run, data_csv):
        done = run("--debug", "cluster", data_csv, "-k", 2)
        assert done.code == 1
        assert "Traceback" in done.err


def test_a_report_that_cannot_be_written(fails, data_csv):
    words = ("cluster", data_csv, "-k", 3, "--drop", "class", "--report")
    assert "r.txt must end in .html" in fails(*words, "r.txt")
    assert "the folder none does not exist" in fails(*words, "none/r.html")
