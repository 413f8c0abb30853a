"""The same labels from every engine; members that are kept; what can go wrong."""

import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress

import numpy as np
import pytest
from stand_ins import dask_worker

from coterie import (
    MBN,
    MDEC,
    Ensemble,
    EnsembleClustering,
    MBNEnsemble,
)
from coterie._engine import MemberStore, settings, subfolder, use_engine
from coterie._engine._engines import Settings
from coterie._memory import memory_limit
from coterie.exceptions import MemoryLimitError, StoreError
from coterie.generation import BootstrapNetworks, MetricSubspaceSpectral, RandomKMeans

RNG = np.random.default_rng(0)
X = np.vstack([RNG.normal(c, 1.0, (40, 5)) for c in (0, 4, 8)])


def same(a: Ensemble, b: Ensemble) -> bool:
    return np.array_equal(a.labels, b.labels) and all(
        np.array_equal(one.centers, other.centers)
        for one, other in zip(a.members, b.members, strict=True)
    )


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["serial", "processes"])
@pytest.mark.parametrize("make", [RandomKMeans, MetricSubspaceSpectral])
def test_engines_give_the_same_ensemble(engine, make):
    expected = make(6).generate(X, seed=3, n_jobs=2)
    with use_engine(engine):
        assert same(make(6).generate(X, seed=3, n_jobs=2), expected)


def test_dask_gives_the_same_ensemble():
    expected = RandomKMeans(6).generate(X, seed=3)
    with dask_worker() as client:
        for engine in (client, "dask"):
            with use_engine(engine):
                assert same(RandomKMeans(6).generate(X, seed=3), expected)


@pytest.mark.slow
def test_dask_starts_where_another_cluster_runs():
    pytest.importorskip("distributed")
    expected = RandomKMeans(2).generate(X, seed=3)
    with socket.socket() as taken, use_engine("dask"):
        with suppress(OSError):  # taken already: just as well
            taken.bind(("0.0.0.0", 8787))
            taken.listen()
        assert same(RandomKMeans(2).generate(X, seed=3, n_jobs=1), expected)


@pytest.mark.slow
def test_systems_follow_the_engine():
    plain = MDEC(3, n_members=5, random_state=0).fit_predict(X)
    networks = MBN(3, n_clusterings=8, random_state=0).fit_predict(X)
    with use_engine("serial"):
        again = MDEC(3, n_members=5, random_state=0).fit_predict(X)
        np.testing.assert_array_equal(again, plain)
        again = MBN(3, n_clusterings=8, random_state=0).fit_predict(X)
        np.testing.assert_array_equal(again, networks)


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
    with pytest.raises(StoreError, match="not a record of coterie"):
        MemberStore(tmp_path, {})
    (tmp_path / "file").touch()
    with pytest.raises(StoreError, match="cannot keep members"):
        MemberStore(tmp_path / "file" / "folder", {})


@pytest.mark.parametrize(
    ("said", "text"),
    [
        ({"engine": "thread"}, "engine is one of serial, threads, processes, dask"),
        ({"memory_limit": 0}, "memory_limit is a number of bytes of at least 1, got 0"),
        ({"memory_limit": "8GB"}, "memory_limit is a number of bytes"),
    ],
)
def test_wrong_settings(said, text):
    with pytest.raises(ValueError, match=text), use_engine(**said):
        pass


def test_what_is_not_said_stays_as_it_is(tmp_path):
    with use_engine("serial", checkpoint=tmp_path, memory_limit=10**9):
        with use_engine("processes"):
            assert settings() == Settings("processes", tmp_path, 10**9)
        with use_engine(memory_limit=5):
            assert settings() == Settings("serial", tmp_path, 5)
    assert settings() == Settings()


