"""Systems: scikit-learn estimators that put three parts together."""

from coterie.systems._base import BaseSystem
from coterie.systems._c2swce import C2SWCE
from coterie.systems._combine import combine
from coterie.systems._compare import Comparison, compare
from coterie.systems._composite import EnsembleClustering
from coterie.systems._large import LargeEnsembleClustering
from coterie.systems._mbn import MBN, MBNEnsemble
from coterie.systems._mdec import MDEC
from coterie.systems._spce import SPCE
from coterie.systems._usenc import USENC
from coterie.systems._woec import WOEC, WOKMeans

__all__ = [
    "C2SWCE",
    "MBN",
    "MDEC",
    "SPCE",
    "USENC",
    "WOEC",
    "BaseSystem",
    "Comparison",
    "EnsembleClustering",
    "LargeEnsembleClustering",
    "MBNEnsemble",
    "WOKMeans",
    "combine",
    "compare",
]
