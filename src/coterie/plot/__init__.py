"""Plots of a clustering, its members and the choice of k.

Each function takes a fitted system or an :class:`~coterie.answers.Explanation` (for the
choice of k, the result of ``choose_k``) and matplotlib axes, and returns the axes.
:func:`data` returns the numbers behind a plot as a dict and does not need matplotlib.
"""

from coterie._colors import cluster_colors
from coterie.plot._choice import cdf, delta_area, pac, tracking
from coterie.plot._consensus import cluster_consensus, consensus_matrix, item_consensus
from coterie.plot._data import data
from coterie.plot._kinds import kinds, seen_by
from coterie.plot._members import alluvial, member_agreement, quality_diversity
from coterie.plot._samples import sample_map, self_paced_weights, silhouette

__all__ = [
    "alluvial",
    "cdf",
    "cluster_colors",
    "cluster_consensus",
    "consensus_matrix",
    "data",
    "delta_area",
    "item_consensus",
    "kinds",
    "member_agreement",
    "pac",
    "quality_diversity",
    "sample_map",
    "seen_by",
    "self_paced_weights",
    "silhouette",
    "tracking",
]
