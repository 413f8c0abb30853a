"""Single clusterers: scikit-learn estimators that the papers compare with."""

from coterie.clusterers._base import BaseClusterer
from coterie.clusterers._graph_factors import GNMF
from coterie.clusterers._self_expression import SSC

__all__ = ["GNMF", "SSC", "BaseClusterer"]
