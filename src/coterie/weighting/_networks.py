"""Selection of bootstrap networks by how well they fit the clusters of all."""

from __future__ import annotations

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from coterie._catalog import find
from coterie._docs import fill_doc
from coterie._linalg import code_pca
from coterie._linalg._codes import agreement_tiles, unsigned_codes
from coterie._validation import HasMethods, Interval, StrOptions
from coterie.ensemble import Ensemble, Weights
from coterie.metrics._validity import CRITERIA, distance_sums
from coterie.weighting._base import BaseWeighter, Task

SELECTIONS = (*CRITERIA, "mmd")
_MMD_ROWS = 2000
_N_SELECTED_MMD, _N_SELECTED = 10, 3  # the paper's B of MBN-SD and MBN-SO


@fill_doc
class NetworkSelection(BaseWeighter):
    r"""Keep the best bootstrap networks: MBN-SO and MBN-SD.

    All networks together are clustered first; then each network is scored by how well
    its own codes fit these clusters, and the best are kept (Algorithm 3 of [1]_). The
    clusterings of the other networks get weight zero.

    Parameters
    ----------
    consensus : consensus function or None, default=None
        Clusters all networks together and reports an ``embedding``; None is
        :class:`~coterie.consensus.CodePCA`.
    criterion : {"swc", "pb", "pbm", "vrc", "mmd"}, default="vrc"
        The first four (MBN-SO) score the clusters by the distances between a network's
        one-hot codes, :math:`\lVert y_i - y_j \rVert^2 = 2 (V - \text{agreements})`:
        silhouette width, point-biserial correlation, PBM and variance ratio. "mmd"
        (MBN-SD) is minus the maximum mean discrepancy between the network's embedding
        and that of all.
    n_clusters : int, default=8
        Number of clusters of the reference.
    n_selected : int or None, default=None
        Networks to keep, B in the paper; None is 10 for "mmd" and 3 otherwise.

    Notes
    -----
    ``params["network"]`` of a member names its network; members without it are networks
    of their own. ``details`` of the weights has ``scores``, where larger is better, and
    ``selected``, with the best first.

    References
    ----------
    %(paper)s

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from coterie.generation import BootstrapNetworks
    >>> from coterie.weighting import NetworkSelection
    >>> networks = BootstrapNetworks(4, n_out=5, n_clusterings=20)
    >>> ensemble = networks.generate(load_iris().data, seed=0)
    >>> part = NetworkSelection(n_clusters=3, n_selected=2)
    >>> weights = part.weigh(ensemble, seed=0)
    >>> int(weights.members.sum()), weights.details["scores"].shape
    (40, (4,))
    """

    name = "network-selection"
    summary = "keeps the bootstrap networks that best fit the clusters of all networks"
    cost = "time N^2 M, memory N^2"
    paper = "zhang2021fmbne"
    gives_weights: ClassVar[frozenset[str]] = frozenset({"members"})
    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "consensus": [HasMethods("combine"), None],
        "criterion": [StrOptions(set(SELECTIONS))],
        "n_clusters": [Interval(Integral, 1, None, closed="left")],
        "n_selected": [Interval(Integral, 1, None, closed="left"), None],
    }

    def __init__(
        self,
        consensus: Any = None,
        criterion: str = "vrc",
        *,
        n_clusters: int = 8,
        n_selected: int | None = None,
    ) -> None:
        self.consensus = consensus
        self.criterion = criterion
        self.n_clusters = n_clusters
        self.n_selected = n_selected

    def _weigh(self, task: Task) -> Weights:
        ensemble = task.ensemble
        if ensemble.has_missing:
            raise ValueError(
                "NetworkSelection needs all labels of the members, but some are "
                "missing. Use another weighter, such as JointSelection."
            )
        networks = networks_of(ensemble)  # (M,)
        consensus = self.consensus or find("code-pca", {"consensus"}).load()()
        k = min(self.n_clusters, ensemble.n_samples)
        found = consensus.combine(ensemble, k, seed=task.seed)
        rng = np.random.default_rng(task.seed)
        scores = self.scores(ensemble, networks, found, rng)
        usual = _N_SELECTED_MMD if self.criterion == "mmd" else _N_SELECTED
        n_kept = self.n_selected or usual
        selected = np.argsort(-scores, kind="stable")[:n_kept]
        return Weights(
            members=np.isin(networks, selected).astype(np.float64),
            details={"scores": scores, "selected": selected},
        )

    def scores(
        self,
        ensemble: Ensemble,
        networks: np.ndarray,
        found: Any,
        rng: np.random.Generator,
    ) -> np.ndarray:
        """Return the criterion of each network, where larger is better, (Z,).

        Parameters
        ----------
        ensemble : Ensemble
        networks : (M,) int array
            The network of each member.
        found : ConsensusResult
            The clusters to fit, and the embedding of all networks.
        rng : numpy.random.Generator
        """
        codes = [
            unsigned_codes(ensemble.labels[:, networks == z])
            for z in range(networks.max() + 1)
        ]
        if self.criterion == "mmd":
            U = found.details["embedding"]
            own = [code_pca(c, U.shape[1], rng=rng).scores for c in codes]
            return np.array([-_mmd(U, W) for W in own])
        measure = CRITERIA[self.criterion]
        sums = [distance_sums(_squared_distances(c), found.labels) for c in codes]
        return np.array([measure(one) for one in sums])


def networks_of(ensemble: Ensemble) -> np.ndarray:
    """Return the network of each member, (M,), numbered by first appearance."""
    named = [m.params.get("network", -1 - j) for j, m in enumerate(ensemble.members)]
    return np.unique(named, return_inverse=True)[1]


def _squared_distances(codes: np.ndarray) -> Iterator[tuple[slice, Any]]:
    for tile, agreements in agreement_tiles(codes):
        yield tile, 2.0 * (codes.shape[1] - agreements.astype(np.float64))


def _mmd(U: np.ndarray, W: np.ndarray) -> float:
    r"""Return the maximum mean discrepancy of two embeddings of the same samples.

    .. math:: \mathrm{MMD}^2 = \overline{k(u_i, u_j)} + \overline{k(w_i, w_j)}
        - 2 \overline{k(u_i, w_j)}, \quad
        k(x, y) = \exp\left(-\frac{\lVert x - y \rVert^2}{2 \sigma^2}\right)

    with :math:`\sigma^2` the median of :math:`\lVert u_i - u_j \rVert^2`. Both are
    scaled to the same sum of squares, and the signs of the columns of W are matched to
    those of U, as the sign of a principal component is arbitrary.
    """
    from scipy.spatial.distance import cdist

    step = -(-len(U) // _MMD_ROWS)
    U, W = _unit_scale(U), _unit_scale(W)
    d = min(U.shape[1], W.shape[1])
    U, W = U[::step, :d], W[::step, :d]
    W = W * np.where((U * W).sum(axis=0) < 0, -1.0, 1.0)
    uu = cdist(U, U, "sqeuclidean")
    width = np.median(uu[np.triu_indices_from(uu, 1)]) if len(U) > 1 else 0.0
    if width <= 0:
        width = 1.0
    means = [
        np.exp(-d2 / (2 * width)).mean()
        for d2 in (uu, cdist(W, W, "sqeuclidean"), cdist(U, W, "sqeuclidean"))
    ]
    return float(np.sqrt(max(means[0] + means[1] - 2 * means[2], 0.0)))


def _unit_scale(U: np.ndarray) -> np.ndarray:
    norm = np.linalg.norm(U)
    return U * (np.sqrt(len(U)) / norm) if norm > 0 else U
