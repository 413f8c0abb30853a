"""Internal criteria: how well a clustering fits the distances, without known classes.

All four follow from two tables: the sums of the distances, and of the squared
distances, from each sample to each cluster. They are accumulated over tiles of rows, so
the full distance matrix is never needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._validation import check_data
from coterie.metrics._contingency import as_vector, code

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

_TILE_BYTES = 64 * 2**20


@dataclass(frozen=True, eq=False)
class DistanceSums:
    """Sums of distances from samples to clusters.

    Attributes
    ----------
    labels : ndarray of int, shape (n,)
        The clusters, 0..k - 1, none empty.
    plain : ndarray of shape (n, k)
        Sum of the distances of a sample to the samples of a cluster.
    squared : ndarray of shape (n, k)
        Sum of the squared distances.
    """

    labels: NDArray[np.intp]
    plain: NDArray[np.float64]
    squared: NDArray[np.float64]

    @property
    def sizes(self) -> NDArray[np.float64]:
        """Number of samples of each cluster."""
        return np.bincount(self.labels).astype(np.float64)


def distance_sums(
    tiles: Iterable[tuple[slice, Any]], labels: ArrayLike
) -> DistanceSums:
    """Add up distances from samples to clusters.

    Each of the tiles is a slice of rows and their squared distances to all samples.
    """
    return sums_of_each(tiles, [labels])[0]


def sums_of_each(
    tiles: Iterable[tuple[slice, Any]], labelings: Sequence[ArrayLike]
) -> list[DistanceSums]:
    """Do the same for several labelings in one pass over the distances."""
    codes = [
        np.unique(np.asarray(y), return_inverse=True)[1].ravel() for y in labelings
    ]
    ends = np.cumsum([0, *(one.max() + 1 for one in codes)])
    member = np.hstack([np.eye(one.max() + 1)[one] for one in codes])  # (n, sum of k)
    plain, squared = np.zeros_like(member), np.zeros_like(member)
    for tile, d2 in tiles:
        d2 = np.maximum(d2, 0.0)
        squared[tile] = d2 @ member
        plain[tile] = np.sqrt(d2) @ member
    spans = [slice(a, b) for a, b in pairwise(ends)]
    return [
        DistanceSums(one, plain[:, span], squared[:, span])
        for one, span in zip(codes, spans, strict=True)
    ]


def silhouette_width(sums: DistanceSums) -> float:
    """Silhouette width criterion (SWC), larger is better."""
    return float(silhouette_samples(sums).mean())


def silhouette_samples(sums: DistanceSums) -> NDArray[np.float64]:
    r"""How much nearer each sample is to its own cluster than to the next one.

    :math:`(b_i - a_i) / \max(a_i, b_i)`, where a is the mean distance of sample i to
    the others of its cluster and b the smallest mean distance to another cluster; zero
    for a sample alone in its cluster, and if there is only one cluster.
    """
    rows = np.arange(sums.labels.size)
    sizes = sums.sizes
    if sizes.size == 1:
        return np.zeros(rows.size)
    own = sizes[sums.labels]
    a = sums.plain[rows, sums.labels] / np.maximum(own - 1, 1)
    others = sums.plain / sizes
    others[rows, sums.labels] = np.inf
    b = others.min(axis=1)
    larger = np.maximum(a, b)
    width = np.divide(b - a, larger, out=np.zeros_like(a), where=larger > 0)
    return np.where(own > 1, width, 0.0)


def point_biserial(sums: DistanceSums) -> float:
    r"""Point-biserial criterion (PB), larger is better.

    The correlation, over all pairs of samples, between their distance and whether they
    are in different clusters,

    .. math:: \frac{\bar d_b - \bar d_w}{s_d} \sqrt{\frac{w b}{t^2}},

    with w pairs within clusters at mean distance :math:`\bar d_w`, b pairs between
    clusters at :math:`\bar d_b`, and t pairs in all, of standard deviation :math:`s_d`.
    """
    n = sums.labels.size
    rows = np.arange(n)
    t = max(n * (n - 1) / 2, 1)
    w = float((sums.sizes * (sums.sizes - 1)).sum() / 2)
    b = t - w
    total = sums.plain.sum() / 2
    within = sums.plain[rows, sums.labels].sum() / 2
    variance = sums.squared.sum() / 2 / t - (total / t) ** 2
    if w == 0 or b == 0 or variance <= 0:
        return 0.0
    gap = (total - within) / b - within / w
    return float(gap / np.sqrt(variance) * np.sqrt(w * b) / t)


def pbm(sums: DistanceSums) -> float:
    r"""PBM criterion, larger is better.

    .. math:: \left( \frac{1}{k} \frac{E_1}{E_k} D_k \right)^2

    with the sum :math:`E_1` of distances to the overall mean, the sum :math:`E_k` of
    distances to the cluster means, and the largest distance :math:`D_k` between two
    cluster means.
    """
    n = sums.labels.size
    k = sums.sizes.size
    member = np.eye(k)[sums.labels]
    between = member.T @ sums.squared  # (k, k) sums over pairs
    inner = between.diagonal() / (2 * sums.sizes**2)  # mean |x - m|^2 of a cluster
    to_own = sums.squared[np.arange(n), sums.labels] / sums.sizes[sums.labels]
    E_k = np.sqrt(np.maximum(to_own - inner[sums.labels], 0.0)).sum()
    to_all = sums.squared.sum(axis=1) / n
    E_1 = np.sqrt(np.maximum(to_all - sums.squared.sum() / (2 * n**2), 0.0)).sum()
    mean_gap = between / np.outer(sums.sizes, sums.sizes) - inner[:, None] - inner
    D_k = np.sqrt(np.maximum(mean_gap, 0.0).max())
    return float((E_1 / (k * E_k) * D_k) ** 2) if E_k > 0 else np.inf


def variance_ratio(sums: DistanceSums) -> float:
    r"""Variance ratio criterion (VRC, Calinski-Harabasz), larger is better.

    .. math:: \frac{B / (k - 1)}{W / (n - k)}

    with the sums of squares B between and W within clusters.
    """
    n, k = sums.labels.size, sums.sizes.size
    own = sums.squared[np.arange(n), sums.labels]
    W = float((own / sums.sizes[sums.labels]).sum() / 2)
    B = float(sums.squared.sum() / (2 * n)) - W
    if k == 1 or n == k:
        return 0.0
    return (B / (k - 1)) / (W / (n - k)) if W > 0 else np.inf


CRITERIA = {
    "swc": silhouette_width,
    "pb": point_biserial,
    "pbm": pbm,
    "vrc": variance_ratio,
}


def validity(X: Any, labels: ArrayLike, criterion: str = "swc") -> float:
    """How well a clustering fits the data, without known classes.

    Parameters
    ----------
    X : array-like of shape (n, d)
        The samples.
    labels : array-like of shape (n,)
        The cluster of each sample.
    criterion : {"swc", "pb", "pbm", "vrc"}, default="swc"
        Silhouette width, point-biserial, PBM or variance ratio, with Euclidean
        distances; larger is better.

    Returns
    -------
    float
        The value of the criterion.

    References
    ----------
    .. [1] L. Vendramin, R. J. G. B. Campello, E. R. Hruschka, "Relative clustering
       validity criteria: a comparative overview", Statistical Analysis and Data Mining
       3(4), 209-235, 2010. :doi:`10.1002/sam.10080`

    Examples
    --------
    >>> from coterie.metrics import validity
    >>> X = [[0.0], [1.0], [10.0], [11.0]]
    >>> round(validity(X, [0, 0, 1, 1], "vrc"), 1)
    200.0
    """
    if criterion not in CRITERIA:
        raise ValueError(
            f"validity got criterion={criterion!r}; it must be one of "
            f"{sorted(CRITERIA)}."
        )
    X = check_data(X, "validity", accept_sparse=False)
    values = as_vector("validity", "labels", labels)
    if len(values) != len(X):
        raise ValueError(f"validity got {len(values)} labels for {len(X)} samples.")
    codes, _ = code("validity", "labels", values, minus_one_is_missing=False)
    if codes.min() < 0:
        raise ValueError(
            f"validity expects a cluster for every sample, got {(codes < 0).sum()} of "
            f"{len(codes)} missing (NaN or None). Leave these samples out of X, too."
        )
    return CRITERIA[criterion](distance_sums(distance_tiles(X), codes))


def distance_tiles(X: Any) -> Iterable[tuple[slice, Any]]:
    """Yield the squared Euclidean distances, some rows at a time."""
    from scipy.spatial.distance import cdist

    size = max(1, _TILE_BYTES // (8 * len(X)))
    for s in range(0, len(X), size):
        tile = slice(s, min(s + size, len(X)))
        yield tile, cdist(X[tile], X, "sqeuclidean")
