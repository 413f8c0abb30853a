"""Systems: scikit-learn estimators that put three parts together."""

from coterie.systems._base import BaseSystem
from coterie.systems._combine import combine
from coterie.systems._composite import EnsembleClustering
from coterie.systems._defaults import default_method
from coterie.systems._mbn import MBN, MBNEnsemble
from coterie.systems._mdec import MDEC

__all__ = [
    "MBN",
    "MDEC",
    "BaseSystem",
    "EnsembleClustering",
    "MBNEnsemble",
    "combine",
    "default_method",
]
