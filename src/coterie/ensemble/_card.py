"""The card of an ensemble: what its members are, and how far they agree."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from coterie._cards import MOST_ROWS, NOTHING, Card, and_more, matrix, picture, table
from coterie._display import count
from coterie._html import Markup
from coterie.ensemble._groups import groups_of

if TYPE_CHECKING:
    from coterie.ensemble._ensemble import Ensemble

_SAMPLES = 64  # in the picture
_MEMBERS = 256
_SIDE = 160
_MOST_LABELS = 10_000_000  # to look through for missing ones


def ensemble_card(ensemble: Ensemble) -> Card:
    """Return the card of an ensemble; quick however large it is."""
    numbers = ensemble.n_clusters_per_member
    facts = [f"{count(ensemble.n_total_clusters, 'cluster')} ({spread(numbers)} each)"]
    known = vars(ensemble)
    if "core" in known:  # else it takes a while
        facts.append(count(len(ensemble.core), "distinct label row"))
    in_memory = "labels" in known
    if in_memory and ensemble.labels.size <= _MOST_LABELS and ensemble.has_missing:
        missing = int((ensemble.labels < 0).sum())
        facts.append(f"{count(missing, 'label')} missing")
    members = count(ensemble.n_members, "member")
    return Card(
        title=f"Ensemble: {members} on {count(ensemble.n_samples, 'sample')}",
        facts=facts,
        table=_members_table(ensemble),
        picture=_together(ensemble) if in_memory else NOTHING,
        notes=ensemble.notes,
        code=['coterie.combine(ensemble, "auto")  # or the number of clusters'],
    )


def spread(numbers: np.ndarray) -> str:
    """Return the range of some numbers: ``3`` or ``2 to 5``."""
    low, high = int(numbers.min()), int(numbers.max())
    return f"{low:,}" if low == high else f"{low:,} to {high:,}"


def _members_table(ensemble: Ensemble) -> Markup:
    """Return a row for each kind of member, or for each member that has a name."""
    numbers = ensemble.n_clusters_per_member
    groups = groups_of(ensemble)
    if len(groups) == 1 and any(member.name for member in ensemble.members):
        heads = ["member", "clusters"]
        rows = [list(row) for row in zip(ensemble.names, numbers, strict=True)]
    else:
        heads = ["kind", "members", "clusters"]
        rows = [
            [group.name, f"{group.members.size:,}", spread(numbers[group.members])]
            for group in groups
        ]
    return table(heads, rows[:MOST_ROWS], and_more(rows))


def _together(ensemble: Ensemble) -> Markup:
    """Return the consensus matrix of some samples, in the order of a tree."""
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    n = min(ensemble.n_samples, _SAMPLES)
    if n < 3:
        return NOTHING
    rows = np.linspace(0, ensemble.n_samples - 1, n).astype(np.intp)
    columns = np.linspace(
        0, ensemble.n_members - 1, min(ensemble.n_members, _MEMBERS)
    ).astype(np.intp)
    S = _shares(ensemble.labels[np.ix_(rows, columns)].astype(np.int64))
    some = "the samples" if n == ensemble.n_samples else f"{n} of the samples"
    order = leaves_list(linkage(squareform(1 - S, checks=False), "average"))
    return picture(
        "how often pairs of samples share a cluster",
        (_SIDE, _SIDE),
        matrix(S[np.ix_(order, order)], _SIDE),
        caption=f"How often {some} go together: solid blocks are "
        "groups that most members see.",
    )


def _shares(labels: np.ndarray) -> np.ndarray:
    """Return the share of members that join each pair, among those that assign both.

    Kernels do the same faster, but the first call would compile them.
    """
    n = labels.shape[0]
    joined, both = np.zeros((n, n)), np.zeros((n, n))
    for column in labels.T:
        assigned = column >= 0
        seen = assigned[:, None] & assigned
        joined += (column[:, None] == column) & seen
        both += seen
    shares = joined / np.maximum(both, 1)
    np.fill_diagonal(shares, 1.0)
    return shares
