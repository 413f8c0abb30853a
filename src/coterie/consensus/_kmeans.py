"""Consensus by k-means on the label rows, or on the rows of the co-association."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import kmeans
from coterie._memory import check_memory
from coterie._validation import Interval, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._embedding import kmeans_result
from coterie.consensus._products import dense_coassociation, gather
from coterie.consensus._profiles import Assign, ProfileMeans, member_shares
from coterie.consensus._utilities import UTILITIES, Profiles
from coterie.ensemble import Ensemble, Weights


def _utility_assignment(
    ensemble: Any,
    rows: np.ndarray,
    weights: Weights,
    utility: str,
    normalised: bool = False,
    p: float = 5.0,
) -> Assign:
    """k-means with the distance of a utility."""
    from coterie._kernels._kcc import nearest_profile

    profiles = Profiles(ensemble)
    measure = UTILITIES[utility](p)
    shares = member_shares(ensemble, weights)
    if normalised:
        size = np.abs(measure.convex(profiles.overall, profiles))  # (M,)
        shares = np.divide(shares, size, out=shares.copy(), where=size > 0)
    cluster_weights = profiles.spread(shares)[:, None]

    def assign(table: np.ndarray, labels: np.ndarray, distances: np.ndarray) -> None:
        centers = profiles.centers(table)
        costs = cluster_weights * measure.distances(centers, profiles)
        none = np.zeros(len(rows)), np.zeros(costs.shape[1])
        nearest_profile(rows, ensemble.offsets, costs, *none, labels, distances)

    return assign


@fill_doc
class KCC(ProfileMeans):
    r"""k-means-based consensus clustering, with any of its utilities.

    k-means on the label rows maximises the mean utility of the result with respect to
    the members [1]_,

    .. math::

        \max_\pi \sum_{m=1}^{M} w_m \Bigl( \sum_k p_k \, \phi(P_k^m)
        - \phi(P^m) \Bigr),

    where :math:`P_k^m` is the distribution of cluster k of the result over the clusters
    of member m, and :math:`P^m` that of all samples. Each convex :math:`\phi` defines a
    distance between a row and a centre, and k-means minimises their sum. Linear in
    samples, members and clusters.

    Parameters
    ----------
    n_init : int, default=10
        Starts; the best is kept.
    max_iter : int, default=100
        Maximum iterations of each start.
    utility : {"uc", "uh", "ucos", "ulp"}, default="uc"
        :math:`\phi`, and the distance of a row x to a centre y: "uc", the category
        utility, :math:`\lVert P \rVert^2` and :math:`\lVert x - y \rVert^2`; "uh",
        mutual information, :math:`-H(P)` and the Kullback-Leibler divergence; "ucos",
        :math:`\lVert P \rVert` and one minus the cosine; "ulp",
        :math:`\lVert P \rVert_p` and :math:`1 - \sum_j x_j y_j^{p-1} /
        \lVert y \rVert_p^{p-1}`.
    normalised : bool, default=False
        Whether to divide each member's utility by :math:`|\phi(P^m)|` (NUc, NUh, NUcos,
        NULp), so that members with many clusters do not count more.
    p : float, default=5.0
        The norm of "ulp".

    Notes
    -----
    A missing label is left out of the sum and of the centres, as in the paper. Starts
    are drawn as in k-means++; the paper draws them at random. An empty cluster takes
    the row farthest from its centre. As in the authors' program, a cluster that is
    absent from the centre costs a row 36 (that is, :math:`-\log 2^{-52}`) rather than
    infinity. If a member assigns no sample of a final cluster, the centre there is
    :math:`P^m`. A member with a single cluster is not divided by its entropy of zero.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import KCC
    >>> KCC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "kcc"
    summary = "k-means on the label rows, with any of eight utilities"
    cost = "time N M k, memory N M"
    paper = "wu2015kcc"
    group = "reason"
    take_if = "labelings of many samples: linear in time and memory"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **ProfileMeans._parameter_constraints,
        "utility": [StrOptions(set(UTILITIES))],
        "normalised": ["boolean"],
        "p": [Interval(Real, 1, None, closed="neither")],
    }

    def __init__(
        self,
        n_init: int = 10,
        max_iter: int = 100,
        *,
        utility: str = "uc",
        normalised: bool = False,
        p: float = 5.0,
    ) -> None:
        super().__init__(n_init, max_iter)
        self.utility = utility
        self.normalised = normalised
        self.p = p

    def _assignment(self, ensemble: Any, rows: np.ndarray, weights: Weights) -> Assign:
        return _utility_assignment(
            ensemble, rows, weights, self.utility, self.normalised, self.p
        )


