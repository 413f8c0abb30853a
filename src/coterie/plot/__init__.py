"""Pictures of a clustering, of its members and of the choice of k.

Each function takes a fitted system (or what :func:`coterie.explain` returned, or, for
the choice of k, what ``choose_k`` returned) and matplotlib axes, and returns the axes.
Each has a twin with ``_data`` at the end of its name that returns the numbers as a dict
and needs no matplotlib.
"""

from coterie.plot._choice import (
    cdf,
    cdf_data,
    delta_area,
    delta_area_data,
    pac,
    pac_data,
    tracking,
    tracking_data,
)
from coterie.plot._consensus import (
    cluster_consensus,
    cluster_consensus_data,
    consensus_matrix,
    consensus_matrix_data,
    item_consensus,
    item_consensus_data,
)
from coterie.plot._members import (
    alluvial,
    alluvial_data,
    member_agreement,
    member_agreement_data,
    quality_diversity,
    quality_diversity_data,
)
from coterie.plot._samples import (
    sample_map,
    sample_map_data,
    self_paced_weights,
    self_paced_weights_data,
    silhouette,
    silhouette_data,
)
from coterie.plot._style import cluster_colors

__all__ = [
    "alluvial",
    "alluvial_data",
    "cdf",
    "cdf_data",
    "cluster_colors",
    "cluster_consensus",
    "cluster_consensus_data",
    "consensus_matrix",
    "consensus_matrix_data",
    "delta_area",
    "delta_area_data",
    "item_consensus",
    "item_consensus_data",
    "member_agreement",
    "member_agreement_data",
    "pac",
    "pac_data",
    "quality_diversity",
    "quality_diversity_data",
    "sample_map",
    "sample_map_data",
    "self_paced_weights",
    "self_paced_weights_data",
    "silhouette",
    "silhouette_data",
    "tracking",
    "tracking_data",
]
