"""How good each network of an ensemble of networks is, judged by the whole."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from coterie._linalg import code_pca
from coterie._linalg._codes import agreement_tiles
from coterie.ensemble import Codes
from coterie.metrics._validity import CRITERIA, distance_sums

SELECTIONS = (*CRITERIA, "mmd")
_MMD_ROWS = 2000


def network_weights(
    codes: Codes,
    labels: np.ndarray,
    embedding: np.ndarray,
    criterion: str,
    *,
    rng: np.random.Generator,
) -> np.ndarray:
    r"""Return the weight of each network, larger is better (Algorithm 3).

    Parameters
    ----------
    codes : Codes
        The networks' codes.
    labels : (N,) int array
        The clusters found by all networks together.
    embedding : (N, d) array
        The principal components of all codes together.
    criterion : {"swc", "pb", "pbm", "vrc", "mmd"}
        The first four (MBN-SO) score the labels by the distances between a network's
        one-hot codes, :math:`\lVert y_i - y_j \rVert^2 = 2 (V - \text{agreements})`;
        "mmd" (MBN-SD) is minus the maximum mean discrepancy between the network's
        embedding and that of all.
    rng : numpy.random.Generator

    Returns
    -------
    weights : (n_members,) array
    """
    if criterion == "mmd":
        d = embedding.shape[1]
        return np.array(
            [
                -_mmd(embedding, code_pca(codes.of_model(z), d, rng=rng).scores)
                for z in range(codes.n_members)
            ]
        )
    measure = CRITERIA[criterion]
    return np.array(
        [
            measure(distance_sums(_squared_distances(codes.of_model(z)), labels))
            for z in range(codes.n_members)
        ]
    )


def _squared_distances(codes: np.ndarray) -> Iterator[tuple[slice, Any]]:
    for tile, agreements in agreement_tiles(codes):
        yield tile, 2.0 * (codes.shape[1] - agreements)


def _mmd(U: np.ndarray, W: np.ndarray) -> float:
    r"""Return the maximum mean discrepancy of two embeddings of the same samples.

    .. math:: \mathrm{MMD}^2 = \overline{k(u_i, u_j)} + \overline{k(w_i, w_j)}
        - 2 \overline{k(u_i, w_j)}, \quad
        k(x, y) = \exp\left(-\frac{\lVert x - y \rVert^2}{2 \sigma^2}\right)

    with :math:`\sigma^2` the median of :math:`\lVert u_i - u_j \rVert^2`. Both are
    scaled to the same sum of squares, and columns of W are turned so that they point
    the same way as those of U: principal components have no sign.
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
