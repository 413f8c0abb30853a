"""Confidence, margin, difficulty and consensus for samples, clusters and members."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from coterie._display import count
from coterie._validation import index_of
from coterie.answers._kinds import Kinds
from coterie.consensus import ConsensusResult
from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._coassociation import inverted_lists
from coterie.ensemble._votes import placement, voters
from coterie.ensemble._weights import as_weights
from coterie.metrics import item_consensus, member_agreement, member_quality
from coterie.weighting import DifficultyWeighter

Columns = dict[str, np.ndarray]
_TABLE = 4096  # up to this many clusters, difficulty is linear in the samples
_EXACT_ROWS = 20_000  # up to this many distinct label rows, it is always exact
_TILE = 512


@dataclass(frozen=True, eq=False)
class Explanation:
    """What is known about a clustering, in three tables, and a fourth for kinds.

    Each table is a dict of columns, ready for
    ``polars.DataFrame(explanation.samples)``; :meth:`to_frame` returns a pandas frame
    with the names of the samples. Tables are computed on first access.

    Attributes
    ----------
    ensemble : Ensemble
        The members; for bootstrap networks, at most 400 clusterings.
    labels : (N,) int32 array
        The clustering.
    weights : Weights
        How much the members count.
    result : ConsensusResult or None
        The result of the consensus function.
    model : fitted system or None
        The system that was fitted.
    index : pandas Index or None
        Names of the samples, if they came in a pandas frame.

    Examples
    --------
    >>> import coterie
    >>> ensemble = coterie.Ensemble([[0, 0, 1, 1], [0, 1, 1, 1]])
    >>> found = coterie.explain(ensemble, [0, 0, 1, 1])
    >>> found.samples["confidence"].round(2)
    array([1.  , 0.67, 0.83, 0.83])
    >>> found.clusters["size"]
    array([2, 2])
    """

    ensemble: Ensemble
    labels: np.ndarray
    weights: Weights
    result: ConsensusResult | None = None
    model: Any = None
    index: Any = None

    @cached_property
    def samples(self) -> Columns:
        """A row for each sample.

        ``cluster``; ``confidence``, the vote for it; ``second``, the runner-up (-1 for
        none); ``margin``, the vote for the former minus that for the latter;
        ``item_consensus``, how often the sample is together with the others of its
        cluster; ``difficulty``, how much the members disagree about its pairs (as in
        WOEC, 0 to 1; beyond 20,000 distinct label rows and 4,096 clusters, estimated
        from 2,000 pairs per sample); and, for SPCE, ``self_paced_difficulty``.
        """
        found: Any = self.result
        if found is None or found.second is None:
            found = placement(self.ensemble, self.weights, self.labels)
        own = self.items[np.arange(self.labels.size), self.labels]
        columns = {
            "cluster": self.labels,
            "confidence": found.confidence,
            "second": found.second,
            "margin": found.margin,
            "item_consensus": own,
            "difficulty": _difficulty(self.ensemble),
        }
        learned = self.details.get("difficulty")
        if learned is not None:
            columns["self_paced_difficulty"] = learned
        return columns

    @cached_property
    def clusters(self) -> Columns:
        """A row for each cluster.

        ``cluster``; ``size``; ``confidence``, the mean over its samples;
        ``cluster_consensus``, how often two of its samples are together; ``next``, the
        runner-up for most of its samples (-1 for none); and, for a panel, ``seen_by``,
        the number of groups (a kind of clustering on a view of the data) that see it:
        one of their own clusters has a Jaccard index above 0.5 with it.
        """
        k = int(self.labels.max()) + 1
        sizes = np.bincount(self.labels)
        samples = self.samples
        nearest = np.full(k, -1)
        if k > 1:
            pairs = self.labels.astype(np.int64) * k + samples["second"]
            nearest = np.bincount(pairs, minlength=k * k).reshape(k, k).argmax(axis=1)
        own = np.bincount(self.labels, samples["item_consensus"])
        columns = {
            "cluster": np.arange(k),
            "size": sizes,
            "confidence": np.bincount(self.labels, samples["confidence"]) / sizes,
            "cluster_consensus": own / sizes,
            "next": nearest,
        }
        if self.by_kind is not None:
            columns["seen_by"] = self.by_kind.seen.sum(axis=1)
        return columns

    @cached_property
    def members(self) -> Columns:
        """A row for each member.

        ``member``, its index; ``name``; ``n_clusters``; ``quality``, its NMI with the
        result; ``agreement``, its mean NMI with the others; ``diversity``, one minus
        that; ``weight``, relative to the mean, if members have weights of their own.
        """
        M = self.ensemble.n_members
        agreement = np.ones(M)
        if M > 1:
            agreement = (self.agreement.sum(axis=1) - 1.0) / (M - 1)
        columns = {
            "member": np.arange(M),
            "name": np.array(self.ensemble.names, dtype=object),
            "n_clusters": self.ensemble.n_clusters_per_member,
            "quality": member_quality(self.labels, self.ensemble),
            "agreement": agreement,
            "diversity": 1.0 - agreement,
        }
        if self.weights.members is not None:
            mean = self.weights.members.mean()
            columns["weight"] = self.weights.members / (mean or 1.0)
        return columns

    @cached_property
    def kinds(self) -> Columns:
        """A row for each group: a kind on a view. Empty except for a panel.

        ``name``; ``kind``; ``view``; ``weight``, of sum one; ``steadiness``, how much
        the clusterings of two halves of its members agree (ARI); ``agreement``, the ARI
        of its clustering with the result.
        """
        found = self.by_kind
        if found is None:
            return {}
        return {
            "name": np.array(found.names, dtype=object),
            "kind": np.array([group.kind for group in found.groups], dtype=object),
            "view": np.array([group.view for group in found.groups], dtype=object),
            "weight": found.weight,
            "steadiness": found.steadiness,
            "agreement": found.with_result,
        }

    @cached_property
    def by_kind(self) -> Kinds | None:
        """The clustering of each group; None except for a panel."""
        return Kinds.of(self)

    @cached_property
    def items(self) -> np.ndarray:
        """Item-consensus of each sample with each cluster, (N, k)."""
        return item_consensus(self.ensemble, self.labels)

    @cached_property
    def agreement(self) -> np.ndarray:
        """NMI of each pair of members, (M, M)."""
        return member_agreement(self.ensemble)

    def to_frame(self, table: str = "samples") -> Any:
        """Return a table as a pandas frame; the samples keep their index.

        Parameters
        ----------
        table : {"samples", "clusters", "members", "kinds"}, default="samples"
        """
        if table not in ("samples", "clusters", "members", "kinds"):
            raise ValueError(
                "Explanation.to_frame expects table as samples, clusters, members or "
                f"kinds, got {table!r}."
            )
        import pandas

        index = self.index if table == "samples" else None
        return pandas.DataFrame(getattr(self, table), index=index)

    @property
    def details(self) -> dict[str, np.ndarray]:
        """By-products of the consensus function, by name."""
        return {} if self.result is None else dict(self.result.details)

    def __repr__(self) -> str:
        k = int(self.labels.max()) + 1
        kinds = "" if self.by_kind is None else ", .kinds"
        return (
            f"Explanation of {count(k, 'cluster')} of "
            f"{count(self.labels.size, 'sample')} by "
            f"{count(self.ensemble.n_members, 'member')}: "
            f".samples, .clusters, .members{kinds}"
        )


def _difficulty(ensemble: Ensemble) -> np.ndarray:
    """Return WOEC's difficulty, estimated if there are very many label rows."""
    whole = ensemble.n_total_clusters <= _TABLE and not ensemble.has_missing
    if not whole and len(ensemble.core) > _EXACT_ROWS:
        return _estimated_difficulty(ensemble)
    weights = DifficultyWeighter().weigh(ensemble).samples
    assert weights is not None
    return weights


