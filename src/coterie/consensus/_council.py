"""A consensus of consensuses: each kind of member is combined by itself first."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, NamedTuple

import numpy as np

from coterie._typing import LABEL_DTYPE, NOT_ASSIGNED
from coterie._validation import HasMethods, StrOptions
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._bipartite import HBGF
from coterie.ensemble import Ensemble, Member, Weights
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.ensemble._groups import Group, groups_of
from coterie.ensemble._votes import placement
from coterie.metrics import ari
from coterie.metrics._kinds import kind_weights

_LEAST = 1e-9  # of the largest weight: no cluster is cut off altogether
_FEWEST = 4  # members whose halves say something about their steadiness


class Council(BaseConsensus):
    r"""Consensus of consensuses: combine each kind of member, then the results.

    An ensemble may hold members of several kinds (k-means, spectral, mixtures, ...) on
    several views of the data, as the generator :class:`~coterie.generation.Panel` makes
    them. Pooled, the kind with the most members wins, right or wrong. Here, the members
    of each kind and view g are first combined by themselves into a clustering
    :math:`\pi_g`, and these are then combined with the weights

    .. math:: w_g \propto \sqrt{s_g a_g}, \qquad
        s_g = \mathrm{ARI}(\pi_g^{\mathrm{odd}}, \pi_g^{\mathrm{even}}), \qquad
        a_g = \operatorname{mean}_{h: \, \mathrm{kind}(h) \ne \mathrm{kind}(g)}
        \mathrm{ARI}(\pi_g, \pi_h),

    the geometric mean of the *steadiness* of the group, where
    :math:`\pi_g^{\mathrm{odd}}` combines every second of its members only, and of its
    *agreement* with groups of other kinds. No labels are needed for either.

    Parameters
    ----------
    consensus : consensus function or None, default=None
        Combines the members of each group; None is :class:`HBGF`.
    final : consensus function or None, default=None
        Combines the groups' clusterings; None is :class:`HBGF`. It must take weights of
        members.
    weighter : {"kinds"}, weighter or None, default="kinds"
        Weights the groups' clusterings: "kinds" is the formula above
        (:class:`~coterie.weighting.KindWeighter`), None weights all groups alike.
        Ignored if weights are passed to ``combine``: then a group has the mean weight
        of its members.

    Notes
    -----
    Members say what they are by ``params["kind"]`` and ``params["view"]``; an ensemble
    whose members do not is one group, and the result is that of ``consensus``. A group
    of fewer than four members has steadiness one. ``details`` has the groups'
    clusterings (``kind_labels``), weights and steadiness, in the order in which the
    groups first appear.

    Entropy weights (:class:`LWEA`, :class:`LWGP`) are not used: they can prefer a wrong
    cut that all members of one kind share. The method is ours;
    ``experiments/results/panel.md`` compares it with alternatives.

    Examples
    --------
    >>> from coterie import Ensemble
    >>> from coterie.consensus import Council
    >>> from coterie.ensemble import Member
    >>> kinds = ("kmeans", "kmeans", "genie", "gmm")
    >>> members = [Member(params={"kind": kind}) for kind in kinds]
    >>> labelings = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]
    >>> result = Council().combine(Ensemble(labelings, members), 2, seed=0)
    >>> result.labels, result.details["kind_weights"].round(2)
    (array([0, 0, 1, 1], dtype=int32), array([0.5, 0.5, 0. ]))
    """

    name = "council"
    summary = "combines each kind of member by itself, then the weighted results"
    cost = "time N M^2 or N M k, memory N M"
    group = "reason"
    take_if = "members of several kinds, some of which may fail"
    uses_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "consensus": [BaseConsensus, None],
        "final": [BaseConsensus, None],
        "weighter": [StrOptions({"kinds"}), HasMethods("weigh"), None],
    }

    def __init__(
        self,
        consensus: Any = None,
        final: Any = None,
        *,
        weighter: Any = "kinds",
    ) -> None:
        self.consensus = consensus
        self.final = final
        self.weighter = weighter

    def _combine(self, task: Task) -> ConsensusResult:
        groups = groups_of(task.ensemble)
        heard = [self._heard(task, group) for group in groups]
        clusterings = Ensemble(
            [one.labels for one in heard],
            [_record(group, one) for group, one in zip(groups, heard, strict=True)],
        )
        w = self._weights(task, groups, clusterings)
        w = np.maximum(w, _LEAST * w.max())
        if len(groups) == 1:
            labels = heard[0].labels
        else:
            final = HBGF() if self.final is None else self.final
            labels = _combined(final, task, clusterings, Weights(members=w))
        labels = relabel_by_appearance(labels)
        shares = w / w.sum()
        learned = np.empty(task.ensemble.n_members)
        for group, share in zip(groups, shares, strict=True):
            own = _own(task.weights, group)
            learned[group.members] = share * own / own.sum()
        weights = Weights(members=learned * learned.size)
        found = placement(task.ensemble, weights, labels)
        return ConsensusResult(
            labels,
            confidence=found.confidence,
            second=found.second,
            margin=found.margin,
            weights=weights,
            details={
                "kind_labels": clusterings.labels,
                "kind_weights": shares,
                "kind_steadiness": np.array([one.steadiness for one in heard]),
            },
        )

    def _heard(self, task: Task, group: Group) -> _Heard:
        """Combine one group, and its odd and even members for its steadiness."""
        consensus = HBGF() if self.consensus is None else self.consensus
        found = [
            _of_members(consensus, task, group.members[part])
            for part in _parts(group.members.size)
        ]
        if len(found) == 1:
            return _Heard(found[0], 1.0)
        both = (found[1] >= 0) & (found[2] >= 0)
        steady = ari(found[1][both], found[2][both]) if both.any() else 0.0
        return _Heard(found[0], max(steady, 0.0))

    def _weights(
        self, task: Task, groups: tuple[Group, ...], clusterings: Ensemble
    ) -> np.ndarray:
        if task.weights.members is not None:
            return np.array([_own(task.weights, group).mean() for group in groups])
        if self.weighter is None:
            return np.ones(len(groups))
        if self.weighter == "kinds":
            return kind_weights(clusterings)
        seed = int(task.rng.integers(2**63))
        weights = self.weighter.weigh(clusterings, X=task.X, seed=seed).members
        return np.ones(len(groups)) if weights is None else weights


class _Heard(NamedTuple):
    """What a group says."""

    labels: np.ndarray  # (N,), -1 where none of its members assigns the sample
    steadiness: float


def _parts(n_members: int) -> Iterator[slice]:
    """Yield all members, then every second one from the first and from the next."""
    yield slice(None)
    if n_members >= _FEWEST:
        yield slice(None, None, 2)
        yield slice(1, None, 2)


def _own(weights: Weights, group: Group) -> np.ndarray:
    """Return the given weights of a group's members."""
    if weights.members is None:
        return np.ones(group.members.size)
    return weights.members[group.members]


