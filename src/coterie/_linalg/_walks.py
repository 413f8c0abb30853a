"""Similarity of the nodes of a graph by where random walks from them go."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse

from coterie._docs import fill_doc
from coterie._kernels._spmm import csr_matmat
from coterie._validation import is_sparse

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from coterie._typing import FloatArray


@fill_doc
def trajectory_similarity(
    P: Any, n_steps: int, *, dtype: DTypeLike = np.float64
) -> FloatArray:
    r"""Compare random walks by the cosine of their probability trajectories.

    A walk from node i is at the other nodes with the probabilities in row i of
    :math:`P, P^2, \ldots, P^T`; these T rows concatenated are its trajectory [1]_. Two
    nodes are alike if walks from them visit the same nodes at the same steps.

    P (n, n) is an array or CSR matrix of transition probabilities, with zero rows for
    isolated nodes. The cosines lie in [0, 1]; an isolated node has one with itself and
    zero with all others.

    Notes
    -----
    The inner products :math:`G_T = \sum_{t=1}^T P^t (P^t)^\top` follow from
    :math:`G_{t+1} = P (I + G_t) P^\top`. With a sparse P that costs
    :math:`n \cdot \mathrm{nnz}(P)` per step, while powers of P would fill up. With a
    dense one, :math:`G_{2t} = G_t + P^t G_t (P^t)^\top` takes a multiple of
    :math:`\log T` products, 15 for 20 steps. Memory is two dense matrices, or four
    besides P.

    References
    ----------
    %(paper:huang2016pt)s

    Examples
    --------
    >>> import numpy as np
    >>> from coterie._linalg import trajectory_similarity
    >>> P = np.array([[0.0, 1.0, 0.0], [0.5, 0.0, 0.5], [0.0, 1.0, 0.0]])
    >>> trajectory_similarity(P, 3).round(2)
    array([[1., 0., 1.],
           [0., 1., 0.],
           [1., 0., 1.]])
    """
    if is_sparse(P):
        G = _by_steps(scipy.sparse.csr_array(P, dtype=dtype), n_steps)
    else:
        G = _by_doubling(np.ascontiguousarray(P, dtype=dtype), n_steps)
    diagonal = np.arange(len(G))
    norms = np.sqrt(G[diagonal, diagonal])
    scale = np.divide(1.0, norms, out=np.zeros_like(norms), where=norms > 0)
    G *= scale[:, None]
    G *= scale
    np.clip(G, 0.0, 1.0, out=G)
    G[diagonal, diagonal] = 1.0
    return G


def _by_steps(P: Any, n_steps: int) -> FloatArray:
    """Return G for a CSR matrix."""
    n = P.shape[0]
    G, other = np.zeros((n, n), dtype=P.dtype), np.empty((n, n), dtype=P.dtype)
    diagonal = np.arange(n)
    for _ in range(n_steps):
        G[diagonal, diagonal] += 1.0
        csr_matmat(P.indptr, P.indices, P.data, G, other)  # P (I + G)
        np.copyto(G, other.T)
        csr_matmat(P.indptr, P.indices, P.data, G, other)  # G is symmetric
        G, other = other, G
    return G


def _by_doubling(P: FloatArray, n_steps: int) -> FloatArray:
    """Return G for a dense matrix."""
    G, power, other = P @ P.T, P.copy(), np.empty_like(P)  # of one step
    diagonal = np.arange(len(P))
    digits = f"{n_steps:b}"[1:]
    for place, digit in enumerate(digits):
        np.matmul(power, G, out=other)
        G += other @ power.T
        if digit == "1":
            np.matmul(power, power, out=other)
            np.matmul(P, other, out=power)
            G[diagonal, diagonal] += 1.0
            np.matmul(P, G, out=other)
            np.matmul(other, P.T, out=G)
        elif place < len(digits) - 1:
            np.matmul(power, power, out=other)
            power, other = other, power
    return G
