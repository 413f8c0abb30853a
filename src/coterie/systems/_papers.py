"""Which weighter belongs to a consensus function."""

from __future__ import annotations

from typing import Any

from coterie._catalog import METHODS, entries


def paper_weighter(consensus: Any) -> Any:
    """Return the weighter that the function's own paper uses, or None."""
    home = f"{type(consensus).__module__.rsplit('.', 1)[0]}:{type(consensus).__name__}"
    for entry in entries(*METHODS):
        if entry.home == home:
            return entry.make_weighter()
    return None
