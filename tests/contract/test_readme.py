"""The README's table of methods is the catalog's, and its examples run."""

import re
from pathlib import Path

import coterie
from coterie._catalog import ENTRIES

README = Path(__file__).parents[2] / "README.md"


def test_the_table_of_methods_is_the_catalog():
    rows = re.findall(
        r"^\| `([\w-]+)` \| (\w+) \| `(\w+)` \|", README.read_text(), re.M
    )
    expected = [(e.name, e.kind, e.home.split(":")[1]) for e in ENTRIES]
    assert rows == expected


def test_the_examples_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code in re.findall(r"```python\n(.*?)```", README.read_text(), re.S):
        exec(code, names)
    assert names["model"].labels_.max() == 9
    assert coterie.combine(names["labelings"], 2, "lwea").tolist() == [0, 0, 1, 1]
