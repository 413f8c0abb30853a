"""Checkpoints that others start, edit, link or leave behind."""

import multiprocessing
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from sklearn.cluster import KMeans

from coterie import use_engine
from coterie._atomic import (
    create_exclusively,
    remove_leftovers,
    write_atomically,
)
from coterie._engine import MemberStore
from coterie._hashing import fingerprint
from coterie.exceptions import StoreError
from coterie.generation import FromClusterers, RandomKMeans

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(c, 1.0, (40, 5)) for c in (0, 4, 8)])


def open_at(moment, folder, seed):
    while time.time() < moment:
        pass
    try:
        store = MemberStore(folder, {"seed": seed})
    except StoreError:
        return None
    store.write(0, str(seed).encode())
    return seed


def test_of_two_runs_in_a_new_folder_exactly_one_is_accepted(tmp_path):
    context = multiprocessing.get_context("fork")
    with context.Pool(2) as pool:
        for attempt in range(40):
            folder, moment = tmp_path / str(attempt), time.time() + 0.005
            tasks = [(moment, folder, seed) for seed in (1, 2)]
            accepted = [one for one in pool.starmap(open_at, tasks) if one]
            assert len(accepted) == 1
            store = MemberStore(folder, {"seed": accepted[0]})
            assert store.read(0) == str(accepted[0]).encode()


def test_arrays_count_whole_not_as_they_print(tmp_path):
    one, other = np.zeros((2000, 5)), np.zeros((2000, 5))
    other[1000] = 1.0
    assert repr(one) == repr(other)
    assert fingerprint(KMeans(init=one)) != fingerprint(KMeans(init=other))
    with use_engine("serial", checkpoint=tmp_path):
        FromClusterers([KMeans(3, init=X[:3], n_init=1)]).generate(X, seed=0)
        with pytest.raises(StoreError, match="parameter clusterers was 'list "):
            FromClusterers([KMeans(3, init=X[3:6], n_init=1)]).generate(X, seed=0)


def distance(a, b, scale=1.0):
    return abs(a - b) * scale


def made(scale):
    return lambda a, b: abs(a - b) * scale


class Numbered(RandomKMeans):
    """A generator of a user."""

    def _member(self, X, number, rng):
        return super()._member(X, number, rng)


class Shuffled(RandomKMeans):
    """Another one."""

    def _member(self, X, number, rng):
        rng.random()
        return super()._member(X, number, rng)


def test_functions_are_known_by_name_and_code():
    assert fingerprint(distance) == fingerprint(distance)
    assert fingerprint(made(1.0)) == fingerprint(made(1.0))
    different = [
        distance,
        made(1.0),
        made(2.0),
        partial(distance, scale=2.0),
        partial(distance, scale=3.0),
        lambda a, b: a * b,
        lambda a, b: a + b,
        len,
        np.add,
        KMeans,
        KMeans(3),
        KMeans(4),
        Numbered,
        Shuffled,
        Numbered(3),
        np.arange(3),
        np.arange(3.0),
        np.arange(3)[:, None],
        np.array(3),
        np.array([None, 1], dtype=object),
        [1, 2],
        (1, 2),
        {1, 2},
        {1: 2},
        [[1], 2],
        [1, [2]],
        np.random.RandomState(0),
        np.random.RandomState(1),
        np.random.default_rng(0),
    ]
    assert len({fingerprint(value) for value in different}) == len(different)


PRINT = """
import sys
sys.path.insert(0, sys.argv[1])
import numpy as np, test_stores as t
from coterie._hashing import fingerprint
values = t.distance, t.made(2.0), t.Numbered, {"a", "b"}, np.random.RandomState(0)
for one in values:
    print(fingerprint(one))
"""


