"""What the papers' systems take from the command line."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from coterie.cli._parts import AUTO, NONE


@dataclass(frozen=True)
class Paper:
    """One system, which brings its own members.

    Attributes
    ----------
    generator : str
        What makes its members.
    forms : tuple of str
        What ``--consensus`` may be, the default first.
    weighter : str or None
        What weighs them.
    story : str
        How the labels came about, of ``{form}`` and ``{weights}``.
    can_go_without : bool
        Whether ``--weighter none`` makes sense.
    unweighted : frozenset of str
        Forms that take no weights.
    members, span : str or None
        The parameters that ``--members`` and ``--member-clusters`` set.
    generators : mapping of str to str or None
        Names that ``--generator`` may be, as the system's parameter has them; None: the
        system takes no other members.
    """

    generator: str
    forms: tuple[str, ...]
    weighter: str | None
    story: str
    can_go_without: bool = True
    unweighted: frozenset[str] = frozenset()
    members: str | None = "n_members"
    span: str | None = None
    generators: Mapping[str, str] | None = field(default=None, hash=False)

    def offers(self, consensus: str, weighter: str) -> bool:
        """Whether the system has this form with these weights."""
        weights = {AUTO, NONE} if self.can_go_without else {AUTO}
        return consensus in {AUTO, *self.forms} and weighter in weights

    def rules(self) -> str:
        """Say what may be given, for errors."""
        none = " or none" if self.can_go_without else ""
        out = [
            name
            for name, taken in (
                ("--generator", self.generators),
                ("--members", self.members),
                ("--member-clusters", self.span),
            )
            if taken is None
        ]
        left = f"; leave out {', '.join(out)}" if out else ""
        forms = ", ".join(self.forms)
        which = f"one of {forms}" if len(self.forms) > 1 else f"auto or {forms}"
        return f"--consensus is {which}, --weighter is auto{none}{left}"


_WITH = "combined by {form} with {weights}"
PAPERS: dict[str, Paper] = {
    "mdec": Paper(
        "metric-subspace", ("hc", "sc", "bg"), "entropy", f"MDEC members, {_WITH}"
    ),
    "c2swce": Paper(
        "laplacian-subspace",
        ("hc", "sc", "bg", "mc"),
        "core-stability",
        f"C2SWCE members, {_WITH}",
        unweighted=frozenset({"mc"}),
    ),
    "spce": Paper(
        "kmeans",
        ("spce",),
        None,
        "members by {generator}, combined by spce with weights that it learns",
        can_go_without=False,
        generators={"kmeans": "kmeans", "sigma-grid": "spectral"},
    ),
    "usenc": Paper(
        "landmarks",
        ("hbgf",),
        None,
        "landmark members, combined by hbgf",
        can_go_without=False,
        span="member_clusters",
    ),
    "woec": Paper(
        "mixed",
        ("similarity", "bipartite", "meta"),
        "difficulty",
        f"k-means members, {_WITH}",
        span="member_clusters",
    ),
    "wokmeans": Paper(
        "mixed",
        ("wokm",),
        "difficulty",
        "k-means members, then k-means with difficulty weights",
        can_go_without=False,
        span="member_clusters",
    ),
    "mbn": Paper(
        "bootstrap network",
        ("linkage of principal components",),
        None,
        "clusterings shown of one bootstrap network",
        can_go_without=False,
        members=None,
    ),
    "mbn-e": Paper(
        "bootstrap networks",
        ("linkage of principal components",),
        None,
        "clusterings shown of {members} bootstrap networks",
        can_go_without=False,
        members="n_members",
    ),
}


def parameters(
    paper: Paper, consensus: str, weighter: str, members: int | None, span: Any
) -> dict[str, Any]:
    """Return what of the wishes the system's constructor takes."""
    form = paper.forms[0] if consensus == AUTO else consensus
    found: dict[str, Any] = {}
    if len(paper.forms) > 1:
        found["consensus"] = form
    if paper.can_go_without:
        found["weighted"] = weighter != NONE and form not in paper.unweighted
    if members is not None:
        found[paper.members] = members
    if span is not None:
        found[paper.span] = span
    return found