def _estimated_difficulty(ensemble: Ensemble, n_partners: int = 2000) -> np.ndarray:
    """Return the difficulty as the mean over random partners."""
    from coterie._kernels._coassociation import coassociation_tile

    drawn = np.random.default_rng(0).choice(
        ensemble.n_samples, min(n_partners, ensemble.n_samples), replace=False
    )
    some = Ensemble._from_coded(
        np.ascontiguousarray(ensemble.labels[np.sort(drawn)]),
        ensemble.offsets,
        ensemble.members,
    )
    starts, listed, _ = inverted_lists(some)
    ones = np.ones(ensemble.n_total_clusters, dtype=np.float32)
    share = some.core.counts / some.n_samples  # (u,)
    present = (some.core.rows >= 0).astype(np.float32)
    rows = ensemble.core.rows
    raw = np.empty(len(rows))
    for first in range(0, len(rows), _TILE):
        part = rows[first : first + _TILE]
        A = np.zeros((len(part), len(some.core)), dtype=np.float32)
        coassociation_tile(rows, ensemble.offsets, ones, starts, listed, first, A)
        both = (part >= 0).astype(np.float32) @ present.T
        np.divide(A, both, out=A, where=both > 0)
        raw[first : first + _TILE] = 4.0 * (A * (1.0 - A)) @ share  # Eq. 3
    e = DifficultyWeighter().smoothing
    return ((raw + e) / (1.0 + e))[ensemble.core.index]  # Eq. 4


