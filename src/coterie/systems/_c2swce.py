"""C2SWCE: core cluster-based subspace weighted clustering ensemble."""

from __future__ import annotations

import math
from typing import Any, ClassVar

from coterie._docs import fill_doc
from coterie._typing import Progress
from coterie._validation import StrOptions, check_parameters
from coterie.consensus import (
    CoreBipartite,
    CoreLinkage,
    CoreMetaClusters,
    CoreSpectral,
)
from coterie.generation import LaplacianSubspaceSpectral
from coterie.systems._base import BaseSystem, Parts
from coterie.weighting import CoreStabilityWeighter

CONSENSUS = {
    "hc": CoreLinkage,
    "sc": CoreSpectral,
    "bg": CoreBipartite,
    "mc": CoreMetaClusters,
}
_FEWEST_MEMBERS, _MOST_MEMBERS = 10, 50
# Eqs. 15-20 use member weights only, Eqs. 29-34 none.
_LEVELS = {"hc": "members", "sc": "members", "bg": "both", "mc": None}


@fill_doc
class C2SWCE(BaseSystem):
    """Core cluster-based subspace weighted clustering ensemble.

    For high-dimensional data, with few members. Each draws a share of the features and
    keeps those that vary least between neighbours. Samples that no member separates
    form a core cluster; members with compact clusters get larger weights when the core
    clusters are combined [1]_. :class:`MDEC` is more accurate on most of the paper's
    data; this is faster, with ten members instead of a hundred.

    The default, ``consensus="hc"``, is average linkage, the paper's best. ``"bg"`` cuts
    the bipartite graph of core clusters and clusters, and is as good; ``"sc"`` is
    spectral clustering; ``"mc"`` groups the clusters and uses nothing but the labels.

    Parameters
    ----------
    %(system_n_clusters)s
    consensus : {"hc", "sc", "bg", "mc"}, default="hc"
        How the members are combined.
    n_members : int or None, default=None
        Number of clusterings to make, k in the paper. None is the paper's 10, and more
        for fewer than 500 samples: 5,000 / N, at most 50.
    subspace_ratio : float, default=0.8
        Share of the features that each member draws, r in the paper.
    selection_ratio : float, default=0.8
        Share of these to keep, by Laplacian score; 1 keeps all.
    weighted : bool, default=True
        Whether members (for "bg", clusters as well) are weighted by their stability;
        "mc" has no weights, as in the paper.
    order : {"smallest", "largest"}, default="smallest"
        Which Laplacian scores to keep; "largest" is what the paper says.
    graph : {"density", "gaussian"}, default="density"
        The members' graph: MDEC's with random widths, or the paper's Eq. 3.
    n_neighbors : int, default=5
        Neighbours in the Gaussian graph, which the scores always use.
    mu_range : (float, float), default=(0.2, 0.8)
        Range of the width, for ``graph="density"``.
    neighbors_range : (int, int), default=(5, 20)
        Range of the number of neighbours, for ``graph="density"``.
    member_clusters : int, (int, int) or None, default=None
        Clusters of each member, or a range to draw from; None is 2 to the square root
        of the number of samples, rounded down.
    similarity : {"exponential", "distance", "membership"}, default="exponential"
        Similarity of core clusters in "hc" and "sc": the exponential of minus their
        distance; the distance itself, as in the paper's Eq. 15; or one.
    metric : {"euclidean", "manhattan", "cosine"}, default="euclidean"
        Distance between samples, for weights and similarity.
    scale : {"mean"} or None, default="mean"
        Whether these distances are divided by their mean.
    unit : {"cores", "samples"}, default="cores"
        Whether each core cluster counts once in the consensus, or once per sample.
    %(system_parameters)s

    Attributes
    ----------
    %(system_attributes)s

    Notes
    -----
    The paper contradicts itself in several places, and not all of its printed results
    can be reproduced. The defaults are the reading that comes closest; each literal
    reading is available as a parameter. ``docs/c2swce.md`` has the list and the
    numbers.

    The data are not scaled: standardise features with different units first.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from coterie import C2SWCE
    >>> X = scale(load_wine().data)
    >>> C2SWCE(n_clusters=3, random_state=0).fit_predict(X).shape
    (178,)
    """

    name = "c2swce"
    summary = "few members on selected random features, combined by core clusters"
    cost = "time M N^2 D, memory N (D + M) + u^2"
    paper = "huang2022c2swce"
    group = "reason"
    take_if = "many features and little time"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "consensus": [StrOptions(set(CONSENSUS))],
        "weighted": ["boolean"],
        "similarity": [StrOptions({"exponential", "distance", "membership"})],
        "metric": [StrOptions({"euclidean", "manhattan", "cosine"})],
        "scale": [StrOptions({"mean"}), None],
        "unit": [StrOptions({"cores", "samples"})],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        consensus: str = "hc",
        n_members: int | None = None,
        subspace_ratio: float = 0.8,
        selection_ratio: float = 0.8,
        weighted: bool = True,
        order: str = "smallest",
        graph: str = "density",
        n_neighbors: int = 5,
        mu_range: tuple[float, float] = (0.2, 0.8),
        neighbors_range: tuple[int, int] = (5, 20),
        member_clusters: Any = None,
        similarity: str = "exponential",
        metric: str = "euclidean",
        scale: str | None = "mean",
        unit: str = "cores",
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.consensus = consensus
        self.n_members = n_members
        self.subspace_ratio = subspace_ratio
        self.selection_ratio = selection_ratio
        self.weighted = weighted
        self.order = order
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.mu_range = mu_range
        self.neighbors_range = neighbors_range
        self.member_clusters = member_clusters
        self.similarity = similarity
        self.metric = metric
        self.scale = scale
        self.unit = unit
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        check_parameters(self)  # also of one that was changed after fit
        generator = LaplacianSubspaceSpectral(
            _enough(n_samples) if self.n_members is None else self.n_members,
            subspace_ratio=self.subspace_ratio,
            selection_ratio=self.selection_ratio,
            order=self.order,
            graph=self.graph,
            n_neighbors=self.n_neighbors,
            mu_range=self.mu_range,
            neighbors_range=self.neighbors_range,
            n_clusters=self.member_clusters,
        )
        distance = {"metric": self.metric, "scale": self.scale}
        weighter: Any = None
        levels = _LEVELS[self.consensus]
        if self.weighted and levels is not None:
            weighter = CoreStabilityWeighter(levels=levels, **distance)
        consensus = CONSENSUS[self.consensus](unit=self.unit)
        if self.consensus in {"hc", "sc"}:
            consensus.set_params(similarity=self.similarity, **distance)
        return Parts(generator, weighter, consensus)


def _enough(n_samples: int | None) -> int:
    """Return the number of members; with few samples each says less, so more speak."""
    if n_samples is None:
        return _FEWEST_MEMBERS
    return min(_MOST_MEMBERS, max(_FEWEST_MEMBERS, math.ceil(5_000 / n_samples)))
