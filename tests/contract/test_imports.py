"""Imports are lazy and need no extra."""

import importlib
import pkgutil
import subprocess
import sys

import pytest

import coterie

EXTRAS = (
    "polars",
    "pyarrow",
    "matplotlib",
    "plotly",
    "dask",
    "distributed",
    "anndata",
    "scanpy",
    "h5py",
    "zarr",
    "pymetis",
    "mtkahypar",
    "skimage",
    "PIL",
    "networkx",
    "igraph",
)
HEAVY = ("numpy", "numba", "sklearn", "scipy", "joblib", "pandas", *EXTRAS)
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(coterie.__path__, "coterie.")
    if module.name != "coterie.__main__"
)


def run(code: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_importing_coterie_loads_nothing_heavy():
    """Two small files beside the package itself take milliseconds on any machine."""
    code = (
        "import sys, coterie\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))\n"
        "print(sorted(name for name in sys.modules if name.startswith('coterie.')))"
    )
    assert run(code).splitlines() == ["[]", "['coterie._lazy', 'coterie._version']"]


@pytest.mark.parametrize("words", [["--help"], ["cluster", "--help"], ["--version"]])
def test_help_loads_nothing_heavy(words):
    code = (
        "import contextlib, io, sys\n"
        "from coterie.cli import main\n"
        "with contextlib.suppress(SystemExit), contextlib.redirect_stdout("
        "io.StringIO()) as text:\n"
        f"    main({words!r})\n"
        "assert len(text.getvalue()) > 10\n"
        f"print(sorted(set({HEAVY!r}) & set(sys.modules)))"
    )
    assert run(code) == "[]"


@pytest.mark.parametrize("module", MODULES)
def test_every_module_can_be_imported(module):
    importlib.import_module(module)


def test_every_module_can_be_imported_without_extras():
    code = (
        "import importlib, sys\n"
        "class Absent:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        f"        if name.split('.')[0] in {EXTRAS!r}: raise ModuleNotFoundError\n"
        "sys.meta_path.insert(0, Absent())\n"
        f"for name in {MODULES!r}: importlib.import_module(name)\n"
        "import numpy as np, coterie\n"
        "print(coterie.EnsembleClustering(2, random_state=0)"
        ".fit_predict(np.array([[0.], [1.], [9.], [8.]])))"
    )
    assert run(code) == "[0 0 1 1]"


def test_public_names():
    assert {name for name in coterie.__all__ if name != "__version__"} == set(
        dir(coterie)
    )
    for name in coterie.__all__:
        assert getattr(coterie, name) is not None
    with pytest.raises(
        AttributeError, match="module 'coterie' has no attribute 'nope'"
    ):
        _ = coterie.nope


def test_a_missing_package_is_named(monkeypatch):
    from coterie._validation import require

    with pytest.raises(ImportError, match=r"needs no_such_module.*install no_such_m"):
        require("no_such_module.part")
    monkeypatch.setitem(sys.modules, "skimage.color", None)
    with pytest.raises(ImportError, match="pip install scikit-image"):
        require("skimage.color")
