"""Damaged files: every command ends with an exit code and a sentence."""

import io
from contextlib import redirect_stderr, redirect_stdout
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas
import pytest
import scipy.io
import scipy.sparse
from attacking import TRIED, examples
from hypothesis import given
from hypothesis import strategies as st

from coterie import Ensemble
from coterie.cli import main

LABELS = np.random.default_rng(0).integers(0, 3, size=(12, 4))
FRAME = pandas.DataFrame(LABELS, columns=["a", "b", "c", "d"])


def _to_matlab(path):
    scipy.io.savemat(path, {"labels": LABELS})


WRITERS = {
    ".csv": lambda path: FRAME.to_csv(path, index=False),
    ".tsv": lambda path: FRAME.to_csv(path, index=False, sep="\t"),
    ".npy": lambda path: np.save(path, LABELS),
    ".npz": lambda path: np.savez(path, labels=LABELS),
    ".parquet": lambda path: FRAME.to_parquet(path),
    ".feather": lambda path: FRAME.to_feather(path),
    ".xlsx": lambda path: FRAME.to_excel(path, index=False),
    ".mat": _to_matlab,
    ".ensemble.npz": lambda path: Ensemble(LABELS).save(path),
}
COMMANDS = {
    "combine": ("combine", "-k", "2", "--consensus", "vote"),
    "cluster": ("cluster", "-k", "2", "--system", "wokmeans", "--jobs", "1"),
}


@cache
def whole(kind):
    """Return the bytes of a sound file."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"sound{kind}"
        WRITERS[kind](path)
        return path.read_bytes()


@st.composite
def damaged(draw, kind):
    """Draw bytes near those of a sound file."""
    data = bytearray(whole(kind))
    way = draw(st.sampled_from(["cut", "flip", "insert", "encode", "other", "noise"]))
    at = draw(st.integers(0, len(data) - 1))
    if way == "cut":
        return bytes(data[:at])
    if way == "flip":
        for place in draw(st.lists(st.integers(0, len(data) - 1), min_size=1)):
            data[place] ^= draw(st.integers(1, 255))
        return bytes(data)
    if way == "insert":
        return bytes(data[:at]) + draw(st.binary(max_size=20)) + bytes(data[at:])
    if way == "encode":
        codec = draw(st.sampled_from(["utf-16", "utf-32", "utf-8-sig", "cp037"]))
        return whole(".csv").decode().encode(codec)
    if way == "other":
        return whole(draw(st.sampled_from(sorted(WRITERS))))
    return draw(st.binary(max_size=200))


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("kind", WRITERS)
@examples(6)
@given(data=st.data())
def test_damaged_file(command, kind, data):
    TRIED["files"] += 1
    name, *options = COMMANDS[command]
    said, printed = io.StringIO(), io.StringIO()
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"file{kind}"
        path.write_bytes(data.draw(damaged(kind)))
        with (
            redirect_stderr(said),
            redirect_stdout(printed),
            pytest.raises(SystemExit) as stop,
        ):
            main([name, str(path), *options])
    text = said.getvalue()
    assert stop.value.code in (None, 0, 1, 2)
    assert "Traceback" not in text
    assert "bug in coterie" not in text
    if stop.value.code:
        assert text.startswith("Error: "), text
