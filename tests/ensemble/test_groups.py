"""Groups of members by kind and view; notes of an ensemble."""

import numpy as np
import pytest

from coterie import Ensemble
from coterie.ensemble import Member
from coterie.ensemble._groups import groups_of, has_several_kinds
from coterie.generation import Panel

LABELS = np.random.default_rng(0).integers(3, size=(10, 6))


def of(*params):
    members = [Member(params=p) for p in params]
    return Ensemble(LABELS[:, : len(params)], members)


def test_groups_come_in_the_order_of_their_first_members():
    ensemble = of(
        {"kind": "gmm", "view": "raw"},
        {"kind": "genie", "view": "raw"},
        {"kind": "gmm", "view": "zscore"},
        {"kind": "gmm", "view": "raw"},
        {"view": "raw"},
        {"n_clusters": 3},
    )
    groups = groups_of(ensemble)
    assert [(g.kind, g.view, g.members.tolist()) for g in groups] == [
        ("gmm", "raw", [0, 3]),
        ("genie", "raw", [1]),
        ("gmm", "zscore", [2]),
        ("", "raw", [4]),
        ("", "", [5]),
    ]
    assert [g.name for g in groups] == [
        "gmm raw",
        "genie raw",
        "gmm zscore",
        "raw",
        "members",
    ]


def test_members_that_say_nothing_are_one_group():
    (group,) = groups_of(Ensemble(LABELS))
    np.testing.assert_array_equal(group.members, range(6))
    assert group.name == "members"


def test_groups_of_some_members_and_after_a_save(tmp_path):
    ensemble = of({"kind": "a", "view": "raw"}, {"kind": "b"}, {"kind": "a"})
    assert [g.kind for g in groups_of(ensemble.subset([2, 1]))] == ["a", "b"]
    ensemble.save(tmp_path / "e.npz")
    again = groups_of(Ensemble.load(tmp_path / "e.npz"))
    for one, other in zip(groups_of(ensemble), again, strict=True):
        assert one[:2] == other[:2]
        np.testing.assert_array_equal(one.members, other.members)


@pytest.fixture(scope="module")
def noted():
    X = np.random.default_rng(0).standard_normal((30, 3))
    return Panel(8).generate(X, seed=0)


def test_notes_go_with_the_ensemble(noted, tmp_path):
    note = "Left out mdec, mbn and kmeans, which need many features: there are only 3."
    assert noted.notes == (note,)
    noted.save(tmp_path / "e.npz")
    assert Ensemble.load(tmp_path / "e.npz").notes == (note,)
    assert noted.subset([1, 5]).notes == (note,)
    assert Ensemble(noted).notes == (note,)
    assert Ensemble(noted.labels).notes == ()


def test_notes_of_several_ensembles_are_said_once(noted):
    other = Ensemble._from_coded(
        noted.labels, noted.offsets, noted.members, ("Another.", *noted.notes)
    )
    plain = Ensemble(noted.labels)
    together = Ensemble.concatenate([noted, plain, other])
    assert together.notes == (*noted.notes, "Another.")
    assert Ensemble.concatenate([plain, plain]).notes == ()


def test_notes_and_unicode(tmp_path):
    ensemble = Ensemble([[0, 1]])
    noted = Ensemble._from_coded(
        ensemble.labels, ensemble.offsets, ensemble.members, ("Größe µ ≤ 3", "")
    )
    noted.save(tmp_path / "e.npz")
    assert Ensemble.load(tmp_path / "e.npz").notes == ("Größe µ ≤ 3", "")


def test_several_kinds():
    labels = [[0, 0, 1], [0, 1, 1]]
    views = [Member(params={"view": view}) for view in ("raw", "zscore")]
    kinds = [Member(params={"kind": kind}) for kind in ("genie", "gmm")]
    assert not has_several_kinds(Ensemble(labels))
    assert not has_several_kinds(Ensemble(labels, views))
    assert has_several_kinds(Ensemble(labels, kinds))
