"""Consensus in which samples that are hard to cluster count more (WOEC)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from coterie._docs import fill_doc
from coterie._linalg import kmeans, partition_graph
from coterie._linalg._partition import available_backend
from coterie._linalg._strongest import n_kept, strongest_graph
from coterie._memory import check_memory
from coterie._validation import Interval, StrOptions, check_data
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._partitioning import (
    BACKEND,
    IMBALANCE,
    N_NEIGHBORS,
    bipartite_graph,
    jaccard,
    partition_result,
    strongest_participation,
)
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._alignment import relabel_by_appearance

BANDWIDTH = [StrOptions({"member", "first"}), Interval(Real, 0, None, closed="neither")]


@fill_doc
class WOMC(BaseConsensus):
    r"""Weighted-object meta-clustering.

    :class:`MCLA` in which clusters are similar by the weights of the samples that they
    share,

    .. math::

        S_{ab} = \sum_{i \in C_a \cap C_b} w_i \Bigl/ \sum_{i \in C_a \cup C_b} w_i,

    so that clusters which agree on the hard samples come together [1]_. Needs labels
    only.

    Parameters
    ----------
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    The weights of the paper are those of :class:`~coterie.weighting.DifficultyWeighter`
    (``coterie.combine(consensus="womc")`` computes them). Only the edges differ from
    :class:`MCLA`, as the paper says: a cluster weighs as many samples as it has when
    meta-clusters are balanced, and a sample chooses by the unweighted share, ties at
    random. A meta-cluster may stay empty: fewer clusters.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import WOMC
    >>> from coterie.weighting import DifficultyWeighter
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> weights = DifficultyWeighter().weigh(ensemble)
    >>> WOMC().combine(ensemble, 2, weights=weights, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "womc"
    summary = "MCLA in which hard samples count more"
    cost = "time N M^2, memory C^2"
    paper = "ren2017woec"
    paper_weighter = ("difficulty", {})
    uses_weights: ClassVar[frozenset[str]] = frozenset({"samples"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "imbalance": IMBALANCE,
        "backend": BACKEND,
    }

    def __init__(self, *, imbalance: float = 0.001, backend: str = "auto") -> None:
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        found = partition_graph(
            jaccard(ensemble, sample_weights(ensemble, task.weights)),  # Eq. 5
            task.n_clusters,
            rng=task.rng,
            vertex_weights=ensemble.cluster_sizes,
            imbalance=self.imbalance,
            backend=self.backend,
        )
        labels = strongest_participation(
            ensemble, found.labels, task.n_clusters, task.rng
        )
        return partition_result(found, labels)


@fill_doc
class WOSP(BaseConsensus):
    r"""Weighted-object similarity partitioning.

    Each cluster's centre moves towards its hard samples; a sample is then described by
    how near it is to the centres of each member,

    .. math::

        P_{il} = \frac{\exp(-\lVert x_i - m_l \rVert^2 / t)}
                      {\sum_{l'} \exp(-\lVert x_i - m_{l'} \rVert^2 / t)}, \qquad
        m_l = \frac{\sum_{i \in C_l} w_i x_i}{\sum_{i \in C_l} w_i},

    and the graph of the mean cosine similarities of these descriptions is cut into
    parts of equal size [1]_. It sees the data, not the labels alone: good where the
    members' boundaries are crude. For clusters of similar size.

    Parameters
    ----------
    %(bandwidth)s
    %(n_neighbors)s
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    The weights of the paper are those of :class:`~coterie.weighting.DifficultyWeighter`
    (``coterie.combine(consensus="wosp")`` computes them). The mean similarity is the
    product of stacked unit rows of P, so the strongest neighbours of many samples are
    found by tiles.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import WOSP
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> WOSP().combine(ensemble, 2, X=[[0.0], [1.0], [5.0], [6.0]], seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "wosp"
    summary = "graph of nearness to shifted centres, cut into equal parts"
    cost = "time N^2 C, memory N^2; memory linear beyond N = 5,000"
    paper = "ren2017woec"
    paper_weighter = ("difficulty", {})
    needs_X: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"samples"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "bandwidth": BANDWIDTH,
        "n_neighbors": N_NEIGHBORS,
        "imbalance": IMBALANCE,
        "backend": BACKEND,
    }

    def __init__(
        self,
        bandwidth: Any = "member",
        *,
        n_neighbors: Any = "auto",
        imbalance: float = 0.001,
        backend: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.n_neighbors = n_neighbors
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        backend = available_backend(self.backend)
        P = probabilities(task.ensemble, task.weights, task.X, self.bandwidth, "WOSP")
        Q = unit_descriptions(P, task.ensemble.offsets).astype(
            np.float32
        )  # Eqs. 10, 11
        del P
        return cut_by_cosine(
            Q, task.n_clusters, self.n_neighbors, self.imbalance, backend, task.rng
        )


@fill_doc
class WOHB(BaseConsensus):
    r"""Weighted-object hybrid bipartite graph partitioning.

    The bipartite graph of samples and clusters with the probabilities of :class:`WOSP`,
    :math:`P_{il}`, on its edges is cut into parts of equal size [1]_: samples and
    clusters are grouped together. As :class:`WOSP`, it sees the data; its graph has
    N times C edges instead of N squared.

    Parameters
    ----------
    %(bandwidth)s
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    The weights of the paper are those of :class:`~coterie.weighting.DifficultyWeighter`
    (``coterie.combine(consensus="wohb")`` computes them).

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import WOHB
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> WOHB().combine(ensemble, 2, X=[[0.0], [1.0], [5.0], [6.0]], seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "wohb"
    summary = "graph of samples and shifted centres, cut into equal parts"
    cost = "time N C D, memory N C"
    paper = "ren2017woec"
    paper_weighter = ("difficulty", {})
    needs_X: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"samples"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "bandwidth": BANDWIDTH,
        "imbalance": IMBALANCE,
        "backend": BACKEND,
    }

    def __init__(
        self,
        bandwidth: Any = "member",
        *,
        imbalance: float = 0.001,
        backend: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        P = probabilities(task.ensemble, task.weights, task.X, self.bandwidth, "WOHB")
        return cut_bipartite(P, task.n_clusters, self.imbalance, self.backend, task.rng)


@fill_doc
class WOKM(BaseConsensus):
    r"""Weighted-object k-means: k-means of the data in which hard samples count more.

    Centres are weighted means,
    :math:`c_k = \sum_{i \in C_k} w_i x_i / \sum_{i \in C_k} w_i`, so that they move
    towards the samples on which the ensemble disagrees [1]_. The members enter by the
    weights alone. Linear in time and memory.

    Parameters
    ----------
    n_init : int, default=10
        Starts, from randomly drawn samples; the best is kept.
    max_iter : int, default=100
        Most iterations of a start.

    Notes
    -----
    The paper takes a single start (``n_init=1``). The weights of the paper are those of
    :class:`~coterie.weighting.DifficultyWeighter`; without weights it is k-means.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import WOKM
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> WOKM().combine(ensemble, 2, X=[[0.0], [1.0], [5.0], [6.0]], seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "wokm"
    summary = "k-means of the data in which hard samples count more"
    cost = "time N D k, memory N D"
    paper = "ren2017woec"
    paper_weighter = ("difficulty", {})
    needs_X: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"samples"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 10, *, max_iter: int = 100) -> None:
        self.n_init = n_init
        self.max_iter = max_iter

    def _combine(self, task: Task) -> ConsensusResult:
        X = task.X
        X = checked_data(X, task.ensemble, "WOKM")
        found = kmeans(  # Algorithm 4
            X,
            task.n_clusters,
            rng=task.rng,
            init="random",
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=0.0,
            sample_weight=sample_weights(task.ensemble, task.weights),
        )
        _, first = np.unique(found.labels, return_index=True)
        return ConsensusResult(
            relabel_by_appearance(found.labels),
            objective=found.inertia,
            n_iter=found.n_iter,
            converged=found.converged,
            details={"centers": found.centers[found.labels[np.sort(first)]]},
        )


def sample_weights(ensemble: Ensemble, weights: Weights) -> np.ndarray:
    """Return what each sample counts, (N,)."""
    return np.ones(ensemble.n_samples) if weights.samples is None else weights.samples


def checked_data(X: Any, ensemble: Ensemble, who: str) -> Any:
    """Return the data of the ensemble's samples, or say that they are others."""
    X = check_data(X, who, accept_sparse=True)
    if X.shape[0] != ensemble.n_samples:
        raise ValueError(
            f"{who} got data of {X.shape[0]} samples for an ensemble of "
            f"{ensemble.n_samples}. Pass the data that the members clustered."
        )
    return X


def probabilities(
    ensemble: Ensemble, weights: Weights, X: Any, bandwidth: Any, who: str
) -> np.ndarray:
    """Return how likely each cluster is for each sample, (N, C).

    Parameters
    ----------
    ensemble : Ensemble
    weights : Weights
        Of samples.
    X : (N, D) array or CSR matrix
    bandwidth : "member", "first" or float
        The number t of Eq. 7.
    who : str
        Named in errors.
    """
    X = checked_data(X, ensemble, who)
    C = ensemble.n_total_clusters
    advice = "Use WOMC, which needs labels only, or fewer members or samples."
    what = f"{who}: the probabilities of {C:,} clusters"
    check_memory(16 * ensemble.n_samples * C, what, None, advice)
    if isinstance(X, np.ndarray):
        X = X.astype(np.float64)
        X -= X.mean(axis=0)  # keeps digits in the products below
    centers = weighted_centers(ensemble, sample_weights(ensemble, weights), X)
    squares = X.multiply(X).sum(axis=1) if not isinstance(X, np.ndarray) else None
    if squares is None:
        squares = np.einsum("ij,ij->i", X, X)
    D = -2.0 * (X @ centers.T)  # (N, C), |x - m|^2 from here on
    D += np.asarray(squares).reshape(-1, 1)
    D += np.einsum("ij,ij->i", centers, centers)
    np.maximum(D, 0.0, out=D)
    t = None if isinstance(bandwidth, str) else float(bandwidth)
    for j in range(ensemble.n_members):
        own = D[:, ensemble.offsets[j] : ensemble.offsets[j + 1]]  # (N, k_j)
        if t is None or bandwidth == "member":
            t = float(own.mean()) or 1.0  # all samples coincide
        own /= -t
        own -= own.max(axis=1, keepdims=True)  # or far samples would be 0 / 0
        np.exp(own, out=own)  # Eq. 7
        own /= own.sum(axis=1, keepdims=True)  # Eq. 8
    return D


def weighted_centers(ensemble: Ensemble, samples: np.ndarray, X: Any) -> np.ndarray:
    """Return the weighted mean of each cluster, (C, D); # Eq. 6."""
    B = ensemble.incidence()
    mass = B.T @ samples
    idle = mass == 0  # a cluster whose samples all weigh nothing has its plain mean
    H = (B * samples[:, None]).tocsr() if not idle.any() else _guarded(B, samples, idle)
    centers = H.T @ X
    centers = centers.toarray() if hasattr(centers, "toarray") else centers
    return centers / np.asarray(H.sum(axis=0)).reshape(-1, 1)


def _guarded(B: csr_array, samples: np.ndarray, idle: np.ndarray) -> csr_array:
    return (B * samples[:, None] + B * idle[None, :]).tocsr()


def unit_descriptions(P: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return Q with ``Q Q^T`` the mean cosine similarity over the members."""
    squares = np.add.reduceat(P * P, offsets[:-1], axis=1)  # (N, M)
    norms = np.sqrt(squares * (offsets.size - 1))
    return P / np.repeat(norms, np.diff(offsets), axis=1)


def cut_by_cosine(
    Q: np.ndarray,
    n_clusters: int,
    n_neighbors: Any,
    imbalance: float,
    backend: str,
    rng: np.random.Generator,
) -> ConsensusResult:
    """Cut the graph with weights ``Q Q^T`` into parts of equal size."""

    def similarity(start: int, stop: int) -> np.ndarray:
        return Q[start:stop] @ Q.T

    kept = n_kept(len(Q), n_neighbors, backend)
    graph = strongest_graph(similarity, len(Q), kept)
    found = partition_graph(
        graph, n_clusters, rng=rng, imbalance=imbalance, backend=backend
    )
    return partition_result(found, found.labels)


def cut_bipartite(
    P: np.ndarray,
    n_clusters: int,
    imbalance: float,
    backend: str,
    rng: np.random.Generator,
) -> ConsensusResult:
    """Cut the graph of samples and clusters with weights P; # Eq. 12."""
    graph = bipartite_graph(csr_array(P.astype(np.float32)))
    found = partition_graph(
        graph, n_clusters, rng=rng, imbalance=imbalance, backend=backend
    )
    return partition_result(found, found.labels[: len(P)])
