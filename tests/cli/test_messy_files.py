"""Files as people have them: what is guessed, said, and overruled.

Each file holds the same three groups. A wrong guess shows in the columns, in what is
said, or in the clusters.
"""

import json
from dataclasses import dataclass, field

import numpy as np
import pytest
from sklearn.metrics import adjusted_rand_score

from coterie.cli._columns import Columns
from coterie.cli._tables import read_data, read_labels

N = 60
Y = np.arange(N) % 3
RNG = np.random.default_rng(0)
A = np.round(10 * Y + RNG.random(N), 2)
B = np.round(1000 * (Y == 1) + 100 * RNG.random(N) + 2000, 1)
NAMES = [f"s{i * 7919 % N:02d}" for i in range(N)]
NUMBERS = [str(9000 + i * 7919 % N) for i in range(N)]


def lines(*columns, head=None, mark=","):
    rows = [mark.join(map(str, row)) for row in zip(*columns, strict=True)]
    return "\n".join([*([] if head is None else [head]), *rows]) + "\n"


def comma(numbers):
    return [str(number).replace(".", ",") for number in numbers]


def european(numbers):
    """1234.5 as 1.234,5."""
    return [f"{x:,.1f}".translate(str.maketrans(",.", ".,")) for x in numbers]


@dataclass
class Messy:
    content: str | bytes
    columns: list[str] = field(default_factory=lambda: ["a", "b"])
    said: list[str] = field(default_factory=list)  # beginning of each guess
    index: list[str] | None = None
    suffix: str = ".csv"
    more: tuple = ()  # options


