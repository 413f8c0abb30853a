"""The picture of `coterie demo`: a map of the digits, the scores, the doubtful ones."""

from __future__ import annotations

from itertools import permutations
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._validation import require

if TYPE_CHECKING:
    from coterie.ensemble import Ensemble

_GROUPS = {
    "start": ("#a3adb8", "k-means"),
    "baseline": ("#d3b84c", "ten lines"),
    "consensus": ("#3a7ca5", "coterie"),
}
_BARS = 12  # of our methods; more would overlap
_DOUBTFUL = 6  # images of each cluster
_JITTER = 0.13
_TITLE = "Handwritten digits, sorted by an ensemble that does not know what they are"
_CAPTION = (
    "Each dot is an image, placed between the clusters that the members vote for: at "
    "the rim where they agree,\nfurther in where they do not. The frames show the mean "
    "image of each cluster."
)


def draw_digits(
    X: np.ndarray,
    ensemble: Ensemble,
    labels: np.ndarray,
    confidence: np.ndarray,
    bars: list[tuple[str, str, float]],
    method: str,
) -> Any:
    """Return a figure of the clusters of the digits.

    Parameters
    ----------
    X : (N, 64) array
        Images of 8 x 8.
    ensemble : Ensemble
    labels, confidence : (N,) arrays
    bars : list of (group, name, score)
    method : str
        Whose labels they are.
    """
    require("matplotlib")
    from matplotlib.figure import Figure

    from coterie.plot._style import cluster_colors, color_rows

    figure = Figure(figsize=(14, 7.8), facecolor="white")
    figure.text(0.02, 0.945, _TITLE, fontsize=17, fontweight="bold")
    figure.text(0.02, 0.915, _CAPTION, fontsize=11, va="top", color="#444444")
    k = int(labels.max()) + 1
    colors = color_rows(cluster_colors(k), np.arange(k))  # (k, 3)
    shares = _shares(ensemble, labels)
    _map(figure.add_axes((0.0, 0.0, 0.55, 0.87)), X, labels, shares, colors)
    _scores(figure.add_axes((0.66, 0.5, 0.32, 0.34)), bars, method)
    _doubtful(figure, X, labels, confidence, colors)
    return figure


def _shares(ensemble: Ensemble, labels: np.ndarray) -> np.ndarray:
    """Return how far the members vote for each cluster, (N, k); rows sum to one."""
    from coterie.ensemble import cluster_shares, sample_shares

    shares = cluster_shares(ensemble, labels)
    equal = np.ones(ensemble.n_total_clusters)
    return sample_shares(ensemble.labels, ensemble.offsets, shares, equal)


def _ring(shares: np.ndarray, labels: np.ndarray) -> list[int]:
    """Return the clusters in an order that makes confused ones neighbours."""
    k = shares.shape[1]
    mixed = np.array([shares[labels == c].mean(axis=0) for c in range(k)])  # (k, k)
    mixed = mixed + mixed.T
    ring = [0, 1, 2][:k]
    for cluster in range(3, k):  # where it stands best between two others
        gains = []
        for place in range(len(ring)):
            a, b = ring[place - 1], ring[place]
            gains.append(mixed[a, cluster] + mixed[b, cluster] - mixed[a, b])
        ring.insert(int(np.argmax(gains)), cluster)
    return _improved(ring, mixed)


def _improved(ring: list[int], mixed: np.ndarray) -> list[int]:
    """Swap pairs as long as neighbours come closer."""

    def closeness(order: list[int]) -> float:
        return float(mixed[order, np.roll(order, 1)].sum())

    better = True
    while better:
        better = False
        for a, b in permutations(range(len(ring)), 2):
            other = ring.copy()
            other[a], other[b] = other[b], other[a]
            if closeness(other) > closeness(ring) + 1e-12:
                ring, better = other, True
    return ring


