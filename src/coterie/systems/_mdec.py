"""MDEC: multidiversified ensemble clustering."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from coterie._docs import fill_doc
from coterie._typing import Progress
from coterie._validation import StrOptions, check_parameters
from coterie.consensus import LWEA, LWGP, CoassociationSpectral
from coterie.generation import MetricSubspaceSpectral
from coterie.systems._base import BaseSystem, Parts
from coterie.weighting import EntropyWeighter

CONSENSUS = {"hc": LWEA, "sc": CoassociationSpectral, "bg": LWGP}


@fill_doc
class MDEC(BaseSystem):
    """Multidiversified ensemble clustering, for high-dimensional data.

    Members differ in three ways: each uses a random share of the features, a random
    kernel and a random number of clusters. Clusters that the other members keep
    together get larger weights when the members are combined [1]_.

    Use ``consensus="hc"`` (average linkage) for up to about 20,000 samples, where it is
    the most accurate overall; ``"bg"`` (bipartite graph) for more samples, or if
    average linkage splits off outliers; ``"sc"`` (spectral clustering of the
    co-association) if clusters have similar sizes.

    Parameters
    ----------
    %(system_n_clusters)s
    consensus : {"hc", "sc", "bg"}, default="hc"
        How the members are combined.
    n_members : int, default=100
        Number of clusterings to make, M in the paper.
    weighted : bool, default=True
        Whether clusters are weighted by their entropy (False is the paper's ablation).
    kernel : {"density", "exponential"}, default="density"
        The similarity of samples: "density" reproduces the printed results,
        "exponential" is the paper's Eq. 1.
    metric : {"euclidean", "cosine", "correlation", "spearman"}, default="euclidean"
        The random kernel on Euclidean distances, or one fixed metric for comparison.
    subspace_ratio : float, default=0.5
        Share of the features that each member sees, tau in the paper.
    mu_range : (float, float), default=(0.2, 0.8)
        Range of the kernel's width.
    neighbors_range : (int, int), default=(5, 20)
        Range of the number of neighbours.
    member_clusters : int, (int, int) or None, default=None
        Clusters of each member, or a range to draw from; None is 2 to the square root
        of the number of samples, rounded up.
    neighbors : {"auto", "exact", "shared"}, default="auto"
        Whether members search for neighbours among all samples, or among candidates
        that are found once for all members.
    views : sequence of {"raw", "asinh", "zscore", "cosine"}, default=("raw",)
        Transformations of the data, which members use in turn. ``("raw", "asinh")``
        helps with raw intensities, such as those of gene expression.
    %(system_parameters)s

    Attributes
    ----------
    %(system_attributes)s

    Notes
    -----
    The data are not scaled: standardise features with different units first. Where the
    text and the authors' program differ (the kernel), the default reproduces the
    printed results; see :class:`~coterie.generation.MetricSubspaceSpectral`.

    The weights can mislead ``"hc"`` where one cluster is much larger than the others. A
    :class:`~coterie.exceptions.WeightsDisagreeWarning` says so; ``"bg"`` or
    ``weighted=False`` help.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.preprocessing import scale
    >>> from coterie import MDEC
    >>> X = scale(load_wine().data)
    >>> MDEC(n_clusters=3, n_members=20, random_state=0).fit_predict(X).shape
    (178,)
    """

    name = "mdec"
    summary = "random features, random kernels, spectral members, entropy weights"
    cost = "time M (N^2 D + N k K), or M N D K with shared neighbours"
    paper = "huang2022mdec"
    group = "reason"
    take_if = "a published method for many features"
    fewest_features = 4
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseSystem._parameter_constraints,
        "consensus": [StrOptions(set(CONSENSUS))],
        "weighted": ["boolean"],
    }

    def __init__(
        self,
        n_clusters: int | str = 8,
        *,
        consensus: str = "hc",
        n_members: int = 100,
        weighted: bool = True,
        kernel: str = "density",
        metric: str = "euclidean",
        subspace_ratio: float = 0.5,
        mu_range: tuple[float, float] = (0.2, 0.8),
        neighbors_range: tuple[int, int] = (5, 20),
        member_clusters: Any = None,
        neighbors: str = "auto",
        views: Sequence[str] = ("raw",),
        random_state: Any = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.consensus = consensus
        self.n_members = n_members
        self.weighted = weighted
        self.kernel = kernel
        self.metric = metric
        self.subspace_ratio = subspace_ratio
        self.mu_range = mu_range
        self.neighbors_range = neighbors_range
        self.member_clusters = member_clusters
        self.neighbors = neighbors
        self.views = views
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.progress = progress

    def parts(self, n_samples: int | None = None) -> Parts:
        check_parameters(self)  # also of one that was changed after fit
        generator = MetricSubspaceSpectral(
            self.n_members,
            kernel=self.kernel,
            metric=self.metric,
            subspace_ratio=self.subspace_ratio,
            mu_range=self.mu_range,
            neighbors_range=self.neighbors_range,
            n_clusters=self.member_clusters,
            neighbors=self.neighbors,
            views=self.views,
        )
        weighter = EntropyWeighter(theta=1.0) if self.weighted else None  # Eq. 19
        return Parts(generator, weighter, CONSENSUS[self.consensus]())
