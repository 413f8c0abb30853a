"""Generators: from data to an ensemble of clusterings."""

from coterie.generation._adaptive import LocallyAdaptiveKMeans
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._bootstrap_networks import BootstrapNetworks
from coterie.generation._clusterers import FromClusterers
from coterie.generation._communities import LeidenCommunities
from coterie.generation._genie import GenieTree
from coterie.generation._incomplete import IncompleteMembers
from coterie.generation._kmeans import RandomKMeans
from coterie.generation._landmarks import LandmarkSpectral
from coterie.generation._laplacian_subspace import LaplacianSubspaceSpectral
from coterie.generation._metric_subspace import MetricSubspaceSpectral
from coterie.generation._mixed import MixedKMeans
from coterie.generation._mixtures import GaussianMixtures
from coterie.generation._network_kmeans import NetworkKMeans
from coterie.generation._panel import Panel
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
    "GaussianMixtures",
    "GenieTree",
    "IncompleteMembers",
    "LandmarkSpectral",
    "LaplacianSubspaceSpectral",
    "LeidenCommunities",
    "LocallyAdaptiveKMeans",
    "MetricSubspaceSpectral",
    "MixedKMeans",
    "NetworkKMeans",
    "Panel",
    "RandomKMeans",
    "RandomProjection",
    "RandomSubspace",
    "SampledMembers",
    "SigmaGridSpectral",
    "SubsampledKMeans",
]
