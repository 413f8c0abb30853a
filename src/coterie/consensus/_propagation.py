"""Consensus by random walks among the clusters of all members: ECPCS."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import kmeans, spectral_embedding, trajectory_similarity, unit_rows
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._linkage import LINKAGE, LinkageConsensus
from coterie.consensus._links import (
    check_cluster_memory,
    linked_similarity,
    within_members,
)
from coterie.consensus._partitioning import jaccard, strongest_participation
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import CoreCoassociation

_STEPS = [Interval(Integral, 1, None, closed="left")]


@fill_doc
class ECPCSHC(LinkageConsensus):
    r"""Propagated cluster-wise similarities, then a tree of the samples.

    Random walks on the graph of all clusters, joined by their Jaccard coefficients,
    tell how alike two clusters are (:math:`z`). Two samples in different clusters of a
    member still count by the similarity of these,

    .. math:: S_{ij} = \frac{1}{M} \sum_{m=1}^{M} z_{c_m(i), c_m(j)},
        \qquad z_{cc} = 1,

    and average linkage on :math:`1 - S` is cut [1]_. Choose it over :class:`EAC` for
    members of many small clusters, which are seldom in the same one by chance;
    for many samples choose :class:`ECPCSMC`.

    Parameters
    ----------
    n_steps : int, default=20
        Steps of the random walks, t in the paper.
    %(linkage)s

    Notes
    -----
    The paper uses average linkage. S is computed for the distinct label rows; memory is
    quadratic in their number. Where labels are missing, S is the mean over the members
    that assign both samples.

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
    summary = "average linkage in which clusters alike by their walks count"
    cost = "time u^2 M + 20 C^3, memory u^2"
    paper = "huang2021ecpcs"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_steps": _STEPS,
        "linkage": LINKAGE,
    }

    def __init__(self, n_steps: int = 20, *, linkage: str = "average") -> None:
        self.n_steps = n_steps
        self.linkage = linkage

    def _combine(self, task: Task) -> ConsensusResult:
        return self._cut(task.ensemble, task.n_clusters, task.weights, self.linkage)

    def _similarities(self, ensemble: Ensemble, weights: Weights) -> CoreCoassociation:
        Z = within_members(ensemble, cluster_walks(ensemble, self.n_steps))
        return linked_similarity(ensemble, Z)


@fill_doc
class ECPCSMC(BaseConsensus):
    r"""Propagated cluster-wise similarities, then groups of clusters.

    Random walks on the graph of all clusters, joined by their Jaccard coefficients,
    tell how alike two clusters are. The clusters are cut into k groups by the
    normalised cut, and a sample goes to the group of whose clusters the largest share
    holds it [1]_. The graph has a vertex for each cluster, so time and memory are
    linear in the number of samples. :class:`MCLA` takes the Jaccard coefficients
    themselves, and groups of equal size.

    Parameters
    ----------
    n_steps : int, default=20
        Steps of the random walks, t in the paper.
    %(n_init)s

    Notes
    -----
    The normalised cut is made discrete by k-means on the unit rows of the eigenvectors,
    where the authors' program rotates them. Equal shares are decided at random, the
    same way for samples of the same label row. A group that no sample prefers is empty:
    there may be fewer clusters than asked for.

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
    summary = "groups of clusters alike by their walks, then samples choose"
    cost = "time N M^2 + 20 C^3, memory N M + C^2"
    paper = "huang2021ecpcs"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_steps": _STEPS,
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(self, n_steps: int = 20, *, n_init: int = 3) -> None:
        self.n_steps = n_steps
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        rng = task.rng
        Z = cluster_walks(task.ensemble, self.n_steps)
        n_groups = min(task.n_clusters, Z.shape[0])
        U = spectral_embedding(Z, n_groups, rng=rng, dtype=np.float64)
        found = kmeans(unit_rows(U), n_groups, rng=rng, n_init=self.n_init)
        labels = strongest_participation(
            task.ensemble, found.labels, task.n_clusters, rng
        )
        return ConsensusResult(
            labels,
            objective=found.inertia,
            n_iter=found.n_iter,
            converged=found.converged,
            details={"meta_clusters": found.labels},
        )


def cluster_walks(ensemble: Ensemble, n_steps: int) -> np.ndarray:
    """Return the similarity of clusters by their random walks, (C, C)."""
    check_cluster_memory(ensemble, 4)
    J = jaccard(ensemble, np.ones(ensemble.n_samples))
    sums = J.sum(axis=1)
    inverse = np.divide(1.0, sums, out=np.zeros(sums.size), where=sums > 0)
    J *= inverse[:, None]  # the transition probabilities
    return trajectory_similarity(J, n_steps)
