"""What a user's editor sees: a script that uses every public name has no type error."""

import ast
import importlib
import inspect
import runpy
from pathlib import Path

import pytest

import coterie

SCRIPT = Path(__file__).parent.parent / "typing" / "user_script.py"
FAMILIES = (
    "advice",
    "answers",
    "applications",
    "choice",
    "clusterers",
    "consensus",
    "datasets",
    "ensemble",
    "exceptions",
    "experimental",
    "generation",
    "metrics",
    "plot",
    "systems",
    "weighting",
)
PUBLIC = [f"coterie.{name}" for name in coterie.__all__] + [
    f"coterie.{family}.{name}"
    for family in FAMILIES
    for name in importlib.import_module(f"coterie.{family}").__all__
]


def names_used(source: str) -> set[str]:
    """Return all dotted names of coterie that a script uses, from imports or not."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    homes = {
        alias.asname or alias.name.split(".")[0]: (
            alias.name if alias.asname else alias.name.split(".")[0]
        )
        for node in nodes
        if isinstance(node, ast.Import)
        for alias in node.names
    }
    homes |= {
        alias.asname or alias.name: f"{node.module}.{alias.name}"
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    dotted = [
        ast.unparse(node)
        for node in nodes
        if isinstance(node, ast.Name | ast.Attribute)
    ]
    used = set()
    for name in dotted:
        first, *rest = name.split(".")
        parts = [*homes.get(first, first).split("."), *rest]
        used |= {".".join(parts[: n + 1]) for n in range(len(parts))}
    return used


def test_names_are_found():
    used = names_used("import a\nfrom a.b import c as d\na.x.y()\nd.e\nimport a.q as r")
    assert {"a.x.y", "a.x", "a.b.c.e", "a.b.c"} <= used
    assert not {"a.q", "d.e", "x"} & used  # imported without use, or not a full name


def test_script_uses_every_public_name():
    used = names_used(SCRIPT.read_text())
    assert [name for name in PUBLIC if name not in used] == []


def test_families_are_all_of_coterie():
    modules = {n for n in coterie.__all__ if inspect.ismodule(getattr(coterie, n))}
    assert modules - set(FAMILIES) == {"integrations"}


def test_editors_see_every_lazy_name():
    """The imports ``if TYPE_CHECKING`` name what is loaded on first use."""
    tree = ast.parse(Path(coterie.__file__).read_text())
    (branch,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {
        alias.name: node.module
        for node in branch.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    homes = dict.fromkeys(coterie._MODULES, "coterie") | coterie._HOMES
    assert seen == homes


@pytest.mark.slow
def test_script_runs():
    runpy.run_path(str(SCRIPT), run_name="__main__")
