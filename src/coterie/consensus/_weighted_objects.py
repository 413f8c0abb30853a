"""Consensus in which samples that are hard to cluster count more (WOEC)."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import kmeans, matrix_transfer_cut, scaled_eigenpairs
from coterie._memory import check_memory
from coterie._validation import Interval, StrOptions, check_data
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._embedding import (
    cluster_samples,
    kmeans_result,
    meta_clusters,
)
from coterie.consensus._partitioning import (
    MCLA,
    BipartitePartitioning,
    Similarity,
    SimilarityPartitioning,
    strongest_participation,
)
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._alignment import relabel_by_appearance

PARTITION = [StrOptions({"metis", "spectral"})]
_N_INIT = 3  # starts of k-means on a spectral embedding
BANDWIDTH = [StrOptions({"member", "first"}), Interval(Real, 0, None, closed="neither")]


@fill_doc
class WOMC(MCLA):
    r"""Weighted-object meta-clustering.

    :class:`MCLA` in which the similarity of clusters counts the weights of the samples
    that they share,

    .. math::

        S_{ab} = \sum_{i \in C_a \cap C_b} w_i \Bigl/ \sum_{i \in C_a \cup C_b} w_i,

    so that clusters that agree on the hard samples are grouped together [1]_. Needs
    only labels.

    Parameters
    ----------
    %(partition)s
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    The paper uses the weights of :class:`~coterie.weighting.DifficultyWeighter`
    (``coterie.combine(consensus="womc")`` computes them). As in the paper, only the
    edges differ from :class:`MCLA`: a cluster counts by its number of samples when
    meta-clusters are balanced, and a sample joins by the unweighted share, with ties
    broken at random. A meta-cluster may be empty: there may be fewer clusters.

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
    summary = "MCLA with hard samples weighted up"
    cost = "time N M^2, memory C^2"
    paper = "ren2017woec"
    paper_weighter = ("difficulty", {})
    uses_weights: ClassVar[frozenset[str]] = frozenset({"samples"})

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "partition": PARTITION,
        **MCLA._parameter_constraints,
    }

    def __init__(
        self,
        *,
        partition: str = "metis",
        imbalance: float = 0.001,
        backend: str = "auto",
    ) -> None:
        super().__init__(imbalance=imbalance, backend=backend)
        self.partition = partition

    def _combine(self, task: Task) -> ConsensusResult:
        if self.partition == "metis":
            return super()._combine(task)
        found = meta_clusters(self._similarity(task), task, _N_INIT)
        return kmeans_result(found, strongest_participation(task, found.labels))


