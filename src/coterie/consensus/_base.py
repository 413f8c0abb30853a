"""The base class of all consensus functions, and their result."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, final

import numpy as np
from sklearn.base import BaseEstimator

from coterie._cards import html_of
from coterie._display import count, table
from coterie._memory import check_memory
from coterie._seeds import seed_sequence
from coterie._typing import LABEL_DTYPE, MaybeArray, Seed
from coterie._validation import check_n_clusters, check_parameters
from coterie.consensus._card import result_card
from coterie.ensemble import BlockEnsemble, Ensemble, Weights
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.ensemble._ensemble import as_ensemble
from coterie.ensemble._votes import placement, voters
from coterie.ensemble._weights import as_weights
from coterie.exceptions import FewerClustersWarning


@dataclass(frozen=True, eq=False)
class ConsensusResult:
    """A clustering with what the method knows about it.

    Attributes
    ----------
    labels : (N,) int32 array
        Numbered by first appearance.
    confidence : (N,) float array or None
        How firmly the ensemble places each sample in its cluster, in [0, 1].
    second : (N,) int32 array or None
        The runner-up cluster of each sample; -1 if there is only one cluster.
    margin : (N,) float array or None
        The vote for the sample's cluster minus the vote for the second; negative where
        the members prefer the second.
    weights : Weights or None
        The weights that the method learned, if it learns any.
    objective : float or None
        The value that the method minimised, if it has one.
    n_iter : int or None
    converged : bool or None
    details : mapping of str to array
        Named by-products such as ``linkage`` and ``embedding``.
    placer : object or None
        Places other label rows the same way, if the method can.

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

        Its columns are ``label`` and, where known, ``confidence``, ``second`` and
        ``margin``.
        """
        import pandas

        columns = {"label": self.labels}
        for name in ("confidence", "second", "margin"):
            if (values := getattr(self, name)) is not None:
                columns[name] = values
        return pandas.DataFrame(columns)

    def _repr_html_(self) -> str:
        return html_of(result_card, self)

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
    """The validated input of a consensus function.

    Attributes
    ----------
    ensemble : Ensemble
        Without members of weight zero.
    n_clusters : int
        Number of clusters to find, at least 2.
    weights : Weights
    X : array or None
        The data, if the caller has them.
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
    :class:`ConsensusResult`. It declares with ``needs_X`` whether it needs the data,
    with ``uses_weights`` which weights it takes, and with ``pair_bytes`` how much
    memory it uses for each pair of samples whose label rows differ.

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
    group: ClassVar[str] = "research"  # or "reason", or "start"
    take_if: ClassVar[str] = ""  # what you have, for the other groups
    paper_weighter: ClassVar[tuple[str, Mapping[str, Any]] | None] = None
    most_rows: ClassVar[int | None] = None
    most_members: ClassVar[int | None] = None

    needs_X: ClassVar[bool] = False
    embeds_one_cluster: ClassVar[bool] = False  # runs even for one cluster
    clusters_rows: ClassVar[bool] = False  # places label rows, at most one each
    pair_bytes: ClassVar[int] = 0
    uses_weights: ClassVar[frozenset[str]] = frozenset()
    _quiet: bool = False  # whether it keeps doubts about its weights to itself
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
        """Combine the members into one clustering of the samples.

        Parameters
        ----------
        ensemble : Ensemble, or anything that makes one
        n_clusters : int
            Number of clusters to find. The result may have fewer, with a
            FewerClustersWarning, but never more.
        weights : Weights, (M,) array or None, default=None
            Weights of members, clusters and samples; an array weights the members.
        X : array, default=None
            The data, for methods that need them.
        seed : int, SeedSequence, Generator, RandomState or None, default=None
        """
        return self._combined(ensemble, n_clusters, weights, X, seed)

    def _combined(
        self,
        ensemble: Any,
        n_clusters: int,
        weights: Any,
        X: Any,
        seed: Seed,
        votes: bool = True,
    ) -> ConsensusResult:
        """Combine; without votes nothing is known of single samples, but faster."""
        who = type(self).__name__
        check_parameters(self)
        ensemble = as_ensemble(ensemble)
        n_clusters = check_n_clusters(n_clusters, ensemble.n_samples, who)
        weights = as_weights(weights, ensemble)
        self.check_inputs(weights.used, X)
        whole = ensemble
        ensemble, weights, kept = _without_zero_weights(ensemble, weights)
        _check_all_assigned(ensemble, who)
        rng = np.random.default_rng(seed_sequence(seed))
        result = self.solve(Task(ensemble, n_clusters, weights, X, rng))
        if kept is not None and result.weights is not None:
            result = replace(result, weights=result.weights.spread(whole, kept))
        result = _numbered(result, n_clusters, who)
        return _with_votes(result, ensemble, weights) if votes else result

    @final
    def solve(self, task: Task) -> ConsensusResult:
        """Combine validated input: :meth:`combine` without checks, votes or warnings.

        Parameters
        ----------
        task : Task
        """
        ensemble = task.ensemble
        if isinstance(ensemble, BlockEnsemble):
            found = self._combine_blocks(task)
        elif task.n_clusters == 1 and not self.embeds_one_cluster:
            found = np.zeros(ensemble.n_samples, dtype=LABEL_DTYPE)
        elif self.clusters_rows and task.n_clusters >= len(ensemble.core):
            found = ensemble.core.index
        else:
            found = self._combine(task)
        return _as_result(found, ensemble.n_samples, type(self).__name__)

    def check_inputs(self, weights: frozenset[str], X: Any) -> None:
        """Raise if weights of these kinds would be ignored, or if X is missing."""
        who = type(self).__name__
        if self.needs_X and X is None:
            raise ValueError(
                f"{who} needs the data X, but got only labels. Pass X=, or use a "
                "method that needs only labels, such as LWEA."
            )
        unused = sorted(weights - self.uses_weights)
        if unused:
            takes = " and ".join(sorted(self.uses_weights)) or "no"
            raise ValueError(
                f"{who} takes {takes} weights and would ignore the weights of "
                f"{' and '.join(unused)} that it got. Use a method that takes them, or "
                "leave them out."
            )

    def _combine(self, task: Task) -> ConsensusResult | np.ndarray:
        raise NotImplementedError(f"{type(self).__name__} must implement _combine.")

    def _combine_blocks(self, task: Task) -> ConsensusResult | np.ndarray:
        """Combine an ensemble that is read in blocks; by default all at once."""
        return self._combine(task)


