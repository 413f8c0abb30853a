"""Groups: the members of one kind that see the same view of the data."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from coterie.ensemble._ensemble import Ensemble


class Group(NamedTuple):
    """The members of one kind on one view.

    Attributes
    ----------
    kind : str
        How its members were made, such as "genie"; "" if nothing is known.
    view : str
        The transformation of the data that they saw, such as "zscore".
    members : (m,) int array
        Their numbers in the ensemble.
    """

    kind: str
    view: str
    members: np.ndarray

    @property
    def name(self) -> str:
        """The name of the group in tables and plots."""
        return f"{self.kind} {self.view}".strip() or "members"


def groups_of(ensemble: Ensemble) -> tuple[Group, ...]:
    """Return the groups of an ensemble, in the order of their first members.

    ``params`` of a member has its ``kind`` and its ``view``; members that lack them
    are one group.

    Examples
    --------
    >>> from coterie import Ensemble
    >>> from coterie.ensemble import Member
    >>> from coterie.ensemble._groups import groups_of
    >>> members = [Member(params={"kind": kind}) for kind in ("genie", "gmm", "genie")]
    >>> ensemble = Ensemble([[0, 0, 1], [0, 1, 1], [0, 0, 1]], members)
    >>> [(group.name, group.members.tolist()) for group in groups_of(ensemble)]
    [('genie', [0, 2]), ('gmm', [1])]
    """
    found: dict[tuple[str, str], list[int]] = {}
    for number, member in enumerate(ensemble.members):
        key = (str(member.params.get("kind", "")), str(member.params.get("view", "")))
        found.setdefault(key, []).append(number)
    return tuple(Group(*key, np.array(numbers)) for key, numbers in found.items())


def has_several_kinds(ensemble: Ensemble) -> bool:
    """Whether the members are of several kinds, as those of a panel are."""
    return len({group.kind for group in groups_of(ensemble)}) > 1
