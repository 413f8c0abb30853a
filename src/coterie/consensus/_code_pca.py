"""Consensus by principal components of the members' one-hot labels."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import code_pca, cut_tree, kmeans, linkage_points, one_hot_pca
from coterie._linalg._codes import unsigned_codes
from coterie._typing import LABEL_DTYPE
from coterie._validation import StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task

PARTITIONS = ("auto", "average", "average_squared", "ward", "kmeans")
_AVERAGE_UP_TO = 15_000  # samples, for "auto": 450 MB of distances
_STARTS = 10  # of k-means


@fill_doc
class CodePCA(BaseConsensus):
    r"""Principal components of one-hot labels, then a tree or k-means.

    The one-hot labels of all members, side by side, are reduced to one principal
    component for each cluster asked for, and clustered there. This is how an ensemble
    of bootstrap networks is combined [1]_. The one-hot matrix is never formed: only the
    number of members in which two samples agree is needed, so thousands of members are
    fine. A member of weight w counts w times.

    Parameters
    ----------
    partition : {"auto", "average", "average_squared", "ward", "kmeans"}, default="auto"
        How to cluster the components: the linkage of a tree, or k-means. "auto" is
        "average" for up to 15,000 samples and "ward" beyond.

    Notes
    -----
    A missing label is a zero in all columns of its member. ``details`` has the
    ``embedding`` and ``component_squares``, the sums of squares of its columns.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CodePCA
    >>> CodePCA().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "code-pca"
    summary = "principal components of one-hot labels, then a tree or k-means"
    cost = "time N^2 M, memory N^2; N M beyond N = 10,000"
    paper = "zhang2021fmbne"
    embeds_one_cluster: ClassVar[bool] = True
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "partition": [StrOptions(set(PARTITIONS))],
    }

    def __init__(self, partition: str = "auto") -> None:
        self.partition = partition

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble, members = task.ensemble, task.weights.members
        if ensemble.has_missing or (members is not None and np.ptp(members) > 0):
            root = np.sqrt(task.weights.per_cluster(ensemble) * ensemble.n_members)
            H = ensemble.incidence() * root[None, :]
            found = one_hot_pca(H.tocsr(), task.n_clusters, rng=task.rng)
        else:
            codes = unsigned_codes(ensemble.labels)
            found = code_pca(codes, task.n_clusters, rng=task.rng)
        return ConsensusResult(
            self._partition(found.scores, task.n_clusters, task.rng),
            details={"embedding": found.scores, "component_squares": found.values},
        )

    def _partition(
        self, U: np.ndarray, n_clusters: int, rng: np.random.Generator
    ) -> np.ndarray:
        """Return clusters of points, (N,) int32."""
        if n_clusters == 1:
            return np.zeros(len(U), dtype=LABEL_DTYPE)
        how = self.partition
        if how == "auto":
            how = "average" if len(U) <= _AVERAGE_UP_TO else "ward"
        if how == "kmeans":
            return kmeans(U, n_clusters, rng=rng, n_init=_STARTS).labels
        return cut_tree(linkage_points(U, how), n_clusters)
