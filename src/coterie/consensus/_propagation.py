"""Consensus by random walks on the clusters of all members: ECPCS."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import trajectory_similarity
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._embedding import kmeans_result, meta_clusters
from coterie.consensus._linkage import LINKAGE, LinkageConsensus
from coterie.consensus._links import linked_similarity, within_members
from coterie.consensus._partitioning import strongest_participation
from coterie.consensus._products import check_cluster_memory, inverse, jaccard
from coterie.ensemble import Ensemble
from coterie.ensemble._coassociation import CoreCoassociation

_STEPS = [Interval(Integral, 1, None, closed="left")]


@fill_doc
class ECPCSHC(LinkageConsensus):
    r"""Propagated cluster-wise similarities, then a tree of the samples.

    Random walks on the graph of all clusters, weighted by their Jaccard coefficients,
    give the similarity :math:`z` of two clusters. Two samples in different clusters of
    a member have the similarity of these clusters,

    .. math:: S_{ij} = \frac{1}{M} \sum_{m=1}^{M} z_{c_m(i), c_m(j)},
        \qquad z_{cc} = 1,

    and a tree by average linkage on :math:`1 - S` is cut [1]_. Prefer it to
    :class:`EAC` for members with many small clusters, in which similar samples are
    often separated by chance; for many samples prefer :class:`ECPCSMC`.

    Parameters
    ----------
    n_steps : int, default=20
        Steps of the random walks, t in the paper.
    %(linkage)s

    Notes
    -----
    The paper uses average linkage. S is computed for the distinct label rows; memory is
    quadratic in their number. With missing labels, S is the mean over the members that
    assign both samples.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import ECPCSHC
    >>> ECPCSHC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "ecpcs-hc"
    summary = "average linkage with similarity propagated between clusters"
    cost = "time u^2 M + 15 C^3, memory u^2"
    paper = "huang2021ecpcs"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_steps": _STEPS,
        "linkage": LINKAGE,
    }

    def __init__(self, n_steps: int = 20, *, linkage: str = "average") -> None:
        self.n_steps = n_steps
        self.linkage = linkage

    def _similarities(self, task: Task) -> CoreCoassociation:
        Z = cluster_walks(task.ensemble, self.n_steps)
        return linked_similarity(task.ensemble, within_members(task.ensemble, Z))


@fill_doc
class ECPCSMC(BaseConsensus):
    r"""Propagated cluster-wise similarities, then groups of clusters.

    Random walks on the graph of all clusters, weighted by their Jaccard coefficients,
    give the similarity of two clusters. The normalised cut partitions the clusters into
    k groups, and a sample joins the group in which the largest share of clusters
    contains it [1]_. The graph has a vertex for each cluster, so time and memory are
    linear in the number of samples. :class:`MCLA` uses the Jaccard coefficients
    themselves and groups of equal size.

    Parameters
    ----------
    n_steps : int, default=20
        Steps of the random walks, t in the paper.
    %(n_init)s

    Notes
    -----
    The normalised cut is discretised by k-means on the unit rows of the eigenvectors;
    the authors' program rotates them. Ties are broken at random, the same way for
    samples with the same label row. A group that no sample joins is empty: there may be
    fewer clusters than asked for.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import ECPCSMC
    >>> ECPCSMC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "ecpcs-mc"
    summary = "meta-clusters by similarity propagated between clusters"
    cost = "time N M^2 + 15 C^3, memory N M + C^2"
    paper = "huang2021ecpcs"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_steps": _STEPS,
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_steps: int = 20, *, n_init: int = 3) -> None:
        self.n_steps = n_steps
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        Z = cluster_walks(task.ensemble, self.n_steps)
        found = meta_clusters(Z, task, self.n_init)
        labels = strongest_participation(task, found.labels)
        return kmeans_result(found, labels, meta_clusters=found.labels)


def cluster_walks(ensemble: Ensemble, n_steps: int) -> np.ndarray:
    """Return the similarity of clusters by their random walks, (C, C)."""
    check_cluster_memory(ensemble, 5)
    J = jaccard(ensemble)
    J *= inverse(J.sum(axis=1))[:, None]  # the transition probabilities
    return trajectory_similarity(J, n_steps)
