"""The base of all single clusterers: checks, seeds, labels."""

from __future__ import annotations

from typing import Any, ClassVar, TypeVar, final

import numpy as np
from sklearn.base import BaseEstimator

from coterie._fitting import fit_whole
from coterie._seeds import seed_sequence
from coterie._validation import (
    ClusterMixin,
    check_fit_data,
    check_parameters,
)
from coterie.choice._auto import N_CLUSTERS, set_n_clusters
from coterie.ensemble._alignment import relabel_by_appearance

Clusterer = TypeVar("Clusterer", bound="BaseClusterer")


class BaseClusterer(ClusterMixin, BaseEstimator):
    """A clusterer of data.

    A subclass implements ``_cluster(X, rng)``, which returns a label for each sample
    and may set further fitted attributes. ``n_clusters_`` is the number of clusters.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie.clusterers import BaseClusterer
    >>> class Halves(BaseClusterer):
    ...     def __init__(self, n_clusters=2, random_state=None):
    ...         self.n_clusters = n_clusters
    ...         self.random_state = random_state
    ...     def _cluster(self, X, rng):
    ...         return (X[:, 0] > np.median(X[:, 0])).astype(int)
    ...
    >>> Halves().fit_predict([[0.0], [1.0], [2.0], [3.0]])
    array([0, 0, 1, 1], dtype=int32)
    """

    kind: ClassVar[str] = "clusterer"
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    paper: ClassVar[str | None] = None
    group: ClassVar[str] = "research"  # or "reason", or "start"
    take_if: ClassVar[str] = ""  # what you have, for the other groups

    n_clusters: int | str
    n_clusters_: int
    random_state: Any
    labels_: np.ndarray
    accepts_sparse: ClassVar[bool] = False
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": N_CLUSTERS,
        "random_state": ["random_state", np.random.SeedSequence, np.random.Generator],
    }

    @final
    def fit(self: Clusterer, X: Any, y: Any = None) -> Clusterer:
        """Cluster the data. If fitting fails, the model is unchanged.

        Parameters
        ----------
        X : (n_samples, n_features) array, frame or sparse matrix (if accepted)
        y : ignored
        """
        check_parameters(self)
        return fit_whole(self, lambda fresh: fresh._fit(X))

    def _fit(self, X: Any) -> None:
        X = check_fit_data(
            self, X, reset=True, accept_sparse=self.accepts_sparse, accept_missing=False
        )
        seed = seed_sequence(self.random_state)
        set_n_clusters(self, X, seed)
        rng = np.random.default_rng(seed)
        self.labels_ = relabel_by_appearance(self._cluster(X, rng))

    def _cluster(self, X: Any, rng: np.random.Generator) -> np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must implement _cluster.")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self.accepts_sparse
        return tags
