"""Single clusterers: scikit-learn estimators that the papers compare with."""

from coterie.clusterers._base import BaseClusterer
from coterie.clusterers._landmarks import LSC, USPEC
from coterie.clusterers._subspace_fusion import SCSRGF

__all__ = ["LSC", "SCSRGF", "USPEC", "BaseClusterer"]
