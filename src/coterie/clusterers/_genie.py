"""Genie: single linkage that keeps cluster sizes even."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import genie, spanning_tree
from coterie._validation import Interval, check_n_clusters
from coterie.clusterers._base import BaseClusterer


@fill_doc
class Genie(BaseClusterer):
    r"""Single linkage that keeps cluster sizes even, for clusters of any shape.

    Single linkage finds clusters of any shape but tends to one large cluster and many
    outliers. Genie [1]_ watches the Gini index of the sizes
    :math:`c_1, \ldots, c_m` of the m clusters,

    .. math:: G = \frac{\sum_{i < j} |c_i - c_j|}{(m - 1) \sum_i c_i},

    which is 0 for equal sizes and 1 for one large cluster and singletons. As long as G
    is at most a threshold, it merges the two nearest clusters; otherwise a smallest
    cluster with its nearest neighbour. Deterministic, without random starts. Prefer
    :class:`USPEC` for clusters that touch, and for many samples.

    Parameters
    ----------
    %(system_n_clusters)s
    gini_threshold : float, default=0.3
        The largest Gini index at which sizes are ignored, 0 to 1: 1 is single linkage,
        small values make clusters of similar sizes.
    %(random_state)s
        Only ``n_clusters="auto"`` uses it.

    Attributes
    ----------
    %(labels_attributes)s
    %(seen_attributes)s

    Notes
    -----
    The clusters are merged along the edges of the minimum spanning tree of the
    Euclidean distances, which is exact. On 36 data sets of a public benchmark the
    scores are those that the authors published for their program.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie.clusterers import Genie
    >>> from coterie.metrics import ari
    >>> X, y = make_moons(500, noise=0.05, random_state=0)
    >>> ari(y, Genie(n_clusters=2).fit_predict(X))
    1.0
    """

    name = "genie"
    summary = "single linkage that merges the smallest first if sizes are uneven"
    cost = "time N^2 D, memory N"
    paper = "gagolewski2016genie"
    group = "reason"
    take_if = "one tree, clusters of any shape"
    accepts_sparse: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseClusterer._parameter_constraints,
        "gini_threshold": [Interval(Real, 0, 1, closed="both")],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        gini_threshold: float = 0.3,
        random_state: Any = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.gini_threshold = gini_threshold
        self.random_state = random_state

    def _cluster(self, X: Any, rng: np.random.Generator) -> np.ndarray:
        k = check_n_clusters(self.n_clusters_, X.shape[0], type(self).__name__)
        return genie(spanning_tree(X), k, self.gini_threshold)