@fill_doc
class ECC(ProfileMeans):
    r"""Entropy-based consensus clustering.

    Maximises the mean mutual information with the members by k-means on the label rows
    with the Kullback-Leibler divergence [1]_. It is :class:`KCC` with ``utility="uh"``
    under the name used in comparisons. Linear in samples, members and clusters.

    Parameters
    ----------
    n_init : int, default=10
        Starts; the best is kept.
    max_iter : int, default=100
        Maximum iterations of each start.

    Notes
    -----
    See :class:`KCC`.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import ECC
    >>> ECC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "ecc"
    summary = "k-means on the label rows that maximises mutual information"
    cost = "time N M k, memory N M"
    paper = "liu2017ecc"

    def _assignment(self, ensemble: Any, rows: np.ndarray, weights: Weights) -> Assign:
        return _utility_assignment(ensemble, rows, weights, "uh")


@fill_doc
class SEC(ProfileMeans):
    r"""Spectral ensemble clustering, by weighted k-means.

    The normalised cut of the co-association graph without an eigenvector: with
    :math:`b_i` the label row as zeros and ones and :math:`d_i` the degree of sample i
    (the sum of the sizes of its clusters),

    .. math:: \min \sum_i d_i \lVert b_i / d_i - m_{l(i)} \rVert^2

    has the same minimum as the discrete cut [1]_ [2]_. Linear in samples, members and
    clusters. :class:`CoassociationSpectral` relaxes the cut, and in :class:`KCC` large
    clusters count as much as small ones.

    Parameters
    ----------
    n_init : int, default=10
        Starts; the best is kept.
    max_iter : int, default=100
        Maximum iterations of each start.

    Notes
    -----
    A missing label is a zero in the row and in the degree, as in the papers. Starts are
    drawn as for :class:`KCC`.

    References
    ----------
    %(paper)s
    .. [2] H. Liu, J. Wu, T. Liu, D. Tao, Y. Fu, "Spectral ensemble clustering via
       weighted k-means: theoretical and practical evidence", IEEE TKDE 29(5),
       1129-1143, 2017. :doi:`10.1109/TKDE.2017.2650229`

    Examples
    --------
    >>> from coterie.consensus import SEC
    >>> SEC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "sec"
    summary = "normalised cut of the co-association by weighted k-means"
    cost = "time N M k, memory N M"
    paper = "liu2015sec"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})

    def _assignment(self, ensemble: Any, rows: np.ndarray, weights: Weights) -> Assign:
        from coterie._kernels import _incidence
        from coterie._kernels._kcc import nearest_profile

        offsets = ensemble.offsets
        w = weights.per_cluster(ensemble)  # (C,)
        pull = w * ensemble.cluster_sizes
        own = np.empty((len(rows), 2))  # |b_i|^2 and d_i
        _incidence.gather(rows, offsets, np.column_stack([w, pull]), own)
        norms, degrees = np.ascontiguousarray(own.T)

        def assign(
            table: np.ndarray, labels: np.ndarray, distances: np.ndarray
        ) -> None:
            volumes = pull @ table  # (k,) sums of degrees
            centers = table / np.where(volumes > 0, volumes, np.inf)
            # d |b / d - m|^2 = |b|^2 / d - 2 b m + d |m|^2
            base = np.where(volumes > 0, w @ centers**2, np.inf)
            costs = -2.0 * w[:, None] * centers
            nearest_profile(rows, offsets, costs, degrees, base, labels, distances)
            distances += norms / degrees

        return assign


@fill_doc
class KC(BaseConsensus):
    """k-means on the rows of the co-association matrix.

    Each sample is described by its co-association with all samples, and k-means runs on
    these rows: a baseline in many papers [1]_ [2]_. Memory is that of samples times all
    clusters, or of the co-association of distinct label rows, whichever is less.

    Parameters
    ----------
    n_init : int, default=10
        Starts of k-means; the best is kept.

    Notes
    -----
    Exact, without the N x N matrix: distances between its rows are those between label
    rows in the metric of the clusters' overlap, and samples with the same label row are
    one weighted point. This does not hold with missing labels, so then the
    co-association of the distinct label rows is formed, if memory allows.

    References
    ----------
    %(paper)s
    %(paper2:li2008wcc)s

    Examples
    --------
    >>> from coterie.consensus import KC
    >>> KC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "kc"
    summary = "k-means on the rows of the co-association"
    cost = "time N C k, memory N C"
    paper = "zhou2021spce"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_init: int = 10) -> None:
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        core = task.ensemble.core
        found = kmeans(
            _coassociation_points(task.ensemble, task.weights),
            min(task.n_clusters, len(core)),
            rng=task.rng,
            n_init=self.n_init,
            sample_weight=core.counts.astype(np.float64),
        )
        return kmeans_result(found, found.labels[core.index])


def _coassociation_points(ensemble: Ensemble, weights: Weights) -> np.ndarray:
    """Return points with the distances of rows of the co-association, (u, d)."""
    core, C = ensemble.core, ensemble.n_total_clusters
    u = len(core)
    advice = "Use KCC, SEC or HBGF."
    if ensemble.has_missing or u <= C:
        what = f"KC: the co-association of {u:,} distinct label rows"
        check_memory(12 * u * u, what, None, advice)
        # a column for each sample
        return dense_coassociation(ensemble, weights) * np.sqrt(core.counts)
    what = f"KC: {u:,} distinct label rows in the space of {C:,} clusters"
    check_memory(8 * u * C + 24 * C * C, what, None, advice)
    # |S_i - S_j|^2 = (b_i - b_j) W B^T B W (b_i - b_j)^T
    w = weights.per_cluster(ensemble)
    values, vectors = np.linalg.eigh(w[:, None] * ensemble.overlap() * w)
    kept = values > 1e-12 * values[-1]
    return gather(ensemble, vectors[:, kept] * np.sqrt(values[kept]))
