"""Synthetic data with known clusters, and data from MATLAB files."""

from coterie.datasets._matlab import load_mat
from coterie.datasets._planted import PlantedEnsemble, make_planted_ensemble
from coterie.datasets._toys import make_toy1, make_toy2, make_toy3

__all__ = [
    "PlantedEnsemble",
    "load_mat",
    "make_planted_ensemble",
    "make_toy1",
    "make_toy2",
    "make_toy3",
]
