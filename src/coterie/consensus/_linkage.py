"""Consensus by hierarchical clustering of the co-association matrix."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import cut_tree, expand_linkage, linkage
from coterie._validation import StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._misled import UNWEIGHTED, warn_of_weights, without_weights
from coterie.ensemble._coassociation import CoreCoassociation, core_coassociation

LINKAGE = [StrOptions({"average", "single", "complete"})]


class LinkageConsensus(BaseConsensus):
    """A tree on one minus a similarity of label rows, cut at the number of clusters.

    A subclass may implement ``_similarities(task)``, by default the co-association.
    """

    linkage: str = "average"
    pair_bytes: ClassVar[int] = 4

    def _combine(self, task: Task) -> ConsensusResult:
        # The tree is built on the distinct label rows: their samples are each other's
        # nearest neighbours, so merging them first does not change the tree.
        S = self._similarities(task)
        distances = np.subtract(1.0, S.condensed, out=S.condensed)
        core = task.ensemble.core
        Z = linkage(distances, self.linkage, sizes=core.counts, overwrite=True)
        details = {"linkage": Z}
        if len(core) < task.ensemble.n_samples:
            own = 1.0 - S.self_similarity
            details["linkage"] = expand_linkage(Z, core.counts, core.index, own)
        if task.n_clusters <= len(core):
            labels = cut_tree(details["linkage"], task.n_clusters)
        else:  # samples with the same label row cannot be separated
            labels = core.index
        return self._checked(task, Z, ConsensusResult(labels, details=details))

    def _checked(self, task: Task, Z: np.ndarray, found: Any) -> ConsensusResult:
        """Add the clusters without weights to the details, if they seem better."""
        if (
            task.weights.clusters is None
            or self.linkage != "average"
            or task.n_clusters > len(task.ensemble.core)
        ):
            return found
        other = without_weights(task, Z, found.labels)
        if other is None:
            return found
        found = replace(found, details={**found.details, UNWEIGHTED: other})
        warn_of_weights(self, found)
        return found

    def _similarities(self, task: Task) -> CoreCoassociation:
        return core_coassociation(task.ensemble, task.weights)


def cut_core_tree(
    task: Task,
    S: np.ndarray,
    method: str,
    largest: float = 1.0,
    sizes: np.ndarray | None = None,
) -> ConsensusResult:
    """Cut a tree of core clusters; their condensed similarities S are overwritten."""
    distances = np.subtract(largest, S, out=S)
    Z = linkage(distances, method, sizes=sizes, overwrite=True)
    labels = cut_tree(Z, task.n_clusters)[task.ensemble.core.index]
    return ConsensusResult(labels, details={"core_linkage": Z})


@fill_doc
class EAC(LinkageConsensus):
    r"""Evidence accumulation clustering.

    A hierarchical tree on :math:`1 - S`, where :math:`S_{ij}` is the share of members
    that put samples i and j together [1]_. Memory is quadratic in the number of
    distinct label rows; beyond about 50,000 prefer :class:`HBGF`.

    Parameters
    ----------
    linkage : {"average", "single", "complete"}, default="average"
        Single linkage follows chains and finds irregular shapes, complete linkage makes
        compact clusters; average is the safe choice.

    Notes
    -----
    The paper uses single and average linkage, and can choose the number of clusters
    with the longest lifetime; here the number is given.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import EAC
    >>> EAC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "eac"
    summary = "hierarchical clustering of the co-association matrix"
    cost = "time u^2 M / k, memory u^2"
    paper = "fred2005eac"
    group = "reason"
    take_if = "labelings, and no weights: the classic"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {"linkage": LINKAGE}

    def __init__(self, linkage: str = "average") -> None:
        self.linkage = linkage


@fill_doc
class LWEA(LinkageConsensus):
    r"""Locally weighted evidence accumulation.

    Average linkage on the co-association in which each cluster has its own weight,

    .. math:: S_{ij} = \frac{1}{M} \sum_{m=1}^{M} w_{c_m(i)} \, [c_m(i) = c_m(j)],

    where :math:`c_m(i)` is the cluster of sample i in member m [1]_. With unit weights
    it is :class:`EAC`. Memory is quadratic in the number of distinct label rows; beyond
    about 50,000 prefer :class:`LWGP`.

    Notes
    -----
    The paper uses the weights of :class:`~coterie.weighting.EntropyWeighter`;
    ``coterie.combine(consensus="lwea")`` computes them, while this class uses the
    weights it is given. Two samples with the same label row have the similarity of the
    formula, which is below one; only the diagonal is one, as in the authors' program.
    With missing labels, S is divided by the share of members that assign both samples,
    and samples with the same label row are merged first.

    Weights can mislead where one cluster is much larger than the others. If the pieces
    of the tree, put together without cluster weights, give clusters that differ much
    (ARI below 0.7) and agree better with the members (mean NMI by a factor of 1.1),
    there is a :class:`~coterie.exceptions.WeightsDisagreeWarning`, and ``details`` has
    these clusters as ``unweighted_labels``. The result stays as printed.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import LWEA
    >>> from coterie.weighting import EntropyWeighter
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> weights = EntropyWeighter().weigh(ensemble)
    >>> LWEA().combine(ensemble, 2, weights=weights).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "lwea"
    summary = "average linkage, clusters weighted by entropy"
    cost = "time u^2 M / k, memory u^2"
    paper = "huang2018lwe"
    group = "start"
    take_if = "labelings of your own, up to 20,000 samples"
    paper_weighter = ("entropy", {})
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})


@fill_doc
class WEAC(EAC):
    r"""Weighted evidence accumulation: members that agree with the crowd count more.

    :class:`EAC` on the co-association in which member m has the weight
    :math:`\mathrm{NCAI}_m^\beta`, its mean agreement with the other members relative to
    that of the best [1]_. Prefer it to :class:`EAC` if some members may be bad, and to
    :class:`LWEA` if members are good or bad as a whole rather than in parts.

    Parameters
    ----------
    %(linkage)s

    Notes
    -----
    The paper uses the weights of :class:`~coterie.weighting.AgreementWeighter` with
    ``measure="nmi_max"`` and ``power=2``; ``coterie.combine(consensus="weac")``
    computes them, while this class uses the weights it is given.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import WEAC
    >>> from coterie.weighting import AgreementWeighter
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> weights = AgreementWeighter("nmi_max", power=2).weigh(ensemble)
    >>> WEAC().combine(ensemble, 2, weights=weights).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "weac"
    summary = "hierarchical clustering, members weighted by crowd agreement"
    cost = "time u^2 M / k, memory u^2"
    paper = "huang2015crowd"
    paper_weighter = ("agreement", {"measure": "nmi_max", "power": 2.0})
