"""The card of a choice of k: the answer, the votes, and the curve behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._cards import (
    ACCENT,
    CHOSEN,
    MOST_ROWS,
    NOTHING,
    Card,
    and_more,
    picture,
    table,
    words,
)
from coterie._display import count
from coterie._html import Markup, escaped, tag

if TYPE_CHECKING:
    from coterie.choice._result import KChoice

_WIDTH, _HEIGHT = 240, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 12, 12, 10, 22
_MOST_TICKS = 12
_BAND = (5, 95)  # percentiles of the references
_PREFERRED = "separation"  # of the curves: all methods and data have it


def choice_card(choice: KChoice) -> Card:
    """Return the card of a choice of k."""
    compared = choice.k_values
    notes = []
    if compared.size:
        references = len(next(iter(choice.null_curves.values()), ()))
        notes.append(
            f"Compared k = {compared.min()} to {compared.max()}, with "
            f"{count(references, 'reference data set')} that have no clusters."
        )
    k = choice.n_clusters
    code = [f"coterie.EnsembleClustering({k}).fit(X)"] if k > 1 else []
    return Card(
        title=f"KChoice: {count(k, 'cluster') if k > 1 else 'no clusters'}",
        facts=[choice.sentence],
        table=_votes_table(choice),
        picture=_curve(choice),
        notes=notes,
        code=[*code, "coterie.plot.tracking(choice)  # from k to k"],
    )


def _votes_table(choice: KChoice) -> Markup:
    """Return a row for each k, or for the ten that matter most."""
    known = dict(zip(choice.k_values.tolist(), choice.p_values, strict=True))
    voters: dict[int, list[str]] = {k: [] for k in known}
    for name, k in choice.votes.items():
        voters.setdefault(k, []).append(name)
    if not voters:
        return NOTHING

    def matters(k: int) -> tuple[bool, int, float, int]:
        unlikely = known.get(k, np.nan)
        doubt = 1.0 if np.isnan(unlikely) else float(unlikely)
        return k != choice.n_clusters, -len(voters[k]), doubt, k

    shown = sorted(voters, key=matters)
    rows = []
    for k in sorted(shown[:MOST_ROWS]):
        p = known.get(k, np.nan)
        cells = [k, "-" if np.isnan(p) else f"{p:.3f}", ", ".join(voters[k])]
        rows.append([tag("b", c) for c in cells] if k == choice.n_clusters else cells)
    return table(["k", "p", "voted for by"], rows, and_more(shown), left=(0, 2))


def _curve(choice: KChoice) -> Markup:
    """Return one criterion by k, above the band of the references."""
    names = sorted(choice.curves, key=lambda name: name != _PREFERRED)
    k = np.asarray(choice.k_values, dtype=np.float64)
    if not names or k.size < 2:
        return NOTHING
    name = names[0]
    values = np.asarray(choice.curves[name], dtype=np.float64)
    null = np.asarray(choice.null_curves.get(name, np.empty((0, k.size))))
    band = np.percentile(null, _BAND, axis=0) if len(null) else np.empty((0, k.size))
    known = np.concatenate([values, band.ravel()])
    known = known[np.isfinite(known)]
    if not known.size:
        return NOTHING
    x = _LEFT + (_WIDTH - _LEFT - _RIGHT) * (k - k[0]) / (k[-1] - k[0])
    low, high = float(known.min()), float(known.max())

    def at(heights: np.ndarray) -> np.ndarray:
        room = _HEIGHT - _TOP - _BOTTOM
        return _TOP + room * (high - heights) / (high - low or 1.0)

    shapes = []
    if len(band):
        around = [*_points(x, at(band[1])), *_points(x, at(band[0]))[::-1]]
        shapes.append(tag("polygon", points=" ".join(around), fill_opacity=".18"))
    line = {"fill": "none", "stroke": ACCENT, "stroke_width": 2}
    shapes.append(tag("polyline", points=" ".join(_points(x, at(values))), **line))
    for number, px, py in zip(choice.k_values, x, at(values), strict=True):
        chosen = number == choice.n_clusters
        if np.isfinite(py):
            spot = {"r": 6 if chosen else 2.5, "fill": CHOSEN if chosen else ACCENT}
            shapes.append(tag("circle", cx=f"{px:.1f}", cy=f"{py:.1f}", **spot))
        if chosen or (number - choice.k_values[0]) % (1 + k.size // _MOST_TICKS) == 0:
            weight = {"font_weight": "700"} if chosen else {}
            place = (px, _HEIGHT - 6)
            shapes.append(words(*place, number, text_anchor="middle", **weight))
    against = "; the band is data without clusters" if len(band) else ""
    return picture(
        f"{name} for each k",
        (_WIDTH, _HEIGHT),
        *shapes,
        caption=escaped(f"{name.replace('_', ' ').capitalize()} by k{against}."),
    )


def _points(x: np.ndarray, y: np.ndarray) -> list[str]:
    known = np.isfinite(y)
    return [f"{a:.1f},{b:.1f}" for a, b in zip(x[known], y[known], strict=True)]
