"""README and docs name the catalog's methods."""

import re
import runpy
from pathlib import Path

from coterie._catalog import ENTRIES, KINDS

README = Path(__file__).parents[2] / "README.md"


def test_the_methods_named_are_in_the_catalog():
    text = README.read_text()
    lists = re.findall(r"^- \*\*[\w -]+\*\*: (`.*`)$", text, re.M)
    named = [name for line in lists for name in re.findall(r"`([\w-]+)`", line)]
    assert len(named) == len(set(named))
    kinds = {entry.name: entry.kind for entry in ENTRIES}
    assert {kinds[name] for name in named} == set(KINDS)  # each kind has a line


def test_the_page_of_methods_is_the_catalog():
    script = README.parent / "docs" / "_ext" / "methods_page.py"
    made = runpy.run_path(str(script))
    assert made["PAGE"].read_text() == made["page"](), (
        "python docs/_ext/methods_page.py"
    )