ID_SAID = "looks like an id: used as names (else --index none)"
DAYS = ["2024-03-01", "2021-07-15", "2018-11-30"]
FILES = {
    "plain": Messy(lines(A, B, head="a,b")),
    "id first": Messy(
        lines(NAMES, A, B, head="who,a,b"),
        said=[f"column 1, 'who', {ID_SAID}"],
        index=NAMES,
    ),
    "words at the end": Messy(
        lines(A, B, NAMES, head="a,b,who"),
        said=[f"column 3, 'who', {ID_SAID}"],
        index=NAMES,
    ),
    "row numbers at the end": Messy(
        lines(A, B, range(N), head="a,b,q"),
        said=[f"column 3, 'q', {ID_SAID}"],
        index=[str(i) for i in range(N)],
    ),
    "shuffled numbers in the middle": Messy(
        lines(A, NUMBERS, B, head="a,q,b"),
        said=[f"column 2, 'q', {ID_SAID}"],
        index=NUMBERS,
    ),
    "row numbers without a header": Messy(
        lines(range(1, N + 1), A, B),
        ["column 2", "column 3"],
        [f"column 1 {ID_SAID}"],
        [str(i + 1) for i in range(N)],
    ),
    "two ids": Messy(
        lines(NAMES, A, B, NUMBERS, head="sample,a,b,visit_id"),
        said=[
            f"column 1, 'sample', {ID_SAID}",
            "column 4, 'visit_id', looks like an id, too: left out",
        ],
        index=NAMES,
    ),
    "semicolons and decimal commas": Messy(
        lines(comma(A), comma(B), head="a;b", mark=";"),
        said=["columns are separated by semicolons", "decimal commas: 1,5 is 1.5"],
    ),
    "decimal commas in quotes": Messy(
        lines([f'"{x}"' for x in comma(A)], [f'"{x}"' for x in comma(B)], head="a,b"),
        said=["decimal commas: 1,5 is 1.5"],
    ),
    "tabs": Messy(
        lines(A, B, head="a\tb", mark="\t"), said=["columns are separated by tabs"]
    ),
    "bars": Messy(
        lines(A, B, head="a|b", mark="|"), said=["columns are separated by bars"]
    ),
    "spaces": Messy(
        lines(A, B, head="a b", mark=" "),
        said=["columns are separated by spaces"],
        suffix=".txt",
    ),
    "thousands": Messy(
        lines(A, [f'"{x:,.1f}"' for x in B], head="a,b"),
        said=["commas between thousands: 1,234 is 1234"],
    ),
    "thousands as points": Messy(
        lines(comma(A), european(B), head="a;b", mark=";"),
        said=[
            "columns are separated by semicolons",
            "decimal commas",
            "points between thousands: 1.234 is 1234",
        ],
    ),
    "thousands as spaces": Messy(
        lines(A, [f"{int(x):,}".replace(",", "\u00a0") for x in B], head="a,b"),
        said=["spaces between thousands"],
    ),
    "percent": Messy(
        lines([f"{x} %" for x in A], B, head="a,b"),
        said=["'%' in 'a' was removed: 12% is 12 (else --text NAME)"],
    ),
    "units in the cells": Messy(
        lines(
            [f"{x:.2f} kg".replace(".", ",") for x in A + 0.01 * np.arange(N)],
            ["-" if i == 9 else f"{x} km/h".replace(".", ",") for i, x in enumerate(B)],
            head="a;b",
            mark=";",
        ),
        said=[
            "columns are separated by semicolons",
            "decimal commas: 1,5 is 1.5",
            "'kg' in 'a' was removed: 12 kg is 12 (else --text NAME)",
            "'km/h' in 'b' was removed: 12 km/h is 12 (else --text NAME)",
        ],
    ),
    "an empty column before the ids": Messy(
        lines([""] * N, NAMES, A, B, head=",who,a,b"),
        said=[
            f"column 2, 'who', {ID_SAID}",
            "left out, as all cells are empty: 'column 1'",
        ],
        index=NAMES,
    ),
    "currency": Messy(
        lines(A, [f'"${x:,.2f}"' for x in B], head="a,b"),
        said=["commas between thousands", "'$' in 'b' was removed: $12 is 12"],
    ),
    "byte order mark": Messy("\ufeff".encode() + lines(A, B, head="a,b").encode()),
    "latin-1": Messy(
        lines(A, B, head="Größe,b").encode("latin-1"),
        ["Größe", "b"],
        ["the text is in windows-1252, not in UTF-8"],
    ),
    "UTF-16": Messy(
        lines(A, B, head="Größe\tb", mark="\t").encode("utf-16"),
        ["Größe", "b"],
        ["the text is in utf-16", "columns are separated by tabs"],
    ),
    "UTF-16 without its mark": Messy(
        lines(A, B, head="a,b").encode("utf-16-le"),
        said=["the text is in utf-16-le"],
    ),
    "comments": Messy(
        "# made by a machine\n# on a Monday, late\n\n" + lines(A, B, head="a,b"),
        said=["the first 3 lines are not part of the table: skipped (else --skip N)"],
    ),
    "names in a comment": Messy("#x,y\n" + lines(A, B), ["x", "y"], said=[]),
    "a title": Messy(
        "Sales of the year,,\n,,\n" + lines(NAMES, A, B, head="who,a,b"),
        said=[
            "the first 2 lines are not part of the table: skipped",
            f"column 1, 'who', {ID_SAID}",
        ],
        index=NAMES,
    ),
    "units": Messy(
        "a,b\ncm,kg\n" + lines(A, B),
        said=["line 2 has units: skipped (else --no-units)"],
    ),
    "the same name twice": Messy(
        lines(A, B, head="a,a"),
        ["a", "a (2)"],
        ["1 name used twice or more: a; the second is called 'a (2)'"],
    ),
    "quoted numbers": Messy(
        lines([f'"{x}"' for x in A], [f'"{x}"' for x in B], head='"a","b"')
    ),
    "empty columns at the end": Messy(
        lines(A, B, [""] * N, [""] * N, head="a,b,,"),
        said=["left out, as all cells are empty: 'column 3', 'column 4'"],
    ),
    "rows with one delimiter more": Messy(
        lines(A, B, [""] * N, head="a,b"),
        said=["left out, as all cells are empty: 'column 3'"],
    ),
    "empty rows at the end": Messy(
        lines(A, B, head="a,b") + ",\n,\n",
        said=["2 rows without any value at the end: left out"],
    ),
    "marks for missing values": Messy(
        lines(A, ["?" if i % 9 == 4 else x for i, x in enumerate(B)], head="a,b"),
        said=["'?' in 'b' means missing (else --text NAME)"],
    ),
    "a number for missing values": Messy(
        lines(A, ["-999.0" if i % 9 == 4 else x for i, x in enumerate(B)], head="a,b"),
        more=("--na", "-999"),
    ),
    "years as names": Messy(
        lines(NAMES, A, A, B, head="land,1990,2000,2010"),
        ["1990", "2000", "2010"],
        [f"column 1, 'land', {ID_SAID}"],
        NAMES,
    ),
    "dates": Messy(
        lines(np.array(DAYS)[Y], A, head="day,a"),
        ["day", "a"],
        ["dates in 'day', read as year-month-day (else --dates ORDER)"],
    ),
    "days first": Messy(
        lines([f"{13 + y}.0{3 * y + 1}.2020" for y in Y], A, head="day,a"),
        ["day", "a"],
        ["dates in 'day', read as day/month/year"],
    ),
    "months first": Messy(
        lines([f"0{3 * y + 1}/{13 + y}/20 9:30" for y in Y], A, head="day,a"),
        ["day", "a"],
        ["dates in 'day', read as month/day/year"],
    ),
    "names of months": Messy(
        lines([f"{y + 1}-{('Jan', 'May', 'Oct')[y]}-1999" for y in Y], A, head="day,a"),
        ["day", "a"],
        ["dates in 'day', read as day/month/year"],
    ),
    "categories": Messy(
        lines(np.array(["low", "mid", "high"])[Y], A, head="level,a"), ["level", "a"]
    ),
}


