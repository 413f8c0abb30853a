"""What all systems share: fit, recut and predict."""

from __future__ import annotations

from typing import Any, ClassVar, NamedTuple, final

import numpy as np
from sklearn.base import BaseEstimator, ClusterMixin, clone
from sklearn.utils.validation import check_is_fitted, validate_data

from coterie._seeds import seed_sequence
from coterie._typing import Consensus, Generator, Progress, Weighter
from coterie._validation import (
    check_n_clusters,
    check_parameters,
    index_of,
    reject_text,
)
from coterie.consensus._base import check_pair_memory
from coterie.ensemble import Ensemble
from coterie.systems._auto import AUTO, N_CLUSTERS, set_n_clusters
from coterie.systems._predict import Predicts
from coterie.systems._run import RUN_CONSTRAINTS, run_of


class Parts(NamedTuple):
    """The three parts of a system; without a weighter all counts the same."""

    generator: Generator
    weighter: Weighter | None
    consensus: Consensus


class BaseSystem(Predicts, ClusterMixin, BaseEstimator):
    """A clusterer made of a generator, a weighter and a consensus function.

    A subclass implements ``_parts(n_samples)``, and ``_prepared(X)`` if the paper
    prepares the data.

    Examples
    --------
    >>> from coterie import MDEC
    >>> from coterie.systems import BaseSystem
    >>> issubclass(MDEC, BaseSystem)
    True
    """

    n_clusters: int | str
    n_clusters_: int
    random_state: Any
    n_jobs: int | None
    progress: Progress
    n_features_in_: int
    feature_names_in_: np.ndarray

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": N_CLUSTERS,
        "random_state": ["random_state", np.random.SeedSequence, np.random.Generator],
        "n_jobs": [int, None],
        "progress": [callable, bool, None],
        **RUN_CONSTRAINTS,
    }

    def _parts(self, n_samples: int | None = None) -> Parts:
        """Return the parts; ``n_samples`` is None before the data are known."""
        raise NotImplementedError(f"{type(self).__name__} must implement _parts.")

    @final
    def fit(self, X: Any, y: Any = None) -> BaseSystem:
        """Cluster the data.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
        y : ignored
        """
        check_parameters(self)
        X = self._checked(X, reset=True)
        if self.n_clusters != AUTO:
            check_n_clusters(self.n_clusters, X.shape[0], type(self).__name__)
        X = self._prepared(X, reset=True)
        self._keep_points(X)
        seed = seed_sequence(self.random_state)
        set_n_clusters(self, X, seed)
        parts = self._parts(X.shape[0])
        if parts.weighter is not None:  # before any work
            parts.consensus.check_inputs(parts.weighter.gives_weights, X)
        for_members, for_consensus = seed.spawn(2)
        with run_of(self):
            check_pair_memory(parts.consensus, X.shape[0])
            ensemble = parts.generator.generate(
                X, seed=for_members, n_jobs=self.n_jobs, progress=self.progress
            )
            self._combine(ensemble, X, parts, for_consensus)
        return self

    def _prepared(self, X: Any, *, reset: bool) -> Any:
        """Return the data as members see them; ``reset`` learns how."""
        return X

    def _combine(
        self, ensemble: Ensemble, X: Any, parts: Parts, seed: np.random.SeedSequence
    ) -> None:
        """Weigh and combine the ensemble, and set what ``fit`` promises."""
        weights = None
        if parts.weighter is not None:
            weights = parts.weighter.weigh(ensemble, X=X)
        result = parts.consensus.combine(
            ensemble, self.n_clusters_, weights=weights, X=X, seed=seed
        )
        self.ensemble_ = ensemble
        self.weights_ = weights if result.weights is None else result.weights
        self.consensus_ = result
        self.labels_ = result.labels
        self.confidence_ = result.confidence
        self._seed = seed

    def recut(self, n_clusters: int, X: Any = None) -> BaseSystem:
        """Return a fitted system with another number of clusters and the same members.

        Parameters
        ----------
        n_clusters : int
        X : array, default=None
            The data again, for parts that look at them.
        """
        check_is_fitted(self, "ensemble_")
        who = f"{type(self).__name__}.recut"
        check_n_clusters(n_clusters, self.ensemble_.n_samples, who)
        other: Any = clone(self)
        other.set_params(n_clusters=n_clusters)
        other.n_clusters_ = int(n_clusters)
        for name in ("n_features_in_", "feature_names_in_", "scaler_", "_fit_index"):
            if hasattr(self, name):
                setattr(other, name, getattr(self, name))
        if X is not None:
            X = self._prepared(self._checked(X, reset=False), reset=False)
        parts = other._parts(self.ensemble_.n_samples)
        other._combine(self.ensemble_, X, parts, self._seed)
        other._keep_points(self._fit_points)
        return other

    def _place(self, X: Any) -> Any:
        return self._prepared(self._checked(X, reset=False), reset=False)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        reject_text(X, type(self).__name__)
        if reset:
            self._fit_index = index_of(X)
        accept_sparse = self._parts().generator.accepts_sparse
        return validate_data(
            self,
            X,
            accept_sparse="csr" if accept_sparse else False,
            dtype=[np.float64, np.float32],
            reset=reset,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = self._parts().generator.accepts_sparse
        return tags
