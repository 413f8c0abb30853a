"""The same seed gives the same bits, whatever computes them."""

import json
import os
import platform
import subprocess
import sys
from pathlib import Path

import pytest

import coterie
from coterie._catalog import entries

SCRIPT = Path(__file__).with_name("digests.py")
SRC = Path(coterie.__file__).parents[1]
WAYS = {
    "one thread": (
        "serial",
        1,
        {"OPENBLAS_NUM_THREADS": "1", "NUMBA_NUM_THREADS": "1"},
    ),
    "two threads": (
        "threads",
        2,
        {"OPENBLAS_NUM_THREADS": "2", "NUMBA_NUM_THREADS": "2", "PYTHONHASHSEED": "1"},
    ),
    "two processes": ("processes", 2, {"PYTHONHASHSEED": "2"}),
}
# The others make equal parts, assume subspaces, or are poor on few features.
FIND_BLOBS = {
    *("c2swce", "ensemble", "large", "mdec", "spce", "usenc", "wokmeans"),
    *("genie alone", "gnmf alone", "lsc alone", "sc-srgf alone", "uspec alone"),
}
BLOBS = "41cc4a6f4221533b"
# Seen with Python 3.10 to 3.13, NumPy 2.2 to 2.5, scikit-learn 1.7 and 1.9.
OTHERS = {
    "mbn": "5080227b54019b3c",
    "mbn-e": "b0f2150e2c26b895",
    "woec": "4298739dea706d3b",
    "ssc alone": "2941574ac933ce15",
}


def run(engine, n_jobs, variables):
    env = {**os.environ, "PYTHONPATH": str(SRC), **variables}
    command = [sys.executable, str(SCRIPT), engine, str(n_jobs)]
    done = subprocess.run(command, env=env, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def found():
    return {way: run(*settings) for way, settings in WAYS.items()}


@pytest.mark.slow
def test_bits_do_not_depend_on_threads_engines_hashes_or_processes(found):
    first = found["one thread"]
    assert len(first) == len(entries("system", "clusterer"))
    for way, digests in found.items():
        differ = [name for name in first if digests[name] != first[name]]
        assert not differ, way


@pytest.mark.slow
def test_labels_are_the_same_on_every_processor(found):
    labels = found["one thread"]
    assert {labels[name][0] for name in FIND_BLOBS} == {BLOBS}


@pytest.mark.slow
@pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"),
    reason="other processors may round otherwise",
)
def test_labels_are_the_same_in_every_version_of_python(found):
    labels = {name: both[0] for name, both in found["one thread"].items()}
    assert labels == {**dict.fromkeys(FIND_BLOBS, BLOBS), **OTHERS}
