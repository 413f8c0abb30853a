"""The consensus matrix, and the consensus of items and clusters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from coterie._colors import cluster_colors
from coterie._docs import fill_doc
from coterie._linalg import linkage
from coterie.answers import explain
from coterie.ensemble import Ensemble
from coterie.plot._style import (
    INK,
    axes,
    cluster_legend,
    color_rows,
    draw_samples,
    said,
    tidy,
)

_BAND = 0.035  # height of an annotation band, relative to the matrix
_TREE = 0.16


def consensus_matrix_data(source: Any, *, max_samples: int = 500) -> dict[str, Any]:
    """Return the consensus matrix in dendrogram order.

    ``matrix`` (n, n), the share of members that put two samples together; ``samples``
    (n,), their indices; ``labels`` (n,), their clusters; ``linkage`` (n - 1, 4), the
    tree of the samples before reordering; ``n_samples``, the number before subsampling.
    """
    found = explain(source)
    chosen = draw_samples(found.labels, max_samples)
    part = Ensemble(list(found.ensemble.labels[chosen].T))
    S = part.coassociation().astype(np.float64)
    Z = np.empty((0, 4))
    order = np.arange(chosen.size)
    if chosen.size > 1:
        from scipy.cluster.hierarchy import leaves_list

        apart = 1.0 - S[np.triu_indices(chosen.size, k=1)]
        Z = linkage(np.maximum(apart, 0.0))  # rounding, where labels are missing
        order = leaves_list(Z)
    return {
        "matrix": S[np.ix_(order, order)],
        "samples": chosen[order],
        "labels": found.labels[chosen[order]],
        "linkage": Z,
        "n_samples": found.labels.size,
    }


@fill_doc
def consensus_matrix(
    source: Any,
    *,
    max_samples: int = 500,
    annotations: Mapping[str, Any] | None = None,
    ax: Any = None,
) -> Any:
    """Draw how often two samples are clustered together, with dendrogram and clusters.

    Parameters
    ----------
    %(plot_source)s
    max_samples : int, default=500
        Larger data are subsampled to this size, in proportion from each cluster.
    annotations : mapping of str to (n_samples,) array, default=None
        Further bands above the matrix: classes (strings or integers) or quantities.
    %(plot_ax)s

    Examples
    --------
    %(model_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.consensus_matrix(model, ax=Figure().subplots()).get_title()
    'Consensus matrix'
    """
    data = consensus_matrix_data(source, max_samples=max_samples)
    n = data["labels"].size
    ax = axes(ax, (6.4, 6.0))
    image = ax.imshow(
        data["matrix"],
        cmap="Blues",
        vmin=0,
        vmax=1,
        extent=(0, n, n, 0),
        interpolation="nearest" if n <= 600 else "antialiased",
    )
    k = int(explain(source).labels.max()) + 1
    bands = {"cluster": color_rows(cluster_colors(k), data["labels"])}
    for name, values in (annotations or {}).items():
        bands[name] = _band(np.asarray(values)[data["samples"]])
    top = 0.0
    for name, colors in bands.items():
        bottom, top = top - 0.012 * n, top - (0.012 + _BAND) * n
        ax.imshow(colors[None], extent=(0, n, bottom, top), aspect="auto")
        ax.text(1.01 * n, (bottom + top) / 2, name, va="center", fontsize=8)
    if n > 1:
        _draw_tree(ax, data["linkage"], n, top - 0.01 * n)
        top -= (_TREE + 0.01) * n
    ax.set(xlim=(0, n), ylim=(n, top), xticks=[], yticks=[], aspect="equal")
    ax.spines[:].set_visible(False)
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.5, pad=0.08)
    bar.set_label("share of members that put\ntwo samples together", fontsize=8)
    bar.ax.tick_params(labelsize=8)
    bar.outline.set_visible(False)
    ax.set_title(f"Consensus matrix{said(n, data['n_samples'])}", fontsize=11)
    return ax


def _band(values: np.ndarray) -> np.ndarray:
    """Return a colour for each class, or shades of grey for floats."""
    if values.dtype.kind == "f":
        low, high = np.nanmin(values), np.nanmax(values)
        shade = 1.0 - 0.85 * (values - low) / max(high - low, 1e-12)
        return np.repeat(np.nan_to_num(shade, nan=1.0)[:, None], 3, axis=1)
    codes = np.unique(values.astype(str), return_inverse=True)[1].ravel()
    return color_rows(cluster_colors(int(codes.max()) + 1), codes)


def _draw_tree(ax: Any, Z: np.ndarray, n: int, base: float) -> None:
    from matplotlib.collections import LineCollection
    from scipy.cluster.hierarchy import dendrogram

    tree = dendrogram(Z, no_plot=True)
    # SciPy puts leaf i at 10 i + 5
    x = np.array(tree["icoord"]) / 10.0
    y = base - np.array(tree["dcoord"]) / max(Z[-1, 2], 1e-12) * _TREE * n
    lines = LineCollection(list(np.stack([x, y], axis=2)), colors=INK, linewidths=0.6)
    ax.add_collection(lines)


def item_consensus_data(source: Any, *, max_samples: int = 300) -> dict[str, Any]:
    """Return how often each sample goes with the samples of each cluster.

    ``items`` (n, k), sorted by cluster and descending within each; ``samples`` (n,),
    their indices; ``labels`` (n,); ``n_samples``, the number before subsampling.
    """
    found = explain(source)
    chosen = draw_samples(found.labels, max_samples)
    items, labels = found.items[chosen], found.labels[chosen]
    own = np.nan_to_num(items[np.arange(chosen.size), labels])
    order = np.lexsort((-own, labels))
    return {
        "items": items[order],
        "samples": chosen[order],
        "labels": labels[order],
        "n_samples": found.labels.size,
    }


@fill_doc
def item_consensus(source: Any, *, max_samples: int = 300, ax: Any = None) -> Any:
    """Draw how often each sample is together with the samples of each cluster.

    A bar of a single colour is a sample that belongs clearly to one cluster.

    Parameters
    ----------
    %(plot_source)s
    max_samples : int, default=300
        Larger data are subsampled to this size, in proportion from each cluster.
    %(plot_ax)s

    Examples
    --------
    %(model_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.item_consensus(model, ax=Figure().subplots()).get_title()
    'Item-consensus'
    """
    data = item_consensus_data(source, max_samples=max_samples)
    ax = axes(ax, (8.0, 3.6))
    items = np.nan_to_num(data["items"])
    n, k = items.shape
    below = np.zeros(n)
    for cluster, color in enumerate(cluster_colors(k)):
        ax.bar(np.arange(n), items[:, cluster], 1.0, bottom=below, color=color)
        below += items[:, cluster]
    height = -0.04 * max(below.max(), 1e-12)  # a band of colours under the bars
    for cluster, color in enumerate(cluster_colors(k)):
        at = np.flatnonzero(data["labels"] == cluster)
        if at.size:
            ax.bar(at[0] - 0.5, height, at.size, align="edge", color=color)
    cluster_legend(ax, k)
    ax.set(xlim=(-0.5, n - 0.5), xticks=[], ylabel="item-consensus (stacked)")
    ax.set_title(f"Item-consensus{said(n, data['n_samples'])}", fontsize=11)
    ax.set_xlabel("samples, by cluster", labelpad=8)
    return tidy(ax, grid="y")


def cluster_consensus_data(source: Any) -> dict[str, np.ndarray]:
    """Return ``cluster``, ``size``, ``cluster_consensus``, ``confidence``, (k,)."""
    table = explain(source).clusters
    names = ("cluster", "size", "cluster_consensus", "confidence")
    return {name: table[name] for name in names}


@fill_doc
def cluster_consensus(source: Any, *, ax: Any = None) -> Any:
    """Draw how often two samples of each cluster are clustered together.

    Parameters
    ----------
    %(plot_source)s
    %(plot_ax)s

    Examples
    --------
    %(model_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.cluster_consensus(model, ax=Figure().subplots()).get_title()
    'Cluster-consensus'
    """
    data = cluster_consensus_data(source)
    k = data["cluster"].size
    ax = axes(ax, (max(4.0, 1.5 + 0.45 * k), 3.6))
    heights = np.nan_to_num(data["cluster_consensus"])
    ax.bar(data["cluster"], heights, color=cluster_colors(k), width=0.75)
    if k <= 20:
        for c, height in enumerate(heights):
            ax.text(c, height + 0.015, f"{height:.2f}", ha="center", fontsize=8)
    ax.set(xlabel="cluster", ylabel="cluster-consensus", ylim=(0, 1.08))
    ax.set_xticks(data["cluster"][:: 1 + k // 25])
    ax.set_title("Cluster-consensus", fontsize=11)
    return tidy(ax, grid="y")
