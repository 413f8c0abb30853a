"""The cards of a fitted system and of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._cards import (
    ACCENT,
    MOST_ROWS,
    NOTHING,
    Card,
    and_more,
    picture,
    table,
    words,
)
from coterie._display import count, shortened
from coterie._html import Markup, tag
from coterie.consensus._card import Shown, certainty, clusters_table, result_title, ring
from coterie.ensemble._groups import groups_of

if TYPE_CHECKING:
    from coterie.systems._compare import Comparison

_WIDTH, _HEIGHT = 330, 150
_LEFT, _RIGHT, _TOP, _BOTTOM = 44, 16, 10, 30
_MOST_SPOTS = 60
_NAMED = 3  # of the best methods
_BEST_BY = ("nmi", "agreement")  # the first one known


def system_card(model: Any) -> Card:
    """Return the card of a fitted system."""
    result = model.consensus_
    shown = Shown.of(result)
    kinds = {group.kind for group in groups_of(model.ensemble_)}
    members = count(model.ensemble_.n_members, "member")
    if len(kinds) > 1:
        members += f" of {len(kinds)} kinds"
    choice = getattr(model, "k_choice_", None)
    said = [] if choice is None else [choice.sentence]
    return Card(
        title=result_title(type(model).__name__, shown, result),
        facts=[*certainty(result), members],
        table=clusters_table(shown, result.labels.size),
        picture=ring(shown),
        notes=[*said, *getattr(model, "notes_", ())],
        code=[
            "model.report(X)  # everything on one page",
            'coterie.explain(model).to_frame().sort_values("margin")  # doubts first',
        ],
    )


def comparison_card(found: Comparison) -> Card:
    """Return the card of a comparison."""
    n_samples = found.results[found.methods[0]].labels.size
    methods = count(len(found.methods), "method")
    by = next((name for name in _BEST_BY if name in found.scores), None)
    notes = [f"{name} has no result: {reason}" for name, reason in found.failed.items()]
    code = [] if by is None else [f'found.sort_by("{by}")  # the best first']
    return Card(
        title=f"Comparison: {methods} on {count(n_samples, 'sample')}",
        facts=[f"{len(notes)} without a result"] if notes else [],
        table=_scores_table(found),
        picture=NOTHING if by is None else _spots(found, by),
        notes=notes,
        code=[*code, "found.to_frame()"],
    )


def _scores_table(found: Comparison) -> Markup:
    """Return the first ten methods, with the best value of each score in bold."""
    records = found.records()
    heads = list(records[0])
    best = {name: np.nanmax(values) for name, values in found.scores.items()}
    rows = [
        [_cell(name, row[name], best.get(name)) for name in heads]
        for row in records[:MOST_ROWS]
    ]
    heads[heads.index("n_found")] = "clusters"
    names = [name.replace("_", " ") for name in heads]
    return table(names, rows, and_more(records))


def _cell(name: str, value: Any, best: float | None) -> Any:
    if not isinstance(value, float):
        return value
    text = f"{value:.3f}" if abs(value) < 100 else f"{value:,.0f}"
    return tag("b", text) if best is not None and value >= best else text


def _spots(found: Comparison, by: str) -> Markup:
    """Return the methods by time and score, the three best with their names."""
    scores = np.asarray(found.scores[by], dtype=np.float64)
    order = np.argsort(-np.nan_to_num(scores, nan=-np.inf), kind="stable")
    order = order[:_MOST_SPOTS]
    if order.size < 2:
        return NOTHING
    took = np.log10(np.maximum(np.asarray(found.seconds)[order], 1e-6))
    x = _scaled(took, _LEFT + 10, _WIDTH - _RIGHT)
    y = _scaled(scores[order], _HEIGHT - _BOTTOM - 8, _TOP)
    shapes = _axes(found.seconds[order], scores[order])
    for rank, number in enumerate(order):
        name, px, py = found.methods[number], float(x[rank]), float(y[rank])
        text = f"{name}: {by} {scores[number]:.3f}, {found.seconds[number]:.3g} s"
        place = {"cx": f"{px:.1f}", "cy": f"{py:.1f}"}
        spot = tag("circle", tag("title", text), **place, r=4, fill=ACCENT)
        shapes.append(spot)
        if rank < _NAMED:
            label = shortened(name, 24)
            needed = 7 * len(label) + 14
            for side, anchor in ((1, "start"), (-1, "end")):
                away = side * (x - px)  # of the other spots, in the label's direction
                hidden = (away > 1) & (away < needed) & (abs(y - py) < 11)
                hidden[rank] = not _LEFT < px + side * needed < _WIDTH
                if not hidden.any():
                    place = (px + 7 * side, py + 4)
                    shapes.append(words(*place, label, text_anchor=anchor))
                    break
    return picture(
        f"{by} and seconds of each method",
        (_WIDTH, _HEIGHT),
        *shapes,
        caption=f"{by.upper() if by == 'nmi' else by.capitalize()} by seconds: up is "
        "better, left is faster. Point at a spot for its name.",
    )


def _axes(seconds: np.ndarray, scores: np.ndarray) -> list[Markup]:
    """Return two axes with the ends of their ranges."""
    bottom, right = _HEIGHT - _BOTTOM, _WIDTH - _RIGHT
    line = f"M{_LEFT},{_TOP - 4}V{bottom}H{right + 8}"
    low, high = np.nanmin(scores), np.nanmax(scores)
    quick, slow = np.nanmin(seconds), np.nanmax(seconds)
    to_left, to_right = {"text_anchor": "start"}, {"text_anchor": "end"}
    return [
        tag("path", d=line, fill="none", stroke="currentColor", stroke_opacity=".5"),
        words(_LEFT - 6, _TOP + 4, f"{high:.2f}", **to_right),
        words(_LEFT - 6, bottom - 4, f"{low:.2f}", **to_right),
        words(_LEFT + 2, bottom + 15, f"{quick:.2g} s", **to_left),
        words(right + 8, bottom + 15, f"{slow:.2g} s", **to_right),
    ]


def _scaled(values: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return values mapped onto a range; those that are not finite at its start."""
    low, high = np.nanmin(values), np.nanmax(values)
    share = (values - low) / ((high - low) or 1.0)
    return start + (end - start) * np.nan_to_num(share)
