"""Members on features drawn from strata of similar features."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse

from coterie._docs import fill_doc
from coterie._linalg import kmeans
from coterie._validation import COUNT, is_sparse
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, cluster_view, draw_sorted


class _Strata(NamedTuple):
    X: Any
    groups: list[np.ndarray]  # the features of each


@fill_doc
class StratifiedSubspace(RandomGenerator):
    """Any clusterer on features drawn from each group of similar features.

    Features are clustered into strata first, and each member draws a share of every
    stratum [1]_. So no kind of feature is missed by chance, whereas in
    :class:`~coterie.generation.RandomSubspace` large groups crowd out small ones. With
    :class:`~coterie.consensus.CSPA`, :class:`~coterie.consensus.HGPA` and
    :class:`~coterie.consensus.MCLA` it gives the paper's SSCSPA, SSHGPA and SSMCLA.

    Parameters
    ----------
    %(n_members)s
    %(clusterer)s
    feature_ratio : float, default=0.5
        Share of each stratum that a member sees, at least one feature.
    n_strata : int, default=10
        Groups of features, no more than there are features.
    %(on_error)s

    Notes
    -----
    Strata are found by k-means on the features, centred and scaled to unit length
    (sparse data: scaled only), which makes correlated features similar whatever their
    units. They depend on the data alone, not on the seed. We had the paper's abstract
    and descriptions by others, not its text: k-means and proportional draws are our
    reading.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from coterie import EnsembleClustering
    >>> from coterie.consensus import MCLA
    >>> from coterie.experimental import StratifiedSubspace
    >>> generator = StratifiedSubspace(10, n_clusters=10)
    >>> ssmcla = EnsembleClustering(10, generator=generator, consensus=MCLA())
    >>> ssmcla.fit(load_digits().data).ensemble_.members[0].features.size
    31
    """

    name = "stratified"
    summary = "any clusterer on features drawn from groups of similar features"
    cost = "M times the clusterer's"
    paper = "jing2015stratified"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "n_strata": COUNT,
    }

    def __init__(
        self,
        n_members: int = 50,
        *,
        clusterer: Any = None,
        n_clusters: Any = None,
        feature_ratio: float = 0.5,
        n_strata: int = 10,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.clusterer = clusterer
        self.n_clusters = n_clusters
        self.feature_ratio = feature_ratio
        self.n_strata = n_strata
        self.on_error = on_error

    def _prepare(self, X: Any) -> _Strata:
        return _Strata(X, feature_strata(X, self.n_strata))

    def _member(self, X: _Strata, number: int, rng: np.random.Generator) -> Draft:
        drawn = [
            group[draw_sorted(group.size, self.feature_ratio, rng)]
            for group in X.groups
        ]
        features = np.sort(np.concatenate(drawn))
        view = X.X[:, features]
        return cluster_view(
            view, self.clusterer, self.n_clusters, rng, features=features
        )


def feature_strata(X: Any, n_strata: int) -> list[np.ndarray]:
    """Return groups of similar features, each sorted."""
    if is_sparse(X):
        points = scipy.sparse.csr_array(X.T)
        norms = np.sqrt(points.multiply(points).sum(axis=1))
        points = (points / np.where(norms > 0, norms, 1.0)[:, None]).tocsr()
    else:
        points = np.ascontiguousarray((X - X.mean(axis=0)).T)
        norms = np.linalg.norm(points, axis=1, keepdims=True)
        points /= np.where(norms > 0, norms, 1.0)
    k = min(n_strata, X.shape[1])
    strata = kmeans(points, k, rng=np.random.default_rng(0), n_init=3).labels
    groups = [np.flatnonzero(strata == s) for s in range(k)]
    return [group for group in groups if group.size]