def test_generators_inside_others_keep_their_members_apart(tmp_path):
    def both():
        with use_engine("serial", checkpoint=tmp_path, memory_limit=10**9):
            with subfolder("few"), subfolder("two"):
                assert settings() == Settings("serial", tmp_path / "few/two", 10**9)
                few = RandomKMeans(2).generate(X, seed=0)
            assert settings().checkpoint == tmp_path
            with subfolder("many"):
                return few, RandomKMeans(5).generate(X, seed=0)

    first, again = both(), both()
    assert all(same(a, b) for a, b in zip(first, again, strict=True))
    assert len(list((tmp_path / "few/two").glob("member-*"))) == 2
    with subfolder("nowhere"):
        assert settings() == Settings()


def test_networks_that_are_kept_are_not_grown_again(tmp_path, monkeypatch):
    def fit():
        model = MBNEnsemble(3, n_clusterings=8, n_members=4, random_state=0)
        with use_engine(checkpoint=tmp_path):
            return model.fit(X)

    first = fit()
    (tmp_path / "networks" / "network-000002").unlink()
    grown = []
    original = BootstrapNetworks._network

    def counted(self, task, bottom, z, *others):
        grown.append(z)
        return original(self, task, bottom, z, *others)

    monkeypatch.setattr(BootstrapNetworks, "_network", counted)
    again = fit()
    assert grown == [2]
    with use_engine(checkpoint=tmp_path):  # what is kept is of the samples of fit
        assert again.predict(X[:5]).shape == (5,)
    np.testing.assert_array_equal(again.ensemble_.labels, first.ensemble_.labels)
    np.testing.assert_array_equal(again.deltas_, first.deltas_)


def test_what_would_not_fit_is_refused_before_members_are_made(monkeypatch):
    def never(*args):
        raise AssertionError("a member was made")

    monkeypatch.setattr("coterie.generation._base._made", never)
    text = (
        r"LWEA, if the 120 samples all have .* more than the limit of 10.0 kB"
        r".* raise memory_limit"
    )
    with (
        use_engine(memory_limit=10_000),
        pytest.raises(MemoryLimitError, match=text),
    ):
        EnsembleClustering(3, consensus="lwea").fit(X)


def test_the_limit_ends_with_the_block():
    before = memory_limit()
    with use_engine(memory_limit=50_000_000):
        assert memory_limit() == 50_000_000
    assert memory_limit() > 50_000_000 < before


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


def test_a_read_only_folder_is_told_before_the_work(tmp_path, monkeypatch):
    locked = tmp_path / "locked"
    locked.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", str(locked)]
    if subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("no right to mount a read-only folder")

    def never(*args):
        raise AssertionError("a member was made")

    monkeypatch.setattr("coterie.generation._base._made", never)
    try:
        with (
            pytest.raises(StoreError, match="cannot keep members: Read-only"),
            use_engine(checkpoint=locked),
        ):
            EnsembleClustering(3, n_members=4, random_state=0).fit(X)
    finally:
        subprocess.run(["umount", str(locked)], check=True)


def test_two_runs_on_one_folder_do_no_harm(tmp_path):
    def run(_):
        with use_engine("serial", checkpoint=tmp_path):
            return RandomKMeans(12).generate(X, seed=1)

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(run, range(2))
    expected = RandomKMeans(12).generate(X, seed=1)
    assert same(first, expected)
    assert same(second, expected)
    assert same(run(None), expected)
    assert len(list(tmp_path.iterdir())) == 13  # members and the record; no rests


def _run_of(folder):
    import json

    run = json.loads((folder / "run.json").read_text())
    return {name: run[name] for name in run if name not in ("format", "version")}


def test_a_system_keeps_its_members(tmp_path):
    plain = EnsembleClustering(3, n_members=12, random_state=0).fit(X)
    for _ in range(2):
        with use_engine(checkpoint=tmp_path):
            kept = EnsembleClustering(3, n_members=12, random_state=0).fit(X)
        np.testing.assert_array_equal(kept.labels_, plain.labels_)
