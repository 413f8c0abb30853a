"""Spectral clustering members on random features that pass a selection."""

from __future__ import annotations

import math
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
from coterie._validation import SHARE, StrOptions
from coterie.generation._base import Draft
from coterie.generation._draws import RandomGenerator, draw_n_clusters, draw_sorted

if TYPE_CHECKING:
    from numpy.typing import NDArray

_ALL_PAIRS = 4000  # samples, up to which all pairs are compared
_N_TRIED = 128  # rows of the trial
_N_CANDIDATES = 128  # nearest samples beyond that, found once for all members
_LEAST_RECALL = 0.9  # share of the neighbours that must be candidates
_RESIDUAL = 1e-2  # of eigenvectors, as in MetricSubspaceSpectral


class _Task(NamedTuple):
    """The data, and the candidates for the neighbours of each row."""

    X: Any  # (N, D)
    candidates: NDArray[np.int32] | None  # (N, 128); None: all rows


@fill_doc
class LaplacianSubspaceSpectral(RandomGenerator):
    r"""Spectral clustering on random features, after feature selection.

    For high-dimensional data with noisy features: each member draws a share
    ``subspace_ratio`` of the features, builds a graph of nearest neighbours, and keeps
    the share ``selection_ratio`` of its features that vary least along the edges,
    by their Laplacian score; then it cuts a graph built from the remaining features
    into a random number of clusters [1]_. Prefer
    :class:`MetricSubspaceSpectral` unless you suspect that features are noise: it is
    faster, and no worse on the paper's data.

    Parameters
    ----------
    n_members : int, default=10
        Number of clusterings to make, k in the paper.
    subspace_ratio : float, default=0.8
        Share of the features that each member draws.
    selection_ratio : float, default=0.8
        Share of the drawn features that each member keeps; 1 switches selection off.
    order : {"smallest", "largest"}, default="smallest"
        Which Laplacian scores to keep. "largest" is what the paper says; it keeps the
        features that have least to do with the neighbourhoods.
    graph : {"density", "gaussian"}, default="density"
        The graph to cut: that of :class:`MetricSubspaceSpectral`, with a random width
        and a random number of neighbours, or the paper's Gaussian one, Eq. 3.
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
    *Order.* The paper sorts the scores "in descending order" and keeps the first. But
    good features have small scores; descending order suits programs that return one
    minus the score.

    *Graph.* The scores always use Eq. 3. The members' own graph is by default that of
    :class:`MetricSubspaceSpectral`, which comes close to the printed results; Eq. 3 is
    far from them on most of the paper's data. The paper does not say how many
    neighbours a sample has; five is usual for the Laplacian score. We take its
    :math:`\sigma` as one number for the whole graph.

    *Constant features* have no score and are kept last, whatever the order.

    *Many samples.* Beyond 4,000, scores come from the neighbourhoods in a subsample of
    4,000, and the density graph compares only the 128 nearest in all features, found
    once, unless a trial shows that they include less than .9 of the neighbours. The
    share found is in ``params["recall"]`` of each member.

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
    summary = "spectral clustering on random features, filtered by Laplacian score"
    cost = "time M N (N D + k K^2), memory N (D + M)"
    paper = "huang2022c2swce"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "selection_ratio": SHARE,
        "order": [StrOptions({"smallest", "largest"})],
        "graph": [StrOptions({"density", "gaussian"})],
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
        usual = 2, max(2, math.isqrt(n))
        n_clusters = draw_n_clusters(self.n_clusters or usual, n, rng)
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

    def _select(self, view: Any, rng: np.random.Generator) -> NDArray[np.intp]:
        """Return the indices of the drawn features to keep, sorted."""
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
        """Return the weights of the graph to cut; adds the draws to params."""
        if self.graph == "gaussian":
            params["n_neighbors"] = min(self.n_neighbors, view.shape[0] - 1)
            return gaussian_graph(view, self.n_neighbors)
        low, high = self.neighbors_range
        k = min(int(rng.integers(low, high, endpoint=True)), view.shape[0] - 1)
        mu = float(rng.uniform(*self.mu_range))
        found = density_graph(view, k, mu, candidates=candidates)
        params |= {"n_neighbors": k, "mu": mu, "recall": found.recall}
        return found.weights