def write(tmp_path, file):
    path = tmp_path / f"messy{file.suffix}"
    text = file.content
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def is_said(guesses, expected):
    assert len(guesses) == len(expected), guesses
    for guess, start in zip(guesses, expected, strict=True):
        assert guess.startswith(start)


@pytest.mark.parametrize("reader", ["pyarrow", "pandas"])
@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_what_is_read(request, tmp_path, file, reader):
    if reader == "pandas":
        request.getfixturevalue("no_pyarrow")
    na = [file.more[1]] if file.more else []
    table = read_data(write(tmp_path, file), Columns(na=na), as_table=True)
    assert table.names == file.columns
    assert table.values.shape == (N, len(file.columns))
    is_said(table.guesses, file.said)
    assert (None if table.index is None else table.index.tolist()) == file.index


@pytest.mark.parametrize("file", FILES.values(), ids=FILES)
def test_the_clusters_are_found(run, tmp_path, file):
    words = ("-k", 3, "--generator", "kmeans", "--members", 6, "--json", *file.more)
    done = run("cluster", write(tmp_path, file), *words)
    assert done.code == 0, done.err
    document = json.loads(done.out)
    assert adjusted_rand_score(Y, document["labels"]) == 1
    is_said(document["input"]["guesses"], file.said)


OVERRULED = [
    ("id first", {"index": "none"}, ["who", "a", "b"]),
    ("row numbers at the end", {"index": "none"}, ["a", "b", "q"]),
    ("two ids", {"index": "sample"}, ["a", "b", "visit_id"]),
    ("two ids", {"index": "visit_id", "drop": ["sample"]}, ["a", "b"]),
    ("tabs", {"delimiter": ","}, ["a b"]),
    ("latin-1", {"encoding": "cp850"}, ["Gr÷▀e", "b"]),
    ("names in a comment", {"header": False}, ["column 1", "column 2"]),
]


@pytest.mark.parametrize(("name", "options", "columns"), OVERRULED)
def test_guesses_at_columns_are_overruled(tmp_path, name, options, columns):
    path = write(tmp_path, FILES[name])
    table = read_data(path, Columns(**options), as_table=True)
    assert table.names == columns
    said = " ".join(table.guesses)
    assert not any(f"--{option}" in said for option in options)


UNCLEAR = Messy(lines(["1,234", "5,678", "2,345"], [4, 5, 7], head="b;c", mark=";"))
CELLS = [
    (UNCLEAR, "b", {}, 1.234),
    (UNCLEAR, "b", {"decimal": ","}, 1.234),
    (UNCLEAR, "b", {"thousands": ","}, 1234),
    (FILES["percent"], "a", {}, A[0]),
    (FILES["percent"], "a", {"text": ["a"]}, f"{A[0]} %"),
    (FILES["dates"], "day", {}, np.datetime64(DAYS[0])),
    (FILES["dates"], "day", {"dates": "none"}, DAYS[0]),
    (FILES["dates"], "day", {"text": ["day"]}, DAYS[0]),
]


@pytest.mark.parametrize(("file", "column", "options", "first"), CELLS)
def test_guesses_at_cells_are_overruled(tmp_path, file, column, options, first):
    table = read_data(write(tmp_path, file), Columns(**options), as_table=True)
    values = table.values
    if isinstance(values, np.ndarray):
        values = dict(zip(table.names, values.T, strict=True))
    assert np.asarray(values[column])[0] == first


def test_an_unclear_order_of_days_is_a_choice(tmp_path):
    text = lines([f"0{1 + i % 3}/02/2020" for i in range(N)], A, head="day,a")
    path = write(tmp_path, Messy(text))
    for order, day in (("auto", "2020-02-01"), ("mdy", "2020-01-02")):
        table = read_data(path, Columns(dates=order), as_table=True)
        assert table.values["day"].iloc[0] == np.datetime64(day)


