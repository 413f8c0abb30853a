"""Laws that every consensus function in the catalog keeps."""

import warnings

import numpy as np
import pytest

from coterie import Ensemble, Weights
from coterie._catalog import METHODS, entries
from coterie.datasets import make_planted_ensemble
from coterie.exceptions import FewerClustersWarning
from coterie.metrics import ari
from coterie.systems._defaults import paper_weighter

ENTRIES = entries(*METHODS)
SLOW = {"rsec"}
every = pytest.mark.parametrize(
    "entry",
    [
        pytest.param(entry, marks=[pytest.mark.slow] if entry.name in SLOW else [])
        for entry in ENTRIES
    ],
    ids=lambda entry: entry.name,
)
# The members of these laws split the clusters, which is not what it is made for.
SPLIT_MEMBERS = {"ecmc": {"often": 0.5}}
PLANTED = make_planted_ensemble(120, n_clusters=3, n_members=15, random_state=0)


def data_of(labels):
    """Return data for methods that look at them: the one-hot labels."""
    return Ensemble(labels).incidence().toarray()


def run(entry, labels, k, *, weights=None, seed=0, X=None):
    """Combine with the weights of the method's paper, times what is given."""
    if X is None and entry.load().needs_X:
        X = data_of(labels)
    options = SPLIT_MEMBERS.get(entry.name, {})
    return entry.load()(**options).combine(labels, k, weights=weights, X=X, seed=seed)


def own_weights(entry, ensemble):
    weighter = paper_weighter(entry.load())
    return None if weighter is None else weighter.weigh(ensemble, X=data_of(ensemble))


@every
def test_finds_a_planted_partition(entry):
    weights = own_weights(entry, PLANTED.ensemble)
    result = run(entry, PLANTED.ensemble, 3, weights=weights)
    assert ari(PLANTED.truth, result.labels) > 0.95


@every
def test_labels_are_numbered_by_first_appearance(entry):
    labels = run(entry, PLANTED.ensemble, 3).labels
    assert labels.dtype == np.int32
    assert list(dict.fromkeys(labels.tolist())) == [0, 1, 2]


@every
def test_confidence_is_a_share(entry):
    sure = run(entry, PLANTED.ensemble, 3).confidence
    assert sure.shape == (120,)
    assert sure.min() >= 0.0
    assert sure.max() <= 1.0


@every
def test_relabelling_a_member_changes_nothing(entry):
    rng = np.random.default_rng(1)
    labels = PLANTED.ensemble.labels.copy()
    for j in range(labels.shape[1]):
        labels[:, j] = rng.permutation(labels[:, j].max() + 1)[labels[:, j]] + 7
    expected = run(entry, PLANTED.ensemble, 3)
    result = run(entry, labels, 3)
    np.testing.assert_array_equal(result.labels, expected.labels)
    np.testing.assert_array_equal(result.confidence, expected.confidence)


@every
def test_permuting_samples_permutes_the_answer(entry):
    order = np.random.default_rng(2).permutation(120)
    expected = run(entry, PLANTED.ensemble, 3).labels[order]
    result = run(entry, PLANTED.ensemble.labels[order], 3).labels
    assert ari(expected, result) == 1.0


@every
def test_one_cluster(entry):
    result = run(entry, PLANTED.ensemble, 1)
    np.testing.assert_array_equal(result.labels, 0)
    np.testing.assert_allclose(result.confidence, 1.0)


# They cut a graph of all samples into parts of equal size; the member's are not.
MAKE_EQUAL_PARTS = {"cspa", "wosp", "wohb", "wspa", "wbpa"}


# Its model of a single label says the same of every mixture of the final clusters.
NEED_SEVERAL_MEMBERS = {"bce"}


@every
def test_one_member_asked_for_its_own_k_gives_it_back(entry):
    if entry.name in MAKE_EQUAL_PARTS:
        pytest.skip("parts are of equal size")
    if entry.name in NEED_SEVERAL_MEMBERS:
        pytest.skip("one member tells it nothing")
    member = PLANTED.ensemble.subset([0])
    k = int(member.n_clusters_per_member[0])
    np.testing.assert_array_equal(run(entry, member, k).labels, member.labels[:, 0])


@every
def test_a_member_of_weight_zero_is_removed(entry):
    if "members" not in entry.load().uses_weights:
        pytest.skip("takes no weights of members")
    weights = np.ones(15)
    weights[[3, 8]] = 0.0
    kept = PLANTED.ensemble.subset(weights > 0)
    expected = run(entry, kept, 3)
    result = run(
        entry,
        PLANTED.ensemble,
        3,
        weights=Weights(members=weights),
        X=data_of(kept) if entry.load().needs_X else None,
    )
    np.testing.assert_array_equal(result.labels, expected.labels)
    np.testing.assert_allclose(result.confidence, expected.confidence)


