"""Members that see the data through random kernels on random features."""

from __future__ import annotations

import math
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import scipy.sparse

from coterie._docs import fill_doc
from coterie._validation import Interval, StrOptions
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._draws import N_CLUSTERS, SHARE, check_range, draw_n_clusters
from coterie.linalg import (
    kmeans,
    nearest_neighbors,
    spectral_embedding,
    unit_rows,
)
from coterie.linalg._similarity import (
    correlation_graph,
    density_graph,
    exponential_graph,
)

_EXACT_UP_TO = 4000
_N_LISTED = 150


@dataclass(frozen=True, eq=False)
class _Task:
    X: Any
    candidates: Any  # (N, L) int32, or None: all rows


@fill_doc
class MetricSubspaceSpectral(BaseGenerator):
    """Spectral clustering with a random kernel on random features."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": [Interval(Integral, 1, None, closed="left")],
        "kernel": [StrOptions({"density", "exponential"})],
        "metric": [StrOptions({"euclidean", "cosine", "correlation", "spearman"})],
        "subspace_ratio": SHARE,
        "mu_range": [tuple, list],
        "neighbors_range": [tuple, list],
        "n_clusters": N_CLUSTERS,
        "neighbors": [StrOptions({"auto", "exact", "shared"})],
        "n_init": [Interval(Integral, 1, None, closed="left")],
        "max_iter": [Interval(Integral, 1, None, closed="left")],
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
        self.n_init = n_init
        self.max_iter = max_iter
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        check_range(self.n_clusters, X.shape[0], type(self).__name__)

    def _prepare(self, X: Any) -> _Task:
        n = X.shape[0]
        shared = self.neighbors == "shared" or (
            self.neighbors == "auto" and n > _EXACT_UP_TO
        )
        candidates = None
        if shared and n > _N_LISTED + 1:
            single = X.astype(np.float32) if not scipy.sparse.issparse(X) else X
            candidates = nearest_neighbors(single, _N_LISTED).indices
        return _Task(X, candidates)

    def _member(self, task: _Task, number: int, rng: np.random.Generator) -> Draft:
        X = task.X
        n, n_features = X.shape
        low, high = self.neighbors_range
        k = min(int(rng.integers(low, high, endpoint=True)), n - 1)
        mu = float(rng.uniform(*self.mu_range))
        size = max(1, math.floor(self.subspace_ratio * n_features + 0.5))
        features = np.sort(rng.choice(n_features, size=size, replace=False))
        n_clusters = draw_n_clusters(self.n_clusters, n, rng)
        params = {"n_neighbors": k, "mu": mu, "n_clusters": n_clusters}
        if n == 1:
            return Draft(np.zeros(1, dtype=np.int32), params, features=features)
        W = self._graph(X[:, features], k, mu, task.candidates)
        U = unit_rows(spectral_embedding(W, n_clusters, rng=rng))
        found = kmeans(
            U, n_clusters, rng=rng, n_init=self.n_init, max_iter=self.max_iter
        )
        return Draft(found.labels, params, features=features)

    def _graph(self, view: Any, k: int, mu: float, candidates: Any) -> Any:
        if self.metric != "euclidean":
            return correlation_graph(view, k, self.metric, candidates=candidates)
        make = density_graph if self.kernel == "density" else exponential_graph
        return make(view, k, mu, candidates=candidates)