def test_lines_at_the_top_are_a_choice(tmp_path):
    path = write(tmp_path, FILES["comments"])
    assert read_data(path, Columns(skip=4)).names == ["column 1", "column 2"]
    path = write(tmp_path, FILES["units"])
    table = read_data(path, Columns(units=False, text=["a", "b"]), as_table=True)
    assert table.values["a"].iloc[0] == "cm"
    path.write_text("a,b\n0,0\n" + lines(A, B))
    assert len(read_data(path, Columns()).values) == N + 1
    assert len(read_data(path, Columns(units=True)).values) == N


def test_a_number_that_may_mean_missing(tmp_path):
    path = write(tmp_path, FILES["a number for missing values"])
    said = "-999 in 'b' is far from all others (if it means missing, --na -999)"
    assert read_data(path, Columns()).guesses == [said]
    path = write(tmp_path, Messy(lines([99, 99, *range(0, 116, 2)], A, head="a,b")))
    assert read_data(path, Columns()).guesses == []


def test_a_column_that_may_hold_known_classes(tmp_path):
    path = write(tmp_path, Messy(lines(A, B, Y, head="a,b,Target")))
    said = "'Target' may hold known classes, but is used like any other column"
    (guess,) = read_data(path, Columns()).guesses
    assert guess == f"{said} (else --truth Target, or --drop Target)"
    for wish in ({"truth": "Target"}, {"drop": ["Target"]}):
        assert read_data(path, Columns(**wish)).guesses == []
    path = write(tmp_path, Messy(lines(A, B, head="a,target")))
    assert read_data(path, Columns()).guesses == []


def test_a_last_row_that_may_be_a_sum(tmp_path):
    for last, n_said in (("Total", 1), ("Toto", 0)):
        text = lines([*NAMES, last], [*A, A.sum()], head="who,a")
        guesses = read_data(write(tmp_path, Messy(text)), Columns()).guesses
        said = f"the last row is called '{last}': if it sums up, remove it"
        assert guesses.count(said) == n_said


def test_dates_are_days_for_systems_without_tables(tmp_path):
    table = read_data(write(tmp_path, FILES["dates"]), Columns())
    assert table.values[0].tolist() == [19783, A[0]]  # days since 1970


@pytest.mark.parametrize(
    "cells",
    [
        ["1.2.3.4", "5.6.7.8", "1.2.3.4"],  # addresses
        ["2020-02-30", "2020-01-31", "2020-01-30"],  # no such day
        ["1,2,3", "1,22,3", "1,2,3"],
        ["a1", "b2", "a1"],
        ["12 kg", "13 cm", "12 kg"],
        ["12%", "0.12", "13%"],
    ],
)
def test_words_that_look_like_numbers_or_dates(tmp_path, cells):
    text = lines([f'"{cell}"' for cell in cells * 3], range(1, 18, 2), head="word,a")
    table = read_data(write(tmp_path, Messy(text)), Columns(), as_table=True)
    assert table.values["word"].tolist() == cells * 3
    assert table.guesses == []


def test_labels_with_an_id_at_the_end(run, tmp_path):
    text = lines(Y, Y % 2, NUMBERS, head="m;m;nr", mark=";")
    path = write(tmp_path, Messy(text))
    table = read_labels(path, Columns())
    assert table.names == ["m", "m (2)"]
    assert table.index.tolist() == NUMBERS
    done = run("combine", path, "-k", 3)
    assert "guessed  columns are separated by semicolons" in done.out
    assert "guessed  column 3, 'nr', looks like an id: used as names" in done.out


def test_what_other_commands_say(run, tmp_path):
    path = write(tmp_path, FILES["semicolons and decimal commas"])
    words = ("-k", 3, "--methods", "eac", "--generator", "kmeans", "--members", 4)
    done = run("compare", path, *words)
    assert "guessed  decimal commas: 1,5 is 1.5" in done.out
    assert "columns  Standardized: b has 99" in done.out
    done = run("choose-k", path, "-k", "2:3", "--set", "n_null=19")
    assert "guessed  decimal commas: 1,5 is 1.5" in done.out
    assert "columns  Standardized: b has 99" in done.out


