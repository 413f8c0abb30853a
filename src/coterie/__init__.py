"""Ensemble clustering: many clusterings of one data set, combined into one."""

from coterie._lazy import lazy_names
from coterie._version import __version__

_HOMES = {
    "Ensemble": "coterie.ensemble",
    "EnsembleClustering": "coterie.systems",
    "MBN": "coterie.systems",
    "MBNEnsemble": "coterie.systems",
    "MDEC": "coterie.systems",
    "Weights": "coterie.ensemble",
    "combine": "coterie.systems",
}

__getattr__, __dir__, _names = lazy_names(__name__, _HOMES)
__all__ = [
    "MBN",
    "MDEC",
    "Ensemble",
    "EnsembleClustering",
    "MBNEnsemble",
    "Weights",
    "__version__",
    "combine",
]
