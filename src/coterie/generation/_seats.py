"""Which kinds of member, on which views of the data, sit on a panel."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from coterie._scales import loud_columns, spreads
from coterie._validation import is_sparse
from coterie.generation._base import BaseGenerator
from coterie.generation._communities import LeidenCommunities
from coterie.generation._genie import GenieTree
from coterie.generation._kmeans import RandomKMeans
from coterie.generation._metric_subspace import MetricSubspaceSpectral
from coterie.generation._mixtures import GaussianMixtures
from coterie.generation._network_kmeans import NetworkKMeans

_FEWEST_FEATURES = 7  # for members that see a share of the features
_FEWEST_SAMPLES = 10
_SAME_SCALE = 1.05  # ratio of standard deviations
_WILD_SCALE = 10.0
_SEATS_TO_JUDGE = 6  # with fewer, raw features of wild scale may outvote standardised
_SAME_LENGTH = 1e-3  # relative spread of the rows' lengths


class Seat(NamedTuple):
    """One kind of member on one view of the data.

    Attributes
    ----------
    kind : str
    view : str or function
        What the members see of the data.
    generator : generator
        Makes the members from the transformed data.
    """

    kind: str
    view: Any
    generator: BaseGenerator


class Kind(NamedTuple):
    """A kind of member that a panel knows."""

    make: Callable[[Plan], BaseGenerator]
    cost: float  # of its members, relative to those of "spectral"
    by_distance: bool  # whether it sees nothing but distances between samples
    few_features: bool = True  # whether it makes sense for few features


@dataclass(frozen=True)
class Plan:
    """What is known before the members are made.

    Attributes
    ----------
    n_clusters : int, (int, int) or None
        Clusters of each member.
    target : int or None
        Number of clusters of the final clustering, if known.
    on_error : str
    few_features : bool, default=False
        Then members are cheap, and there are fewer seats: each makes more.
    """

    n_clusters: Any
    target: int | None
    on_error: str
    few_features: bool = False


def _spectral(plan: Plan) -> BaseGenerator:
    return MetricSubspaceSpectral(
        20 if plan.few_features else 12,
        subspace_ratio=1.0,
        n_clusters=plan.n_clusters,
        on_error=plan.on_error,
    )


def _mdec(plan: Plan) -> BaseGenerator:
    return MetricSubspaceSpectral(
        16, n_clusters=plan.n_clusters, on_error=plan.on_error
    )


def _genie(plan: Plan) -> BaseGenerator:
    # all members share the spanning tree, so many cost no more than few
    return GenieTree(60, n_clusters=plan.n_clusters, on_error=plan.on_error)


def _gmm(plan: Plan) -> BaseGenerator:
    return GaussianMixtures(
        15 if plan.few_features else 10,
        n_clusters=plan.n_clusters,
        on_error=plan.on_error,
    )


def _leiden(plan: Plan) -> BaseGenerator:
    n_members = 20 if plan.few_features else 12
    return LeidenCommunities(n_members, on_error=plan.on_error)


def _mbn(plan: Plan) -> BaseGenerator:
    n_out = 15 if plan.target is None else math.ceil(1.5 * plan.target)
    return NetworkKMeans(
        12,
        n_clusters=plan.n_clusters,
        n_clusterings=75,
        n_out=n_out,
        on_error=plan.on_error,
    )


def _kmeans(plan: Plan) -> BaseGenerator:
    return RandomKMeans(12, n_clusters=plan.n_clusters, on_error=plan.on_error)


KINDS = {
    "spectral": Kind(_spectral, 1.0, by_distance=True),
    "genie": Kind(_genie, 0.4, by_distance=True),
    "gmm": Kind(_gmm, 0.7, by_distance=True),
    "mdec": Kind(_mdec, 1.0, by_distance=False, few_features=False),
    "leiden": Kind(_leiden, 1.0, by_distance=True),
    "mbn": Kind(_mbn, 4.0, by_distance=False, few_features=False),
    # of few features it sees what mixtures see, and misses what the others see
    "kmeans": Kind(_kmeans, 1.0, by_distance=True, few_features=False),
}

# What gains most for its cost comes first: a panel in a hurry stops early. The order
# and the numbers were chosen on development data (docs/auto.md says how).
ORDER = (
    ("spectral", "raw"),
    ("genie", "raw"),
    ("gmm", "raw"),
    ("mdec", "raw"),
    ("spectral", "zscore"),
    ("mbn", "raw"),
    ("spectral", "cosine"),
    ("gmm", "zscore"),
    ("genie", "zscore"),
    ("mdec", "cosine"),
    ("leiden", "raw"),
    ("spectral", "ranks"),
    ("leiden", "zscore"),
    ("mbn", "zscore"),
    ("kmeans", "raw"),
    ("kmeans", "zscore"),
)
# Of sparse data, kinds see the leading singular vectors.
SPARSE_ORDER = (
    ("spectral", "tfidf"),
    ("gmm", "tfidf"),
    ("leiden", "tfidf"),
    ("mdec", "tfidf"),
    ("spectral", "cosine"),
    ("genie", "tfidf"),
    ("mbn", "tfidf"),
    ("gmm", "cosine"),
    ("mdec", "cosine"),
    ("leiden", "cosine"),
    ("mbn", "cosine"),
    ("kmeans", "tfidf"),
    ("kmeans", "cosine"),
    ("spectral", "raw"),
    ("genie", "raw"),
    ("gmm", "raw"),
)


@dataclass(frozen=True)
class Choice:
    """The seats that suit the data, in the order of their value, and why."""

    seats: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]


def has_few_features(X: Any) -> bool:
    """Whether members that see a share of the features make no sense."""
    # sparse data are seen through singular vectors
    return min(X.shape if is_sparse(X) else X.shape[1:]) < _FEWEST_FEATURES


def differ_in_scale(X: Any) -> bool:
    """Whether features of very different scale would drown each other."""
    if is_sparse(X):
        return False
    return _typical_ratio(_spreads(X)) > _WILD_SCALE or loud_columns(X) is not None


def _by_turns(order: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    """Put each kind's standardised view right after its raw one."""
    place = {seat: n for n, seat in enumerate(order)}

    def key(seat: tuple[str, str]) -> tuple[int, bool]:
        kind, view = seat
        raw = place.get((kind, "raw"), place[seat])
        return (raw if view == "zscore" else place[seat], view == "zscore")

    return tuple(sorted(order, key=key))


