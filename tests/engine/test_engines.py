"""The same labels from every engine; members that are kept; what can go wrong."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from coterie import MBN, MDEC, Ensemble, EnsembleClustering
from coterie.engine import MemberStore, run_members, use_engine
from coterie.exceptions import StoreError
from coterie.generation import MetricSubspaceSpectral, RandomKMeans

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(c, 1.0, (40, 5)) for c in (0, 4, 8)])


def same(a: Ensemble, b: Ensemble) -> bool:
    return np.array_equal(a.labels, b.labels) and all(
        np.array_equal(one.centers, other.centers)
        for one, other in zip(a.members, b.members, strict=True)
    )


@pytest.mark.parametrize("engine", ["serial", "processes"])
@pytest.mark.parametrize("make", [RandomKMeans, MetricSubspaceSpectral])
def test_engines_give_the_same_ensemble(engine, make):
    expected = make(6).generate(X, seed=3, n_jobs=2)
    with use_engine(engine):
        assert same(make(6).generate(X, seed=3, n_jobs=2), expected)


def test_dask_gives_the_same_ensemble():
    distributed = pytest.importorskip("distributed")
    expected = RandomKMeans(6).generate(X, seed=3)
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address=None
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        for engine in (client, "dask"):
            with use_engine(engine):
                assert same(RandomKMeans(6).generate(X, seed=3), expected)


def test_systems_follow_the_engine():
    plain = MDEC(3, n_members=5, random_state=0).fit_predict(X)
    networks = MBN(3, n_clusterings=8, random_state=0).fit_predict(X)
    with use_engine("serial"):
        again = MDEC(3, n_members=5, random_state=0).fit_predict(X)
        np.testing.assert_array_equal(again, plain)
        again = MBN(3, n_clusterings=8, random_state=0).fit_predict(X)
        np.testing.assert_array_equal(again, networks)


def die_once(number, rng, folder):
    """Make member 2 kill its process the first time."""
    mark = Path(folder) / "died"
    if number == 2 and not mark.exists():
        mark.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return float(rng.random())


def test_a_process_that_dies_is_replaced(tmp_path):
    from functools import partial

    with use_engine("processes"):
        found = run_members(
            partial(die_once, folder=tmp_path), 5, who="Test", seed=0, n_jobs=2
        )
    assert (tmp_path / "died").exists()
    with use_engine("serial"):
        expected = run_members(
            partial(die_once, folder=tmp_path), 5, who="Test", seed=0
        )
    assert found == expected


def test_unknown_engines_are_refused():
    with (
        pytest.raises(ValueError, match="serial, threads, processes, dask"),
        use_engine("threds"),
    ):
        pass


def test_settings_end_with_the_block(tmp_path):
    with use_engine("serial", checkpoint=tmp_path / "kept"):
        RandomKMeans(3).generate(X, seed=0)
    assert len(list((tmp_path / "kept").glob("member-*"))) == 3
    RandomKMeans(4).generate(X, seed=0)
    assert len(list((tmp_path / "kept").glob("member-*"))) == 3


class Counted(RandomKMeans):
    """Notes which members are made."""

    made: list = []  # noqa: RUF012 - shared on purpose

    def _member(self, X, number, rng):
        Counted.made.append(number)
        return super()._member(X, number, rng)


def generate(folder, **options):
    Counted.made.clear()
    with use_engine(checkpoint=folder):
        return Counted(6).generate(X, **{"seed": 1, **options})


def test_what_is_kept_is_not_made_again(tmp_path):
    first = generate(tmp_path)
    assert sorted(Counted.made) == list(range(6))
    again = generate(tmp_path)
    assert Counted.made == []
    assert same(first, again)
    assert again.members[2].params == first.members[2].params


@pytest.mark.parametrize("harm", ["gone", "torn", "flipped", "empty"])
def test_a_damaged_member_is_made_again(tmp_path, harm):
    first = generate(tmp_path)
    path = tmp_path / "member-000003"
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    if harm == "gone":
        path.unlink()
    else:
        cut = {"torn": content[:-20], "flipped": content, "empty": b""}[harm]
        path.write_bytes(cut)
    again = generate(tmp_path)
    assert Counted.made == [3]
    assert same(first, again)


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"X": X + 1}, "data was"),
        ({"X": X[:50]}, "shape was"),
        ({"seed": 2}, "seed was"),
        ({"generator": RandomKMeans(6, max_iter=7)}, "parameter max_iter was '100'"),
        ({"generator": MetricSubspaceSpectral(6)}, "generator was 'Counted'"),
    ],
)
def test_another_run_is_refused_and_named(tmp_path, change, named):
    generate(tmp_path)
    generator = change.get("generator", Counted(6))
    with use_engine(checkpoint=tmp_path), pytest.raises(StoreError, match=named):
        generator.generate(change.get("X", X), seed=change.get("seed", 1))


def test_foreign_folders_are_refused(tmp_path):
    (tmp_path / "member-000000").write_bytes(b"")
    with pytest.raises(StoreError, match=r"run\.json is missing"):
        MemberStore(tmp_path, {})
    (tmp_path / "run.json").write_text("[]")
    with pytest.raises(StoreError, match="no record of coterie"):
        MemberStore(tmp_path, {})
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot keep members"):
        MemberStore(tmp_path / "file" / "folder", {})


def test_a_checkpoint_needs_a_seed(tmp_path):
    with (
        use_engine(checkpoint=tmp_path),
        pytest.raises(ValueError, match="needs a seed"),
    ):
        RandomKMeans(3).generate(X)


def test_a_full_disk_keeps_what_is_finished(tmp_path):
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a small disk")
    try:
        generator = RandomKMeans(60, n_clusters=(20, 40))
        with (
            use_engine("serial", checkpoint=small),
            pytest.raises(StoreError, match="the disk is full"),
        ):
            generator.generate(X, seed=0)
        store = MemberStore(small, _run_of(small))
        kept = [n for n in range(60) if store.read(n) is not None]
        assert 0 < len(kept) < 60
        assert len(list(small.glob("member-*"))) == len(kept)
        assert not list(small.glob(".*"))
    finally:
        subprocess.run(["umount", str(small)], check=True)


def _run_of(folder):
    import json

    run = json.loads((folder / "run.json").read_text())
    return {name: run[name] for name in run if name not in ("format", "version")}


PROGRAM = """
import sys, time
import numpy as np
from coterie import EnsembleClustering
from coterie.engine import use_engine
from coterie.generation import RandomKMeans

