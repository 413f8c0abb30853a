"""Shared by all plots: colours, axes, subsamples."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._colors import cluster_colors
from coterie._validation import require

MISSING = "#D9D9D9"
INK = "#333333"


def color_rows(colors: list[str], labels: np.ndarray) -> np.ndarray:
    """Return the colour of each label as RGB values in [0, 1], (n, 3); -1 is grey."""
    table = np.array(
        [[int(c[i : i + 2], 16) / 255 for i in (1, 3, 5)] for c in [*colors, MISSING]]
    )
    return table[labels]  # -1 takes the last


def draw_samples(labels: np.ndarray, most: int | None) -> np.ndarray:
    """Return at most ``most`` random samples, sorted, in proportion from each cluster.

    No cluster is left out as long as there are fewer clusters than samples drawn.
    """
    n = labels.size
    if most is None or n <= most:
        return np.arange(n)
    order = np.random.default_rng(0).permutation(n)
    # the rank of each sample within its cluster, from 0 to 1: the lowest are kept
    place = np.empty(n)
    sizes = np.bincount(labels)
    for cluster in np.flatnonzero(sizes):
        inside = order[labels[order] == cluster]
        place[inside] = np.arange(inside.size) / inside.size
    return np.sort(np.lexsort((order.argsort(), place))[:most])


def axes(ax: Any, size: tuple[float, float] = (6.0, 4.5)) -> Any:
    """Return the given axes, or those of a new figure."""
    require("matplotlib")
    if ax is not None:
        return ax
    from matplotlib import pyplot

    return pyplot.subplots(figsize=size, layout="constrained")[1]


def tidy(ax: Any, *, grid: str | None = None) -> Any:
    """Remove clutter."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.tick_params(length=3, color="#999999")
    if grid is not None:
        ax.grid(axis=grid, color="#e6e6e6", linewidth=0.8)
        ax.set_axisbelow(True)
    return ax


def cluster_legend(ax: Any, n_clusters: int) -> None:
    """Draw a legend of the clusters to the right of the axes."""
    from matplotlib.patches import Patch

    colors = cluster_colors(n_clusters)
    handles = [Patch(color=color, label=str(c)) for c, color in enumerate(colors)]
    ax.legend(
        handles=handles,
        title="cluster",
        frameon=False,
        fontsize=8,
        title_fontsize=8,
        ncols=1 + (n_clusters - 1) // 16,
        handlelength=1,
        handleheight=1,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
    )


def said(n_shown: int, n_all: int) -> str:
    """Return the part of a title that says how many samples are shown, if not all."""
    return "" if n_shown == n_all else f" ({n_shown:,} of {n_all:,} samples)"


def share_text(value: float) -> str:
    """Return a share in two digits, such as ".84"."""
    text = f"{value:.2f}".replace("-0.00", "0.00")
    return text.replace("0.", ".", 1) if abs(value) < 0.995 else f"{value:.0f}"
