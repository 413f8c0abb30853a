"""Ensemble clustering: many clusterings of one data set, combined into one."""

from coterie._lazy import lazy_names
from coterie._version import __version__

_HOMES = {
    "C2SWCE": "coterie.systems",
    "Ensemble": "coterie.ensemble",
    "EnsembleClustering": "coterie.systems",
    "LargeEnsembleClustering": "coterie.systems",
    "MBN": "coterie.systems",
    "MBNEnsemble": "coterie.systems",
    "MDEC": "coterie.systems",
    "SPCE": "coterie.systems",
    "USENC": "coterie.systems",
    "WOEC": "coterie.systems",
    "WOKMeans": "coterie.systems",
    "Weights": "coterie.ensemble",
    "choose_k": "coterie.choice",
    "combine": "coterie.systems",
    "compare": "coterie.systems",
    "explain": "coterie.answers",
    "report": "coterie.reporting",
}

__getattr__, __dir__, _names = lazy_names(__name__, _HOMES)
__all__ = [
    "C2SWCE",
    "MBN",
    "MDEC",
    "SPCE",
    "USENC",
    "WOEC",
    "Ensemble",
    "EnsembleClustering",
    "LargeEnsembleClustering",
    "MBNEnsemble",
    "WOKMeans",
    "Weights",
    "__version__",
    "choose_k",
    "combine",
    "compare",
    "explain",
    "report",
]