class Slow(RandomKMeans):
    def _member(self, X, number, rng):
        draft = super()._member(X, number, rng)
        time.sleep(0.1)
        with open(sys.argv[2], "a") as log:
            log.write(f"{number}\\n")
        return draft

X = np.random.default_rng(0).normal(size=(200, 4))
with use_engine("threads", checkpoint=sys.argv[1]):
    model = EnsembleClustering(3, generator=Slow(40), random_state=5, n_jobs=2).fit(X)
np.save(sys.argv[3], model.labels_)
"""


@pytest.mark.slow
def test_a_killed_run_goes_on(tmp_path):
    """Kill at random moments until it is done; the labels are those of one run."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    words = [sys.executable, str(program)]
    whole = [str(tmp_path / name) for name in ("whole", "whole.log", "whole.npy")]
    subprocess.run([*words, *whole], check=True)
    parts = [str(tmp_path / name) for name in ("parts", "parts.log", "parts.npy")]
    rng = np.random.default_rng(0)
    n_killed = 0
    while True:
        process = subprocess.Popen([*words, *parts])
        log = tmp_path / "parts.log"
        begun = _lines(log)
        while process.poll() is None and _lines(log) == begun:
            time.sleep(0.01)
        try:
            process.wait(timeout=rng.uniform(0.1, 0.8))
            break
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            n_killed += 1
    assert process.returncode == 0
    assert n_killed >= 2
    np.testing.assert_array_equal(np.load(parts[2]), np.load(whole[2]))
    # Beyond each member once, only those in flight at a kill were made again.
    assert _lines(log) <= 40 + 4 * n_killed


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines()) if path.exists() else 0


def test_a_system_keeps_its_members(tmp_path):
    plain = EnsembleClustering(3, random_state=0).fit(X)
    for _ in range(2):
        with use_engine(checkpoint=tmp_path):
            kept = EnsembleClustering(3, random_state=0).fit(X)
        np.testing.assert_array_equal(kept.labels_, plain.labels_)
