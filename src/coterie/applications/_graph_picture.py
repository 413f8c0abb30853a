"""A picture of communities: a disc of nodes for each, and the links between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.sparse import coo_array, csr_array, triu

from coterie._display import shortened
from coterie._linalg import contracted
from coterie.plot._style import axes, cluster_colors

_GOLDEN = np.pi * (3.0 - np.sqrt(5.0))  # the angle between the seeds of a sunflower
_MOST_LINKS = 20_000  # drawn one by one
_MOST_DISCS = 300  # the largest communities; smaller ones are left out
_STEPS = 300
_GAP = 1.15  # between discs, in radii
_LINK_COLOR = "#9aa4ad"
_LONGEST_NAME = 24
_MOST_NAMES = 30  # communities up to which the best linked node of each is named


def draw_communities(
    graph: csr_array,
    labels: np.ndarray,
    confidence: np.ndarray | None,
    names: Sequence[Any],
    ax: Any,
) -> Any:
    """Draw the nodes of each community as a disc, and links between the discs.

    Nodes of a community are placed like the seeds of a sunflower, the surest in the
    middle; of up to 30 communities, the node with the most links is named. Of more than
    20,000 links, a random part is drawn, and of more than 300 communities, the largest.
    """
    from matplotlib.collections import LineCollection

    sizes = np.bincount(labels)
    shown = np.sort(np.argsort(-sizes, kind="stable")[:_MOST_DISCS])
    nodes = np.flatnonzero(np.isin(labels, shown))
    graph = csr_array(graph[nodes][:, nodes])
    groups = np.searchsorted(shown, labels[nodes])
    sure = np.ones(nodes.size) if confidence is None else confidence[nodes]
    places = node_places(graph, groups, sure)
    colors = np.array(cluster_colors(shown.size))
    ax = axes(ax, (6.4, 6.0))
    links = coo_array(triu(graph, 1))
    some = np.arange(links.nnz)
    if links.nnz > _MOST_LINKS:
        some = np.random.default_rng(0).choice(links.nnz, _MOST_LINKS, replace=False)
    heads, tails = links.row[some], links.col[some]
    same = groups[heads] == groups[tails]
    faint = float(np.clip(800.0 / max(some.size, 1), 0.12, 0.6))
    ax.add_collection(
        LineCollection(
            np.stack([places[heads], places[tails]], axis=1).tolist(),
            colors=np.where(same, colors[groups[heads]], _LINK_COLOR).tolist(),
            linewidths=0.6,
            alpha=faint,
            zorder=1,
        )
    )
    spot = float(np.clip(6000.0 / nodes.size, 1.0, 60.0))
    ax.scatter(
        *places.T,
        s=spot,
        c=colors[groups],
        alpha=0.25 + 0.75 * sure,
        linewidths=0,
        zorder=2,
    )
    if shown.size <= _MOST_NAMES:
        for node in _best_linked(graph, groups):
            ax.annotate(
                shortened(str(names[int(nodes[node])]), _LONGEST_NAME),
                places[node],
                ha="center",
                va="center",
                size=8,
                zorder=3,
                bbox={
                    "boxstyle": "round,pad=0.2",
                    "fc": "white",
                    "lw": 0,
                    "alpha": 0.8,
                },
            )
    ax.set_aspect("equal")
    ax.set_axis_off()
    return ax


def _best_linked(graph: csr_array, groups: np.ndarray) -> np.ndarray:
    """Return the node of the largest degree in each group, the first of equal ones."""
    degrees = np.asarray(graph.sum(axis=1)).ravel()
    order = np.lexsort((-degrees, groups))
    return order[np.unique(groups[order], return_index=True)[1]]


def node_places(graph: csr_array, groups: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """Return where the nodes are drawn, (n, 2); a unit area for each."""
    sizes = np.bincount(groups)
    centres = _disc_places(contracted(graph, groups), np.sqrt(sizes / np.pi))
    order = np.lexsort((-sure, groups))
    rank = np.empty(groups.size)
    rank[order] = np.arange(groups.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    radius = np.sqrt((rank + 0.5) / np.pi)
    turn = _GOLDEN * rank
    return centres[groups] + radius[:, None] * np.column_stack(
        [np.cos(turn), np.sin(turn)]
    )


def _disc_places(links: csr_array, radii: np.ndarray) -> np.ndarray:
    """Return the centres of discs, (k, 2): linked ones near, none upon another."""
    k = radii.size
    if k == 1:
        return np.zeros((1, 2))
    W = links.toarray()
    np.fill_diagonal(W, 0.0)
    mass = np.sqrt(np.outer(W.sum(axis=1), W.sum(axis=1)))
    W = W / np.where(mass > 0, mass, 1.0)  # (k, k), from 0 to 1
    near = W + 0.1 / k  # a weak link between all keeps components together
    _, vectors = np.linalg.eigh(np.diag(near.sum(axis=1)) - near)
    turn = 2 * np.pi * np.arange(k) / k
    circle = np.column_stack([np.cos(turn), np.sin(turn)])
    spectral = vectors[:, 1:3] if k > 2 else circle
    reach = np.sqrt((radii**2).sum())
    at = reach * (spectral / np.abs(spectral).max() + 0.2 * circle)
    needed = _GAP * (radii[:, None] + radii)
    for step in range(_STEPS):
        pull = (1.0 - step / _STEPS) * (0.1 * W + 0.02 / k)
        apart = at[:, None] - at  # (k, k, 2)
        distance = np.sqrt((apart**2).sum(axis=2)) + np.eye(k)
        overlap = np.maximum(needed - distance, 0.0) * (1.0 - np.eye(k))
        push = 0.5 * overlap / distance - pull * (distance > needed)
        at = at + np.clip((push[:, :, None] * apart).sum(axis=1), -reach, reach)
    return at
