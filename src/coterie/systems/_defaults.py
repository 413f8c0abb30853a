"""Default consensus functions and weighters."""

from __future__ import annotations

from typing import Any

from coterie._catalog import find

LINKAGE_LIMIT = 20_000  # samples


def paper_weighter(consensus: Any) -> Any:
    """Return the weighter of the consensus function's own paper, or None.

    Parameters
    ----------
    consensus : consensus function or its class
    """
    own = getattr(consensus, "paper_weighter", None)
    if own is None:
        return None
    name, params = own
    return find(name, {"weighter"}).load()(**params)


def weighter_for(weighter: Any, consensus: Any) -> Any:
    """Return the weighter that a user asks for: a part, a name, "auto" or None.

    Parameters
    ----------
    weighter : weighter, str or None
    consensus : consensus function
        With "auto", the weighter is that of its own paper.
    """
    if not isinstance(weighter, str):
        return weighter
    if weighter == "auto":
        return paper_weighter(consensus)
    return find(weighter, {"weighter"}).load()()


def default_consensus(n_samples: int | None, several_kinds: bool = False) -> str:
    """Return the name of the default consensus function.

    Members of several kinds are heard kind by kind. For members of one kind, LWEA is
    better if there is memory for it, which is quadratic; LWGP needs linear memory.

    Parameters
    ----------
    n_samples : int or None
        None before the data are known.
    several_kinds : bool, default=False
        Whether the members are those of a panel.

    Examples
    --------
    >>> from coterie.systems._defaults import default_consensus
    >>> default_consensus(1000), default_consensus(100_000)
    ('lwea', 'lwgp')
    """
    if several_kinds:
        return "council"
    return "lwea" if n_samples is None or n_samples <= LINKAGE_LIMIT else "lwgp"
