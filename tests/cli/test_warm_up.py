"""Compiling beforehand."""

import json
import os
import subprocess
import sys
from pathlib import Path


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
