"""Imports point left: kernels know arrays, parts know Ensemble, systems know parts."""

import ast
from pathlib import Path

import coterie

PACKAGE = Path(coterie.__file__).parent

FOUNDATION = {
    "_archives",
    "_atomic",
    "_cards",
    "_catalog",
    "_catalog_map",
    "_colors",
    "_display",
    "_docs",
    "_figures",
    "_fitting",
    "_hashing",
    "_html",
    "_lazy",
    "_magnitudes",
    "_memory",
    "_papers",
    "_scales",
    "_seeds",
    "_structure",
    "_tables",
    "_typing",
    "_validation",
    "_version",
    "exceptions",
}
LAYERS = [
    FOUNDATION,
    {"_kernels", "_linalg"},
    {"_engine"},
    {"_large"},
    {"ensemble"},
    {"metrics", "datasets"},
    {"generation", "weighting", "consensus"},
    {"experimental", "choice"},
    {"clusterers", "systems"},
    {"answers", "plot", "advice"},
    {"applications", "integrations"},
    {"cli"},
]
# Files of one layer may know each other only here.
NEIGHBOURS = {
    ("_linalg", "_kernels"),
    ("answers", "plot"),
    ("plot", "answers"),
    *((a, b) for a in FOUNDATION for b in FOUNDATION),
}


def _layer(part: str) -> int:
    return next(i for i, names in enumerate(LAYERS) if part in names)


def _home(name: str) -> str:
    """Return the part that a name of the package itself comes from."""
    return coterie._HOMES.get(name, f"coterie.{name}").split(".")[1]


def _imports(file: Path):
    """Yield the top-level parts of coterie that a file imports (not for types only)."""
    tree = ast.parse(file.read_text())
    for_types = {
        id(node)
        for branch in ast.walk(tree)
        if isinstance(branch, ast.If) and "TYPE_CHECKING" in ast.unparse(branch.test)
        for node in ast.walk(branch)
    }
    for node in ast.walk(tree):
        if id(node) in for_types:
            continue
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file}: relative import"
            if node.module and node.module.split(".")[0] == "coterie":
                parts = node.module.split(".")
                yield from (
                    [parts[1]]
                    if len(parts) > 1
                    else [_home(alias.name) for alias in node.names]
                )
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.startswith("coterie."):
                    yield alias.name.split(".")[1]


def test_imports_point_left():
    wrong = []
    for file in PACKAGE.rglob("*.py"):
        own = file.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if own in {"__init__", "__main__"}:
            continue
        for other in _imports(file):
            allowed = (
                other == own
                or _layer(other) < _layer(own)
                or (own, other) in NEIGHBOURS
            )
            if not allowed:
                wrong.append(f"{file.relative_to(PACKAGE)} imports {other}")
    assert not wrong, "\n".join(wrong)


def test_every_part_has_a_layer():
    parts = {
        path.name.removesuffix(".py")
        for path in PACKAGE.iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    } - {"__init__", "__main__"}
    assert parts <= set().union(*LAYERS)


def test_only_the_validation_module_knows_private_names_of_sklearn():
    for file in PACKAGE.rglob("*.py"):
        if file.name == "_validation.py":
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                parts = node.module.split(".")
                private = parts[0] == "sklearn" and any(
                    p.startswith("_") for p in [*parts, *(a.name for a in node.names)]
                )
                assert not private, f"{file}: {node.module}"


def test_only_the_jit_module_imports_numba_decorators():
    for file in PACKAGE.rglob("*.py"):
        if file.name == "_jit.py":
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module == "numba":
                assert {alias.name for alias in node.names} <= {"prange"}, file


def test_no_module_is_longer_than_600_lines():
    for file in PACKAGE.rglob("*.py"):
        assert len(file.read_text().splitlines()) <= 600, file