def _record(group: Group, heard: _Heard) -> Member:
    params = {"kind": group.kind, "view": group.view, "steadiness": heard.steadiness}
    return Member(name=group.name, params=params)


def _of_members(
    consensus: BaseConsensus, task: Task, members: np.ndarray
) -> np.ndarray:
    """Combine some members; a sample that none of them assigns gets no label."""
    some = task.ensemble.subset(members)
    weights = Weights()
    if task.weights.members is not None:
        weights = Weights(members=task.weights.members[members])
    if not some.has_missing:
        return _combined(consensus, task, some, weights)
    assigned = (some.labels >= 0).any(axis=1)
    labels = np.full(some.n_samples, NOT_ASSIGNED, dtype=LABEL_DTYPE)
    if assigned.any():
        rows = np.ascontiguousarray(some.labels[assigned])
        seen = Ensemble._from_coded(rows, some.offsets, some.members)
        labels[assigned] = _combined(consensus, task, seen, weights)
    return labels


def _combined(
    consensus: BaseConsensus, task: Task, ensemble: Ensemble, weights: Weights
) -> np.ndarray:
    """Return the labels of a consensus of part of the evidence."""
    k = min(task.n_clusters, ensemble.n_samples)
    rng = np.random.default_rng(int(task.rng.integers(2**63)))
    return consensus.solve(Task(ensemble, k, weights, task.X, rng)).labels
