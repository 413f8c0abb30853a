"""Communities of graphs of shared neighbours."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._linalg import leiden, nearest_neighbors, shared_neighbor_graph
from coterie._typing import LABEL_DTYPE
from coterie._validation import COUNT
from coterie.generation._base import BaseGenerator, Draft
from coterie.generation._draws import check_pair

if TYPE_CHECKING:
    from numpy.typing import NDArray


@fill_doc
class LeidenCommunities(BaseGenerator):
    r"""Leiden communities of graphs of shared nearest neighbours.

    For many clusters of different densities and shapes, whose number nobody knows, as
    in single-cell data. Each member joins nearest neighbours by the overlap of their
    neighbourhoods,

    .. math:: w_{ij} = \frac{|N_i \cap N_j|}{|N_i \cup N_j|},

    where :math:`N_i` has sample i and its k nearest neighbours, and partitions this
    graph by the Leiden algorithm [1]_ with resolution :math:`\gamma`. Members draw k
    and :math:`\gamma`; the number of clusters follows. The neighbours are found once.
    Prefer :class:`MetricSubspaceSpectral` if members should draw their number of
    clusters.

    Parameters
    ----------
    n_members : int, default=20
        Number of clusterings to make.
    neighbors_range : (int, int), default=(5, 20)
        Range from which members draw k, truncated to the number of samples.
    resolution_range : (float, float), default=(0.3, 4.0)
        Range from which members draw :math:`\gamma`, uniformly on the logarithmic
        scale. Larger ones give more clusters.
    %(on_error)s

    Notes
    -----
    Communities are found by the package graspologic-native, in two rounds. A resolution
    that leaves all samples in one community is doubled until there are two, but not
    beyond the upper end of its range; ``params["resolution"]`` of a member has the one
    that was used.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_digits
    >>> from coterie.generation import LeidenCommunities
    >>> X = load_digits().data[:500]
    >>> ensemble = LeidenCommunities(5).generate(X, seed=0)
    >>> sorted(ensemble.members[0].params)
    ['n_neighbors', 'resolution']
    """

    name = "leiden"
    summary = "Leiden communities of graphs of shared nearest neighbours"
    cost = "time N^2 D + M N K^2, memory N (K + M)"
    paper = "traag2019leiden"
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **BaseGenerator._parameter_constraints,
        "n_members": COUNT,
        "neighbors_range": [tuple, list],
        "resolution_range": [tuple, list],
    }

    def __init__(
        self,
        n_members: int = 20,
        *,
        neighbors_range: tuple[int, int] = (5, 20),
        resolution_range: tuple[float, float] = (0.3, 4.0),
        on_error: str = "raise",
    ) -> None:
        self.n_members = n_members
        self.neighbors_range = neighbors_range
        self.resolution_range = resolution_range
        self.on_error = on_error

    def _check(self, X: Any) -> None:
        who = type(self).__name__
        check_pair(self.neighbors_range, "neighbors_range", 1, who)
        check_pair(self.resolution_range, "resolution_range", 0.0, who)

    def _prepare(self, X: Any) -> NDArray[np.int32]:
        """Return the nearest neighbours of each sample, as many as any member uses."""
        n = X.shape[0]
        k = min(self.neighbors_range[1], n - 1)
        if k == 0:
            return np.empty((n, 0), dtype=np.int32)
        return nearest_neighbors(X, k).indices

    def _member(
        self, neighbors: NDArray[np.int32], number: int, rng: np.random.Generator
    ) -> Draft:
        drawn = int(rng.integers(*self.neighbors_range, endpoint=True))
        k = min(drawn, neighbors.shape[1])
        low, high = self.resolution_range
        resolution = math.exp(rng.uniform(math.log(low), math.log(high)))
        labels = np.zeros(neighbors.shape[0], dtype=LABEL_DTYPE)
        if k:
            graph = shared_neighbor_graph(neighbors[:, :k])
            labels = leiden(graph, resolution, rng=rng)
            while labels.max() == 0 and resolution < high:
                resolution = min(2 * resolution, high)
                labels = leiden(graph, resolution, rng=rng)
        return Draft(labels, {"n_neighbors": k, "resolution": resolution})
