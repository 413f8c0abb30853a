"""Every example runs, prints and draws."""

import runpy
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))


# Examples are for readers: a warning of a package that they use is no error here.
@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    plt.switch_backend("Agg")
    plt.close("all")
    runpy.run_path(str(path), run_name="__main__")
    assert capsys.readouterr().out
    assert plt.get_fignums(), "no picture"
    plt.close("all")
