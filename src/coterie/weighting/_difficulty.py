"""Samples weighted by how much the members disagree about them."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import Interval
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import inverted_lists
from coterie.weighting._base import BaseWeighter, Task

_TABLE = 4096  # clusters; up to this the table of their overlaps is faster


@fill_doc
class DifficultyWeighter(BaseWeighter):
    r"""Gives more weight to samples that are hard to cluster.

    A pair of samples is most ambiguous if half of the members put them together; a
    sample in many such pairs gets a large weight,

    .. math::

        w_i = \frac{w'_i + e}{1 + e}, \qquad
        w'_i = \frac{4}{N} \sum_{j=1}^{N} A_{ij} (1 - A_{ij}),

    where :math:`A_{ij}` is the share of members that put i and j together [1]_.

    Parameters
    ----------
    smoothing : float, default=0.01
        The number e, which keeps weights away from zero.

    Notes
    -----
    A is never formed: the row sums of A and A * A are sums of the sizes of a sample's
    clusters and of their overlaps, in time linear in the number of samples. With
    missing labels, or very many clusters in total, pairs of distinct label rows are
    counted one row at a time instead.

    With missing labels, two samples that no member assigns both count as separate.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.weighting import DifficultyWeighter
    >>> ensemble = [[0, 0, 0, 1, 1], [0, 0, 1, 1, 1]]
    >>> DifficultyWeighter().weigh(ensemble).samples.round(2)
    array([0.21, 0.21, 0.8 , 0.21, 0.21])
    """

    name = "difficulty"
    summary = "weights samples by how much the members disagree about them"
    cost = "time N M^2, memory C^2"
    paper = "ren2017woec"
    gives_weights: ClassVar[frozenset[str]] = frozenset({"samples"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "smoothing": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, smoothing: float = 0.01) -> None:
        self.smoothing = smoothing

    def _weigh(self, task: Task) -> Weights:
        ensemble = task.ensemble
        confusion = _confusion(ensemble)[ensemble.core.index]  # Eqs. 1, 2
        raw = 4.0 / ensemble.n_samples * confusion  # Eq. 3
        return Weights(samples=(raw + self.smoothing) / (1.0 + self.smoothing))  # Eq. 4


def _confusion(ensemble: Ensemble) -> np.ndarray:
    """Return the sum of A (1 - A) over the samples, for each distinct row, (u,)."""
    from coterie._kernels._confusion import confusion_by_lists, confusion_by_overlap

    core = ensemble.core
    out = np.empty(len(core))
    if ensemble.has_missing or ensemble.n_total_clusters > _TABLE:
        starts, rows, _ = inverted_lists(ensemble)
        confusion_by_lists(
            core.rows,
            ensemble.offsets,
            core.counts,
            starts,
            rows,
            ensemble.has_missing,
            out,
        )
        return out
    sizes = ensemble.cluster_sizes.astype(np.float64)
    confusion_by_overlap(core.rows, ensemble.offsets, sizes, ensemble.overlap(), out)
    return out