class TestImpute:
    @pytest.fixture
    def gaps(self, tmp_path):
        b = ["" if i % 9 == 4 else x for i, x in enumerate(B)]
        return write(tmp_path, Messy(lines(A, b, head="a,b")))

    @pytest.mark.parametrize("how", ["median", "mean", "knn"])
    def test_systems_that_take_no_gaps(self, run, gaps, how):
        words = ("cluster", gaps, "-k", 3, "--system", "usenc", "--impute", how)
        document = json.loads(run(*words, "--json").out)
        filled = {"knn": "the 5 nearest rows"}.get(how, f"the {how}")
        assert document["notes"][0] == f"Filled 7 empty cells by {filled}."
        if how == "knn":
            assert adjusted_rand_score(Y, document["labels"]) == 1

    def test_without_it(self, fails, gaps):
        words = ("cluster", gaps, "-k", 3, "--system", "usenc")
        assert "Fill them with --impute median." in fails(*words)

    def test_tables(self, run, tmp_path):
        days = ["" if i == 5 else DAYS[y] for i, y in enumerate(Y)]
        kind = ["?" if i == 7 else "uvw"[y] for i, y in enumerate(Y)]
        a = ["" if i == 9 else x for i, x in enumerate(A)]
        path = write(tmp_path, Messy(lines(days, kind, a, head="day,kind,a")))
        words = ("-k", 3, "--impute", "median", "--na", "?", "--json")
        words += ("--generator", "kmeans", "--members", 5)
        document = json.loads(run("cluster", path, *words).out)
        assert document["notes"][0] == "Filled 3 empty cells by the median."
        assert not any("missing" in note for note in document["notes"])
        others = np.delete(np.arange(N), [5, 7, 9])
        assert adjusted_rand_score(Y[others], np.array(document["labels"])[others]) == 1

    def test_blocks(self, fails, tmp_path):
        np.save("t.npy", np.column_stack([A, B]))
        words = ("-k", 3, "--system", "large", "--impute", "mean")
        assert "read block by block cannot be filled" in fails(
            "cluster", "t.npy", *words
        )


def test_feather(run, tmp_path):
    pytest.importorskip("pyarrow")
    import pandas

    days = pandas.to_datetime(np.array(DAYS)[Y])
    frame = pandas.DataFrame({"a": A, "day": days, "who": NAMES, "nr": range(N)})
    frame.to_feather(tmp_path / "t.feather")
    table = read_data(tmp_path / "t.feather", Columns(), as_table=True)
    assert table.names == ["a", "day"]
    assert table.index.tolist() == NAMES
    is_said(
        table.guesses,
        [f"column 3, 'who', {ID_SAID}", "column 4, 'nr', looks like an id, too"],
    )
    as_words = read_data(tmp_path / "t.feather", Columns(text=["a"]), as_table=True)
    assert as_words.values["a"].iloc[0] == str(A[0])
    (tmp_path / "bad.feather").write_bytes(b"nonsense")
    with pytest.raises(ValueError, match=r"bad.feather cannot be read as Feather"):
        read_data(tmp_path / "bad.feather", Columns())


def test_a_package_that_is_not_there(fails, tmp_path, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "openpyxl", None)
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    assert "pip install openpyxl" in fails("cluster", "t.xlsx", "-k", 2)


class TestExcel:
    @pytest.fixture
    def book(self, tmp_path):
        pytest.importorskip("openpyxl")
        import datetime

        import pandas

        cells = {
            "who": NAMES,
            "a": A,
            "n": [int(x) for x in B],
            "day": [datetime.datetime.fromisoformat(DAYS[y]) for y in Y],
        }
        frame = pandas.DataFrame(cells)
        with pandas.ExcelWriter(tmp_path / "t.xlsx") as writer:
            frame.to_excel(writer, sheet_name="data", index=False, startrow=2)
            writer.sheets["data"].cell(1, 1, "Our measurements")
            frame[["a", "n"]].to_excel(writer, sheet_name="more", index=False)
        return tmp_path / "t.xlsx"

    def test_the_first_sheet(self, book):
        table = read_data(book, Columns(), as_table=True)
        assert table.names == ["a", "n", "day"]
        np.testing.assert_array_equal(table.values["a"], A)
        assert table.values["day"].iloc[0] == np.datetime64(DAYS[0])
        assert table.index.tolist() == NAMES
        is_said(
            table.guesses,
            [
                "the sheet 'data' of 2 was read (else --sheet NAME)",
                "the first 2 lines are not part of the table: skipped",
                f"column 1, 'who', {ID_SAID}",
                "dates in 'day', read as year-month-day",
            ],
        )

    @pytest.mark.parametrize("sheet", ["more", "2"])
    def test_another_sheet(self, book, sheet):
        table = read_data(book, Columns(sheet=sheet))
        assert (table.names, table.guesses) == (["a", "n"], [])
        np.testing.assert_array_equal(table.values[:, 0], A)

    def test_errors(self, book, tmp_path):
        with pytest.raises(ValueError, match=r"has no such sheet\. It has data, more"):
            read_data(book, Columns(sheet="none"))
        (tmp_path / "bad.xlsx").write_bytes(b"nonsense")
        with pytest.raises(ValueError, match="cannot be read as an Excel file"):
            read_data(tmp_path / "bad.xlsx", Columns())
