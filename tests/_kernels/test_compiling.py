"""What a user is told while kernels are compiled, and when they cannot be kept."""

import gc
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from coterie._kernels._compiling import Announcer

HASH = """
import numpy as np
from coterie._kernels._labels import hash_rows
hash_rows(np.zeros((3, 2), np.int32), np.empty(3, np.uint64))
"""
NO_PLACE = """
from numba.core import caching
caching.CacheImpl._locator_classes = []
"""
FULL_DISK = """
from numba.core import caching
def save(self, key, data):
    raise OSError(28, "No space left on device")
caching.IndexDataCacheFile.save = save
"""


def run(code, folder, **options):
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder)}
    return subprocess.run(
        [sys.executable, "-c", code], env=environment, check=True, text=True, **options
    )


def told(code, folder):
    return run(code, folder, stderr=subprocess.PIPE).stderr


def test_the_log_says_it_once_for_an_installation(tmp_path):
    code = "import logging; logging.basicConfig(level='INFO')" + HASH
    first, second = told(code, tmp_path), told(code, tmp_path)
    assert "compiling kernels, once for this installation ..." in first
    assert "INFO:coterie:compiled 1 kernel in" in first
    assert second == ""


def test_nothing_is_said_without_a_log_or_a_terminal(tmp_path):
    assert told(HASH, tmp_path) == ""


def seen_in_terminal(code, folder):
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    run(code, folder, stderr=theirs)
    os.close(theirs)
    text = b""
    try:
        while part := os.read(ours, 4096):
            text += part
    except OSError:  # Linux's way to say that it is all
        pass
    os.close(ours)
    return text.decode()


def test_a_terminal_shows_one_line_that_is_rewritten(tmp_path):
    text = seen_in_terminal(HASH, tmp_path)
    assert text.startswith(
        "\rcoterie: compiling kernels, once for this installation: 1"
    )
    assert "\rcoterie: compiled 1 kernel in" in text
    assert text.count("\n") == 1


def test_a_progress_bar_stays_whole(tmp_path):
    bar = """
from rich.console import Console
from rich.progress import Progress
with Progress(console=Console(stderr=True, width=80)) as progress:
    progress.add_task("members", total=2)
"""
    text = seen_in_terminal(bar + HASH.replace("\n", "\n    "), tmp_path)
    lines = [line for line in text.splitlines() if "compiling" in line]
    assert len(lines) == 1
    assert "members" not in lines[0]


@pytest.mark.parametrize(
    ("obstacle", "reason"), [(NO_PLACE, "no locator"), (FULL_DISK, "No space left")]
)
def test_a_cache_that_cannot_be_written_is_said_once(tmp_path, obstacle, reason):
    more = "from coterie._kernels._tables import overlap\nfrom numpy import zeros\n"
    more += "overlap(zeros((1, 3), int), zeros(2, int), zeros(3), zeros(1))"
    text = told(obstacle + HASH + more, tmp_path)
    assert text.count("Compiled kernels cannot be kept") == 1
    assert reason in text
    assert "Set NUMBA_CACHE_DIR to a folder that can be written" in text


@pytest.mark.parametrize("collects", [True, False])
def test_the_garbage_collector_rests_while_a_kernel_is_compiled(collects):
    announcer = Announcer()
    event = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=Announcer)})
    inner = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=Announcer)})
    before = gc.isenabled()
    try:
        (gc.enable if collects else gc.disable)()
        announcer.on_start(event)
        announcer.on_start(inner)
        announcer.on_end(inner)
        assert not gc.isenabled()
        announcer.on_end(event)
        assert gc.isenabled() == collects
    finally:
        (gc.enable if before else gc.disable)()
        announcer.finish()
