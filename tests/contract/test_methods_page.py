"""The docs list the catalog's methods."""

import runpy
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_of_methods_is_the_catalog():
    script = ROOT / "docs" / "_ext" / "methods_page.py"
    made = runpy.run_path(str(script))
    assert made["PAGE"].read_text() == made["page"](), (
        "python docs/_ext/methods_page.py"
    )
