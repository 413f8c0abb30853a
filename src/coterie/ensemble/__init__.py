"""The record of what base clusterers said, and what can be read off it."""

from coterie.ensemble._alignment import align_labels, relabel_by_appearance
from coterie.ensemble._blocks import BlockEnsemble
from coterie.ensemble._ensemble import CoreClusters, Ensemble, Member, as_ensemble
from coterie.ensemble._votes import (
    Placement,
    cluster_counts,
    cluster_shares,
    placement,
    sample_shares,
    voters,
)
from coterie.ensemble._weights import Weights, as_weights

__all__ = [
    "BlockEnsemble",
    "CoreClusters",
    "Ensemble",
    "Member",
    "Placement",
    "Weights",
    "align_labels",
    "as_ensemble",
    "as_weights",
    "cluster_counts",
    "cluster_shares",
    "placement",
    "relabel_by_appearance",
    "sample_shares",
    "voters",
]
