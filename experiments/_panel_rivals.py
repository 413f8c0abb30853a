"""What people use: other methods, and the systems of this package.

UMAP is no dependency of the project: ``pip install umap-learn``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.cluster import (
    HDBSCAN,
    AgglomerativeClustering,
    KMeans,
    SpectralClustering,
)
from sklearn.decomposition import PCA
from sklearn.mixture import GaussianMixture
from sklearn.neighbors import kneighbors_graph

import coterie

Labels = np.ndarray
N_LEIDEN_NEIGHBORS = 15
MOST_MIXTURE_FEATURES = 10


@dataclass(frozen=True)
class Method:
    """How a method is run.

    Attributes
    ----------
    fit : callable
        From the samples, the number of clusters and a seed to the labels by name of
        the answer; several where methods share their costly part.
    takes_sparse : bool
        Or it gets the leading components of sparse data.
    is_random : bool
        Or one seed is enough.
    scalings : tuple of str
        Of the data that it is run on.
    """

    fit: Callable[[Any, int, int], dict[str, Labels]]
    takes_sparse: bool = True
    is_random: bool = True
    scalings: tuple[str, ...] = ("raw", "zscore")


def _kmeans(X: Any, k: int, seed: int) -> Labels:
    return KMeans(k, n_init=10, random_state=seed).fit_predict(X)


def _ward(X: Any, k: int, seed: int) -> Labels:
    return AgglomerativeClustering(k, linkage="ward").fit_predict(X)


def _gmm(X: Any, k: int, seed: int) -> Labels:
    X = X.astype(np.float64)
    most = min(MOST_MIXTURE_FEATURES, len(X) - 1)
    if X.shape[1] > most:
        X = PCA(most, random_state=seed).fit_transform(X)
    ridge = 1e-6 * X.var(axis=0).mean()
    return GaussianMixture(k, reg_covar=ridge, random_state=seed).fit_predict(X)


def _spectral(X: Any, k: int, seed: int) -> Labels:
    return SpectralClustering(
        k, affinity="nearest_neighbors", n_neighbors=10, random_state=seed
    ).fit_predict(X)


def _leiden(X: Any, k: int, seed: int) -> Labels:
    """Modularity on the graph of nearest neighbours; k is not used."""
    import graspologic_native

    n = X.shape[0]
    links = kneighbors_graph(X, min(N_LEIDEN_NEIGHBORS, n - 1))
    links = links.maximum(links.T).tocsr()  # undirected
    _, found = graspologic_native.leiden_csr(
        links.indptr.astype(np.int64),
        links.indices.astype(np.int32),
        links.data.astype(np.float64),
        n,
        resolution=1.0,
        seed=seed,
    )
    return np.array([found[i] for i in range(n)])


def _hdbscan(X: Any, k: int, seed: int) -> Labels:
    """-1 is noise; k is not used."""
    return HDBSCAN(copy=True).fit_predict(X)


def _umap(X: Any, k: int, seed: int) -> dict[str, Labels]:
    from umap import UMAP

    points = UMAP(random_state=seed, n_jobs=1).fit_transform(X)
    return {
        "umap+kmeans": _kmeans(points, k, seed),
        "umap+hdbscan": _hdbscan(points, k, seed),
    }


def one(name: str, fit: Callable[[Any, int, int], Labels], **facts: Any) -> Method:
    """Return a method with one answer."""
    return Method(lambda X, k, seed: {name: fit(X, k, seed)}, **facts)


def system(name: str, make: Callable[[int, int], Any], **facts: Any) -> Method:
    """Return the method of an estimator made from a number of clusters and a seed."""
    return one(name, lambda X, k, seed: make(k, seed).fit(X).labels_, **facts)


def _old_default(k: int, seed: int) -> Any:
    parts = {"generator": "kmeans", "weighter": "entropy", "consensus": "lwea"}
    return coterie.EnsembleClustering(k, random_state=seed, **parts)


METHODS: dict[str, Method] = {
    "kmeans": one("kmeans", _kmeans),
    "ward": one("ward", _ward, takes_sparse=False, is_random=False),
    "gmm": one("gmm", _gmm, takes_sparse=False),
    "spectral": one("spectral", _spectral),
    "leiden": one("leiden", _leiden),
    "hdbscan": one("hdbscan", _hdbscan, takes_sparse=False, is_random=False),
    "mdec": system("mdec", lambda k, seed: coterie.MDEC(k, random_state=seed)),
    "usenc": system("usenc", lambda k, seed: coterie.USENC(k, random_state=seed)),
    "mbn-e": system("mbn-e", lambda k, seed: coterie.MBNEnsemble(k, random_state=seed)),
    "kmeans-lwea": system("kmeans-lwea", _old_default),
    "c2swce": system(  # with as many members as in the paper
        "c2swce", lambda k, seed: coterie.C2SWCE(k, n_members=10, random_state=seed)
    ),
    "umap": Method(_umap),
    "woec": system(  # scales the features itself
        "woec", lambda k, seed: coterie.WOEC(k, random_state=seed), scalings=("raw",)
    ),
    "spce": system(  # as printed; its default now reads the clusters off by linkage
        "spce",
        lambda k, seed: coterie.SPCE(
            k, theta=0.3, components="exact", random_state=seed
        ),
    ),
}
