"""choose_k as a user calls it."""

import json

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.cluster import KMeans
from sklearn.datasets import make_blobs

import coterie
from coterie import MBN, MDEC, SPCE, WOEC, EnsembleClustering, choose_k
from coterie.choice._members import divide_by, divide_by_kmeans
from coterie.generation import RandomKMeans

X, Y = make_blobs(120, n_features=3, centers=3, random_state=3)
NOISE = np.random.default_rng(0).normal(size=(120, 3))
QUICK = {"n_null": 19, "n_splits": 5, "random_state": 0}


def test_clusters_are_found():
    found = choose_k(X, range(2, 7), **QUICK)
    assert found.n_clusters == 3
    assert found.p_value == 0.05
    assert found.sentence.startswith("Clearly 3 clusters: 7 of 7 criteria say so")
    assert set(found.votes.values()) == {3}
    np.testing.assert_array_equal(found.k_values, [2, 3, 4, 5, 6])
    np.testing.assert_array_equal(found.samples, np.arange(120))
    assert found.labels.shape == (5, 120)
    assert coterie.metrics.ari(Y, found.labels[1]) == 1.0
    assert found.cdf.shape == (5, 101)
    assert np.all(np.diff(found.cdf, axis=1) >= 0)
    np.testing.assert_allclose(found.cdf[:, -1], 1.0)
    np.testing.assert_allclose(
        found.curves["pac"], found.cdf[:, 90] - found.cdf[:, 10], atol=1e-12
    )
    for name, curve in found.curves.items():
        assert curve.shape == (5,), name
    for name, curves in found.null_curves.items():
        assert curves.shape == (19, 5), name


def test_noise_has_none():
    found = choose_k(NOISE, range(2, 7), **QUICK)
    assert found.n_clusters == 1
    assert found.p_value > 0.05
    assert found.sentence.startswith("No evidence of clusters: ")


@pytest.mark.parametrize("null", ["gaussian", "unimodal", "permuted"])
@pytest.mark.parametrize("statistic", ["separation", "pac", "stability", "dispersion"])
def test_other_tests(null, statistic):
    found = choose_k(X, [3], null=null, statistic=statistic, **QUICK)
    assert found.settings["null"] == null
    # Permuted columns keep their gaps, so their clusters are as stable as those of X.
    gaps_count = null == "permuted" and statistic != "separation"
    assert (found.n_clusters, found.p_value) == ((1, 1.0) if gaps_count else (3, 0.05))
    noise = choose_k(NOISE, [3], null=null, statistic=statistic, **QUICK)
    assert noise.n_clusters == 1


def test_the_same_seed_gives_the_same_answer_whatever_n_jobs_is():
    one = choose_k(X, range(2, 5), n_jobs=1, **QUICK)
    two = choose_k(X, range(2, 5), n_jobs=2, **QUICK)
    other = choose_k(X, range(2, 5), **{**QUICK, "random_state": 1})
    for name in one.curves:
        np.testing.assert_array_equal(one.curves[name], two.curves[name])
    for name in one.null_curves:
        np.testing.assert_array_equal(one.null_curves[name], two.null_curves[name])
    np.testing.assert_array_equal(one.labels, two.labels)
    assert one.sentence == two.sentence
    assert not np.array_equal(one.null_curves["pac"], other.null_curves["pac"])


def test_many_samples_are_drawn_from():
    many, _ = make_blobs(900, n_features=3, centers=3, random_state=3)
    found = choose_k(many, range(2, 5), max_samples=100, **QUICK)
    assert found.samples.shape == (100,)
    assert found.labels.shape == (3, 100)
    assert np.all(np.diff(found.samples) > 0)
    assert found.samples.max() > 500
    assert found.n_clusters == 3


@pytest.mark.parametrize("scale", [1, 1e-8, 1e8])
def test_units_do_not_matter(scale):
    found = choose_k(X * scale, range(2, 5), **QUICK)
    assert found.n_clusters == 3


