"""k-means members in the space that bootstrap networks learn."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._engine import subfolder
from coterie._linalg import code_pca
from coterie._seeds import seed_sequence
from coterie._typing import Progress, Seed
from coterie._validation import COUNT
from coterie.ensemble import Ensemble
from coterie.generation._base import checkpoint_folder
from coterie.generation._bootstrap_networks import BootstrapNetworks
from coterie.generation._draws import RandomGenerator
from coterie.generation._kmeans import RandomKMeans


@fill_doc
class NetworkKMeans(RandomGenerator):
    """k-means on the principal components of bootstrap networks' codes.

    For images, texts and other data where distances mean little beyond the nearest
    neighbours. A few networks (:class:`BootstrapNetworks` [1]_) turn the data into
    codes once; each member then clusters the leading principal components of the codes
    into a random number of clusters. :class:`~coterie.MBNEnsemble` is the published
    system, with one clustering of more networks.

    Parameters
    ----------
    n_members : int, default=20
        Number of clusterings to make.
    %(n_clusters_range)s
    n_networks : int, default=6
        Number of networks.
    n_clusterings : int, default=150
        Clusterings per layer of a network.
    n_out : int, default=15
        Smallest number of clusters of a layer: about 1.5 times the final number.
    n_components : int, default=30
        Principal components of the codes to use.
    %(on_error)s

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import NetworkKMeans
    >>> NetworkKMeans(5, n_networks=2).generate(load_iris().data, seed=0).n_members
    5
    """

    name = "network-kmeans"
    summary = "k-means on the codes of a few bootstrap networks"
    cost = "time V N (N D + Z N), memory N (D + V Z)"
    paper = "zhang2021fmbne"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **RandomGenerator._parameter_constraints,
        "n_networks": COUNT,
        "n_clusterings": COUNT,
        "n_out": COUNT,
        "n_components": COUNT,
    }

    def __init__(
        self,
        n_members: int = 20,
        *,
        n_clusters: Any = None,
        n_networks: int = 6,
        n_clusterings: int = 150,
        n_out: int = 15,
        n_components: int = 30,
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.n_clusters = n_clusters
        self.n_networks = n_networks
        self.n_clusterings = n_clusterings
        self.n_out = n_out
        self.n_components = n_components
        self.on_error = on_error

    def _generate(
        self, X: Any, seed: Seed, n_jobs: int | None, progress: Progress
    ) -> Ensemble:
        checkpoint_folder(seed)  # which needs a seed
        for_networks, for_space, for_members = seed_sequence(seed).spawn(3)
        networks = BootstrapNetworks(
            self.n_networks, self.n_out, n_clusterings=self.n_clusterings
        )
        with subfolder("networks"):
            codes = networks.generate(X, seed=for_networks, n_jobs=n_jobs)
        rng = np.random.default_rng(for_space)
        space = code_pca(codes.labels, self.n_components, rng=rng).scores
        members = RandomKMeans(
            self.n_members, n_clusters=self.n_clusters, on_error=self.on_error
        )
        with subfolder("members"):
            found = members.generate(
                space, seed=for_members, n_jobs=n_jobs, progress=progress
            )
        placed = tuple(replace(member, centers=None) for member in found.members)
        return Ensemble(found, placed)