@every
def test_a_weight_of_two_is_a_member_twice(entry):
    if "members" not in entry.load().uses_weights:
        pytest.skip("takes no weights of members")
    weights = np.ones(15)
    weights[4] = 2.0
    twice = Ensemble.concatenate([PLANTED.ensemble, PLANTED.ensemble.subset([4])])
    X = data_of(PLANTED.ensemble) if entry.load().needs_X else None
    result = run(entry, PLANTED.ensemble, 3, weights=weights, X=X)
    expected = run(entry, twice, 3, X=X)
    assert ari(result.labels, expected.labels) == 1.0
    np.testing.assert_allclose(result.confidence, expected.confidence, atol=1e-12)


@pytest.mark.filterwarnings("ignore::coterie.exceptions.UnsuitableMethodWarning")
@every
def test_a_seed_fixes_all(entry):
    hard = make_planted_ensemble(
        150, n_clusters=5, n_members=6, noise=0.5, random_state=3
    )
    first = run(entry, hard.ensemble, 5, seed=11)
    second = run(entry, hard.ensemble, 5, seed=11)
    np.testing.assert_array_equal(first.labels, second.labels)


# A vote leaves clusters empty that no majority chooses, meta-clusters too; the graph of
# core-bg and wbpa may be cut so that a part holds nodes of clusters only.
MAY_FIND_FEWER = {
    *("vote", "mcla", "womc", "core-bg", "core-mc", "ecpcs-mc"),
    *("wbpa", "wohb"),  # a part may hold clusters and no sample
}


@every
def test_as_many_clusters_as_samples(entry):
    if entry.name in MAY_FIND_FEWER:
        pytest.skip("clusters may be empty")
    labels = np.random.default_rng(4).integers(0, 6, size=(12, 9))
    result = run(entry, labels, 12)
    assert result.labels.max() + 1 == 12


@every
def test_never_more_clusters_than_asked_for(entry):
    labels = np.repeat(np.arange(4), 5)[:, None] * np.ones(3, dtype=int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FewerClustersWarning)
        result = run(entry, labels, 9)
    assert 4 <= result.labels.max() + 1 <= 9


@every
def test_duplicate_rows_and_identical_members(entry):
    labels = np.repeat(np.array([[0, 0, 0], [1, 1, 1], [2, 2, 2]]), 10, axis=0)
    result = run(entry, labels, 3)
    np.testing.assert_array_equal(result.labels, np.repeat([0, 1, 2], 10))
    np.testing.assert_allclose(result.confidence, 1.0)


@every
def test_missing_labels(entry):
    planted = make_planted_ensemble(
        120, n_clusters=3, n_members=15, missing=0.3, random_state=5
    )
    assert ari(planted.truth, run(entry, planted.ensemble, 3).labels) > 0.9


@every
def test_one_sample(entry):
    np.testing.assert_array_equal(run(entry, [[0], ["a"]], 1).labels, [0])


@every
def test_errors_before_any_work(entry):
    part = entry.load()()
    X = np.eye(3) if part.needs_X else None
    ignored = "clusters" if "samples" in part.uses_weights else "samples"
    with pytest.raises(
        ValueError, match="n_clusters=5, but there are only n_samples=3"
    ):
        part.combine([[0, 1, 2]], 5, X=X)
    with pytest.raises(ValueError, match="n_clusters of at least 1, got 0"):
        part.combine([[0, 1, 2]], 0, X=X)
    with pytest.raises(TypeError, match=r"n_clusters as a whole number, got 2\.5"):
        part.combine([[0, 1, 2]], 2.5, X=X)
    with pytest.raises(TypeError, match="n_clusters as a whole number, got True"):
        part.combine([[0, 1, 2]], True, X=X)
    with pytest.raises(ValueError, match="no member assigns 1 sample"):
        part.combine(np.array([[0, 0], [1, 1], [-1, -1]]), 2, X=X)
    with pytest.raises(ValueError, match="would ignore the weights of"):
        part.combine([[0, 1, 2]], 2, weights=Weights(**{ignored: [1, 2, 3]}), X=X)
    with pytest.raises(TypeError, match="A seed is an integer"):
        part.combine([[0, 1, 2]], 2, X=X, seed="x")
    if part.needs_X:
        with pytest.raises(ValueError, match="needs the data X, but got only labels"):
            part.combine([[0, 1, 2]], 2)
