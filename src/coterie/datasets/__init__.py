"""Synthetic data with a known answer."""

from coterie.datasets._planted import PlantedEnsemble, make_planted_ensemble

__all__ = ["PlantedEnsemble", "make_planted_ensemble"]
