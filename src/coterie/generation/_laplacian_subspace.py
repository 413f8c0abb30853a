"""Members that see random features, of which only the telling ones are kept."""

from __future__ import annotations

import math
from numbers import Integral
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import (
    density_graph,
    gaussian_graph,
    kmeans,
    laplacian_score,
    nearest_neighbors,
    spectral_embedding,
    unit_rows,
)
from coterie._validation import Interval, StrOptions
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._draws import (
    N_CLUSTERS,
    SHARE,
    check_pair,
    check_range,
    draw_n_clusters,
    draw_sorted,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ALL_PAIRS = 4000  # samples, up to which all pairs are looked at
_N_TRIED = 128  # rows of the trial
_N_CANDIDATES = 128  # beyond, so many of the nearest, found once for all members
_LEAST_RECALL = 0.9  # of the neighbours that candidates must hold
_RESIDUAL = 1e-2  # of eigenvectors, as in MetricSubspaceSpectral


class _Task(NamedTuple):
    """The data, and among which rows each row's neighbours are looked for."""

    X: Any  # (N, D)
    candidates: NDArray[np.int32] | None  # (N, 128); None: all rows


@fill_doc
class LaplacianSubspaceSpectral(BaseGenerator):
    r"""Spectral clustering on random features, of which the telling ones are kept.

    For data of many features, some of which are noise: each member draws a share
    ``subspace_ratio`` of the features, joins the samples to a graph of nearest
    neighbours, and keeps the share ``selection_ratio`` of its features that vary least
    along the edges, by :func:`~coterie._linalg.laplacian_score`; then it cuts a graph
    made from the features that are left into a random number of clusters [1]_. Prefer
    :class:`MetricSubspaceSpectral` where there is no reason to distrust features: it
    is faster, and on the paper's data no worse.

    Parameters
    ----------
    n_members : int, default=10
        Number of clusterings to make, k in the paper.
    subspace_ratio : float, default=0.8
        Share of the features that each member draws.
    selection_ratio : float, default=0.8
        Share of the drawn features that each member keeps; 1 switches selection off.
    order : {"smallest", "largest"}, default="smallest"
        Which Laplacian scores are kept. "largest" is what the paper says, and keeps the
        features that have least to do with the neighbourhoods.
    graph : {"density", "gaussian"}, default="density"
        What is cut: :func:`~coterie._linalg.density_graph` with a random width and a
        random number of neighbours, or :func:`~coterie._linalg.gaussian_graph`, the
        paper's Eq. 3.
    n_neighbors : int, default=5
        Neighbours in the Gaussian graph.
    mu_range : (float, float), default=(0.2, 0.8)
        Range of the width, for ``graph="density"``.
    neighbors_range : (int, int), default=(5, 20)
        Range of the number of neighbours, both ends included, for ``graph="density"``.
    n_clusters : (int, int), int or None, default=None
        Range of the number of clusters of a member, both ends included; a number; or
        None for 2 to the square root of the number of samples, rounded down.
    n_init : int, default=3
        Starts of k-means; the best is kept.
    %(on_error)s

    Notes
    -----
    *Order.* The paper sorts the scores "in descending order" and keeps the first. A
    small score marks a good feature; programs that return one minus the score sort so.

    *Graph.* Eq. 3 serves for the scores in any case. The members' own graph is by
    default that of :class:`MetricSubspaceSpectral`, with which the printed results can
    be approached; Eq. 3 is far from them on most of the paper's data. The paper does
    not say how many neighbours a sample has; five is usual for the Laplacian score. Its
    :math:`\sigma` is taken as one number for the whole graph.

    *Constant features* have no score and are kept last, whatever the order.

    *Many samples.* Beyond 4,000, scores come from the neighbourhoods in a sample of
    4,000, and the density graph looks only at the 128 nearest in all features, which
    are found once, unless a trial shows that they hold less than .9 of the neighbours.
    What share was found stands in ``params["recall"]`` of each member.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from coterie.generation import LaplacianSubspaceSpectral
    >>> X = load_digits().data[:500]
    >>> ensemble = LaplacianSubspaceSpectral(5).generate(X, seed=0)
    >>> ensemble.members[0].features.size  # 64 * 0.8 * 0.8
    41
    """

    name = "laplacian-subspace"
    summary = "spectral clustering on random features, the telling ones kept"
    cost = "time M N (N D + k K^2), memory N (D + M)"
    paper = "huang2022c2swce"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "subspace_ratio": SHARE,
        "selection_ratio": SHARE,
        "order": [StrOptions({"smallest", "largest"})],
        "graph": [StrOptions({"density", "gaussian"})],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "mu_range": [tuple, list],
        "neighbors_range": [tuple, list],
        "n_clusters": N_CLUSTERS,
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        n_members: int = 10,
        *,
        subspace_ratio: float = 0.8,
        selection_ratio: float = 0.8,
        order: str = "smallest",
        graph: str = "density",
        n_neighbors: int = 5,
        mu_range: tuple[float, float] = (0.2, 0.8),
        neighbors_range: tuple[int, int] = (5, 20),
        n_clusters: Any = None,
        n_init: int = 3,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.subspace_ratio = subspace_ratio
        self.selection_ratio = selection_ratio
        self.order = order
        self.graph = graph
        self.n_neighbors = n_neighbors
        self.mu_range = mu_range
        self.neighbors_range = neighbors_range
        self.n_clusters = n_clusters
        self.n_init = n_init
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        who = type(self).__name__
        check_range(self.n_clusters, X.shape[0], who, "n_clusters")
        check_pair(self.mu_range, "mu_range", 0.0, who)
        check_pair(self.neighbors_range, "neighbors_range", 1, who)

    def _prepare(self, X: Any) -> _Task:
        n, n_features = X.shape
        if n <= _ALL_PAIRS or self.graph == "gaussian":
            return _Task(X, None)
        candidates = nearest_neighbors(X, min(_N_CANDIDATES, n - 1)).indices
        ratio = self.subspace_ratio * self.selection_ratio
        seen = draw_sorted(n_features, ratio, np.random.default_rng(0))
        k, mu = self.neighbors_range[1], self.mu_range[0]  # the hardest case
        trial = density_graph(
            X[:, seen], k, mu, candidates=candidates, n_checked=_N_TRIED
        )
        return _Task(X, candidates if trial.recall >= _LEAST_RECALL else None)

    def _member(self, task: _Task, number: int, rng: np.random.Generator) -> Draft:
        X, candidates = task
        n, n_features = X.shape
        drawn = draw_sorted(n_features, self.subspace_ratio, rng)
        n_clusters = self._draw_n_clusters(n, rng)
        params: dict[str, Any] = {"n_clusters": n_clusters}
        if n == 1:
            return Draft(np.zeros(1, dtype=np.int32), params, features=drawn)
        view = X[:, drawn]
        kept = self._select(view, rng)
        view = view[:, kept]
        W = self._graph(view, candidates, rng, params)
        U = spectral_embedding(W, n_clusters, rng=rng, tol=_RESIDUAL)
        found = kmeans(unit_rows(U), n_clusters, rng=rng, n_init=self.n_init)
        return Draft(found.labels, params, features=drawn[kept])

    def _draw_n_clusters(self, n_samples: int, rng: np.random.Generator) -> int:
        span = self.n_clusters
        if span is None:
            span = 2, max(2, math.isqrt(n_samples))
        return draw_n_clusters(span, n_samples, rng)

    def _select(self, view: Any, rng: np.random.Generator) -> NDArray[np.intp]:
        """Return which of the drawn features are kept, in their order."""
        n, n_drawn = view.shape
        n_kept = max(1, round(self.selection_ratio * n_drawn))
        if n_kept == n_drawn:
            return np.arange(n_drawn)
        if n > _ALL_PAIRS:
            view = view[np.sort(rng.choice(n, size=_ALL_PAIRS, replace=False))]
        W = gaussian_graph(view, self.n_neighbors)  # Eqs. 1-3
        scores = laplacian_score(view, W)  # Eqs. 4-6
        if self.order == "largest":
            scores = np.where(np.isinf(scores), np.inf, -scores)
        return np.sort(np.argsort(scores, kind="stable")[:n_kept])

    def _graph(
        self,
        view: Any,
        candidates: NDArray[np.int32] | None,
        rng: np.random.Generator,
        params: dict[str, Any],
    ) -> Any:
        """Return the weights of the graph to cut; what is drawn goes into params."""
        if self.graph == "gaussian":
            params["n_neighbors"] = min(self.n_neighbors, view.shape[0] - 1)
            return gaussian_graph(view, self.n_neighbors)
        low, high = self.neighbors_range
        k = min(int(rng.integers(low, high, endpoint=True)), view.shape[0] - 1)
        mu = float(rng.uniform(*self.mu_range))
        found = density_graph(view, k, mu, candidates=candidates)
        params |= {"n_neighbors": k, "mu": mu, "recall": found.recall}
        return found.weights
