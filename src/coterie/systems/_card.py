"""The cards of a fitted system and of a comparison."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._cards import ACCENT, MOST_ROWS, NOTHING, Card, picture, table, words
from coterie._display import count, shortened
from coterie._html import Markup, tag
from coterie.consensus._card import Shown, certainty, clusters_table, result_title, ring
from coterie.ensemble._groups import groups_of

if TYPE_CHECKING:
    from coterie.systems._compare import Comparison

_WIDTH, _HEIGHT = 240, 170
_MARGIN = 16
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
    more = len(records) - len(rows)
    heads[heads.index("n_found")] = "clusters"
    names = [name.replace("_", " ") for name in heads]
    return table(names, rows, f"and {more:,} more" if more > 0 else "")


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
    x = _scaled(took, _MARGIN, _WIDTH - _MARGIN)
    y = _scaled(scores[order], _HEIGHT - _MARGIN, _MARGIN)
    shapes, taken = [], []
    for rank, number in enumerate(order):
        name, px, py = found.methods[number], float(x[rank]), float(y[rank])
        text = f"{name}: {by} {scores[number]:.3f}, {found.seconds[number]:.3g} s"
        place = {"cx": f"{px:.1f}", "cy": f"{py:.1f}"}
        spot = tag("circle", tag("title", text), **place, r=4, fill=ACCENT)
        shapes.append(spot)
        if rank < _NAMED and all(abs(py - other) > 11 for other in taken):
            taken.append(py)
            right = px > _WIDTH / 2
            anchor = {"text_anchor": "end" if right else "start"}
            beside = px + (-7 if right else 7)
            shapes.append(words(beside, py + 4, shortened(name, 24), **anchor))
    return picture(
        f"{by} and seconds of each method",
        (_WIDTH, _HEIGHT),
        *shapes,
        caption=f"Up is better ({by}), left is faster (a logarithmic scale). "
        "Point at a spot for its name.",
    )


def _scaled(values: np.ndarray, start: float, end: float) -> np.ndarray:
    """Return values mapped onto a range; those that are not finite at its start."""
    low, high = np.nanmin(values), np.nanmax(values)
    share = (values - low) / ((high - low) or 1.0)
    return start + (end - start) * np.nan_to_num(share)
