"""Spectral clustering members with random kernels on random features."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import (
    candidate_distances,
    density_graph,
    direction_graph,
    directions,
    exponential_graph,
    kmeans_labels,
    local_order,
    mirrored,
    nearest_neighbors,
    spectral_embedding,
    unit_rows,
)
from coterie._validation import StrOptions, is_sparse
from coterie.generation._base import Draft, cluster_means, take_features
from coterie.generation._draws import RandomGenerator, draw_n_clusters
from coterie.generation._views import check_views, look

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie._linalg import Distances, SimilarityGraph

_EXACT_UP_TO = 1500  # samples; shared lists are faster beyond that
_EXACT_IS_CHEAP = 4000  # samples
_FEW_FEATURES = 100  # neighbours in all of so few are seldom those in half of them
_EXACT_AT_MOST = 20_000  # samples, beyond which exact search takes too long
_AS_GIVEN = 20_000  # samples, whose rows are not reordered: most fit into the cache
_LIST_START, _LIST_SLOPES = 16, (3, 4, 5, 6)  # lists are 16 + slope * k long
_N_TRIED, _N_CHECKED = 128, 4  # rows of the trial, and of each member
# Residuals of eigenvectors. For few samples small ones cost little, and some graphs
# need them; for many samples they did not improve the members.
_RESIDUAL_FEW, _RESIDUAL, _FEW = 1e-4, 1e-2, 1500
# Recall in the trial at which lists are long enough, and below which exact search,
# which is fast for few samples, is better.
_RECALL_FEW, _RECALL = (0.99, 0.99), (0.97, 0.9)
_SAMPLE_ROWS, _SAMPLE_PER_CLUSTER = 1000, 20  # for the starts of k-means
_BY_DENSITY = ("euclidean", "density")  # metric and kernel
_SINGLE_RANGE = 1e12  # of the features; squares must not vanish in float32


@fill_doc
class MetricSubspaceSpectral(RandomGenerator):
    r"""Spectral clustering with a random kernel on random features.

    For high-dimensional data, where no single metric can be trusted: each member draws
    a share ``subspace_ratio`` of the features, a number of neighbours k and a width
    :math:`\mu`, builds a graph of the samples with this kernel, and cuts it into a
    random number of clusters [1]_. With the squared distances :math:`D_{ij}` in the
    member's features, :math:`\rho_i` the mean of the k smallest of them for sample i,
    and :math:`\varepsilon_{ij} = (\rho_i + \rho_j + D_{ij}) / 3`,

    .. math:: W_{ij} = \frac{1}{\sqrt{2 \pi} \mu \varepsilon_{ij}}
        \exp\left(-\frac{D_{ij}^2}{2 \mu^2 \varepsilon_{ij}^2}\right)

    is kept if it is among the k largest of its row or column. k-means then clusters the
    rows, scaled to unit length, of the eigenvectors of the smallest eigenvalues of
    :math:`I - D^{-1/2} W D^{-1/2}`. Prefer :class:`RandomSubspace` if k-means is good
    enough: it is faster.

    Parameters
    ----------
    n_members : int, default=100
        Number of clusterings to make.
    kernel : {"density", "exponential"}, default="density"
        The weights above, or :math:`\exp(-d_{ij} / (\mu \varepsilon_{ij}))` of the
        distances d between nearest neighbours, as the paper prints it.
    metric : {"euclidean", "cosine", "correlation", "spearman"}, default="euclidean"
        All but the first use no kernel: the weights are the positive similarities of
        nearest neighbours.
    subspace_ratio : float, default=0.5
        Share of the features that each member sees.
    mu_range : (float, float), default=(0.2, 0.8)
        Range of the kernel's width.
    neighbors_range : (int, int), default=(5, 20)
        Range of the number of neighbours, both ends included.
    n_clusters : (int, int), int or None, default=None
        Range of the number of clusters of a member, both ends included; a number; or
        None for 2 to the square root of the number of samples, rounded up.
    neighbors : {"auto", "exact", "shared"}, default="auto"
        Where to search for neighbours: among all samples, or among candidates that are
        nearest in all features and found once for all members: 16, and 3 to 6 more per
        neighbour, the fewest with a recall of .99 in a trial (.97 beyond 4,000
        samples). "auto" is "exact" up to 1,500 samples (4,000 of at most 100 features)
        and "shared" beyond 20,000; in between it shares if the trial's recall is .99,
        or .9 beyond 4,000 samples.
        ``params["recall"]`` of each member has the share found: usually at least .98,
        but far less for data with few features.
    views : sequence of {"raw", "asinh", "zscore", "cosine"}, default=("raw",)
        Transformations of the data, which members use in turn: none; asinh((x - median
        of the feature) / median deviation), for raw intensities such as those of gene
        expression; features of unit variance; samples of unit length.
    n_init : int, default=3
        Starts of k-means; the best is kept.
    max_iter : int, default=100
        Maximum number of iterations of k-means.
    %(on_error)s

    Notes
    -----
    *Kernel.* The paper's Eq. 1 is ``kernel="exponential"``. The authors' program, whose
    graphs ``kernel="density"`` repeats (to the last digits in double precision, which
    members do not use), takes squared distances in a Gaussian density and keeps the
    largest weights, not the nearest samples; it gives the better results. If a sample
    coincides with its neighbours, its infinite weights are replaced by the largest
    finite weight of the graph.

    *Draws.* As in the program, k is uniform with both ends of its range included; Eq. 5
    never draws the upper one. Ranges are truncated to the number of samples.

    *Metrics.* The paper compares its kernels with cosine, correlation and Spearman
    similarities and does not say how their graphs are built. Here, the k nearest are
    joined, with k drawn as above, by their similarity; negative ones give no edge.
    Ranks are taken among the member's features.

    *Views* are ours. Members on raw data and on their asinh, half each, gained .055 NMI
    on raw expression intensities in a test on 29 data sets, and nothing elsewhere.

    *Where we follow neither.* Distances are computed in single precision if the range
    of the data allows. Beyond 1,500 samples eigenvectors have residuals up to 0.01, and
    k-means compares its starts on a subsample of the rows (1,000, or 20 per cluster, if
    there are twice as many) and continues the best on all rows: neither changed the
    mean quality of members. Components of the graph and samples without neighbours get
    eigenvectors of their own; the program fails on some of them. ``recall`` is measured
    on 4 samples, using the :math:`\rho` found for the other samples. Beyond 20,000
    samples, the rows of dense data are reordered meanwhile, near ones together, which
    changes the random starts and saves a third of a member's time.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from coterie.generation import MetricSubspaceSpectral
    >>> X = load_digits().data[:500]
    >>> ensemble = MetricSubspaceSpectral(5).generate(X, seed=0)
    >>> sorted(ensemble.members[0].params)
    ['mu', 'n_clusters', 'n_neighbors', 'recall', 'view']
    """

    name = "metric-subspace"
    summary = "spectral clustering with a random kernel on random features"
    cost = "time M N (N D + k K^2), memory N (D + M); D falls away beyond N = 4,000"
    paper = "huang2022mdec"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "kernel": [StrOptions({"density", "exponential"})],
        "metric": [StrOptions({"euclidean", "cosine", "correlation", "spearman"})],
        "neighbors": [StrOptions({"auto", "exact", "shared"})],
        "views": [tuple, list],
    }

    def __init__(
        self,
        n_members: int = 100,
        *,
        kernel: str = "density",
        metric: str = "euclidean",
        subspace_ratio: float = 0.5,
        mu_range: tuple[float, float] = (0.2, 0.8),
        neighbors_range: tuple[int, int] = (5, 20),
        n_clusters: Any = None,
        neighbors: str = "auto",
        views: Sequence[str] = ("raw",),
        n_init: int = 3,
        max_iter: int = 100,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.kernel = kernel
        self.metric = metric
        self.subspace_ratio = subspace_ratio
        self.mu_range = mu_range
        self.neighbors_range = neighbors_range
        self.n_clusters = n_clusters
        self.neighbors = neighbors
        self.views = views
        self.n_init = n_init
        self.max_iter = max_iter
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        super()._check(X)
        check_views(self.views, X, type(self).__name__)

    def _prepare(self, X: Any) -> tuple[_Task, ...]:
        views = self.views[: self.n_members]
        return tuple(self._measured(self._task(look(X, view))) for view in views)

    def _task(self, X: Any) -> _Task:
        n = X.shape[0]
        task = _Task(X, np.zeros(X.shape[1]), 1.0)
        if self.metric == "euclidean" and not is_sparse(X):
            task = _around_origin(X)
        if n > _AS_GIVEN and not is_sparse(X):
            task = task.ordered()
        choosing = self.neighbors == "auto"
        few = n <= _EXACT_IS_CHEAP
        small = n <= _EXACT_UP_TO or (few and X.shape[1] <= _FEW_FEATURES)
        exact = self.neighbors == "exact" or (choosing and small)
        longest = self._list_length(_LIST_SLOPES[-1])
        if exact or n <= longest + 1:
            return task
        seen = task.values
        if self.metric != "euclidean":
            seen = directions(seen, self.metric)
        good, least = _RECALL_FEW if few else _RECALL
        listed = 0
        for slope in _LIST_SLOPES:
            length = self._list_length(slope)
            if length > listed:  # searching few samples is cheap: short lists first
                listed = length if few and not listed else longest
                found = nearest_neighbors(seen, listed).indices
                mirror = None if is_sparse(seen) else mirrored(found)
            sharing = replace(task, candidates=found, mirror=mirror, slope=slope)
            recall = self._recall(sharing)
            if recall >= good:
                return sharing
        too_few = choosing and n <= _EXACT_AT_MOST and recall < least
        return task if too_few else sharing

    def _measured(self, task: _Task) -> _Task:
        """Measure the distances once if all members see all features."""
        n, n_features = task.values.shape
        sees_all = self._n_seen(n_features) == n_features and self.n_members > 1
        plain = (self.metric, self.kernel) == _BY_DENSITY and not is_sparse(task.values)
        if n == 1 or not (sees_all and plain):
            return task
        k = min(self.neighbors_range[1], n - 1)
        lists = task.lists(k)
        found = candidate_distances(task.values, **lists, n_checked=_N_CHECKED)
        return replace(task, distances=found)

    def _n_seen(self, n_features: int) -> int:
        return max(1, math.floor(self.subspace_ratio * n_features + 0.5))

    def _list_length(self, slope: int) -> int:
        return _LIST_START + slope * self.neighbors_range[1]

    def _recall(self, task: _Task) -> float:
        """Return the share of neighbours found in a hard case, for any seed."""
        features = self._draw_features(task.values.shape[1], np.random.default_rng(0))
        k = min(self.neighbors_range[1], task.values.shape[0] - 1)
        tried = {**task.lists(k), "n_checked": _N_TRIED}
        return self._graph(task.view(features), k, self.mu_range[0], **tried).recall

    def _draw_features(self, n_features: int, rng: np.random.Generator) -> Any:
        size = self._n_seen(n_features)
        return np.sort(rng.choice(n_features, size=size, replace=False))

    def _member(
        self, tasks: tuple[_Task, ...], number: int, rng: np.random.Generator
    ) -> Draft:
        task, name = tasks[number % len(tasks)], self.views[number % len(tasks)]
        n, n_features = task.values.shape
        low, high = self.neighbors_range
        k = min(int(rng.integers(low, high, endpoint=True)), n - 1)
        mu = float(rng.uniform(*self.mu_range))
        features = self._draw_features(n_features, rng)
        n_clusters = draw_n_clusters(self.n_clusters, n, rng)
        params = {"n_neighbors": k, "mu": mu, "n_clusters": n_clusters, "view": name}
        if n == 1:
            return Draft(np.zeros(1, dtype=np.int32), params, features=features)
        view = task.view(features)
        options = {**task.lists(k), "n_checked": _N_CHECKED}
        if task.distances is not None:
            options["distances"] = task.distances
        graph = self._graph(view, k, mu, **options)
        params["recall"] = graph.recall
        tol = _RESIDUAL_FEW if n <= _FEW else _RESIDUAL
        U = spectral_embedding(
            graph.weights, n_clusters, rng=rng, tol=tol, check_input=False
        )
        labels = self._split(unit_rows(U), n_clusters, rng)
        centers = task.original(view, features, labels) if name == "raw" else None
        labels = task.restored(labels)
        return Draft(labels, params, features=features, centers=centers)

    def _graph(self, view: Any, k: int, mu: float, **options: Any) -> SimilarityGraph:
        if self.metric != "euclidean":
            return direction_graph(directions(view, self.metric), k, **options)
        make = density_graph if self.kernel == "density" else exponential_graph
        return make(view, k, mu, **options)

    def _split(self, U: Any, n_clusters: int, rng: np.random.Generator) -> Any:
        """Cluster the rows of an embedding; starts are compared on a subsample."""
        size = max(_SAMPLE_ROWS, _SAMPLE_PER_CLUSTER * n_clusters)
        if self.n_init == 1:
            size = len(U)  # there is nothing to compare
        labels = kmeans_labels(
            U, n_clusters, size, rng=rng, n_init=self.n_init, max_iter=self.max_iter
        )
        is_used = np.bincount(labels, minlength=n_clusters) > 0
        return (np.cumsum(is_used) - 1)[labels]  # without empty clusters


@dataclass(frozen=True, eq=False)
class _Task:
    """The data that members use: ``values * scale + origin`` is X, maybe reordered."""

    values: Any  # (N, D)
    origin: NDArray[np.float64]  # (D,)
    scale: float
    candidates: NDArray[np.int32] | None = None  # (N, L), nearest first; None: all
    mirror: NDArray[np.int16] | None = None  # (N, L), where they list each other
    slope: int = 0  # candidates looked at for each neighbour
    order: NDArray[np.intp] | None = None  # (N,) the samples that the rows are of
    distances: Distances | None = None  # in all features

    def lists(self, n_neighbors: int) -> dict[str, Any]:
        """Return the candidates for this number of neighbours."""
        if self.candidates is None:
            return {}
        length = _LIST_START + self.slope * n_neighbors
        lists: dict[str, Any] = {
            "candidates": np.ascontiguousarray(self.candidates[:, :length])
        }
        if self.mirror is not None:
            lists["mirror"] = np.ascontiguousarray(self.mirror[:, :length])
        return lists

    def view(self, features: NDArray[np.intp]) -> Any:
        """Return some features, C-ordered."""
        if features.size == self.values.shape[1]:  # they are sorted
            return self.values
        if is_sparse(self.values):
            return self.values[:, features]
        return take_features(self.values, features)

    def ordered(self) -> _Task:
        """Return the data with near samples near each other: they stay in the cache."""
        order = local_order(self.values)
        return replace(self, values=self.values[order], order=order)

    def restored(self, labels: Any) -> Any:
        """Return labels of the rows in the order of the samples."""
        if self.order is None:
            return labels
        restored = np.empty_like(labels)
        restored[self.order] = labels
        return restored

    def original(self, view: Any, features: Any, labels: Any) -> Any:
        """Return the centres of clusters of a view, in the original coordinates."""
        return cluster_means(view, labels) * self.scale + self.origin[features]


def _around_origin(X: Any) -> _Task:
    """Shift and scale X to [-1, 1], in single precision if no feature vanishes."""
    origin = X.mean(axis=0, dtype=np.float64)
    spread = np.maximum(X.max(axis=0) - origin, origin - X.min(axis=0))  # (D,)
    scale = float(spread.max()) or 1.0
    smallest = np.min(spread, where=spread > 0, initial=scale)
    dtype = np.float32 if scale < _SINGLE_RANGE * smallest else np.float64
    values = np.empty(X.shape, dtype=dtype)
    for s in range(0, X.shape[0], 1024):  # avoids another copy of X in float64
        values[s : s + 1024] = (X[s : s + 1024] - origin) / scale
    return _Task(values, origin, scale)
