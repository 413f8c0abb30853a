"""What all consensus functions share, and what they return."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import BaseEstimator

from coterie._display import count, table
from coterie._memory import check_memory
from coterie._seeds import seed_sequence
from coterie._typing import LABEL_DTYPE, MaybeArray, Seed
from coterie._validation import check_n_clusters, check_parameters
from coterie.ensemble import BlockEnsemble, Ensemble, Weights
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.ensemble._ensemble import as_ensemble
from coterie.ensemble._votes import placement, voters
from coterie.ensemble._weights import as_weights
from coterie.exceptions import FewerClustersWarning


@dataclass(frozen=True, eq=False)
class ConsensusResult:
    """One clustering, and what is known about it.

    Attributes
    ----------
    labels : (N,) int32 array
        Numbered by first appearance.
    confidence : (N,) float array or None
        How firmly the ensemble places each sample there, in [0, 1].
    second : (N,) int32 array or None
        The cluster that comes next for each sample; -1 where there is one only.
    margin : (N,) float array or None
        The vote for its cluster less that for the second; negative where the members
        vote for the second.
    weights : Weights or None
        What a joint method learned.
    objective : float or None
        What the method minimised, where it has one.
    n_iter : int or None
    converged : bool or None
    details : mapping of str to array
        By-products with a name: ``linkage``, ``embedding``.
    placer : object or None
        What places other label rows as these were placed, where the method has it.

    Examples
    --------
    >>> from coterie.consensus import EAC
    >>> result = EAC().combine([[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]], 2)
    >>> result
    ConsensusResult: 2 clusters of 4 samples, mean confidence 1.00
     cluster  size  confidence
           0     2       1.000
           1     2       1.000
    Details: linkage
    >>> result.labels
    array([0, 0, 1, 1], dtype=int32)
    >>> list(result.to_frame())
    ['label', 'confidence', 'second', 'margin']
    """

    labels: np.ndarray
    confidence: MaybeArray = None
    second: MaybeArray = None
    margin: MaybeArray = None
    weights: Weights | None = None
    objective: float | None = None
    n_iter: int | None = None
    converged: bool | None = None
    details: Mapping[str, np.ndarray] = field(default_factory=dict)
    placer: Any = None

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each sample.

        Its columns are ``label``, ``confidence``, ``second`` and ``margin``, as far as
        they are known.
        """
        import pandas

        columns = {
            "label": self.labels,
            "confidence": self.confidence,
            "second": self.second,
            "margin": self.margin,
        }
        known = {name: v for name, v in columns.items() if v is not None}
        return pandas.DataFrame(known)

    def __repr__(self) -> str:
        clusters, codes = np.unique(self.labels, return_inverse=True)
        sizes = np.bincount(codes)
        title = (
            f"ConsensusResult: {count(clusters.size, 'cluster')} of "
            f"{count(self.labels.size, 'sample')}"
        )
        columns = {"cluster": clusters, "size": sizes}
        if self.confidence is not None:
            title += f", mean confidence {self.confidence.mean():.2f}"
            columns["confidence"] = np.bincount(codes, self.confidence) / sizes
        lines = [title, *table(columns, clusters.size)]
        if self.converged is False:
            lines.append(f"Not converged after {count(self.n_iter or 0, 'iteration')}.")
        if self.details:
            lines.append(f"Details: {', '.join(self.details)}")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class Task:
    """What a consensus function is given, checked.

    Attributes
    ----------
    ensemble : Ensemble
        Without members of weight zero.
    n_clusters : int
        Clusters to find, at least 2.
    weights : Weights
    X : array or None
        The data, where the caller has them.
    rng : numpy.random.Generator
    """

    ensemble: Ensemble
    n_clusters: int
    weights: Weights
    X: Any
    rng: np.random.Generator


