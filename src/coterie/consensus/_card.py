"""The card of a consensus: its clusters, how sure they are, and which are confused."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._cards import (
    MOST_ROWS,
    NOTHING,
    Card,
    bar,
    picture,
    svg,
    swatch,
    table,
    words,
)
from coterie._colors import cluster_colors
from coterie._display import count
from coterie._html import Markup, tag

if TYPE_CHECKING:
    from coterie.consensus._base import ConsensusResult

_BINS = 10
_UNSURE = 0.5  # confidence below which a sample is counted as doubtful
_SIDE = 190  # of the picture
_RING = 66.0  # radius of the ring on which the clusters stand
_LARGEST = 25.0  # radius of the largest cluster
_FAINTEST = 0.02  # share of a cluster's votes below which no line is drawn


@dataclass(frozen=True, eq=False)
class Shown:
    """The clusters that a card shows: all of them, or the ten largest.

    Attributes
    ----------
    n_clusters : int
        Of the whole result.
    names : list
        Their labels.
    sizes : (s,) int array
    confidence : (s,) array or None
        The mean of each.
    histograms : (s, 10) array or None
        Numbers of samples by confidence.
    links : (s, s) array
        The votes of each cluster's samples that went to each other cluster.
    """

    n_clusters: int
    names: list[Any]
    sizes: np.ndarray
    confidence: np.ndarray | None
    histograms: np.ndarray | None
    links: np.ndarray

    @property
    def colors(self) -> list[str]:
        """A colour for each; the plots use the same ones."""
        numbers = [n if isinstance(n, int) and n >= 0 else 0 for n in self.names]
        if self.n_clusters > MOST_ROWS:  # the shades beyond ten look alike
            numbers = list(range(len(self.names)))
        known = cluster_colors(max(numbers, default=0) + 1)
        return [known[n] for n in numbers]

    @classmethod
    def of(cls, result: ConsensusResult) -> Shown:
        """Count what a card shows; linear in the samples."""
        names, codes = _coded(result.labels)
        k = names.size
        sizes = np.bincount(codes, minlength=k)
        chosen = np.sort(np.argsort(-sizes, kind="stable")[:MOST_ROWS])
        if k > MOST_ROWS:
            chosen = chosen[np.argsort(-sizes[chosen], kind="stable")]
        means = histograms = None
        if result.confidence is not None:
            sure = np.nan_to_num(np.asarray(result.confidence, dtype=np.float64))
            means = (np.bincount(codes, sure, minlength=k) / sizes)[chosen]
            bins = (sure * _BINS).astype(np.intp).clip(0, _BINS - 1)
            cells = np.bincount(codes * _BINS + bins, minlength=k * _BINS)
            histograms = cells.reshape(k, _BINS)[chosen]
        links = np.zeros((chosen.size, chosen.size))
        if result.second is not None and result.margin is not None:
            links = _links(codes, result.second, result.margin, chosen, k)
        shown = names[chosen].tolist()
        return cls(k, shown, sizes[chosen], means, histograms, links)


def _coded(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the labels in use, and each sample's position among them."""
    labels = np.asarray(labels)
    if labels.size and labels.dtype.kind in "iu" and labels.min() >= 0:
        k = int(labels.max()) + 1
        if k <= labels.size and np.bincount(labels, minlength=k).all():
            return np.arange(k), labels.astype(np.intp)  # without sorting
    return np.unique(labels, return_inverse=True)


def _links(
    codes: np.ndarray,
    second: np.ndarray,
    margin: np.ndarray,
    chosen: np.ndarray,
    n_clusters: int,
) -> np.ndarray:
    """Return the votes for the runner-up, by cluster and runner-up, (s, s)."""
    place = np.full(n_clusters + 1, -1)  # the last is for "no runner-up"
    place[chosen] = np.arange(chosen.size)
    known = np.where((second >= 0) & (second < n_clusters), second, n_clusters)
    rows, columns = place[codes], place[known]
    kept = (rows >= 0) & (columns >= 0)
    votes = np.nan_to_num((1 - margin[kept]) / 2).clip(0, 1)
    cells = rows[kept] * chosen.size + columns[kept]
    links = np.bincount(cells, votes, minlength=chosen.size**2)
    return links.reshape(chosen.size, chosen.size)


def result_card(result: ConsensusResult) -> Card:
    """Return the card of a consensus."""
    shown = Shown.of(result)
    notes = []
    if result.converged is False:
        iterations = count(result.n_iter or 0, "iteration")
        notes.append(f"Not converged after {iterations}.")
    if result.details:
        notes.append(f"Details: {', '.join(map(str, result.details))}")
    return Card(
        title=result_title("ConsensusResult", shown, result),
        facts=certainty(result),
        table=clusters_table(shown, result.labels.size),
        picture=ring(shown),
        notes=notes,
        code=["result.to_frame()  # a row for each sample"],
    )


