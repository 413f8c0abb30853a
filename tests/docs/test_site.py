"""The site is whole: pages in a table of contents, links that lead somewhere, an API
page for each public object. (``make docs`` builds it; that takes minutes.)
"""

import inspect
import pkgutil
import re
import sys
from pathlib import Path

import pytest

import coterie
from coterie._catalog import ENTRIES

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted(DOCS.glob("*.md"))
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
sys.path.insert(0, str(DOCS / "_ext"))

import api_pages  # noqa: E402
import gallery_order  # noqa: E402
import repository_pages  # noqa: E402

MOST_EXAMPLES = 15


def contents(page: Path) -> list[str]:
    """Return what the tables of contents of a page list."""
    trees = re.findall(r"^```\{toctree\}\n(.*?)^```$", page.read_text(), re.M | re.S)
    lines = [line for tree in trees for line in tree.splitlines()]
    listed = [line for line in lines if line and not line.startswith(":")]
    return [re.sub(r".*<(.*)>", r"\1", line) for line in listed]


def test_every_page_is_in_a_table_of_contents():
    listed = [name for page in PAGES for name in contents(page)]
    assert len(listed) == len(set(listed))
    made = {"gallery/index", "api/index", "results/*"}
    assert set(listed) - made == {page.stem for page in PAGES} - {"index"}
    assert made <= set(listed)


@pytest.mark.parametrize("page", [ROOT / "README.md", *PAGES], ids=lambda p: p.stem)
def test_links_lead_to_files(page):
    text = repository_pages.on_the_site(page.read_text())
    examples = {f"gallery/{path.stem}.rst" for path in EXAMPLES}
    pictures = re.compile(r"gallery/images/sphx_glr_(\w+)_\d{3}\.png")
    for link in re.findall(r"\]\(([^)#]+)(?:#[\w-]+)?\)", text):
        if link.startswith("http") or link in examples or link == "gallery/index.rst":
            continue
        if match := pictures.fullmatch(link):
            assert (ROOT / "examples" / f"{match[1]}.py").exists(), link
        elif link.startswith("results/"):
            assert (repository_pages.RESULTS / Path(link).name).exists(), link
        else:
            assert (page.parent / link).exists(), link


def test_every_entry_of_the_catalog_has_a_page():
    pages = api_pages.pages()
    for entry in ENTRIES:
        package, name = entry.home.removeprefix("coterie.").split(":")
        full = api_pages.full_name(package, name)
        assert f"objects/{full}.rst" in pages
        assert any(f"<{full}>" in text for text in pages.values())


def test_every_public_package_has_a_page():
    packages = {
        module.name
        for module in pkgutil.iter_modules(coterie.__path__)
        if not module.name.startswith("_") and module.name != "cli"
    }
    assert packages <= {family.package.split(".")[0] for family in api_pages.FAMILIES}
    pages = api_pages.pages()
    for name in coterie.__all__:
        if name != "__version__" and not inspect.ismodule(getattr(coterie, name)):
            assert f"objects/coterie.{name}.rst" in pages


def test_the_gallery_is_small_and_in_order():
    names = [path.stem for path in EXAMPLES]
    assert len(names) <= MOST_EXAMPLES
    assert set(names) <= set(gallery_order.ORDER)
    for path in EXAMPLES:
        title = re.match(r'"""\n(.+)\n(=+)\n', path.read_text())
        assert title, f"{path.name}: no title"
        assert len(title[1]) == len(title[2])
