"""Consensus by hierarchical clustering of the co-association matrix."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import cut_tree, expand_linkage, linkage
from coterie._validation import StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import CoreCoassociation, core_coassociation

LINKAGE = [StrOptions({"average", "single", "complete"})]


class LinkageConsensus(BaseConsensus):
    """A tree on one minus a similarity of label rows, cut at the number of clusters.

    A subclass may implement ``_similarities(ensemble, weights)``, by default the
    co-association.
    """

    pair_bytes: ClassVar[int] = 4

    def _cut(
        self, ensemble: Ensemble, n_clusters: int, weights: Weights, method: str
    ) -> ConsensusResult:
        Z = self._tree(ensemble, weights, method)
        if n_clusters <= len(ensemble.core):
            labels = cut_tree(Z, n_clusters)
        else:  # nothing tells samples of the same label row apart
            labels = ensemble.core.index
        return ConsensusResult(labels, details={"linkage": Z})

    def _tree(self, ensemble: Ensemble, weights: Weights, method: str) -> np.ndarray:
        """Return the linkage of the samples, (N - 1, 4).

        It is built on the distinct label rows: their samples are each other's nearest
        neighbours, so joining them first leaves the tree as it is.
        """
        S = self._similarities(ensemble, weights)
        distances = np.subtract(1.0, S.condensed, out=S.condensed)
        core = ensemble.core
        Z = linkage(distances, method, sizes=core.counts, overwrite=True)
        if len(core) == ensemble.n_samples:
            return Z
        return expand_linkage(Z, core.counts, core.index, 1.0 - S.self_similarity)

    def _similarities(self, ensemble: Ensemble, weights: Weights) -> CoreCoassociation:
        return core_coassociation(ensemble, weights)


@fill_doc
class EAC(LinkageConsensus):
    r"""Evidence accumulation clustering.

    A hierarchical tree on :math:`1 - S`, where :math:`S_{ij}` is the share of members
    that put samples i and j together [1]_. Memory is quadratic in the number of
    distinct label rows; beyond some 50,000 prefer :class:`HBGF`.

    Parameters
    ----------
    linkage : {"average", "single", "complete"}, default="average"
        Single linkage follows chains and finds odd shapes, complete linkage makes
        compact clusters; average is the safe choice.

    Notes
    -----
    The authors' paper uses single and average linkage and also chooses the number of
    clusters by their longest lifetime; here it is given.

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
    summary = "hierarchical tree on how often samples go together"
    cost = "time u^2 M / k, memory u^2"
    paper = "fred2005eac"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "linkage": LINKAGE,
    }

    def __init__(self, linkage: str = "average") -> None:
        self.linkage = linkage

    def _combine(self, task: Task) -> ConsensusResult:
        return self._cut(task.ensemble, task.n_clusters, task.weights, self.linkage)


@fill_doc
class LWEA(LinkageConsensus):
    r"""Locally weighted evidence accumulation.

    Average linkage on the co-association in which each cluster counts by its weight,

    .. math:: S_{ij} = \frac{1}{M} \sum_{m=1}^{M} w_{c_m(i)} \, [c_m(i) = c_m(j)],

    where :math:`c_m(i)` is the cluster of sample i in member m [1]_. With unit weights
    it is :class:`EAC`. Memory is quadratic in the number of distinct label rows; beyond
    some 50,000 prefer :class:`LWGP`.

    Notes
    -----
    The weights of the paper are those of
    :class:`~coterie.weighting.EntropyWeighter`; ``coterie.combine(consensus="lwea")``
    computes them, this class takes what it is given. Two samples of the same label row
    have the similarity that the formula gives, which is below one; only the diagonal is
    one, as in the authors' program. Where labels are missing, S is divided by the share
    of members that assign both samples, and samples of the same label row are joined
    first.

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
    summary = "average linkage, each cluster counting by its entropy weight"
    cost = "time u^2 M / k, memory u^2"
    paper = "huang2018lwe"
    paper_weighter = ("entropy", {})
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members", "clusters"})

    def _combine(self, task: Task) -> ConsensusResult:
        return self._cut(task.ensemble, task.n_clusters, task.weights, "average")


@fill_doc
class WEAC(EAC):
    r"""Weighted evidence accumulation: members that the crowd agrees with count more.

    :class:`EAC` on the co-association in which member m counts by
    :math:`\mathrm{NCAI}_m^\beta`, its mean agreement with the other members over that
    of the best [1]_. Choose it over :class:`EAC` where some members may be bad as a
    whole, over :class:`LWEA` where they are good or bad as a whole and not in parts.

    Parameters
    ----------
    %(linkage)s

    Notes
    -----
    The weights of the paper are those of
    :class:`~coterie.weighting.AgreementWeighter` with ``measure="nmi_max"`` and
    ``power=2``; ``coterie.combine(consensus="weac")`` computes them, this class takes
    what it is given.

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
    summary = "hierarchical tree, members counting by how far the crowd agrees"
    cost = "time u^2 M / k, memory u^2"
    paper = "huang2015crowd"
    paper_weighter = ("agreement", {"measure": "nmi_max", "power": 2.0})