def result_title(who: str, shown: Shown, result: ConsensusResult) -> str:
    """Return who found how many clusters."""
    found = count(shown.n_clusters, "cluster")
    return f"{who}: {found} of {count(result.labels.size, 'sample')}"


def certainty(result: ConsensusResult) -> list[str]:
    """Return in words how sure the ensemble is, if that is known."""
    if result.confidence is None or not result.confidence.size:
        return []
    facts = [f"mean confidence {np.nanmean(result.confidence):.2f}"]
    unsure = int((result.confidence < _UNSURE).sum())
    if unsure:
        facts.append(f"{count(unsure, 'sample')} below {_UNSURE}")
    return facts


def clusters_table(shown: Shown, n_samples: int) -> Markup:
    """Return a row for each cluster: size, mean confidence and its distribution."""
    heads = ["cluster", "size", ""]
    if shown.histograms is not None:
        heads += ["confidence", "0 to 1"]
    most = shown.sizes.max(initial=1)
    rows = []
    for at, color in enumerate(shown.colors):
        size = int(shown.sizes[at])
        row = [
            swatch(color, shown.names[at]),
            f"{size:,}",
            tag("div", bar(size / most, color), style="text-align:left;width:64px"),
        ]
        if shown.confidence is not None and shown.histograms is not None:
            row += [f"{shown.confidence[at]:.2f}", _histogram(shown.histograms[at])]
        rows.append(row)
    left = shown.n_clusters - len(rows)
    rest = count(n_samples - int(shown.sizes.sum()), "sample")
    return table(heads, rows, f"and {left:,} smaller, with {rest}" if left > 0 else "")


def _histogram(counts: np.ndarray) -> Markup:
    width, height = 6, 16
    tall = np.where(counts > 0, (height * counts / max(1, counts.max())).clip(1.5), 0)
    steps = "".join(f"V{height - h:.1f}h{width}" for h in tall)
    path = tag("path", d=f"M0,{height}{steps}V{height}z", fill_opacity=".55")
    base = tag("path", d=f"M0,{height}H{width * _BINS}", stroke="currentColor")
    label = "numbers of samples by confidence, from 0 to 1"
    return svg(label, (width * _BINS, height), path, base)


def ring(shown: Shown) -> Markup:
    """Return the clusters on a ring, joined where the members confuse them.

    Clusters that are often confused stand side by side. A line is as wide as the share
    of the smaller cluster's votes that went across.
    """
    n = shown.sizes.size
    if n < 2:
        return NOTHING
    links = shown.links + shown.links.T  # (s, s)
    order = _seriated(links)
    angles = np.empty(n)
    angles[order] = 2 * np.pi * np.arange(n) / n - np.pi / 2
    places = _SIDE / 2 + _RING * np.column_stack([np.cos(angles), np.sin(angles)])
    largest = min(_LARGEST, 0.85 * _RING * np.sin(np.pi / n))
    radii = (largest * np.sqrt(shown.sizes / shown.sizes.max())).clip(3)
    lines = []
    for a in range(n):
        for b in range(a):
            smaller = min(shown.sizes[a], shown.sizes[b])
            if (share := links[a, b] / smaller) > _FAINTEST:
                lines.append(_line(places[a], places[b], share))
    nodes = [
        _node(place, radius, color, name, count(int(size), "sample"))
        for place, radius, color, name, size in zip(
            places, radii, shown.colors, shown.names, shown.sizes, strict=True
        )
    ]
    return picture(
        "clusters, joined where the members confuse them",
        (_SIDE, _SIDE),
        *lines,
        *nodes,
        caption="Lines join clusters that the members confuse: the wider, the more.",
    )


def _seriated(links: np.ndarray) -> np.ndarray:
    """Return an order in which linked clusters are near each other (Fiedler vector)."""
    links = links - np.diag(links.diagonal())
    laplacian = np.diag(links.sum(axis=1)) - links
    return np.argsort(np.linalg.eigh(laplacian)[1][:, 1], kind="stable")


def _line(start: np.ndarray, end: np.ndarray, share: float) -> Markup:
    return tag(
        "line",
        tag("title", f"{share:.0%} of the smaller cluster's votes"),
        x1=f"{start[0]:.0f}",
        y1=f"{start[1]:.0f}",
        x2=f"{end[0]:.0f}",
        y2=f"{end[1]:.0f}",
        stroke="currentColor",
        stroke_opacity=".35",
        stroke_width=f"{min(1.0, share / 0.5) * 13 + 0.7:.1f}",
    )


def _node(
    place: Sequence[float], radius: float, color: str, name: Any, size: str
) -> Markup:
    x, y = place
    circle = tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{radius:.1f}", fill=color)
    dx, dy = (0.0, 0.0) if radius > 9 else 1.3 * (np.array(place) - _SIDE / 2) / 6
    inside = {"fill": "#fff", "font_weight": "600"} if radius > 9 else {}
    number = words(x + dx, y + dy + 4, name, text_anchor="middle", **inside)
    return tag("g", tag("title", f"cluster {name}: {size}"), circle, number)
