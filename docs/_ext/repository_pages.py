"""Bring what lives outside ``docs`` into the site: results of experiments, links.

The Markdown pages are read in two places, in the repository and on the site. They link
to files of the repository; on the site the links go to the pages made from these files.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
RESULTS = ROOT / "experiments" / "results"

LINKS = (
    (r"\]\(\.\./experiments/results/(\w+\.md)(#[\w-]+)?\)", r"](results/\1\2)"),
    (r"\]\(\.\./examples/(\w+)\.py\)", r"](gallery/\1.rst)"),
    (r"\]\(\.\./CHANGELOG\.md\)", r"](changelog.md)"),
    (r"\]\(\.\./CONTRIBUTING\.md\)", r"](contributing.md)"),
)


def copy_results(app: Any) -> None:
    """Copy the reports and their pictures to ``docs/results``."""
    folder = Path(app.srcdir) / "results"
    folder.mkdir(exist_ok=True)
    for source in (*RESULTS.glob("*.md"), *RESULTS.glob("*.png")):
        target = folder / source.name
        if not target.exists() or target.read_bytes() != source.read_bytes():
            shutil.copyfile(source, target)


def on_the_site(text: str) -> str:
    """Return a page whose links lead to pages of the site."""
    for old, new in LINKS:
        text = re.sub(old, new, text)
    return text


def rewrite(_app: Any, docname: str, content: list[str]) -> None:
    """Change the links of a page as it is read."""
    if not docname.startswith(("api/", "gallery/")):
        content[0] = on_the_site(content[0])


def setup(app: Any) -> dict[str, bool]:
    """Copy before Sphinx looks for pages; rewrite as it reads them."""
    app.connect("builder-inited", copy_results, priority=100)
    app.connect("source-read", rewrite)
    return {"parallel_read_safe": True}
