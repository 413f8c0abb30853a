"""Weights of the members, clusters and samples of an ensemble."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from coterie._display import count
from coterie._typing import WEIGHT_DTYPE, MaybeArray
from coterie.ensemble._ensemble import Ensemble


@dataclass(frozen=True, eq=False)
class Weights:
    """How much members, clusters and samples of an ensemble count.

    Parameters
    ----------
    members : (M,) array, default=None
        None = all ones. A member of weight zero is ignored.
    clusters : (C,) array, default=None
        In the order of ``Ensemble.offsets``.
    samples : (N,) array, default=None
    details : mapping of str to array
        By-products of the weighter, by name.

    Examples
    --------
    >>> from coterie import Weights
    >>> Weights(members=[1, 2])
    Weights: 2 members from 1 to 2
    """

    members: MaybeArray = None
    clusters: MaybeArray = None
    samples: MaybeArray = None
    details: Mapping[str, np.ndarray] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("members", "clusters", "samples"):
            values = getattr(self, name)
            if values is not None:
                object.__setattr__(self, name, _check(values, name))

    def check_for(self, ensemble: Ensemble) -> None:
        """Raise if the lengths do not fit the ensemble."""
        expected = {
            "members": ensemble.n_members,
            "clusters": ensemble.n_total_clusters,
            "samples": ensemble.n_samples,
        }
        for name, length in expected.items():
            values = getattr(self, name)
            if values is not None and values.shape[0] != length:
                raise ValueError(
                    f"Weights.{name} has {values.shape[0]} values, but the ensemble "
                    f"has {length} {name}."
                )

    @property
    def used(self) -> frozenset[str]:
        """Which of members, clusters and samples have weights."""
        return frozenset(f"{kind}s" for kind, _ in self._known())

    def member_shares(self, ensemble: Ensemble) -> np.ndarray:
        """Return the members' weights, (M,), scaled to sum to one."""
        members = self.members
        members = np.ones(ensemble.n_members) if members is None else members
        return members / members.sum()

    def per_cluster(self, ensemble: Ensemble) -> np.ndarray:
        """Return the weight of each cluster, (C,), with members' weights of sum one.

        Its sum over the clusters of a sample is the sample's self-similarity.
        """
        share = self.member_shares(ensemble)
        share = np.repeat(share, ensemble.n_clusters_per_member)
        return share if self.clusters is None else share * self.clusters

    def subset(self, ensemble: Ensemble, members: np.ndarray) -> Weights:
        """Return the weights of some members (indices) of the ensemble."""
        clusters = _clusters_of(ensemble, members)
        return Weights(
            None if self.members is None else self.members[members],
            None if self.clusters is None else self.clusters[clusters],
            self.samples,
        )

    def spread(self, ensemble: Ensemble, members: np.ndarray) -> Weights:
        """Undo :meth:`subset`: weights of some members become weights of all.

        The other members, and their clusters, have weight zero.
        """
        clusters = _clusters_of(ensemble, members)
        return Weights(
            _placed(self.members, members, ensemble.n_members),
            _placed(self.clusters, clusters, ensemble.n_total_clusters),
            self.samples,
        )

    def to_frame(self) -> Any:
        """Return a pandas frame with a row for each weight.

        ``kind`` is member, cluster or sample, ``number`` its index among these.
        """
        import pandas

        parts = [
            pandas.DataFrame(
                {"kind": kind, "number": np.arange(values.size), "weight": values}
            )
            for kind, values in self._known()
        ]
        if not parts:
            return pandas.DataFrame({"kind": [], "number": [], "weight": []})
        return pandas.concat(parts, ignore_index=True)

    def _known(self) -> list[tuple[str, np.ndarray]]:
        kinds = ("member", "cluster", "sample")
        return [(k, v) for k in kinds if (v := getattr(self, f"{k}s")) is not None]

    def __repr__(self) -> str:
        parts = [
            f"{count(values.size, kind)} from {values.min():.3g} to {values.max():.3g}"
            for kind, values in self._known()
        ]
        return f"Weights: {', '.join(parts) or 'all ones'}"


def as_weights(weights: Any, ensemble: Ensemble) -> Weights:
    """Return weights that fit the ensemble: None is all ones, an array the members'."""
    if weights is None:
        weights = Weights()
    elif not isinstance(weights, Weights):
        weights = Weights(members=weights)
    weights.check_for(ensemble)
    return weights


def _clusters_of(ensemble: Ensemble, members: np.ndarray) -> np.ndarray:
    bounds = zip(ensemble.offsets[members], ensemble.offsets[members + 1], strict=True)
    return np.concatenate([np.arange(a, b) for a, b in bounds])


def _placed(values: np.ndarray | None, at: np.ndarray, n: int) -> np.ndarray | None:
    """Return n values, zero except at some indices."""
    if values is None:
        return None
    out = np.zeros(n)
    out[at] = values
    return out


def _check(values: Any, name: str) -> np.ndarray:
    array = np.array(values, dtype=WEIGHT_DTYPE)
    if array.ndim != 1:
        raise ValueError(f"Weights.{name} must have one dimension, got {array.shape}.")
    if not np.isfinite(array).all() or (array < 0).any():
        bad = int(np.flatnonzero(~(np.isfinite(array) & (array >= 0)))[0])
        raise ValueError(
            f"Weights.{name} must be finite and not negative, got {array[bad]} at "
            f"position {bad}."
        )
    if array.size and not array.any():
        raise ValueError(f"Weights.{name} are all zero; at least one must count.")
    array.flags.writeable = False
    return array
