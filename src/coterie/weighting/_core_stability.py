"""Members and clusters weighted by how close together their core clusters are."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import StrOptions
from coterie.ensemble import Weights
from coterie.ensemble._core_distances import METRICS, core_distances
from coterie.weighting._base import BaseWeighter, Task

_GIVES = {
    "both": frozenset({"members", "clusters"}),
    "members": frozenset({"members"}),
}


@fill_doc
class CoreStabilityWeighter(BaseWeighter):
    r"""Cluster stability index (CSI).

    A core cluster is a set of samples that no member separates. A cluster whose core
    clusters are close together, in the features that its member saw, gets a large
    weight; a member gets the mean of its clusters [1]_:

    .. math::

        \mathrm{CSI}(C) = \exp(-\mathrm{ACS}(C)), \qquad
        w_m = \frac{\mathrm{CSI}_m}{\sum_l \mathrm{CSI}_l}, \qquad
        \mathrm{CSI}_m = \frac{1}{K_m} \sum_{C \in m} \mathrm{CSI}(C),

    where ACS is the mean, over all pairs of different core clusters of C, of the mean
    distance between their samples. Unlike :class:`EntropyWeighter` it uses the data.

    Parameters
    ----------
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        Distance between samples.
    scale : {"mean"} or None, default="mean"
        Whether distances are divided by the mean distance of all samples in the
        member's features, or left unscaled, as printed in the paper.
    levels : {"both", "members"}, default="both"
        Whether to weight clusters as well as members.

    Notes
    -----
    *Scale.* With unscaled distances the weights depend on the unit of the data, and
    :math:`\exp(-\mathrm{ACS})` vanishes for most raw data: clusters with a single core
    cluster then have all the weight. If all weights would be zero, their ratios are
    kept and the largest is one. Euclidean distances are divided by the root mean
    square, which needs no pass over all pairs.

    Clusters with a single core cluster have ACS zero and weight one, as in the paper.

    Time is quadratic in the sizes of clusters, memory in their numbers of core
    clusters.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.weighting import CoreStabilityWeighter
    >>> X = [[0.0], [1.0], [9.0], [10.0]]
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 0, 1], [0, 1, 1, 1]]
    >>> weights = CoreStabilityWeighter().weigh(ensemble, X=X)
    >>> weights.clusters.round(2)
    array([0.87, 0.87, 0.44, 1.  , 1.  , 0.44])
    >>> weights.members.round(2)
    array([0.38, 0.31, 0.31])
    """

    name = "core-stability"
    summary = "weights clusters by how compact their core clusters are (CSI)"
    cost = "time M N^2 D / K, memory N D + (u / K)^2"
    paper = "huang2022c2swce"
    needs_X: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "metric": [StrOptions(set(METRICS))],
        "scale": [StrOptions({"mean"}), None],
        "levels": [StrOptions(set(_GIVES))],
    }

    def __init__(
        self,
        metric: str = "euclidean",
        *,
        scale: str | None = "mean",
        levels: str = "both",
    ) -> None:
        self.metric = metric
        self.scale = scale
        self.levels = levels

    @property
    def gives_weights(self) -> frozenset[str]:  # type: ignore[override]
        """What the weights apply to."""
        return _GIVES[self.levels]

    def _weigh(self, task: Task) -> Weights:
        ensemble = task.ensemble
        scaled, who = self.scale is not None, type(self).__name__
        spread = np.zeros(ensemble.n_total_clusters)  # ACS
        for one in core_distances(
            ensemble, task.X, self.metric, scaled=scaled, who=who
        ):
            spread[one.cluster] = _mean_of_pairs(one.distances)
        if not np.exp(-spread).any():
            spread -= spread.min()  # all underflow: keep their ratios
        stability = np.exp(-spread)  # Eq. 10
        sizes = ensemble.n_clusters_per_member
        members = np.add.reduceat(stability, ensemble.offsets[:-1]) / sizes  # Eq. 11
        members /= members.sum()  # Eqs. 12-13
        return Weights(members, stability if self.levels == "both" else None)


def _mean_of_pairs(D: np.ndarray) -> float:
    """Return the mean of a symmetric matrix off its diagonal (Eq. 9)."""
    n = D.shape[0]
    return (D.sum() - D.trace()) / (n * (n - 1)) if n > 1 else 0.0
