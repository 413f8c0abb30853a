"""The four internal criteria equal scikit-learn's, or their plain formulas."""

import numpy as np
import pytest
from scipy.spatial.distance import pdist, squareform
from sklearn.datasets import make_blobs
from sklearn.metrics import calinski_harabasz_score, silhouette_score

from coterie.metrics import validity

X, Y = make_blobs(90, n_features=3, centers=4, random_state=0)
Y = np.where(np.arange(90) == 7, 9, Y)  # one sample alone


def test_silhouette_width_and_variance_ratio():
    assert validity(X, Y, "swc") == pytest.approx(silhouette_score(X, Y))
    assert validity(X, Y, "vrc") == pytest.approx(calinski_harabasz_score(X, Y))


def test_point_biserial_is_a_correlation():
    different = squareform((Y[:, None] != Y[None]).astype(float), checks=False)
    expected = np.corrcoef(pdist(X), different)[0, 1]
    assert validity(X, Y, "pb") == pytest.approx(expected)


def test_pbm():
    means = {c: X[c == Y].mean(axis=0) for c in set(Y.tolist())}
    E_k = sum(np.linalg.norm(x - means[c]) for x, c in zip(X, Y.tolist(), strict=True))
    E_1 = np.linalg.norm(X - X.mean(axis=0), axis=1).sum()
    D_k = pdist(np.array(list(means.values()))).max()
    assert validity(X, Y, "pbm") == pytest.approx((E_1 / E_k * D_k / len(means)) ** 2)


@pytest.mark.parametrize("criterion", ["swc", "pb", "pbm", "vrc"])
def test_right_labels_are_better_than_wrong_ones(criterion):
    wrong = np.random.default_rng(0).permutation(Y)
    assert validity(X, Y, criterion) > validity(X, wrong, criterion)


@pytest.mark.parametrize("criterion", ["swc", "pb", "pbm", "vrc"])
def test_degenerate_cases(criterion):
    assert not np.isnan(validity(np.ones((5, 2)), [0, 0, 1, 1, 1], criterion))
    assert not np.isnan(validity(X[:4], [0, 1, 2, 3], criterion))
    assert not np.isnan(validity(X[:4].astype(np.float32), [0, 0, 0, 0], criterion))


def test_wrong_arguments():
    with pytest.raises(ValueError, match=r"criterion='dunn'; it must be one of"):
        validity(X, Y, "dunn")
    with pytest.raises(ValueError, match="validity got 3 labels for 90 samples"):
        validity(X, [0, 1, 2])
