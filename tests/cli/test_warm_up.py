"""Compiling beforehand."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from coterie.cli import _warm_up


def coterie(*words, folder):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    command = [sys.executable, "-m", "coterie", *words]
    return subprocess.run(
        command, env=environment, check=False, text=True, capture_output=True
    )


def test_what_is_warm_is_not_compiled_again(tmp_path):
    words = "warm-up", "--only", "genie", "--jobs", "1", "--json"
    first = json.loads(coterie(*words, folder=tmp_path).stdout)
    kept = list(Path(first["folder"]).glob("*.nbc"))
    assert first["n_kernels"] == len(kept) > 0
    assert tmp_path in Path(first["folder"]).parents
    assert first["megabytes"] > 0
    assert first["left_out"] == []
    second = json.loads(coterie(*words, folder=tmp_path).stdout)
    assert second["n_kernels"] == 0
    assert second["megabytes"] == first["megabytes"]


def test_an_unknown_system_is_refused(tmp_path):
    done = coterie("warm-up", "--only", "geni", folder=tmp_path)
    assert done.returncode == 2
    assert "genie" in done.stderr


def fail(task):
    if task.n_samples == 1500 and task.dtype == "float32":
        raise ValueError("no such luck")
    if task.sparse:
        raise ImportError("This needs luck. Install it.")


def test_a_method_that_fails_is_an_error_that_names_it(monkeypatch):
    monkeypatch.setattr(
        _warm_up, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor()
    )
    monkeypatch.setattr(_warm_up, "_run", fail)
    expected = (
        r"could not run genie \(1500 samples, float32\): ValueError: no such luck"
    )
    with pytest.raises(RuntimeError, match=expected):
        _warm_up.compile_all("genie")


def test_a_package_that_is_missing_is_no_error(monkeypatch):
    monkeypatch.setattr(
        _warm_up, "ProcessPoolExecutor", lambda *_: ThreadPoolExecutor()
    )
    monkeypatch.setattr(_warm_up, "_run", lambda task: task.sparse and fail(task))
    done = _warm_up.compile_all("genie")
    assert done.left_out == ["genie (This needs luck. Install it.)"]
