"""Members whose clusters weigh the features each in its own way."""

from __future__ import annotations

from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import lac
from coterie._validation import Interval, StrOptions
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._draws import (
    N_CLUSTERS,
    check_pair,
    check_range,
    draw_n_clusters,
)


@fill_doc
class LocallyAdaptiveKMeans(BaseGenerator):
    """Locally adaptive clustering (LAC) with random sharpness.

    Each cluster of a member weighs the features by how little its samples spread along
    them [1]_; members differ by their start and by how sharply they weigh. The weights
    are kept in ``member.feature_weights``, for :class:`~coterie.consensus.WSPA` and
    :class:`~coterie.consensus.WBPA` [2]_; other consensus functions see the labels.

    Parameters
    ----------
    %(n_members)s
    %(n_clusters_range)s
    sharpness_range : (float, float), default=(0.1, 20.0)
        Range of 1 / h, drawn on a logarithmic scale: the larger, the fewer features
        matter in a cluster.
    init : {"scattered", "random"}, default="scattered"
        The first centres: one sample at random, then always the one farthest from all
        (the paper's), or all at random.
    max_iter : int, default=100
        Most iterations of a member.
    %(on_error)s

    Notes
    -----
    Features should have similar scales: 1 / h is compared with their variances in a
    cluster. The ensemble paper runs LAC with several fixed 1 / h; the range and the
    logarithmic draw are ours.

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
    summary = "k-means whose clusters weigh the features each in its own way"
    cost = "time M N D k, memory N (M + D)"
    paper = "domeniconi2007lac"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "n_clusters": N_CLUSTERS,
        "sharpness_range": [tuple, list],
        "init": [StrOptions({"scattered", "random"})],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
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
        who = type(self).__name__
        check_range(self.n_clusters, X.shape[0], who)
        check_pair(self.sharpness_range, "sharpness_range", 0.0, who)

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