class BaseConsensus(BaseEstimator):
    """Combines an ensemble into one clustering.

    A subclass implements ``_combine(task)``, which returns labels or a
    :class:`ConsensusResult`. It declares by ``needs_X`` whether it looks at the data,
    by ``uses_weights`` which weights count, and by ``pair_bytes`` how much memory it
    takes for each pair of samples that differ in a label.

    Examples
    --------
    >>> from coterie.consensus import BaseConsensus
    >>> class First(BaseConsensus):
    ...     def _combine(self, task):
    ...         return task.ensemble.labels[:, 0]
    ...
    >>> First().combine([[5, 5, 2, 2], [0, 1, 2, 3]], 2).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    kind: ClassVar[str] = "consensus"
    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    cost: ClassVar[str] = ""
    paper: ClassVar[str | None] = None
    paper_weighter: ClassVar[tuple[str, Mapping[str, Any]] | None] = None
    most_rows: ClassVar[int | None] = None

    needs_X: ClassVar[bool] = False
    embeds_one_cluster: ClassVar[bool] = False  # asked even where one is wanted
    pair_bytes: ClassVar[int] = 0
    uses_weights: ClassVar[frozenset[str]] = frozenset()
    _parameter_constraints: ClassVar[dict[str, Any]] = {}

    @final
    def combine(
        self,
        ensemble: Any,
        n_clusters: int,
        *,
        weights: Any = None,
        X: Any = None,
        seed: Seed = None,
    ) -> ConsensusResult:
        """Return one clustering of the samples of the ensemble.

        Parameters
        ----------
        ensemble : Ensemble, or whatever makes one
        n_clusters : int
            Clusters to find. There may be fewer, with a FewerClustersWarning; never
            more.
        weights : Weights, (M,) array or None, default=None
            How much members, clusters and samples count; an array is of members.
        X : array, default=None
            The data, for methods that look at them.
        seed : int, SeedSequence, Generator, RandomState or None, default=None
        """
        who = type(self).__name__
        check_parameters(self)
        ensemble = as_ensemble(ensemble)
        n_clusters = check_n_clusters(n_clusters, ensemble.n_samples, who)
        weights = as_weights(weights, ensemble)
        self.check_inputs(weights.used, X)
        whole = ensemble
        ensemble, weights, kept = _without_idle_members(ensemble, weights)
        _check_all_assigned(ensemble, who)
        rng = np.random.default_rng(seed_sequence(seed))
        task = Task(ensemble, n_clusters, weights, X, rng)
        if isinstance(ensemble, BlockEnsemble):
            found = self._combine_blocks(task)
        elif n_clusters == 1 and not self.embeds_one_cluster:
            found = np.zeros(ensemble.n_samples, dtype=LABEL_DTYPE)
        else:
            found = self._combine(task)
        result = _as_result(found, ensemble.n_samples, who)
        if kept is not None and result.weights is not None:
            result = replace(result, weights=result.weights.spread(whole, kept))
        return _finished(result, ensemble, weights, n_clusters, who)

    def check_inputs(self, weights: frozenset[str], X: Any) -> None:
        """Raise if weights of these kinds would be ignored, or if X is missing."""
        who = type(self).__name__
        if self.needs_X and X is None:
            raise ValueError(
                f"{who} needs the data X, but got only labels. Pass X=, or use a "
                "method that works from labels alone, such as LWEA."
            )
        unused = sorted(weights - self.uses_weights)
        if unused:
            takes = " and ".join(sorted(self.uses_weights)) or "no"
            raise ValueError(
                f"{who} takes {takes} weights, but the weights it got are of "
                f"{' and '.join(unused)}, which it would ignore. Use a method that "
                "takes them, or leave them out."
            )

    def _combine(self, task: Task) -> ConsensusResult | np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must implement _combine.")

    def _combine_blocks(self, task: Task) -> ConsensusResult | np.ndarray:
        """Combine an ensemble that is read by blocks; by default all at once."""
        return self._combine(task)


def _without_idle_members(
    ensemble: Ensemble, weights: Weights
) -> tuple[Ensemble, Weights, np.ndarray | None]:
    """Remove members of weight zero; return which are kept, unless all are."""
    if weights.members is None or weights.members.all():
        return ensemble, weights, None
    kept = np.flatnonzero(weights.members)
    return ensemble.subset(kept), weights.subset(ensemble, kept), kept


def _check_all_assigned(ensemble: Ensemble, who: str) -> None:
    if not ensemble.has_missing:
        return
    lost = np.flatnonzero((ensemble.labels < 0).all(axis=1))
    if lost.size:
        raise ValueError(
            f"{who}: {lost.size} samples are assigned by no member (the first is "
            f"sample {lost[0]}), so there is nothing to place them "
            "by. Leave them out, or add members that assign them."
        )


def _as_result(
    found: ConsensusResult | np.ndarray, n_samples: int, who: str
) -> ConsensusResult:
    """Accept plain labels in place of a result."""
    if isinstance(found, ConsensusResult):
        return found
    labels = np.asarray(found)
    if labels.shape != (n_samples,) or labels.dtype.kind not in "iu":
        raise TypeError(
            f"{who}._combine must return a ConsensusResult or {n_samples} whole "
            f"numbers, one for each sample; got {type(found).__name__} of shape "
            f"{labels.shape} and type {labels.dtype}."
        )
    return ConsensusResult(labels)


def _finished(
    result: ConsensusResult,
    ensemble: Ensemble,
    weights: Weights,
    n_clusters: int,
    who: str,
) -> ConsensusResult:
    labels = relabel_by_appearance(result.labels)
    n_found = int(labels.max()) + 1
    if n_found < n_clusters:
        warnings.warn(
            f"{who} found {n_found} {'cluster' if n_found == 1 else 'clusters'}, fewer "
            f"than the {n_clusters} asked for.",
            FewerClustersWarning,
            stacklevel=4,
        )
    if result.second is not None:  # placed by the method itself
        return replace(result, labels=labels)
    found = placement(*voters(ensemble, weights), labels)
    own = result.confidence
    return replace(
        result,
        labels=labels,
        confidence=found.confidence if own is None else own,
        second=found.second,
        margin=found.margin,
    )


def check_pair_memory(consensus: Any, n_samples: int) -> None:
    """Raise if a consensus of so many samples may need more memory than the limit.

    Parameters
    ----------
    consensus : consensus function
        What has no ``pair_bytes`` holds nothing for pairs of samples.
    n_samples : int
    """
    check_memory(
        getattr(consensus, "pair_bytes", 0) * (n_samples * (n_samples - 1) // 2),
        f"{type(consensus).__name__}, if no two of {n_samples:,} samples have all "
        "labels in common,",
        None,
        "Use LWGP, HBGF or KCC, which are linear in the number of samples, or, if many "
        "samples will have them in common, raise memory_limit.",
    )