def test_sparse_and_other_arrays():
    expected = choose_k(X, range(2, 5), **QUICK)
    frozen = np.asfortranarray(X)
    frozen.flags.writeable = False
    for data in (sp.csr_matrix(X), frozen, X.tolist()):
        found = choose_k(data, range(2, 5), **QUICK)
        assert found.votes == expected.votes
    wide = sp.random(60, 5000, 0.01, "csr", random_state=0, dtype=np.float32)
    found = choose_k(wide, range(2, 5), **QUICK)
    assert (found.n_clusters, found.p_value) == (1, 1.0)
    assert found.votes == choose_k(wide.toarray(), range(2, 5), **QUICK).votes


def test_duplicates():
    found = choose_k(np.repeat(X[:40], 3, axis=0), range(2, 7), **QUICK)
    assert found.n_clusters == 3
    few = np.repeat(np.eye(3), 10, axis=0)  # fewer distinct samples than k
    found = choose_k(few, range(2, 6), **QUICK)
    assert found.labels.max() == 2


@pytest.mark.parametrize("n", [1, 2, 3])
def test_too_few_samples(n):
    found = choose_k(X[:n], **QUICK)
    assert (found.n_clusters, found.p_value) == (1, 1.0)
    assert found.sentence == "One cluster: there are too few samples to tell."
    assert found.labels.shape == (0, n)
    json.dumps(found.to_dict())


def test_constant_data():
    found = choose_k(np.ones((30, 4)), **QUICK)
    assert found.n_clusters == 1
    assert found.sentence == "One cluster: all samples are the same."
    assert found.to_frame().shape == (0, 2)


def test_one_column():
    column = np.concatenate([NOISE[:60, :1], NOISE[60:, :1] + 9])
    assert choose_k(column, range(2, 5), **QUICK).n_clusters == 2


def test_k_that_halves_cannot_make_are_left_out():
    found = choose_k(X[:12], **QUICK)
    np.testing.assert_array_equal(found.k_values, [2, 3, 4, 5, 6])
    with pytest.raises(ValueError, match=r"k of at least 20, but half of the 12 .*6\."):
        choose_k(X[:12], [20, 30], **QUICK)


@pytest.mark.parametrize("k_range", [[], [0, 2], [2.5], "ab", 0, [True, 3]])
def test_bad_ranges(k_range):
    with pytest.raises(ValueError, match="k_range as whole numbers of at least 1"):
        choose_k(X, k_range)


def test_one_cluster_may_be_in_the_range():
    found = choose_k(X, range(1, 5), **QUICK)
    assert found.k_values.tolist() == [2, 3, 4]
    assert found.sentence == choose_k(X, range(2, 5), **QUICK).sentence
    alone = choose_k(X, 1)
    assert alone.n_clusters == 1
    assert "no other number was asked for" in alone.sentence


def test_a_range_may_be_one_number_or_unsorted():
    assert choose_k(X, 3, **QUICK).k_values.tolist() == [3]
    assert choose_k(X, [4, 2, 4], **QUICK).k_values.tolist() == [2, 4]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("null", "uniform"),
        ("statistic", "gap"),
        ("members", "none"),
        ("n_null", 0),
        ("n_splits", 1.5),
        ("max_samples", 3),
        ("n_components", 0),
        ("alpha", 1.0),
    ],
)
def test_bad_settings(name, value):
    with pytest.raises(
        ValueError, match=f"'{name}' parameter of choose_k .* Got {value!r}"
    ):
        choose_k(X, **{name: value})


def test_bad_data_and_estimators():
    bad = X.copy()
    bad[0, 0] = np.inf
    with pytest.raises(ValueError, match="contains infinity"):
        choose_k(bad)
    with pytest.raises(TypeError, match="a system such as"):
        choose_k(X, estimator="mdec")
    with pytest.raises(TypeError, match="needs a system that makes members"):
        choose_k(X, estimator=KMeans(), members="shared")


