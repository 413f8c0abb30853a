"""Ensembles survive the disk, and damage is noticed."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from coterie import Ensemble, use_engine
from coterie.generation import RandomProjection, RandomSubspace

matrices = arrays(
    np.int64,
    st.tuples(st.integers(1, 12), st.integers(1, 4)),
    elements=st.integers(0, 9),
)


@given(labels=matrices)
def test_round_trip(labels, tmp_path_factory):
    path = tmp_path_factory.mktemp("store") / "e.npz"
    ensemble = Ensemble(list(labels.T))
    ensemble.save(path)
    again = Ensemble.load(path)
    np.testing.assert_array_equal(again.labels, ensemble.labels)
    np.testing.assert_array_equal(again.offsets, ensemble.offsets)
    assert again.labels.dtype == np.int32
    assert not again.labels.flags.writeable


@pytest.mark.parametrize("generator", [RandomSubspace(3), RandomProjection(3)])
def test_members_come_back(generator, tmp_path):
    X = np.random.default_rng(0).normal(size=(30, 6))
    ensemble = generator.generate(X, seed=0)
    ensemble.save(tmp_path / "e.npz")
    again = Ensemble.load(tmp_path / "e.npz")
    for old, new in zip(ensemble.members, again.members, strict=True):
        assert dict(new.params) == dict(old.params)
        assert new.seed == old.seed
        for name in ("features", "embedding", "centers"):
            a, b = getattr(old, name), getattr(new, name)
            assert (a is None) == (b is None)
            if a is not None:
                np.testing.assert_array_equal(a, b)


def test_missing_labels_come_back(tmp_path):
    ensemble = Ensemble([[0, 1, None]])
    ensemble.save(tmp_path / "e.npz")
    assert Ensemble.load(tmp_path / "e.npz").labels[:, 0].tolist() == [0, 1, -1]


def test_no_pickle_in_the_file(tmp_path):
    Ensemble([["a", "b"]]).save(tmp_path / "e.npz")
    with np.load(tmp_path / "e.npz", allow_pickle=False) as file:
        assert all(file[name].dtype != object for name in file.files)


def test_a_missing_file_and_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"there is no file .*nothing\.npz"):
        Ensemble.load(tmp_path / "nothing.npz")
    with pytest.raises(FileNotFoundError, match=r"folder .* does not exist"):
        Ensemble([[0, 1]]).save(tmp_path / "no" / "e.npz")


def test_a_damaged_file(tmp_path):
    path = tmp_path / "e.npz"
    Ensemble(np.random.default_rng(0).integers(5, size=(500, 10))).save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(ValueError, match="it is damaged or has another format"):
        Ensemble.load(path)
    broken = bytearray(whole)
    broken[len(whole) // 3] ^= 0xFF
    path.write_bytes(bytes(broken))
    with pytest.raises(ValueError, match="damaged"):
        Ensemble.load(path)


def test_a_foreign_file(tmp_path):
    path = tmp_path / "other.npz"
    np.savez(path, labels=np.zeros((3, 2)))
    with pytest.raises(ValueError, match="is not an ensemble of coterie"):
        Ensemble.load(path)
    path.write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="it is damaged or has another format"):
        Ensemble.load(path)


def _rewrite(path, change):
    with np.load(path) as file:
        arrays = dict(file)
    change(arrays)
    np.savez(path, **arrays)


def test_a_newer_version(tmp_path):
    path = tmp_path / "e.npz"
    Ensemble([[0, 1]]).save(path)

    def newer(arrays):
        header = json.loads(arrays["header"].tobytes())
        header["version"] = 99
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)

    _rewrite(path, newer)
    with pytest.raises(ValueError, match="version 99 of the format"):
        Ensemble.load(path)


def test_parts_that_do_not_fit(tmp_path):
    path = tmp_path / "e.npz"
    Ensemble([[0, 1, 2]]).save(path)
    _rewrite(path, lambda arrays: arrays.update(offsets=np.array([0, 2])))
    with pytest.raises(ValueError, match="member 0 has the label 2, but 2 clusters"):
        Ensemble.load(path)


@pytest.mark.parametrize(
    ("part", "change", "text"),
    [
        ("labels", lambda a: a.astype(np.int64) + 2**32, "the label 42949672"),
        ("labels", lambda a: a.astype(float), "labels must be whole numbers"),
        ("labels", lambda a: a[:, :1], "its offsets must be 2 whole numbers"),
        ("labels", lambda a: a - 5, "has the label -3"),
        ("offsets", lambda a: a + 10**9, "offsets must be 3 whole numbers that rise"),
        ("offsets", lambda a: -a, "offsets must be 3 whole numbers that rise"),
        ("offsets", lambda a: a * 1.5, "offsets must be 3 whole numbers that rise"),
        ("header", lambda a: a[:-4], "is not an ensemble of coterie"),
    ],
)
def test_parts_that_were_changed(tmp_path, part, change, text):
    path = tmp_path / "e.npz"
    Ensemble([[0, 1, 2], [0, 0, 1]]).save(path)
    _rewrite(path, lambda arrays: arrays.update({part: change(arrays[part])}))
    with pytest.raises(ValueError, match=text):
        Ensemble.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda header: header.pop("members"),
        lambda header: header.pop("version"),
        lambda header: header.update(members=[1, 2]),
        lambda header: header.update(version="x"),
    ],
)
def test_a_header_without_its_keys(tmp_path, change):
    path = tmp_path / "e.npz"
    Ensemble([[0, 1]]).save(path)

    def changed(arrays):
        header = json.loads(arrays["header"].tobytes())
        change(header)
        arrays["header"] = np.frombuffer(json.dumps(header).encode(), np.uint8)

    _rewrite(path, changed)
    with pytest.raises(ValueError, match="is not an ensemble of coterie"):
        Ensemble.load(path)


def test_what_is_not_of_the_ensemble_is_not_read(tmp_path):
    path = tmp_path / "e.npz"
    Ensemble([[0, 1]]).save(path)
    _rewrite(path, lambda arrays: arrays.update(more=np.zeros(10**6)))
    with use_engine(memory_limit=10**6):
        assert Ensemble.load(path).n_members == 1


def test_a_failed_write_keeps_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "e.npz"
    Ensemble([[0, 1]]).save(path)
    before = path.read_bytes()

    def full(*args, **kwargs):
        raise OSError("No space left on device")

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(OSError, match="No space left"):
        Ensemble([[0, 1, 1]]).save(path)
    assert path.read_bytes() == before
    assert [p.name for p in tmp_path.iterdir()] == ["e.npz"]
