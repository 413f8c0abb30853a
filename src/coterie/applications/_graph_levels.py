"""Coarser and finer communities, nested, and any number of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from coterie._linalg import climb, contracted, merged, settled, split_by_links
from coterie._typing import LABEL_DTYPE
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.metrics import modularity

_FINER, _FINER_OF_LARGE = 2, 1  # levels below, each with twice the resolution
_LARGE = 1_000_000  # links from which there is one of these
_COARSER = 6  # levels above them at most


@dataclass(frozen=True, eq=False)
class Level:
    """One level of the tree of communities.

    Attributes
    ----------
    resolution : float
        Larger ones give more communities.
    labels : (n_nodes,) int32 array
        The community of each node. Each lies within one of the level before.
    modularity : float
        Modularity of the level, as usual with resolution 1.

    Examples
    --------
    >>> from coterie.applications import communities
    >>> ring = [(i, (i + 1) % 60) for i in range(60)]
    >>> for level in communities(ring, n_null=0, random_state=0).tree:
    ...     assert level.n_communities == level.labels.max() + 1
    """

    resolution: float
    labels: np.ndarray
    modularity: float

    @property
    def n_communities(self) -> int:
        """Number of communities."""
        return int(self.labels.max()) + 1


def tree_of(
    graph: csr_array, labels: np.ndarray, resolution: float, *, rng: np.random.Generator
) -> tuple[Level, ...]:
    """Return nested levels, from coarse to fine, one of which is the partition given.

    Communities join for the coarser levels, while halving the resolution still joins
    some; for the finer ones, nodes are partitioned anew within each community.
    """
    levels = [(resolution, labels)]
    gamma = resolution
    for _ in range(_COARSER):
        gamma /= 2
        finer = relabel_by_appearance(levels[0][1])
        small = contracted(graph, finer)
        joined = climb(small, np.arange(small.shape[0]), gamma, rng=rng)
        if joined.max() + 1 == small.shape[0]:
            break
        levels.insert(0, (gamma, joined[finer]))
    gamma = resolution
    for _ in range(_FINER_OF_LARGE if graph.nnz >= 2 * _LARGE else _FINER):
        gamma *= 2
        levels.append((gamma, _within(graph, levels[-1][1], gamma, rng)))
    return tuple(
        Level(gamma, relabel_by_appearance(found), modularity(graph, found))
        for gamma, found in levels
    )


def _within(
    graph: csr_array, bounds: np.ndarray, resolution: float, rng: np.random.Generator
) -> np.ndarray:
    """Return finer communities that do not cross the bounds."""
    alone = np.arange(bounds.size)
    found = climb(graph, alone, resolution, rng=rng, bounds=bounds)
    return split_by_links(graph, found)


def with_number(
    graph: csr_array,
    tree: tuple[Level, ...],
    n_communities: int,
    resolution: float,
    *,
    rng: np.random.Generator,
) -> np.ndarray:
    """Return a partition into as many communities as asked for.

    Starts from the coarsest level of the tree that has as many or more, joins
    communities at the least loss of modularity, and then moves single nodes.
    """
    enough = [level for level in tree if level.n_communities >= n_communities]
    start = enough[0].labels if enough else tree[-1].labels
    gamma = tree[-1].resolution
    while start.max() + 1 < n_communities:
        gamma *= 2
        finer = _within(graph, start, gamma, rng)
        if gamma > graph.shape[0] * resolution:
            finer = np.arange(graph.shape[0], dtype=LABEL_DTYPE)
        start = finer
    joined = merged(contracted(graph, start), n_communities, resolution)[start]
    return settled(graph, joined, resolution, rng=rng)
