"""Clusters weighted by how little the other members scatter them."""

from __future__ import annotations

from numbers import Real
from typing import Any, ClassVar

import numpy as np

from coterie._docs import fill_doc
from coterie._validation import Interval
from coterie.ensemble import BlockEnsemble, Ensemble, Weights
from coterie.ensemble._coassociation import inverted_lists
from coterie.weighting._base import BaseWeighter, Task


@fill_doc
class EntropyWeighter(BaseWeighter):
    r"""Ensemble-driven cluster index (ECI).

    A cluster that the other members keep together gets a large weight, one that they
    scatter a small weight:

    .. math::

        \mathrm{ECI}(C) = \exp\Bigl(-\frac{1}{\theta M} \sum_{m=1}^{M} H^m(C)\Bigr),
        \qquad H^m(C) = -\sum_j p_j \log_2 p_j,

    where :math:`p_j` is the share of C's samples in cluster j of member m [1]_ [2]_.

    Parameters
    ----------
    theta : float, default=0.4
        Larger values make the weights more alike: 0.4 in LWEA and LWGP [1]_, 1.0 in
        MDEC [2]_.

    Notes
    -----
    Samples that member m does not assign are left out of :math:`p_j`; the papers have
    no missing labels.

    The entropy grows with the number of pieces. One large cluster beside small ones,
    which all members cut into many pieces, therefore counts less than a cluster that
    joins two small ones by mistake; :class:`~coterie.consensus.LWEA` warns of it.

    References
    ----------
    %(paper)s
    %(paper2:huang2022mdec)s

    Examples
    --------
    >>> from coterie.weighting import EntropyWeighter
    >>> ensemble = [[0, 0, 1, 1], [0, 0, 1, 1], [0, 1, 0, 1]]
    >>> EntropyWeighter(theta=1.0).weigh(ensemble).clusters.round(3)
    array([0.717, 0.717, 0.717, 0.717, 0.513, 0.513])
    """

    name = "entropy"
    summary = "weights clusters by how little other members split them (ECI)"
    cost = "time N M^2, memory C M"
    paper = "huang2018lwe"
    group = "reason"
    take_if = "members with unreliable clusters; lwea and lwgp use it"
    gives_weights: ClassVar[frozenset[str]] = frozenset({"clusters"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "theta": [Interval(Real, 0, None, closed="neither")],
    }

    def __init__(self, theta: float = 0.4) -> None:
        self.theta = theta

    def _weigh(self, task: Task) -> Weights:
        entropies = cluster_entropies(task.ensemble)
        uncertainty = entropies.sum(axis=1)  # Eq. 18 of [2]
        scale = self.theta * entropies.shape[1]
        return Weights(clusters=np.exp(-uncertainty / scale))  # Eq. 19 of [2]


def cluster_entropies(ensemble: Ensemble) -> np.ndarray:
    """Return the entropy of each cluster with respect to each member, (C, M)."""
    if isinstance(ensemble, BlockEnsemble):
        return overlap_entropies(ensemble.overlap(), ensemble.offsets)
    from coterie._kernels import _tables as kernels

    n = np.arange(ensemble.n_samples + 1, dtype=np.float64)
    nlogn = n * np.log2(np.maximum(n, 1.0))
    core = ensemble.core
    out = np.zeros((ensemble.n_total_clusters, ensemble.n_members))
    members = core.columns, ensemble.offsets, core.counts
    kernels.pair_entropies(*members, nlogn, out)
    most = np.sort(np.append(np.diff(ensemble.offsets), 1))[-2:]
    if not kernels.fits_table.py_func(most[0], most[1], len(core)):
        starts, rows, _ = inverted_lists(ensemble)
        kernels.listed_pair_entropies(*members, starts, rows, nlogn, out)
    return out


def overlap_entropies(overlap: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """Return the same from the overlap of clusters, where no label is missing.

    Parameters
    ----------
    overlap : (C, C) array
        The number of samples that each two clusters share.
    offsets : (M + 1,) int array
    """
    sizes = np.maximum(overlap.diagonal(), 1.0)[:, None]
    nlogn = overlap * np.log2(np.maximum(overlap, 1.0))
    inner = np.add.reduceat(nlogn, offsets[:-1], axis=1)  # (C, M)
    return np.log2(sizes) - inner / sizes