def _map(
    ax: Any,
    X: np.ndarray,
    labels: np.ndarray,
    shares: np.ndarray,
    colors: np.ndarray,
) -> None:
    """Draw each image between the clusters that the members vote for."""
    from matplotlib.offsetbox import AnnotationBbox, OffsetImage

    k = shares.shape[1]
    angle = np.empty(k)
    angle[_ring(shares, labels)] = np.pi / 2 - 2 * np.pi * np.arange(k) / k
    anchors = np.column_stack([np.cos(angle), np.sin(angle)])  # (k, 2)
    rng = np.random.default_rng(0)
    turn = rng.uniform(0, 2 * np.pi, len(labels))
    jitter = _JITTER * np.sqrt(rng.uniform(0, 1, len(labels)))
    points = shares @ anchors
    points += jitter[:, None] * np.column_stack([np.cos(turn), np.sin(turn)])
    ax.scatter(*points.T, c=colors[labels], s=14, alpha=0.6, linewidths=0)
    for cluster, color in enumerate(colors):
        image = X[labels == cluster].mean(axis=0).reshape(8, 8)
        frame = {"edgecolor": color, "linewidth": 3, "boxstyle": "round,pad=0.15"}
        box = AnnotationBbox(
            OffsetImage(image, zoom=4.6, cmap="gray_r", interpolation="bicubic"),
            tuple(1.33 * anchors[cluster]),
            bboxprops=frame,
        )
        ax.add_artist(box)
    ax.set(xlim=(-1.62, 1.62), ylim=(-1.62, 1.62), aspect="equal")
    ax.set_axis_off()


def _scores(ax: Any, bars: list[tuple[str, str, float]], method: str) -> None:
    """Draw the agreement with the true digits as one bar for each method."""
    from matplotlib.patches import Patch

    n_all = len(bars)
    bars = _some(sorted(bars, key=lambda bar: bar[2]), method)
    values = [value for _, _, value in bars]
    names = [name for _, name, _ in bars]
    ax.barh(names, values, color=[_GROUPS[group][0] for group, _, _ in bars])
    for place, (name, value) in enumerate(zip(names, values, strict=True)):
        weight = "bold" if name == method else "normal"
        text = f"{value:.3f}" + ("  (shown)" if name == method else "")
        ax.text(value + 0.01, place, text, va="center", fontsize=9, weight=weight)
    ax.set_xlim(0, 1.25)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1])
    title = "Agreement with the true digits (NMI)"
    if len(bars) < n_all:
        title += f", {len(bars)} of {n_all}"
    ax.set_title(title, fontsize=11.5, loc="left")
    ax.tick_params(labelsize=9, length=0)
    ax.spines[["top", "right", "left"]].set_visible(False)
    handles = [Patch(color=color, label=label) for color, label in _GROUPS.values()]
    ax.legend(handles=handles, frameon=False, fontsize=9, loc="lower right")


def _some(bars: list[tuple[str, str, float]], method: str) -> list[Any]:
    """Keep what all are compared with, the one shown, and others from worst to best."""
    ours = [bar for bar in bars if bar[0] == "consensus" and bar[1] != method]
    if len(ours) <= _BARS:
        return bars
    last = len(ours) - 1
    dropped = set(ours) - {ours[i * last // (_BARS - 1)] for i in range(_BARS)}
    return [bar for bar in bars if bar not in dropped]


def _doubtful(
    figure: Any,
    X: np.ndarray,
    labels: np.ndarray,
    confidence: np.ndarray,
    colors: np.ndarray,
) -> None:
    """Draw the images of each cluster of which the ensemble is least sure."""
    left, bottom, width, height = 0.575, 0.03, 0.405, 0.385
    grid = figure.add_gridspec(
        _DOUBTFUL,
        len(colors),
        left=left,
        bottom=bottom,
        right=left + width,
        top=bottom + height,
        wspace=0.12,
        hspace=0.12,
    )
    figure.text(
        left, bottom + height + 0.015, "Least sure in each cluster", fontsize=11.5
    )
    for cluster, color in enumerate(colors):
        inside = np.flatnonzero(labels == cluster)
        least = inside[np.argsort(confidence[inside], kind="stable")][:_DOUBTFUL]
        for row, sample in enumerate(least):
            ax = figure.add_subplot(grid[row, cluster])
            ax.imshow(X[sample].reshape(8, 8), cmap="gray_r", interpolation="bicubic")
            ax.set(xticks=[], yticks=[])
            for spine in ax.spines.values():
                spine.set(edgecolor=color, linewidth=2)
