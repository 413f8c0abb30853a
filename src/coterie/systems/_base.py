"""The base of all systems: fit, recut and predict."""

from __future__ import annotations

from copy import copy
from typing import Any, ClassVar, NamedTuple, TypeVar, final

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from coterie._engine import one_cluster, settings
from coterie._fitting import fit_whole, unfitted
from coterie._seeds import seed_sequence
from coterie._tables import TableEncoder, is_table
from coterie._typing import Consensus, Generator, Progress, Weighter
from coterie._validation import (
    ClusterMixin,
    check_fit_data,
    check_n_clusters,
    check_parameters,
    index_of,
    is_sparse,
    plain_data,
)
from coterie.choice._auto import N_CLUSTERS, set_n_clusters
from coterie.consensus._base import ConsensusResult, check_pair_memory
from coterie.ensemble import Ensemble, Weights
from coterie.systems._doubts import warn_of_few_features, warn_of_scales
from coterie.systems._inputs import encoded
from coterie.systems._notebook import Shows
from coterie.systems._predict import Predicts

System = TypeVar("System", bound="BaseSystem")
_OF_RESULT = ("weights_", "consensus_", "labels_", "confidence_")


class Parts(NamedTuple):
    """The three parts of a system; without a weighter all weights are equal."""

    generator: Generator
    weighter: Weighter | None
    consensus: Consensus


