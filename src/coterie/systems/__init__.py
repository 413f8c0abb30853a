"""Systems: scikit-learn estimators that put three parts together."""

from coterie.systems._base import BaseSystem
from coterie.systems._combine import combine
from coterie.systems._composite import EnsembleClustering

__all__ = ["BaseSystem", "EnsembleClustering", "combine"]