def test_another_process_finds_the_same_fingerprints():
    here = str(Path(__file__).parent)
    found = {
        subprocess.run(
            [sys.executable, "-c", PRINT, here],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(found) == 1


def test_functions_as_parameters_resume(tmp_path):
    class Counted(RandomKMeans):
        made: list = []  # noqa: RUF012 - shared on purpose

        def __init__(self, n_members=4, metric=distance, on_error="raise"):
            super().__init__(n_members, on_error=on_error)
            self.metric = metric

        def _member(self, X, number, rng):
            Counted.made.append(number)
            return super()._member(X, number, rng)

    with use_engine("serial", checkpoint=tmp_path):
        Counted(metric=made(2.0)).generate(X, seed=0)
        Counted(metric=made(2.0)).generate(X, seed=0)
        assert Counted.made == [0, 1, 2, 3]
        with pytest.raises(StoreError, match="parameter metric was 'function "):
            Counted(metric=made(3.0)).generate(X, seed=0)


def test_versions_are_part_of_a_run(tmp_path, monkeypatch):
    with use_engine("serial", checkpoint=tmp_path):
        RandomKMeans(2).generate(X, seed=0)
        monkeypatch.setattr("coterie.generation._base.version", lambda name: "0.0")
        with pytest.raises(StoreError, match=r"version of numba was '.+' and is '0.0'"):
            RandomKMeans(2).generate(X, seed=0)


def test_a_member_in_the_place_of_another_is_noticed(tmp_path):
    store = MemberStore(tmp_path / "a", {"seed": 1})
    other = MemberStore(tmp_path / "b", {"seed": 2})
    store.write(0, b"zero")
    store.write(1, b"one")
    other.write(0, b"other")
    one = (tmp_path / "a" / "member-000001").read_bytes()
    (tmp_path / "a" / "member-000000").write_bytes(one)
    assert store.read(0) is None
    assert store.read(1) == b"one"
    foreign = (tmp_path / "b" / "member-000000").read_bytes()
    (tmp_path / "a" / "member-000000").write_bytes(foreign)
    assert store.read(0) is None


def test_a_link_in_a_store_is_not_followed(tmp_path):
    outside = tmp_path / "outside"
    outside.write_text("precious")
    store = MemberStore(tmp_path / "run", {"seed": 1})
    (store.folder / "member-000000").symlink_to(outside)
    assert store.read(0) is None
    store.write(0, b"labels")
    assert outside.read_text() == "precious"
    assert store.read(0) == b"labels"
    (store.folder / "member-000001").mkdir()
    assert store.read(1) is None


def test_a_folder_that_is_a_link_inside_a_checkpoint_is_refused(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "members").symlink_to(tmp_path / "elsewhere")
    with (
        use_engine(checkpoint=tmp_path / "run"),
        pytest.raises(StoreError, match="members is a link, which is not followed"),
    ):
        MemberStore(tmp_path / "run" / "members", {})
    assert not any((tmp_path / "elsewhere").iterdir())
    (tmp_path / "mine").symlink_to(tmp_path / "elsewhere")
    with use_engine(checkpoint=tmp_path / "mine"):  # the user's own link is fine
        MemberStore(tmp_path / "mine", {})


def test_what_killed_runs_left_is_removed(tmp_path):
    store = MemberStore(tmp_path, {"seed": 1})
    for name in (".member-000003.x1y2", ".run.json.abc"):
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / ".mine").write_text("not ours")
    MemberStore(tmp_path, {"seed": 1})
    assert sorted(path.name for path in tmp_path.iterdir()) == [".mine", "run.json"]

    def write(file):
        remove_leftovers(tmp_path, "member-")  # another run opens the folder
        file.write(b"whole")

    write_atomically(tmp_path / "member-000000", write)
    assert (tmp_path / "member-000000").read_bytes() == b"whole"
    assert store.folder == tmp_path


@pytest.mark.parametrize("moment", ["chmod", "link", "replace"])
def test_a_file_that_is_being_named_is_no_leftover(tmp_path, monkeypatch, moment):
    owner = os if moment == "link" else Path
    real = getattr(owner, moment)

    def tidied(*args, **kwargs):
        remove_leftovers(tmp_path, "run.json")  # another run opens the folder
        return real(*args, **kwargs)

    monkeypatch.setattr(owner, moment, tidied)
    assert create_exclusively(tmp_path / "run.json", b"first")
    write_atomically(tmp_path / "run.json", lambda file: file.write(b"whole"))
    assert [path.name for path in tmp_path.iterdir()] == ["run.json"]
    assert (tmp_path / "run.json").read_bytes() == b"whole"


def test_many_runs_open_and_write_one_folder(tmp_path):
    def run(_):
        for _ in range(40):
            MemberStore(tmp_path, {"seed": 1}).write(0, b"labels")

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(run, range(4)))
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["member-000000", "run.json"]


def test_a_full_disk_names_the_file(tmp_path):
    device = Path("/dev/full")

    def full(_):
        with device.open("wb", buffering=0) as file:
            file.write(b"x")

    if not device.exists():
        pytest.skip("there is no /dev/full")
    path = tmp_path / "labels.csv"
    with pytest.raises(OSError, match=r"No space left on device: .*labels\.csv"):
        write_atomically(path, full)
    assert not any(tmp_path.iterdir())
