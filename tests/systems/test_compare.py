"""Many methods on one ensemble."""

import numpy as np
import pytest

import coterie
from coterie._catalog import entries
from coterie.datasets import make_planted_ensemble
from coterie.ensemble import Ensemble
from coterie.generation import RandomKMeans
from coterie.metrics import nmi, validity
from coterie.metrics._ensemble import agreement_with_ensemble


def _blobs():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1, 2], 30)
    X = 6 * np.eye(3, 4)[y] + rng.standard_normal((90, 4))
    return X, y, RandomKMeans(10, n_clusters=(2, 6)).generate(X, seed=0)


@pytest.mark.slow
def test_all_methods_of_the_catalog_are_compared():
    X, y, ensemble = _blobs()
    found = coterie.compare(ensemble, 3, X=X, y=y, random_state=0)
    names = {entry.name for entry in entries("baseline", "consensus")}
    assert set(found.methods) | set(found.failed) == names
    assert found.labels.shape == (90, len(found.methods))
    # Only a library that is not installed may keep a method from three plain groups.
    assert all("install" in reason for reason in found.failed.values())
    assert (np.diff(found.scores["nmi"]) <= 0).all()


@pytest.mark.slow
def test_without_data_those_that_need_them_are_left_out():
    _, _, ensemble = _blobs()
    found = coterie.compare(ensemble, 3, random_state=0)
    needy = {e.name for e in entries("baseline", "consensus") if e.load().needs_X}
    assert needy
    assert not needy & (set(found.methods) | set(found.failed))
    assert list(found.scores) == ["agreement"]
    assert (np.diff(found.scores["agreement"]) <= 0).all()


def test_answers_and_scores_are_those_of_the_parts():
    X, y, ensemble = _blobs()
    methods = ["lwea", "vote", "hbgf"]
    found = coterie.compare(ensemble, 3, methods, X=X, y=y, random_state=1)
    assert found.methods == tuple(methods)
    for m, method in enumerate(methods):
        labels = coterie.combine(ensemble, 3, method, X=X, random_state=1)
        np.testing.assert_array_equal(found.labels[:, m], labels)
        expected = {
            "agreement": agreement_with_ensemble(labels, ensemble),
            "silhouette": validity(X, labels, "swc"),
            "variance_ratio": validity(X, labels, "vrc"),
            "nmi": nmi(y, labels),
        }
        for name, value in expected.items():
            assert found.scores[name][m] == pytest.approx(value), (method, name)
        assert found.records()[m]["n_found"] == labels.max() + 1


def test_similarity_is_the_nmi_of_the_answers():
    ensemble = make_planted_ensemble(60, 3, 8, noise=0.5, random_state=0).ensemble
    found = coterie.compare(ensemble, 3, ["lwea", "kcc", "vote"], random_state=0)
    for a in range(3):
        for b in range(3):
            expected = nmi(found.labels[:, a], found.labels[:, b])
            assert found.similarity[a, b] == pytest.approx(expected)


def test_ranks_begin_with_the_best_and_are_shared():
    _, y, ensemble = _blobs()
    found = coterie.compare(ensemble, 3, ["lwea", "eac", "onehot-linkage"], y=y)
    places = found.ranks["nmi"]
    assert places.sum() == 6
    assert places[found.scores["nmi"].argmax()] == places.min()
    alike = found.scores["nmi"] == found.scores["nmi"][0]
    assert len(set(places[alike])) == 1


def test_a_method_that_fails_is_named_with_its_reason():
    _, _, ensemble = _blobs()
    found = coterie.compare(ensemble, 3, ["lwea", "wokm"], random_state=0)
    assert found.methods == ("lwea",)
    assert "needs the data X" in found.failed["wokm"]


