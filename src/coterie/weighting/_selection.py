"""Selection of members: weight one for those that are kept, zero for the rest."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import cut_tree, kmeans, linkage, unit_rows
from coterie._validation import Interval
from coterie.ensemble import Ensemble, Weights
from coterie.metrics import member_agreement
from coterie.weighting._base import BaseWeighter, Task

_N_SELECTED = [Interval(Integral, 1, None, closed="left"), None]


class _Selection(BaseWeighter):
    """A weighter that keeps some members; a subclass implements ``_chosen``."""

    gives_weights: ClassVar[frozenset[str]] = frozenset({"members"})

    def _weigh(self, task: Task) -> Weights:
        members = np.zeros(task.ensemble.n_members)
        members[self._chosen(task.ensemble)] = 1.0
        return Weights(members=members)

    def _chosen(self, ensemble: Ensemble) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must implement _chosen.")


def _count(n_selected: int | None, n_members: int) -> int:
    """Return how many members to keep, by default half of them."""
    return min(n_members, -(-n_members // 2) if n_selected is None else n_selected)


def _quality(agreement: np.ndarray) -> np.ndarray:
    """Return how much each member agrees with the whole ensemble (SNMI), (M,)."""
    return agreement.sum(axis=1)


@fill_doc
class JointSelection(_Selection):
    r"""Keep good and diverse members by a joint criterion.

    Members are added one by one, the best first, so that the value

    .. math:: \alpha \sum_{i \in S} \sum_{m} \mathrm{NMI}(\pi_i, \pi_m)
        + (1 - \alpha) \sum_{i \ne j \in S} \bigl(1 - \mathrm{NMI}(\pi_i, \pi_j)\bigr)

    of the set S grows the most: quality is agreement with all members, diversity is
    disagreement within the set [1]_.

    Parameters
    ----------
    n_selected : int or None, default=None
        Members to keep; None is half of them, rounded up.
    alpha : float, default=0.5
        Weight of quality against diversity.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.weighting import JointSelection
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 0, 1]]
    >>> JointSelection(n_selected=2).weigh(ensemble).members
    array([1., 0., 1., 0.])
    """

    name = "joint-selection"
    summary = "keeps members that are both good and diverse"
    cost = "time N M^2, memory M^2"
    paper = "fern2008ces"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_selected": _N_SELECTED,
        "alpha": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, n_selected: int | None = None, alpha: float = 0.5) -> None:
        self.n_selected = n_selected
        self.alpha = alpha

    def _chosen(self, ensemble: Ensemble) -> list[int]:
        agreement = member_agreement(ensemble)
        quality = _rounded(_quality(agreement))
        chosen = [int(quality.argmax())]
        while len(chosen) < _count(self.n_selected, ensemble.n_members):
            apart = 2 * (1.0 - agreement[:, chosen]).sum(axis=1)  # both orders
            gain = _rounded(self.alpha * quality + (1 - self.alpha) * apart)
            gain[chosen] = -np.inf
            chosen.append(int(gain.argmax()))
        return chosen


@fill_doc
class ClusterSelection(_Selection):
    """Group similar members and keep the best of each group (cluster and select).

    Members are clustered by their mutual agreement (NMI), into one group for each
    member to keep; the member of each group that agrees most with all members is kept,
    so that no opinion is kept twice [1]_.

    Parameters
    ----------
    n_selected : int or None, default=None
        Members to keep; None is half of them, rounded up.

    Notes
    -----
    Groups are found by spectral clustering as in the paper, with a fixed random seed
    for its k-means.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.weighting import ClusterSelection
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 1]]
    >>> ClusterSelection(n_selected=2).weigh(ensemble).members
    array([1., 0., 1., 0.])
    """

    name = "cluster-selection"
    summary = "clusters the members and keeps the best of each group"
    cost = "time N M^2 + M^3, memory M^2"
    paper = "fern2008ces"
    _parameter_constraints: ClassVar[dict[str, Any]] = {"n_selected": _N_SELECTED}

    def __init__(self, n_selected: int | None = None) -> None:
        self.n_selected = n_selected

    def _chosen(self, ensemble: Ensemble) -> list[int]:
        agreement = np.maximum(member_agreement(ensemble), 0.0)
        quality = _rounded(_quality(agreement))
        k = _count(self.n_selected, ensemble.n_members)
        root = np.sqrt(agreement.sum(axis=1))
        U = np.linalg.eigh(agreement / np.outer(root, root))[1][:, -k:]
        rng = np.random.default_rng(0)
        groups = kmeans(unit_rows(U), k, rng=rng, n_init=10).labels
        return [
            int(np.where(groups == g, quality, -np.inf).argmax())
            for g in np.unique(groups)
        ]


@fill_doc
class HullSelection(_Selection):
    """Keep the members of the best pairs (convex hull).

    Each pair of members is a point: how much the two differ, and how much they agree
    with all members on average. The members of the pairs on the convex hull of these
    points are kept [1]_; their number follows from the ensemble.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.weighting import HullSelection
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 0, 1]]
    >>> HullSelection().weigh(ensemble).members
    array([1., 1., 1., 1.])
    """

    name = "hull-selection"
    summary = "keeps members on the convex hull of quality and diversity"
    cost = "time N M^2, memory M^2"
    paper = "fern2008ces"

    def _chosen(self, ensemble: Ensemble) -> np.ndarray:
        from scipy.spatial import ConvexHull, QhullError

        M = ensemble.n_members
        agreement = member_agreement(ensemble)
        quality = _quality(agreement)
        i, j = np.triu_indices(M, k=1)
        pairs = np.column_stack([1.0 - agreement[i, j], (quality[i] + quality[j]) / 2])
        try:
            corners = ConvexHull(_rounded(pairs)).vertices
        except (QhullError, ValueError):  # collinear, or too few
            return np.arange(M)
        return np.unique(np.concatenate([i[corners], j[corners]]))


@fill_doc
class AdaptiveSelection(_Selection):
    """Keep all members if they mostly agree, else those that differ most.

    The members are combined by average linkage. If their mean agreement with that
    result (NMI) is above ``threshold`` the ensemble is stable and all are kept;
    otherwise the half that agrees with it least is kept, for its diversity [1]_.

    Parameters
    ----------
    n_clusters : int or None, default=None
        Clusters of the combined result; None is the members' median.
    threshold : float, default=0.5
        Mean agreement above which an ensemble is stable.

    Notes
    -----
    The paper decides by the agreement with a combined result, and keeps a range of the
    members of unstable ensembles. The threshold and the half are recalled from the
    paper and not checked against its text.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.experimental import AdaptiveSelection
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 2]]
    >>> AdaptiveSelection(n_clusters=2).weigh(ensemble).members
    array([1., 1., 1.])
    """

    name = "adaptive-selection"
    summary = "keeps all members if they agree, otherwise the most diverse half"
    cost = "time N^2 M + N M^2, memory N^2"
    paper = "azimi2009aces"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": [Interval(Integral, 1, None, closed="left"), None],
        "threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(self, n_clusters: int | None = None, threshold: float = 0.5) -> None:
        self.n_clusters = n_clusters
        self.threshold = threshold

    def _chosen(self, ensemble: Ensemble) -> np.ndarray:
        M, N = ensemble.n_members, ensemble.n_samples
        if N == 1:
            return np.arange(M)
        k = self.n_clusters or int(np.median(ensemble.n_clusters_per_member))
        apart = 1.0 - ensemble.coassociation(format="condensed")
        combined = cut_tree(linkage(apart, overwrite=True), min(k, N))
        both = Ensemble.concatenate([ensemble, Ensemble([combined])])
        near = _rounded(member_agreement(both)[-1, :-1])
        if near.mean() > self.threshold:
            return np.arange(M)
        return np.argsort(near, kind="stable")[: _count(None, M)]


def _rounded(values: np.ndarray) -> np.ndarray:
    """Drop the last digits, so ties do not depend on the order of the samples."""
    return values.round(12)
