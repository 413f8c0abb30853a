"""Synthetic data with a known answer."""

from coterie.datasets._planted import PlantedEnsemble, make_planted_ensemble
from coterie.datasets._toys import make_toy1, make_toy2, make_toy3

__all__ = [
    "PlantedEnsemble",
    "make_planted_ensemble",
    "make_toy1",
    "make_toy2",
    "make_toy3",
]