def test_long_methods_are_left_out_unless_they_are_named(monkeypatch):
    def compared(names, ensemble):
        some = [e for e in entries("consensus") if e.name in names]
        monkeypatch.setattr("coterie.systems._compare.entries", lambda *_, **__: some)
        return coterie.compare(ensemble, 3, random_state=0)

    ensemble = make_planted_ensemble(700, 3, 12, noise=0.9, random_state=0).ensemble
    assert len(ensemble.core) > 500
    found = compared({"rsec", "vote"}, ensemble)
    assert found.methods == ("vote",)
    assert "distinct label rows, more than 500" in found.failed["rsec"]

    found = compared({"ceam", "vote"}, Ensemble([[0, 0, 1, 2]] * 21))
    assert found.methods == ("vote",)
    expected = "with 21 members, more than 20, it may take minutes. Name it to run it."
    assert found.failed["ceam"] == f"left out: {expected}"


def test_progress_is_told():
    _, _, ensemble = _blobs()
    told = []
    steps = ["lwea", "vote"]
    coterie.compare(ensemble, 3, steps, progress=lambda *step: told.append(step))
    assert told == [(1, 2), (2, 2)]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"consensus": ["lwae"]}, "Did you mean lwea"),
        ({"consensus": []}, "no names"),
        ({"consensus": ["wokm"]}, "no method gave a result"),
        ({"consensus": ["lwea"], "X": np.zeros((3, 2))}, "90 samples"),
        ({"consensus": ["lwea"], "y": [0, 1]}, "90 samples"),
        ({"n_clusters": 91, "consensus": ["lwea"]}, "91"),
    ],
)
def test_errors_come_before_the_work(options, message):
    _, _, ensemble = _blobs()
    with pytest.raises(ValueError, match=message):
        coterie.compare(ensemble, **{"n_clusters": 3, **options})


def test_a_comparison_prints_a_table_and_what_failed():
    _, y, ensemble = _blobs()
    found = coterie.compare(ensemble, 3, ["vote", "wokm", "lwea"], y=y, random_state=0)
    title, heading, *rows = repr(found).splitlines()
    assert title == "Comparison: 2 methods on 90 samples"
    assert heading.split() == list(found.records()[0])
    assert [row.split()[0] for row in rows[:2]] == ["vote", "lwea"]
    assert rows[1].split()[1:3] == ["3", f"{found.scores['agreement'][1]:.3f}"]
    assert rows[2:4] == ["", " failed  because"]
    assert rows[4].startswith(" wokm    WOKM needs the data X")
    assert max(map(len, rows)) < 120


def test_a_comparison_can_be_sorted():
    _, y, ensemble = _blobs()
    found = coterie.compare(ensemble, 3, ["hbgf", "lwea", "vote"], y=y)
    found.scores["nmi"][:] = [0.2, 0.1, 0.3]
    best = found.sort_by("nmi")
    assert best.methods == ("vote", "hbgf", "lwea")
    assert best.scores["nmi"].tolist() == [0.3, 0.2, 0.1]
    order = [2, 0, 1]
    np.testing.assert_array_equal(best.seconds, found.seconds[order])
    np.testing.assert_array_equal(best.labels, found.labels[:, order])
    np.testing.assert_array_equal(
        best.similarity, found.similarity[np.ix_(order, order)]
    )
    quick = found.sort_by("seconds")
    assert (np.diff(quick.seconds) >= 0).all()
    with pytest.raises(ValueError, match=r"agreement, nmi, ari, acc, seconds; got 'x'"):
        found.sort_by("x")


def test_the_frame_of_a_comparison_has_a_row_for_each_method():
    _, _, ensemble = _blobs()
    found = coterie.compare(ensemble, 3, ["lwea", "vote"])
    assert found.to_frame().to_dict("records") == found.records()


def test_auto_is_the_best_cut_of_each_method():
    _, _, ensemble = _blobs()
    methods = ["lwea", "vote"]
    found = coterie.compare(ensemble, "auto", methods, random_state=1)
    for m, method in enumerate(methods):
        labels = coterie.combine(ensemble, "auto", method, random_state=1)
        np.testing.assert_array_equal(found.labels[:, m], labels)
        assert "k_tried" in found.results[method].details
