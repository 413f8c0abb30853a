"""Kinds: which groups of members agree, and which clusters they see."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from coterie.ensemble import Ensemble, Weights
from coterie.ensemble._groups import Group, groups_of
from coterie.ensemble._votes import cluster_counts
from coterie.metrics import member_agreement, member_quality

if TYPE_CHECKING:
    from coterie.answers._explain import Explanation

SEEN = 0.5  # a larger Jaccard index: no second cluster of the group can reach it


@dataclass(frozen=True, eq=False)
class Kinds:
    """The clusterings of the groups of an ensemble, compared with the result.

    Attributes
    ----------
    groups : tuple of Group
    ensemble : Ensemble
        The clustering of each group, as a member.
    weight : (G,) array
        How much each group counts.
    steadiness : (G,) array
        How alike the clusterings of two halves of a group are.
    labels : (N,) int32 array
        The result.
    """

    groups: tuple[Group, ...]
    ensemble: Ensemble
    weight: np.ndarray
    steadiness: np.ndarray
    labels: np.ndarray

    @classmethod
    def of(cls, found: Explanation) -> Kinds | None:
        """Return the kinds behind a result, None if its method has no kinds."""
        details = found.details
        if "kind_labels" not in details:
            return None
        clusterings = np.asarray(details["kind_labels"])  # (N, G)
        return cls(
            _groups(found, clusterings.shape[1]),
            Ensemble(list(clusterings.T)),
            np.asarray(details["kind_weights"], dtype=np.float64),
            np.asarray(details["kind_steadiness"], dtype=np.float64),
            found.labels,
        )

    @property
    def names(self) -> list[str]:
        """The names of the groups."""
        return [group.name for group in self.groups]

    @cached_property
    def agreement(self) -> np.ndarray:
        """ARI of each pair of groups, (G, G)."""
        return member_agreement(self.ensemble, "ari")

    @cached_property
    def with_result(self) -> np.ndarray:
        """ARI of each group with the result, (G,)."""
        return member_quality(self.labels, self.ensemble, "ari")

    @cached_property
    def overlap(self) -> np.ndarray:
        """How well each group sees each cluster of the result, (k, G).

        The Jaccard index of the cluster and the most similar one of the group, over the
        samples that the group assigns.
        """
        counts = cluster_counts(self.ensemble, self.labels)  # (C, k)
        best = np.empty((counts.shape[1], len(self.groups)))
        for g, (start, stop) in enumerate(
            zip(self.ensemble.offsets[:-1], self.ensemble.offsets[1:], strict=True)
        ):
            both = counts[start:stop]  # (k_g, k)
            either = both.sum(axis=0) + both.sum(axis=1, keepdims=True) - both
            best[:, g] = (both / np.maximum(either, 1.0)).max(axis=0)
        return best

    @property
    def seen(self) -> np.ndarray:
        """Whether each group sees each cluster of the result, (k, G)."""
        return self.overlap > SEEN

    @cached_property
    def order(self) -> np.ndarray:
        """The groups in the order of a tree, the weightier branches first, (G,)."""
        from coterie._linalg import linkage

        G = len(self.groups)
        branches = [[g] for g in range(G)]
        apart = 1.0 - self.agreement[np.triu_indices(G, k=1)]
        for pair in linkage(apart)[:, :2].astype(int) if G > 1 else ():
            both = [branches[child] for child in pair]
            both.sort(key=lambda branch: -self.weight[branch].mean())
            branches.append([*both[0], *both[1]])
        return np.array(branches[-1])


def _groups(found: Explanation, n_groups: int) -> tuple[Group, ...]:
    """Return the groups that were combined, numbered if the members have no kinds."""
    ensemble, weights = found.ensemble, found.weights.members
    if found.model is not None:  # with all members, not only those that vote
        ensemble = found.model.ensemble_
        weights = found.model.weights_ and found.model.weights_.members
    if weights is not None and not weights.all():  # not combined
        ensemble = ensemble.subset(np.flatnonzero(weights))
    groups = groups_of(ensemble)
    if len(groups) == n_groups:
        return groups
    none = np.empty(0, dtype=np.int64)
    return tuple(Group(f"group {g}", "", none) for g in range(n_groups))


def votes_by_kind(found: Explanation) -> Weights:
    """Return the weights of the members: each group shares its own among them.

    Without kinds, the members' own weights.
    """
    kinds = found.by_kind
    if kinds is None:
        return Weights(members=found.weights.members)
    weight_of = {
        (group.kind, group.view): weight
        for group, weight in zip(kinds.groups, kinds.weight, strict=True)
    }
    votes = np.zeros(found.ensemble.n_members)
    for group in groups_of(found.ensemble):
        weight = weight_of.get((group.kind, group.view), 0.0)
        votes[group.members] = weight / group.members.size
    return Weights(members=votes if votes.any() else None)
