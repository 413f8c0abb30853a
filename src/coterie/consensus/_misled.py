"""Whether cluster weights mislead a tree: its pieces are grouped again without them."""

from __future__ import annotations

import warnings
from heapq import heappop, heappush
from typing import Any

import numpy as np

from coterie._linalg import cut_tree, linkage
from coterie.consensus._base import ConsensusResult, Task
from coterie.consensus._products import tabulate
from coterie.consensus._sizes import in_words
from coterie.ensemble import Ensemble
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.exceptions import WeightsDisagreeWarning
from coterie.metrics import ari, member_quality

UNWEIGHTED = "unweighted_labels"  # in the details of a result

# experiments/entropy_weights.py measures what these find, and what they cost.
_PIECES = 80  # of all final clusters together
_FEWEST = 4  # of each
_MOST_CLUSTERS = 128
_ALIKE = 0.7  # ARI of the two results from which on they are much the same
_GAIN = 1.1  # by which factor the members must agree better without the weights


def without_weights(task: Task, Z: np.ndarray, labels: np.ndarray) -> np.ndarray | None:
    """Return the clusters without weights, None if the weighted ones are as good.

    The highest merges inside each final cluster are undone, and average linkage by the
    mean co-association without cluster weights puts the pieces together again. So this
    is the upper part of the unweighted tree, for a tenth of its cost, if the pieces are
    right; with more than 128 clusters nothing is checked.

    Parameters
    ----------
    task : Task
        With weights of clusters.
    Z : (u - 1, 4) array
        The average linkage of its distinct label rows.
    labels : (N,) int array
        The tree's cut at ``task.n_clusters``.

    Returns
    -------
    (N,) int32 array or None
        The labels, if they differ much from the weighted ones and the members agree
        better with them.
    """
    w = task.weights.clusters
    if task.n_clusters > _MOST_CLUSTERS or w is None or np.allclose(w, w[0]):
        return None  # equal weights: only ties are broken differently
    n_pieces = max(_FEWEST, _PIECES // task.n_clusters)
    pieces = cut_each(Z, task.n_clusters, n_pieces)  # (u,)
    shares = task.weights.member_shares(task.ensemble)
    S, sizes = mean_coassociation(task.ensemble, pieces, shares)
    apart = 1.0 - S[np.triu_indices(sizes.size, 1)]
    tree = linkage(apart.astype(np.float32), sizes=sizes)  # as the weighted tree
    other = cut_tree(tree, task.n_clusters)[pieces][task.ensemble.core.index]
    if ari(labels, other) >= _ALIKE:
        return None
    weighted, unweighted = (
        float(member_quality(found, task.ensemble) @ shares)
        for found in (labels, other)
    )
    if unweighted < _GAIN * weighted:
        return None
    return relabel_by_appearance(other)


def cut_each(Z: np.ndarray, n_clusters: int, n_pieces: int) -> np.ndarray:
    """Cut a tree into clusters, and each of these into pieces at its highest merges.

    Parameters
    ----------
    Z : (n - 1, 4) array
        The tree, sorted by height.
    n_clusters : int
    n_pieces : int
        Pieces of each cluster; fewer where it has fewer items.

    Returns
    -------
    (n,) int32 array
        Pieces of the same cluster have successive numbers.

    Examples
    --------
    >>> from coterie._linalg import linkage
    >>> from coterie.consensus._misled import cut_each
    >>> Z = linkage([1.0, 9.0, 9.0, 9.0, 9.0, 2.0])  # of four items
    >>> cut_each(Z, 2, 1), cut_each(Z, 2, 2)
    (array([0, 0, 1, 1], dtype=int32), array([0, 1, 2, 3], dtype=int32))
    """
    n = len(Z) + 1
    children = Z[:, :2].astype(np.int64)
    piece = np.full(2 * n - 1, -1, dtype=np.int32)  # of each node
    n_found = 0
    for cluster in sorted(_highest(children, 2 * n - 2, n_clusters)):
        for node in sorted(_highest(children, cluster, n_pieces)):
            piece[node] = n_found
            n_found += 1
    for node in range(2 * n - 2, n - 1, -1):  # parents before their children
        if piece[node] >= 0:
            piece[children[node - n]] = piece[node]
    return piece[:n]


def _highest(children: np.ndarray, root: int, n_nodes: int) -> list[int]:
    """Return the nodes below root that are left when its highest merges are undone."""
    n = len(children) + 1
    nodes = [-root]  # nodes are numbered by height
    while len(nodes) < n_nodes and -nodes[0] >= n:
        for child in children[-heappop(nodes) - n]:
            heappush(nodes, -int(child))
    return [-node for node in nodes]


def mean_coassociation(
    ensemble: Ensemble, groups: np.ndarray, shares: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the mean co-association between groups of label rows, and their sizes.

    A pair of samples counts in the members that assign both.

    Parameters
    ----------
    ensemble : Ensemble
    groups : (u,) int array
        The group of each distinct label row, from 0 to m - 1.
    shares : (M,) array
        Weights of the members.

    Returns
    -------
    S : (m, m) array
    sizes : (m,) array
    """
    sizes = np.bincount(groups, ensemble.core.counts)
    counts = tabulate(ensemble, groups, sizes.size)  # (C, m)
    per_cluster = np.repeat(shares, ensemble.n_clusters_per_member)
    together = counts.T @ (per_cluster[:, None] * counts)
    if ensemble.has_missing:
        assigned = np.add.reduceat(counts, ensemble.offsets[:-1], axis=0)  # (M, m)
        both = assigned.T @ (shares[:, None] * assigned)
    else:
        both = sizes[:, None] * sizes
    return np.divide(together, both, out=together, where=both > 0), sizes


def warn_of_weights(consensus: Any, result: ConsensusResult) -> None:
    """Tell the user if the details hold other labels, unless the function is quiet."""
    other = result.details.get(UNWEIGHTED)
    if other is None or getattr(consensus, "_quiet", False):
        return
    who = type(consensus).__name__
    weighted, unweighted = (in_words(np.bincount(z)) for z in (result.labels, other))
    warnings.warn(
        f"{who}: the cluster weights may mislead. With them the clusters have "
        f"{weighted} samples, without them {unweighted}, and the "
        "members agree better with the latter. Entropy weights count a cluster little "
        "if the members cut it into many pieces, so that a large cluster may be split "
        "and small ones merged. Compare with weighter=None (MDEC: weighted=False), or "
        "with the bipartite graph, consensus='lwgp' (MDEC: 'bg').",
        WeightsDisagreeWarning,
        stacklevel=6,
    )
