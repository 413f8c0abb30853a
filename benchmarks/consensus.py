"""Weights and consensus against plain numpy, scipy and fastcluster."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.cluster.hierarchy import average, cut_tree
from scipy.linalg import eigh
from scipy.spatial.distance import squareform

import coterie
from benchmarks.harness import Case
from coterie import Ensemble
from coterie._linalg import BipartiteGraph, transfer_cut
from coterie.consensus import EAC
from coterie.datasets import make_planted_ensemble
from coterie.metrics import ari
from coterie.weighting import EntropyWeighter


def _mdec_like() -> np.ndarray:
    """Labels of 11,000 samples by 100 members of some 55 clusters each (C = 5,600)."""
    planted = make_planted_ensemble(
        11_000, n_clusters=10, n_members=100, split=10, noise=0.1, random_state=0
    )
    return planted.ensemble.labels


def _million() -> np.ndarray:
    """Labels of a million samples by 50 members of some 20 clusters each."""
    planted = make_planted_ensemble(
        1_000_000, n_clusters=10, n_members=50, split=3, noise=0.1, random_state=0
    )
    return planted.ensemble.labels


def one_hot(labels: np.ndarray) -> sp.csr_array:
    """What a user would write."""
    N, M = labels.shape
    offsets = np.concatenate([[0], np.cumsum(labels.max(axis=0) + 1)])
    columns = (labels + offsets[:-1]).ravel()
    indptr = np.arange(N + 1) * M
    return sp.csr_array((np.ones(N * M), columns, indptr), shape=(N, offsets[-1]))


def eci_ours(labels: np.ndarray) -> np.ndarray:
    return EntropyWeighter(theta=1.0).weigh(Ensemble(labels)).clusters


def eci_scipy(labels: np.ndarray) -> np.ndarray:
    B = one_hot(labels)
    P = (B.T @ B).tocsr()
    P.data /= np.repeat(P.diagonal(), np.diff(P.indptr))
    P.data *= np.log2(P.data)
    return np.exp(P.sum(axis=1) / labels.shape[1])


def linkage_ours(labels: np.ndarray) -> np.ndarray:
    return EAC().combine(labels, 10).labels


def _plain_coassociation(labels: np.ndarray) -> np.ndarray:
    B = one_hot(labels).astype(np.float32)
    S = (B @ B.T).toarray() / labels.shape[1]
    np.fill_diagonal(S, 1.0)
    return S


def linkage_scipy(labels: np.ndarray) -> np.ndarray:
    S = _plain_coassociation(labels)
    return cut_tree(average(squareform(1 - S, checks=False)), 10).ravel()


def linkage_fastcluster(labels: np.ndarray) -> np.ndarray:
    import fastcluster

    S = _plain_coassociation(labels)
    Z = fastcluster.linkage(squareform(1 - S, checks=False), "average")
    return cut_tree(Z, 10).ravel()


def cut_ours(labels: np.ndarray) -> np.ndarray:
    ensemble = Ensemble(labels)
    core = ensemble.core
    weights = np.full(ensemble.n_total_clusters, 1 / ensemble.n_members)
    graph = BipartiteGraph(
        core.rows, core.columns, ensemble.offsets, core.counts, weights
    )
    return transfer_cut(graph, 10, rng=np.random.default_rng(0))[core.index]


def cut_scipy(labels: np.ndarray) -> np.ndarray:
    B = one_hot(labels)
    d_x = B.sum(axis=1)
    E = (B.T @ (B / d_x[:, None]).tocsr()).toarray()
    scale = 1 / np.sqrt(E.sum(axis=1))
    C = E.shape[0]
    _, V = eigh(scale[:, None] * E * scale, subset_by_index=[C - 10, C - 1])
    return (B @ (scale[:, None] * V)) / d_x[:, None]


def lwgp_ours(labels: np.ndarray) -> np.ndarray:
    return coterie.combine(labels, 10, "lwgp", random_state=0)


def same_numbers(results: Mapping[str, np.ndarray]) -> str:
    ours, plain = list(results.values())[:2]
    return f"largest difference: {np.abs(ours - plain).max():.1e}"


def same_partition(results: Mapping[str, np.ndarray]) -> str:
    ours, plain = list(results.values())[:2]
    return f"ARI between the results: {ari(ours, plain):.4f}"


def same_subspace(results: Mapping[str, Any]) -> str:
    ours, plain = (np.linalg.qr(values)[0] for values in results.values())
    angles = np.linalg.svd(ours.T @ plain, compute_uv=False)
    return f"smallest cosine between the subspaces: {angles.min():.9f}"


CASES = [
    Case(
        "eci",
        "entropy weights, N = 11,000, M = 100",
        _mdec_like,
        {"coterie": eci_ours, "scipy": eci_scipy},
        same_numbers,
    ),
    Case(
        "linkage",
        "co-association and average linkage, N = 11,000, M = 100",
        _mdec_like,
        {
            "coterie": linkage_ours,
            "scipy": linkage_scipy,
            "fastcluster": linkage_fastcluster,
        },
        same_partition,
    ),
    Case(
        "transfer-cut",
        "transfer cut, N = 11,000, M = 100",
        _mdec_like,
        {"coterie": cut_ours, "scipy": cut_scipy},
        same_subspace,
    ),
    Case(
        "transfer-cut-million",
        "transfer cut, N = 1,000,000, M = 50",
        _million,
        {"coterie": cut_ours, "scipy": cut_scipy},
        same_subspace,
    ),
    Case(
        "lwgp-million",
        'combine(..., consensus="lwgp"), N = 1,000,000, M = 50',
        _million,
        {"coterie": lwgp_ours},
    ),
]
