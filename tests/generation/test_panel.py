"""A panel: which kinds sit on it, what they see, and what it does without."""

import itertools
import warnings
from functools import partial
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import pdist
from scipy.stats import rankdata
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

from coterie import EnsembleClustering, use_engine
from coterie.exceptions import DegenerateMemberWarning, StoreError
from coterie.generation import FromClusterers, GenieTree, Panel, RandomKMeans, _panel
from coterie.generation._panel import _rotated, _shared_out
from coterie.generation._seats import KINDS, ORDER, suitable_seats
from coterie.metrics import ari

X, Y = make_blobs(60, n_features=8, centers=3, random_state=0)
WILD = X * np.geomspace(1, 1e4, 8)
KMEANS = RandomKMeans(3)


def rng(seed=0):
    return np.random.default_rng(seed)


def seated(ensemble):
    """Return the seats of the members, in order, each once."""
    params = [member.params for member in ensemble.members]
    return list(dict.fromkeys((p["kind"], p["view"]) for p in params))


class Watched(RandomKMeans):
    """Keeps what its members were made from."""

    seen: list = []  # noqa: RUF012 - shared on purpose

    def _prepare(self, X):
        Watched.seen.append(X)
        return X


@pytest.fixture
def watched():
    Watched.seen.clear()
    return Watched(2)


# --- who sits on the panel


def test_a_plan_lists_seats_and_can_be_passed_on():
    plan = Panel(effort="quick").plan(X)
    assert [(seat.kind, seat.view) for seat in plan] == list(ORDER[:9])
    assert all(seat.generator.n_members >= 4 for seat in plan)
    changed = [seat for seat in plan if seat.kind != "mbn"][:3]
    ensemble = Panel(seats=changed).generate(X, seed=0)
    assert seated(ensemble) == [(seat.kind, seat.view) for seat in changed]
    assert ensemble.notes == ()


