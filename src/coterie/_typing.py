"""Dtypes, array aliases, and the protocols of the three kinds of part."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coterie.consensus import ConsensusResult
    from coterie.ensemble import Ensemble, Weights

    LabelArray: TypeAlias = NDArray[np.int32]
    FloatArray: TypeAlias = NDArray[np.floating]

LABEL_DTYPE = np.int32
WEIGHT_DTYPE = np.float64
NOT_ASSIGNED = -1

Seed: TypeAlias = (
    "int | np.random.SeedSequence | np.random.Generator | np.random.RandomState | None"
)
Progress: TypeAlias = "Callable[[int, int], None] | bool | None"
# An array or None. Callers know which it is, so Any spares them a check.
MaybeArray: TypeAlias = "np.ndarray | Any"


class Generator(Protocol):
    """Makes an ensemble from data."""

    accepts_sparse: ClassVar[bool]

    def generate(
        self,
        X: Any,
        *,
        seed: Seed = None,
        n_jobs: int | None = None,
        progress: Progress = None,
    ) -> Ensemble:
        """Return an ensemble of clusterings of X."""
        ...


class Weighter(Protocol):
    """Weighs the members, clusters or samples of an ensemble."""

    needs_X: ClassVar[bool]
    gives_weights: ClassVar[frozenset[str]]

    def weigh(self, ensemble: Ensemble, *, X: Any = None, seed: Seed = None) -> Weights:
        """Return weights for the ensemble."""
        ...


class Consensus(Protocol):
    """Combines an ensemble into one clustering."""

    needs_X: ClassVar[bool]
    uses_weights: ClassVar[frozenset[str]]

    def check_inputs(self, weights: frozenset[str], X: Any) -> None:
        """Raise if weights of these kinds would be ignored, or if X is missing."""
        ...

    def combine(
        self,
        ensemble: Ensemble,
        n_clusters: int,
        *,
        weights: Weights | None = None,
        X: Any = None,
        seed: Seed = None,
    ) -> ConsensusResult:
        """Return one clustering of the samples of the ensemble."""
        ...
