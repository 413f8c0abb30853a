"""The mathematics of the measures: each maps a contingency table to a float.

Unassigned samples are clusters of one here: they enter the sums over cells and clusters
in closed form and take up no columns of the table.
"""

from __future__ import annotations

import warnings
from math import log, sqrt
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from scipy.optimize import linear_sum_assignment
from scipy.sparse import csr_array, hstack, identity
from scipy.sparse.csgraph import min_weight_full_bipartite_matching
from scipy.special import gammaln
from sklearn.metrics import adjusted_mutual_info_score

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from coterie.metrics._contingency import Contingency

_SKLEARN_TERMS = 10**7  # scikit-learn's expected information: about 50 ns per term

AVERAGES = {
    "max": max,
    "geometric": lambda h, g: sqrt(h * g),
    "arithmetic": lambda h, g: (h + g) / 2,
    "min": min,
}


class PairCounts(NamedTuple):
    """Unordered pairs of samples, as Python integers (their products are exact)."""

    together: int  # in both partitions
    only_class: int  # in one class, in different clusters
    only_cluster: int  # in one cluster, of different classes
    apart: int  # in both partitions


def pair_counts(counts: Contingency) -> PairCounts:
    """Count the pairs of samples that are together in both, one or no partition."""
    n = counts.n_samples
    together = _pairs(counts.cells[2])
    in_class, in_cluster = _pairs(counts.class_sizes), _pairs(counts.cluster_sizes)
    apart = n * (n - 1) // 2 - in_class - in_cluster + together
    return PairCounts(together, in_class - together, in_cluster - together, apart)


