"""The card of a consensus: its clusters, how sure they are, and which are confused."""

from __future__ import annotations

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
from coterie._colors import cluster_color, cluster_colors, luminance
from coterie._display import count
from coterie._html import Markup, tag
from coterie.ensemble._votes import is_doubtful

if TYPE_CHECKING:
    from coterie.consensus._base import ConsensusResult

_BINS = 10
_RING = 66.0  # radius of the ring on which ten clusters stand
_EDGE = 6.0  # around the picture
_DARKEST = 0.45  # luminance of a colour on which white text is legible
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
        """A colour for each: that of the plots, if there are up to ten clusters."""
        whole = all(isinstance(name, int) for name in self.names)
        if whole and self.n_clusters <= MOST_ROWS:
            return [cluster_color(number) for number in self.names]
        return cluster_colors(len(self.names))  # the shades beyond ten look alike

    @classmethod
    def of(cls, result: ConsensusResult) -> Shown:
        """Count what a card shows; linear in the samples."""
        names, codes, place = _coded(result.labels)
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
        placed = result.second is not None and result.margin is not None
        if placed and place is not None:
            links = _links(codes, place, result, chosen)
        shown = names[chosen].tolist()
        return cls(k, shown, sizes[chosen], means, histograms, links)


def _coded(labels: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Return the labels in use, each sample's position among them, and a table.

    The table has the position of each label, and -1 at its end and for labels that are
    not in use; it is None unless labels are small whole numbers, which need no sorting.
    """
    labels = np.asarray(labels)
    whole = labels.dtype.kind in "iu" and labels.size > 0
    if whole and labels.min() >= 0 and labels.max() <= labels.size:
        used = np.bincount(labels) > 0
        place = np.append(np.where(used, np.cumsum(used) - 1, -1), -1)
        return np.flatnonzero(used), place[labels], place
    return *np.unique(labels, return_inverse=True), None


def _links(
    codes: np.ndarray, place: np.ndarray, result: ConsensusResult, chosen: np.ndarray
) -> np.ndarray:
    """Return the votes for the runner-up, by cluster and runner-up, (s, s)."""
    row = np.full(place.max() + 2, -1)  # -1 takes the last
    row[chosen] = np.arange(chosen.size)
    none = place.size - 1
    second = np.where((result.second >= 0) & (result.second < none), result.second, -1)
    rows, columns = row[codes], row[place[second]]
    kept = (rows >= 0) & (columns >= 0)
    votes = np.nan_to_num((1 - result.margin[kept]) / 2).clip(0, 1)
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
    if result.margin is not None:
        doubtful = is_doubtful(result.margin, np.unique(result.labels).size)
        if doubtful.any():
            facts.append(count(int(doubtful.sum()), "doubtful sample"))
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
    # two stand side by side, more form a ring that starts at the top
    angles[order] = 2 * np.pi * np.arange(n) / n - (0 if n == 2 else np.pi / 2)
    ring = _RING * min(1.0, 0.5 + n / 16)
    directions = np.column_stack([np.cos(angles), np.sin(angles)])
    largest = min(_LARGEST, 0.85 * ring * np.sin(np.pi / n))
    radii = (largest * np.sqrt(shown.sizes / shown.sizes.max())).clip(3)
    longest = max(len(str(name)) for name in shown.names)
    edge = largest + _EDGE + 3.5 * longest  # a name may stand beside its cluster
    places = ring * directions
    places += edge - places.min(axis=0)
    width, height = (places.max(axis=0) + edge).round().astype(int)
    lines = []
    for a in range(n):
        for b in range(a):
            smaller = min(shown.sizes[a], shown.sizes[b])
            if (share := links[a, b] / smaller) > _FAINTEST:
                lines.append(_line(places[a], places[b], share))
    nodes = [_node(shown, at, places[at], radii[at], directions[at]) for at in range(n)]
    return picture(
        "clusters, joined where the members confuse them",
        (int(width), int(height)),
        *lines,
        *nodes,
        caption="Lines join clusters that the members confuse: the wider, the more."
        if lines
        else "Lines would join clusters that the members confuse; there are none.",
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
    shown: Shown, at: int, place: np.ndarray, radius: float, outwards: np.ndarray
) -> Markup:
    name, color = str(shown.names[at]), shown.colors[at]
    x, y = place
    circle = tag("circle", cx=f"{x:.1f}", cy=f"{y:.1f}", r=f"{radius:.1f}", fill=color)
    anchor = {"text_anchor": "middle"}
    if radius > 4.5 + 3 * len(name):
        ink = "#fff" if luminance(color) < _DARKEST else "#000"
        number = words(x, y + 4, name, **anchor, fill=ink, font_weight="600")
    else:
        x, y = place + (radius + 9) * outwards
        number = words(x, y + 4, name, **anchor)
    size = count(int(shown.sizes[at]), "sample")
    return tag("g", tag("title", f"cluster {name}: {size}"), circle, number)
