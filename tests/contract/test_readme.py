"""README and docs name the catalog's methods."""

import re
from pathlib import Path

from typer.testing import CliRunner

from coterie._catalog import ENTRIES, KINDS
from coterie.cli import app

README = Path(__file__).parents[2] / "README.md"


def test_the_methods_named_are_in_the_catalog():
    text = README.read_text()
    lists = re.findall(r"^- \*\*[\w -]+\*\*: (`.*`)$", text, re.M)
    named = [name for line in lists for name in re.findall(r"`([\w-]+)`", line)]
    assert len(named) == len(set(named))
    kinds = {entry.name: entry.kind for entry in ENTRIES}
    assert {kinds[name] for name in named} == set(KINDS)  # each kind has a line


def test_the_page_of_methods_is_the_catalog():
    made = CliRunner().invoke(app, ["methods", "--markdown"])
    assert made.exit_code == 0
    page = README.parent / "docs" / "methods.md"
    assert page.read_text() == made.stdout, (
        "coterie methods --markdown > docs/methods.md"
    )