@fill_doc
class WOSP(SimilarityPartitioning):
    r"""Weighted-object similarity partitioning.

    Each cluster's centre moves towards its hard samples; a sample is then described by
    its closeness to the centres of each member,

    .. math::

        P_{il} = \frac{\exp(-\lVert x_i - m_l \rVert^2 / t)}
                      {\sum_{l'} \exp(-\lVert x_i - m_{l'} \rVert^2 / t)}, \qquad
        m_l = \frac{\sum_{i \in C_l} w_i x_i}{\sum_{i \in C_l} w_i},

    and the graph of the mean cosine similarities of these descriptions is partitioned
    into parts of equal size [1]_. It uses the data as well as the labels, which helps
    if the members' boundaries are crude. For clusters of similar size.

    Parameters
    ----------
    %(bandwidth)s
    %(partition)s
    %(n_neighbors)s
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    The paper uses the weights of :class:`~coterie.weighting.DifficultyWeighter`
    (``coterie.combine(consensus="wosp")`` computes them). The mean similarity is the
    product of stacked unit rows of P, so the strongest neighbours of many samples are
    found tile by tile.

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
    summary = "partitions the samples by proximity to centres shifted to hard samples"
    cost = "time N^2 C, memory N^2; memory linear beyond N = 5,000"
    paper = "ren2017woec"
    paper_weighter = ("difficulty", {})
    needs_X: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"samples"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "bandwidth": BANDWIDTH,
        "partition": PARTITION,
        **SimilarityPartitioning._parameter_constraints,
    }

    def __init__(
        self,
        bandwidth: Any = "member",
        *,
        partition: str = "metis",
        n_neighbors: Any = "auto",
        imbalance: float = 0.001,
        backend: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.partition = partition
        self.n_neighbors = n_neighbors
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        if self.partition == "metis":
            return super()._combine(task)
        Q = unit_descriptions(self._probabilities(task), task.ensemble.offsets)
        return cluster_samples(product_cut(Q, task), task, _N_INIT)

    def _similarity(self, task: Task) -> Similarity:
        return mean_cosine(self._probabilities(task), task.ensemble.offsets)

    def _probabilities(self, task: Task) -> np.ndarray:
        return probabilities(
            task.ensemble, task.weights, task.X, self.bandwidth, "WOSP"
        )


@fill_doc
class WOHB(BipartitePartitioning):
    r"""Weighted-object hybrid bipartite graph partitioning.

    The bipartite graph of samples and clusters, weighted by the probabilities
    :math:`P_{il}` of :class:`WOSP`, is partitioned into parts of equal size [1]_:
    samples and clusters are grouped together. Like :class:`WOSP`, it uses the data; its
    graph has N times C edges instead of N squared.

    Parameters
    ----------
    %(bandwidth)s
    %(partition)s
    %(strict_imbalance)s
    %(backend)s

    Notes
    -----
    The paper uses the weights of :class:`~coterie.weighting.DifficultyWeighter`
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
    summary = "partitions the graph of samples and centres shifted to hard samples"
    cost = "time N C D, memory N C"
    paper = "ren2017woec"
    paper_weighter = ("difficulty", {})
    needs_X: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"samples"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "bandwidth": BANDWIDTH,
        "partition": PARTITION,
        **BipartitePartitioning._parameter_constraints,
    }

    def __init__(
        self,
        bandwidth: Any = "member",
        *,
        partition: str = "metis",
        imbalance: float = 0.001,
        backend: str = "auto",
    ) -> None:
        self.bandwidth = bandwidth
        self.partition = partition
        self.imbalance = imbalance
        self.backend = backend

    def _combine(self, task: Task) -> ConsensusResult:
        if self.partition == "metis":
            return super()._combine(task)
        cut = matrix_transfer_cut(self._edges(task), task.n_clusters, rng=task.rng)
        return cluster_samples(cut.embedding, task, _N_INIT)

    def _edges(self, task: Task) -> np.ndarray:  # Eq. 12
        return probabilities(
            task.ensemble, task.weights, task.X, self.bandwidth, "WOHB"
        )


