"""Plots of the kinds of a panel: how they agree, and which clusters they see."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._docs import fill_doc
from coterie.answers import explain
from coterie.answers._kinds import SEEN, Kinds
from coterie.plot._style import INK, axes, share_text, tidy

_MOST_NUMBERS = 500  # cells of a matrix that hold their numbers
_PALE = "#cfe0ee"


def _kinds_of(source: Any, who: str) -> Kinds:
    found = explain(source).by_kind
    if found is None:
        raise ValueError(
            f"{who} needs the kinds of a panel, which this result does not have: its "
            "members were combined all at once. Draw member_agreement instead, or fit "
            "a panel."
        )
    return found


def kinds_data(source: Any) -> dict[str, Any]:
    """Return how the clusterings of the groups agree, similar ones side by side.

    ``ari`` (G, G); ``names``, ``weight``, ``steadiness`` and ``agreement`` (the ARI
    with the result), (G,) each; ``groups`` (G,), their rows in the table of kinds.
    """
    found = _kinds_of(source, "kinds")
    order = found.order
    return {
        "ari": found.agreement[np.ix_(order, order)],
        "names": [found.names[g] for g in order],
        "weight": found.weight[order],
        "steadiness": found.steadiness[order],
        "agreement": found.with_result[order],
        "groups": order,
    }


@fill_doc
def kinds(source: Any, *, ax: Any = None) -> Any:
    """Draw how the kinds of a panel agree, with the weight and steadiness of each.

    The members of one kind on one view of the data are a group, which is first
    combined by itself; this is the agreement of the clusterings of the groups.

    Parameters
    ----------
    source : fitted system or Explanation
        With kinds, as from a panel.
    %(plot_ax)s

    Examples
    --------
    %(panel_to_draw)s
    >>> plot.kinds(found, ax=Figure().subplots()).get_title()
    'Agreement of kinds (ARI)'
    """
    data = kinds_data(source)
    G = len(data["names"])
    ax = axes(ax, (3.6 + 0.48 * G, 2.2 + 0.27 * G))
    _matrix(ax, data["ari"])
    ax.set_yticks(range(G), data["names"], fontsize=8)
    ax.set_xticks(range(G), data["names"], fontsize=8, rotation=90)
    width = 1.0 + 0.16 * G
    columns = {
        "weight": data["weight"],
        "steadiness": data["steadiness"],
        "with result": data["agreement"],
    }
    for at, (name, values) in enumerate(columns.items()):
        _bars(ax, G - 0.2 + at * width, width, name, values)
    ax.set_xlim(-0.5, G - 0.2 + len(columns) * width)
    ax.set_title("Agreement of kinds (ARI)", fontsize=11, pad=16)
    ax.spines["bottom"].set_visible(False)
    return tidy(ax)


def seen_by_data(source: Any) -> dict[str, Any]:
    """Return how well each group sees each cluster.

    ``overlap`` (k, G), the Jaccard index of the cluster and the most similar one of the
    group's own clustering; ``seen`` (k,), how many of these exceed 0.5; ``names`` (G,),
    the groups in the order of :func:`kinds`; ``groups`` (G,), their rows in the table
    of kinds.
    """
    found = _kinds_of(source, "seen_by")
    order = found.order
    return {
        "overlap": found.overlap[:, order],
        "seen": found.seen.sum(axis=1),
        "names": [found.names[g] for g in order],
        "groups": order,
    }


@fill_doc
def seen_by(source: Any, *, ax: Any = None) -> Any:
    """Draw how well each kind of a panel, on each view, sees each cluster.

    A cluster that all kinds see is in the data; one that a single kind sees may be an
    artefact of the method. A group sees a cluster if one of its own clusters has a
    Jaccard index above 0.5 with it (bold).

    Parameters
    ----------
    source : fitted system or Explanation
        With kinds, as from a panel.
    %(plot_ax)s

    Examples
    --------
    %(panel_to_draw)s
    >>> plot.seen_by(found, ax=Figure().subplots()).get_title()
    'Which kinds see which clusters (Jaccard index)'
    """
    data = seen_by_data(source)
    k, G = data["overlap"].shape
    ax = axes(ax, (2.8 + 0.32 * G, 2.2 + 0.27 * min(k, 60)))
    _matrix(ax, data["overlap"], bold=SEEN)
    step = 1 + (k - 1) // 60
    ax.set_yticks(range(0, k, step), [str(c) for c in range(0, k, step)], fontsize=8)
    ax.set_xticks(range(G), data["names"], fontsize=8, rotation=90)
    ax.set_ylabel("cluster")
    for cluster in range(0, k, step):
        text = f"{data['seen'][cluster]} of {G}"
        ax.text(G - 0.3, cluster, text, va="center", fontsize=8, color=INK)
    ax.text(G - 0.3, -0.7, "seen by", va="bottom", fontsize=8, color=INK)
    ax.set_title("Which kinds see which clusters (Jaccard index)", fontsize=11, pad=16)
    ax.spines["bottom"].set_visible(False)
    return tidy(ax)


def _matrix(ax: Any, shares: np.ndarray, bold: float | None = None) -> None:
    """Draw shares as a heat map, with their numbers if there is room."""
    ax.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    if shares.size > _MOST_NUMBERS:
        return
    for (i, j), value in np.ndenumerate(shares):
        ax.text(
            j,
            i,
            share_text(value),
            ha="center",
            va="center",
            fontsize=7,
            color="white" if value > 0.55 else INK,
            fontweight="bold" if bold is not None and value > bold else "normal",
        )


def _bars(ax: Any, left: float, width: float, name: str, values: np.ndarray) -> None:
    """Draw a bar and a number for each row, to the right of a matrix."""
    rows = range(len(values))
    lengths = 0.9 * width * np.maximum(values, 0.0) / max(values.max(), 1e-12)
    ax.barh(rows, lengths, 0.7, left=left, color=_PALE)
    for row, value in zip(rows, values, strict=True):
        ax.text(left + 0.1, row, share_text(value), va="center", fontsize=7, color=INK)
    ax.text(left, -0.7, name, va="bottom", fontsize=8, color=INK)