def test_efforts_take_more_and_more():
    quick, normal, thorough = (
        Panel(effort=effort).plan(X) for effort in ("quick", "normal", "thorough")
    )
    assert [len(quick), len(normal), len(thorough)] == [9, 16, 16]
    for q, n, t in zip(quick, normal, thorough, strict=False):
        assert (q.kind, q.view) == (n.kind, n.view) == (t.kind, t.view)
        counts = [seat.generator.n_members for seat in (q, n, t)]
        assert counts == [counts[1] // 2, counts[1], 2 * counts[1]]
    assert str(Panel(effort=60.0).plan(X)) == str(normal)


def test_a_quick_panel_sees_wild_scales_standardised_as_often_as_raw():
    views = [seat.view for seat in Panel(effort="quick").plan(WILD)]
    assert abs(views.count("raw") - views.count("zscore")) <= 1


def test_seats_of_two_and_of_three_and_functions_as_views():
    def double(X):
        return 2 * X

    ensemble = Panel(
        seats=[
            ("zscore", KMEANS),
            ("mine", "ranks", KMEANS),
            (double, KMEANS),
            ("clipped", partial(np.clip, a_min=0, a_max=1), KMEANS),
            ("raw", FromClusterers([KMeans(3, n_init=1), KMeans(4, n_init=1)])),
        ]
    ).generate(X, seed=0)
    assert seated(ensemble) == [
        ("kmeans", "zscore"),
        ("mine", "ranks"),
        ("kmeans", "double"),
        ("clipped", "partial"),
        ("clusterers", "raw"),
    ]
    assert ensemble.n_members == 14
    assert all(member.centers is None for member in ensemble.members)


def test_seats_see_their_views(watched):
    views = ["raw", "zscore", "cosine", "ranks", lambda X: X[:, :2].tolist()]
    Panel(seats=[(view, watched) for view in views]).generate(WILD, seed=0)
    raw, zscore, cosine, ranks, two = Watched.seen
    np.testing.assert_array_equal(raw, WILD)
    np.testing.assert_allclose(zscore.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(zscore.std(axis=0), 1)
    np.testing.assert_allclose(np.linalg.norm(cosine, axis=1), 1)
    np.testing.assert_allclose(cosine[:, 0] * WILD[:, 1], cosine[:, 1] * WILD[:, 0])
    np.testing.assert_allclose(ranks, rankdata(WILD, axis=0) / 60)
    np.testing.assert_array_equal(two, WILD[:, :2])


def test_counts_seen_by_tfidf(watched):
    counts = rng().poisson(0.4, (50, 30)).astype(float)
    counts[:, 0] = 1.0
    for data in (counts, sp.csr_matrix(counts)):
        Panel(seats=[("tfidf", watched)]).generate(data, seed=0)
    dense, sparse = Watched.seen
    assert dense.shape == sparse.shape == (50, 29)
    idf = np.log(51 / (1 + (counts > 0).sum(axis=0))) + 1
    expected = np.log1p(counts) * idf
    expected /= np.linalg.norm(expected, axis=1, keepdims=True)
    far = pdist(expected)  # the singular vectors lose next to nothing
    for seen in (dense, sparse):
        np.testing.assert_allclose(pdist(seen), far, rtol=0.05)


@pytest.mark.parametrize("n_members", [1, 2, 3, 4, 5, 8, 9, 13, 23])
def test_n_members_is_the_total(n_members):
    ensemble = Panel(n_members).generate(X, seed=0)
    assert ensemble.n_members == n_members
    groups = seated(ensemble)
    assert groups == list(ORDER[: max(1, n_members // 4)])


@pytest.mark.parametrize(
    ("total", "usual"),
    [(12, [1000, 1, 1]), (30, [12, 12, 10, 16]), (3, [1, 1, 1]), (9, [5, 90])],
)
def test_members_are_shared_out_exactly(total, usual):
    counts = _shared_out(total, np.array(usual, float))
    assert counts.sum() == total
    assert counts.min() >= 1
    if min(usual) > 4:
        exact = total * np.array(usual) / sum(usual)
        assert (np.abs(counts - exact) < 1).all()


def test_n_clusters_and_target_reach_the_kinds():
    plan = Panel(n_clusters=5, target=4, effort="quick").plan(X)
    for seat in plan:
        assert seat.generator.n_clusters == 5
    assert {s.generator.n_out for s in plan if s.kind == "mbn"} == {6}
    members = Panel(12, n_clusters=(3, 4)).generate(X, seed=0).members
    assert {member.params["n_clusters"] for member in members} == {3, 4}


# --- which kinds and views make sense


def kinds_and_views(data):
    seats = suitable_seats(data).seats
    return {kind for kind, _ in seats}, {view for _, view in seats}


def test_views_that_show_nothing_new_are_left_out():
    assert kinds_and_views(WILD) == (set(KINDS), {"raw", "zscore", "cosine", "ranks"})
    standard = (X - X.mean(axis=0)) / X.std(axis=0)
    assert kinds_and_views(standard)[1] == {"raw", "cosine", "ranks"}
    unit = WILD / np.linalg.norm(WILD, axis=1, keepdims=True)
    assert kinds_and_views(unit)[1] == {"raw", "zscore", "ranks"}
    assert kinds_and_views(X[:, :1])[1] == {"raw"}
    assert kinds_and_views(X[:, :3])[1] == {"raw", "zscore", "ranks"}


def test_constant_columns_are_no_difference_of_scale():
    for constant in (0.0, 0.1, 1e9):
        data = np.hstack([X[:, :1], np.full((60, 3), constant)])
        assert suitable_seats(data) == suitable_seats(data[:, [0, 1, 2, 3]])
        assert kinds_and_views(data)[1] == {"raw"}
        assert not any("scale" in note for note in suitable_seats(data).notes)


def test_notes_say_what_was_seen_and_left_out():
    assert suitable_seats(X).notes == ()
    assert suitable_seats(X[:, :4]).notes == (
        "Left out mdec, mbn and kmeans, which need many features: there are only 4.",
    )
    assert suitable_seats(X[:9]).notes == (
        "Left out gmm and leiden, which need 10 samples; there are only 9.",
    )
    (note,) = suitable_seats(WILD).notes
    assert note.startswith("Features differ in scale up to ")
    assert note.endswith("0-fold: members see them both as they are and standardised.")
    narrow = X.copy()
    narrow[:, 0] *= 1e-9  # one of many
    wide = np.hstack([X, X[:, ::-1], X, narrow])
    assert suitable_seats(wide).notes == ()
    assert Panel(4).generate(X[:, :4], seed=0).notes == suitable_seats(X[:, :4]).notes


def test_sparse_data_are_seen_by_singular_vectors():
    counts = sp.csr_matrix(rng().poisson(0.3, (50, 140)).astype(float))
    kinds, views = kinds_and_views(counts)
    assert (kinds, views) == (set(KINDS), {"tfidf", "cosine"})
    assert suitable_seats(counts).notes == (
        "Sparse data: members see the leading singular vectors of the rows at unit "
        "length, as they are and weighted by tf-idf.",
    )
    signed = counts.copy()
    signed.data[0] = -1.0
    assert kinds_and_views(signed) == (set(KINDS), {"cosine", "raw"})
    assert suitable_seats(signed).notes[0].endswith("as they are and at unit length.")
    assert "there are only 3." in suitable_seats(counts[:, :3]).notes[1]
    one = Panel(8).generate(counts, seed=0)
    two = Panel(8).generate(sp.csr_array(counts), seed=0)
    np.testing.assert_array_equal(one.labels, two.labels)


# --- time


def clock(monkeypatch, step):
    """Let each look at the clock take so many seconds."""
    now = itertools.count(0.0, step)
    monkeypatch.setattr(_panel, "time", SimpleNamespace(monotonic=lambda: next(now)))


def test_a_time_limit_takes_the_seats_that_there_is_time_for(monkeypatch):
    seats = [(str(number), "raw", KMEANS) for number in range(6)]
    clock(monkeypatch, 10.0)
    ensemble = Panel(seats=seats, effort=60.0).generate(X, seed=0)
    # 45 s for members, 10 s each; at a look after 10, 20, 30 s the next would end by 45
    n_made = len(seated(ensemble))
    assert 1 < n_made < 6
    left = ", ".join(f"{number} raw" for number in range(n_made, 6))
    assert ensemble.notes == (f"Left out for lack of time: {left}.",)
    whole = Panel(seats=seats).generate(X, seed=0)
    np.testing.assert_array_equal(
        ensemble.labels, whole.labels[:, : ensemble.n_members]
    )


def test_costly_kinds_need_more_time(monkeypatch):
    seats = [("genie", "raw", KMEANS), ("mbn", "raw", KMEANS), ("gmm", "raw", KMEANS)]
    clock(monkeypatch, 1.0)
    ensemble = Panel(seats=seats, effort=16.0).generate(X, seed=0)
    assert seated(ensemble) == [("genie", "raw")]  # mbn would take 20 times as long
    assert ensemble.notes == ("Left out for lack of time: mbn raw, gmm raw.",)


def test_the_first_seat_always_takes_place(monkeypatch):
    clock(monkeypatch, 1000.0)
    ensemble = Panel(seats=[("a", "raw", KMEANS)] * 2, effort=1e-9).generate(X, seed=0)
    assert ensemble.n_members >= 3
    clock(monkeypatch, 1e-9)
    enough = Panel(seats=[("raw", KMEANS)] * 2, effort=60).generate(X, seed=0)
    assert enough.n_members == 6
    assert enough.notes == ()


# --- many samples


@pytest.mark.parametrize("view", ["raw", "zscore", "ranks"])
def test_others_go_with_their_nearest_landmark(view, watched):
    panel = Panel(seats=[(view, watched)], max_samples=20)
    ensemble = panel.generate(WILD, seed=0)
    (landmarks,) = Watched.seen
    assert landmarks.shape == (20, 8)
    Panel(seats=[(view, watched)]).generate(WILD, seed=0)
    whole = Watched.seen[1]
    far = ((whole[:, None] - landmarks) ** 2).sum(axis=2)
    at = far.min(axis=0) == 0
    assert at.all()  # landmarks are samples
    own = far.argmin(axis=0)
    np.testing.assert_array_equal(ensemble.labels, ensemble.labels[own][far.argmin(1)])
    assert ensemble.notes == (
        "Members were made from 20 of the 60 samples; the others go with their nearest "
        "of these.",
    )


def test_how_many_landmarks_there_are(monkeypatch, watched):
    monkeypatch.setattr(
        _panel, "_LANDMARKS", {"quick": 5, "normal": 10, "thorough": 20}
    )
    for effort, size in (("quick", 5), ("normal", 10), ("thorough", 20), (9.0, 10)):
        Panel(seats=[("raw", watched)], effort=effort, max_samples=50).generate(X)
        assert Watched.seen[-1].shape[0] == size
    Panel(seats=[("raw", watched)], max_samples=4).generate(X)
    assert Watched.seen[-1].shape[0] == 4
    Panel(seats=[("raw", watched)], max_samples=60).generate(X)
    assert Watched.seen[-1].shape[0] == 60


@pytest.mark.parametrize("n_landmarks", [1, 2, 7, 30])
def test_kinds_work_on_few_landmarks(n_landmarks):
    panel = Panel(12, max_samples=n_landmarks)
    ensemble = panel.generate(X, seed=0)
    assert ensemble.labels.shape == (60, 12)
    assert not ensemble.has_missing
    if n_landmarks == 30:
        assert max(ari(Y, labels) for labels in ensemble.labels.T) == 1.0


def test_landmarks_of_sparse_data():
    counts = sp.csr_matrix(rng().poisson(0.3, (50, 140)).astype(float))
    ensemble = Panel(8, max_samples=30).generate(counts, seed=0)
    assert ensemble.labels.shape == (50, 8)


# --- more features than samples


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_rotation_keeps_distances(dtype):
    data = (5.0 + rng().standard_normal((15, 90))).astype(dtype)
    seen = _rotated(data)
    assert seen.shape[0] == 15
    assert seen.shape[1] <= 15
    assert seen.dtype == dtype
    np.testing.assert_allclose(pdist(seen), pdist(data), rtol=1e-5)
    assert _rotated(X) is X
    assert _rotated(np.ones((3, 9), dtype)).shape == (3, 1)


def test_kinds_that_see_distances_see_fewer_features(watched):
    wide = rng().standard_normal((20, 50))
    seats = [("genie", "raw", watched), ("mdec", "raw", watched)]
    Panel(seats=seats).generate(wide, seed=0)
    assert [seen.shape[1] for seen in Watched.seen] == [19, 50]


# --- engines, seeds, checkpoints


def test_a_seed_fixes_all_whatever_n_jobs_is():
    one = Panel(30, seats=Panel(effort="quick").plan(X)).generate(X, seed=3, n_jobs=1)
    two = Panel(30, seats=Panel(effort="quick").plan(X)).generate(X, seed=3, n_jobs=2)
    np.testing.assert_array_equal(one.labels, two.labels)
    assert ("mbn", "raw") in seated(one)
    other = Panel(8).generate(X, seed=4)
    assert not np.array_equal(other.labels, Panel(8).generate(X, seed=5).labels)


class Stops(RandomKMeans):
    """Stops the run at its second member, until told to go on."""

    stops = True

    def _member(self, X, number, rng):
        if Stops.stops and number == 1:
            raise KeyboardInterrupt
        return super()._member(X, number, rng)


def test_a_stopped_run_goes_on_where_it_was(tmp_path):
    panel = Panel(seats=[("genie", "raw", GenieTree(4)), ("zscore", Stops(3))])
    with use_engine("serial", checkpoint=tmp_path):
        with pytest.raises(KeyboardInterrupt):
            panel.generate(X, seed=1)
        kept = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("member-*")}
        assert len(kept) >= 5
        Stops.stops = False
        again = panel.generate(X, seed=1)
    assert all(path.stat().st_mtime_ns == kept[path] for path in kept)
    whole = panel.generate(X, seed=1)
    Stops.stops = True
    np.testing.assert_array_equal(again.labels, whole.labels)
    assert [dict(m.params) for m in again.members] == [
        dict(m.params) for m in whole.members
    ]


def test_a_checkpoint_belongs_to_one_panel(tmp_path):
    with use_engine("serial", checkpoint=tmp_path):
        first = Panel(8).generate(X, seed=1)
        np.testing.assert_array_equal(Panel(8).generate(X, seed=1).labels, first.labels)
        with pytest.raises(StoreError):
            Panel(8).generate(X, seed=2)
        with pytest.raises(ValueError, match="A checkpoint needs a seed"):
            Panel(8).generate(X)
        with pytest.raises(ValueError, match=r"effort=5\.0, a time limit, inside a ch"):
            Panel(8, effort=5.0).generate(X, seed=1)


def test_progress_counts_members_of_all_seats():
    told = []
    Panel(9).generate(X, seed=0, progress=lambda *at: told.append(at))
    assert told == [(done, 9) for done in range(1, 10)]


# --- odd data


ODD_DATA = {
    "one sample": [[1.0, 2.0]],
    "equal samples": np.full((30, 8), 0.1),
    "equal samples, wide": np.full((12, 40), 0.1),
    "two distinct samples": np.repeat([[0.0, 1.0], [2.0, 5.0]], 20, axis=0),
    "one feature": rng().standard_normal((40, 1)),
    "wide": rng().standard_normal((12, 60)),
    "tiny": X * 1e-60,
    "an outlier": np.vstack([X, [[1e8] * 8]]),
    "no counts": sp.csr_matrix((30, 20)),
    "one column of counts": sp.csr_matrix(np.arange(20.0)[:, None]),
}


def labels_of(data, panel=None):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DegenerateMemberWarning)
        ensemble = (panel or Panel(20)).generate(data, seed=0)
    assert not ensemble.has_missing
    return ensemble.labels


@pytest.mark.parametrize("name", ODD_DATA)
def test_labels_always_come_out(name):
    data = ODD_DATA[name]
    n_samples = data.shape[0] if hasattr(data, "shape") else len(data)
    assert labels_of(data).shape[0] == n_samples


@pytest.mark.parametrize("n_samples", range(1, 13))
@pytest.mark.parametrize("n_features", [1, 8])
def test_few_samples(n_samples, n_features):
    labels_of(rng(n_samples).standard_normal((n_samples, n_features)))


def test_float32_and_read_only_data():
    narrow = X.astype(np.float32)
    assert labels_of(narrow).shape == (60, 20)
    fixed = X.copy()
    fixed.flags.writeable = False
    np.testing.assert_array_equal(labels_of(fixed), labels_of(X))


# --- errors


@pytest.mark.parametrize(
    ("params", "error", "text"),
    [
        ({"seats": []}, ValueError, "Panel needs at least one seat, got an empty list"),
        ({"seats": [KMEANS]}, TypeError, r"seats as \(view, generator\) or .* got Ran"),
        ({"seats": ["ab"]}, TypeError, "got 'ab'"),
        ({"seats": [("raw", KMeans())]}, TypeError, "Panel expects seats"),
        ({"seats": [("raw", RandomKMeans)]}, TypeError, "Panel expects seats"),
        ({"seats": [("a", "b", "raw", KMEANS)]}, TypeError, "Panel expects seats"),
        (
            {"seats": [("wavelets", KMEANS)]},
            ValueError,
            "knows the views 'raw', .* 'w",
        ),
        ({"seats": [(lambda X: X[:7], KMEANS)]}, ValueError, "the 60 samples, got 7"),
        ({"seats": [(lambda X: X * np.nan, KMEANS)]}, ValueError, "contains NaN"),
        (
            {"seats": [("raw", FromClusterers([KMeans()]))], "n_members": 4},
            ValueError,
            "n_members=4, but FromClusterers decides how many members it makes",
        ),
        ({"effort": "lazy"}, ValueError, "'effort' parameter of Panel must be a str"),
        ({"effort": 0}, ValueError, "'effort' parameter of Panel"),
        ({"effort": -2.0}, ValueError, "'effort' parameter of Panel"),
        ({"max_samples": 0}, ValueError, "'max_samples' parameter of Panel"),
        ({"target": 0}, ValueError, "'target' parameter of Panel"),
        ({"n_clusters": 61}, ValueError, "up to 61 clusters, but there are only"),
    ],
)
def test_bad_parameters(params, error, text):
    with pytest.raises(error, match=text):
        Panel(**params).generate(X, seed=0)


def test_dense_views_of_sparse_data_are_refused():
    with pytest.raises(ValueError, match="cannot apply the view 'zscore' to sparse"):
        Panel(seats=[("zscore", KMEANS)]).generate(sp.csr_matrix((30, 200)))


def test_sparse_data_of_few_features_are_dense():
    X, _ = make_blobs(90, centers=[[1, 0], [10, 0], [20, 0]], random_state=0)
    sparse = Panel(20).generate(sp.csr_matrix(X), seed=0)
    dense = Panel(20).generate(X, seed=0)
    np.testing.assert_array_equal(sparse.labels, dense.labels)


def test_few_members_see_wild_scales_standardised_too():
    y = np.repeat([0, 1, 2], 60)
    tame = rng().normal(size=(180, 4)) + 12 * y[:, None]
    X = np.column_stack([tame, rng(1).normal(scale=1e4, size=(180, 2))])
    for n_members in (8, 16, 24, 40):
        views = [seat.view for seat in Panel(n_members).plan(X)]
        if n_members < 24:  # raw members could outvote the others
            assert "raw" not in views
            assert "raw" in [seat.view for seat in Panel(n_members).plan(tame)]
        else:
            assert abs(views.count("raw") - views.count("zscore")) <= 1
        for seed in range(3):
            model = EnsembleClustering(3, n_members=n_members, random_state=seed)
            assert ari(y, model.fit_predict(X)) > 0.9
    assert (
        "standardised, because there are too few"
        in suitable_seats(X, n_seats=4).notes[0]
    )
    assert [seat.view for seat in Panel(24).plan(tame)].count("zscore") <= 1
