"""Any three parts as one scikit-learn clusterer."""

from __future__ import annotations

from typing import Any, ClassVar

from coterie._catalog import METHODS, find
from coterie._docs import fill_doc
from coterie._typing import Progress
from coterie._validation import HasMethods, clone
from coterie.systems._base import BaseSystem, Parts
from coterie.systems._defaults import default_consensus, weighter_for


@fill_doc
class EnsembleClustering(BaseSystem):
    """Cluster by an ensemble: make many clusterings, weigh them, combine them.

    The general system: choose each part, or take the defaults, which are k-means
    members with random numbers of clusters, entropy weights, and average linkage (for
    up to 20,000 samples) or the bipartite graph (beyond).

    Parameters
    ----------
    %(system_n_clusters)s
    generator : generator, its name, or None, default=None
        What makes the members; None is
        :class:`~coterie.generation.RandomKMeans`.
    weighter : weighter, its name, "auto" or None, default="auto"
        How members and clusters are weighted; "auto" is the weighter of the consensus
        function's own paper, None is no weights.
    consensus : consensus function, its name, or None, default=None
        How the members are combined; None is :class:`~coterie.consensus.LWEA` for up
        to 20,000 samples and :class:`~coterie.consensus.LWGP` beyond. ``coterie
        methods`` lists the names.
    %(system_parameters)s

    Attributes
    ----------
    %(system_attributes)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie import EnsembleClustering
    >>> X, y = load_iris(return_X_y=True)
    >>> model = EnsembleClustering(n_clusters=3, random_state=0).fit(X)
    >>> model.labels_.shape
    (150,)
    >>> model.recut(2).labels_[:5]
    array([0, 0, 0, 0, 0], dtype=int32)
    """

    name = "ensemble"
    summary = "any generator, weighter and consensus function put together"
    cost = "those of its parts"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "generator": [str, HasMethods("generate"), None],
        "weighter": [str, HasMethods("weigh"), None],
        "consensus": [str, HasMethods("combine"), None],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        generator: Any = None,
        weighter: Any = "auto",
        consensus: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.generator = generator
        self.weighter = weighter
        self.consensus = consensus
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        generator = _part(self.generator or "kmeans", {"generator"})
        consensus = _part(self.consensus or default_consensus(n_samples), METHODS)
        weighter = weighter_for(self.weighter, consensus)
        return Parts(
            generator, None if weighter is None else clone(weighter), consensus
        )


def _part(part: Any, kinds: frozenset[str] | set[str]) -> Any:
    """Return a part from its name, or a copy of it."""
    return find(part, kinds).load()() if isinstance(part, str) else clone(part)
