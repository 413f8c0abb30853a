"""Where entropy weights mislead average linkage, and whether users are told."""

import warnings

import numpy as np
import pytest
from sklearn.datasets import make_blobs

import coterie
from coterie import MDEC, Ensemble, EnsembleClustering, Weights
from coterie._linalg import cut_tree, linkage
from coterie.consensus import EAC, LWEA, LWGP
from coterie.consensus._base import quiet
from coterie.consensus._misled import UNWEIGHTED, cut_each, mean_coassociation
from coterie.exceptions import WeightsDisagreeWarning
from coterie.metrics import ari
from coterie.weighting import EntropyWeighter

TRUTH = [0] * 9 + [1, 2]


def misleading():
    """A cluster of nine in three pieces, each time others, and two single samples.

    The nine are a square, cut along its rows, its columns and both diagonals. Two of
    them are together in two of nine members (three, if in one row); the last two
    samples are together in one.
    """
    x, y = np.divmod(np.arange(9), 3)
    cuts = [x, *[x, y, (x + y) % 3, (x + 2 * y) % 3] * 2]
    return Ensemble([[*cut, 3, 3 if m == 0 else 4] for m, cut in enumerate(cuts)])


def entropy_lwea(ensemble, theta, k=3):
    weights = EntropyWeighter(theta=theta).weigh(ensemble)
    return LWEA().combine(ensemble, k, weights=weights)


def test_weights_of_the_minimal_example_are_as_computed_by_hand():
    ensemble, theta = misleading(), 0.4
    weights = EntropyWeighter(theta=theta).weigh(ensemble).clusters
    three = np.log2(3.0)
    row, line, pair = 6 / 9 * three, 7 / 9 * three, 8 / 9  # mean entropies in bits
    np.testing.assert_allclose(weights[:3], np.exp(-row / theta))
    np.testing.assert_allclose(weights[3], np.exp(-pair / theta))  # the last two
    second = ensemble.offsets[2]  # the first member that cuts columns
    np.testing.assert_allclose(weights[second : second + 3], np.exp(-line / theta))
    S = ensemble.coassociation(Weights(clusters=weights))
    np.testing.assert_allclose(S[0, 3:9], 2 / 9 * np.exp(-line / theta), rtol=1e-6)
    np.testing.assert_allclose(S[9, 10], 1 / 9 * np.exp(-pair / theta), rtol=1e-6)


def test_minimal_example_fails_exactly_below_the_computed_theta():
    ensemble = misleading()
    limit = (7 / 9 * np.log2(3.0) - 8 / 9) / np.log(2.0)  # 0.496
    with pytest.warns(WeightsDisagreeWarning):
        below = entropy_lwea(ensemble, limit - 0.01)
    assert sorted(np.bincount(below.labels)) == [2, 3, 6]
    above = entropy_lwea(ensemble, limit + 0.01)  # a warning would be an error
    assert ari(above.labels, TRUTH) == 1.0
    assert UNWEIGHTED not in above.details


def test_unweighted_tree_and_bipartite_graph_solve_the_minimal_example():
    ensemble = misleading()
    weights = EntropyWeighter().weigh(ensemble)
    assert ari(EAC().combine(ensemble, 3).labels, TRUTH) == 1.0
    found = LWGP().combine(ensemble, 3, weights=weights, seed=0)
    assert ari(found.labels, TRUTH) == 1.0


def test_warning_says_who_what_and_what_helps():
    text = (
        r"^LWEA: the cluster weights may mislead\. With them the clusters have 6, 3 "
        r"and 2 samples, without them 9, 1 and 1, .* weighter=None "
        r"\(MDEC: weighted=False\), .* consensus='lwgp' \(MDEC: 'bg'\)\.$"
    )
    with pytest.warns(WeightsDisagreeWarning, match=text):
        found = coterie.combine(misleading(), 3, "lwea", return_result=True)
    assert found.details[UNWEIGHTED].tolist() == TRUTH


def test_equal_weights_are_never_told_of():
    ensemble = misleading()
    ones = Weights(clusters=np.ones(ensemble.n_total_clusters))
    assert ari(LWEA().combine(ensemble, 3, weights=ones).labels, TRUTH) == 1.0


def test_no_warning_if_all_members_agree():
    ensemble = Ensemble([[0, 0, 0, 0, 1, 1, 2, 2]] * 5)
    assert entropy_lwea(ensemble, 0.4).labels.tolist() == [0, 0, 0, 0, 1, 1, 2, 2]


def test_more_clusters_than_rows_is_no_disagreement():
    ensemble = Ensemble([[0, 0, 1, 1], [0, 0, 1, 1]])
    with pytest.warns(coterie.exceptions.FewerClustersWarning):
        assert entropy_lwea(ensemble, 0.4, k=3).labels.tolist() == [0, 0, 1, 1]


