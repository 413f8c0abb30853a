"""One row of the catalog."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

_NOTHING: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True)
class Entry:
    """One part or system.

    Attributes
    ----------
    name : str
        What a user types.
    kind : {"generator", "weighter", "consensus", "baseline", "clusterer", "system"}
    home : str
        ``module:Class``.
    summary : str
        One line: what it does or minimises.
    cost : str
        Time and memory in N samples, M members, C clusters, u distinct label rows, k.
    paper : str
    doi : str
    weighter : str or None
        The weighter of the method's own paper.
    weighter_params : mapping
    most_rows : int or None
        Distinct label rows beyond which it takes minutes, so that a comparison of all
        methods leaves it out.
    """

    name: str
    kind: str
    home: str
    summary: str
    cost: str
    paper: str = ""
    doi: str = ""
    weighter: str | None = None
    weighter_params: Mapping[str, Any] = field(default_factory=lambda: _NOTHING)
    most_rows: int | None = None

    def load(self) -> type:
        """Return the class."""
        module, name = self.home.split(":")
        return getattr(importlib.import_module(module), name)

    def is_quick(self, n_rows: int) -> bool:
        """Whether it takes less than minutes for so many distinct label rows."""
        return self.most_rows is None or n_rows <= self.most_rows

    def make_weighter(self) -> Any:
        """Return the weighter of the method's own paper, or None."""
        if self.weighter is None:
            return None
        from coterie._catalog import find

        return find(self.weighter, {"weighter"}).load()(**self.weighter_params)
