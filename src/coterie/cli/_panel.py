"""How a panel is presented: who sat on it, how much they count and how they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coterie._display import count
from coterie.cli import _console

if TYPE_CHECKING:
    from coterie.answers._kinds import Kinds

_VIEWS = ("raw", "asinh", "zscore", "cosine", "ranks", "tfidf")  # in this order


def records(kinds: Kinds) -> list[dict[str, Any]]:
    """Return one record per group, for JSON."""
    return [
        {
            "kind": group.kind,
            "view": group.view,
            "members": group.members.size,
            "weight": float(kinds.weight[g]),
            "steadiness": float(kinds.steadiness[g]),
            "agreement": float(kinds.with_result[g]),
        }
        for g, group in enumerate(kinds.groups)
    ]


def grid(kinds: Kinds) -> Any:
    """Return a table of the groups' weights: kinds in rows, views in columns.

    The kind that counts most comes first; the group that counts most is bold. A single
    view needs no column of its own.
    """
    keys = [(group.kind, group.view) for group in kinds.groups]
    weight = dict(zip(keys, kinds.weight.tolist(), strict=True))
    n_members = {key: g.members.size for key, g in zip(keys, kinds.groups, strict=True)}
    views = sorted({view for _, view in weight}, key=_place)
    views = views if len(views) > 1 else []
    by_kind = {kind: 0.0 for kind, _ in weight}
    for (kind, _), share in weight.items():
        by_kind[kind] += share
    n_all = sum(n_members.values())
    table = _console.grid(
        "Weights in the panel",
        ("kind", *views, "all" if views else "weight", "members"),
        n_left=1,
    )
    most = max(weight.values())
    for kind in sorted(by_kind, key=lambda kind: -by_kind[kind]):
        cells = [_cell(weight.get((kind, view)), most) for view in views]
        own = sum(n for (one, _), n in n_members.items() if one == kind)
        table.add_row(kind, *cells, _percent(by_kind[kind]), f"{own:,}")
    table.add_section()
    totals = [sum(w for (_, one), w in weight.items() if one == view) for view in views]
    table.add_row("all", *map(_percent, totals), "100%", f"{n_all:,}", style="dim")
    return table


def sentence(kinds: Kinds) -> str:
    """Say how far the groups agree with each other and with the result."""
    n_groups = len(kinds.groups)
    if n_groups == 1:
        return ""
    apart = np.triu_indices(n_groups, k=1)
    best = int(kinds.with_result.argmax())
    of_kind = np.array([group.kind for group in kinds.groups])
    views = [kinds.seen[:, of_kind == kind] for kind in dict.fromkeys(of_kind)]
    by_all = np.all([seen.any(axis=1) for seen in views], axis=0)  # (k,)
    return (
        f"kinds agree {kinds.agreement[apart].mean():.2f} on average (ARI); closest to "
        f"the result: {kinds.names[best]} {kinds.with_result[best]:.2f}; all kinds see "
        f"{by_all.sum()} of {count(by_all.size, 'cluster')}"
    )


def _place(view: str) -> tuple[int, str]:
    return (_VIEWS.index(view) if view in _VIEWS else len(_VIEWS)), view


def _percent(share: float) -> str:
    return f"{share:.0%}"


def _cell(share: float | None, most: float) -> str:
    if share is None:
        return ""
    text = _percent(share)
    return f"[bold green]{text}[/bold green]" if share == most else text
