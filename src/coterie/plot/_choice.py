"""The curves behind the choice of k, from the result of ``choose_k``."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._colors import cluster_colors
from coterie._docs import fill_doc
from coterie.ensemble._alignment import relabel_by_appearance
from coterie.plot._style import axes, color_rows, tidy

_ACCENT = "#0072B2"
_CHOSEN = "#D55E00"


def cdf_data(choice: Any) -> dict[str, np.ndarray]:
    """Return the distribution of the consensus values for each k.

    ``k`` (n_k,); ``grid`` (g,), consensus values; ``cdf`` (n_k, g), the share of pairs
    of samples at or below each.
    """
    return {
        "k": np.asarray(choice.k_values),
        "grid": np.asarray(choice.cdf_grid),
        "cdf": np.asarray(choice.cdf),
    }


@fill_doc
def cdf(choice: Any, *, ax: Any = None) -> Any:
    """Draw the distribution of the consensus values for each k.

    A flat middle is good: pairs of samples are together always or never.

    Parameters
    ----------
    %(plot_choice)s
    %(plot_ax)s

    Examples
    --------
    %(choice_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.cdf(choice, ax=Figure().subplots()).get_title()
    'Consensus CDF'
    """
    data = cdf_data(choice)
    ax = axes(ax)
    from matplotlib import colormaps

    shades = colormaps["viridis"](np.linspace(0.0, 0.9, len(data["k"])))
    for k, curve, shade in zip(data["k"], data["cdf"], shades, strict=True):
        chosen = k == choice.n_clusters
        ax.plot(
            data["grid"],
            curve,
            color=_CHOSEN if chosen else shade,
            linewidth=2.6 if chosen else 1.3,
            zorder=3 if chosen else 2,
            label=f"{k}, chosen" if chosen else f"{k}",
        )
    ax.legend(
        title="k",
        frameon=False,
        fontsize=8,
        loc="center left",
        bbox_to_anchor=(1.01, 0.5),
        ncols=1 + (len(data["k"]) - 1) // 16,
    )
    ax.set(xlim=(0, 1), ylim=(0, 1.02), ylabel="share of pairs")
    ax.set_xlabel("share of members that put two samples together")
    ax.set_title("Consensus CDF", fontsize=11)
    return tidy(ax, grid="both")


@fill_doc
def delta_area(choice: Any, *, ax: Any = None) -> Any:
    """Draw how much the area under the CDF grows with each k.

    Parameters
    ----------
    %(plot_choice)s
    %(plot_ax)s

    Examples
    --------
    %(choice_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.delta_area(choice, ax=Figure().subplots()).get_title()
    'Delta area'
    """
    return _line(choice, "delta_area", "relative change of the area", "Delta area", ax)


@fill_doc
def pac(choice: Any, *, ax: Any = None) -> Any:
    """Draw the proportion of ambiguously clustered pairs for each k; low is good.

    Parameters
    ----------
    %(plot_choice)s
    %(plot_ax)s

    Examples
    --------
    %(choice_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.pac(choice, ax=Figure().subplots()).get_title()
    'PAC'
    """
    return _line(choice, "pac", "share of ambiguous pairs", "PAC", ax)


def curve_data(choice: Any, name: str) -> dict[str, np.ndarray]:
    """Return ``k`` and the curve of that name, (n_k,) each."""
    if name not in choice.curves:
        raise ValueError(
            f"This choice of k has no curve {name!r}; it has "
            f"{', '.join(choice.curves)}."
        )
    return {"k": np.asarray(choice.k_values), name: np.asarray(choice.curves[name])}


def _line(choice: Any, name: str, label: str, title: str, ax: Any) -> Any:
    data = curve_data(choice, name)
    ax = axes(ax, (5.0, 3.6))
    ax.plot(data["k"], data[name], "o-", color=_ACCENT, markersize=5)
    at = np.flatnonzero(data["k"] == choice.n_clusters)
    if at.size:  # empty if the answer was "no clusters"
        beside = data[name][max(at[0] - 1, 0) : at[0] + 2]
        valley = data[name][at[0]] <= np.nanmin(beside)
        ax.plot(data["k"][at], data[name][at], "o", color=_CHOSEN, markersize=10)
        ax.annotate(
            "chosen",
            (data["k"][at[0]], data[name][at[0]]),
            xytext=(0, -16 if valley else 10),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            color=_CHOSEN,
        )
    ax.margins(y=0.18)
    ax.set_xticks(data["k"][:: 1 + len(data["k"]) // 20])
    ax.set(xlabel="number of clusters k", ylabel=label)
    ax.set_title(title, fontsize=11)
    return tidy(ax, grid="y")


def tracking_data(choice: Any) -> dict[str, np.ndarray]:
    """Return the cluster of each sample for each k, numbered alike from k to k.

    ``k`` (n_k,); ``labels`` (n_k, n), where a cluster keeps its number from one k to
    the next if most of its samples stay; ``samples`` (n,), the columns in the order of
    the clusters.
    """
    labels = np.asarray(choice.labels)
    matched = [relabel_by_appearance(labels[0])]
    for row in labels[1:]:
        matched.append(_kept_numbers(row, matched[-1]))
    aligned = np.array(matched)
    order = np.lexsort(aligned)  # the last k sorts first
    return {
        "k": np.asarray(choice.k_values),
        "labels": aligned[:, order],
        "samples": np.asarray(choice.samples)[order],
    }


def _kept_numbers(labels: np.ndarray, before: np.ndarray) -> np.ndarray:
    """Renumber labels so that clusters keep their number where most samples stay."""
    from scipy.optimize import linear_sum_assignment

    codes = relabel_by_appearance(labels)
    k = int(codes.max()) + 1
    table = np.zeros((k, int(before.max()) + 1))
    np.add.at(table, (codes, before), 1)
    rows, columns = linear_sum_assignment(table, maximize=True)
    number = np.full(k, -1)
    number[rows] = columns
    free = np.setdiff1d(np.arange(k + table.shape[1]), columns)
    number[number < 0] = free[: np.sum(number < 0)]
    return number[codes]


@fill_doc
def tracking(choice: Any, *, ax: Any = None) -> Any:
    """Draw the cluster of each sample for each k.

    Samples that change colour from row to row have no stable cluster.

    Parameters
    ----------
    %(plot_choice)s
    %(plot_ax)s

    Examples
    --------
    %(choice_to_draw)s
    >>> from matplotlib.figure import Figure
    >>> plot.tracking(choice, ax=Figure().subplots()).get_title()
    'Tracking of samples over k'
    """
    data = tracking_data(choice)
    ax = axes(ax, (7.0, 1.2 + 0.28 * len(data["k"])))
    colors = cluster_colors(int(data["labels"].max()) + 1)
    ax.imshow(
        color_rows(colors, data["labels"]), aspect="auto", interpolation="nearest"
    )
    ax.set_yticks(range(len(data["k"])), [str(k) for k in data["k"]])
    for row in range(1, len(data["k"])):
        ax.axhline(row - 0.5, color="white", linewidth=1.5)
    for tick in np.flatnonzero(data["k"] == choice.n_clusters):
        ax.get_yticklabels()[tick].set(color=_CHOSEN, fontweight="bold")
    ax.set(xticks=[], ylabel="k", xlabel=f"{data['samples'].size:,} samples")
    ax.set_title("Tracking of samples over k", fontsize=11)
    ax.spines[:].set_visible(False)
    return ax
