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
from coterie.cli._tables import read_data

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
EVERY_THIRD = [i % 3 == 0 for i in range(N)]
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
        said=["3 lines above the data skipped: not of the table (else --skip N)"],
    ),
    "names in a comment": Messy("#x,y\n" + lines(A, B), ["x", "y"], said=[]),
    "a title": Messy(
        "Sales of the year,,\n,,\n" + lines(NAMES, A, B, head="who,a,b"),
        said=["2 lines above the data skipped", f"column 1, 'who', {ID_SAID}"],
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
        said=["'column 3', 'column 4' is empty: left out"],
    ),
    "rows with one delimiter more": Messy(
        lines(A, B, [""] * N, head="a,b"),
        said=["'column 3' is empty: left out"],
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
        lines(A, ["-999" if i % 9 == 4 else x for i, x in enumerate(B)], head="a,b"),
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