class BaseSystem(Predicts, Shows, ClusterMixin, BaseEstimator):
    """A clusterer made of a generator, a weighter and a consensus function.

    A subclass implements ``parts(n_samples)``, and ``_prepared(X)`` if the method
    transforms the data first.

    Examples
    --------
    >>> from coterie import MDEC
    >>> from coterie.systems import BaseSystem
    >>> issubclass(MDEC, BaseSystem)
    True
    """

    kind: ClassVar[str] = "system"
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    paper: ClassVar[str | None] = None
    group: ClassVar[str] = "research"  # or "reason", or "start"
    take_if: ClassVar[str] = ""  # what you have, for the other groups
    takes_tables: ClassVar[bool] = False  # of categories, dates and missing values
    fewest_features: ClassVar[int] = 1  # with fewer, it is known to be poor
    _quiet: bool = False  # whether it keeps doubts about the data to itself

    n_clusters: int | str
    n_clusters_: int
    random_state: Any
    n_jobs: int | None
    progress: Progress
    n_features_in_: int
    feature_names_in_: np.ndarray
    ensemble_: Ensemble
    weights_: Weights | Any  # None where nothing is weighted
    consensus_: ConsensusResult
    labels_: np.ndarray
    confidence_: np.ndarray
    _fit_table: TableEncoder | None

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_clusters": N_CLUSTERS,
        "random_state": ["random_state", np.random.SeedSequence, np.random.Generator],
        "n_jobs": [int, None],
        "progress": [callable, bool, None],
    }

    def parts(self, n_samples: int | None = None) -> Parts:
        """Return the generator, the weighter and the consensus function.

        Parameters
        ----------
        n_samples : int or None, default=None
            None before the data are known.
        """
        raise NotImplementedError(f"{type(self).__name__} must implement parts.")

    @final
    def fit(self: System, X: Any, y: Any = None) -> System:
        """Cluster the data. If fitting fails, the model is unchanged.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
        y : ignored
        """
        check_parameters(self)
        with one_cluster(self.n_jobs):
            return fit_whole(self, lambda fresh: fresh._fit(X))

    def _fit(self, X: Any) -> None:
        if settings().checkpoint is not None and self.random_state is None:
            raise ValueError(
                f"{type(self).__name__}: a checkpoint needs a seed: without one, the "
                "next run makes other members. Set random_state."
            )
        given, X = X, self._learned(X)
        if not self._quiet:
            warn_of_few_features(self, X.shape[1])
            warn_of_scales(self, self._as_scaled(X))
        n_samples = X.shape[0]
        seed = seed_sequence(self.random_state)
        set_n_clusters(self, X, seed)
        parts = self._parts_for(X)
        for part in parts:
            if isinstance(part, BaseEstimator):
                check_parameters(part)
        if parts.weighter is not None:  # before any work
            parts.consensus.check_inputs(parts.weighter.gives_weights, X)
        check_pair_memory(parts.consensus, n_samples)
        self._fit_seed, self._fit_rest = self._spawned(seed)
        self._fit_generator = parts.generator
        self.ensemble_ = parts.generator.generate(
            X, seed=self._fit_seed, n_jobs=self.n_jobs, progress=self.progress
        )
        self._fit_X = self._owned(X, given)
        self._combine(self._fit_X, parts)

    def _parts_for(self, X: Any) -> Parts:
        """Return the parts for the prepared data."""
        return self.parts(X.shape[0])

    def _as_scaled(self, X: Any) -> Any:
        """Return the data if the scales of their columns matter, otherwise None."""
        return X

    def _chosen_from(self, X: Any, seed: np.random.SeedSequence) -> Any:
        """Return the data from which the number of clusters is chosen."""
        return X

    def _spawned(
        self, seed: np.random.SeedSequence
    ) -> tuple[np.random.SeedSequence, np.random.SeedSequence]:
        """Return the seed of the members and the seed of everything else."""
        for_members, rest = seed.spawn(2)
        return for_members, rest

    def _owned(self, X: Any, given: Any) -> Any:
        """Return the data in memory that no caller can change."""
        theirs = getattr(given, "data", None) if is_sparse(given) else given
        ours = X.data if is_sparse(X) else X
        if isinstance(theirs, np.ndarray) and not np.may_share_memory(ours, theirs):
            return X
        return X.copy()

    @final
    def prepare(self, X: Any) -> Any:
        """Check the data and return them as the members of a new fit would use them.

        Parameters
        ----------
        X : (n_samples, n_features) array, sparse matrix or frame
        """
        return unfitted(self)._learned(X)

    def _learned(self, X: Any) -> Any:
        """Return the prepared data, and remember how they were prepared."""
        self._fit_index = index_of(X)
        return self._prepared(self._checked(X, reset=True), reset=True)

    def _prepared(self, X: Any, *, reset: bool) -> Any:
        """Return the transformed data; ``reset`` fits the transformation."""
        return X

    def _combine(self, X: Any, parts: Parts) -> None:
        """Weight and combine the ensemble, and set the fitted attributes."""
        weights = None
        if parts.weighter is not None:
            weights = parts.weighter.weigh(self.ensemble_, X=X, seed=self._fit_rest)
        result = parts.consensus.combine(
            self.ensemble_, self.n_clusters_, weights=weights, X=X, seed=self._fit_rest
        )
        self.weights_ = weights if result.weights is None else result.weights
        self.consensus_ = result
        self.labels_ = result.labels
        self.confidence_ = result.confidence
        self._fit_points = self._points(X)
        self._fit_trial = {}  # filled on demand: it takes a while

    def _points(self, X: Any) -> Any:
        """Return the samples as points for ``predict``."""
        return X

    def recut(self: System, n_clusters: int) -> System:
        """Return a fitted system with the same members and another n_clusters.

        Parameters
        ----------
        n_clusters : int
        """
        check_is_fitted(self, "ensemble_")
        who = f"{type(self).__name__}.recut"
        n_samples = self.ensemble_.n_samples
        check_n_clusters(n_clusters, n_samples, who)
        other = copy(self).set_params(n_clusters=n_clusters)
        check_parameters(other)
        for name in ("k_choice_", *_OF_RESULT):
            vars(other).pop(name, None)
        other.n_clusters_ = int(n_clusters)
        with one_cluster(self.n_jobs):
            other._combine(self._fit_X, other.parts(n_samples))
        return other

    def _place(self, X: Any) -> Any:
        return self._prepared(self._checked(X, reset=False), reset=False)

    def _checked(self, X: Any, *, reset: bool) -> Any:
        X = plain_data(X)
        if self.takes_tables:
            if reset:
                self._fit_table = TableEncoder().fit(X) if is_table(X) else None
            if self._fit_table is not None:
                return encoded(self, self._fit_table, X, reset=reset)
        # parameters may have changed since fit
        generator = self.parts().generator if reset else self._fit_generator
        return check_fit_data(
            self,
            X,
            reset=reset,
            accept_sparse=generator.accepts_sparse,
            accept_missing=self._accepts_missing(generator),
        )

    def _accepts_missing(self, generator: Any) -> bool:
        return self.takes_tables or getattr(generator, "accepts_missing", False)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        fitted = getattr(self, "_fit_generator", None)
        generator = self.parts().generator if fitted is None else fitted
        tags.input_tags.sparse = generator.accepts_sparse
        tags.input_tags.allow_nan = self._accepts_missing(generator)
        tags.input_tags.categorical = self.takes_tables
        return tags
