"""Single clusterers: scikit-learn estimators that the papers compare with."""

from coterie.clusterers._base import BaseClusterer
from coterie.clusterers._genie import Genie
from coterie.clusterers._graph_factors import GNMF
from coterie.clusterers._landmarks import LSC, USPEC
from coterie.clusterers._self_expression import SSC
from coterie.clusterers._subspace_fusion import SCSRGF

__all__ = ["GNMF", "LSC", "SCSRGF", "SSC", "USPEC", "BaseClusterer", "Genie"]
