"""Members along one spanning tree, with sizes kept even to different degrees."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import SpanningTree, genie, spanning_tree
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, draw_n_clusters


@fill_doc
class GenieTree(RandomGenerator):
    r"""Single linkage that keeps cluster sizes even, to a random degree.

    For clusters of any shape that gaps separate. Each member merges samples along the
    minimum spanning tree as Genie does [1]_: with the sizes
    :math:`c_1, \ldots, c_m` of the m clusters so far, the shortest edge left is used if

    .. math:: G = \frac{\sum_{i < j} |c_i - c_j|}{(m - 1) \sum_i c_i} \leq g,

    otherwise the shortest one that touches a smallest cluster. Members draw their
    threshold g and their number of clusters, and share the tree, so each takes
    milliseconds. :class:`~coterie.clusterers.Genie` is one such clustering. Prefer
    :class:`GaussianMixtures` or k-means for clusters that overlap.

    Parameters
    ----------
    n_members : int, default=20
        Number of clusterings to make.
    %(n_clusters_range)s
    gini_range : (float, float), default=(0.1, 0.6)
        Range from which members draw g. Small ones give clusters of similar sizes, 1 is
        single linkage.
    %(on_error)s

    Notes
    -----
    The paper recommends thresholds between 0.1 and 0.5 and has no ensembles; the range
    is ours. The tree is that of the Euclidean distances, and exact.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import make_moons
    >>> from coterie.generation import GenieTree
    >>> X, _ = make_moons(300, noise=0.05, random_state=0)
    >>> ensemble = GenieTree(5).generate(X, seed=0)
    >>> sorted(ensemble.members[0].params)
    ['gini_threshold', 'n_clusters']
    """

    name = "genie"
    summary = "single linkage that evens out sizes, with random thresholds"
    cost = "time N^2 D + M N^1.5, memory N M"
    paper = "gagolewski2016genie"

    def __init__(
        self,
        n_members: int = 20,
        *,
        n_clusters: Any = None,
        gini_range: tuple[float, float] = (0.1, 0.6),
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.gini_range = gini_range
        self.on_error = on_error

    def _prepare(self, X: Any) -> SpanningTree:
        return spanning_tree(X)

    def _member(
        self, tree: SpanningTree, number: int, rng: np.random.Generator
    ) -> Draft:
        k = draw_n_clusters(self.n_clusters, tree.lengths.size + 1, rng)
        threshold = float(rng.uniform(*self.gini_range))
        labels = genie(tree, k, threshold)
        return Draft(labels, {"n_clusters": k, "gini_threshold": threshold})
