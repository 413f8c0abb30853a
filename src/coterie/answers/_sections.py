"""The parts of the page that need no script: tiles and tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from coterie._colors import cluster_colors
from coterie._html import Markup, escaped, tag
from coterie.answers._facts import Facts, contrast
from coterie.answers._kinds import SEEN, Kinds
from coterie.answers._words import on_kinds
from coterie.plot._style import share_text

_MOST_FEATURES = 20
_MOST_MEMBERS = 400
_MOST_COLUMNS = 20  # clusters side by side in the table of features


def tiles(facts: Facts) -> Markup:
    """Return the key numbers."""
    shown = [
        ("samples", f"{facts.n_samples:,}"),
        ("clusters", f"{facts.n_clusters}"),
        ("members", f"{facts.found.ensemble.n_members}"),
        ("mean confidence", f"{facts.found.samples['confidence'].mean():.2f}"),
        ("doubtful samples", f"{int(facts.doubtful.sum()):,}"),
    ]
    if facts.X is not None:
        shown.insert(1, ("columns", f"{facts.X.shape[1]:,}"))
    return escaped(
        *(
            tag("div", tag("strong", value), tag("span", name), class_="tile")
            for name, value in shown
        )
    )


def clusters_table(facts: Facts) -> Markup:
    """Return a row for each cluster, with a button that selects it."""
    table = facts.found.clusters
    largest = table["size"].max()
    colors = cluster_colors(facts.n_clusters)
    rows = []
    for c, size in enumerate(table["size"]):
        share = size / facts.n_samples
        cells = [
            tag("th", _picker(c, colors[c]), scope="row"),
            tag("td", _bar(size / largest, f"{size:,}", f"{share:.1%}")),
            tag("td", _bar_of(table["confidence"][c])),
            tag("td", _bar_of(table["cluster_consensus"][c])),
            tag("td", tag("span", class_="histogram", data_cluster=c)),
            tag("td", _next(int(table["next"][c]), colors)),
        ]
        if facts.found.by_kind is not None:
            n_groups = len(facts.found.by_kind.groups)
            cells.append(tag("td", f"{table['seen_by'][c]} of {n_groups}"))
        rows.append(tag("tr", *cells))
    names = [
        "cluster",
        "samples",
        "mean confidence",
        "cluster-consensus",
        "confidence 0 to 1",
        "runner-up",
    ]
    if facts.found.by_kind is not None:
        names.append("seen by")
    return _table(names, rows, "clusters")


def _picker(cluster: int, color: str) -> Markup:
    swatch = tag("span", class_="swatch", style=f"--own:{color}")
    return tag(
        "button",
        swatch,
        str(cluster),
        type="button",
        class_="pick",
        data_cluster=cluster,
        aria_pressed="false",
        title="Show this cluster only",
    )


def _next(cluster: int, colors: list[str]) -> Markup:
    if cluster < 0:
        return escaped("\u2013")
    return escaped(
        tag("span", class_="swatch", style=f"--own:{colors[cluster]}"), str(cluster)
    )


def _bar_of(value: float) -> Markup:
    return escaped("\u2013") if np.isnan(value) else _bar(value, f"{value:.2f}")


def _bar(share: float, text: str, more: str = "") -> Markup:
    fill = tag("i", style=f"width:{100 * share:.1f}%")
    return tag(
        "span",
        tag("span", fill, class_="bar"),
        tag("span", text, class_="number"),
        tag("small", more) if more else "",
        class_="measure",
    )


def kinds_section(facts: Facts) -> Markup:
    """Return the section on kinds, empty for a result without kinds."""
    found = facts.found.by_kind
    if found is None:
        return Markup("")
    agreement = (
        "The members of one kind on one view are a group, which is first combined by "
        "itself. Below is the adjusted Rand index of the clusterings of two groups, "
        "similar ones side by side. Steadiness compares two halves of a group."
    )
    seen = (
        "How much a cluster overlaps the most similar cluster of each group (Jaccard "
        "index). A group sees the cluster if that is more than one half: bold."
    )
    return tag(
        "section",
        tag("h2", "Which kinds of clustering agree"),
        *(tag("p", text, class_="lead") for text in on_kinds(facts)),
        tag("h3", "Agreement of the groups"),
        tag("p", agreement, class_="note"),
        _kinds_table(found),
        tag("h3", "Which clusters they see"),
        tag("p", seen, class_="note"),
        _seen_table(facts, found),
        id="kinds",
    )


def _kinds_table(found: Kinds) -> Markup:
    """Return a row for each group: weight, steadiness, agreement with all others."""
    most = float(found.weight.max()) or 1.0
    rows = [
        tag(
            "tr",
            tag("th", found.names[g], scope="row", class_="name"),
            tag("td", _bar(weight / most, share_text(weight))),
            tag("td", share_text(float(found.steadiness[g]))),
            _share_cell(float(found.with_result[g])),
            *(_share_cell(float(found.agreement[g, h])) for h in found.order),
        )
        for g, weight in zip(
            found.order, found.weight[found.order].tolist(), strict=True
        )
    ]
    names = [found.names[g] for g in found.order]
    return _table(
        ("group", "weight", *map(_upright, ("steadiness", "the result", *names))),
        rows,
        "kinds",
    )


def _seen_table(facts: Facts, found: Kinds) -> Markup:
    """Return a row for each cluster: how well each group sees it."""
    colors = cluster_colors(facts.n_clusters)
    n_seen, n_groups = found.seen.sum(axis=1), len(found.groups)
    rows = [
        tag(
            "tr",
            tag("th", _next(c, colors), scope="row", class_="name"),
            tag("td", _bar(n_seen[c] / n_groups, f"{n_seen[c]} of {n_groups}")),
            *(_share_cell(found.overlap[c, g], SEEN) for g in found.order),
        )
        for c in range(facts.n_clusters)
    ]
    names = (_upright(found.names[g]) for g in found.order)
    return _table(("cluster", "seen by", *names), rows, "kinds")


def _share_cell(value: float, bold: float = 2.0) -> Markup:
    return tag(
        "td",
        share_text(value),
        class_="share seen" if value > bold else "share",
        style=f"--z:{65 * max(value, 0):.0f}%",
    )


def _upright(name: str) -> Markup:
    return tag("span", name, class_="upright")


def features_table(facts: Facts) -> Markup:
    """Return the means of the features that set the clusters apart."""
    if facts.X is None or facts.n_clusters == 1 or facts.features is None:
        return Markup("")
    found = contrast(facts.plain, facts.found.labels, _MOST_FEATURES)
    shown = min(facts.n_clusters, _MOST_COLUMNS)
    rows = []
    for at, feature in enumerate(found.features):
        cells = [
            tag(
                "td",
                _number(mean),
                class_="z",
                style=f"--z:{min(abs(z) / 2, 1) * 70:.0f}%",
                data_sign="up" if z >= 0 else "down",
                title=f"{z:+.2f} standard deviations from the overall mean",
            )
            for z, mean in zip(
                found.z[at, :shown], found.means[at, :shown], strict=True
            )
        ]
        rows.append(
            tag(
                "tr",
                tag("th", facts.features[feature], scope="row", class_="name"),
                tag("td", f"{found.share[at]:.0%}"),
                *cells,
            )
        )
    table = _table(
        ("column", "between", *(str(c) for c in range(shown))), rows, "features"
    )
    notes = [
        f"The {len(rows)} of {facts.X.shape[1]:,} columns with the largest share of "
        "variance between the clusters (second column), with the mean of each cluster. "
        "Orange is above the overall mean, blue below, in standard deviations."
    ]
    if shown < facts.n_clusters:
        notes.append(f" The first {shown} of {facts.n_clusters} clusters are shown.")
    return tag(
        "section",
        tag("h2", "What sets the clusters apart"),
        tag("p", *notes, class_="note"),
        table,
        id="features",
    )


def members_table(facts: Facts) -> Markup:
    """Return a row for each member."""
    table = facts.found.members
    M = facts.found.ensemble.n_members
    shown = min(M, _MOST_MEMBERS)
    weight = table.get("weight")
    rows = []
    for j in range(shown):
        cells = [
            tag("th", table["name"][j], scope="row", class_="name"),
            tag("td", int(table["n_clusters"][j])),
            tag("td", f"{table['quality'][j]:.3f}"),
            tag("td", f"{table['diversity'][j]:.3f}"),
        ]
        if weight is not None:
            cells.append(tag("td", f"{weight[j]:.2f}"))
        rows.append(tag("tr", *cells))
    names = ["member", "clusters", "quality", "diversity"]
    if weight is not None:
        names.append("weight")
    more = "" if shown == M else f" (the first {shown})"
    return tag(
        "details",
        tag("summary", f"All {M} members as a table{more}"),
        _table(names, rows, "members"),
    )


def choice_table(choice: Any) -> Markup:
    """Return the section on the number of clusters, empty without a choice."""
    if choice is None:
        return Markup("")
    curves = dict(choice.curves)
    votes = dict(choice.votes)
    p_values = np.asarray(choice.p_values, dtype=np.float64)
    rows = []
    for at, k in enumerate(np.asarray(choice.k_values).tolist()):
        voted = [name for name, vote in votes.items() if vote == k]
        chosen = "chosen" if k == choice.n_clusters else None
        rows.append(
            tag(
                "tr",
                tag("th", k, scope="row"),
                tag("td", _number(p_values[at])),
                *(tag("td", _number(curve[at])) for curve in curves.values()),
                tag("td", ", ".join(_title(name) for name in voted), class_="name"),
                class_=chosen,
            )
        )
    names = ("k", "p-value", *map(_title, curves), "voted for by")
    none = [_title(name) for name, vote in votes.items() if vote == 1]
    text = f"p = {choice.p_value:.3g} for “no clusters at all”."
    if none:
        text += f" These criteria vote for a single cluster: {', '.join(none)}."
    return tag(
        "section",
        tag("h2", "How many clusters"),
        tag("p", choice.sentence, class_="lead"),
        tag("p", text, class_="note"),
        tag("div", id="curves", class_="small-figures"),
        tag("div", id="tracking", class_="figure"),
        tag(
            "details",
            tag("summary", "All criteria as a table"),
            _table(names, rows, "choice"),
        ),
        id="choice",
    )


def _title(name: str) -> str:
    known = {"pac": "PAC", "member_nmi": "NMI with members"}
    return known.get(name, name.replace("_", " "))


def _number(value: float) -> str:
    return "\u2013" if np.isnan(value) else f"{value:.3g}"


def _table(names: Any, rows: list[Markup], kind: str) -> Markup:
    head = tag("tr", *(tag("th", name, scope="col") for name in names))
    table = tag("table", tag("thead", head), tag("tbody", *rows), class_=kind)
    return tag("div", table, class_="wide", tabindex="0")
