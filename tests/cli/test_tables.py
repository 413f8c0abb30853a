"""Tables with categories and empty cells on the command line."""

import json

import numpy as np
import pytest

LINES = [
    f"{i % 2 * 9 + i % 5},{'' if i % 6 == 0 else i % 2 * 8 + i % 3},"
    f"{['left', 'right'][i % 2] if i % 7 else ''},tag{i}"
    for i in range(60)
]


@pytest.fixture
def table_csv(tmp_path):
    path = tmp_path / "table.csv"
    path.write_text("\n".join(["a,b,side,label", *LINES]) + "\n")
    return path


def test_categories_and_empty_cells(run, table_csv):
    words = ("cluster", table_csv, "-k", 2, "--members", 12)
    done = run(*words)
    assert "Encoded 1 column of categories: 'side' (2)." in done.out
    assert "column 4, 'label', looks like an id: used as names" in done.out
    assert "of 60 rows, 10 in 'b', 9 in 'side'" in done.out
    assert "No value was imputed" in done.out
    assert "ensemble, " in done.out
    document = json.loads(run(*words, "--json", "--report", "r.html").out)
    assert len(document["notes"]) == 4
    assert sorted(c["size"] for c in document["clusters"]) == [30, 30]
    plain = json.loads(run(*words, "--drop", "side", "--drop", "label", "--json").out)
    assert [note[:5] for note in plain["notes"]] == ["8.3% ", "No va"]
    assert plain["labels"] == document["labels"]


def test_without_k(run, table_csv):
    done = run("cluster", table_csv, "--members", 12)
    assert "chosen from the largest complete part of the table: " in done.out
    done = run("choose-k", table_csv, "-k", "2:4", "--set", "n_null=19")
    assert "of the largest complete part of the table" in done.out
    assert "guessed  column 4, 'label', looks like an id" in done.out


def test_parquet(run, table_csv, tmp_path):
    pytest.importorskip("pyarrow")
    import pandas

    frame = pandas.read_csv(table_csv)
    frame["day"] = pandas.date_range("2020", periods=60)
    frame.to_parquet(tmp_path / "t.parquet", index=False)
    words = ("cluster", "t.parquet", "-k", 2, "--members", 12, "--json")
    document = json.loads(run(*words).out)
    assert "Took dates as days: 'day'." in document["notes"]
    assert len(np.unique(document["labels"])) == 2


def test_a_column_of_numbers_with_a_word_is_refused(fails, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("a,b\n1,2\n3,4\n5,some\n7,8\n")
    told = fails("cluster", path, "-k", 2)
    assert "'some' in line 4" in told
    assert "If 'some' means missing, add --na 'some'" in told
    path.write_text("a;b;c\nx;1,5;1.5\ny;2,5;2.5\nx;3,5;3.5\n")
    assert "--decimal ," in fails("cluster", path, "-k", 2)
