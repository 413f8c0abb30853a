"""The colours of clusters."""

from __future__ import annotations

# Ten colours that are distinct for the colour-blind and in grey (after Okabe and Ito).
PALETTE = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#D55E00",
    "#56B4E9",
    "#CC79A7",
    "#882255",
    "#999933",
    "#5D4E9E",
    "#7F7F7F",
)
_SHIFTS = (0.0, 0.5, -0.35, 0.7, -0.55)  # towards white or black, for repeated colours


def cluster_colors(n_clusters: int) -> list[str]:
    """Return a colour for each cluster, as #rrggbb.

    Ten are easy to distinguish; beyond that they repeat in lighter and darker shades.

    Parameters
    ----------
    n_clusters : int

    Examples
    --------
    >>> from coterie.plot import cluster_colors
    >>> cluster_colors(3)
    ['#0072B2', '#E69F00', '#009E73']
    """
    return [cluster_color(number) for number in range(n_clusters)]


def cluster_color(number: int) -> str:
    """Return the colour of the cluster with this number."""
    turn, at = divmod(number, len(PALETTE))
    return _shifted(PALETTE[at], _SHIFTS[turn % len(_SHIFTS)])


def luminance(color: str) -> float:
    """Return how light a colour looks, from 0 (black) to 1 (white)."""
    red, green, blue = bytes.fromhex(color[1:])
    return (0.299 * red + 0.587 * green + 0.114 * blue) / 255


def _shifted(color: str, share: float) -> str:
    """Mix a colour with white, or with black for a negative share."""
    end = 255 if share > 0 else 0
    parts = bytes.fromhex(color[1:])
    mixed = (round(part + abs(share) * (end - part)) for part in parts)
    return "#" + "".join(f"{part:02X}" for part in mixed)
