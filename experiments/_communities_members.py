"""Members of other kinds in the consensus of communities."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from unittest.mock import patch

import igraph
import numpy as np
from scipy.sparse import csr_array, triu

from coterie.applications import _graph_consensus, communities

ALONE = "Leiden alone"
_EVERY = 4  # one member of so many is of the other kind
_MOST_MBN = 30  # communities


def _igraph(graph: csr_array) -> igraph.Graph:
    half = triu(graph).tocoo()
    return igraph.Graph(graph.shape[0], np.column_stack([half.row, half.col]))


def _louvain(graph: csr_array, seed: int) -> list[int]:
    return _igraph(graph).community_multilevel().membership


def _label_propagation(graph: csr_array, seed: int) -> list[int]:
    return _igraph(graph).community_label_propagation().membership


def _infomap(graph: csr_array, seed: int) -> list[int]:
    return _igraph(graph).community_infomap(trials=1).membership


def _walktrap(graph: csr_array, seed: int) -> list[int]:
    return _igraph(graph).community_walktrap().as_clustering().membership


def _mbn(graph: csr_array, seed: int) -> np.ndarray:
    found = communities(
        graph,
        (2, _MOST_MBN),
        method="mbn",
        n_members=1,
        n_clusterings=50,
        classes=(20,),
        random_state=seed,
        n_jobs=1,
    )
    return found.labels


KINDS: dict[str, Callable[[csr_array, int], object] | None] = {
    ALONE: None,
    "Louvain": _louvain,
    "label propagation": _label_propagation,
    "Infomap": _infomap,
    "Walktrap": _walktrap,
    "MBN": _mbn,
}


@contextmanager
def also(kind: str) -> Iterator[None]:
    """Let every fourth member be of another kind (all of them unweighted)."""
    make, leiden = KINDS[kind], _graph_consensus._member
    if make is None:
        yield
        return

    def member(graph, resolutions, number, rng) -> np.ndarray:
        if number % _EVERY != 2:
            return leiden(graph, resolutions, number, rng)
        seed = int(rng.integers(2**31))
        random.seed(seed)  # igraph draws from it
        return np.asarray(make(graph, seed), dtype=np.int32)

    with patch.object(_graph_consensus, "_member", member):
        yield
