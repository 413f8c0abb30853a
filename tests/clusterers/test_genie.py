"""Genie as a clusterer."""

import csv

import numpy as np
import oracles
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_circles

from coterie.clusterers import Genie
from coterie.generation import GenieTree
from coterie.metrics import ari

X = np.random.default_rng(0).standard_normal((80, 3))


@pytest.mark.parametrize("threshold", [0, 0.3, 1])
def test_labels_are_those_of_thirty_plain_lines(threshold):
    ends = [edge[:2] for edge in sorted(oracles.spanning_tree(X), key=lambda e: e[2])]
    for k in (1, 4, 80):
        model = Genie(k, gini_threshold=threshold).fit(X)
        assert ari(oracles.genie(ends, 80, k, threshold), model.labels_) == 1.0
        sparse = Genie(k, gini_threshold=threshold).fit(sp.csr_array(X))
        np.testing.assert_array_equal(sparse.labels_, model.labels_)


def test_outliers_do_not_become_clusters():
    rings, inner = make_circles(500, noise=0.03, factor=0.4, random_state=0)
    data = np.vstack([rings, [[5.0, 5.0], [-4.0, 6.0]]])
    labels = Genie(2).fit_predict(data)
    assert ari(inner, labels[:500]) == 1.0
    single = Genie(2, gini_threshold=1.0).fit_predict(data)
    assert ari(inner, single[:500]) == 0.0


def test_members_are_genie_with_their_own_parameters():
    ensemble = GenieTree(6, gini_range=(0.05, 0.9)).generate(X, seed=1)
    drawn = [m.params["gini_threshold"] for m in ensemble.members]
    assert min(drawn) >= 0.05
    assert max(drawn) - min(drawn) > 0.2
    for j, member in enumerate(ensemble.members):
        model = Genie(**member.params).fit(X)
        np.testing.assert_array_equal(ensemble.labels[:, j], model.labels_)


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: Genie(gini_threshold=1.5).fit(X), "'gini_threshold' parameter of Gen"),
        (lambda: Genie(81).fit(X), "Genie was asked for n_clusters=81, but there are"),
        (
            lambda: GenieTree(gini_range=(0.6, 0.1)).generate(X),
            "GenieTree expects gini_range as two positive numbers",
        ),
    ],
)
def test_bad_parameters(call, text):
    with pytest.raises(ValueError, match=text):
        call()


@pytest.mark.slow
def test_scores_are_those_that_the_authors_published(real_data):
    """Published: the best ARI over reference labelings, without their noise (0)."""
    table = real_data / "shapes" / "published.csv"
    if not table.exists():
        pytest.skip("the sets of the clustering benchmark are not here")
    for row in csv.DictReader(table.read_text().splitlines()):
        stored = np.load(real_data / "shapes" / f"{row['set']}.npz")
        scores = []
        for y in np.atleast_2d(stored["labels"]):
            labels = Genie(int(y.max())).fit_predict(stored["X"])
            scores.append(ari(y[y > 0], labels[y > 0]))
        assert max(scores) == pytest.approx(float(row["genie"]), abs=1e-3), row["set"]
