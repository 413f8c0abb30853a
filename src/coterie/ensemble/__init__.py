"""The record of what base clusterers said, and what can be read off it."""

from coterie.ensemble._blocks import BlockEnsemble
from coterie.ensemble._ensemble import CoreClusters, Ensemble, Member
from coterie.ensemble._weights import Weights

__all__ = [
    "BlockEnsemble",
    "CoreClusters",
    "Ensemble",
    "Member",
    "Weights",
]