def suitable_seats(
    X: Any, views: Sequence[str] | None = None, *, n_seats: int | None = None
) -> Choice:
    """Return the kinds and views that make sense for the data; labels are not needed.

    Parameters
    ----------
    X : (n_samples, n_features) array or CSR matrix
    views : sequence of str or None, default=None
        The views to consider; None is all.
    n_seats : int or None, default=None
        How many of the first seats may have to do; None is all. If features differ
        much in scale, these see them standardised as often as raw, and very few seats
        see them standardised only.
    """
    n_samples = X.shape[0]
    notes: list[str] = []
    order = SPARSE_ORDER if is_sparse(X) else ORDER
    if n_seats is not None and differ_in_scale(X):
        order = _by_turns(order)
    too_few = n_seats is not None and n_seats < _SEATS_TO_JUDGE
    without = _useless_views(X, notes, too_few) if views is None else set()
    if has_few_features(X):
        few = [name for name, kind in KINDS.items() if not kind.few_features]
        notes.append(
            f"Left out {', '.join(few[:-1])} and {few[-1]}, which need many features: "
            f"there are only {min(X.shape) if is_sparse(X) else X.shape[1]}."
        )
    else:
        few = []
    if n_samples < _FEWEST_SAMPLES:
        few += ["gmm", "leiden"]
        notes.append(
            f"Left out gmm and leiden, which need {_FEWEST_SAMPLES} samples; there are "
            f"only {n_samples}."
        )
    seats = [
        (kind, view)
        for kind, view in order
        if kind not in few and view not in without and (views is None or view in views)
    ]
    return Choice(tuple(seats), tuple(notes))


def _useless_views(X: Any, notes: list[str], too_few: bool) -> set[str]:
    """Return the views that show what another one shows, or that might mislead."""
    if is_sparse(X):
        seen = "Sparse data: members see the leading singular vectors of the rows"
        if X.min() < 0:  # no counts
            notes.append(f"{seen}, as they are and at unit length.")
            return {"tfidf"}
        notes.append(f"{seen} at unit length, as they are and weighted by tf-idf.")
        return {"raw"}
    without = set()
    spread = _spreads(X)
    if spread.size < 2 or spread.max() < _SAME_SCALE * spread.min():
        without.add("zscore")
    elif differ_in_scale(X):
        seen = "both as they are and standardised"
        if too_few:
            without.add("raw")
            seen = "standardised, because there are too few to judge both views"
        notes.append(
            f"Features differ in scale up to {_round(spread.max() / spread.min())}"
            f"-fold: members see them {seen}."
        )
    if spread.size < 2:
        without.add("ranks")
    lengths = np.linalg.norm(X, axis=1)
    same = lengths.std() <= _SAME_LENGTH * lengths.mean()
    if X.shape[1] < _FEWEST_FEATURES or same:
        without.add("cosine")
    return without


def _spreads(X: np.ndarray) -> np.ndarray:
    """Return the standard deviations of the features that vary."""
    spread = spreads(X)
    return spread[spread > 0]


def _typical_ratio(spread: np.ndarray) -> float:
    """Return the ratio of large to small scales, whatever the extremes are."""
    if spread.size < 2:
        return 1.0
    if spread.size < 2 * _FEWEST_FEATURES:
        return float(spread.max() / spread.min())
    low, high = np.quantile(spread, (0.05, 0.95))
    return float(high / low)


def _round(ratio: float) -> str:
    return f"{float(f'{ratio:.1g}'):,.0f}"
