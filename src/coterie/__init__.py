"""Ensemble clustering: many clusterings of one data set, combined into one."""

from typing import TYPE_CHECKING

from coterie._lazy import lazy_names
from coterie._version import __version__

if TYPE_CHECKING:
    from coterie import (
        advice,
        applications,
        choice,
        clusterers,
        consensus,
        datasets,
        ensemble,
        exceptions,
        experimental,
        generation,
        integrations,
        metrics,
        plot,
        systems,
        weighting,
    )
    from coterie._engine import use_engine
    from coterie.advice import advise
    from coterie.answers import explain, report
    from coterie.choice import choose_k
    from coterie.ensemble import Ensemble, Weights
    from coterie.systems import (
        C2SWCE,
        MBN,
        MDEC,
        SPCE,
        USENC,
        WOEC,
        EnsembleClustering,
        LargeEnsembleClustering,
        MBNEnsemble,
        WOKMeans,
        combine,
        compare,
    )

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
    "advise": "coterie.advice",
    "choose_k": "coterie.choice",
    "combine": "coterie.systems",
    "compare": "coterie.systems",
    "explain": "coterie.answers",
    "report": "coterie.answers",
    "use_engine": "coterie._engine",
}
_MODULES = (
    "advice",
    "applications",
    "choice",
    "clusterers",
    "consensus",
    "datasets",
    "ensemble",
    "exceptions",
    "experimental",
    "generation",
    "integrations",
    "metrics",
    "plot",
    "systems",
    "weighting",
)

__getattr__, __dir__, _names = lazy_names(__name__, _HOMES, _MODULES)
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
    "advice",
    "advise",
    "applications",
    "choice",
    "choose_k",
    "clusterers",
    "combine",
    "compare",
    "consensus",
    "datasets",
    "ensemble",
    "exceptions",
    "experimental",
    "explain",
    "generation",
    "integrations",
    "metrics",
    "plot",
    "report",
    "systems",
    "use_engine",
    "weighting",
]
