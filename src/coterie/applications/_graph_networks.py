"""Communities by bootstrap networks on the adjacency: fMBN-E as printed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array, diags_array

from coterie._linalg import code_pca, kmeans
from coterie._typing import Progress
from coterie.ensemble import Ensemble
from coterie.generation import BootstrapNetworks
from coterie.metrics import modularity
from coterie.weighting import NetworkSelection

_STARTS = 3  # of k-means; about two hundred runs are compared anyway


@dataclass(frozen=True, eq=False)
class NetworkCommunities:
    """The partition with the largest modularity.

    Attributes
    ----------
    labels : (n,) int array
    curve : dict of int to float
        The best modularity found for each number of communities.
    """

    labels: np.ndarray
    curve: dict[int, float]


def network_communities(
    graph: csr_array,
    span: tuple[int, int],
    *,
    n_members: int,
    n_clusterings: int,
    classes: Sequence[int],
    bottom_layer: str,
    select: bool,
    seed: np.random.SeedSequence,
    n_jobs: int | None,
    progress: Progress,
) -> NetworkCommunities:
    """Grow networks, reduce their codes and cluster them, for each number in a range.

    In the bottom layer, each clustering draws half of the nodes, and every node goes to
    one it is linked to, or hands on its links to them ("columns"). The codes are
    reduced to principal components and clustered by k-means; the result with the
    largest modularity is returned. Modularity does not use known communities.
    """
    for_codes, for_rest = seed.spawn(2)
    levels = [math.ceil(1.5 * c) for c in classes]
    networks = BootstrapNetworks(
        n_members=n_members,
        n_out=min(levels),
        delta_range=(0.05, 0.95),
        delta_draw="stratified",
        n_clusterings=n_clusterings,
        metric="precomputed",
        bottom_layer=bottom_layer,
    )
    grown = networks.generate_levels(
        _with_own_link(graph), levels, seed=for_codes, n_jobs=n_jobs, progress=progress
    )
    rng = np.random.default_rng(for_rest)
    best: tuple[float, Any] = (-np.inf, None)
    curve: dict[int, float] = {}
    for c, ensemble in zip(classes, grown, strict=True):
        kept = _selected(ensemble, c, rng) if select else ensemble
        U = code_pca(kept.labels, c, rng=rng).scores
        for k in range(span[0], span[1] + 1):
            labels = kmeans(U, k, rng=rng, n_init=_STARTS).labels
            Q = modularity(graph, labels)
            curve[k] = max(Q, curve.get(k, -np.inf))
            if best[0] < Q:
                best = Q, labels
    return NetworkCommunities(best[1], curve)


def _selected(ensemble: Ensemble, c: int, rng: np.random.Generator) -> Ensemble:
    """Return the clusterings of the networks that fit all of them best (MBN-SD)."""
    rule = NetworkSelection(criterion="mmd", n_clusters=c)
    weights = rule.weigh(ensemble, seed=int(rng.integers(2**31))).members
    return ensemble.subset(np.flatnonzero(weights))


def _with_own_link(A: csr_array) -> csr_array:
    """Put the strongest link of each node on the diagonal."""
    plain = A - diags_array(A.diagonal())
    strongest = A.max(axis=1).toarray().ravel()
    own = np.where(strongest > 0, strongest, 1.0)
    return csr_array(plain + diags_array(own))
