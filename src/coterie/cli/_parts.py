"""What the names of methods and weighters on the command line mean."""

from __future__ import annotations

from coterie._catalog import METHODS, Entry, find

AUTO, NONE = "auto", "none"


def check_names(method: str, weighter: str) -> None:
    """Raise for unknown names, before any file is read."""
    if method != AUTO:
        find(method, METHODS)
    if weighter not in {AUTO, NONE}:
        find(weighter, {"weighter"})


def method_for(name: str, n_samples: int) -> Entry:
    """Return the entry of a method; 'auto' depends on the number of samples."""
    from coterie.systems import default_method

    return find(default_method(n_samples) if name == AUTO else name, METHODS)


def weighter_for(name: str, method: Entry) -> Entry | None:
    """Return the weighter that a name, 'auto' or 'none' means for a method."""
    chosen = method.weighter if name == AUTO else name
    return None if chosen in {None, NONE} else find(str(chosen), {"weighter"})
