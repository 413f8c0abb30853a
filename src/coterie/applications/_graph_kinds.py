"""Members of other kinds than Leiden's, for the consensus of communities."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.sparse import csr_array, triu

from coterie._linalg import climb
from coterie._typing import LABEL_DTYPE
from coterie._validation import require
from coterie.applications._graph_networks import network_communities

EVERY = 4  # one member of so many is of another kind
_MBN_CLUSTERINGS, _MBN_CLASSES, _MBN_COMMUNITIES = 50, (20,), 30
_igraph_draws = threading.Lock()  # it has one source of random numbers


def _louvain(
    graph: csr_array, resolution: float, rng: np.random.Generator
) -> np.ndarray:
    return climb(graph, np.arange(graph.shape[0]), resolution, rng=rng)


def _by_igraph(find: Callable[[Any], Any]) -> Callable[..., np.ndarray]:
    """Return a member that hands the graph, with weights, to a method of igraph."""

    def member(
        graph: csr_array, resolution: float, rng: np.random.Generator
    ) -> np.ndarray:
        igraph = require("igraph")
        half = triu(graph).tocoo()
        links = igraph.Graph(graph.shape[0], np.column_stack([half.row, half.col]))
        links.es["weight"] = half.data.tolist()
        source = random.Random(int(rng.integers(2**31)))
        with _igraph_draws:
            igraph.set_random_number_generator(source)
            try:
                found = find(links)
            finally:
                igraph.set_random_number_generator(random)
        return np.array(found.membership)

    return member


def _mbn(graph: csr_array, resolution: float, rng: np.random.Generator) -> np.ndarray:
    n = graph.shape[0]
    found = network_communities(
        graph,
        (min(2, n), min(_MBN_COMMUNITIES, n)),
        n_members=1,
        n_clusterings=_MBN_CLUSTERINGS,
        classes=_MBN_CLASSES,
        bottom_layer="nearest",
        select=False,
        seed=np.random.SeedSequence(int(rng.integers(2**31))),
        n_jobs=1,
        progress=None,
    )
    return found.labels


_KINDS: dict[str, Callable[..., np.ndarray]] = {
    "louvain": _louvain,
    "label propagation": _by_igraph(
        lambda links: links.community_label_propagation(weights="weight")
    ),
    "infomap": _by_igraph(
        lambda links: links.community_infomap(edge_weights="weight", trials=1)
    ),
    "walktrap": _by_igraph(
        lambda links: links.community_walktrap(weights="weight").as_clustering()
    ),
    "mbn": _mbn,
}
KINDS = tuple(_KINDS)


def other_member(
    kind: str, graph: csr_array, resolution: float, rng: np.random.Generator
) -> np.ndarray:
    """Return the communities by a method other than Leiden's, (n,) labels from 0."""
    return _KINDS[kind](graph, resolution, rng).astype(LABEL_DTYPE)
