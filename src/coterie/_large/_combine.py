"""Consensus of an ensemble that is read by blocks: the cut, k-means and votes."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from coterie._large._ensemble import BlockEnsemble, columns_of
from coterie._linalg import assign_to_centers, kmeans, scaled_eigenpairs, unit_rows
from coterie._typing import LABEL_DTYPE
from coterie.consensus import KCC, SEC, Vote
from coterie.ensemble import Weights, sample_shares
from coterie.ensemble._clusters import HasClusters
from coterie.weighting import EntropyWeighter
from coterie.weighting._entropy import overlap_entropies

ROW_METHODS = ("lwgp", "hbgf", "kcc", "sec", "vote")
_SAMPLE, _PER_CLUSTER = 20_000, 500  # label rows on which starts are tried
_TOLERANCE = 1e-4  # of k-means, or of the labels that still change
_N_INIT = 3  # of k-means on an embedding; label rows have more poor optima
_N_INIT_ROWS = 10


class RowRule(Protocol):
    """Gives each label row a final cluster; a pass over all rows makes it better."""

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Return the final cluster of each label row, (n,) int32."""
        ...

    def sums(self, rows: np.ndarray) -> np.ndarray:
        """Return what the next rule is made of, to be added over all rows."""
        ...

    def better(self, sums: np.ndarray) -> RowRule:
        """Return the next rule."""
        ...

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        """Return how much the sums changed, as a share."""
        ...


@dataclass(frozen=True, eq=False)
class _Shape(HasClusters):
    """What consensus functions ask of an ensemble, without its rows."""

    offsets: np.ndarray
    cluster_sizes: np.ndarray


@dataclass(frozen=True, eq=False)
class _CutRule:
    """The nearest centre among the rows of the transfer cut, scaled to length one."""

    offsets: np.ndarray
    lift: np.ndarray  # (C, d): embedding of each cluster times its weight
    centers: np.ndarray  # (k, d)

    def points(self, rows: np.ndarray) -> np.ndarray:
        from coterie._kernels._incidence import gather

        out = np.empty((len(rows), self.lift.shape[1]), dtype=self.lift.dtype)
        gather(rows, self.offsets, self.lift, out)
        return unit_rows(out)  # so that the degrees, by which it is divided, are idle

    def labels(self, rows: np.ndarray) -> np.ndarray:
        return assign_to_centers(self.points(rows), self.centers)[0]

    def sums(self, rows: np.ndarray) -> np.ndarray:
        from coterie._kernels._incidence import scatter

        points = self.points(rows)
        labels = assign_to_centers(points, self.centers)[0]
        k, d = self.centers.shape
        sums = np.zeros((k, d))
        scatter(labels[None, :], np.array([0, k]), points, sums)
        return np.column_stack([sums, np.bincount(labels, minlength=k)])

    def better(self, sums: np.ndarray) -> _CutRule:
        counts = sums[:, -1:]  # an empty cluster keeps its centre
        means = sums[:, :-1] / np.maximum(counts, 1.0)
        centers = np.where(counts > 0, means, self.centers)
        return replace(self, centers=centers.astype(self.centers.dtype))

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        now, then = self.better(sums).centers, self.better(before).centers
        return float(np.sum((now - then) ** 2)) * now.shape[1]  # of rows of length one


@dataclass(frozen=True, eq=False)
class _ProfileRule:
    """The nearest centre among label rows, in the distance of KCC or SEC."""

    consensus: KCC | SEC
    shape: _Shape
    table: np.ndarray  # (C, k): samples of each cluster in each final cluster

    def labels(self, rows: np.ndarray) -> np.ndarray:
        assign = self.consensus._assignment(self.shape, rows, Weights())  # type: ignore
        labels = np.empty(len(rows), dtype=LABEL_DTYPE)
        assign(self.table, labels, np.empty(len(rows)))
        return labels

    def sums(self, rows: np.ndarray) -> np.ndarray:
        return _counts(self, self.shape.offsets, self.table.shape[1], rows)

    def better(self, sums: np.ndarray) -> _ProfileRule:
        return replace(self, table=sums)

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        return _moved(sums, before)