def explain(source: Any, labels: Any = None, *, weights: Any = None) -> Explanation:
    """Explain how certain a clustering is about each sample, cluster and member.

    Parameters
    ----------
    source : fitted system, Ensemble, Explanation, or labels of members
        What to explain; an explanation is returned unchanged.
    labels : ConsensusResult or (n_samples,) array, default=None
        The clustering, if ``source`` is an ensemble: the result of ``combine(...,
        return_result=True)``, or labels 0 to k - 1.
    weights : Weights, (n_members,) array or None, default=None
        How much members and clusters count, if ``source`` is an ensemble.

    Returns
    -------
    Explanation
        With the tables ``samples``, ``clusters`` and ``members``.

    Examples
    --------
    >>> import coterie
    >>> from sklearn.datasets import load_iris
    >>> X = load_iris().data
    >>> model = coterie.EnsembleClustering(3, n_members=40, random_state=0).fit(X)
    >>> found = coterie.explain(model)
    >>> found
    Explanation of 3 clusters of 150 samples by 40 members: .samples, ...
    >>> list(found.samples)
    ['cluster', 'confidence', 'second', 'margin', 'item_consensus', 'difficulty']
    >>> doubtful = found.samples["margin"].argsort()[:5]
    >>> list(found.to_frame("clusters"))
    ['cluster', 'size', 'confidence', 'cluster_consensus', 'next', 'seen_by']
    """
    if isinstance(source, Explanation):
        return source
    if labels is None:
        if not hasattr(source, "labels_"):
            raise TypeError(
                "explain expects a fitted system, or an ensemble and labels, got "
                f"{type(source).__name__} alone. Fit the system first, or pass labels=."
            )
        if not hasattr(source, "ensemble_"):
            raise TypeError(
                "explain expects a system, which has members to compare, but "
                f"{type(source).__name__} is a single clusterer. Pass an ensemble and "
                "its labels, as in explain([first, second, ...], labels)."
            )
        ensemble, weights = voters(source.ensemble_, source.weights_ or Weights())
        index = getattr(source, "_fit_index", None)
        return Explanation(
            ensemble, source.labels_, weights, source.consensus_, source, index
        )
    ensemble = Ensemble(source)
    result = labels if isinstance(labels, ConsensusResult) else None
    if result is not None:
        given = result.labels
        weights = result.weights if weights is None else weights
    else:
        given = _coded(labels, ensemble)
    weights = as_weights(weights, ensemble)
    return Explanation(ensemble, given, weights, result, index=index_of(source))


def _coded(labels: Any, ensemble: Ensemble) -> np.ndarray:
    codes = Ensemble([labels])
    if codes.n_samples != ensemble.n_samples or codes.has_missing:
        raise ValueError(
            f"explain expects a label for each of the {ensemble.n_samples} samples of "
            f"the ensemble, got {codes.n_samples}, of which "
            f"{int((codes.labels < 0).sum())} are missing."
        )
    return np.ascontiguousarray(codes.labels[:, 0])
