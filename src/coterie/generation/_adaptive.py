"""Members in which each cluster weights the features in its own way."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import lac
from coterie._validation import StrOptions
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, check_pair, draw_n_clusters


@fill_doc
class LocallyAdaptiveKMeans(RandomGenerator):
    """Locally adaptive clustering (LAC) with random sharpness.

    Each cluster of a member gives more weight to features along which its samples
    spread little [1]_; members differ in their initial centres and in how sharp the
    weights are. ``member.feature_weights`` holds the weights, for
    :class:`~coterie.consensus.WSPA` and :class:`~coterie.consensus.WBPA` [2]_; other
    consensus functions use the labels only.

    Parameters
    ----------
    %(n_members)s
    %(n_clusters_range)s
    sharpness_range : (float, float), default=(0.1, 20.0)
        Range of 1 / h, drawn on a logarithmic scale: the larger, the fewer features
        matter to a cluster.
    init : {"scattered", "random"}, default="scattered"
        The initial centres: a random sample, then always the sample farthest from all
        chosen so far (the paper's way), or all random.
    max_iter : int, default=100
        Maximum number of iterations.
    %(on_error)s

    Notes
    -----
    Features should have similar scales: 1 / h is compared with their variances within a
    cluster. The ensemble paper runs LAC with several fixed values of 1 / h; the range
    and the logarithmic draw are ours.

    References
    ----------
    %(paper)s
    %(paper2:domeniconi2009wce)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from coterie.generation import LocallyAdaptiveKMeans
    >>> generator = LocallyAdaptiveKMeans(10, n_clusters=3)
    >>> ensemble = generator.generate(scale(load_wine().data), seed=0)
    >>> ensemble.members[0].feature_weights.shape
    (3, 13)
    """

    name = "lac"
    summary = "k-means in which each cluster learns its own feature weights"
    cost = "time M N D k, memory N (M + D)"
    paper = "domeniconi2007lac"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "sharpness_range": [tuple, list],
        "init": [StrOptions({"scattered", "random"})],
    }

    def __init__(
        self,
        n_members: int = 50,
        *,
        n_clusters: Any = None,
        sharpness_range: Any = (0.1, 20.0),
        init: str = "scattered",
        max_iter: int = 100,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.sharpness_range = sharpness_range
        self.init = init
        self.max_iter = max_iter
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        super()._check(X)
        check_pair(self.sharpness_range, "sharpness_range", 0.0, type(self).__name__)

    def _member(self, X: Any, number: int, rng: np.random.Generator) -> Draft:
        k = draw_n_clusters(self.n_clusters, X.shape[0], rng)
        low, high = np.log(self.sharpness_range)
        sharpness = float(np.exp(rng.uniform(low, high)))
        found = lac(
            X, k, h=1.0 / sharpness, rng=rng, init=self.init, max_iter=self.max_iter
        )
        return Draft(
            found.labels,
            {"n_clusters": k, "sharpness": sharpness},
            centers=found.centers.astype(X.dtype),
            feature_weights=found.feature_weights,
        )
