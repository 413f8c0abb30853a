"""Criteria for the number of clusters, computed from the members at one k.

They use the distinct label rows. Only the tree needs the consensus value of each pair
of samples.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coterie._linalg import cut_tree, linkage
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import core_coassociation
from coterie.metrics import member_agreement

PAC_BOUNDS = (0.1, 0.9)
CDF_GRID = np.linspace(0.0, 1.0, 101)
_ROUNDING = 1e-9


def consensus_levels(ensemble: Ensemble) -> np.ndarray:
    """Return the share of pairs of samples that 0, 1, ..., M members put together.

    Parameters
    ----------
    ensemble : Ensemble
        With M members and no missing labels.

    Returns
    -------
    (M + 1,) float64 array
        The distribution of the consensus values 0, 1/M, ..., 1; it sums to one.
    """
    from coterie._kernels._coassociation import count_levels

    core = ensemble.core
    S = core_coassociation(ensemble, Weights())
    counts = np.zeros(ensemble.n_members + 1, dtype=np.int64)
    count_levels(S.condensed, core.counts, counts)
    return counts / max(1, counts.sum())


def consensus_cdf(levels: np.ndarray, grid: np.ndarray = CDF_GRID) -> np.ndarray:
    """Return the share of pairs whose consensus value is at most each grid value.

    Parameters
    ----------
    levels : (M + 1,) array
        From :func:`consensus_levels`.
    grid : (g,) array
    """
    n_members = levels.size - 1
    upto = np.floor(grid * n_members + _ROUNDING).astype(int)  # 0.3 * 10 is 3
    return np.cumsum(levels)[upto]


def pac(levels: np.ndarray, bounds: tuple[float, float] = PAC_BOUNDS) -> float:
    """Return the proportion of ambiguously clustered pairs [1]_; small is good.

    Pairs that more than 10% and at most 90% of the members put together.

    References
    ----------
    .. [1] Y. Şenbabaoğlu, G. Michailidis, J. Z. Li, "Critical limitations of consensus
       clustering in class discovery", Scientific Reports 4, 6207, 2014.
       :doi:`10.1038/srep06207`
    """
    low, high = consensus_cdf(levels, np.array(bounds))
    return float(high - low)


def cdf_area(levels: np.ndarray) -> float:
    """Return the area under the consensus CDF, one minus the mean consensus value."""
    return float(np.sum(levels * np.linspace(1.0, 0.0, levels.size)))


def delta_area(areas: Sequence[float]) -> np.ndarray:
    """Return the relative growth of the area from each k to the next [1]_.

    The first value is the area itself, as in the paper; an elbow shows where more
    clusters add little.

    References
    ----------
    .. [1] S. Monti, P. Tamayo, J. Mesirov, T. Golub, "Consensus clustering", Machine
       Learning 52, 91-118, 2003. :doi:`10.1023/A:1023949509487`
    """
    area = np.asarray(areas, dtype=np.float64)
    before = np.maximum(area[:-1], _ROUNDING)
    return np.concatenate([area[:1], (area[1:] - area[:-1]) / before])


def dispersion(levels: np.ndarray) -> float:
    """Return the mean of 4 (C - 1/2)^2 over pairs [1]_: one if all members agree.

    References
    ----------
    .. [1] H. Kim, H. Park, "Sparse non-negative matrix factorizations via alternating
       non-negativity-constrained least squares for microarray data analysis",
       Bioinformatics 23(12), 1495-1502, 2007. :doi:`10.1093/bioinformatics/btm134`
    """
    values = np.linspace(0.0, 1.0, levels.size)
    return float(np.sum(levels * 4.0 * (values - 0.5) ** 2))


def stability(ensemble: Ensemble) -> float:
    """Return the mean adjusted Rand index of members from different halves.

    Members 0 and 1 come from the two halves of one split, 2 and 3 from those of the
    next, and so on. The index is corrected for chance, so more clusters are no
    disadvantage.
    """
    agreement = member_agreement(ensemble, measure="ari")
    first = np.arange(0, ensemble.n_members - 1, 2)
    return float(agreement[first, first + 1].mean())


def consensus_tree(ensemble: Ensemble) -> tuple[np.ndarray, float]:
    """Return the average-linkage tree of the samples, and how well it fits.

    The fit is the cophenetic correlation [1]_: the correlation of one minus the
    consensus values of all pairs with the heights at which the tree joins them. It is
    one for a tree whose heights are all equal.

    References
    ----------
    .. [1] J.-P. Brunet, P. Tamayo, T. R. Golub, J. P. Mesirov, "Metagenes and molecular
       pattern discovery using matrix factorization", PNAS 101(12), 4164-4169, 2004.
       :doi:`10.1073/pnas.0308531101`
    """
    from scipy.cluster.hierarchy import cophenet

    distances = 1.0 - ensemble.coassociation(format="condensed")
    Z = linkage(distances)
    heights = cophenet(Z)
    if np.ptp(heights) <= _ROUNDING:
        return Z, 1.0
    return Z, float(np.corrcoef(distances, heights)[0, 1])


def consensus_labels(Z: np.ndarray, ensemble: Ensemble, n_clusters: int) -> np.ndarray:
    """Cut the tree; samples that no member separates stay together."""
    return cut_tree(Z, min(n_clusters, len(ensemble.core)))


def eigengap(ensemble: Ensemble, k_values: Sequence[int]) -> np.ndarray:
    """Return the gap after the k-th eigenvalue of the co-association of all members.

    The matrix is normalised symmetrically and reduced to the distinct rows; k groups
    that are never mixed have k eigenvalues of one.

    Parameters
    ----------
    ensemble : Ensemble
        The members of all k together.
    k_values : sequence of int
    """
    from scipy.linalg import eigvalsh

    core = ensemble.core
    codes = ensemble.global_labels(core.rows).reshape(core.rows.shape)
    B = np.zeros((len(core), ensemble.n_total_clusters))
    np.put_along_axis(B, codes, 1.0, axis=1)
    S = B @ B.T
    degrees = S @ core.counts
    scale = np.sqrt(core.counts / degrees)
    top = min(len(core), max(k_values) + 1)
    at = [len(core) - top, len(core) - 1]
    values = eigvalsh(S * scale[:, None] * scale, subset_by_index=at)[::-1]
    values = np.append(values, np.zeros(max(k_values) + 1 - top))  # all others are zero
    return np.array([values[k - 1] - values[k] for k in k_values])