def _pairs(sizes: NDArray[np.int64]) -> int:
    # the sum is below n_samples squared: int64 holds it up to 3e9 samples
    return int(np.sum(sizes * (sizes - 1) // 2))


def same_partition(counts: Contingency) -> bool:
    """Return whether classes and clusters are the same partition of the samples."""
    n_cells = len(counts.cells[2]) + counts.n_unassigned
    n_clusters = len(counts.cluster_sizes) + counts.n_unassigned
    return n_cells == len(counts.class_sizes) == n_clusters


def ari(counts: Contingency) -> float:
    """Rand index adjusted for chance, from the pair counts."""
    tp, fn, fp, tn = pair_counts(counts)
    if fn == 0 and fp == 0:
        return 1.0
    expected = (tp + fn) * (fn + tn) + (tp + fp) * (fp + tn)
    return 2 * (tp * tn - fn * fp) / expected


def rand_index(counts: Contingency) -> float:
    """Share of pairs that are together in both partitions, or apart in both."""
    tp, fn, fp, tn = pair_counts(counts)
    n_pairs = tp + fn + fp + tn
    return (tp + tn) / n_pairs if n_pairs else 1.0


def pairwise_f(counts: Contingency) -> float:
    """F1 of the pairs that are together."""
    tp, fn, fp, _ = pair_counts(counts)
    return 2 * tp / (2 * tp + fn + fp) if tp + fn + fp else 1.0


def purity(counts: Contingency) -> float:
    """Share of samples in the largest class of their cluster."""
    if len(counts.cluster_sizes) == 0:
        return 0.0
    largest = counts.table.max(axis=0)  # (k',)
    return int(largest.sum()) / counts.n_samples


def accuracy(counts: Contingency) -> float:
    """Share of samples in the matched cells of the best one-to-one matching."""
    table = counts.table
    if isinstance(table, np.ndarray):
        matched = table[linear_sum_assignment(table, maximize=True)].sum()
        return int(matched) / counts.n_samples
    # The sparse solver must match every row and allows no zero weights: each row gets
    # its own "no cluster" column, and all weights are raised by one.
    n_rows = table.shape[0]
    raised = csr_array((table.data + 1.0, table.indices, table.indptr), table.shape)
    padded = csr_array(hstack([raised, identity(n_rows)]))
    rows, columns = min_weight_full_bipartite_matching(padded, maximize=True)
    return int(padded[rows, columns].sum() - n_rows) / counts.n_samples


def mutual_information(counts: Contingency) -> float:
    """I(y; z) in nats."""
    n = counts.n_samples
    rows, columns, n_ij = counts.cells
    log_classes = np.log(counts.class_sizes)  # (k,)
    log_clusters = np.log(counts.cluster_sizes)  # (k',)
    gain = np.log(n_ij) + log(n) - (log_classes[rows] + log_clusters[columns])
    alone = counts.unassigned / n * (log(n) - log_classes)  # (k,), clusters of one
    return max(0.0, _total(n_ij / n * gain) + _total(alone))


def entropies(counts: Contingency) -> tuple[float, float]:
    """H(y) and H(z) in nats."""
    n = counts.n_samples
    p, q = counts.class_sizes / n, counts.cluster_sizes / n
    alone = counts.n_unassigned / n * log(n)
    # 0.0 is added to turn -0.0 into 0.0
    return _total(-p * np.log(p)) + 0.0, _total(-q * np.log(q)) + alone + 0.0


def _total(terms: NDArray[np.float64]) -> float:
    # sorted: the order of samples and the names of clusters must not change any bit
    return float(np.sort(terms).sum())


def nmi(counts: Contingency, average: str) -> float:
    """Mutual information over an average of the entropies."""
    if same_partition(counts):
        return 1.0
    information = mutual_information(counts)
    normaliser = AVERAGES[average](*entropies(counts))
    if information <= np.finfo(np.float64).eps or normaliser <= 0.0:
        return 0.0
    return min(1.0, information / normaliser)


def ami(counts: Contingency) -> float:
    """Mutual information adjusted for chance, with the arithmetic average."""
    if same_partition(counts):
        return 1.0
    n, k = counts.n_samples, len(counts.class_sizes)
    n_clusters = len(counts.cluster_sizes) + counts.n_unassigned
    if k == 1 or n_clusters == 1:
        return 0.0
    if min(k, n_clusters) * n + k * n_clusters <= _SKLEARN_TERMS:
        with warnings.catch_warnings():
            # before 1.8, scikit-learn mistakes many small clusters for regression
            warnings.simplefilter("ignore", UserWarning)
            return float(adjusted_mutual_info_score(*_example(counts)))
    alone = np.ones(counts.n_unassigned, dtype=np.int64)
    expected = expected_information(
        counts.class_sizes, np.concatenate([counts.cluster_sizes, alone]), n
    )
    room = sum(entropies(counts)) / 2 - expected
    eps = np.finfo(np.float64).eps
    room = min(room, -eps) if room < 0 else max(room, eps)
    return float((mutual_information(counts) - expected) / room)


def _example(counts: Contingency) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Two vectors of labels that have this contingency table."""
    rows, columns, n_ij = counts.cells
    alone = np.repeat(np.arange(len(counts.unassigned)), counts.unassigned)
    own = len(counts.cluster_sizes) + np.arange(len(alone))
    return (
        np.concatenate([np.repeat(rows, n_ij), alone]),
        np.concatenate([np.repeat(columns, n_ij), own]),
    )


def expected_information(a: NDArray[np.int64], b: NDArray[np.int64], n: int) -> float:
    """E[I] over random partitions with cluster sizes a and b.

    The overlap of a class of size a and a cluster of size b is hypergeometric, so
    equal sizes share one sum. There are at most some sqrt(2 n) distinct sizes.
    """
    b_sizes, b_times = np.unique(b, return_counts=True)
    total = 0.0
    for size, times in zip(*np.unique(a, return_counts=True), strict=True):
        mean = size * (b_sizes / n)
        spread = np.sqrt(mean * (1 - size / n) * (n - b_sizes) / max(n - 1, 1))
        reach = 12 * spread + 40  # the probability beyond is below 1e-25
        low = np.maximum(np.maximum(1, size + b_sizes - n), np.floor(mean - reach))
        high = np.minimum(np.minimum(size, b_sizes), np.ceil(mean + reach))
        n_terms = (high - low + 1).astype(np.int64)  # for each size in b
        first = np.cumsum(n_terms) - n_terms
        which = np.repeat(np.arange(len(b_sizes)), n_terms)
        n_ij = low[which] + (np.arange(len(which)) - first[which])
        other = b_sizes[which]
        log_p = (
            (_log_factorial(b_sizes) + _log_factorial(n - b_sizes))[which]
            + (_log_factorial(size) + _log_factorial(n - size) - _log_factorial(n))
            - _log_factorial(n_ij)
            - _log_factorial(size - n_ij)
            - _log_factorial(other - n_ij)
            - _log_factorial(n - size - other + n_ij)
        )
        gain = np.log(n_ij) + log(n) - (log(size) + np.log(other))
        terms = (n_ij / n) * gain * np.exp(log_p)
        total += times * float(np.sum(b_times[which] * terms))
    return total


def _log_factorial(x: ArrayLike) -> NDArray[np.float64]:
    return gammaln(np.asarray(x, dtype=np.float64) + 1.0)
