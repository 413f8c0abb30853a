"""Ensembles of clusterings, and the weights of their members and clusters."""

from coterie.ensemble._blocks import BlockEnsemble
from coterie.ensemble._ensemble import CoreClusters, Ensemble, Member
from coterie.ensemble._weights import Weights

__all__ = ["BlockEnsemble", "CoreClusters", "Ensemble", "Member", "Weights"]
