"""A runner of the command line, and small files for it."""

import builtins
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from coterie.cli import main


@dataclass
class Run:
    code: int
    out: str
    err: str


@pytest.fixture
def run(capsys, monkeypatch, tmp_path):
    """Run words after ``coterie`` in an empty folder, in this process."""
    monkeypatch.chdir(tmp_path)

    def call(*words) -> Run:
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main([str(word) for word in words])
        captured = capsys.readouterr()
        code = stop.value.code
        return Run(0 if code is None else code, captured.out, captured.err)

    return call


@pytest.fixture
def fails(run):
    """Run words that must fail with exit code 2 and one sentence, and return it."""

    def call(*words) -> str:
        done = run(*words)
        assert done.code == 2, done
        assert done.out == ""
        assert "Traceback" not in done.err
        assert done.err.startswith("Error: ")
        assert done.err.count("\n") == 1
        return done.err.removeprefix("Error: ").rstrip("\n")

    return call


@pytest.fixture
def shell():
    """Run words after ``coterie`` in a process of its own."""

    def call(*words, code="") -> subprocess.CompletedProcess:
        start = (
            [sys.executable, "-c", code] if code else [sys.executable, "-m", "coterie"]
        )
        return subprocess.run(
            [*start, *map(str, words)], capture_output=True, text=True, check=False
        )

    return call


@pytest.fixture(scope="session")
def blobs():
    """Three clear groups: data (60, 4), classes (60,)."""
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 20)
    return rng.normal(size=(60, 4)) + 20 * y[:, None], y


@pytest.fixture
def data_csv(tmp_path, blobs) -> Path:
    """The groups as CSV with index, four numbers and a class."""
    X, y = blobs
    lines = ["id,a,b,c,d,class"]
    lines += [
        f"s{i:02d},{','.join(map(repr, map(float, x)))},{'xyz'[c]}"
        for i, (x, c) in enumerate(zip(X, y, strict=True))
    ]
    path = tmp_path / "data.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def labels_csv(tmp_path, blobs) -> Path:
    """Four clusterings of the groups: words, numbers, holes."""
    _, y = blobs
    lines = ["sample,one,two,three,four"]
    for i, c in enumerate(y):
        hole = "" if i % 7 == 0 else "uvw"[c]
        lines.append(f"s{i:02d},{'abc'[c]},{c + 4},{hole},{'pqq'[c]}")
    path = tmp_path / "labels.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def no_pyarrow(monkeypatch):
    """Pretend that the extra `io` is not installed."""
    real = builtins.__import__

    def missing(name, *args, **kwargs):
        if name.split(".")[0] in {"pyarrow", "polars"}:
            raise ImportError(f"No module named {name!r}")
        return real(name, *args, **kwargs)

    for name in [n for n in sys.modules if n.split(".")[0] == "pyarrow"]:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    monkeypatch.setitem(sys.modules, "pyarrow.csv", None)
    monkeypatch.setattr(builtins, "__import__", missing)
