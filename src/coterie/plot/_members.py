"""Plots of the members: their agreement, their quality, where their clusters went."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from coterie._colors import cluster_colors
from coterie._docs import fill_doc
from coterie._linalg import linkage
from coterie.answers import explain
from coterie.ensemble._votes import cluster_counts
from coterie.plot._style import INK, axes, tidy

_GAP = 0.02  # between the clusters of an alluvial plot, as a share of all samples


def member_agreement_data(source: Any) -> dict[str, np.ndarray]:
    """Return the NMI of each pair of members, similar ones side by side.

    ``nmi`` (M, M), in dendrogram order; ``members`` (M,), their indices.
    """
    A = explain(source).agreement
    order = np.arange(len(A))
    if len(A) > 2:
        from scipy.cluster.hierarchy import leaves_list

        order = leaves_list(linkage(1.0 - A[np.triu_indices(len(A), k=1)]))
    return {"nmi": A[np.ix_(order, order)], "members": order}


@fill_doc
def member_agreement(source: Any, *, ax: Any = None) -> Any:
    """Draw the NMI of each pair of members.

    Parameters
    ----------
    %(plot_source)s
    %(plot_ax)s

    Examples
    --------
    %(model_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.member_agreement(model, ax=Figure().subplots()).get_title()
    'Agreement of members, similar ones side by side'
    """
    data = member_agreement_data(source)
    ax = axes(ax, (5.6, 4.8))
    M = len(data["members"])
    image = ax.imshow(data["nmi"], cmap="cividis", vmin=0, vmax=1)
    step = 1 + (M - 1) // 12
    places = np.arange(0, M, step)
    names = [str(m) for m in data["members"][::step]]
    ax.set_xticks(places, names, fontsize=8)
    ax.set_yticks(places, names, fontsize=8)
    ax.set(xlabel="member", ylabel="member")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8)
    bar.set_label("NMI")
    bar.outline.set_visible(False)
    ax.set_title("Agreement of members, similar ones side by side", fontsize=11)
    return tidy(ax)


def quality_diversity_data(source: Any) -> dict[str, np.ndarray]:
    """Return ``quality``, ``diversity`` and ``n_clusters`` of the members, (M,)."""
    table = explain(source).members
    return {name: table[name] for name in ("quality", "diversity", "n_clusters")}


@fill_doc
def quality_diversity(source: Any, *, ax: Any = None) -> Any:
    """Draw the quality of each member against its diversity.

    Parameters
    ----------
    %(plot_source)s
    %(plot_ax)s

    Examples
    --------
    %(model_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.quality_diversity(model, ax=Figure().subplots()).get_title()
    'Members'
    """
    data = quality_diversity_data(source)
    ax = axes(ax, (5.6, 4.2))
    dots = ax.scatter(
        data["diversity"],
        data["quality"],
        c=data["n_clusters"],
        cmap="viridis_r",
        s=32,
        edgecolors="white",
        linewidths=0.5,
    )
    bar = ax.figure.colorbar(dots, ax=ax, shrink=0.8)
    bar.set_label("number of clusters")
    bar.ax.yaxis.get_major_locator().set_params(integer=True)
    bar.outline.set_visible(False)
    ax.set_xlabel("diversity: 1 - mean NMI with the others")
    ax.set_ylabel("quality: NMI with the result")
    ax.set_title("Members", fontsize=11)
    return tidy(ax, grid="both")


def alluvial_data(source: Any, members: Sequence[int] = (0,)) -> dict[str, Any]:
    """Return how samples flow from the clusters of some members to the result.

    ``names`` of the columns; ``tables``, for each pair of adjacent columns how many
    samples go from each cluster to each, in drawing order; ``reaches``, of the same
    shapes, the cluster of the result that most of these samples reach; ``orders``, the
    clusters of each column from top to bottom. Missing labels are left out of a
    member's tables.
    """
    found = explain(source)
    columns = [found.ensemble.labels[:, j] for j in members]
    k_of = [int(found.ensemble.n_clusters_per_member[j]) for j in members]
    columns.append(found.labels)
    k_of.append(int(found.labels.max()) + 1)
    orders = [np.arange(k_of[-1])]
    to_result = cluster_counts(found.ensemble, found.labels)  # (C, k)
    for j in members[::-1]:
        counts = to_result[found.ensemble.offsets[j] : found.ensemble.offsets[j + 1]]
        place = counts @ np.arange(k_of[-1]) / np.maximum(counts.sum(axis=1), 1)
        orders.insert(0, np.argsort(place, kind="stable"))
    tables, reaches = [], []
    for at in range(len(members)):
        both = (columns[at] >= 0) & (columns[at + 1] >= 0)
        counts = np.zeros((k_of[at], k_of[at + 1], k_of[-1]), dtype=np.int64)
        ways = (columns[at][both], columns[at + 1][both], found.labels[both])
        np.add.at(counts, ways, 1)
        counts = counts[np.ix_(orders[at], orders[at + 1])]
        tables.append(counts.sum(axis=2))
        reaches.append(counts.argmax(axis=2))
    names = [str(found.members["name"][j]) for j in members]
    return {
        "names": [*names, "result"],
        "tables": tables,
        "reaches": reaches,
        "orders": orders,
    }


@fill_doc
def alluvial(source: Any, members: Sequence[int] = (0,), *, ax: Any = None) -> Any:
    """Draw how samples flow from the clusters of some members to the result.

    A ribbon has the colour of the final cluster that most of its samples reach.

    Parameters
    ----------
    %(plot_source)s
    members : sequence of int, default=(0,)
        Members in the order of the columns; the result comes last.
    %(plot_ax)s

    Examples
    --------
    %(model_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.alluvial(model, (0, 1), ax=Figure().subplots()).get_title()
    'From members to the result'
    """
    data = alluvial_data(source, members)
    ax = axes(ax, (2.2 + 2.2 * len(members), 4.6))
    colors = cluster_colors(data["tables"][-1].shape[1])
    for at in range(len(members) - 1, -1, -1):
        table, reach = data["tables"][at], data["reaches"][at]
        bottoms = [_stacked(table.sum(axis=1)), _stacked(table.sum(axis=0))]
        for i, j in zip(*np.nonzero(table), strict=True):
            left = bottoms[0][i] + table[i, :j].sum()
            right = bottoms[1][j] + table[:i, j].sum()
            _ribbon(ax, at, left, right, table[i, j], colors[reach[i, j]])
        _blocks(ax, at + 1, table.sum(axis=0), bottoms[1], data["orders"][at + 1])
    first = data["tables"][0].sum(axis=1)
    _blocks(ax, 0, first, _stacked(first), data["orders"][0])
    ax.set_xticks(range(len(data["names"])), data["names"])
    sums = [table.sum(axis=a) for table in data["tables"] for a in (0, 1)]
    end = max(_stacked(heights)[-1] + heights[-1] for heights in sums)
    ax.set(ylim=(1.01 * end, -0.01 * end), yticks=[])
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    ax.set_title("From members to the result", fontsize=11)
    return ax


def _stacked(heights: np.ndarray) -> np.ndarray:
    gap = _GAP * heights.sum() * min(1.0, 12 / max(len(heights), 1))
    return np.cumsum(np.append(0, heights[:-1] + gap))


def _ribbon(
    ax: Any, at: int, left: float, right: float, width: float, color: str
) -> None:
    t = np.linspace(0, 1, 30)
    turn = t * t * (3 - 2 * t)
    top = left + (right - left) * turn
    ax.fill_between(
        at + 0.06 + 0.88 * t, top, top + width, color=color, alpha=0.55, linewidth=0
    )


def _blocks(
    ax: Any, at: int, heights: np.ndarray, bottoms: np.ndarray, names: np.ndarray
) -> None:
    ax.bar(
        np.full(len(heights), at), heights, 0.12, bottom=bottoms, color=INK, zorder=3
    )
    total = heights.sum()
    for name, height, bottom in zip(names, heights, bottoms, strict=True):
        if height > 0.025 * total:
            ax.text(
                at,
                bottom + height / 2,
                str(name),
                ha="center",
                va="center",
                fontsize=7,
                color="white",
                zorder=4,
            )