def test_the_estimator_prepares_the_data():
    far = X * [1, 1, 1e-3]
    scaled = choose_k(far, range(2, 5), estimator=WOEC(standardize=True), **QUICK)
    plain = choose_k(far, range(2, 5), **QUICK)
    expected = choose_k((X - X.mean(axis=0)) / X.std(axis=0), range(2, 5), **QUICK)
    np.testing.assert_allclose(scaled.curves["pac"], expected.curves["pac"])
    assert not np.allclose(plain.curves["stability"], expected.curves["stability"])


def test_shared_members():
    system = EnsembleClustering(generator=RandomKMeans(10), random_state=0)
    few = {"members": "shared", "n_null": 4, "n_splits": 3, "random_state": 0}
    found = choose_k(X, range(2, 5), estimator=system, alpha=0.2, **few)
    assert found.n_clusters == 3
    again = choose_k(X, range(2, 5), estimator=system, n_jobs=2, **few)
    np.testing.assert_array_equal(found.null_curves["pac"], again.null_curves["pac"])
    system.set_params(generator=RandomKMeans(1))
    rng = np.random.default_rng(0)
    assert divide_by(system)(X, [2], 2, rng)[0].ensemble.n_members == 4


def test_members_come_in_pairs():
    divisions = divide_by_kmeans(X, [2, 3], 4, np.random.default_rng(0))
    assert [division.k for division in divisions] == [2, 3]
    for division in divisions:
        assert division.ensemble.labels.shape == (120, 8)
        assert division.ensemble.n_clusters_per_member.max() == division.k


def test_answers_as_tables():
    found = choose_k(X, range(2, 5), **QUICK)
    frame = found.to_frame()
    assert list(frame)[:3] == ["k", "p_value", "pac"]
    assert frame["k"].tolist() == [2, 3, 4]
    read = json.loads(json.dumps(found.to_dict()))
    assert read["n_clusters"] == 3
    assert read["curves"]["pac"] == found.curves["pac"].tolist()
    title, heading, *rows = repr(found).splitlines()
    assert title == f"KChoice: {found.sentence}"
    assert heading.split() == ["k", "p_value", "voted", "for", "by"]
    by_k = {int(row.split()[0]): row for row in rows}
    assert set(by_k) == {2, 3, 4, *found.votes.values()}
    for name, k in found.votes.items():
        assert name in by_k[k]
    assert by_k[3].split()[1] == f"{found.p_values[1]:.3f}"


@pytest.mark.slow
@pytest.mark.parametrize(
    "system",
    [
        EnsembleClustering("auto", generator=RandomKMeans(8)),
        MDEC("auto", n_members=6),
        SPCE("auto", n_members=6),
        WOEC("auto", n_members=6),
        coterie.WOKMeans("auto", n_members=6),
        coterie.C2SWCE("auto", n_members=4),
        MBN("auto", n_clusterings=40),
        coterie.MBNEnsemble("auto", n_members=3, n_clusterings=40),
    ],
    ids=lambda system: type(system).__name__,
)
def test_auto_on_every_system(system):
    system.set_params(random_state=0)
    few = X[::2]
    model = system.fit(few)
    assert model.n_clusters_ == model.k_choice_.n_clusters == 3
    assert model.n_clusters == "auto"
    assert len(np.unique(model.labels_)) == 3
    given = system.set_params(n_clusters=3)
    labels = model.labels_.copy()
    np.testing.assert_array_equal(given.fit(few).labels_, labels)
    assert not hasattr(given, "k_choice_")
    data = [few] if hasattr(given, "_parts") else []
    assert given.recut(2, *data).n_clusters_ == 2


@pytest.mark.slow
@pytest.mark.parametrize("system", [EnsembleClustering("auto"), MBN("auto")])
def test_auto_may_be_one(system):
    model = system.set_params(random_state=0).fit(NOISE[:60])
    assert model.n_clusters_ == 1
    assert set(model.labels_) == {0}
