"""Generators: from data to an ensemble of clusterings."""

from coterie.generation._adaptive import LocallyAdaptiveKMeans
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._bootstrap_networks import BootstrapNetworks
from coterie.generation._clusterers import FromClusterers
from coterie.generation._incomplete import IncompleteMembers
from coterie.generation._kmeans import RandomKMeans
from coterie.generation._landmarks import LandmarkSpectral
from coterie.generation._laplacian_subspace import LaplacianSubspaceSpectral
from coterie.generation._metric_subspace import MetricSubspaceSpectral
from coterie.generation._mixed import MixedKMeans
from coterie.generation._resampling import Bootstrap, SubsampledKMeans
from coterie.generation._sampled import SampledMembers
from coterie.generation._spectral import SigmaGridSpectral
from coterie.generation._subspace import RandomProjection, RandomSubspace

__all__ = [
    "BaseGenerator",
    "Bootstrap",
    "BootstrapNetworks",
    "Draft",
    "FromClusterers",
    "IncompleteMembers",
    "LandmarkSpectral",
    "LaplacianSubspaceSpectral",
    "LocallyAdaptiveKMeans",
    "MetricSubspaceSpectral",
    "MixedKMeans",
    "RandomKMeans",
    "RandomProjection",
    "RandomSubspace",
    "SampledMembers",
    "SigmaGridSpectral",
    "SubsampledKMeans",
]
