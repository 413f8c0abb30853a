"""Processes and workers that are killed: nothing is lost, nothing is made twice."""

import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from coterie import EnsembleClustering
from coterie._engine import run_members, use_engine

N_MEMBERS, N_KILLS = 40, 8

PROGRAM = """
import sys, time
import numpy as np
from coterie import EnsembleClustering, use_engine
from coterie.generation import RandomKMeans

class Slow(RandomKMeans):
    def _member(self, X, number, rng):
        draft = super()._member(X, number, rng)
        time.sleep(0.15)
        with open(sys.argv[2], "a") as log:
            log.write(f"{number}\\n")
        return draft

X = np.random.default_rng(0).normal(size=(200, 4))
model = EnsembleClustering(3, generator=Slow(40), random_state=5, n_jobs=2)
with use_engine(checkpoint=sys.argv[1]):
    np.save(sys.argv[3], model.fit_predict(X))
"""


@pytest.mark.slow
def test_a_run_that_is_killed_again_and_again(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    words = [sys.executable, str(program)]
    whole = [str(tmp_path / name) for name in ("whole", "whole.log", "whole.npy")]
    subprocess.run([*words, *whole], check=True)
    parts = [str(tmp_path / name) for name in ("parts", "parts.log", "parts.npy")]
    log, store = Path(parts[1]), Path(parts[0])
    rng = np.random.default_rng(0)
    finished = []  # (lines of the log, members that were whole then)
    for _ in range(N_KILLS):
        process = subprocess.Popen([*words, *parts])
        begun = len(lines(log))
        while process.poll() is None and len(lines(log)) == begun:
            time.sleep(0.005)
        time.sleep(rng.uniform(0.0, 0.1))
        process.kill()
        process.wait()
        there = {int(path.name[-6:]) for path in store.glob("member-*")}
        finished.append((len(lines(log)), there))
    assert len(finished[-1][1]) < N_MEMBERS  # or the last kills came too late
    subprocess.run([*words, *parts], check=True)
    np.testing.assert_array_equal(np.load(parts[2]), np.load(whole[2]))
    made = lines(log)
    for n_lines, there in finished:
        assert there.isdisjoint(made[n_lines:])
    # Beyond each member once, only the two in flight at a kill were made again.
    assert len(made) <= N_MEMBERS + 2 * 2 * N_KILLS


def lines(path):
    text = path.read_text() if path.exists() else ""
    return [int(line) for line in text.splitlines()]


def die_once(number, rng, folder):
    """Make member 2 kill its process the first time."""
    mark = Path(folder) / "died"
    if number == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return float(rng.random())


@pytest.mark.slow
def test_a_process_that_dies_is_replaced(tmp_path):
    found = numbers_of("processes", tmp_path)
    assert (tmp_path / "died").exists()
    assert found == numbers_of("serial", tmp_path)


@pytest.mark.slow
def test_two_dask_workers_one_of_which_dies(tmp_path):
    distributed = pytest.importorskip("distributed")
    X = np.random.default_rng(0).normal(size=(200, 4))
    plain = EnsembleClustering(3, n_members=24, random_state=0).fit(X)
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0"
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        # the workers import this file
        client.run(sys.path.insert, 0, str(Path(__file__).parent))
        with use_engine(client):
            model = EnsembleClustering(3, n_members=24, random_state=0).fit(X)
        np.testing.assert_array_equal(model.labels_, plain.labels_)
        np.testing.assert_array_equal(model.ensemble_.labels, plain.ensemble_.labels)
        found = numbers_of(client, tmp_path)
    assert (tmp_path / "died").exists()
    assert found == numbers_of("serial", tmp_path)


def numbers_of(engine, folder):
    with use_engine(engine):
        work = partial(die_once, folder=str(folder))
        return run_members(work, N_MEMBERS, who="Test", seed=0, n_jobs=2)