def _without_zero_weights(
    ensemble: Ensemble, weights: Weights
) -> tuple[Ensemble, Weights, np.ndarray | None]:
    """Remove members of weight zero; also return the kept ones, None if all are."""
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
            f"{who}: no member assigns {count(lost.size, 'sample')} (the first is "
            f"sample {lost[0]}), so there is no place for them. Leave them out, or add "
            "members that assign them."
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
            f"{who}._combine must return a ConsensusResult or {n_samples} integers, "
            f"one for each sample; got {type(found).__name__} of shape {labels.shape} "
            f"and type {labels.dtype}."
        )
    return ConsensusResult(labels)


def _numbered(result: ConsensusResult, n_clusters: int, who: str) -> ConsensusResult:
    """Give the labels numbers by first appearance; warn if they are too few."""
    labels = result.labels
    if result.placer is None:  # which numbers them already
        labels = relabel_by_appearance(labels)
    n_found = int(labels.max()) + 1
    if n_found < n_clusters:
        warnings.warn(
            f"{who} found {count(n_found, 'cluster')}, fewer than the {n_clusters} "
            "asked for.",
            FewerClustersWarning,
            stacklevel=5,
        )
    return replace(result, labels=labels)


def _with_votes(
    result: ConsensusResult, ensemble: Ensemble, weights: Weights
) -> ConsensusResult:
    """Add what the members say about each sample, unless the method did."""
    if result.second is not None:
        return result
    found = placement(*voters(ensemble, weights), result.labels)
    own = result.confidence
    return replace(
        result,
        confidence=found.confidence if own is None else own,
        second=found.second,
        margin=found.margin,
    )


def labels_of(consensus: Any, ensemble: Any, n_clusters: Any, **options: Any) -> Any:
    """Return the labels that ``consensus.combine`` gives, without asking for votes.

    Parameters
    ----------
    consensus : consensus function
    ensemble : Ensemble
    n_clusters : int
    **options : weights, X, seed
    """
    if isinstance(consensus, BaseConsensus):
        return consensus._combined(ensemble, n_clusters, votes=False, **options).labels
    return consensus.combine(ensemble, n_clusters, **options).labels


def quiet(consensus: Any) -> Any:
    """Return a copy that does not warn of its weights, for results nobody sees.

    What it would warn of is still in the details of its results. Anything that is not
    a :class:`BaseConsensus` is returned as it is.
    """
    if not isinstance(consensus, BaseConsensus):
        return consensus
    other = copy(consensus)
    other._quiet = True
    return other


def check_pair_memory(consensus: Any, n_samples: int) -> None:
    """Raise if combining this many samples may need more memory than the limit.

    Parameters
    ----------
    consensus : consensus function
        Without ``pair_bytes`` it holds nothing for pairs of samples.
    n_samples : int
    """
    check_memory(
        getattr(consensus, "pair_bytes", 0) * (n_samples * (n_samples - 1) // 2),
        f"{type(consensus).__name__}, if the {n_samples:,} samples all have different "
        "label rows,",
        None,
        "Use LWGP, HBGF or KCC, which are linear in the number of samples, or raise "
        "memory_limit if many samples will share a label row.",
    )
