"""Loud columns: found where scales differ, not among pixels, genes or components."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.decomposition import PCA

from coterie._scales import loud_columns

RNG = np.random.default_rng(0)
WINE = load_wine().data


def test_the_column_is_named():
    wine = load_wine()
    found = loud_columns(wine.data)
    assert found.columns == (wine.feature_names.index("proline"),)
    assert found.share == pytest.approx(0.998, abs=1e-3)
    said = found.sentence(wine.feature_names)
    assert said == "proline has 99.8% of the variance"
    assert found.sentence() == "column 12 has 99.8% of the variance"


def test_two_columns():
    cancer = load_breast_cancer()
    said = loud_columns(cancer.data).sentence(cancer.feature_names)
    assert said == "worst area and mean area have 99.1% of the variance"


def images(n=60, side=20):
    """Faces, nearly: smooth pictures, dark corners that hardly vary."""
    x, y = np.meshgrid(*[np.linspace(-1, 1, side)] * 2)
    shade = np.exp(-4 * (x**2 + y**2)).ravel()
    light = RNG.normal(size=(n, 3)) @ np.stack([x.ravel(), y.ravel(), x.ravel() ** 2])
    return shade * (light + RNG.normal(size=(n, side * side)))


def genes(n=50, d=2_000):
    """Expression: a few genes vary a hundred times as much as most."""
    return RNG.lognormal(size=(n, d)) * RNG.lognormal(sigma=1.5, size=d)


@pytest.mark.parametrize(
    "X",
    [
        load_digits().data,
        load_iris().data,
        images(),
        genes(),
        RNG.poisson(RNG.lognormal(-2, 1.5, 500), (80, 500)).astype(float),
        (WINE - WINE.mean(0)) / WINE.std(0),
        sp.csr_array(WINE),
        np.ones((20, 3)),
        WINE[:, -1:],
    ],
    ids=[
        "digits",
        "iris",
        "images",
        "genes",
        "counts",
        "scaled",
        "sparse",
        "constant",
        "one",
    ],
)
def test_quiet_data(X):
    assert loud_columns(X) is None


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_principal_components_differ_by_design(dtype):
    scores = PCA().fit_transform(WINE).astype(dtype)
    spread = scores.std(axis=0)
    assert spread[0] > 1000 * spread[-1]
    assert loud_columns(scores) is None
    assert loud_columns(scores[:, :5]) is None
    assert loud_columns(scores[:, ::-1]) is not None  # not sorted: no components


def test_a_factor_below_thirty_is_let_pass():
    X = RNG.normal(size=(200, 4))
    assert loud_columns(X * [1, 25, 1, 1]) is None
    assert loud_columns(X * [1, 45, 1, 1]).columns == (1,)


def test_three_of_many_columns_but_not_half_of_few():
    X = RNG.normal(size=(200, 8))
    assert len(loud_columns(X * [50, 50, 50, 1, 1, 1, 1, 1]).columns) == 3
    assert loud_columns(X * [50, 50, 50, 50, 1, 1, 1, 1]) is None
    assert loud_columns(X[:, :4] * [50, 50, 50, 1]) is None


def test_missing_and_huge_values():
    X = WINE.copy()
    X[::7, 3] = np.nan
    assert loud_columns(X).columns == (12,)
    X[:, 0] = np.nan
    assert loud_columns(X).columns == (12,)
    assert loud_columns(WINE * 1e200) is None  # beyond what squares can hold
    assert loud_columns(WINE * 1e100).columns == (12,)
