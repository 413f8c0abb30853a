"""Consensus by diffusion between the members' graphs, which it mends on the way."""

from __future__ import annotations

from itertools import pairwise
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from scipy.sparse import csr_array

from coterie._docs import fill_doc
from coterie._linalg import spectral_embedding, unit_rows
from coterie._memory import check_memory
from coterie._validation import Interval
from coterie.consensus._base import BaseConsensus, ConsensusResult, Task
from coterie.consensus._embedding import cluster_samples
from coterie.consensus._products import inverse
from coterie.ensemble import Ensemble


@fill_doc
class CEAM(BaseConsensus):
    r"""Clustering ensemble via diffusion on an adaptive multiplex.

    Each member is a layer of a graph in which a sample is linked to itself in all other
    layers. What a member says spreads over the layers by manifold ranking,

    .. math::

        Y_{jl} \leftarrow \alpha \Bigl( D_l W_l D_l Y_{jl}
        + \sum_{m \neq l} D_l D_m Y_{jm} \Bigr) + (1 - \alpha) Y_j,

    and the layer is made again, of the nearest neighbours in what has come back to it,
    :math:`Y_{jj}` [1]_. After a few rounds over the layers spectral clustering of their
    mean gives the clusters.

    Parameters
    ----------
    alpha : float, default=0.85
        Share that spreads.
    n_neighbors : int, default=20
        Neighbours of a sample in a layer that is made again.
    n_rounds : int, default=5
        Rounds over the layers.
    n_steps : int, default=20
        Steps of the diffusion in each round.
    %(n_init)s

    Notes
    -----
    From the paper's abstract and a public port of the authors' program, with its
    parameters. Where the port repeats one step of the diffusion 20 times to the same
    effect, this takes 20 steps; ``n_steps=1`` is the port's. It rotates eigenvectors 2
    to k + 1 to the nearest indicators; this takes k-means on the unit rows of the
    first k, which also serve where the layers fall into k parts.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from coterie.consensus import CEAM
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 2], [0, 1, 2, 2]]
    >>> CEAM(n_neighbors=1).combine(ensemble, 2, seed=0).labels
    array([0, 0, 1, 1], dtype=int32)
    """

    name = "ceam"
    summary = "spectral clustering of the members' graphs, mended by diffusion"
    cost = "time t M^2 N k + t M N^2, memory M^2 N k + N^2"
    paper = "zhou2023ceam"
    most_rows = 1000
    most_members = 20
    clusters_rows: ClassVar[bool] = True
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "alpha": [Interval(Real, 0, 1, closed="left")],
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "n_rounds": [Interval(Integral, 0, None, closed="left")],
        "n_steps": [Interval(Integral, 1, None, closed="left")],
        "n_init": [Interval(Integral, 1, None, closed="left")],
    }

    def __init__(
        self,
        alpha: float = 0.85,
        n_neighbors: int = 20,
        *,
        n_rounds: int = 5,
        n_steps: int = 20,
        n_init: int = 3,
    ) -> None:
        self.alpha = alpha
        self.n_neighbors = n_neighbors
        self.n_rounds = n_rounds
        self.n_steps = n_steps
        self.n_init = n_init

    def _combine(self, task: Task) -> ConsensusResult:
        ensemble = task.ensemble
        n, n_members = ensemble.n_samples, ensemble.n_members
        links = float((ensemble.cluster_sizes.astype(float) ** 2).sum())
        spread = n * n_members * (ensemble.n_total_clusters + n_members)
        what = f"CEAM: {n_members:,} layers of {n:,} samples"
        advice = "Use LWEA, LWGP or KCC."
        check_memory(int(24 * links) + 24 * spread, what, None, advice)
        W = mend(
            _memberships(ensemble),
            self.alpha,
            min(self.n_neighbors, n - 1),
            self.n_rounds,
            self.n_steps,
        )
        U = spectral_embedding(
            W, task.n_clusters, rng=task.rng, dtype=np.float64, check_input=False
        )
        return cluster_samples(U, task, self.n_init)


def mend(
    members: list[np.ndarray],
    alpha: float,
    n_neighbors: int,
    n_rounds: int,
    n_steps: int,
) -> csr_array:
    """Return the mean of the layers of :class:`CEAM` after all rounds, (n, n).

    Parameters
    ----------
    members : list of (n, k_j) arrays
        One where a sample is in a cluster, zero elsewhere.
    alpha : float
    n_neighbors : int
    n_rounds : int
    n_steps : int
    """
    M = len(members)
    graphs = [csr_array(Y) @ csr_array(Y).T for Y in members]
    layers, D = map(list, zip(*(_scaled(W, M) for W in graphs), strict=True))
    spread = [np.tile(Y, (M, 1, 1)) for Y in members]  # of each member, (M, n, k_j)
    for _ in range(n_rounds):
        for j, Y in enumerate(members):
            for _ in range(n_steps):
                spread[j] = _step(spread[j], layers, D, Y, alpha)
            layers[j], D[j] = _scaled(_neighbours(spread[j][j], n_neighbors), M)
    mean = layers[0] / M
    for W in layers[1:]:
        mean += W / M
    return mean


def _step(
    spread: np.ndarray,
    layers: list[csr_array],
    D: list[np.ndarray],
    Y: np.ndarray,
    alpha: float,
) -> np.ndarray:
    """Spread within each layer, and between those that a sample has in each."""
    own = [d * part for d, part in zip(D, spread, strict=True)]
    everywhere = np.sum(own, axis=0)
    return np.stack(
        [
            alpha * (W @ part + d * (everywhere - mine)) + (1.0 - alpha) * Y
            for W, d, part, mine in zip(layers, D, spread, own, strict=True)
        ]
    )


def _scaled(W: csr_array, n_layers: int) -> tuple[csr_array, np.ndarray]:
    """Divide links by the roots of both degrees; return the inverse roots, (n, 1)."""
    degree = W.sum(axis=1) + n_layers - 1
    d = np.sqrt(inverse(np.asarray(degree, dtype=np.float64)))[:, None]
    return csr_array(W.multiply(d).multiply(d.T)), d


def _neighbours(points: np.ndarray, n_neighbors: int) -> csr_array:
    """Link each sample to itself and to those of the largest cosines, both ways."""
    from sklearn.neighbors import NearestNeighbors

    units = unit_rows(points)
    search = NearestNeighbors(n_neighbors=n_neighbors, algorithm="brute").fit(units)
    nearest = search.kneighbors(return_distance=False)  # of others
    n = len(units)
    columns = np.column_stack([np.arange(n), nearest])
    cosines = np.einsum("ijk,ik->ij", units[columns], units)
    cosines[:, 0] = 1.0
    starts = np.arange(0, columns.size + 1, n_neighbors + 1)
    W = csr_array((cosines.clip(0.0).ravel(), columns.ravel(), starts), shape=(n, n))
    return csr_array(W.maximum(W.T))


def _memberships(ensemble: Ensemble) -> list[np.ndarray]:
    """Return one where a sample is in a cluster, for each member, (n, k_j)."""
    B, ends = ensemble.incidence().tocsc(), ensemble.offsets
    return [B[:, a:b].toarray() for a, b in pairwise(ends)]