@pytest.fixture(scope="module")
def unequal():
    return make_blobs(
        [900, 60, 40],
        n_features=8,
        centers=10.0 / np.sqrt(2.0) * np.eye(3, 8),
        random_state=0,
    )


def test_users_of_unequal_blobs_are_told(unequal):
    X, y = unequal
    model = EnsembleClustering(3, generator="kmeans", random_state=0)
    with pytest.warns(WeightsDisagreeWarning, match="900, 60 and 40"):
        labels = model.fit_predict(X)
    assert ari(y, labels) < 0.6
    assert ari(y, model.consensus_.details[UNWEIGHTED]) == 1.0
    for other in ({"weighter": None}, {"consensus": "lwgp"}):
        labels = model.set_params(**other).fit_predict(X)
        assert ari(y, labels) == 1.0
        model.set_params(weighter="auto", consensus=None)


def test_members_weights_stay_when_cluster_weights_are_left_out():
    ensemble = misleading()
    clusters = EntropyWeighter().weigh(ensemble).clusters
    members = np.where(np.arange(9) == 0, 8.0, 1.0)  # the first joins the last two
    alone = LWEA().combine(ensemble, 3, weights=Weights(members=members))
    both = LWEA().combine(ensemble, 3, weights=Weights(members, clusters))
    assert sorted(np.bincount(alone.labels)) == [2, 3, 6]  # also without them
    assert ari(alone.labels, both.labels) == 1.0


def test_quiet_functions_keep_it_to_themselves():
    ensemble = misleading()
    loud = LWEA()
    weights = EntropyWeighter().weigh(ensemble)
    found = quiet(loud).combine(ensemble, 3, weights=weights)
    assert UNWEIGHTED in found.details
    with pytest.warns(WeightsDisagreeWarning):
        loud.combine(ensemble, 3, weights=weights)


def test_compare_shows_the_agreement_instead():
    found = coterie.compare(misleading(), 3, ["lwea", "eac"])
    assert found.scores["agreement"][0] < found.scores["agreement"][1]


def test_auto_warns_once_and_only_of_the_number_it_takes():
    ensemble = misleading()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = coterie.combine(ensemble, "auto", "lwea", return_result=True)
    assert len(caught) == (UNWEIGHTED in found.details)


def test_mdec_tells_and_its_line_helps(unequal):
    X, y = unequal
    options = {"n_clusters": 3, "n_members": 30, "random_state": 0}
    with pytest.warns(WeightsDisagreeWarning, match="MDEC: weighted=False"):
        labels = MDEC(**options).fit_predict(X)
    assert ari(y, labels) < 0.6
    assert ari(y, MDEC(weighted=False, **options).fit_predict(X)) > 0.95
    assert ari(y, MDEC(consensus="bg", **options).fit_predict(X)) > 0.95


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_mean_coassociation_is_that_of_the_samples(seed, missing):
    rng = np.random.default_rng(seed)
    labels = rng.integers(3, size=(40, 6))
    labels[rng.random(labels.shape) < missing] = -1
    labels[(labels < 0).all(axis=1)] = 0
    ensemble = Ensemble(labels)
    groups = rng.permutation(np.arange(len(ensemble.core)) % 5)
    members = rng.random(6)
    shares = members / members.sum()
    S, sizes = mean_coassociation(ensemble, groups, shares)
    of_sample = groups[ensemble.core.index]
    np.testing.assert_array_equal(sizes, np.bincount(of_sample))
    for a in range(5):
        for b in range(5):
            one, other = labels[of_sample == a], labels[of_sample == b]
            both = (one[:, None] >= 0) & (other >= 0)
            same = both & (one[:, None] == other)
            expected = (same @ shares).sum() / (both @ shares).sum()
            assert S[a, b] == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(4))
def test_pieces_refine_the_clusters_and_come_from_the_tree(seed):
    rng = np.random.default_rng(seed)
    Z = linkage(rng.random(60 * 59 // 2))
    clusters = cut_tree(Z, 4)
    np.testing.assert_array_equal(ari(cut_each(Z, 4, 1), clusters), 1.0)
    pieces = cut_each(Z, 4, 8)
    for cluster in range(4):
        inside = pieces[clusters == cluster]
        n = min(8, inside.size)
        assert np.unique(inside).size == n
        # the same as cutting the cluster's own tree: the first k with n pieces of it
        k = next(
            k
            for k in range(4, 61)
            if np.unique(cut_tree(Z, k)[clusters == cluster]).size == n
        )
        assert ari(cut_tree(Z, k)[clusters == cluster], inside) == 1.0
    assert np.unique(pieces).size == sum(min(8, size) for size in np.bincount(clusters))


def test_equal_weights_mislead_nobody():
    """Two members that are the same, cut at fewer clusters: a tie, not an error."""
    labels = np.repeat([0, 1, 2], [60, 25, 15])
    weights = EntropyWeighter().weigh([labels, labels])
    assert np.ptp(weights.clusters) == 0
    LWEA().combine([labels, labels], 2, weights=weights)  # warnings are errors
