"""Spectral members with a grid of kernel widths."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.datasets import make_blobs
from sklearn.metrics.pairwise import euclidean_distances

from coterie._linalg import kmeans
from coterie.exceptions import MemoryLimitError
from coterie.generation import SigmaGridSpectral, _spectral
from coterie.generation._spectral import _embedding, _squared_distances
from coterie.metrics import ari

X, Y = make_blobs(120, n_features=4, centers=3, cluster_std=0.8, random_state=0)


def test_nine_widths_of_the_paper():
    ensemble = SigmaGridSpectral(n_clusters=3).generate(X, seed=0)
    d = euclidean_distances(X)
    mean = d[np.triu_indices(120, 1)].mean()
    widths = [member.params["sigma"] for member in ensemble.members]
    grid = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 50, 100]
    np.testing.assert_allclose(widths, mean * np.array(grid))
    assert all(member.params["n_clusters"] == 3 for member in ensemble.members)


def test_wide_kernels_find_blobs():
    ensemble = SigmaGridSpectral(n_clusters=3).generate(X, seed=0)
    assert max(ari(Y, labels) for labels in ensemble.labels.T[3:]) > 0.95


@pytest.mark.parametrize("unit", [True, False])
def test_rows_of_unit_length_or_as_they_are(unit, monkeypatch):
    seen = []

    def spy(points, *args, **kwargs):
        seen.append(points)
        return kmeans(points, *args, **kwargs)

    monkeypatch.setattr(_spectral, "kmeans", spy)
    generator = SigmaGridSpectral(1, n_clusters=3, sigmas=(1.0,), unit_rows=unit)
    generator.generate(X, seed=0)
    lengths = np.linalg.norm(seen[0], axis=1)
    assert np.allclose(lengths, 1.0) == unit
    if not unit:
        np.testing.assert_allclose((lengths**2).sum(), 3.0)  # orthonormal columns


@pytest.mark.parametrize("width", [0.5, 5.0])
def test_embedding_is_that_of_the_normalised_laplacian(width):
    K = np.exp(-euclidean_distances(X, squared=True) / (2 * width**2))
    scale = np.diag(K.sum(axis=1) ** -0.5)
    values, vectors = np.linalg.eigh(np.eye(120) - scale @ K @ scale)
    assert values[3] - values[2] > 1e-6
    ours = _embedding(_squared_distances(X), width, 3)
    theirs = vectors[:, :3]
    np.testing.assert_allclose(ours @ ours.T, theirs @ theirs.T, atol=1e-8)


def test_more_members_than_widths_begin_again():
    ensemble = SigmaGridSpectral(5, n_clusters=3, sigmas=(0.5, 2.0)).generate(X, seed=0)
    widths = [member.params["sigma"] for member in ensemble.members]
    assert widths[0] == widths[2] == widths[4] != widths[1] == widths[3]


def test_sparse_and_dense_agree():
    few = np.where(np.abs(X) > 2, X, 0.0)
    generator = SigmaGridSpectral(3, n_clusters=3, sigmas=(0.5, 1.0, 2.0))
    dense = generator.generate(few, seed=0)
    sparse = generator.generate(sp.csr_matrix(few), seed=0)
    np.testing.assert_array_equal(dense.labels, sparse.labels)


def test_samples_that_coincide():
    same = np.ones((10, 2))
    SigmaGridSpectral(n_clusters=2).generate(np.vstack([same, same * 3]), seed=0)


@pytest.mark.parametrize("sigmas", [(), (0.0, 1.0), (-1.0,), (np.nan,)])
def test_bad_widths(sigmas):
    with pytest.raises(ValueError, match="expects sigmas as positive numbers"):
        SigmaGridSpectral(sigmas=sigmas).generate(X)


def test_too_many_samples(monkeypatch):
    monkeypatch.setenv("COTERIE_MEMORY_LIMIT", "1000")
    with pytest.raises(MemoryLimitError, match="The kernel of 120 samples"):
        SigmaGridSpectral(n_clusters=3).generate(X)