@dataclass(frozen=True, eq=False)
class _VoteRule:
    """The final cluster with most of the members' votes."""

    offsets: np.ndarray
    ballots: np.ndarray  # (C, k)

    def labels(self, rows: np.ndarray) -> np.ndarray:
        from coterie._kernels._incidence import gather

        votes = np.empty((len(rows), self.ballots.shape[1]))
        gather(rows, self.offsets, self.ballots, votes)
        return votes.argmax(axis=1).astype(LABEL_DTYPE)

    def sums(self, rows: np.ndarray) -> np.ndarray:
        return _counts(self, self.offsets, self.ballots.shape[1], rows)

    def better(self, sums: np.ndarray) -> _VoteRule:
        alike = np.ones(len(sums))
        return replace(self, ballots=Vote().ballots(sums, self.offsets, alike))

    def change(self, sums: np.ndarray, before: np.ndarray) -> float:
        return _moved(sums, before)


@dataclass(frozen=True, eq=False)
class RowConsensus:
    """A consensus that labels any label row.

    Attributes
    ----------
    rule : RowRule
    offsets : (M + 1,) int64 array
        Where the clusters of each member begin.
    weights : (C,) array
        How much the clusters of the members count.
    shares : (C, k) array
        The share of each cluster's samples in each final cluster.
    rank : (k,) int32 array
        The number of each final cluster by first appearance; -1 if it is empty.
    n_iter : int
        Passes over all rows.
    converged : bool

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import combine_rows, label_blocks, learn_rule, open_rows
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> rules = [learn_rule("kmeans", X, 2, np.random.default_rng(j)) for j in range(3)]
    >>> ensemble = label_blocks(rules, open_rows(X, "me"))
    >>> found = combine_rows(ensemble, "vote", 2, rng=np.random.default_rng(0))
    >>> found.rank, found.converged
    (array([0, 1], dtype=int32), True)
    """

    rule: RowRule
    offsets: np.ndarray
    weights: np.ndarray
    shares: np.ndarray
    rank: np.ndarray
    n_iter: int
    converged: bool

    def labels(self, rows: np.ndarray) -> np.ndarray:
        """Return the final cluster of each label row, (n,) int32."""
        return self.rank[self.rule.labels(rows)]

    def placed(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the final cluster of each label row, and the vote for it."""
        labels = self.labels(rows)
        votes = sample_shares(rows, self.offsets, self.shares, self.weights)
        own = np.take_along_axis(votes, labels[:, None], axis=1)[:, 0]
        return labels, np.clip(own, 0.0, 1.0).astype(np.float32)


def combine_rows(
    ensemble: BlockEnsemble,
    method: str,
    n_clusters: int,
    *,
    rng: np.random.Generator,
    max_iter: int = 20,
) -> RowConsensus:
    """Combine an ensemble, holding no more than some blocks and C x C numbers.

    Parameters
    ----------
    ensemble : BlockEnsemble
    method : {"lwgp", "hbgf", "kcc", "sec", "vote"}
        As the consensus functions of these names. Starts of k-means are tried on a
        sample of the label rows, and the best goes on with all; of equal votes the
        first cluster gets the sample.
    n_clusters : int
    rng : numpy.random.Generator
    max_iter : int, default=20
        Most passes over all rows that make the result better.

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._large import combine_rows, label_blocks, learn_rule, open_rows
    >>> X = np.array([[0.0], [0.1], [9.0], [9.1]])
    >>> rules = [learn_rule("kmeans", X, 2, np.random.default_rng(j)) for j in range(3)]
    >>> ensemble = label_blocks(rules, open_rows(X, "me"))
    >>> found = combine_rows(ensemble, "kcc", 2, rng=np.random.default_rng(0))
    >>> found.shares.shape
    (6, 2)
    """
    weights = Weights()
    if method == "lwgp":
        entropies = overlap_entropies(ensemble.overlap, ensemble.offsets)
        weights = EntropyWeighter().from_entropies(entropies)
    per_cluster = weights.per_cluster(ensemble)  # type: ignore[arg-type]
    rule = _first_rule(ensemble, method, n_clusters, per_cluster, rng)
    rule, n_iter, converged = _refined(rule, ensemble, max_iter)
    k = n_clusters
    table, first = _tabled(rule, ensemble, k)
    found = np.flatnonzero(first < ensemble.n_samples)
    order = found[np.argsort(first[found], kind="stable")]
    rank = np.full(k, -1, dtype=LABEL_DTYPE)
    rank[order] = np.arange(order.size, dtype=LABEL_DTYPE)
    table = table[:, order]
    shares = table / np.maximum(table.sum(axis=1, keepdims=True), 1.0)
    return RowConsensus(
        rule, ensemble.offsets, per_cluster, shares, rank, n_iter, converged
    )


def _first_rule(
    ensemble: BlockEnsemble,
    method: str,
    k: int,
    weights: np.ndarray,
    rng: np.random.Generator,
) -> RowRule:
    if method in ("lwgp", "hbgf"):
        return _cut_rule(ensemble, k, weights, rng)
    if method == "vote":
        cut = _cut_rule(ensemble, k, weights, rng)
        reference = ensemble.total(partial(_counts, cut, ensemble.offsets, k))
        ballots = Vote().ballots(reference, ensemble.offsets, np.ones(len(reference)))
        return _VoteRule(ensemble.offsets, ballots)
    from coterie._kernels._kcc import profile_counts

    consensus = (KCC if method == "kcc" else SEC)(n_init=_N_INIT_ROWS)
    sample = ensemble.sample(max(_SAMPLE, _PER_CLUSTER * k), rng)
    labels = consensus.combine(sample, k, seed=rng).labels
    table = np.zeros((ensemble.n_total_clusters, k))
    columns = columns_of(sample.labels)
    counts = np.ones(len(labels), dtype=np.int64)
    profile_counts(columns, ensemble.offsets, counts, labels, table)
    shape = _Shape(ensemble.offsets, ensemble.cluster_sizes)
    return _ProfileRule(consensus, shape, table)


def _cut_rule(
    ensemble: BlockEnsemble, k: int, weights: np.ndarray, rng: np.random.Generator
) -> _CutRule:
    """Return the transfer cut of the graph of samples and clusters."""
    sizes = ensemble.cluster_sizes
    scale = np.zeros(sizes.size)
    np.divide(1.0, np.sqrt(weights * sizes), out=scale, where=weights * sizes > 0)
    if np.ptp(weights) > 0:
        E = ensemble.weighted_overlap(weights)
    else:  # no label is missing: where all clusters count alike, so do all rows
        E = ensemble.overlap / (weights[0] * ensemble.n_members)
    n_components = min(k, sizes.size)
    z = scaled_eigenpairs(E, scale * weights, n_components, rng).vectors
    lift = ((scale * weights)[:, None] * z).astype(np.float32)
    rule = _CutRule(ensemble.offsets, lift, np.zeros((k, n_components), lift.dtype))
    sample = ensemble.sample(max(_SAMPLE, _PER_CLUSTER * k), rng)
    points = rule.points(sample.labels)
    found = kmeans(points, k, rng=rng, n_init=_N_INIT)
    return replace(rule, centers=found.centers)


def _refined(
    rule: RowRule, ensemble: BlockEnsemble, max_iter: int
) -> tuple[RowRule, int, bool]:
    """Pass over all rows until hardly anything changes, or so many times."""
    previous: Any = None
    for n_iter in range(1, max_iter + 1):
        sums = ensemble.total(rule.sums)
        settled = previous is not None and rule.change(sums, previous) <= _TOLERANCE
        rule, previous = rule.better(sums), sums
        if settled:
            return rule, n_iter, True
    return rule, max_iter, False


def _moved(table: np.ndarray, before: np.ndarray) -> float:
    """Return the share of labels that went to another final cluster."""
    return float(np.abs(table - before).sum() / (2.0 * table.sum()))


def _counts(rule: RowRule, offsets: np.ndarray, k: int, rows: np.ndarray) -> np.ndarray:
    """Return the samples of each cluster in each final cluster, (C, k)."""
    return _table(offsets, k, rows, rule.labels(rows))


def _table(
    offsets: np.ndarray, k: int, rows: np.ndarray, labels: np.ndarray
) -> np.ndarray:
    from coterie._kernels._kcc import profile_counts

    table = np.zeros((int(offsets[-1]), k))
    ones = np.ones(len(rows), dtype=np.int64)
    profile_counts(columns_of(rows), offsets, ones, labels, table)
    return table


def _tabled(
    rule: RowRule, ensemble: BlockEnsemble, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Return that table for all rows, and the first sample of each final cluster."""
    total = np.zeros((ensemble.n_total_clusters, k))
    first = np.full(k, ensemble.n_samples)
    parts = ensemble.map(partial(_counts_and_first, rule, ensemble.offsets, k))
    for start, (table, at) in zip(ensemble.bounds[:-1], parts, strict=True):
        total += table
        seen = at >= 0
        first[seen] = np.minimum(first[seen], start + at[seen])
    return total, first


def _counts_and_first(
    rule: RowRule, offsets: np.ndarray, k: int, rows: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    labels = rule.labels(rows)
    at = np.full(k, -1)
    values, first = np.unique(labels, return_index=True)
    at[values] = first
    return _table(offsets, k, rows, labels), at
