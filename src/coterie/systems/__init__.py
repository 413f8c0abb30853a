"""Systems: scikit-learn estimators that put three parts together."""

from coterie.systems._base import BaseSystem
from coterie.systems._combine import combine
from coterie.systems._composite import EnsembleClustering
from coterie.systems._defaults import default_method

__all__ = ["BaseSystem", "EnsembleClustering", "combine", "default_method"]