@fill_doc
class WOKM(BaseConsensus):
    r"""Weighted-object k-means: k-means of the data in which hard samples count more.

    Centres are weighted means,
    :math:`c_k = \sum_{i \in C_k} w_i x_i / \sum_{i \in C_k} w_i`, so they move towards
    the samples on which the ensemble disagrees [1]_. The members matter only through
    the weights. Linear in time and memory.

    Parameters
    ----------
    n_init : int, default=10
        Starts, from randomly drawn samples; the best is kept.
    max_iter : int, default=100
        Maximum iterations of each start.

    Notes
    -----
    The paper uses a single start (``n_init=1``) and the weights of
    :class:`~coterie.weighting.DifficultyWeighter`; without weights this is k-means.

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
    summary = "k-means of the data with hard samples weighted up"
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
        found = kmeans(  # Algorithm 4
            checked_data(task.X, task.ensemble, "WOKM"),
            task.n_clusters,
            rng=task.rng,
            init="random",
            n_init=self.n_init,
            max_iter=self.max_iter,
            tol=0.0,
            sample_weight=sample_weights(task.ensemble, task.weights),
        )
        _, first = np.unique(found.labels, return_index=True)
        centers = found.centers[found.labels[np.sort(first)]]
        labels = relabel_by_appearance(found.labels)
        return kmeans_result(found, labels, centers=centers)


def sample_weights(ensemble: Ensemble, weights: Weights) -> np.ndarray:
    """Return the weight of each sample, (N,)."""
    return np.ones(ensemble.n_samples) if weights.samples is None else weights.samples


def checked_data(X: Any, ensemble: Ensemble, who: str) -> Any:
    """Return the data, or raise if they do not match the ensemble's samples."""
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
    """Return the probability of each cluster for each sample, (N, C).

    Parameters
    ----------
    ensemble : Ensemble
    weights : Weights
        Sample weights.
    X : (N, D) array or CSR matrix
    bandwidth : "member", "first" or float
        The number t of Eq. 7.
    who : str
        Named in errors.
    """
    X = checked_data(X, ensemble, who)
    C = ensemble.n_total_clusters
    advice = "Use WOMC, which needs only labels, or fewer members or samples."
    what = f"{who}: the probabilities of {C:,} clusters"
    check_memory(16 * ensemble.n_samples * C, what, None, advice)
    if isinstance(X, np.ndarray):
        X = X.astype(np.float64)
        X -= X.mean(axis=0)  # avoids cancellation in the products below
        squares = np.einsum("ij,ij->i", X, X)
    else:
        squares = X.multiply(X).sum(axis=1)
    centers = weighted_centers(ensemble, sample_weights(ensemble, weights), X)
    D = -2.0 * (X @ centers.T)  # (N, C), |x - m|^2 from here on
    D += np.asarray(squares).reshape(-1, 1)
    D += np.einsum("ij,ij->i", centers, centers)
    np.maximum(D, 0.0, out=D)
    t = None if isinstance(bandwidth, str) else float(bandwidth)
    for j in range(ensemble.n_members):
        own = D[:, ensemble.offsets[j] : ensemble.offsets[j + 1]]  # (N, k_j)
        if t is None or bandwidth == "member":
            t = float(own.mean()) or 1.0  # zero if all samples coincide
        own /= -t
        own -= own.max(axis=1, keepdims=True)  # avoids 0 / 0 for distant samples
        np.exp(own, out=own)  # Eq. 7
        own /= own.sum(axis=1, keepdims=True)  # Eq. 8
    return D


def weighted_centers(ensemble: Ensemble, samples: np.ndarray, X: Any) -> np.ndarray:
    """Return the weighted mean of each cluster, (C, D); # Eq. 6."""
    B = ensemble.incidence()
    mass = B.T @ samples
    massless = mass == 0  # clusters whose samples all have weight zero: plain mean
    H = B * samples[:, None]
    if massless.any():
        H = H + B * massless[None, :]
    H = H.tocsr()
    centers = H.T @ X
    centers = centers.toarray() if hasattr(centers, "toarray") else centers
    return centers / np.asarray(H.sum(axis=0)).reshape(-1, 1)


def unit_descriptions(P: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return Q such that ``Q Q^T`` is the members' mean cosine similarity."""
    squares = np.add.reduceat(P * P, offsets[:-1], axis=1)  # (N, M)
    norms = np.sqrt(squares * (offsets.size - 1))
    return P / np.repeat(norms, np.diff(offsets), axis=1)


def mean_cosine(P: np.ndarray, offsets: np.ndarray) -> Similarity:
    """Return the mean cosine similarity of the samples; # Eqs. 10, 11."""
    Q = unit_descriptions(P, offsets).astype(np.float32)
    return lambda start, stop: Q[start:stop] @ Q.T


def product_cut(Q: np.ndarray, task: Task) -> np.ndarray:
    """Embed the samples by the normalised cut of the graph ``Q Q^T``, (N, k)."""
    degrees = Q @ Q.sum(axis=0)  # (N,), positive: each sample is similar to itself
    T = Q / np.sqrt(degrees)[:, None]
    k = min(task.n_clusters, *T.shape)
    pairs = scaled_eigenpairs(T.T @ T, np.ones(T.shape[1]), k, task.rng)
    return (T @ pairs.vectors) / np.sqrt(np.maximum(pairs.values, 1e-300))
